//! Calls that an optimiser should make direct, specialise or copy, and not too often: functors, optional arguments,
//! recursion with functions as arguments, closures that capture references, long chains.

use super::template::{filled, int, plain};
use super::{Instance, Kernel, Shape, shape};
use crate::generator::{Cx, Gen};
use crate::tree::Node;
use crate::types::Ty;

pub(super) const SHAPES: &[Shape] = &[
    shape("library functor", library_functor),
    shape("large functor", large_functor),
    shape("optional arguments", optional_arguments),
    shape("optional arguments at the toplevel", optional_toplevel),
    shape("recursive group", recursive_group),
    shape("captured references", captured_references),
    shape("specialised recursion", specialised_recursion),
    shape("inline chain", inline_chain),
    shape("partial application", partial_application),
    shape("continuations and monads", monads),
    shape("local recursive functions", local_recursion),
    shape("recursion over numbers", number_recursion),
    shape(GENERAL_CODE, generated),
];

/// The shape with code of the general generator, which may access what is out of bounds.
pub const GENERAL_CODE: &str = "generated functions";

const ORDERED: &[(&str, &str, &str)] = &[
    ("int", "compare (a : int) b", "i"),
    ("int", "b - a", "((i * 7) land 31)"),
    ("string", "String.compare a b", "Fz.names.(i land 3)"),
    (
        "int * int",
        "(let c = compare (fst a) (fst b) in if c <> 0 then c else compare (snd a) (snd b))",
        "(i land 3, i)",
    ),
];

fn library_functor(g: &mut Gen) -> Instance {
    let (f, m) = (g.fresh("f"), g.fresh("M"));
    let (of, compare, key) = *g.rng.pick(ORDERED);
    let (functor, argument, uses): (&str, String, &[&str]) = match g.rng.below(3) {
        0 => (
            "Map.Make",
            format!("struct type t = {of} let compare (a : t) (b : t) = {compare} end"),
            &[
                "(let m = ref $m.empty in for i = 1 to n do m := $m.add $k i !m; if $c then m := $m.remove $k !m done; $m.cardinal !m)",
                "(let m = ref $m.empty in for i = 1 to n do m := $m.update $k (function None -> Some i | Some j -> Some (i + j)) !m done; $m.fold (fun _ v s -> v + s) !m 0)",
                "(let make n = let m = ref $m.empty in for i = 1 to n do m := $m.add $k i !m done; !m in let a = make n and b = make 9 in $m.cardinal ($m.union (fun _ x y -> if $c then Some x else Some y) a b) + $m.cardinal ($m.merge (fun _ x y -> if x = None then y else x) a b))",
                "(let m = ref $m.empty in for i = 1 to n do m := $m.add $k i !m done; let s = ref 0 in for i = 1 to n do (match $m.find_opt $k !m with None -> () | Some v -> s := !s + v); if $m.mem $k !m then incr s done; !s)",
            ],
        ),
        1 => (
            "Set.Make",
            format!("struct type t = {of} let compare (a : t) (b : t) = {compare} end"),
            &[
                "(let m = ref $m.empty in for i = 1 to n do m := $m.add $k !m; if $c then m := $m.remove $k !m done; $m.cardinal !m)",
                "(let make n = let m = ref $m.empty in for i = 1 to n do m := $m.add $k !m done; !m in let a = make n and b = make 9 in $m.cardinal ($m.union a b) + $m.cardinal ($m.diff a b) + (if $m.subset b a then 1 else 0))",
                "(let m = $m.of_list (List.map (fun i -> $k) Fz.list) in $m.cardinal ($m.filter (fun _ -> $c) m))",
            ],
        ),
        _ => (
            "Hashtbl.Make",
            format!(
                "struct type t = {of} let equal (a : t) (b : t) = ({compare}) = 0 let hash (a : t) = Hashtbl.hash a end"
            ),
            &[
                "(let m = $m.create 9 in for i = 1 to n do $m.replace m $k i done; let s = ref 0 in for i = 1 to n do (match $m.find_opt m $k with None -> () | Some v -> s := !s + v); if $c then $m.remove m $k done; !s + $m.length m)",
                "(let m = $m.create 9 in for i = 1 to n do if $m.mem m $k then $m.add m $k (i + $m.find m $k) else $m.add m $k i done; $m.length m)",
            ],
        ),
    };
    let values = [
        ("f", Node::from(&f)),
        ("m", (&m).into()),
        ("a", g.attribute().into()),
        ("k", key.into()),
        ("c", g.condition(&["n"])),
        ("functor", functor.into()),
        ("argument", argument.into()),
    ];
    let body = plain(g.choice(uses), &values);
    let mut items = vec![filled("module $m = $functor ($argument)\n", &values)];
    if g.rng.chance(30) {
        items.push(filled(
            "module Other$m = $functor ($argument)\nlet other$m () = Other$m.($other)\n",
            &[
                &values[..],
                &[(
                    "other",
                    if functor == "Hashtbl.Make" { "create 3".into() } else { "cardinal empty".into() },
                )],
            ]
            .concat(),
        ));
    }
    items.push(filled("let$a $f n = $body\n", &[&values[..], &[("body", body)]].concat()));
    Instance { items, kernel: Kernel::Iterated(int("($f (i + 8))", &values), 12), ends: vec![] }
}

