//! What the corpus is made of: OCaml's own sources, and Debian's source packages of many kinds.

/// Where the compilations of a package come from.
pub enum Origin {
    /// The build of a Debian source package, as its tree says, unless steps are given.
    Debian(&'static [&'static str]),
    /// OCaml's own tree, whose folders are compiled one by one.
    Ocaml,
    /// OCaml's own sources beside the interfaces of the installed compiler: nothing is built, and what a build
    /// generates is not among them.
    OcamlInstalled,
}

/// A package of the corpus.
pub struct Package {
    /// The name of the source package.
    pub name: &'static str,
    /// Where its compilations come from.
    pub origin: Origin,
}

const fn debian(name: &'static str) -> Package {
    Package { name, origin: Origin::Debian(&[]) }
}

/// What is compiled in the continuous integration, of which a sample must be had in minutes, and without what a
/// developer's machine has: units of them are taken alternately.
pub const QUICK: &[Package] = &[
    Package { name: "ocaml-installed", origin: Origin::OcamlInstalled },
    debian("extlib"),
    debian("ocaml-re"),
    debian("cmdliner"),
];

/// By kind: compilers, provers, tools, servers, libraries; with dune, ocamlbuild, omake and make; with ppx, camlp5 and
/// macros. None of them is one of `cargo xtask projects`.
pub const PACKAGES: &[Package] = &[
    Package { name: "ocaml", origin: Origin::Ocaml },
    // Provers and analysers.
    debian("why3"),
    debian("coq"),
    debian("frama-c"),
    debian("hol-light"),
    debian("elpi"),
    debian("ocplib-simplex"),
    debian("psmt2-frontend"),
    debian("facile"),
    // Compilers and transformers of programs.
    debian("js-of-ocaml"),
    debian("haxe"),
    debian("coccinelle"),
    debian("camlp5"),
    debian("camlp4"),
    debian("camlidl"),
    debian("ppxlib"),
    debian("ocaml-migrate-parsetree"),
    debian("cppo"),
    debian("ocaml-dune"),
    debian("ocamlbuild"),
    debian("findlib"),
    debian("ulex"),
    debian("ocp-indent"),
    debian("omake"),
    debian("oasis"),
    debian("ocaml-odoc"),
    debian("ppx-sexp-conv"),
    debian("ppx-tools"),
    debian("ocaml-visitors"),
    // Tools and servers.
    debian("opam"),
    debian("unison-2.52"),
    debian("hevea"),
    debian("dose3"),
    debian("zeroinstall-injector"),
    debian("approx"),
    debian("sks"),
    debian("supermin"),
    debian("ledit"),
    debian("spamoracle"),
    debian("utop"),
    debian("ocsigenserver"),
    // Libraries.
    debian("ocamlnet"),
    debian("camomile"),
    debian("lwt"),
    debian("ounit"),
    debian("cryptokit"),
    debian("extlib"),
    debian("ocaml-re"),
    debian("yojson"),
    debian("biniou"),
    debian("cudf"),
    debian("camlimages"),
    debian("ocaml-qcheck"),
    debian("tyxml"),
    debian("janest-base"),
    debian("sexplib310"),
    debian("ocaml-csv"),
    debian("ocaml-ctypes"),
    debian("ocaml-fileutils"),
    debian("pxp"),
    debian("react"),
    debian("lwt-log"),
    debian("xmlm"),
    debian("uutf"),
    debian("cmdliner"),
    debian("opam-file-format"),
    debian("parmap"),
    debian("ocaml-uri"),
    debian("ocaml-astring"),
    debian("ocaml-alcotest"),
    debian("ocaml-base64"),
    debian("ocaml-benchmark"),
    debian("ocaml-bos"),
    debian("cairo-ocaml"),
    debian("camlp-streams"),
    debian("camlzip"),
    debian("ocaml-expect"),
    debian("ocaml-fmt"),
    debian("ocaml-fpath"),
    debian("ocaml-inifiles"),
    debian("ocaml-logs"),
    debian("ocaml-mm"),
    debian("ocaml-num"),
    debian("ocplib-endian"),
    debian("ocaml-parsexp"),
    debian("pcre-ocaml"),
    debian("ocaml-pprint"),
    debian("ocaml-rresult"),
    debian("ocaml-sexplib0"),
    debian("ocaml-ssl"),
    debian("ocaml-stringext"),
    debian("ocaml-topkg"),
    debian("ocaml-uucp"),
    debian("ocaml-uunf"),
    debian("ocaml-uuseg"),
    debian("xml-light"),
];
