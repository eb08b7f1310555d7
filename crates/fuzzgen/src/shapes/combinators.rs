//! Functions made of functions: combinators whose closures are stored, read and called by other closures; lazy
//! sequences, whose functions call themselves in closures.

use super::template::{filled, int, plain};
use super::{Instance, Kernel, Shape, shape};
use crate::generator::Gen;
use crate::tree::Node;

pub(super) const SHAPES: &[Shape] =
    &[shape("combinators of functions", combinators), shape("lazy pipelines", pipelines)];

const COMBINATORS: &[&str] = &[
    "let $k : (int -> int) list ref = ref []\nlet[@inline never] $memo f = $k := f :: (match !$k with a :: _ -> [ a ] | [] -> []); f\n",
    "let$a $bind f g = fun x -> g (f x) x\n",
    "let$b $store f = let stored = $memo f in fun x -> if x > 3 then f x else stored x\n",
    "let$c $both f g = fun x -> f x + g x\n",
    "let rec $repeat n f = if n = 0 then f else let g = $repeat (n - 1) f in fun x -> f (g x land 255)\n",
];

/// Functions of a number, of others.
const FUNCTIONS: &[&str] = &[
    "($store $function)",
    "($store ($bind $function $step))",
    "($store ($bind $function step))",
    "($store ($bind $function $step))",
    "($bind $function $step)",
    "($both $function $function)",
    "($repeat 2 $function)",
    "(if $c then $function else $function)",
    "(let both = ($function, $function) in if b > 3 then fst both else snd both)",
    "(let f = $function in fun x -> if x land 1 = 0 then f x else f (x + b))",
];

/// Functions of a number.
const LEAVES: &[&str] = &["leaf", "(fun x -> x + a)", "(fun x -> x * b)", "succ"];

/// Functions of the result of one before, and of its argument.
const STEPS: &[&str] =
    &["step", "(fun x y -> x - y + a)", "(fun x -> let z = x * b in fun y -> y + z)", "( + )"];

fn function(g: &mut Gen, depth: usize, values: &[(&str, Node)]) -> Node {
    if depth == 0 {
        let text: &&str = g.rng.pick(LEAVES);
        return plain(text, values);
    }
    let text: &&str = g.rng.pick(FUNCTIONS);
    composed(
        g,
        text.split("$function"),
        |g, part| plain(part, &with_step(g, values)),
        |g| function(g, depth - 1, values),
    )
}

/// The parts of a text with a node between each two.
fn composed<'t>(
    g: &mut Gen,
    parts: impl Iterator<Item = &'t str>,
    part: impl Fn(&mut Gen, &str) -> Node,
    between: impl Fn(&mut Gen) -> Node,
) -> Node {
    let mut nodes = vec![];
    for (number, text) in parts.enumerate() {
        if number > 0 {
            nodes.push(between(g));
        }
        nodes.push(part(g, text));
    }
    Node::plain("", nodes)
}

fn with_step<'v>(g: &mut Gen, values: &[(&'v str, Node)]) -> Vec<(&'v str, Node)> {
    let step: &&str = g.rng.pick(STEPS);
    let condition = g.condition(&["a", "b"]);
    [values, &[("step", Node::from(*step)), ("c", condition)]].concat()
}

fn combinators(g: &mut Gen) -> Instance {
    let names = ["k", "memo", "bind", "store", "both", "repeat", "t"];
    let mut values: Vec<(&str, Node)> = names.map(|name| (name, Node::from(g.fresh(name)))).into();
    values.extend(["a", "b"].map(|hole| (hole, g.attribute().into())));
    let attribute: Node = g.attribute().into();
    let definition = |text: &&str| filled(text, &[&values[..], &[("c", attribute.clone())]].concat());
    let mut items: Vec<Node> = COMBINATORS.iter().map(definition).collect();
    let depth = g.rng.range(2, 4);
    let body = function(g, depth, &values);
    values.push(("body", body));
    items.push(filled(
        "let[@inline never] $t a b =\n\
         let leaf x = if x > 100000 then raise Exit; let s = ref a in for i = 0 to b do s := !s + (i * x) done; !s in\n\
         let step x = if x = 77 then raise Not_found; let s = ref b in for i = 0 to b do s := !s - (i * x) done; fun y -> y + !s in\n\
         let rec down x = if x > 3 then down (x / 2) else leaf x + step x a in\n\
         let all = $body in fun x -> if x = 1 then down a else all x\n",
        &values,
    ));
    Instance {
        items,
        kernel: Kernel::Iterated(
            int(
                "(let t = $t i (i land 3) in try t (i land 15) + t 7 with Exit -> 1 | Not_found -> 2)",
                &values,
            ),
            10,
        ),
        ends: vec![5],
    }
}

