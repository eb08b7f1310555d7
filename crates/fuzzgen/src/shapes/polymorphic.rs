//! Polymorphic functions with functions inside that hash and compare, called at several types: memo tables, groups,
//! searches. A type variable is another type in each call, and in recursion at another type.

use super::template::{filled, int, plain};
use super::{Instance, Kernel, Shape, shape};
use crate::generator::Gen;
use crate::tree::Node;

pub(super) const SHAPES: &[Shape] = &[shape("functions inside of polymorphic ones", inside)];

/// Functions of a measure of keys and a list of keys.
const FUNCTIONS: &[&str] = &[
    "let$a $f g l = let t = Hashtbl.create 5 in let look x = match Hashtbl.find_opt t x with Some v -> v | None -> let v = g x in Hashtbl.add t x v; v in List.fold_left (fun s x -> s + look x) 0 l\n",
    "let$a $f g l = let t = Hashtbl.create 5 in let rec look n x = try Hashtbl.find t x with Not_found -> let v = if n = 0 then g x else look (n - 1) x in Hashtbl.replace t x v; v in List.fold_left (fun s x -> s + look 2 x) 0 l\n",
    "let$a $f g l = let seen = Hashtbl.create 5 in let fresh x = (not (Hashtbl.mem seen x)) && (Hashtbl.add seen x (); true) in List.fold_left (fun s x -> if fresh x then s + g x else s + 1) 0 l\n",
    "let$a $f g l = let better a b = if compare a b >= 0 then a else b in match l with [] -> 0 | first :: rest -> g (List.fold_left better first rest)\n",
    "let$a $f g l = let a = Array.of_list l in let rec find x i = if i >= Array.length a then -1 else if a.(i) = x then i else find x (i + 1) in List.fold_left (fun s x -> s + (find x 0 * g x)) 0 l\n",
    "let$a $f g l = let all = ref [] in let put x = if not (List.mem x !all) then all := x :: !all in List.iter put l; let rec sum = function x :: rest -> g x + sum rest | [] -> 0 in sum !all\n",
    "let$a $f g l = let count x = List.length (List.filter (fun y -> y = x) l) in List.fold_left (fun s x -> s + count x + (Hashtbl.hash x land 15) + g x) 0 l\n",
    "let rec $f : 'k. ('k -> int) -> 'k list -> int = fun g l -> let same x = List.exists (fun y -> compare y x = 0 && Hashtbl.hash y = Hashtbl.hash x) l in match l with [] -> 0 | [ x ] -> if same x then g x else 0 | x :: y :: rest -> $f (fun (a, b) -> g a + g b) [ (x, y) ] + $f g rest\n",
];

/// Keys, and a measure of each.
const KEYS: &[(&str, &str)] = &[
    ("(i land 7)", "(fun x -> x)"),
    ("Fz.names.(i land 3)", "String.length"),
    ("(i land 3, i land 1)", "(fun (a, b) -> (a * 3) + b)"),
    ("(i land 1, (Fz.names.(i land 3), i land 1))", "(fun (a, (s, b)) -> a + b + String.length s)"),
    ("(float_of_int (i land 3))", "int_of_float"),
    (
        "(if i land 3 = 0 then nan else float_of_int (i land 3))",
        "(fun x -> if x = x then int_of_float x else 7)",
    ),
    ("(if i land 3 = 0 then None else Some (i land 7))", "(function None -> 0 | Some x -> x)"),
    (
        "(if i land 1 = 0 then Error i else Ok (i, Fz.names.(i land 3)))",
        "(function Error n -> n | Ok (n, s) -> n + String.length s)",
    ),
    ("(Int64.of_int (i land 7))", "Int64.to_int"),
    ("(Int32.of_int i, Nativeint.of_int (i land 3))", "(fun (a, b) -> Int32.to_int a + Nativeint.to_int b)"),
    ("[ i land 3; i land 1 ]", "List.length"),
];

fn inside(g: &mut Gen) -> Instance {
    let (f, h) = (g.fresh("f"), g.fresh("h"));
    let values = [("f", Node::from(&f)), ("h", (&h).into()), ("a", g.attribute().into())];
    let text: &&str = g.rng.pick(FUNCTIONS);
    let definition = filled(text, &values);
    // At one more type, of small code: the functions are copied for each.
    let also = if g.rng.chance(50) { &KEYS[..1] } else { &[] };
    let first = *g.rng.pick(KEYS);
    let mut sum = vec![];
    for (key, measure) in also.iter().chain([&first]).copied() {
        let values = [("f", Node::from(&f)), ("key", key.into()), ("measure", measure.into())];
        sum.push(plain(" + $f $measure (List.init (n land 15) (fun i -> $key))", &values));
    }
    let user = filled("let $h n = n$sum\n", &[&values[..], &[("sum", Node::plain("", sum))]].concat());
    Instance {
        items: vec![definition, user],
        kernel: Kernel::Iterated(int("($h (i + 8))", &values), 12),
        ends: vec![1],
    }
}
