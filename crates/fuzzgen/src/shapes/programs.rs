//! Programs as users write them, each of about a page: interpreters, evaluators, trees, generators of numbers, parsers;
//! and uses of the standard library whose results other units keep.

use super::template::{filled, int, plain};
use super::{Instance, Kernel, Shape, shape};
use crate::generator::Gen;
use crate::tree::Node;

pub(super) const SHAPES: &[Shape] = &[
    shape("typed evaluator", typed_evaluator),
    shape("environment interpreter", environment_interpreter),
    shape("stack machine", stack_machine),
    shape("rewriting of terms", rewriting),
    shape("random numbers", random_numbers),
    shape("functions kept from the library", kept_functions),
    shape("library calls", library_calls),
    shape("splitting strings", splitting),
    shape("float arrays", float_arrays),
    shape("exceptions with values", exceptions),
    shape("balanced trees", balanced_trees),
    shape("objects and sequences", objects),
    shape("pipelines", pipelines),
];

/// A function over a typed syntax tree that captures a few variables, each needed in some arms.
fn typed_evaluator(g: &mut Gen) -> Instance {
    let (f, t) = (g.fresh("f"), g.fresh("t"));
    let captured: Vec<String> = (0..g.rng.range(1, 3)).map(|k| format!("e{k}")).collect();
    let arms = g.rng.range(4, 9);
    let mut chosen = vec![];
    let all: &[(&str, &str)] = &[
        ("Add$t : int $t * int $t -> int $t", "Add$t (a, b) -> go a + go b"),
        ("If$t : bool $t * 'a $t * 'a $t -> 'a $t", "If$t (c, a, b) -> if go c then go a else go b"),
        ("Less$t : int $t * int $t -> bool $t", "Less$t (a, b) -> go a < go b"),
        ("Not$t : bool $t -> bool $t", "Not$t a -> not (go a)"),
        ("Env$t : int -> int $t", "Env$t k -> k + $e"),
        ("Mul$t : int $t * int $t -> int $t", "Mul$t (a, b) -> go a * go b + $e"),
        ("Pair$t : 'a $t * 'b $t -> ('a * 'b) $t", "Pair$t (a, b) -> (go a, go b)"),
        ("Fst$t : ('a * 'b) $t -> 'a $t", "Fst$t a -> fst (go a)"),
        ("Call$t : int $t -> int $t", "Call$t a -> Fz.half (go a + $e)"),
        ("Sum$t : int $t list -> int $t", "Sum$t l -> List.fold_left (fun s a -> s + go a + $e) 0 l"),
        ("Real$t : float -> float $t", "Real$t x -> x"),
        ("Trunc$t : float $t -> int $t", "Trunc$t a -> int_of_float (go a) + $e"),
    ];
    let mut types = vec![];
    let typed = g.rng.chance(75);
    for &(constructor, arm) in all.iter().take(arms + 3) {
        let e = g.rng.pick(&captured).clone();
        let e = if g.rng.chance(40) {
            g.int(&captured.iter().map(String::as_str).collect::<Vec<_>>())
        } else {
            e.into()
        };
        let values = [("t", Node::from(&t)), ("e", e)];
        types.push(plain(&format!(" | {constructor}"), &values));
        chosen.push(plain(&format!("\n    | {arm}"), &values));
    }
    let names = captured.join(" ");
    let values = [
        ("f", Node::from(&f)),
        ("t", (&t).into()),
        ("types", Node::plain("", types)),
        ("arms", Node::plain("", chosen)),
        ("names", names.into()),
        ("e", captured[0].clone().into()),
    ];
    let arguments = ["i", "7", "(i + 1)"][..captured.len()].join(" ");
    if !typed {
        // An evaluator without type indices: all results have one type.
        let items = vec![
            filled(
                "type $t = Int$t of int | Add$t of $t * $t | If$t of $t * $t * $t | Env$t of int | Mul$t of $t * $t | Call$t of $t | Sum$t of $t list\n",
                &values,
            ),
            filled(
                "let $f $names e = let rec go e = match e with Int$t n -> n | Add$t (a, b) -> go a + go b | If$t (c, a, b) -> if go c > $e then go a else go b | Env$t k -> k + $e | Mul$t (a, b) -> go a * go b + $e | Call$t a -> Fz.half (go a + $e) | Sum$t l -> List.fold_left (fun s a -> s + go a) 0 l in go e\n",
                &values,
            ),
        ];
        let kernel = format!(
            "($f {arguments} (Add$t (If$t (Env$t 3, Mul$t (Int$t i, Env$t 1), Int$t 3), Mul$t (Add$t (Int$t 3, Env$t 4), Call$t (Env$t i)))))"
        );
        return Instance { items, kernel: Kernel::Iterated(int(&kernel, &values), 40), ends: vec![] };
    }
    let items = vec![
        filled("type _ $t = Int$t : int -> int $t$types\n", &values),
        filled(
            "let $f $names e = let rec go : type a. a $t -> a = function Int$t n -> n$arms in go e\n",
            &values,
        ),
    ];
    let tree = if arms + 3 >= 6 {
        "Add$t (If$t (Less$t (Env$t 3, Int$t i), Mul$t (Int$t i, Env$t 1), Int$t 3), Mul$t (Add$t (Int$t 3, Env$t 4), If$t (Not$t (Less$t (Int$t 3, Int$t i)), Int$t 3, Env$t i)))"
    } else {
        "Add$t (If$t (Less$t (Int$t 3, Int$t i), Int$t i, Int$t 3), Add$t (Int$t 3, Int$t 4))"
    };
    Instance {
        items,
        kernel: Kernel::Iterated(int(&format!("($f {arguments} ({tree}))"), &values), 40),
        ends: vec![],
    }
}