const SEQUENCES: &[&str] = &[
    "let rec $map f s () = match s () with Seq.Nil -> Seq.Nil | Seq.Cons (x, rest) -> Seq.Cons (f x, $map f rest)\n",
    "let rec $filter p s () = match s () with Seq.Nil -> Seq.Nil | Seq.Cons (x, rest) -> if p x then Seq.Cons (x, $filter p rest) else $filter p rest ()\n",
    "let rec $unfold f u () = match f u with None -> Seq.Nil | Some (x, v) -> Seq.Cons (x, $unfold f v)\n",
    "let rec $take n s () = if n = 0 then Seq.Nil else match s () with Seq.Nil -> Seq.Nil | Seq.Cons (x, rest) -> Seq.Cons (x, $take (n - 1) rest)\n",
    "let$a $scaled j k s = $map (fun x -> (x * k) + j) s\n",
    "let $above k s = $filter (fun x -> x land 3 <> k land 3) s\n",
    "let rec $zip f s t () = match s (), t () with Seq.Cons (x, s), Seq.Cons (y, t) -> Seq.Cons (f x y, $zip f s t) | _ -> Seq.Nil\n",
    "let rec $scan f a s = fun () -> match s () with Seq.Nil -> Seq.Nil | Seq.Cons (x, rest) -> let b = f a x in Seq.Cons (b, $scan f b rest)\n",
    "let rec $append s t () = match s () with Seq.Nil -> t () | Seq.Cons (x, rest) -> Seq.Cons (x, $append rest t)\n",
    "let rec $turns s t () = match s () with Seq.Nil -> t () | Seq.Cons (x, rest) -> Seq.Cons (x, $turns t rest)\n",
    "let $asked = ref 0\nlet rec $counted s () = incr $asked; match s () with Seq.Nil -> Seq.Nil | Seq.Cons (x, rest) -> Seq.Cons (x + !$asked, $counted rest)\n",
    "let rec $until n i () = if i > n then raise Exit else Seq.Cons (i, $until n (i + 2))\n",
    "type $step = Done of int | More of (int -> int -> $step)\nlet rec $even acc a b = if a > 9 then Done acc else More ($odd (acc + b))\nand $odd acc a b = if b > 11 then Done (acc * 2) else More ($even (acc - a))\n",
];

const STAGES: &[&str] = &[
    "($map (fun x -> x + i) $source)",
    "($map succ $source)",
    "($scaled n i $source)",
    "($scaled 3 n ($above i $source))",
    "(Seq.map (fun x -> (x * i) land 1023) $source)",
    "($filter (fun x -> x land 3 <> i land 3) $source)",
    "(Seq.filter (fun x -> x land 1 = 0) $source)",
    "($zip (fun x y -> x - y + n) $source $source)",
    "($scan (fun a x -> (a + x) land i) n $source)",
    "($take n $source)",
    "($append $source $source)",
    "($take 9 ($turns $source $source))",
    "($counted $source)",
    "(Seq.flat_map (fun x -> fun () -> Seq.Cons (x, Seq.return i)) $source)",
    "(let s = $source in if n > 9 then $map (fun x -> x * n) s else $map (fun x -> x - 1) s)",
];

const SOURCES: &[&str] = &[
    "($unfold (fun x -> if x > n then None else Some (x, x + 1)) i)",
    "(Seq.unfold (fun x -> if x = 0 then None else Some (x land 7, x / 2)) (n * 100))",
    "(List.to_seq [ i; n; 3 ])",
    "($until n i)",
    "($until (n + 9) i)",
    "($unfold (fun (x, y) -> if x > 500 then None else Some (x, (y, x + y))) (1, 1))",
];

const SINKS: &[&str] = &[
    "Seq.fold_left (fun s x -> ((s * 3) + x) land 0xFFFF) 0 $pipe",
    "(let s = ref 0 in Seq.iter (fun x -> s := (!s lxor x) + 1) $pipe; !s)",
    "List.length (List.of_seq $pipe)",
    "(let rec loop s k = match s () with Seq.Nil -> k | Seq.Cons (x, rest) -> loop rest ((k + x) land 0xFFFF) in loop $pipe i)",
    "(try Seq.fold_left (fun s x -> (s + x) land 0xFFFF) 0 $pipe with Exit -> i)",
    "(let rec loop k n s = match s () with Seq.Nil -> k | Seq.Cons (x, rest) -> if n > 0 && x land 3 = 0 then loop (k + 1) (n - 1) s else loop ((k + x) land 0xFFFF) n rest in loop 0 3 $pipe)",
    "(let rec loop k s t = match s (), t () with Seq.Cons (x, s), Seq.Cons (y, t) -> loop ((k + (x * y)) land 0xFFFF) s t | _ -> k in loop i $pipe $pipe)",
    "(let rec loop last k s = match s () with Seq.Nil -> (match last () with Seq.Nil -> k | Seq.Cons (x, _) -> x + k) | Seq.Cons (x, rest) -> loop s ((k + x) land 0xFFFF) rest in loop Seq.empty i $pipe)",
    "(let rec loop i step = match step i (i + 1) with Done x -> x | More next -> loop (i + 1) next in loop i ($even n)) + String.length (String.of_seq (Seq.map (fun x -> Char.chr (x land 127)) $pipe))",
];

fn pipe(g: &mut Gen, stages: usize, values: &[(&str, Node)]) -> Node {
    if stages == 0 {
        let text: &&str = g.rng.pick(SOURCES);
        return plain(text, values);
    }
    let text: &&str = g.rng.pick(STAGES);
    composed(g, text.split("$source"), |_, part| plain(part, values), |g| pipe(g, stages - 1, values))
}

fn pipelines(g: &mut Gen) -> Instance {
    let names = [
        "map", "filter", "unfold", "take", "scaled", "above", "zip", "scan", "append", "turns", "asked",
        "counted", "until", "step", "even", "odd", "h",
    ];
    let mut values: Vec<(&str, Node)> = names.map(|name| (name, Node::from(g.fresh(name)))).into();
    values.push(("a", g.attribute().into()));
    let mut items: Vec<Node> = SEQUENCES.iter().map(|text| filled(text, &values)).collect();
    let stages = g.rng.range(1, 3);
    let pipe = pipe(g, stages, &values);
    values.push(("pipe", pipe));
    let sink: &&str = g.rng.pick(SINKS);
    let sum = plain(sink, &values);
    values.push(("sum", sum));
    items.push(filled("let$a $h i n = try $sum with Exit -> n\n", &values));
    Instance { items, kernel: Kernel::Iterated(int("($h i (i + 3))", &values), 12), ends: vec![8] }
}
