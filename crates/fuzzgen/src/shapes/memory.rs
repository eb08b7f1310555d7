//! Memory that is read around what may change it: rows of polymorphic variants, abstract types, signal handlers,
//! finalisers; and operations whose failure is an effect.

use super::template::{filled, int, plain};
use super::{Instance, Kernel, Shape, shape};
use crate::generator::Gen;
use crate::tree::Node;

pub(super) const SHAPES: &[Shape] = &[
    shape("rows in arrays", rows_in_arrays),
    shape("rows of functors", rows_of_functors),
    shape("abstract elements", abstract_elements),
    shape("wait for a handler", wait),
    shape("division by a literal zero", division_by_zero),
    shape("reads around calls", reads_around_calls),
    shape("stores", stores),
];

/// A container of polymorphic variants: its allocation from a value, a read, and a write by a function for all rows.
struct Holder {
    allocation: &'static str,
    of: &'static str,
    read: &'static str,
    writes: &'static [&'static str],
}

const HOLDERS: &[Holder] = &[
    Holder {
        allocation: "[| $v; $v |]",
        of: "$r array",
        read: "b.(0)",
        writes: &[
            "let$a $set b = b.(0) <- $w\n",
            "let$a $set b = Array.unsafe_set b 0 $w\n",
            "let$a $set b = Array.fill b 0 1 $w\n",
            "let$a $set b = for i = 0 to Array.length b - 1 do b.(i) <- $w done\n",
            "let$a $put b v = b.(0) <- v\nlet $set b = $put b $w\n",
        ],
    },
    Holder {
        allocation: "ref $v",
        of: "$r ref",
        read: "!b",
        writes: &["let$a $set b = b := $w\n", "let$a $put b v = b := v\nlet $set b = $put b $w\n"],
    },
    Holder {
        allocation: "{ Fz.held = $v; count = 0 }",
        of: "$r Fz.cell",
        read: "b.Fz.held",
        writes: &["let$a $set b = b.Fz.held <- $w\n", "let$a $set b = b.Fz.held <- $w; b.Fz.count <- 1\n"],
    },
];

/// What reads of an array's element, twice around a write, may be part of. The writer takes an open row, the reader
/// has the closed one: one is compiled for blocks, the other for immediates.
const AROUND: &[&str] = &[
    "let$a $f (b : $of) = let x = $read in $set b; let y = $read in ($show x) + 10 * ($show y)\n",
    "let$a $f (b : $of) = let n = ref 0 in (while $read = $v && !n < 9 do incr n; if !n = 4 then $set b done); !n\n",
    "let$a $f (b : $of) = let n = ref 0 in for i = 1 to 5 do (if i = 3 then $set b); if $read = $v then incr n done; !n\n",
    "let$a $f (b : $of) = if $show $read = 1 then begin $set b; $show $read end else 7\n",
    "let$a $f (b : $of) = let x = $read in List.iter (fun _ -> $set b) [ 1; 2 ]; if x == $read then 1 else 2\n",
];

fn rows_in_arrays(g: &mut Gen) -> Instance {
    let holder = g.rng.pick(HOLDERS);
    let (f, set, put, show) = (g.fresh("f"), g.fresh("set"), g.fresh("put"), g.fresh("show"));
    let payload = g.rng.chance(25);
    let row = if payload { "[ `A | `B | `C of int ]" } else { "[ `A | `B ]" };
    let (first, written) = *g.rng.pick(&[("`B", "`A"), ("`A", "`B")]);
    let mut values: Vec<(&str, Node)> = vec![
        ("f", (&f).into()),
        ("set", (&set).into()),
        ("put", (&put).into()),
        ("show", (&show).into()),
        ("a", g.attribute().into()),
        ("r", row.into()),
        ("v", first.into()),
        ("w", written.into()),
        ("read", holder.read.into()),
    ];
    values.push(("of", plain(holder.of, &values)));
    values.push(("made", plain(holder.allocation, &values)));
    let shown = if payload { "`A -> 1 | `B -> 2 | `C n -> n" } else { "`A -> 1 | `B -> 2" };
    values.push(("arms", shown.into()));
    let items = vec![
        filled("let$a $show (x : $r) = match x with $arms\n", &values),
        filled(g.choice(holder.writes), &values),
        filled(g.choice(AROUND), &values),
    ];
    Instance { items, kernel: Kernel::Iterated(int("($f ($made : $of))", &values), 5), ends: vec![] }
}