fn environment_interpreter(g: &mut Gen) -> Instance {
    let (f, t) = (g.fresh("f"), g.fresh("t"));
    let find = g.choice(&[
        "List.assoc x env",
        "(try List.assoc x env with Not_found -> I$t 0)",
        "(match List.assoc_opt x env with Some v -> v | None -> I$t 0)",
    ]);
    let values = [
        ("f", Node::from(&f)),
        ("t", (&t).into()),
        ("k", g.int(&["n"])),
        ("find", plain(find, &[("t", (&t).into())])),
    ];
    let values = [&values[..], &[("loop", g.rng.range(1, 5).to_string().into())]].concat();
    let eval = g.choice(&[
        "let rec $f env e = match e with Num$t n -> I$t $k | Var$t x -> $find | Let$t (x, a, b) -> let v = $f env a in $f ((x, v) :: env) b | Fun$t (x, b) -> F$t (fun v -> $f ((x, v) :: env) b) | App$t (a, b) -> (match $f env a with F$t h -> h ($f env b) | I$t n -> I$t (n + 1)) | Add$t (a, b) -> (match $f env a, $f env b with I$t x, I$t y -> I$t ((x + y) land 0xFFFF) | _ -> failwith \"add\") | If$t (c, a, b) -> (match $f env c with I$t 0 -> $f env b | _ -> $f env a)\n",
        "let rec $f env e = match e with Num$t n -> I$t $k | Var$t x -> $find | Let$t (x, a, b) -> $f ((x, $f env a) :: env) b | Fun$t (x, b) -> C$t (x, b, env) | App$t (a, b) -> let arg = $f env b in (match $f env a with C$t (x, b, env) -> $f ((x, arg) :: env) b | F$t h -> h arg | I$t n -> I$t (n + 1)) | Add$t (a, b) -> let u = $f env a in let w = $f env b in (match u with I$t x -> (match w with I$t y -> I$t ((x + y) land 0xFFFF) | _ -> u) | _ -> w) | If$t (c, a, b) -> if $f env c = I$t 0 then $f env b else $f env a\n",
    ]);
    let kernel = "(match $f [ (\"x\", I$t i); (\"g\", F$t (fun v -> v)) ] (Let$t (\"a\", Add$t (Var$t \"x\", Num$t i), Let$t (\"h\", Fun$t (\"y\", Add$t (Var$t \"y\", Var$t \"a\")), If$t (Var$t \"x\", App$t (Var$t \"h\", App$t (Var$t \"g\", Num$t 5)), Num$t 2)))) with I$t n -> n | _ -> 1)";
    let items = vec![
        filled(
            "type $t = Num$t of int | Var$t of string | Let$t of string * $t * $t | Fun$t of string * $t | App$t of $t * $t | Add$t of $t * $t | If$t of $t * $t * $t\ntype v$t = I$t of int | F$t of (v$t -> v$t) | C$t of string * $t * (string * v$t) list\n",
            &values,
        ),
        filled(eval, &values),
    ];
    Instance { items, kernel: Kernel::Iterated(int(kernel, &values), 30), ends: vec![] }
}

