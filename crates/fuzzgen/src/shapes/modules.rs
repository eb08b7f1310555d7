//! Modules that functors of several units make: functors that apply functors, functions of them that capture the
//! argument and what is made of it, and functions that make closures for other units.

use super::template::{filled, int, plain};
use super::{Instance, Kernel, Shape, shape};
use crate::generator::Gen;
use crate::tree::Node;

pub(super) const SHAPES: &[Shape] = &[
    shape("functors in functors", functors_in_functors),
    shape("functors in functions", functors_in_functions),
    shape("makers of closures", makers),
];

/// What arguments of functors are, and what the first functor makes.
const DECLARED: &str = "module type S$m = sig val f : int -> int -> int val k : int end
module type R$m = sig type t val empty : t val add : int -> t -> t val mem : int -> t -> bool val fold : (int -> 'a -> 'a) -> t -> 'a -> 'a val size : t -> int val also : int -> int -> int list end
type 'a ops$m = { add$m : int -> 'a -> 'a; mem$m : int -> 'a -> bool }
";

/// From this one on the sets are small.
const SMALL: usize = 2;

/// The first functor: sets of numbers as trees, as lists, or as the numbers from one on, and what else modules have.
const SETS: &[&str] = &[
    "type t = Leaf | Node of t * int * t\n \
     let empty = Leaf\n \
     let rec mem x = function Leaf -> false | Node (l, y, r) -> let c = X.f x y - X.f y x in if c = 0 then x = y else mem x (if c < 0 then l else r)\n \
     let rec add x = function Leaf -> Node (Leaf, x, Leaf) | Node (l, y, r) as t -> let c = X.f x y - X.f y x in if c = 0 then t else if c < 0 then Node (add x l, y, r) else Node (l, y, add x r)\n \
     let rec fold g t a = match t with Leaf -> a | Node (l, x, r) -> fold g r (g x (fold g l a))\n \
     let size t = fold (fun _ n -> n + 1) t 0\n \
     let also x y = [ X.f x y; X.k ]\n",
    "type t = int list\n \
     let empty = []\n \
     let mem x t = List.exists (fun y -> X.f x y = X.f y x) t\n \
     let add x t = if List.length t > 9 || mem x t then t else (x + X.k) :: t\n \
     let fold g t a = List.fold_left (fun a x -> g x a) a t\n \
     let size t = List.length t\n \
     let also x y = if mem x [ y ] then [] else [ x ]\n",
    "type t = int\n \
     let empty = X.k\n \
     let limit = X.f X.k 3\n \
     let mem x t = X.f x t > limit\n \
     let add x t = X.f t x land 255\n \
     let fold g t a = let rec go i a = if i > t land 7 then a else go (i + 1) (g (i + X.k) a) in go 0 a\n \
     let size t = t land 15\n \
     let also x y = [ x; y ]\n",
    // Small enough to be copied with all that they pass on.
    "type t = int\n \
     let empty = X.k\n \
     let mem x t = X.f x t > 9\n \
     let rec add x t = if x > 1 && X.f x t > 99 then add (x / 2) t else (x + t) land 255\n \
     let fold g t a = g X.k (g t a)\n \
     let size t = t land 15\n \
     let also x y = [ x; y ]\n",
    "type t = int * int\n \
     let empty = (0, X.k)\n \
     let mem x (a, b) = X.f x a > b\n \
     let add x (a, b) = if X.f x b > 9 then (x, b) else (a land 255, x)\n \
     let fold g (x, y) a = g x (g y a)\n \
     let size (a, b) = a + b land 15\n \
     let also x y = [ X.k; x; y ]\n",
];