/// The writer is in a functor, or knows the row by a private or abstract name.
fn rows_of_functors(g: &mut Gen) -> Instance {
    let (f, m, s, show) = (g.fresh("f"), g.fresh("M"), g.fresh("S"), g.fresh("show"));
    let writer = g.choice(&[
        "module type $s = sig type t val v : t end\nmodule F$m (X : $s) = struct let$a set (b : X.t array) = b.(0) <- X.v end\nmodule $m = F$m (struct type t = [ `A | `B ] let v = `A end)\n",
        "module type $s = sig type t = private [> `A | `B ] val v : t end\nmodule F$m (X : $s) = struct let$a set (b : X.t array) = b.(0) <- X.v let get (b : X.t array) = b.(0) end\nmodule $m = F$m (struct type t = [ `A | `B ] let v = `A end)\n",
        "module type $s = sig type t = private [< `A | `B | `C ] val v : t end\nmodule F$m (X : $s) = struct let$a set (b : X.t array) = b.(0) <- X.v end\nmodule $m = F$m (struct type t = [ `A | `B ] let v = `A end)\n",
        "module $m : sig val set : [> `A ] array -> unit end = struct let$a set b = b.(0) <- `A end\n",
        "module $m = struct let$a set (type r) (v : r) (b : r array) = b.(0) <- v let set b = set `A b end\n",
    ]);
    let values = [
        ("f", Node::from(&f)),
        ("m", (&m).into()),
        ("s", (&s).into()),
        ("show", (&show).into()),
        ("a", g.attribute().into()),
        ("set", format!("{m}.set").into()),
        ("of", "[ `A | `B ] array".into()),
        ("read", "b.(0)".into()),
        ("v", "`B".into()),
    ];
    let items = vec![
        filled("let$a $show (x : [ `A | `B ]) = match x with `A -> 1 | `B -> 2\n", &values),
        filled(writer, &values),
        filled(g.choice(AROUND), &values),
    ];
    Instance { items, kernel: Kernel::Iterated(int("($f [| `B |])", &values), 5), ends: vec![] }
}

/// Arrays and references whose elements have a known type in one scope and an abstract one in another.
fn abstract_elements(g: &mut Gen) -> Instance {
    let (f, m) = (g.fresh("f"), g.fresh("M"));
    let (of, value, next, read) = *g.rng.pick(&[
        ("int", "3", "x + i", "x"),
        ("float", "1.5", "x +. float_of_int i", "int_of_float x"),
        ("char", "'a'", "Char.chr ((Char.code x + i) land 127)", "Char.code x"),
        ("int list", "[]", "i :: x", "List.length x"),
        ("(int * int)", "(1, 2)", "(snd x, i)", "fst x - snd x"),
        ("int Lazy.t", "(lazy 3)", "lazy (Lazy.force x + i)", "Lazy.force x"),
    ]);
    let writer = g.choice(&[
        "let$a swap (b : t array) i j = let x = b.(i) in b.(i) <- b.(j); b.(j) <- x",
        "let$a swap (b : t array) i j = let x = Array.get b j in Array.blit b i b j 1; Array.set b i x",
    ]);
    let values = [
        ("f", Node::from(&f)),
        ("m", (&m).into()),
        ("a", g.attribute().into()),
        ("of", of.into()),
        ("v", value.into()),
        ("next", next.into()),
        ("read", read.into()),
        ("swap", plain(writer, &[("a", g.attribute().into())])),
        ("c", g.condition(&["i"])),
    ];
    let items = vec![
        filled(
            "module $m : sig type t val v : t val next : int -> t -> t val read : t -> int val swap : t array -> int -> int -> unit end = struct type t = $of let v = $v let next i x = $next let read x = $read $swap end\n",
            &values,
        ),
        filled(
            "let$a $f n = let b = Array.make 4 $m.v in for i = 1 to n do let j = i land 3 in b.(j) <- $m.next i b.(j); if $c then $m.swap b j 0 done; Array.fold_left (fun s x -> s + $m.read x) 0 b\n",
            &values,
        ),
    ];
    Instance { items, kernel: Kernel::Iterated(int("($f (i land 15))", &values), 20), ends: vec![] }
}

