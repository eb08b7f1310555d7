//! Several values at once: functions of tuples that return tuples, called in their own unit and from others; iterations
//! that make two values and pass either of them on; loops that a flag ends, whose values are exchanged meanwhile.

use super::template::{filled, int, plain};
use super::{Instance, Kernel, Shape, shape};
use crate::generator::Gen;
use crate::tree::Node;

pub(super) const SHAPES: &[Shape] = &[
    shape("functions of tuples", functions_of_tuples),
    shape("two results of an iteration", two_results),
    shape("loops that a flag ends", loops_with_flags),
];

/// Functions of a tuple of `v`, `w` and `l`, large enough to be called.
const FUNCTIONS: &[&str] = &[
    "let$a $f (v, w, l) = let rec count n i = if i > w land 15 then n else count (n + i * v) (i + 1) in (count 0 0 + List.length l, if $c then w else $x)\n",
    "let$a rec $f (v, w, l) = match l with [] -> (v, w) | x :: l when $c -> $f (w, x, l) | x :: l -> let a, b = $f (v + x, w, l) in (b, a + $x)\n",
    "let$a $f (v, w, l) = if $c then failwith \"f\" else (List.fold_left (fun n x -> n + x * v) w l, string_of_int $x)\n",
    "let$a $f (v, w, l) = let s = ref 0. in for i = 0 to w land 7 do s := !s +. float_of_int (i * v) done; (!s, $x :: l)\n",
    "let$a $f (v, w, l) = if $c then None else Some (v + List.length l, $x + w)\n",
];

fn functions_of_tuples(g: &mut Gen) -> Instance {
    let (f, h, all) = (g.fresh("f"), g.fresh("h"), g.fresh("l"));
    let values = [
        ("f", Node::from(&f)),
        ("h", (&h).into()),
        ("all", (&all).into()),
        ("a", g.choice(&["", "", "[@inline never]"]).into()),
        ("c", g.condition(&["v", "w"])),
        ("x", g.any_int(&["v", "w"])),
        ("y", g.any_int(&["i"])),
    ];
    let text = g.choice(FUNCTIONS);
    let caller = g.choice(&[
        "let $h i = let a = $f (i, $y, [ 1; 2 ]) in let b = $f (i + 1, 3, []) in Hashtbl.hash (a, b)\n",
        "let $h i = match $f (i, $y, [ i ]) with a when i land 1 = 0 -> Hashtbl.hash a | _ -> Hashtbl.hash ($f (2, i, []))\n",
        "let $h i = List.length (List.map $f [ (i, $y, []); (3, i, [ 5 ]) ])\n",
        "let $h i = let t = (i, $y, [ i; 2 ]) in Hashtbl.hash ($f t) + Hashtbl.hash ($f (i, 1, []))\n",
    ]);
    let caller = if text.contains("(count") || text.contains("let a, b") {
        g.choice(&[
            "let $h i = let a, b = $f (i, $y, [ 1; 2 ]) in let c, d = $f (b, a, [ 3 ]) in a + c - b - d\n",
            caller,
        ])
    } else {
        caller
    };
    let lists = "let $all = [ (1, 2, [ 3 ]); (4, 5, []) ]\n";
    let items = vec![filled(text, &values), filled(caller, &values), filled(lists, &values)];
    let run = g.choice(&[
        "((try Hashtbl.hash ($f (i, $y, [ i; 3 ])) + $h i with Failure _ -> 1) land 0xFFFF)",
        "((try Hashtbl.hash (List.map $f $all) + $h i with Failure _ -> 1) land 0xFFFF)",
        "((try $h i + List.length (List.rev_map $f ((i, $y, []) :: $all)) with Failure _ -> 1) land 0xFFFF)",
    ]);
    Instance { items, kernel: Kernel::Iterated(int(run, &values), 30), ends: vec![1, 2, 2] }
}

/// Iterations of a loop from `i` to `n` with the value `x`, and another one of two results; `$one` is a value.
const LOOPS: &[&str] = &[
    "let$a $f n x = let rec go i x = if i > n then x else let low, high = if $c then (x, $g x i) else ($g x i, x) in if $d then go (i + 1) low else go (i + 1) high in go 0 x\n",
    "let$a $f n x = let rec go i x y = if i > n then $g x (Hashtbl.hash y land 7) else let x, y = if $c then ($g x i, x) else (y, $g y i) in if $d then go (i + 1) x y else go (i + 2) y x in go 0 x $one\n",
    "let$a $f n x = let x = ref x and y = ref $one in for i = 0 to n do let z = if $c then !x else !y in (if $d then x := $g z i else begin x := !y; y := z end) done; $g !x (Hashtbl.hash !y land 3)\n",
    "let$a $f n x = let rec go i x = if i > n then x else match (if $c then Some ($g x i, x) else None) with Some (a, b) -> if $d then go (i + 1) a else go (i + 1) b | None -> go (i + 1) x in go 0 x\n",
    "let$a $f n x = let x = ref x in let i = ref 0 in while !i <= n do let i_ = !i in let a, b = (let i = i_ in if $c then ($g !x i, !x) else (!x, $one)) in x := (let i = i_ in if $d then a else b); incr i done; !x\n",
];