/// A functor with functions that have several tests and calls of the argument's, applied once or more often.
fn large_functor(g: &mut Gen) -> Instance {
    let (f, m, s) = (g.fresh("f"), g.fresh("M"), g.fresh("S"));
    let tests = g.rng.range(1, 9);
    let mut body = vec![];
    for k in 0..tests {
        let values =
            [("c", g.condition(&["x", "y"])), ("x", g.int(&["x", "y"])), ("k", k.to_string().into())];
        let text = g.choice(&[
            "if $c then X.f x $x else ",
            "if X.f $x $k = 0 then X.k + $x else ",
            "if X.k > $k && $c then $x + X.f x y else ",
        ]);
        body.push(filled(text, &values));
    }
    let applications = g.rng.range(1, 3);
    let mut items = vec![
        filled("module type $s = sig val f : int -> int -> int val k : int end\n", &[("s", (&s).into())]),
        filled(
            "module F$m (X : $s) = struct\n let$a g x y = $body X.f y x\n let rec h n acc = if n <= 0 then acc else h (n - 1) (g acc n land 0xFFFF)\nend\n",
            &[
                ("m", (&m).into()),
                ("s", (&s).into()),
                ("a", g.attribute().into()),
                ("body", Node::plain("", body)),
            ],
        ),
    ];
    let mut sum = vec![];
    for k in 0..applications {
        let value = g.int(&["a", "b"]);
        items.push(filled(
            "module $m$k = F$m (struct let f a b = $x let k = $k end)\n",
            &[("m", (&m).into()), ("k", k.to_string().into()), ("x", value)],
        ));
        let text = g.choice(&["$m$k.h n x", "$m$k.g n x", "$m$k.g x n"]);
        sum.push(filled(&format!(" + {text}"), &[("m", (&m).into()), ("k", k.to_string().into())]));
    }
    items.push(filled("let $f n x = x$sum\n", &[("f", (&f).into()), ("sum", Node::plain("", sum))]));
    Instance {
        items,
        kernel: Kernel::Iterated(int("($f (i land 15) i)", &[("f", f.into())]), 25),
        ends: vec![],
    }
}