fn stack_machine(g: &mut Gen) -> Instance {
    let (f, t, code) = (g.fresh("f"), g.fresh("t"), g.fresh("code"));
    let values = [
        ("f", Node::from(&f)),
        ("t", (&t).into()),
        ("code", (&code).into()),
        ("k", g.int(&["n"])),
        ("c", g.condition(&["n"])),
    ];
    let step = *g.rng.pick(&[
        // A list as the stack, a recursive function.
        "let $f n = let rec run pc stack = if pc >= Array.length $code then (match stack with x :: _ -> x | [] -> 0) else match $code.(pc), stack with Push$t k, s -> run (pc + 1) (k :: s) | Add$t, a :: b :: s -> run (pc + 1) ((a + b) land 0xFFFF :: s) | Dup$t, a :: s -> run (pc + 1) (a :: a :: s) | Arg$t, s -> run (pc + 1) ($k :: s) | Jump$t d, a :: s -> if a land 3 = 0 then run (pc + d) s else run (pc + 1) s | Prim$t (_, h), a :: s -> run (pc + 1) (h a :: s) | _, _ -> -1 in run 0 []\n",
        // Mutable state in references.
        "let $f n = let stack = ref [] and pc = ref 0 and fuel = ref 60 in let push x = stack := x :: !stack in let pop () = match !stack with [] -> 0 | x :: s -> stack := s; x in while !pc < Array.length $code && !fuel > 0 do decr fuel; (match $code.(!pc) with Push$t k -> push k | Add$t -> let a = pop () in let b = pop () in push ((a + b) land 0xFFFF) | Dup$t -> let a = pop () in push a; push a | Arg$t -> push $k | Jump$t d -> if pop () land 3 = 0 then pc := !pc + d - 1 | Prim$t (_, h) -> push (h (pop ()))); incr pc done; pop ()\n",
        // A mutable array as the stack.
        "let $f n = let stack = Array.make 64 0 and sp = ref 0 in let rec run pc fuel = if pc >= Array.length $code || fuel = 0 then (if !sp > 0 then stack.(!sp - 1) else 0) else begin (match $code.(pc) with Push$t k -> stack.(!sp) <- k; incr sp | Add$t -> if !sp > 1 then begin decr sp; stack.(!sp - 1) <- (stack.(!sp - 1) + stack.(!sp)) land 0xFFFF end | Dup$t -> if !sp > 0 && !sp < 60 then begin stack.(!sp) <- stack.(!sp - 1); incr sp end | Arg$t -> stack.(!sp) <- $k; incr sp | Jump$t _ -> if $c && !sp > 0 then decr sp | Prim$t (_, h) -> if !sp > 0 then stack.(!sp - 1) <- h stack.(!sp - 1)); run (pc + 1) (fuel - 1) end in run 0 60\n",
    ]);
    let items = vec![
        filled(
            "type $t = Push$t of int | Add$t | Dup$t | Arg$t | Jump$t of int | Prim$t of string * (int -> int)\n",
            &values,
        ),
        filled(
            "let $code = [| Push$t 3; Arg$t; Add$t; Dup$t; Prim$t (\"half\", Fz.half); Add$t; Arg$t; Jump$t 2; Push$t 7; Dup$t; Add$t; Prim$t (\"inc\", fun x -> x + 1); Push$t 9; Add$t |]\n",
            &values,
        ),
        filled(step, &values),
    ];
    Instance { items, kernel: Kernel::Iterated(int("($f i)", &values), 30), ends: vec![] }
}

/// Terms of function symbols and variables: substitution, matching, unification, as theorem provers have them.
fn rewriting(g: &mut Gen) -> Instance {
    let (f, t) = (g.fresh("f"), g.fresh("t"));
    let values = [("f", Node::from(&f)), ("t", (&t).into()), ("c", g.condition(&["n"]))];
    let text = g.choice(&[
        "let rec $f s term = match term with T$t (op, sons) -> T$t (op, List.map ($f s) sons) | V$t x -> (try List.assoc x s with Not_found -> term)\n",
        "let rec occurs$f n = function V$t m -> m = n | T$t (_, sons) -> List.exists (occurs$f n) sons\nlet $f s term = let rec go term = match term with T$t (op, sons) -> T$t (op, List.map go sons) | V$t x -> if occurs$f x term then (match List.assoc_opt x s with Some u -> u | None -> term) else term in go term\n",
        "let $f s term = let rec go subst (a, b) = match a, b with V$t x, _ -> if List.mem_assoc x subst then (if List.assoc x subst = b then subst else raise Exit) else (x, b) :: subst | T$t (o, l), T$t (p, m) -> if o = p then List.fold_left2 (fun s a b -> go s (a, b)) subst l m else raise Exit | _ -> raise Exit in (try T$t (\"n\", List.map snd (go s (term, term))) with Exit | Invalid_argument _ -> term)\n",
        "let rec $f s = function V$t x as v -> (match List.filter (fun (y, _) -> x = y) s with (_, u) :: _ -> u | [] -> v) | T$t (op, [ a ]) -> T$t (op, [ $f s a ]) | T$t (op, sons) -> T$t (op, List.rev (List.rev_map (fun u -> $f s u) sons))\n",
    ]);
    let items = vec![
        filled(
            "type $t = V$t of int | T$t of string * $t list\nlet rec size$t = function V$t n -> n land 7 | T$t (o, l) -> String.length o + List.fold_left (fun s u -> s + size$t u) 1 l\n",
            &values,
        ),
        filled(text, &values),
    ];
    let kernel = int(
        "(size$t ($f [ (1, V$t i); (2, T$t (\"g\", [ V$t 3 ])) ] (T$t (\"f\", [ V$t 1; T$t (\"h\", [ V$t 2; V$t i ]); V$t 5; T$t (\"k\", [])]))))",
        &values,
    );
    Instance { items, kernel: Kernel::Iterated(kernel, 40), ends: vec![] }
}