/// A loop that ends when a handler, which runs where the loop polls, has changed what it reads.
fn wait(g: &mut Gen) -> Instance {
    let (f, flag) = (g.fresh("f"), g.fresh("flag"));
    let (made, read, set) = *g.rng.pick(&[
        ("ref false", "!$flag", "$flag := true"),
        ("ref 0", "(!$flag > 0)", "incr $flag"),
        ("{ Fz.held = false; count = 0 }", "$flag.Fz.held", "$flag.Fz.held <- true"),
        ("[| 0; 0 |]", "($flag.(1) <> 0)", "$flag.(1) <- 1"),
        ("Bytes.make 2 'a'", "(Bytes.get $flag 0 <> 'a')", "Bytes.set $flag 0 'b'"),
        ("(let q : int list ref = ref [] in q)", "(!$flag <> [])", "$flag := [ 1 ]"),
    ]);
    let allocate = "Sys.opaque_identity (ref !n)";
    let (start, work) = *g.rng.pick(&[
        // The shell sends the signal when the loop has begun, or somewhat before.
        ("Sys.set_signal Sys.sigusr1 (Sys.Signal_handle (fun _ -> $set)); ignore (Sys.command \"(sleep 0.02; kill -USR1 $PPID) > /dev/null 2>&1 &\")", ""),
        ("Gc.finalise (fun _ -> $set) (Sys.opaque_identity (ref 1))", allocate),
        ("Gc.finalise_last (fun () -> $set) (Sys.opaque_identity (ref 1))", allocate),
        ("(let alarm = ref None in alarm := Some (Gc.create_alarm (fun () -> $set; Option.iter Gc.delete_alarm !alarm; alarm := None)))", allocate),
    ]);
    let work = if work.is_empty() { g.choice(&["", "", allocate]) } else { work };
    let work = if work.is_empty() { String::new() } else { format!("; ignore ({work})") };
    let looped = g.choice(&[
        "while not $read do incr n$work done",
        "while if $read then false else true do incr n$work done",
        "let rec go k = if not $read then begin incr n$work; go (k + 1) end in go 0",
        "try while true do (if $read then raise Exit); incr n$work done with Exit -> ()",
    ]);
    let on = [("flag", Node::from(&flag))];
    let set = plain(set, &on);
    let values = [
        ("f", Node::from(&f)),
        ("flag", (&flag).into()),
        ("a", g.attribute().into()),
        ("made", made.into()),
        ("looped", plain(looped, &[("read", plain(read, &on)), ("work", work.into())])),
        ("start", plain(start, &[("set", set)])),
    ];
    let items = vec![
        filled("let $flag = $made\n", &values),
        filled("let$a $f () = let n = ref 0 in ($looped); !n\n", &values),
    ];
    Instance { items, kernel: Kernel::Once(plain("($start; min ($f ()) 0)", &values)), ends: vec![] }
}

/// The failure of a division is an effect, with `-unsafe` too: where the zero is written, and only there. Of a zero
/// that is defined elsewhere nothing need be known (`-opaque`), and then `-unsafe` means a signal, as with the stock
/// compiler.
fn division_by_zero(g: &mut Gen) -> Instance {
    let f = g.fresh("f");
    let (by, operator) = *g.rng.pick(&[
        ("0", "$x / $z"),
        ("0", "$x mod $z"),
        ("0l", "Int32.to_int (Int32.div (Int32.of_int $x) $z)"),
        ("0L", "Int64.to_int (Int64.rem (Int64.of_int $x) $z)"),
        ("0n", "Nativeint.to_int (Nativeint.div (Nativeint.of_int $x) $z)"),
    ]);
    let values = [
        ("f", Node::from(&f)),
        ("a", g.attribute().into()),
        ("op", plain(operator, &[("x", "x".into()), ("z", by.into())])),
        ("y", g.int(&["x"])),
    ];
    let text = g.choice(&[
        "let$a $f x = try $op with Division_by_zero -> $y\n",
        "let$a $f x = try ignore ($op); $y with Division_by_zero -> 3\n",
        "let$a $f x = try if Fz.odd x then $op else $y with _ -> -1\n",
        "let$a $f x = let r = ref x in (try r := $y; r := !r + $op; r := 9 with Division_by_zero -> incr r); !r\n",
        "let$a $f x = match $op with v -> v + 1 | exception Division_by_zero -> $y\n",
    ]);
    let items = vec![filled(text, &values)];
    Instance { items, kernel: Kernel::Iterated(int("($f i)", &values), 8), ends: vec![] }
}

