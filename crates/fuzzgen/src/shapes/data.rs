//! Data that loops build, keep and compare by identity; allocations that can be moved to where they are needed.

use super::template::{filled, int, plain};
use super::{Instance, Kernel, Shape, shape};
use crate::generator::Gen;
use crate::tree::Node;

pub(super) const SHAPES: &[Shape] = &[
    shape("conditional cons", conditional_cons),
    shape("saved reference", saved_reference),
    shape("lists of lists", lists_of_lists),
    shape("unchanged", unchanged),
    shape("walk to a sentinel", sentinel),
    shape("reads between allocations", reads_between_allocations),
    shape("values of joins", values_of_joins),
    shape("records as states", records_as_states),
    shape("hidden numbers", hidden_numbers),
];

/// A kind of values in containers: how a value is constructed from an integer `$x`, and how an integer is computed from
/// the value `$v`.
struct Payload {
    make: &'static str,
    read: &'static str,
}

const PAYLOADS: &[Payload] = &[
    Payload { make: "$x", read: "$v" },
    Payload { make: "$x", read: "$v" },
    Payload { make: "($x, i)", read: "(fst $v + snd $v)" },
    Payload { make: "(float_of_int $x)", read: "(int_of_float $v)" },
    Payload { make: "Fz.names.($x land 3)", read: "(String.length $v)" },
    Payload {
        make: "(if $x land 1 = 0 then None else Some i)",
        read: "(match $v with None -> 1 | Some a -> a)",
    },
    Payload { make: "(Int64.of_int $x)", read: "(Int64.to_int $v)" },
    Payload { make: "[ i; $x ]", read: "(List.length $v)" },
    Payload { make: "(let k = $x in fun a -> a + k)", read: "($v 3)" },
];

impl Payload {
    fn make(&self, x: Node) -> Node {
        plain(self.make, &[("x", x)])
    }

    fn read(&self, v: &str) -> Node {
        plain(self.read, &[("v", v.into())])
    }
}

/// Data that grows in a loop: the first value, a larger one that contains `$r` and a payload, and what is read from it
/// at last.
struct Container {
    types: &'static str,
    start: &'static str,
    larger: &'static [&'static str],
    read: &'static [&'static str],
}

const CONTAINERS: &[Container] = &[
    Container {
        types: "",
        start: "[]",
        larger: &["$p :: $r", "$p :: $p :: $r", "(match $r with [] -> [ $p ] | _ :: l -> $p :: l)"],
        read: LIST_READS,
    },
    Container { types: "", start: "[]", larger: &["$p :: $r"], read: LIST_READS },
    Container {
        types: "",
        start: "None",
        larger: &["Some $p", "(match $r with None -> Some $p | Some _ -> $r)"],
        read: &["(match $r with None -> 0 | Some v -> $use)", "(if $r = None then 0 else 1)"],
    },
    Container {
        types: "type 'a $t = E$t | C$t of 'a * 'a $t | D$t of 'a\n",
        start: "E$t",
        larger: &["C$t ($p, $r)", "(match $r with E$t -> D$t $p | _ -> C$t ($p, $r))"],
        read: &[
            "(let rec go n r = match r with E$t -> n | D$t v -> n + $use | C$t (v, r) -> go (n + $use) r in go 0 $r)",
        ],
    },
    Container {
        types: "",
        start: "(0, [])",
        larger: &["(let (n, l) = $r in (n + 1, $p :: l))", "(fst $r + 1, snd $r)"],
        read: &["(fst $r + List.length (snd $r))", "(match $r with (n, []) -> n | (n, v :: _) -> n + $use)"],
    },
    Container {
        types: "type 'a $t = { size$t : int; held$t : 'a list }\n",
        start: "{ size$t = 0; held$t = [] }",
        larger: &[
            "{ size$t = $r.size$t + 1; held$t = $p :: $r.held$t }",
            "{ $r with size$t = $r.size$t + i }",
        ],
        read: &["($r.size$t + List.length $r.held$t)", "(match $r.held$t with [] -> 0 | v :: _ -> $use)"],
    },
];