/// A function with optional parameters, and calls of it.
fn optional_parts(g: &mut Gen, calls: usize) -> (Node, Vec<Node>) {
    let f = g.fresh("f");
    let parameters = g.rng.range(1, 4);
    let mut text = String::from("let$a $f");
    let mut variables = vec!["x".to_owned()];
    for p in 0..parameters {
        match g.rng.below(4) {
            0 => {
                text.push_str(&format!(" ?p{p}"));
                variables.push(format!("(match p{p} with None -> 2 | Some v -> v)"));
            }
            1 => {
                text.push_str(&format!(" ?(p{p} = x0 + {p})"));
                variables.push(format!("p{p}"));
            }
            _ => {
                text.push_str(&format!(" ?(p{p} = {})", p + 3));
                variables.push(format!("p{p}"));
            }
        }
    }
    let text = text.replace("x0", "Fz.half 7");
    let names: Vec<&str> = variables.iter().map(String::as_str).collect();
    let mut body = g.int(&names);
    // As large as functions are whose wrapper is copied and that are not copied themselves.
    for _ in 0..g.rng.below(8) {
        let values = [("c", g.condition(&names)), ("x", g.int(&names)), ("rest", body)];
        body = int("(if $c then Fz.half $x else $rest)", &values);
    }
    let attribute = g.attribute();
    let values = [("f", Node::from(&f)), ("a", attribute.into()), ("body", body)];
    let definition = filled(&format!("{text} x = $body\n"), &values);
    let uses = (0..calls)
        .map(|c| {
            let mut call = String::from("$f");
            for p in 0..parameters {
                match g.rng.below(4) {
                    0 => call.push_str(&format!(" ~p{p}:(n + {c})")),
                    1 => call.push_str(&format!(" ~p{p}:{c}")),
                    _ => {}
                }
            }
            plain(&format!("({call} (n + {c}))"), &values)
        })
        .collect();
    (definition, uses)
}

fn optional_arguments(g: &mut Gen) -> Instance {
    let calls = *g.rng.pick(&[1, 3, 10, 30, 60, 150]);
    let (definition, uses) = optional_parts(g, calls);
    let h = g.fresh("h");
    let statements: Vec<Node> =
        uses.into_iter().map(|call| filled("r := !r + $call;\n  ", &[("call", call)])).collect();
    let user = filled(
        "let $h n = let r = ref 0 in $all!r\n",
        &[("h", (&h).into()), ("all", Node::plain("", statements))],
    );
    let kernel = Kernel::Iterated(int("($h i)", &[("h", h.into())]), 10);
    Instance { items: vec![definition, user], kernel, ends: vec![] }
}

fn optional_toplevel(g: &mut Gen) -> Instance {
    let calls = *g.rng.pick(&[3, 10, 40, 150]);
    let (definition, uses) = optional_parts(g, calls);
    let effect = g.rng.chance(50);
    let mut items = vec![filled("let n = Fz.half 9\n", &[])];
    for call in uses {
        let name = g.fresh("k");
        items.push(if effect {
            filled("let () = ignore (Fz.see $call)\n", &[("call", call)])
        } else {
            filled("let $name = $call\n", &[("name", name.into()), ("call", call)])
        });
    }
    Instance { items: vec![definition], kernel: Kernel::Toplevel(items), ends: vec![] }
}