/// What functions of functors do with a number `n` and a list `l`: `$t` is the module that the first functor made, `$v`
/// one of its sets, `$p` a function of this kind, `$m` the names of all that is declared.
const BODIES: &[&str] = &[
    "let rec go acc = function [] -> acc | x :: l -> go ($t.add x acc) l in $t.size (go $v l)",
    "let v = $v in let rec go acc = function [] -> acc | x :: l -> if $t.mem x v then go (X.f acc x land 255) l else go (acc + n) l in go X.k l",
    "let s = ref 0 in List.iter (fun x -> if X.f x n > X.k then s := !s + $t.size ($t.add x $v)) l; !s",
    "$t.fold (fun x a -> X.f a x land 255 + n) $v 0",
    "let r = { add$m = (fun x t -> $t.add (x + n) t); mem$m = $t.mem } in if r.mem$m n (r.add$m 1 $v) then X.k else $t.size (r.add$m 2 $v)",
    "let add = $t.add in List.length (List.filter (fun x -> $t.mem x (add x $v)) l)",
    "$p n (List.map (fun x -> X.f x n land 255) l)",
    "let h = maker n in h 3 + h X.k",
    "let rec even l a = match l with [] -> $t.size a | x :: l -> odd l ($t.add x a) and odd l a = match l with [] -> n | x :: l -> even l (if X.f x n > 3 then a else $t.add n a) in even l $v",
    "let rec go l = match l with [] -> 0 | x :: l -> (if x land 7 = 1 then $p x l else x) + go l in go l",
    "let k = X.k and v = $v in let rec go i = if i <= 0 then k else X.f (go (i - 1)) (if $t.mem i v then i else n) land 255 in go (n land 7)",
    "$t.size (List.fold_left (fun t x -> $t.add x t) $v ($t.also n X.k))",
    "(try List.find (fun x -> $t.mem x $v) l with Not_found -> n)",
    "List.fold_left (fun s h -> s + h n) 0 hooks",
    "let module Y = (val (module X : S$m)) in Y.f n X.k + $t.size $v",
    "let module U = F0$m (struct let f a b = X.f b a let k = n land 7 end) in U.size (U.add n U.empty)",
    "used$m (module X : S$m) n",
    "counted (fun () -> if $t.mem n $v then $t.size ($t.add n $v) else n)",
    "ops.mem$m n (ops.add$m n $v) |> fun b -> if b then n else X.k",
];

/// How many of the following pass functions to one of the functor itself.
const PASSED: usize = 3;

/// Those that pass functions to others, which are often copied for these.
const ITERATED: &[&str] = &[
    "$t.size (each (fun x t -> $t.add x t) $v l)",
    "each (fun x s -> if $t.mem x $v then X.f x s land 255 else s + n) 0 l",
    "$t.size (each $t.add $v l)",
    "List.fold_left (fun s x -> s + (if $t.mem x $v then X.f s x else n)) 0 l",
    "$t.size (List.fold_left (fun t x -> $t.add x t) $v l)",
    "$t.size (List.fold_right $t.add l $v)",
    "each (fun x s -> $p x [ s land 7; n ]) 0 l",
    "List.length (List.filter (fun x -> $t.mem x $v) (List.map (fun x -> X.f x n land 255) l))",
    "(let s = ref 0 in each (fun x () -> if not ($t.mem x $v) then s := !s + X.f x n land 255) () l; !s)",
];

/// Definitions that bodies use, of functors themselves.
const KEPT: &[(&str, &[&str])] = &[
    (
        "maker",
        &[
            "let maker n = let v = $v in fun x -> if $t.mem x v then X.f x n land 255 else x",
            "let maker n x = if $t.mem x $v then X.f x n land 255 else n",
            "let maker n = let t = $t.add n $v in if n > 5 then (fun x -> x + $t.size t) else fun x -> X.f x n land 255",
        ],
    ),
    (
        "hooks",
        &[
            "let hooks = [ (fun x -> X.f x X.k land 255); (fun x -> if $t.mem x $v then 1 else x) ]",
            "let hooks = List.map (fun k x -> X.f x k land 255 + $t.size $v) [ 1; X.k ]",
        ],
    ),
    (
        "counted",
        &[
            "let count = ref 0\n let counted g = incr count; g () + !count land 7",
            "let counted g = let s = ref 0 in for i = 1 to 3 do s := !s + g () done; !s",
            "let counted g = try g () with Not_found -> X.k",
        ],
    ),
    (
        "each",
        &[
            "let rec each g a = function [] -> a | x :: l -> g x (each g a l)",
            "let rec each g a = function [] -> a | x :: l -> let b = each g a l in g x b",
            "let rec each g a = function [] -> a | x :: l -> each g (g x a) l",
            "let each g a l = let rec go a = function [] -> a | x :: l -> if x > X.k then g x (go a l) else go (g x a) l in go a l",
        ],
    ),
    (
        "ops",
        &[
            "let ops = { add$m = $t.add; mem$m = $t.mem }",
            "let ops = { add$m = (fun x t -> $t.add x ($t.add (x + X.k) t)); mem$m = (fun x t -> not ($t.mem x t)) }",
            "let ops = let k = X.f X.k 2 in { add$m = (fun x t -> if x > k then t else $t.add x t); mem$m = (fun x t -> x = k || $t.mem x t) }",
        ],
    ),
];