const LIST_READS: &[&str] = &[
    "(List.length (match $r with [] -> [] | _ :: l -> l))",
    "(match $r with [] -> 0 | v :: _ -> $use)",
    "(List.length $r)",
    "(List.fold_left (fun n v -> n + $use) 0 $r)",
    "(let n = ref 0 in List.iter (fun v -> n := !n + $use) $r; !n)",
    "(if $r == [] then 0 else 1)",
];

/// A loop over `i` with the body `$body`, for references.
const LOOPS: &[&str] = &[
    "for i = 1 to n do $body done",
    "for i = 1 to n do $body done",
    "for i = n downto 1 do $body done",
    "(let c = ref 0 in while !c < n do incr c; let i = !c in $body done)",
    "Array.iter (fun i -> $body) Fz.numbers",
    "List.iter (fun i -> $body) Fz.list",
    "String.iter (fun c -> let i = Char.code c in $body) Fz.text",
    "for j = 1 to 3 do for k = 1 to n do let i = (j * k) in $body done done",
    "(try for i = 1 to n do (if i > n * 2 then raise Exit); $body done with Exit -> ())",
    "for i = 1 to n do try (if i land 7 = 7 then raise Exit); $body with Exit -> () done",
];

/// A loop whose state is the parameter `r`, with the next state `$body`, from `$start`.
const FOLDS: &[&str] = &[
    "(let rec go i r = if i > n then r else go (i + 1) ($body) in go 1 $start)",
    "(Array.fold_left (fun r i -> $body) $start Fz.numbers)",
    "(List.fold_left (fun r i -> $body) $start Fz.list)",
    "(let rec go l r = match l with [] -> r | i :: l -> go l ($body) in go Fz.list $start)",
];

fn conditional_cons(g: &mut Gen) -> Instance {
    let (f, t) = (g.fresh("f"), g.fresh("t"));
    let container = g.rng.pick(CONTAINERS);
    let payload = g.rng.pick(PAYLOADS);
    let x = g.any_int(&["i", "n"]);
    let value = payload.make(x);
    let fold = g.rng.chance(30);
    let state = if fold { "r" } else { "!r" };
    let values = |more: Vec<(&'static str, Node)>| -> Vec<(&'static str, Node)> {
        let fixed = [("t", Node::from(&t)), ("r", state.into()), ("p", value.clone())];
        fixed.into_iter().chain(more).collect()
    };
    let larger = plain(g.choice(container.larger), &values(vec![]));
    let start = plain(container.start, &values(vec![]));
    let read = plain(g.choice(container.read), &values(vec![("use", payload.read("v"))]));
    let condition = g.condition(&["i", "n"]);
    let parts = vec![
        ("f", Node::from(&f)),
        ("a", g.attribute().into()),
        ("start", start),
        ("larger", larger),
        ("condition", condition),
        ("read", read),
    ];
    let definition = if fold {
        let body = filled("if $condition then $larger else r", &parts);
        let folded = plain(g.choice(FOLDS), &[("body", body), ("start", parts[2].1.clone())]);
        let parts: Vec<_> = parts.into_iter().chain([("folded", folded)]).collect();
        filled("let$a $f n = let r = $folded in $read\n", &parts)
    } else {
        let body = match g.rng.below(4) {
            0 => "(if $condition then r := $larger else count := !count + i)",
            1 => "(if $condition then begin r := $larger; incr count end)",
            _ => "(if $condition then r := $larger)",
        };
        let body = filled(body, &parts);
        let looped = filled(g.choice(LOOPS), &[("body", body)]);
        let parts: Vec<_> = parts.into_iter().chain([("looped", looped)]).collect();
        filled("let$a $f n = let r = ref $start and count = ref 0 in $looped; $read + !count\n", &parts)
    };
    let types = filled(container.types, &[("t", (&t).into())]);
    let kernel = Kernel::Iterated(int("($f (i + 20))", &[("f", (&f).into())]), 20);
    Instance { items: vec![types, definition], kernel, ends: vec![] }
}