/// Functions that call each other and pass on functions.
fn recursive_group(g: &mut Gen) -> Instance {
    let names: Vec<String> = (0..g.rng.range(1, 3)).map(|_| g.fresh("m")).collect();
    let functions = g.rng.range(1, 2);
    let parameters = if functions == 2 { "f h" } else { "f" };
    let mut definitions = vec![];
    for (k, name) in names.iter().enumerate() {
        let other = g.rng.pick(&names).clone();
        let second = g.rng.pick(&names).clone();
        let body = g.choice(&[
            "f n + $o $p (n - 1)",
            "f (n + 1) * $o $p (n - 2)",
            "f ($o $p (n - 1))",
            "(if Fz.odd n then $o $p (n - 1) else f ($q $p (n - 2)))",
            "(let a = $o $p (n - 1) in if a land 1 = 0 then f a else $q $p (n - 3))",
            "$o (fun x -> f (x + n)) $r(n - 1)",
            "(match n land 3 with 0 -> f 1 | 1 -> $o $p (n - 1) | 2 -> f ($q $p (n - 2)) | _ -> f (f n) + $o $p (n - 3))",
            "List.fold_left (fun s x -> s + $o $p (n - x)) (f n) [ 2; 3 ]",
        ]);
        let extra = if functions == 2 { "h " } else { "" };
        let end = if functions == 2 { "h n" } else { g.choice(&["0", "1", "f n"]) };
        definitions.push(filled(
            &format!(
                "{} $name {parameters} n = if n <= 0 then {end} else ({body}) land 0xFFFF\n",
                if k == 0 { "let rec" } else { "and" }
            ),
            &[
                ("name", name.into()),
                ("o", other.into()),
                ("q", second.into()),
                ("p", parameters.into()),
                ("r", extra.into()),
            ],
        ));
    }
    let (u, first) = (g.fresh("u"), names[0].clone());
    let mut uses = vec![];
    for _ in 0..g.rng.range(1, 4) {
        let argument = g.int(&["x", "n"]);
        let closed = g.int(&["x"]);
        let argument = if g.rng.chance(50) { argument } else { closed };
        let second = if functions == 2 { " (fun x -> x + 1)" } else { "" };
        uses.push(filled(
            &format!(" + $first (fun x -> $x){second} n"),
            &[("first", (&first).into()), ("x", argument)],
        ));
    }
    let items = vec![
        Node::optional("", definitions),
        filled("let $u n = n$uses\n", &[("u", (&u).into()), ("uses", Node::plain("", uses))]),
    ];
    Instance { items, kernel: Kernel::Iterated(int("($u (i land 7))", &[("u", u.into())]), 16), ends: vec![] }
}

/// References that are assigned by a function that is passed to an iterator.
fn captured_references(g: &mut Gen) -> Instance {
    let (f, h, iterate) = (g.fresh("f"), g.fresh("h"), g.fresh("iter"));
    let (start, next, read) = *g.rng.pick(&[
        ("0.", "s := !s +. $h (float_of_int x)", "int_of_float !s"),
        ("0.", "if $c then s := !s +. $h !s", "int_of_float !s land 255"),
        ("0", "s := !s + int_of_float ($h 2.) + x", "!s"),
        ("(0, 1)", "if $c then s := (snd !s, x)", "fst !s + snd !s"),
        ("[]", "if $c then s := x :: !s", "List.length !s"),
        ("0L", "s := Int64.add !s (Int64.of_int x)", "Int64.to_int !s"),
        (
            "None",
            "(match !s with None -> s := Some x | Some y -> if $c then s := Some (x + y))",
            "(match !s with None -> 0 | Some y -> y)",
        ),
    ]);
    let iterator = g.choice(&[
        "List.iter (fun x -> $next) Fz.list",
        "Array.iter (fun x -> $next) Fz.numbers",
        "$iterate (fun x -> $next) n",
        "$iterate (fun x -> $next) n",
        "String.iter (fun c -> let x = Char.code c in $next) Fz.text",
        "List.iteri (fun i x -> let x = x + i in $next) Fz.list",
        "Option.iter (fun x -> $next) (Some n)",
        "(let step x = $next in for i = 1 to n do step i done)",
        "(let step x = $next in step n; step 3; step 4)",
        "List.iter2 (fun x y -> let x = x * y in $next) Fz.list Fz.list",
    ]);
    let on = [("h", Node::from(&h)), ("c", g.condition(&["x"]))];
    let inner = [("next", plain(next, &on)), ("iterate", (&iterate).into())];
    let values = [
        ("f", Node::from(&f)),
        ("h", (&h).into()),
        ("iterate", (&iterate).into()),
        ("a", g.attribute().into()),
        ("b", g.attribute().into()),
        ("start", start.into()),
        ("read", read.into()),
        ("iterated", plain(iterator, &inner)),
    ];
    let loops = g.choice(&[
        "let$b $iterate f n = for i = 1 to n do f i done\n",
        "let$b rec $iterate f n = if n > 0 then begin f n; $iterate f (n - 1) end\n",
        "let$b $iterate f n = let rec go i = if i < n then (f i; go (i + 1)) in go 0\n",
    ]);
    let loops = loops.replace("let$b rec", "let rec");
    let items = vec![
        filled("let$a $h x = if x > 9. then (x *. 0.5) +. 1. else x +. 2.5\n", &values),
        filled(&loops, &values),
        filled("let$a $f n = let s = ref $start in $iterated; $read\n", &values),
    ];
    Instance { items, kernel: Kernel::Iterated(int("($f (i + 5))", &values), 15), ends: vec![] }
}