/// What is declared, under one name, of nested functors.
struct Functors {
    /// The part of names that differs from shape to shape.
    name: String,
    items: Vec<Node>,
    /// The number of functors, each of which applies the one before.
    depth: usize,
    /// The functions of the last one that take a number and a list.
    functions: Vec<String>,
    /// Where the first functor and the others end.
    ends: Vec<usize>,
}

/// Functors, each of which applies the one before, and perhaps one that takes what that makes.
fn nested(g: &mut Gen) -> Functors {
    let name = g.fresh("M");
    // What is small is copied more often, with all that it passes on.
    let is_small = g.rng.chance(50);
    let depth = if is_small { 1 } else { g.rng.range(1, 3) };
    let m: Node = (&name).into();
    let all = |text: String, functions: Vec<Node>| {
        filled(&text, &[("m", m.clone()), ("functions", Node::plain("", functions))])
    };
    let mut items = vec![
        all(DECLARED.to_owned(), vec![]),
        filled(
            "let$a used$m (module Y : S$m) n = List.fold_left (fun s x -> Y.f s x land 255) Y.k [ n; 3 ]\n",
            &[("m", m.clone()), ("a", g.attribute().into())],
        ),
    ];
    let attribute = |g: &mut Gen| g.choice(&["", "", "", "", "", " [@@inline never]", " [@@inline]"]);
    let mut known = vec![];
    let mut first = vec![];
    if !is_small && g.rng.chance(50) {
        first = functions(g, &m, "first", "", 5, &mut known);
    }
    let definitions = if is_small { g.choice(&SETS[SMALL..]) } else { g.choice(SETS) };
    let end = attribute(g);
    items.push(all(format!("module F0$m (X : S$m) = struct\n {definitions}$functions end{end}\n"), first));
    let mut ends = vec![items.len()];
    let mut taking = vec![];
    let is_taken = is_small || g.rng.chance(70);
    let most = if is_small { 2 } else { 5 };
    if is_taken {
        let functions = functions(g, &m, "on", "T.", most, &mut taking);
        let end = attribute(g);
        items
            .push(all(format!("module On$m (X : S$m) (T : R$m) = struct\n$functions end{end}\n"), functions));
    }
    // The path of the module that the first functor made, in the one that the last made.
    let mut path = String::new();
    for level in 1..=depth {
        let argument = g.choice(&[
            "X",
            "X",
            "X",
            "struct include X let k = X.k + 1 end",
            "struct let f a b = X.f b a let k = X.k end",
            "struct let f a b = X.f (a + X.k) b let k = 2 end",
        ]);
        let (of, inner) = (format!("F{}$m ({argument})", level - 1), format!("I{level}"));
        let (mut lines, outer) = match g.rng.below(5) {
            0 => (format!("include {of}"), String::new()),
            1 => (format!("module {inner} = {of}\n include {inner}"), String::new()),
            2 | 3 => (
                format!(
                    "module {inner} = struct include {of} let also x y = let c = X.f in if c x y < X.k then [ c x x; c y x ] else [ c y y; c x y ] end"
                ),
                format!("{inner}."),
            ),
            _ => (format!("module {inner} = {of}"), format!("{inner}.")),
        };
        path = format!("{outer}{path}");
        known.iter_mut().for_each(|function| *function = format!("{outer}{function}"));
        if is_taken && !path.is_empty() && (is_small || g.rng.chance(70)) {
            let module = &path[..path.len() - 1];
            lines.push_str(&format!("\n module B{level} = On$m (X) ({module})"));
            known.extend(taking.iter().map(|function| format!("B{level}.{function}")));
        }
        let functions = functions(g, &m, &format!("g{level}"), &path, most, &mut known);
        let end = attribute(g);
        items.push(all(
            format!("module F{level}$m (X : S$m) = struct\n {lines}\n$functions end{end}\n"),
            functions,
        ));
    }
    ends.push(items.len());
    Functors { name, items, depth, functions: known, ends }
}