/// Two variables of a loop that hold the same block at its end, or parts of it, and are compared.
fn saved_reference(g: &mut Gen) -> Instance {
    let (f, t) = (g.fresh("f"), g.fresh("t"));
    let container = g.rng.pick(CONTAINERS);
    let payload = g.rng.pick(PAYLOADS);
    // Of a value that is known where the block is allocated, all such blocks may be one constant.
    let value = payload.make(plain("(Sys.opaque_identity ($x))", &[("x", g.int(&["i"]))]));
    let fixed = [("t", Node::from(&t)), ("r", "!r".into()), ("p", value)];
    let larger = plain(container.larger[0], &fixed);
    let start = plain(container.start, &fixed);
    let (first, second) = (g.rng.range(1, 6), g.rng.range(1, 12));
    let save = match g.rng.below(3) {
        0 => format!("if i = {} then m := !r", first + second),
        1 => format!("if i land {first} = 0 then m := !r"),
        _ => "m := !r".to_owned(),
    };
    let grow = filled(&format!("if i = {first} then r := $larger; {save}"), &[("larger", larger)]);
    let looped = filled(g.choice(LOOPS), &[("body", plain("($grow)", &[("grow", grow)]))]);
    let read = match (container.types, container.start, g.rng.below(3)) {
        ("", "[]", 0) => "(match !r with [] -> 3 | _ :: _ -> if !r == !m then 1 else 0)",
        ("", "[]", 1) => "(if List.memq !m [ []; !r ] then 1 else 0) + List.length !m",
        (_, _, 0) => "(if !r == !m then 1 else if !r = !m then 2 else 4)",
        _ => "(if !r == !m then 1 else 0)",
    };
    // Functions can't be compared.
    let read = if payload.make.contains("fun") { "(if !r == !m then 1 else 0)" } else { read };
    let types = filled(container.types, &[("t", (&t).into())]);
    let values = [("f", Node::from(&f)), ("a", g.attribute().into()), ("start", start), ("looped", looped)];
    let definition =
        filled(&format!("let$a $f n = let r = ref $start in let m = ref !r in $looped; {read}\n"), &values);
    let kernel = Kernel::Iterated(int("($f (i + 10))", &[("f", (&f).into())]), 10);
    Instance { items: vec![types, definition], kernel, ends: vec![] }
}

/// `out := !cur :: !out; cur := []`, as when something is split.
fn lists_of_lists(g: &mut Gen) -> Instance {
    let f = g.fresh("f");
    let condition = g.condition(&["i"]);
    let value = g.int(&["i"]);
    let looped = g.rng.pick(LOOPS);
    let body = filled(
        "(if $c then begin out := !cur :: !out; cur := [] end else cur := $x :: !cur)",
        &[("c", condition), ("x", value)],
    );
    let looped = filled(looped, &[("body", body)]);
    let read = g.choice(&[
        "List.length !out + List.length !cur",
        "List.fold_left (fun n l -> n + List.length l) 0 (!cur :: !out)",
        "List.length (List.rev !out)",
    ]);
    let definition = filled(
        &format!("let$a $f n = let out = ref [] and cur = ref [] in $looped; {read}\n"),
        &[("f", (&f).into()), ("a", g.attribute().into()), ("looped", looped)],
    );
    Instance {
        items: vec![definition],
        kernel: Kernel::Iterated(int("($f (i + 30))", &[("f", f.into())]), 20),
        ends: vec![],
    }
}