/// A recursive function that takes functions, used with ones that capture what changes around the call.
fn specialised_recursion(g: &mut Gen) -> Instance {
    let (app, f, t) = (g.fresh("app"), g.fresh("f"), g.fresh("t"));
    let (definition, call) = *g.rng.pick(&[
        ("let rec $app f k = if k = 0 then 0 else f k + $app f (k - 1)\n", "$app (fun x -> $x) (n + 3)"),
        ("let rec $app f k acc = if k = 0 then acc else $app f (k - 1) (f acc)\n", "$app (fun x -> $x) (n + 3) 1"),
        ("let rec $app f l = match l with [] -> [] | x :: l -> let y = f x in y :: $app f l\n", "List.length ($app (fun x -> $x) [ 1; n; 3 ])"),
        ("let rec $app f l acc = match l with [] -> acc | x :: l -> $app f l (f acc x)\n", "$app (fun a x -> $y) [ 1; n; 3 ] 0"),
        ("let rec $app p l = match l with [] -> 0 | x :: l -> if p x then x else $app p l\n", "$app (fun x -> $c) Fz.list"),
        ("type $t = L$t | N$t of $t * int * $t\nlet rec $app f t = match t with L$t -> 0 | N$t (l, x, r) -> $app f l + f x + $app f r\nlet rec make$app n = if n <= 0 then L$t else N$t (make$app (n - 1), n, make$app (n - 2))\n", "$app (fun x -> $x) (make$app 4)"),
        ("let rec $app f g k = if k = 0 then g 0 else f (g k) + $app f g (k - 1)\n", "$app (fun x -> $x) (fun x -> x + n) (n + 3)"),
        ("let rec $app f = function 0 -> (fun x -> x) | k -> let g = $app f (k - 1) in fun x -> f (g x)\n", "$app (fun x -> $x) 4 n"),
        ("let $app f k = let rec go i acc = if i > k then acc else go (i + 1) (acc + f i) in go 0 0\n", "$app (fun x -> $x) (n + 3)"),
        ("let rec $app f a i = if i < 0 then () else begin a.(i) <- f a.(i); $app f a (i - 1) end\n", "(let a = [| n; 2; 3 |] in $app (fun x -> $x) a 2; a.(0) + a.(1))"),
    ]);
    let k = g.rng.range(1, 3);
    let sum: Vec<Node> = (0..k)
        .map(|_| {
            let values = [
                ("app", Node::from(&app)),
                ("x", g.int(&["x", "n", "i"])),
                ("y", g.int(&["a", "x", "n"])),
                ("c", g.condition(&["x", "n"])),
            ];
            filled("r := (!r + $call) land 0xFFFF;\n  ", &[("call", plain(call, &values))])
        })
        .collect();
    let values =
        [("app", Node::from(&app)), ("t", (&t).into()), ("f", (&f).into()), ("sum", Node::plain("", sum))];
    let items = vec![
        filled(definition, &values),
        filled("let $f n = let r = ref 0 in for i = 1 to 4 do\n  $sum() done; !r\n", &values),
    ];
    Instance { items, kernel: Kernel::Iterated(int("($f (i land 7))", &values), 12), ends: vec![] }
}