fn random_numbers(g: &mut Gen) -> Instance {
    let f = g.fresh("f");
    let draw = g.choice(&[
        "int_of_float (Random.State.float s 100.)",
        "Nativeint.to_int (Random.State.nativeint s 100n)",
        "Int64.to_int (Random.State.int64 s 1000L)",
        "Int32.to_int (Random.State.int32 s 1000l)",
        "Random.State.int s 100",
        "(if Random.State.bool s then 1 else 0)",
        "Random.State.bits s land 15",
        "(Random.init n; int_of_float (Random.float 10.))",
        "(Random.init n; Random.int 10)",
    ]);
    let values = [("f", Node::from(&f)), ("draw", draw.into()), ("c", g.condition(&["i"]))];
    let text = g.choice(&[
        "let $f s n = let r = ref 0 in for i = 1 to 10 do if $c then r := !r + $draw done; !r\n",
        "let $f s n = let a = Array.init 8 (fun i -> $draw + i) in for i = 7 downto 1 do let j = Random.State.int s (i + 1) in let x = a.(i) in a.(i) <- a.(j); a.(j) <- x done; a.(0)\n",
        "let $f s n = List.fold_left ( + ) 0 (List.init 10 (fun i -> if $c then $draw else i))\n",
    ]);
    let kernel = int("(let s = Random.State.make [| i |] in $f s i)", &values);
    Instance { items: vec![filled(text, &values)], kernel: Kernel::Iterated(kernel, 4), ends: vec![] }
}

/// Functions with fewer arguments than they take, or whose results are functions, `$k`; and an `int` computed with
/// them.
const KEPT: &[(&str, &str)] = &[
    ("List.filter (fun x -> x land 1 = 0)", "List.length ($k [ n; 2; 3 ])"),
    ("List.find_all (fun x -> x > 2)", "List.length ($k [ n; 2; 3 ])"),
    ("List.map (fun x -> x + 1)", "List.length ($k [ n; 2; 3 ])"),
    ("List.fold_left (fun s x -> s + x)", "$k n [ 1; 2 ]"),
    ("Fun.negate Fz.odd", "(if $k n then 1 else 2)"),
    ("Fun.flip (fun x y -> x - y)", "$k n 2"),
    ("(Fun.const 4 : int -> int)", "$k n"),
    ("(Hashtbl.hash_param 10 : int -> int -> int)", "$k 10 n land 255"),
    ("String.concat \",\"", "String.length ($k [ \"a\"; string_of_int n ])"),
    ("Array.map (fun x -> x * 2)", "($k [| n; 2 |]).(0)"),
    ("Option.map (fun x -> x + 1)", "(match $k (Some n) with None -> 0 | Some x -> x)"),
    ("Seq.map (fun x -> x + 1)", "Seq.fold_left ( + ) 0 ($k (List.to_seq [ n; 2 ]))"),
    ("Seq.filter (fun x -> x > 2)", "Seq.fold_left ( + ) 0 ($k (List.to_seq [ n; 2; 5 ]))"),
    (
        "Seq.filter_map (fun x -> if x > 2 then Some x else None)",
        "Seq.fold_left ( + ) 0 ($k (List.to_seq [ n; 2; 5 ]))",
    ),
    ("List.sort (fun (a : int) b -> compare a b)", "List.hd ($k [ n; 4; 3 ])"),
    ("List.stable_sort (fun (a : int) b -> compare b a)", "List.hd ($k [ n; 4; 3 ])"),
    ("List.partition (fun x -> x > 3)", "List.length (fst ($k [ n; 4; 3 ]))"),
    ("List.concat_map (fun x -> [ x + 1; x ])", "List.length ($k [ n; 4; 3 ])"),
    ("List.filter_map (fun x -> if x > 3 then Some x else None)", "List.length ($k [ n; 4; 3 ])"),
    ("Printf.sprintf \"%d-%s\"", "String.length ($k n \"a\")"),
    ("Format.asprintf \"%d@ %s\"", "String.length ($k n \"a\")"),
    (
        "(Scanf.sscanf \"12 ab\" \"%d %s\" : (int -> string -> int) -> int)",
        "$k (fun a b -> a + n + String.length b)",
    ),
    ("String.map (fun c -> Char.uppercase_ascii c)", "Hashtbl.hash ($k \"abc\") land 255 + n"),
    ("List.exists (fun x -> x = 3)", "(if $k [ n; 2 ] then 1 else 0)"),
    ("(List.assoc 3 : (int * int) list -> int)", "$k [ (1, 2); (3, n) ]"),
    ("Lazy.from_fun", "Lazy.force ($k (fun () -> n))"),
    ("Queue.fold (fun s x -> s + x)", "(let q = Queue.create () in Queue.add n q; $k 1 q)"),
    ("Stack.fold (fun s x -> s + x)", "(let q = Stack.create () in Stack.push n q; $k 1 q)"),
    ("Bytes.extend (Bytes.of_string \"ab\")", "Bytes.length ($k 1 2) + n"),
    ("Buffer.add_string (Buffer.create 8)", "($k \"abc\"; n)"),
    ("Hashtbl.fold (fun (_ : int) v s -> v + s)", "(let h = Hashtbl.create 3 in Hashtbl.add h n 1; $k h 0)"),
    ("Array.fold_right (fun x s -> x - s)", "$k [| n; 3 |] 1"),
    ("List.merge (fun (a : int) b -> compare a b)", "List.length ($k [ n ] [ 2; 3 ])"),
    ("Array.to_seq", "Seq.fold_left ( + ) 0 ($k [| n; 1 |])"),
    ("String.to_seq", "Seq.fold_left (fun s c -> s + Char.code c) n ($k \"abc\")"),
];