/// A map that returns its argument itself where nothing changes, and the test for that.
fn unchanged(g: &mut Gen) -> Instance {
    let (f, t) = (g.fresh("f"), g.fresh("t"));
    let condition = g.condition(&["x"]);
    let changed = g.int(&["x"]);
    let values = |f: &str, t: &str| {
        vec![("f", Node::from(f)), ("t", Node::from(t)), ("c", condition.clone()), ("x", changed.clone())]
    };
    let items = if g.rng.chance(50) {
        vec![filled(
            "let rec $f l = match l with [] -> l | x :: rest -> let y = if $c then $x else x in let more = $f rest in if y == x && more == rest then l else y :: more\n",
            &values(&f, &t),
        )]
    } else {
        vec![
            filled("type $t = L$t of int | N$t of $t * $t | E$t\n", &values(&f, &t)),
            filled(
                "let rec $f n = match n with E$t -> n | L$t x -> if $c then L$t $x else n | N$t (a, b) -> let c = $f a and d = $f b in if c == a && d == b then n else N$t (c, d)\n",
                &values(&f, &t),
            ),
        ]
    };
    let kernel = if items.len() == 1 {
        "(let l = [ i; i + 1; 5; i * 3 ] in if $f l == l then 1 else List.length ($f l))"
    } else {
        "(let l = N$t (N$t (L$t i, E$t), N$t (L$t 3, L$t (i + 2))) in if $f l == l then 1 else if $f ($f l) == $f l then 2 else 3)"
    };
    let kernel = Kernel::Iterated(int(kernel, &values(&f, &t)), 30);
    Instance { items, kernel, ends: vec![] }
}

/// A search in a list, or in a chain of blocks, that ends where it meets a certain block.
fn sentinel(g: &mut Gen) -> Instance {
    let f = g.fresh("f");
    let at = g.rng.range(2, 9);
    let text = g.choice(&[
        "let$a $f n = let l = ref [] and stop = ref [] in for i = 1 to n do l := i :: !l; if i = $at then stop := !l done; let c = ref 0 in (while !l != !stop && !l <> [] do incr c; l := List.tl !l done); !c\n",
        "let$a $f n = let stop = [ n; $at ] in let rec walk l k = if l == stop || k > 40 then k else match l with [] -> -1 | _ :: l -> walk l (k + 1) in walk (n :: 3 :: stop) 0\n",
        "let$a $f n = let nil = (0, $at) in let cur = ref nil and c = ref 0 in for i = 1 to n do (if $c then cur := (i, i + 1)); (if !cur == nil then incr c); if i land 7 = 7 then cur := nil done; !c\n",
        "let$a $f n = let none = Some (-1) in let best = ref none in for i = 1 to n do if $c then (if !best == none then best := Some i else best := (match !best with Some j when j > i -> !best | _ -> Some (i + $at))) done; if !best == none then 0 else (match !best with Some b -> b | None -> 7)\n",
        "let$a $f n = let l = ref [] in let m = ref [] in for i = 1 to n do (if $c then l := i :: !l); if i = $at then m := !l done; let r = ref 0 in (let p = ref !l in while !p != !m do (match !p with [] -> p := !m | x :: q -> r := !r + x; p := q) done); !r\n",
    ]);
    let values = [
        ("f", Node::from(&f)),
        ("a", g.attribute().into()),
        ("at", at.to_string().into()),
        ("c", g.condition(&["i", "n"])),
    ];
    let definition = filled(text, &values);
    Instance {
        items: vec![definition],
        kernel: Kernel::Iterated(int("($f (i + 12))", &[("f", f.into())]), 20),
        ends: vec![],
    }
}