/// Bodies of functions of which each calls the one before, `$p`, and whether many may follow each other: the stock
/// compiler does not copy recursive functions nor those that contain closures, and copies of the rest grow beyond all
/// bounds.
const CHAINS: &[(&[&str], bool)] = &[
    (&["$p ($p x)", "$p x + $x", "$p (x + 1) - $p $x"], false),
    (&["(let h y = $p (y + 1) in if Fz.odd x then h ($p x) else h x)"], false),
    (&["List.fold_left (fun s y -> s + $p y) ($p x) []"], true),
    (
        &[
            "(let rec h n = if n <= 0 then $p x else h (n - 2) in if x > 99999999 then h (x - 1) + $p x else x)",
        ],
        true,
    ),
    (&["(if x > 99999999 then (try $p ($p x) with Not_found -> 1) else x + 1)"], false),
];

/// Small functions that are to be copied, each into the next.
fn inline_chain(g: &mut Gen) -> Instance {
    let names: Vec<String> = (0..20).map(|_| g.fresh("c")).collect();
    let &(bodies, long) = g.rng.pick(CHAINS);
    let count = if long { g.rng.range(3, 20) } else { g.rng.range(2, 7) };
    let attribute = g.choice(&["[@inline]", "[@inline]", "[@inline always]", ""]);
    let mut items = vec![filled("let $name x = $x\n", &[("name", (&names[0]).into()), ("x", g.int(&["x"]))])];
    for pair in names[..count].windows(2) {
        let values = [
            ("p", Node::from(&pair[0])),
            ("name", (&pair[1]).into()),
            ("a", attribute.into()),
            ("x", g.int(&["x"])),
        ];
        let body = plain(g.choice(bodies), &values);
        items.push(filled(
            "let$a $name x = ($body) land 0xFFFF\n",
            &[&values[..], &[("body", body)]].concat(),
        ));
    }
    let last = names[count - 1].clone();
    // With two self-calls in each of the functions, the program would take too long.
    let times = if long && count > 8 { 0 } else { 4 };
    Instance {
        items,
        kernel: Kernel::Iterated(int("($last i)", &[("last", last.into())]), times),
        ends: vec![],
    }
}

fn partial_application(g: &mut Gen) -> Instance {
    let (f, h) = (g.fresh("f"), g.fresh("h"));
    let text = g.choice(&[
        "let$a $f n = let p = $h 1 2 in p n + p (n + 1)\n",
        "let p$f = $h 1 2\nlet$a $f n = p$f n + p$f 3\n",
        "let$a $f n = List.fold_left ( + ) 0 (List.map ($h n 2) Fz.list)\n",
        "let ap$f f a b = f a b\nlet$a $f n = ap$f (fun a b c -> a * b + c) n 3 4\n",
        "let$a $f n = (fun a b -> $h a b n) n 2\n",
        "let flip$f f x y = f y x\nlet$a $f n = flip$f ($h n) 2 3 + flip$f ($h 1) n n\n",
        "let compose$f f g x = f (g x)\nlet$a $f n = compose$f ($h n 1) ($h 2 n) 5\n",
        "let$a $f n = let k = if $c then $h n else $h 2 in k 3 4 + k n n\n",
        "let$a $f n = n |> $h 2 3 |> $h 1 4 |> fun x -> x + 1\n",
        "let$a $f n = let p = $h n in let q = p 1 in List.iter (fun x -> ignore (q x)) [ 1; 2 ]; q n\n",
    ]);
    let values = [
        ("f", Node::from(&f)),
        ("h", (&h).into()),
        ("a", g.attribute().into()),
        ("b", g.attribute().into()),
        ("c", g.condition(&["n"])),
        ("x", g.int(&["a", "b", "c"])),
    ];
    let function = g.choice(&[
        "let$b $h a b c = $x\n",
        "let$b $h a b = if a > b then (fun c -> $x) else (fun c -> c + a)\n",
        "let$b $h a = let d = Fz.half a in fun b c -> $x + d\n",
    ]);
    let items = vec![filled(function, &values), filled(text, &values)];
    Instance { items, kernel: Kernel::Iterated(int("(($f i) land 0xFFFF)", &values), 30), ends: vec![] }
}

