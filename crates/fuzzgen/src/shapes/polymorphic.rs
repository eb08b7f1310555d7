//! Polymorphic functions with functions inside that hash and compare, called at several types: memo tables, groups,
//! searches. A type variable is another type in each call, and in recursion at another type.

use super::template::{filled, int, plain};
use super::{Instance, Kernel, Shape, shape};
use crate::generator::Gen;
use crate::tree::Node;

pub(super) const SHAPES: &[Shape] = &[
    shape("functions inside of polymorphic ones", inside),
    shape("functions passed to polymorphic ones", passed),
];

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

/// Polymorphic comparisons with a name.
const COMPARISONS: &[&str] = &[
    "let$b $q x y = compare x y\n",
    "let$b $q x y = compare y x\n",
    "let$b $q x y = if x = y then 0 else if x < y then 1 else -1\n",
    "let$b $q x y = let c = compare x y in if c = 0 then 0 else -c\n",
    "let$b $q x y = match compare (Hashtbl.hash x) (Hashtbl.hash y) with 0 -> compare x y | c -> c\n",
    "let$b $q x y = compare (x, 1) (y, 1)\n",
    "let$b $q x y = compare [ x ] [ y ]\n",
    "let$b $p f g x y = match f x y with 0 -> g x y | c -> c\nlet$b $q x y = $p compare (fun x y -> compare y x) x y\n",
    "module $m = struct let by x y = compare x y end\nlet $q = $m.by\n",
    "let rec $q x y = match x, y with [], [] -> 0 | [], _ -> -1 | _, [] -> 1 | x :: r, y :: s -> (match compare x y with 0 -> $q r s | c -> c)\nlet$b $q x y = $q [ x ] [ y; x ]\n",
];

/// Functions of a comparison and a list: some do nothing with the comparison but to apply it.
const CONSUMERS: &[&str] = &[
    "let$a $f q l = List.sort q l\n",
    "let$a $f q l = List.stable_sort (fun x y -> q y x) l\n",
    "let rec $p q x = function [] -> [ x ] | y :: r -> if q x y <= 0 then x :: y :: r else y :: $p q x r\nlet$a $f q l = List.fold_left (fun l x -> $p q x l) [] l\n",
    "let$a $f q l = let a = Array.of_list l in Array.sort q a; Array.to_list a\n",
    "let$a $f q l = let a = Array.of_list l in Array.stable_sort q a; Array.to_list a\n",
    "let$a $f q l = let best = List.fold_left (fun b x -> match b with None -> Some x | Some y -> if q x y > 0 then Some x else b) None l in match best with None -> [] | Some b -> [ b ]\n",
    "let $p : Obj.t list ref = ref []\nlet$a $f q l = $p := [ Obj.repr q ]; let sorted = List.sort q l in if List.memq (Obj.repr q) !$p then List.sort_uniq q sorted else l\n",
    "let$a $f q l = let same r = r == q in if same q then List.sort q l else l\n",
    "let$a $f q l = let both = (q, fun x y -> q y x) in List.sort (if List.length l land 1 = 0 then fst both else snd both) l\n",
    "let$a $f q l = let rec go q n l = if n = 0 then List.sort q l else go (fun x y -> q y x) (n - 1) l in go q 3 l\n",
    "let$a $f q l = match l with [] -> [] | x :: _ -> let p = q x in List.filter (fun y -> p y >= 0) l\n",
    "let$a $p q r l = List.filter (fun x -> List.exists (fun y -> q x y > r x y) l) l\nlet$a $f q l = $p q (fun _ _ -> 0) (List.merge q (List.sort q l) (List.sort q l))\n",
];

/// What is passed.
const PASSED: &[&str] = &["$q", "$q", "compare", "(fun x y -> compare y x)", "(fun x y -> $q y x)"];

/// Functions with and without a name that are passed to polymorphic functions.
fn passed(g: &mut Gen) -> Instance {
    let names = ["f", "h", "p", "q"].map(|name| (name, Node::from(g.fresh(name))));
    let mut values: Vec<(&str, Node)> = names.into();
    values.push(("m", g.fresh("M").into()));
    values.extend(["a", "b"].map(|hole| (hole, g.attribute().into())));
    let comparison: &&str = g.rng.pick(COMPARISONS);
    let consumer: &&str = g.rng.pick(CONSUMERS);
    let mut items = vec![filled(comparison, &values)];
    // The consumer's own helper has another name than the comparison's.
    values.retain(|(name, _)| *name != "p");
    values.push(("p", g.fresh("p").into()));
    items.push(filled(consumer, &values));
    let mut sum = vec![];
    for _ in 0..g.rng.range(1, 3) {
        let (key, measure) = *g.rng.pick(KEYS);
        let passed: &&str = g.rng.pick(PASSED);
        let more = [("key", key.into()), ("measure", measure.into()), ("passed", plain(passed, &values))];
        sum.push(plain(
            " + List.fold_left (fun s x -> ((s * 3) + $measure x) land 0xFFFF) 0 ($f $passed (List.init (n land 15) (fun i -> $key)))",
            &[&values[..], &more].concat(),
        ));
    }
    items.push(filled("let $h n = n$sum\n", &[&values[..], &[("sum", Node::plain("", sum))]].concat()));
    Instance { items, kernel: Kernel::Iterated(int("($h (i + 5))", &values), 12), ends: vec![1, 2] }
}