/// Blocks that hold earlier ones, with reads of mutable fields between them, needed on some paths only.
fn reads_between_allocations(g: &mut Gen) -> Instance {
    let (f, h, t) = (g.fresh("f"), g.fresh("h"), g.fresh("t"));
    let mut variables = vec!["z".to_owned(), "k".to_owned()];
    let mut ints = vec!["k".to_owned()];
    let mut body = vec![];
    let mut allocated = vec![];
    // Half of them have only reads and allocations that alternate.
    let writes = g.rng.chance(50);
    for step in 0..g.rng.range(3, 7) {
        let v = g.fresh("v");
        let (a, b) = (g.rng.pick(&variables).clone(), g.rng.pick(&variables).clone());
        // The latest block is the likeliest part of the next, beside the latest integer.
        let a = allocated.last().filter(|_| g.rng.chance(80)).cloned().unwrap_or(a);
        let b = ints.last().filter(|_| g.rng.chance(50)).cloned().unwrap_or(b);
        let integer = g.rng.pick(&ints).clone();
        let kind = match (writes, step % 2) {
            (true, _) => g.rng.below(10),
            (false, 0) => g.rng.range(5, 9),
            (false, _) => g.rng.below(5),
        };
        let (value, is_int) = match kind {
            0..=2 => (format!("m.p{t}"), true),
            3 => ("arr.(1)".to_owned(), true),
            4 => ("!cell".to_owned(), true),
            5 => (format!("Some {a}"), false),
            6 => (format!("[ {integer} ]"), false),
            7 => (format!("({a}, {a})"), false),
            _ => (format!("({b}, {a})"), false),
        };
        body.push(Node::optional(&format!("let {v} = {value} in\n  "), vec![]));
        if is_int {
            ints.push(v.clone());
        } else {
            allocated.push(v.clone());
        }
        variables.push(v);
        if writes && g.rng.chance(15) {
            let write = g.choice(&["m.p$t <- k; ", "arr.(1) <- k; ", "cell := k; "]);
            body.push(filled(write, &[("t", (&t).into())]));
        }
    }
    let last = allocated.last().cloned().unwrap_or_else(|| "z".to_owned());
    let other = g.rng.pick(&variables).clone();
    let integer = g.rng.pick(&ints).clone();
    let end = g.choice(&[
        "if $c then $h $last else $integer",
        "if $c then $h $last else k",
        "if $c then $h $last else Hashtbl.hash $other",
        "if $c then $h $last + $h $other else $integer",
        "if $c then (if Fz.odd k then $h $last else $h $other) else $h z",
        "(match k land 3 with 0 -> $h $last | 1 -> $h ($last, $other) | _ -> k)",
        "(let r = ref k in for i = 1 to 3 do if $c then r := !r + $h $last done; !r)",
    ]);
    let values = [
        ("f", Node::from(&f)),
        ("h", (&h).into()),
        ("t", (&t).into()),
        ("a", g.attribute().into()),
        ("body", Node::plain("", body)),
        ("c", g.condition(&["k"])),
        ("last", last.into()),
        ("other", other.into()),
        ("integer", integer.into()),
    ];
    let items = vec![
        filled("type $t = { mutable p$t : int; mutable q$t : int }\n", &values),
        filled("let[@inline never] $h x = Hashtbl.hash x\n", &values),
        filled(&format!("let$a $f (m : $t) (arr : int array) (cell : int ref) k z = $body {end}\n"), &values),
    ];
    let kernel = int("($f { p$t = i; q$t = 2 } [| i; 4; 5 |] (ref i) i (i, 7))", &values);
    Instance { items, kernel: Kernel::Iterated(kernel, 30), ends: vec![] }
}

/// Blocks that are allocated on both sides of a branch, or passed on, and projected from after it.
fn values_of_joins(g: &mut Gen) -> Instance {
    let f = g.fresh("f");
    let text = g.choice(&[
        "let$a $f n = let (a, b) = if $c then ($x, $y) else ($y, n) in a - b\n",
        "let$a $f n = match (if $c then Some $x else None) with None -> $y | Some v -> v + 1\n",
        "let$a $f n = let p = if $c then ($x, $y) else Fz.id (n, n) in if $d then fst p else fst p + snd p\n",
        "let$a $f n = let o = (if $c then Some $x else None) in let q = (match o with Some v when v > 3 -> o | _ -> Some $y) in match q with None -> 0 | Some v -> v\n",
        "let$a $f n = let e = (try if $c then raise Not_found; Ok $x with Not_found -> Error $y) in match e with Ok v -> v | Error w -> w * 2\n",
        "let$a $f n = let x = float_of_int n in let y = if $c then x *. 2. else if $d then Fz.area x else x in int_of_float (y +. x)\n",
        "let$a $f n = let k = (if $c then (fun a -> a + n) else (fun a -> a * $x)) in k 3 + k 4\n",
        "let$a $f n = let s = ref (n, 0) in for i = 1 to 9 do let (a, b) = !s in s := if $d then (a + i, b) else (b, a) done; let (a, b) = Fz.id !s in a + b\n",
        "let$a $f n = let l = (match n land 3 with 0 -> [] | 1 -> [ $x ] | _ -> [ $x; $y ]) in match l with [] -> 0 | [ a ] -> a | a :: b :: _ -> a - b\n",
        "let$a $f n = let a = Array.make 3 $x in (if $c then a.(1) <- $y); let t = (a.(0), a.(1)) in if $d then fst t else Hashtbl.hash t\n",
    ]);
    let values = [
        ("f", Node::from(&f)),
        ("a", g.attribute().into()),
        ("c", g.condition(&["n"])),
        ("d", g.condition(&["n"])),
        ("x", g.any_int(&["n"])),
        ("y", g.any_int(&["n"])),
    ];
    let definition = filled(text, &values);
    Instance { items: vec![definition], kernel: Kernel::Iterated(int("($f i)", &values), 60), ends: vec![] }
}