/// Results of library functions that are functions, kept as values of a unit: what other compilers know of them, their
/// layout too, must stay so.
fn kept_functions(g: &mut Gen) -> Instance {
    let (f, k) = (g.fresh("f"), g.fresh("k"));
    // A function whose result is a closure with an environment of the library's own is the likeliest to differ.
    let among = if g.rng.chance(30) { 2 } else { KEPT.len() };
    let (kept, used) = *g.rng.pick(&KEPT[..among]);
    let values = [("f", Node::from(&f)), ("k", (&k).into()), ("kept", kept.into())];
    let definition = g.choice(&[
        "let $k = fun x -> ($kept) x\n",
        "let $k x = ($kept) x\n",
        "let $k = $kept\n",
        "let $k = $kept\n",
    ]);
    // A weak type variable is no mistake if something determines it.
    let items = vec![
        filled(definition, &values),
        filled("let $f n = $used\n", &[&values[..], &[("used", plain(used, &values))]].concat()),
    ];
    Instance { items, kernel: Kernel::Iterated(int("($f i)", &values), 10), ends: vec![] }
}

/// One of many functions of the library on small arguments.
fn library_calls(g: &mut Gen) -> Instance {
    let f = g.fresh("f");
    let mut body = vec![];
    for _ in 0..g.rng.range(1, 4) {
        let call = g.choice(&[
            "String.length (Printf.sprintf \"%d %s\" n \"a\")",
            "String.length (Printf.sprintf \"%5.2f|%x\" (float_of_int n) n)",
            "String.length (Format.asprintf \"@[%d@ %s@]\" n \"abc\")",
            "String.length (string_of_float (float_of_int n))",
            "int_of_string (string_of_int n)",
            "List.length (List.sort compare [ n; 3; 2; 9; 1 ])",
            "List.length (List.sort_uniq (fun (a : int) b -> compare a b) [ n; 3; 2; 9; 3 ])",
            "(let a = [| n; 3; 1; 2 |] in Array.sort compare a; a.(0))",
            "(let a = [| 1.5; float_of_int n |] in Array.sort compare a; int_of_float a.(0))",
            "(let a = [| n; 3; 1; 2 |] in Array.stable_sort (fun a b -> b - a) a; a.(0))",
            "Hashtbl.hash (n, \"ab\") land 255",
            "(let h = Hashtbl.create 5 in for i = 1 to 6 do Hashtbl.replace h (i land 3, \"k\") n done; Hashtbl.length h)",
            "(let h = Hashtbl.create 5 in for i = 1 to 6 do Hashtbl.replace h (string_of_int i) n done; Hashtbl.fold (fun _ v s -> v + s) h 0)",
            "(let b = Bytes.make (1 + (n land 3)) 'a' in Bytes.blit_string \"xyzw\" 1 b 0 1; Hashtbl.hash (Bytes.to_string b))",
            "Hashtbl.hash (String.make 1 (Char.chr (n land 127)) ^ \"ab\" ^ String.make 2 'c')",
            "(let b = Bytes.of_string \"abcdefghij\" in Bytes.blit b (n land 3) b 2 (4 + (n land 1)); Bytes.blit b 0 b 1 7; Hashtbl.hash b)",
            "String.length (String.concat \", \" [ \"a\"; \"bc\"; string_of_int n ])",
            "List.length (String.split_on_char ' ' Fz.text)",
            "String.length (String.trim (String.uppercase_ascii \" abc \")) + n",
            "(let b = Buffer.create 4 in for i = 1 to 9 do Buffer.add_char b 'a'; Buffer.add_string b \"xy\"; Buffer.add_int16_le b n done; Buffer.length b)",
            "(let q = Queue.create () in for i = 1 to 5 do Queue.add (i + n) q done; Queue.pop q)",
            "(match String.index_opt Fz.text 'q' with None -> 0 | Some i -> i + n)",
            "(let b = Bytes.make 8 'a' in Bytes.set_int32_le b 0 (Int32.of_int n); Bytes.get_uint16_be b 1)",
            "Array.fold_left ( + ) n (Array.map (fun x -> x + n) Fz.numbers)",
            "Array.fold_left max 0 (Array.append Fz.numbers [| n |])",
            "List.length (List.concat [ [ n ]; [ 1; 2 ]; List.rev [ 3; n ] ])",
            "(match List.assoc_opt n [ (1, 2); (3, 4) ] with Some v -> v | None -> 1)",
            "Seq.fold_left ( + ) 0 (Seq.map (fun x -> x + n) (List.to_seq Fz.list))",
            "(Scanf.sscanf \"12 34\" \"%d %d\" (fun a b -> a + b + n))",
            "(compare (n, \"a\") (n, \"b\") + compare [ n ] [ 2 ])",
            "(if (n, 2) = (3, n) then 1 else 2) + (if \"a\" ^ string_of_int n = \"a3\" then 4 else 8)",
            "(Complex.(norm2 (mul { re = float_of_int n; im = 1. } i)) |> int_of_float)",
            "(let s = Stack.create () in for i = 1 to n land 7 do Stack.push i s done; Stack.length s)",
            "Lazy.force (lazy (n + 1)) + Int64.to_int (Int64.mul 3L (Int64.of_int n))",
            "Char.code (Digest.string (string_of_int n)).[0]",
            "String.length (Bytes.unsafe_to_string (Bytes.cat (Bytes.of_string \"ab\") (Bytes.make (n land 7) 'c')))",
            "(match int_of_string_opt \"12x\" with None -> n | Some v -> v)",
            "(if Array.sub Fz.numbers 0 (n land 1) = [||] then n else 2) + (if Array.sub Fz.reals 0 (n land 1) <> [||] then 4 else 8)",
            "(let rec none l = match l with [] -> 0 | a :: l -> (if a = [||] then 1 else 0) + none l in none [ [||]; [| n |]; Array.make (n land 1) n ] * none [ [| \"a\" |]; Array.make (n land 1) \"b\" ])",
            "String.length (Filename.concat \"a\" (Filename.basename \"b/c.ml\")) + n",
        ]);
        body.push(filled(&format!("r := (!r * 5 + {call}) land 0xFFFFFF;\n  "), &[]));
    }
    let values = [("f", Node::from(&f)), ("a", g.attribute().into()), ("body", Node::plain("", body))];
    let definition = filled("let$a $f n = let r = ref n in $body!r\n", &values);
    Instance {
        items: vec![definition],
        kernel: Kernel::Iterated(int("($f (i + 2))", &values), 10),
        ends: vec![],
    }
}