fn monads(g: &mut Gen) -> Instance {
    let (f, m) = (g.fresh("f"), g.fresh("M"));
    let (module, run) = *g.rng.pick(&[
        (
            "module $m = struct let return x s = (x, s) let ( >>= ) m f s = let (x, s) = m s in f x s let get s = (s, s) let put s _ = ((), s) let run m s = fst (m s) end\n",
            "$m.(run (let rec go i = if i > n then get else get >>= fun s -> (if $c then put (s + i) else return ()) >>= fun () -> go (i + 1) in go 0) n)",
        ),
        (
            "module $m = struct let return x k = k x let ( >>= ) m f k = m (fun x -> f x k) let run m = m (fun x -> x) end\n",
            "$m.(run (let rec go i s = if i > n then return s else return (s + i) >>= fun s -> if $c then go (i + 1) (s + 1) else go (i + 2) s in go 0 1))",
        ),
        (
            "module $m = struct let return x = Some x let ( >>= ) m f = match m with None -> None | Some x -> f x let run d = function None -> d | Some x -> x end\n",
            "$m.(run 3 (let rec go i s = if i > n then return s else (if $c then return (s + i) else return s) >>= fun s -> if s > 999 then None else go (i + 1) s in go 0 1))",
        ),
        (
            "module $m = struct type 'a t = { run : 'e. int -> ('a -> int -> 'e) -> (int -> 'e) -> 'e } let return x = { run = (fun s ok _ -> ok x s) } let ( >>= ) m f = { run = (fun s ok no -> m.run s (fun x s -> (f x).run s ok no) no) } let next = { run = (fun s ok no -> if s > 30 then no s else ok s (s + 1)) } let run m s = m.run s (fun x _ -> x) (fun s -> s) end\n",
            "$m.(run (let rec go i s = if i > n then return s else next >>= fun x -> if $c then go (i + 1) (s + x) else return x in go 0 1) n)",
        ),
    ]);
    let values = [
        ("f", Node::from(&f)),
        ("m", (&m).into()),
        ("a", g.attribute().into()),
        ("c", g.condition(&["i", "n"])),
    ];
    let run = plain(run, &values);
    let items = vec![
        filled(module, &values),
        filled("let$a $f n = $run\n", &[&values[..], &[("run", run)]].concat()),
    ];
    Instance { items, kernel: Kernel::Iterated(int("($f (i + 3))", &values), 12), ends: vec![] }
}

/// Functions in functions, which capture variables and call themselves and each other.
fn local_recursion(g: &mut Gen) -> Instance {
    let f = g.fresh("f");
    let text = g.choice(&[
        "let$a $f n = let rec go i acc = if i > n then acc else go (i + 1) (if $c then acc + i else acc + n) in go 0 0\n",
        "let$a $f n = let k = $x in let rec even i = if i <= 0 then k else odd (i - 1) and odd i = if i <= 0 then n else even (i - 2) in even n + odd k\n",
        "let$a $f n = let p = (n, $x) in let rec go i = if i <= 0 then fst p else snd p + go (i - 1) in go 9\n",
        "let$a $f n = let o = Some n in let rec go i acc = if i <= 0 then acc else go (i - 1) (match o with None -> acc | Some v -> acc + v + $x) in go 9 0\n",
        "let$a $f n = let rec go l k = match l with [] -> k 0 | x :: l -> go l (fun r -> k (r + x + n)) in go [ 1; 2; n ] (fun x -> x)\n",
        "let$a $f n = let rec make i = if i <= 0 then [] else (fun x -> x + i + n) :: make (i - 1) in List.fold_left (fun s f -> f s) 0 (make 5)\n",
        "let$a $f n = let memo = Array.make 10 (-1) in let rec fib i = if i < 2 then i else if memo.(i) >= 0 then memo.(i) else begin let r = fib (i - 1) + fib (i - 2) in memo.(i) <- r; r end in fib (n land 7)\n",
        "let$a $f n = let rec loop i s = if i = 0 then s else let t = (s, i) in loop2 (i - 1) t and loop2 i (s, j) = if $c then s + j else loop i (s + j) in loop n 1\n",
        "let$a $f n = let x = ref 0. in let rec go i = if i > 0 then begin x := !x +. float_of_int i; go (i - 1); if $c then x := !x *. 0.5 end in go n; int_of_float !x\n",
    ]);
    let values = [
        ("f", Node::from(&f)),
        ("a", g.attribute().into()),
        ("c", g.condition(&["i", "n"])),
        ("x", g.int(&["n"])),
    ];
    let kernel = Kernel::Iterated(int("(($f (i land 15)) land 0xFFFF)", &values), 20);
    Instance { items: vec![filled(text, &values)], kernel, ends: vec![] }
}