/// Functions of a functor, named by `own` and their number. `path`: how the module of the first functor is reached;
/// `most`: of how many functions; `known`: those that they can call, of which they are from then on.
fn functions(
    g: &mut Gen,
    m: &Node,
    own: &str,
    path: &str,
    most: usize,
    known: &mut Vec<String>,
) -> Vec<Node> {
    // The first functor can't apply itself.
    let bodies: Vec<&str> =
        BODIES.iter().copied().filter(|body| !path.is_empty() || !body.contains("F0$m")).collect();
    let count = g.rng.range(1, most);
    let is_small = most < 3;
    let chosen: Vec<&str> = (0..count)
        .map(|_| match g.rng.below(10) {
            0..=6 if is_small => g.choice(&ITERATED[..PASSED]),
            0..=3 => g.choice(ITERATED),
            _ => g.rng.pick(&bodies),
        })
        .collect();
    let of = |text: &str| text.replace("$t.", path);
    let mut lines = vec![];
    for (name, texts) in KEPT {
        if chosen.iter().any(|body| body.contains(name)) {
            let text = g.choice(texts).replace("$v", "($t.add 3 $t.empty)");
            lines.push(plain(&format!(" {}\n", of(&text)), &[("m", m.clone())]));
        }
    }
    for (number, body) in chosen.into_iter().enumerate() {
        let set = g.choice(&[
            "$t.empty",
            "($t.add n $t.empty)",
            "(List.fold_right $t.add l $t.empty)",
            "($t.add 3 ($t.add X.k $t.empty))",
        ]);
        let called = match known.len() {
            0 => "(fun n l -> n + List.length l)".to_owned(),
            _ => g.rng.pick(known).clone(),
        };
        let body = of(&body.replace("$v", set));
        let body = int(&format!("({body})"), &[("m", m.clone()), ("p", called.into())]);
        let attribute = g.attribute();
        lines.push(filled(
            &format!(" let{attribute} {own}_{number} n l = ($body) land 0xFFFF\n"),
            &[("body", body)],
        ));
        known.push(format!("{own}_{number}"));
    }
    lines
}

/// One of the functions, often of a functor that takes what another one made.
fn called(g: &mut Gen, functions: &[String]) -> String {
    let taking: Vec<&String> = functions.iter().filter(|function| function.contains("on_")).collect();
    match taking.len() {
        1.. if g.rng.chance(50) => (*g.rng.pick(&taking)).clone(),
        _ => g.rng.pick(functions).clone(),
    }
}

/// An argument of functors: a structure with the name of a variable in scope.
fn argument(g: &mut Gen, variable: &str) -> Node {
    let k = if g.rng.chance(50) { g.rng.range(0, 9).to_string() } else { format!("({variable} land 7)") };
    let values = [("x", g.int(&["a", "b"])), ("y", g.int(&["a", "b", variable])), ("k", k.into())];
    let text = g.choice(&[
        "struct let f a b = $x land 0xFFFF let k = 3 end",
        "struct let f a b = a - b let k = $k end",
        "struct let f a b = $y land 0xFFFF let k = $k end",
        "struct let k = $k let f a b = if a > b then Fz.half ($x land 0xFFFF) else (a + k) land 255 end",
        "struct let k = Fz.half 9 let f = fun a -> let c = a * 3 in fun b -> (c - b * k) land 0xFFFF end",
    ]);
    plain(text, &values)
}