fn splitting(g: &mut Gen) -> Instance {
    let f = g.fresh("f");
    let text = g.choice(&[
        "let$a $f s n = let out = ref [] and start = ref 0 in String.iteri (fun i c -> if c = ' ' || $c then begin out := String.sub s !start (i - !start) :: !out; start := i end) s; List.length !out\n",
        "let$a $f s n = let b = Buffer.create 16 and out = ref [] in for i = 0 to String.length s - 1 do if s.[i] = ' ' || $c then begin out := Buffer.contents b :: !out; Buffer.clear b end else Buffer.add_char b s.[i] done; List.length !out + Buffer.length b\n",
        "let$a $f s n = let rec word i j = if j >= String.length s then [ String.sub s i (j - i) ] else if s.[j] = ' ' then String.sub s i (j - i) :: word (j + 1) (j + 1) else word i (j + 1) in List.fold_left (fun k w -> k + String.length w) n (word 0 0)\n",
        "let$a $f s n = let pos = ref 0 in let peek () = if !pos < String.length s then Some s.[!pos] else None in let count = ref 0 in let rec go () = match peek () with None -> () | Some (' ' | ',' | ';') -> incr pos; incr count; go () | Some c -> (if Char.code c land 3 = n land 3 then incr count); incr pos; go () in go (); !count\n",
        "let$a $f s n = let cur = ref [] and out = ref [] in String.iter (fun c -> if c = ' ' then begin out := !cur :: !out; cur := [] end else cur := c :: !cur) s; List.fold_left (fun k l -> k + List.length l) n (!cur :: !out)\n",
        "let$a $f s n = let state = ref `Out and words = ref 0 in for i = 0 to String.length s - 1 do match !state, s.[i] with `Out, (' ' | ',') -> () | `Out, c -> state := `In (i, c); incr words | `In _, (' ' | ',') -> state := `Out | `In (j, _), c -> if i - j > n then state := `In (i, c) done; !words\n",
    ]);
    let values = [("f", Node::from(&f)), ("a", g.attribute().into()), ("c", g.condition(&["i", "n"]))];
    let kernel = Kernel::Iterated(int("($f Fz.text i)", &values), 6);
    Instance { items: vec![filled(text, &values)], kernel, ends: vec![] }
}

fn float_arrays(g: &mut Gen) -> Instance {
    let f = g.fresh("f");
    let text = g.choice(&[
        "let$a $f n = let a = Array.init (n + 2) (fun i -> float i *. 0.3) in let s = ref 0. in for i = 0 to n do s := !s +. a.(i) done; int_of_float !s\n",
        "let$a $f n = let a = Array.map (fun x -> x *. 2.) Fz.reals in int_of_float (Array.fold_left ( +. ) 0. a)\n",
        "let$a $f n = let m = Array.make_matrix 3 4 1.5 in for i = 0 to 2 do for j = 0 to 3 do if $c then m.(i).(j) <- m.(i).(j) +. Fz.reals.(i + j) done done; int_of_float m.(1).(2)\n",
        "let$a $f n = let best = ref neg_infinity and at = ref 0 in Array.iteri (fun i x -> if x > !best then begin best := x; at := i end) Fz.reals; !at + int_of_float !best\n",
        "let$a $f n = let (lo, hi) = Array.fold_left (fun (lo, hi) x -> (min lo x, max hi x)) (infinity, neg_infinity) Fz.reals in int_of_float (hi -. lo)\n",
        "let$a $f n = let dot a b = let s = ref 0. in for i = 0 to Array.length a - 1 do s := !s +. (a.(i) *. b.(i)) done; !s in int_of_float (sqrt (dot Fz.reals Fz.reals))\n",
        "let$a $f n = let x = ref 1. and k = ref 0 in while abs_float (!x *. !x -. float_of_int (n + 2)) > 0.001 && !k < 20 do incr k; let i = !k in (if $c then x := Fz.area !x); x := (!x +. float_of_int (n + 2) /. !x) /. 2. done; !k\n",
        "let$a $f n = let swap a i j = let x = a.(i) in a.(i) <- a.(j); a.(j) <- x in let a = Array.copy Fz.reals in for i = 0 to 9 do if $c then swap a i (i + 1) done; int_of_float a.(3)\n",
        "type c$f = { re$f : float; im$f : float }\nlet mul$f a b = { re$f = a.re$f *. b.re$f -. a.im$f *. b.im$f; im$f = a.re$f *. b.im$f +. a.im$f *. b.re$f }\nlet$a $f n = let z = ref { re$f = 0.5; im$f = 0.1 } in for i = 1 to n do if $c then z := mul$f !z !z else z := { !z with re$f = Fz.area !z.im$f } done; int_of_float (!z.re$f *. 100.)\n",
        "let$a $f n = let rec go i acc = if i > n then acc else go (i + 1) (if $c then acc +. float_of_int i else Fz.area acc) in int_of_float (go 0 0.)\n",
    ]);
    let values = [("f", Node::from(&f)), ("a", g.attribute().into()), ("c", g.condition(&["i", "n"]))];
    let kernel = Kernel::Iterated(int("(($f (i + 4)) land 0xFFFF)", &values), 10);
    Instance { items: vec![filled(text, &values)], kernel, ends: vec![] }
}