/// Fields of the state that calls, seen or unseen, write between reads.
fn reads_around_calls(g: &mut Gen) -> Instance {
    let (f, h, t, state) = (g.fresh("f"), g.fresh("h"), g.fresh("t"), g.fresh("state"));
    let calls =
        ["$h ()", "$h ()", "Fz.minor ()", "ignore (Fz.id s)", "s.a$t <- $x", "ignore (Hashtbl.hash s)"];
    let mut body = vec![];
    for _ in 0..g.rng.range(2, 5) {
        let call = *g.rng.pick(&calls);
        let values = [("h", Node::from(&h)), ("t", (&t).into()), ("x", g.int(&["n"]))];
        let read = g.choice(&["s.a$t", "s.b$t", "s.c$t.(0)", "String.length s.d$t", "$state.a$t"]);
        body.push(filled(
            &format!("r := !r * 3 + {read}; {call};\n  "),
            &[&values[..], &[("state", (&state).into())]].concat(),
        ));
    }
    let values = [
        ("f", Node::from(&f)),
        ("h", (&h).into()),
        ("t", (&t).into()),
        ("state", (&state).into()),
        ("a", g.attribute().into()),
        ("b", g.attribute().into()),
        ("body", Node::plain("", body)),
        ("c", g.condition(&["n"])),
        ("v", g.int(&["n"])),
    ];
    let items = vec![
        filled(
            "type $t = { mutable a$t : int; b$t : int; c$t : int array; mutable d$t : string }\n",
            &values,
        ),
        filled("let $state = { a$t = 1; b$t = 2; c$t = [| 3 |]; d$t = \"four\" }\n", &values),
        filled("let$a $h () = $state.a$t <- $state.a$t + 1; $state.c$t.(0) <- $state.a$t\n", &values),
        filled("let$b $f (s : $t) n = let r = ref 0 in $body(if $c then s.a$t <- $v); !r + s.a$t\n", &values),
    ];
    let kernel = int("(if Fz.odd i then $f $state i else $f { $state with b$t = i } i) land 0xFFFF", &values);
    Instance { items, kernel: Kernel::Iterated(kernel, 20), ends: vec![] }
}

/// Stores that others overwrite, and fields that only some path needs.
fn stores(g: &mut Gen) -> Instance {
    let (f, t) = (g.fresh("f"), g.fresh("t"));
    let text = g.choice(&[
        "let$a $f n = let r = { a$t = n; b$t = 1.; c$t = [] } in r.a$t <- $x; (if $c then r.a$t <- $y); r.b$t <- r.b$t +. 1.; r.c$t <- [ n ]; r.a$t + int_of_float r.b$t + List.length r.c$t\n",
        "let$a $f n = let r = { a$t = n; b$t = 1.; c$t = [] } in for i = 1 to 8 do r.a$t <- r.a$t + i; if $c then r.b$t <- Fz.area r.b$t done; int_of_float r.b$t + r.a$t\n",
        "let$a $f n = let r = { a$t = n; b$t = 1.; c$t = [] } in for i = 1 to 8 do if (i + n) land 3 = 0 then r.c$t <- i :: r.c$t else r.a$t <- $x done; List.length r.c$t + r.a$t\n",
        "let$a $f n = let a = [| n; $x; $y |] in let (p, q) = (a.(0), a.(2)) in a.(0) <- q; a.(2) <- p; a.(0) - a.(2)\n",
        "let$a $f n = let b = Bytes.make 8 'x' in for i = 0 to 7 do if $c then Bytes.set b i (Char.chr ((i + n) land 127)) done; Hashtbl.hash (Bytes.to_string b)\n",
    ]);
    let values = [
        ("f", Node::from(&f)),
        ("t", (&t).into()),
        ("a", g.attribute().into()),
        ("c", g.condition(&["n"])),
        ("x", g.any_int(&["n"])),
        ("y", g.any_int(&["n"])),
    ];
    let items = vec![
        filled("type $t = { mutable a$t : int; mutable b$t : float; mutable c$t : int list }\n", &values),
        filled(text, &values),
    ];
    Instance { items, kernel: Kernel::Iterated(int("($f i)", &values), 40), ends: vec![] }
}