/// Functors applied at the toplevel, of which functions are called in other units.
fn functors_in_functors(g: &mut Gen) -> Instance {
    let Functors { name, mut items, depth, functions, mut ends } = nested(g);
    let f = g.fresh("f");
    items.push(filled("let n = Fz.half 8\n", &[]));
    let mut sum = vec![];
    for k in 0..g.rng.range(1, 3) {
        let level = if g.rng.chance(80) { depth } else { g.rng.range(1, depth) };
        let argument = argument(g, "n");
        let values = [
            ("m", Node::from(&name)),
            ("x", argument),
            ("k", k.to_string().into()),
            ("l", level.to_string().into()),
        ];
        let text = g.choice(&[
            "module A$k$m = F$l$m ($x)\n",
            "module A$k$m = F$l$m ($x)\n",
            "module X$k$m = $x\nmodule A$k$m = F$l$m (X$k$m)\n",
            "module X$k$m = $x\nmodule A$k$m = struct include F$l$m (X$k$m) let again = X$k$m.k end\n",
            "module A$k$m = F$l$m ((val (module $x : S$m) : S$m))\n",
            "let p$k$m = (module $x : S$m)\nmodule A$k$m = F$l$m ((val p$k$m))\n",
            "module G$k$m (F : module type of F$l$m) (X : S$m) = F (X)\nmodule A$k$m = G$k$m (F$l$m) ($x)\n",
            "module N$k$m = struct module X = $x module A = F$l$m (X) end\nmodule A$k$m = N$k$m.A\n",
        ]);
        items.push(filled(text, &values));
        if level == depth {
            for _ in 0..g.rng.range(1, 4) {
                let function = called(g, &functions);
                let text = g.choice(&[
                    " + A$k$m.$g n [ n; 2; n + 1 ]",
                    " + A$k$m.$g 3 [ n; 2; 5; n; 1 ]",
                    " + List.fold_left (fun s x -> s + A$k$m.$g x [ n; s land 7 ]) 0 [ 1; n ]",
                    " + (let h = A$k$m.$g in h n [ 1; n ])",
                ]);
                sum.push(plain(text, &[&values[..], &[("g", function.into())]].concat()));
            }
        }
    }
    ends.push(items.len());
    let values = [("f", Node::from(&f)), ("a", g.attribute().into()), ("sum", Node::plain("", sum))];
    items.push(filled("let$a $f n = (n$sum) land 0xFFFF\n", &values));
    Instance { items, kernel: Kernel::Iterated(int("($f (i land 15))", &values), 16), ends }
}

/// Functors applied in functions, to what these know.
fn functors_in_functions(g: &mut Gen) -> Instance {
    let Functors { name, mut items, depth, functions, mut ends } = nested(g);
    let f = g.fresh("f");
    ends.push(items.len() + 1);
    let text = g.choice(&[
        "let$a $f n = let module A = F$l$m ($x) in A.$k n [ n; 2; 3 ] + A.$j 2 [ 1 ]\n",
        "let with$m (module X : S$m) n = let module A = F$l$m (X) in A.$k n [ 1; n; 4 ]\nlet$a $f n = with$m (module $x) n\n",
        "let with$m (module X : S$m) = let module A = F$l$m (X) in A.$k\nlet$a $f n = let g = with$m (module $x) in g n [ 1; 2 ] + g 2 [ n ]\n",
        "module type Run$m = sig val g : int -> int list -> int end\nlet with$m (module X : S$m) = let module A = F$l$m (X) in (module struct let g = A.$k end : Run$m)\nlet$a $f n = let module R = (val with$m (module $x)) in R.g n [ 1; n ] + R.g 1 []\n",
        "let all$m = List.map (fun n -> (module $x : S$m)) [ 1; 2 ]\nlet$a $f n = List.fold_left (fun s (module X : S$m) -> let module A = F$l$m (X) in s + A.$k n [ s land 7; n ]) 0 all$m\n",
        "module Over$m (X : S$m) = struct let run n = let module A = F$l$m (struct include X let k = n land 3 end) in A.$k n [ n; X.k ] end\nmodule O$m = Over$m (struct let n = 5 include $x end)\nlet$a $f n = O$m.run n\n",
    ]);
    let argument = argument(g, if text.starts_with("module Over") { "9" } else { "n" });
    let values = [
        ("f", Node::from(&f)),
        ("m", (&name).into()),
        ("a", g.attribute().into()),
        ("l", depth.to_string().into()),
        ("k", called(g, &functions).into()),
        ("j", called(g, &functions).into()),
        ("x", argument),
    ];
    items.extend(text.lines().map(|line| filled(&format!("{line}\n"), &values)));
    Instance { items, kernel: Kernel::Iterated(int("($f (i land 15) land 0xFFFF)", &values), 12), ends }
}