/// Recursive functions that take boxed numbers and return them, a parameter perhaps.
fn number_recursion(g: &mut Gen) -> Instance {
    let (f, h) = (g.fresh("f"), g.fresh("h"));
    let (add, less, one, start) = *g.rng.pick(&[
        ("( +. )", "( < )", "1.5", "(float_of_int i)"),
        ("( *. )", "( <= )", "(-0.5)", "(float_of_int (i - 3))"),
        ("Int64.add", "( < )", "3L", "(Int64.of_int i)"),
        ("Int32.mul", "( <= )", "7l", "(Int32.of_int i)"),
        ("Nativeint.sub", "( > )", "5n", "(Nativeint.of_int i)"),
    ]);
    let text = g.choice(&[
        "let rec $f x n = if n <= 0 then x else $f ($add x $one) (if $c then n - 2 else n - 1)\n",
        "let rec $f x n = if n <= 0 || $c then x else $add ($f ($add x $one) (n - 1)) ($f x (n - 2))\n",
        "let rec $h x y n = if n <= 0 then (if $less x y then x else y) else $h ($h ($add x $one) y (n - 2)) ($add y x) (n - 3)\nlet $f x n = $h x $one n\n",
        "let rec $f x n = if n <= 0 then x else if $c then raise Not_found else (try $f ($f ($add x $one) (n - 2)) (n - 3) with Not_found -> x)\n",
        "let rec $f x n = let s = ref x in for i = 1 to n do s := $add !s ($f !s (n - i - 1)) done; if $c then !s else x\n",
        "let rec $f x n = if n <= 0 then x else $h ($add x $one) (n - 1) and $h x n = if n <= 0 then $one else if $c then x else $add ($f x (n - 1)) $one\n",
        "let $h = ref $one\nlet rec $f x n = if n <= 0 then x else begin (if $c then $h := x); $add ($f ($add x $one) (n - 1)) !$h end\n",
        "let rec $f x n = if n <= 0 then x else match Some ($f ($add x $one) (n - 1)) with Some y when $c -> y | _ -> x\n",
        "let rec $f x n = if n <= 0 then x else let g y = $f ($add x y) (n - 2) in if $c then g x else $add (g $one) x\n",
    ]);
    let values = [
        ("f", Node::from(&f)),
        ("h", (&h).into()),
        ("add", add.into()),
        ("less", less.into()),
        ("one", one.into()),
        ("start", start.into()),
        ("c", g.condition(&["n"])),
    ];
    let run = int("(Hashtbl.hash (try $f $start (i land 7) with Not_found -> $one) land 0xFFFF)", &values);
    Instance { items: vec![filled(text, &values)], kernel: Kernel::Iterated(run, 16), ends: vec![] }
}

/// Functions of the general generator, called with what varies.
fn generated(g: &mut Gen) -> Instance {
    let mark = g.env.len();
    let mut items = vec![];
    for _ in 0..g.rng.range(1, 3) {
        let size = g.rng.range(6, 24) as i32;
        items.push(g.function_item(size));
    }
    g.bind("i", &Ty::Int);
    let body = g.expr(&Ty::Int, 16, Cx::FREE);
    g.env.truncate(mark);
    let kernel = Kernel::Iterated(plain("((try $body with _ -> 5) land 0xFFFF)", &[("body", body)]), 12);
    Instance { items, kernel, ends: vec![] }
}