/// Mutable records of numbers that a function changes step by step, as random generators and counters are.
fn records_as_states(g: &mut Gen) -> Instance {
    let (f, t) = (g.fresh("f"), g.fresh("t"));
    let (types, step, start, read) = g
        .rng
        .pick(&[
            (
                "type $t = { mutable a$t : int64; mutable b$t : int64 }\n",
                "let$a $f s = let r = Int64.add s.a$t s.b$t in (if $c then s.b$t <- Int64.logxor s.b$t s.a$t); s.a$t <- Int64.logor (Int64.shift_left s.a$t 7) (Int64.shift_right_logical s.a$t 57); s.b$t <- Int64.add s.b$t r; r\n",
                "{ a$t = Int64.of_int i; b$t = 77L }",
                "Int64.to_int (let n = ref 0L in for _ = 1 to 20 do n := Int64.add !n ($f s) done; !n) land 255",
            ),
            (
                "type $t = { mutable a$t : float; mutable b$t : float }\n",
                "let$a $f s = s.a$t <- s.a$t *. 0.5 +. s.b$t; (if $c then s.b$t <- s.b$t +. 1.); s.a$t\n",
                "{ a$t = float_of_int i; b$t = 1. }",
                "int_of_float (let n = ref 0. in for _ = 1 to 20 do n := !n +. $f s done; !n) land 255",
            ),
            (
                "type $t = { mutable a$t : float; mutable b$t : int; c$t : string }\n",
                "let$a $f s = s.b$t <- s.b$t + 1; (if $c then s.a$t <- s.a$t +. float_of_int s.b$t); s.b$t\n",
                "{ a$t = 1.; b$t = i; c$t = \"x\" }",
                "(let n = ref 0 in for _ = 1 to 20 do n := !n + $f s done; !n + int_of_float s.a$t + String.length s.c$t)",
            ),
            (
                "type $t = { mutable a$t : nativeint; mutable b$t : int32 option }\n",
                "let$a $f s = s.a$t <- Nativeint.add s.a$t 3n; (if $c then s.b$t <- Some (Nativeint.to_int32 s.a$t)); s.a$t\n",
                "{ a$t = Nativeint.of_int i; b$t = None }",
                "Nativeint.to_int (let n = ref 0n in for _ = 1 to 20 do n := Nativeint.logxor !n ($f s) done; !n) + (match s.b$t with None -> 0 | Some x -> Int32.to_int x)",
            ),
        ])
        .to_owned();
    let condition = if types.contains("int64") || types.contains("nativeint") || !step.contains("b$t + 1") {
        Node::from("Fz.odd (Hashtbl.hash s.b$t)".replace("$t", &t))
    } else {
        g.condition(&["s.b"]).to_text().replace("s.b", &format!("s.b{t}")).into()
    };
    let values = [("f", Node::from(&f)), ("t", (&t).into()), ("a", g.attribute().into()), ("c", condition)];
    let items = vec![filled(types, &values), filled(step, &values)];
    let kernel = plain(
        "(let s = $start in $read)",
        &[("start", plain(start, &values)), ("read", plain(read, &values))],
    );
    Instance { items, kernel: Kernel::Iterated(kernel, 20), ends: vec![] }
}