/// Functions that return closures, or records of them, used in other units.
fn makers(g: &mut Gen) -> Instance {
    let (f, m) = (g.fresh("f"), g.fresh("m"));
    let kinds: &[(&str, &[&str])] = &[
        (
            "let$b $m x = let t = $x in fun y -> ($y + t) land 0xFFFF\n",
            &[
                "let k$m = $m 3\nlet$a $f n = k$m n + k$m (n + 1)\n",
                "let$a $f n = let k = $m n in k 2 + k 3\n",
                "let$a $f n = List.fold_left ( + ) 0 (List.map ($m n) [ 1; n; 3 ])\n",
                "let all$m = List.map $m [ 1; 2; 3 ]\nlet$a $f n = List.fold_left (fun s h -> s + h n) 0 all$m\n",
                "let o$m = $m 3\nlet o$m x = o$m (o$m x)\nlet$a $f n = o$m n\n",
            ],
        ),
        (
            "type r$m = { one$m : int -> int; two$m : int -> int -> int }\nlet$b $m x = let s = ref $x in { one$m = (fun y -> s := (!s + $y) land 255; !s); two$m = (fun y z -> $y - z + !s) }\n",
            &[
                "let k$m = $m 3\nlet$a $f n = k$m.one$m n + k$m.two$m n 2\n",
                "let$a $f n = let k = $m n in ignore (k.one$m 2); k.two$m 3 n\n",
                "let k$m = { ($m 4) with one$m = (fun y -> y + 1) }\nlet$a $f n = k$m.one$m n + k$m.two$m n 2\n",
                "let { one$m = first$m; two$m = second$m } = $m 5\nlet$a $f n = first$m n + second$m n 1\n",
                "let a$m = $m 1 and b$m = $m 2\nlet$a $f n = (if $c then a$m else b$m).two$m n 3 + a$m.one$m 1\n",
            ],
        ),
        (
            "let$b $m x = let rec even y = if y <= 0 then $x land 255 else odd (y - 1) and odd y = if y <= 0 then x else even (y - 2) in (even, odd)\n",
            &[
                "let (e$m, o$m) = $m 3\nlet$a $f n = e$m n + o$m (n land 7)\n",
                "let$a $f n = let (e, o) = $m n in e 5 + o (n land 7)\n",
                "let$a $f n = List.fold_left (fun s (e, o) -> s + e n - o n) 0 [ $m 1; $m n ]\n",
            ],
        ),
        (
            "module $mN = struct let inner x = fun y -> ($y) land 255 let outer g = fun x -> let h = g x in fun y -> h (h y) + $x land 7 end\nlet$b $m x = $mN.outer $mN.inner x\n",
            &[
                "let k$m = $m 3\nlet$a $f n = k$m n + k$m 2\n",
                "let$a $f n = let k = $mN.outer $m n in k 2 + k n\n",
                "let k$m = $mN.outer $m 2\nlet$a $f n = List.fold_left (fun s x -> s + k$m x) n [ 1; n ]\n",
            ],
        ),
        (
            "class type o$m = object method get : int -> int method step : int -> unit end\nlet$b $m x : o$m = object val mutable s = $x method get y = ($y + s) land 255 method step y = s <- (s + y) land 255 end\n",
            &[
                "let k$m = $m 3\nlet$a $f n = k$m#step n; k$m#get n\n",
                "let$a $f n = let k = $m n in k#step 2; k#get 5\n",
            ],
        ),
    ];
    let &(maker, uses) = g.rng.pick(kinds);
    let user = g.choice(uses);
    let values = [
        ("f", Node::from(&f)),
        ("m", (&m).into()),
        ("a", g.attribute().into()),
        ("b", g.attribute().into()),
        ("x", g.int(&["x"])),
        ("y", g.int(&["x", "y"])),
        ("c", g.condition(&["n"])),
    ];
    let (maker, user) = (maker.replace("$mN", &format!("N{m}")), user.replace("$mN", &format!("N{m}")));
    let mut items = vec![filled(&maker, &values)];
    let ends = vec![items.len()];
    // Each definition may be in a unit of its own.
    items.extend(user.lines().map(|line| filled(&format!("{line}\n"), &values)));
    Instance { items, kernel: Kernel::Iterated(int("($f (i land 15) land 0xFFFF)", &values), 20), ends }
}