fn exceptions(g: &mut Gen) -> Instance {
    let f = g.fresh("f");
    let text = g.choice(&[
        "exception E$f of int\nlet$a $f n = try for i = 1 to 20 do if $c && i > 3 then raise (E$f (i + n)) done; n with E$f v -> v\n",
        "exception E$f of float\nlet$a $f n = let s = ref 0. in for i = 1 to 9 do try (if $c then raise (E$f (float_of_int i))); s := !s +. 1. with E$f x -> s := !s +. x done; int_of_float !s\n",
        "exception E$f of int\nexception G$f of string\nlet w$f = function E$f _ -> 1 | G$f _ -> 2 | _ -> 3\nlet k$f = w$f (G$f \"b\") + (try raise (E$f 4) with G$f _ -> 50 | E$f v -> v)\nlet$a $f n = let i = n in if $c then k$f + n else w$f (E$f n)\n",
        "type t$f = ..\ntype t$f += A$f of int | B$f\nlet w$f = function A$f v -> v | B$f -> 2 | _ -> 3\nlet k$f = w$f B$f + w$f (A$f 7)\nlet$a $f n = let i = n in if $c then k$f + n else w$f (if $c then A$f n else B$f)\n",
        "let$a $f n = let exception Found of int in try List.iter (fun i -> if $c then raise (Found i)) Fz.list; n with Found v -> v\n",
        "let$a $f n = List.fold_left (fun s i -> s + (try if $c then raise Not_found else i with Not_found -> 1)) 0 Fz.list\n",
        "let g$f i n = if $c then raise_notrace Exit else i + n\nlet$a $f n = let s = ref 0 in for i = 1 to 9 do s := !s + (try g$f i n with Exit -> 2) done; !s\n",
        "let$a $f n = match (let i = n in if $c then invalid_arg \"x\" else Some i) with None -> 1 | Some v -> v | exception Invalid_argument m -> String.length m\n",
        "let$a $f n = let r = ref 0 in Fun.protect ~finally:(fun () -> incr r) (fun () -> for i = 1 to 4 do if $c then r := !r + i done); !r\n",
    ]);
    let values = [("f", Node::from(&f)), ("a", g.attribute().into()), ("c", g.condition(&["i", "n"]))];
    let kernel = Kernel::Iterated(int("($f i)", &values), 12);
    Instance { items: vec![filled(text, &values)], kernel, ends: vec![] }
}

fn balanced_trees(g: &mut Gen) -> Instance {
    let (f, t) = (g.fresh("f"), g.fresh("t"));
    let compare =
        g.choice(&["x < y", "compare x y < 0", "compare (x : int) y < 0", "cmp x y < 0", "cmp x y < 0"]);
    let insert = g.choice(&[
        "let insert$f cmp x t = let rec ins = function E$t -> N$t (R$t, E$t, x, E$t) | N$t (c, l, y, r) as t -> if $less then balance$f (c, ins l, y, r) else if x = y then t else balance$f (c, l, y, ins r) in match ins t with N$t (_, l, y, r) -> N$t (B$t, l, y, r) | E$t -> E$t\n",
        "let rec insert$f cmp x t = match t with E$t -> N$t (R$t, E$t, x, E$t) | N$t (c, l, y, r) -> if $less then N$t (c, insert$f cmp x l, y, r) else if x = y then t else balance$f (c, l, y, insert$f cmp x r)\n",
    ]);
    let fold = g.choice(&[
        "let rec fold$f h t s = match t with E$t -> s | N$t (_, l, x, r) -> fold$f h r (h x (fold$f h l s))\n",
        "let fold$f h t s = let rec go stack s = match stack with [] -> s | E$t :: rest -> go rest s | N$t (_, l, x, r) :: rest -> go (l :: r :: rest) (h x s) in go [ t ] s\n",
    ]);
    let values =
        [("f", Node::from(&f)), ("t", (&t).into()), ("less", compare.into()), ("k", g.int(&["i", "n"]))];
    let items = vec![
        filled("type color$t = R$t | B$t\ntype 'a $t = E$t | N$t of color$t * 'a $t * 'a * 'a $t\n", &values),
        filled(
            "let balance$f = function B$t, N$t (R$t, N$t (R$t, a, x, b), y, c), z, d | B$t, N$t (R$t, a, x, N$t (R$t, b, y, c)), z, d | B$t, a, x, N$t (R$t, N$t (R$t, b, y, c), z, d) | B$t, a, x, N$t (R$t, b, y, N$t (R$t, c, z, d)) -> N$t (R$t, N$t (B$t, a, x, b), y, N$t (B$t, c, z, d)) | c, l, x, r -> N$t (c, l, x, r)\n",
            &values,
        ),
        filled(insert, &values),
        filled(fold, &values),
        filled(
            "let $f n = let t = ref E$t in for i = 1 to 12 do t := insert$f compare ($k) !t done; fold$f (fun x s -> (x + s * 3) land 0xFFFF) !t n\n",
            &values,
        ),
    ];
    Instance { items, kernel: Kernel::Iterated(int("($f i)", &values), 12), ends: vec![] }
}