/// Boxed numbers in references and records that nobody outside of a module sees, beside integers; and in one that does
/// leave it.
fn hidden_numbers(g: &mut Gen) -> Instance {
    hidden_module(
        g,
        &[
            (
                "",
                "let s = ref 42L\n",
                "s := Int64.add (Int64.mul !s 31L) (Int64.of_int k); (if $c then s := Int64.lognot !s); Int64.to_int !s",
                "0",
            ),
            (
                "",
                "let s = ref 0.5\n",
                "s := !s *. 0.5 +. float_of_int k; (if $c then s := -. !s); k",
                "int_of_float !s",
            ),
            (
                "val s : nativeint ref ",
                "let s = ref 7n\n",
                "s := Nativeint.logxor !s (Nativeint.of_int k); (if $c then s := Nativeint.neg !s); k",
                "Nativeint.to_int !s",
            ),
            (
                "",
                "type t = { mutable x : float; mutable n : int; mutable h : int32 }\nlet s = { x = 1.5; n = 0; h = 7l }\n",
                "s.x <- s.x *. 0.5 +. float_of_int k; s.n <- s.n + 1; (if $c then s.h <- Int32.logxor s.h (Int32.of_int k)); s.n",
                "int_of_float s.x + Int32.to_int s.h",
            ),
            (
                "",
                "type t = { mutable x : float; mutable n : int }\nlet all = Array.init 4 (fun i -> { x = float_of_int i; n = i })\nlet last = ref all.(0)\n",
                "let t = all.(k land 3) in t.x <- t.x +. !last.x; t.n <- t.n lxor k; (if $c then last := t); if t == !last then t.n else k",
                "int_of_float !last.x + Array.fold_left (fun n t -> n + t.n) 0 all",
            ),
            (
                "",
                "type t = { mutable x : int64; mutable y : int64 }\nlet turn t = let x = t.x in t.x <- t.y; t.y <- Int64.succ x\nlet rec turns t k = if k > 0 then (turn t; turns t (k - 1))\nlet kept = ref []\n",
                "let t = { x = Int64.of_int k; y = 9L } in turns t (k land 7); (if $c then kept := t :: !kept); Int64.to_int t.x",
                "List.fold_left (fun n t -> n + Int64.to_int t.y) 0 !kept land 1023",
            ),
            (
                "",
                "type t = { mutable x : float; mutable n : int }\nlet a = { x = 0.; n = 1 } and b = { x = 1.; n = 0 }\n",
                "(if $c then a.x <- a.x +. 1. else b.x <- b.x +. 1.); a.n <- k land 1; b.n <- 1; if a = b then 1 else compare a b",
                "a.n + Hashtbl.hash b",
            ),
        ],
    )
}

/// Of a module, what the interface shows, the state, what is done to it with an integer `k` under a condition `$c`, and
/// what is read of it in the end.
pub(super) type Hidden = (&'static str, &'static str, &'static str, &'static str);

/// One of these modules.
pub(super) fn hidden_module(g: &mut Gen, modules: &[Hidden]) -> Instance {
    let (f, m) = (g.fresh("f"), g.fresh("M"));
    let (shown, state, step, read) = *g.rng.pick(modules);
    let values = [
        ("f", Node::from(&f)),
        ("m", (&m).into()),
        ("a", g.attribute().into()),
        ("c", g.condition(&["k"])),
        ("shown", shown.into()),
        ("state", state.into()),
        ("read", read.into()),
    ];
    let step = plain(step, &values);
    let values = [&values[..], &[("step", step)]].concat();
    let text = "module $m : sig $shown val $f : int -> int val read : unit -> int end = struct\n$state\nlet$a $f k = $step\nlet read () = $read\nend\n";
    Instance {
        items: vec![filled(text, &values)],
        kernel: Kernel::Iterated(int("($m.$f i + $m.read ())", &values), 40),
        ends: vec![],
    }
}