/// What an iteration of two values makes of a value and a number, and a value to begin with.
const NEXT: &[(&str, &str)] = &[
    ("let $g x i = (x * 3 + i) land 1023\n", "1"),
    ("let $g x i = x *. 0.5 +. float_of_int i\n", "0.5"),
    ("let $g x i = Int64.add (Int64.mul x 3L) (Int64.of_int i)\n", "1L"),
    (
        "let $g x i = if i land 3 = 0 then List.tl (i :: x) else (match x with _ :: (_ :: _ as l) -> i :: l | l -> i :: l)\n",
        "[ 1 ]",
    ),
    ("let $g (x, y) i = (y + i, x land 255)\n", "(1, 2)"),
];

fn two_results(g: &mut Gen) -> Instance {
    let (f, h) = (g.fresh("f"), g.fresh("g"));
    let (next, one) = *g.rng.pick(NEXT);
    let values = [
        ("f", Node::from(&f)),
        ("g", (&h).into()),
        ("a", g.attribute().into()),
        ("c", g.condition(&["i", "n"])),
        ("d", g.condition(&["i", "n"])),
        ("one", one.into()),
    ];
    iterated(&[next, g.choice(LOOPS)], &values)
}

/// Loops that end when a flag says so, of two values that `$e` may exchange before the next iteration.
const FLAGS: &[&str] = &[
    "let$a $f n x = let fin = ref false and x = ref x and y = ref $one and k = ref 0 in while not !fin do let i = !k in (if i > n then fin := true else if $c then (if $d then fin := true else x := $g !x i) else y := $g !y i); $e k := i + 1 done; ($g !x !k, !y)\n",
    "let$a $f n x = let going = ref true and x = ref x and y = ref $one and k = ref 0 in while !going do let i = !k in going := i < n && not ($c); (if $d then y := $g !y i); $e k := i + 1 done; (!x, $g !y !k)\n",
    "let$a $f n x = let rec go fin i x y = if fin then ($g x i, y) else if i > n then go true (i + 1) $p else if $c then go ($d) (i + 1) $p else go (i > 7) (i + 2) $q in go false 0 x $one\n",
    "let$a $f n x = let rec go fin i x y = if fin then (x, $g y i) else let z = if $d then $g x i else y in let fin = if i > n then true else if $c then i > 5 else false in ignore z; go fin (i + 1) $p in go false 0 x $one\n",
    "let$a $f n x = let rec go state i x y = match state with None -> (x, $g y i) | Some s -> let next = if i > n then None else if $c then Some (s + i) else if $d then None else state in go next (i + 1) $p in go (Some 0) 0 x $one\n",
];

fn loops_with_flags(g: &mut Gen) -> Instance {
    let (f, h) = (g.fresh("f"), g.fresh("g"));
    let (next, one) = *g.rng.pick(NEXT);
    let passed = ["y x", "x y", "y y", "($g y i) x", "y ($g x i)"];
    let (p, q) = (g.choice(&passed), g.choice(&passed));
    let exchanged = g.choice(&["let t = !x in x := !y; y := t;", "x := !y;", "y := $g !x i;", ""]);
    let names = [("g", Node::from(&h))];
    let values = [
        ("f", Node::from(&f)),
        ("g", (&h).into()),
        ("a", g.attribute().into()),
        ("c", g.condition(&["i", "n"])),
        ("d", g.condition(&["i", "n"])),
        ("e", plain(exchanged, &names)),
        ("p", plain(p, &names)),
        ("q", plain(q, &names)),
        ("one", one.into()),
    ];
    iterated(&[next, g.choice(FLAGS)], &values)
}

/// Functions of which `$f` is called with a number of iterations and the value that they begin with.
fn iterated(functions: &[&str], values: &[(&str, Node)]) -> Instance {
    let items = functions.iter().map(|function| filled(function, values)).collect();
    let run = plain("(Hashtbl.hash ($f (i land 15) $one) land 0xFFFF)", values);
    Instance { items, kernel: Kernel::Iterated(run, 20), ends: vec![] }
}