fn objects(g: &mut Gen) -> Instance {
    let f = g.fresh("f");
    let text = g.choice(&[
        "class c$f (k : int) = object (self) val mutable s = k method add x = s <- s + x; self#get method get = s end\nlet $f n = let o = new c$f n in for i = 1 to 5 do if $c then ignore (o#add i) done; o#get\n",
        "let $f n = let o = object val mutable s = n method step i = s <- s + i; s end in let r = ref 0 in for i = 1 to 5 do if $c then r := o#step i done; !r\n",
        "let rec from$f n () = Seq.Cons (n, from$f (n + 1))\nlet $f n = let rec take k s = if k = 0 then 0 else match s () with Seq.Nil -> 0 | Seq.Cons (x, s) -> x + take (k - 1) s in take 9 (Seq.filter (fun i -> $c || i > 30) (from$f n))\n",
        "type 'a s$f = Nil$f | Cons$f of 'a * 'a s$f Lazy.t\nlet rec from$f i n = if i > n then Nil$f else Cons$f ((if $c then i else n), lazy (from$f (i + 1) n))\nlet $f n = let rec sum = function Nil$f -> 0 | Cons$f (x, (lazy s)) -> x + sum s in sum (from$f (n - 5) n)\n",
        "let $f n = let m = (if n land 1 = 0 then (module struct let step i = i + n end : Fz.Step) else (module struct let step i = if $c then i else 3 end : Fz.Step)) in let module M = (val m) in M.step 4 + M.step n\n",
    ]);
    let values = [("f", Node::from(&f)), ("c", g.condition(&["i", "n"]))];
    Instance {
        items: vec![filled(text, &values)],
        kernel: Kernel::Iterated(int("($f i)", &values), 15),
        ends: vec![],
    }
}

fn pipelines(g: &mut Gen) -> Instance {
    let f = g.fresh("f");
    let mut stages = vec![];
    for _ in 0..g.rng.range(1, 5) {
        let stage = g.choice(&[
            " |> List.map (fun x -> $x)",
            " |> List.filter (fun x -> $c)",
            " |> List.rev",
            " |> List.sort compare",
            " |> List.sort (fun (a : int) b -> compare b a)",
            " |> List.mapi (fun i x -> i + $x)",
            " |> List.filter_map (fun x -> if $c then Some ($x) else None)",
            " |> List.concat_map (fun x -> if $c then [ x; n ] else [])",
            " |> (fun l -> List.combine l l) |> List.map (fun (x, y) -> $x - y)",
            " |> List.map (fun x -> (x, $x)) |> List.sort (fun (a, b) (c, d) -> compare (b, a) (d, c)) |> List.map fst",
            " |> Array.of_list |> Array.map (fun x -> $x) |> Array.to_list",
            " |> List.to_seq |> Seq.filter (fun x -> $c) |> List.of_seq",
            " |> List.map string_of_int |> List.sort compare |> List.map String.length",
        ]);
        let values = [("x", g.int(&["x", "n"])), ("c", g.condition(&["x", "n"]))];
        stages.push(filled(stage, &values));
    }
    let last = g.choice(&[
        "List.fold_left (fun s x -> s + $x) 0",
        "List.length",
        "(fun l -> List.fold_right (fun x s -> x - s) l n)",
        "(fun l -> if List.exists (fun x -> $c) l then 1 else 2)",
    ]);
    let values = [("x", g.int(&["x", "n"])), ("c", g.condition(&["x", "n"]))];
    let values = [
        ("f", Node::from(&f)),
        ("a", g.attribute().into()),
        ("stages", Node::plain("", stages)),
        ("last", plain(last, &values)),
    ];
    let definition = filled("let$a $f n = (Fz.list$stages |> $last) land 0xFFFF\n", &values);
    Instance { items: vec![definition], kernel: Kernel::Iterated(int("($f i)", &values), 5), ends: vec![] }
}
