//! What only OCaml 5 has: effects, and domains that share memory. What a program prints is the same in each execution
//! that the memory model allows.

use super::template::{filled, int};
use super::{Instance, Kernel, Shape, shape};
use crate::generator::Gen;
use crate::tree::Node;

pub(super) const SHAPES: &[Shape] = &[
    shape("state by effects", state),
    shape("generators by effects", generators),
    shape("exceptions through effects", exceptions),
    shape("fibres", fibres),
    shape("publication by atomics", publication),
    shape("updates by compare and set", compare_and_set),
    shape("domains that compute", domains),
];

/// The function `effc` of a deep handler whose computation has a result of type `answer`. Each arm has the pattern of
/// an effect and what its handler evaluates to, with the continuation as `k`.
fn effc(answer: &str, arms: &[(&str, &str)]) -> String {
    let arms: Vec<String> =
        arms.iter().map(|(effect, body)| format!("{effect} -> Some (fun k -> {body}) | ")).collect();
    let arms = arms.concat();
    format!(
        "effc = (fun (type a) (e : a Effect.t) : ((a, {answer}) Effect.Deep.continuation -> {answer}) option -> match e with {arms}_ -> None)"
    )
}

/// A handler for `Effect.Deep.match_with`: `retc` is applied to what the computation returns, exceptions pass.
fn handler(retc: &str, answer: &str, arms: &[(&str, &str)]) -> String {
    format!("{{ retc = {retc}; exnc = raise; {} }}", effc(answer, arms))
}

/// A function whose references, floats and loops live across what it performs; the handler has the state.
fn state(g: &mut Gen) -> Instance {
    let (f, b, m) = (g.fresh("f"), g.fresh("f"), g.fresh("E"));
    let body = g.choice(&[
        "let acc = ref x in for i = 1 to n do if $c then perform ($m.Set (perform $m.Get + $e)); acc := !acc + perform $m.Get done; !acc",
        "let acc = ref 0.5 in for i = 1 to n do acc := !acc *. 1.25; if $c then perform ($m.Set (x + i)) else acc := !acc -. float_of_int (perform $m.Get) done; int_of_float !acc land 0xFFFF",
        "let rec go i acc = if i > n then acc else if $c then go (i + 1) (perform $m.Get + acc) else (perform ($m.Set $e); go (i + 1) (acc lxor i)) in go 1 x",
        "let last = ref None in for i = 1 to n do (match !last with Some (a, b) when $c -> last := Some (b, a + perform $m.Get) | _ -> last := Some (i, x)); perform ($m.Set $e) done; match !last with None -> 0 | Some (a, b) -> a - b",
        "List.fold_left (fun s i -> if $c then s + perform $m.Get else (perform ($m.Set $e); s)) x (List.init n Fun.id)",
    ]);
    // Either a reference holds the state, or the function that handles the rest of the computation has it as its
    // argument.
    let by_reference = handler(
        "(fun r -> r + !state)",
        "int",
        &[("$m.Get", "Effect.Deep.continue k !state"), ("$m.Set s", "state := s; Effect.Deep.continue k ()")],
    );
    let by_argument = handler(
        "(fun r s -> r + s)",
        "(int -> int)",
        &[
            ("$m.Get", "fun s -> Effect.Deep.continue k s s"),
            ("$m.Set s", "fun _ -> Effect.Deep.continue k () s"),
        ],
    );
    let handled = g
        .rng
        .pick(&[
            format!("let state = ref x in Effect.Deep.match_with (fun () -> $b n x) () {by_reference}"),
            format!("(Effect.Deep.match_with (fun () -> $b n x) () {by_argument}) x"),
        ])
        .clone();
    let values = [
        ("f", Node::from(&f)),
        ("b", (&b).into()),
        ("m", (&m).into()),
        ("a", g.attribute().into()),
        ("c", g.condition(&["i", "x"])),
        ("e", g.int(&["i", "x", "n"])),
    ];
    let items = vec![
        filled(
            "module $m = struct type _ Effect.t += Get : int Effect.t | Set : int -> unit Effect.t end\n",
            &values,
        ),
        filled(&format!("let$a $b n x = let open Effect in {body}\n"), &values),
        filled(&format!("let$a $f n x = {handled}\n"), &values),
    ];
    Instance { items, kernel: Kernel::Iterated(int("($f (i land 15) i)", &values), 20), ends: vec![] }
}

/// Iterators turned into sequences, some of which are not run to their end.
fn generators(g: &mut Gen) -> Instance {
    let (f, m) = (g.fresh("f"), g.fresh("E"));
    let producer = g.choice(&[
        "for i = 1 to n do if $c then yield $e; if i land 3 = 0 then yield i done",
        "let rec walk i = if i < n then (walk ((2 * i) + 1); (if $c then yield $e); walk ((2 * i) + 2)) in walk 0",
        "let t = Array.init (n + 1) (fun i -> if $c then [ i; $e ] else [ n ]) in Array.iter (fun l -> List.iter yield l) t",
        "let i = ref 0 in try while true do incr i; let i = !i in if i > n then raise_notrace Exit; if $c then yield $e done with Exit -> yield n",
    ]);
    let consumer = g.choice(&[
        "Seq.fold_left (fun s y -> (s * 3 + y) land 0xFFFF) 0 s",
        "(match s () with Seq.Nil -> 0 | Seq.Cons (y, rest) -> (match rest () with Seq.Nil -> y | Seq.Cons (z, _) -> y - z))",
        "(let rec take k s = if k = 0 then 0 else match s () with Seq.Nil -> k | Seq.Cons (y, r) -> y + take (k - 1) r in take (x land 7) s)",
    ]);
    let values = [
        ("f", Node::from(&f)),
        ("m", (&m).into()),
        ("a", g.attribute().into()),
        ("c", g.condition(&["i", "x"])),
        ("e", g.int(&["i", "x", "n"])),
    ];
    let handler = handler(
        "(fun () -> Seq.Nil)",
        "int Seq.node",
        &[("Yield y", "Seq.Cons (y, fun () -> Effect.Deep.continue k ())")],
    );
    let items = vec![
        filled(
            &format!(
                "module $m = struct type _ Effect.t += Yield : int -> unit Effect.t let$a seq run : int Seq.t = fun () -> Effect.Deep.match_with run (fun y -> Effect.perform (Yield y)) {handler} end\n"
            ),
            &values,
        ),
        filled(&format!("let$a $f n x = let s = $m.seq (fun yield -> {producer}) in {consumer}\n"), &values),
    ];
    Instance { items, kernel: Kernel::Iterated(int("($f (i land 15) i)", &values), 20), ends: vec![] }
}

/// Handlers of exceptions between what performs and what handles it, which may answer by an exception.
fn exceptions(g: &mut Gen) -> Instance {
    let (f, b, m) = (g.fresh("f"), g.fresh("f"), g.fresh("E"));
    let body = g.choice(&[
        "let r = ref x in for i = 1 to n do (try r := !r + perform ($m.Ask $e) with $m.No y -> r := !r - y); if $c then incr r done; !r",
        "let r = ref 0. in (try for i = 1 to n do r := !r +. 1.5; if $c then r := !r +. float_of_int (perform ($m.Ask i)) done with $m.No y -> r := -. !r); int_of_float !r",
        "let log = ref [] in (try Fun.protect ~finally:(fun () -> log := -1 :: !log) (fun () -> for i = 1 to n do log := perform ($m.Ask $e) :: !log done) with $m.No y | Fun.Finally_raised ($m.No y) -> log := y :: !log); List.fold_left (fun s y -> (s * 5 + y) land 0xFFFF) x !log",
        "let rec go i = if i > n then 0 else match perform ($m.Ask $e) with y -> y + go (i + 1) | exception $m.No y when $c -> y + go (i + 2) in (try go 1 with $m.No y -> y)",
    ]);
    let values = [
        ("f", Node::from(&f)),
        ("b", (&b).into()),
        ("m", (&m).into()),
        ("a", g.attribute().into()),
        ("c", g.condition(&["i", "x"])),
        ("e", g.int(&["i", "x", "n"])),
        ("d", g.condition(&["q"])),
        ("v", g.int(&["q", "x"])),
    ];
    let answer = effc(
        "int",
        &[("$m.Ask q", "if $d then Effect.Deep.discontinue k ($m.No q) else Effect.Deep.continue k $v")],
    );
    let items = vec![
        filled(
            "module $m = struct exception No of int type _ Effect.t += Ask : int -> int Effect.t end\n",
            &values,
        ),
        filled(&format!("let$a $b n x = let open Effect in {body}\n"), &values),
        filled(
            &format!("let$a $f n x = Effect.Deep.try_with (fun () -> $b n x) () {{ {answer} }}\n"),
            &values,
        ),
    ];
    Instance { items, kernel: Kernel::Iterated(int("($f (i land 15) i)", &values), 20), ends: vec![] }
}

/// Fibres that run in turns, each with loops and references of its own.
fn fibres(g: &mut Gen) -> Instance {
    let (f, m) = (g.fresh("f"), g.fresh("E"));
    let work = g.choice(&[
        "for i = 1 to n do if $c then Effect.perform $m.Yield; total := (!total * 3 + $e) land 0xFFFFFF done",
        "let own = ref 1.5 in for i = 1 to n do own := !own +. float_of_int $e; if $c then Effect.perform $m.Yield done; total := (!total + int_of_float !own) land 0xFFFFFF",
        "let rec go i l = if i > n then List.iter (fun y -> total := (!total lxor y) land 0xFFFFFF) l else (if $c then Effect.perform $m.Yield; go (i + 1) ($e :: l)) in go 1 []",
    ]);
    let values = [
        ("f", Node::from(&f)),
        ("m", (&m).into()),
        ("a", g.attribute().into()),
        ("c", g.condition(&["i", "x"])),
        ("e", g.int(&["i", "x", "n"])),
    ];
    let handler = handler(
        "next",
        "unit",
        &[("Yield", "Queue.push (fun () -> Effect.Deep.continue k ()) queue; next ()")],
    );
    let items = vec![
        filled(
            &format!(
                "module $m = struct type _ Effect.t += Yield : unit Effect.t let$a run fibres = let queue = Queue.create () in let next () = match Queue.take_opt queue with Some go -> go () | None -> () in List.iter (fun fibre -> Queue.push (fun () -> Effect.Deep.match_with fibre () {handler}) queue) fibres; next () end\n"
            ),
            &values,
        ),
        filled(
            &format!(
                "let$a $f n count = let total = ref 0 in $m.run (List.init count (fun x () -> {work})); !total\n"
            ),
            &values,
        ),
    ];
    Instance {
        items,
        kernel: Kernel::Iterated(int("($f (i land 15) (i land 3))", &values), 10),
        ends: vec![],
    }
}

/// Two domains: one writes plain memory and then an atomic, for which the other waits before it reads. The result is
/// how often the values read are not those written: it must be 0.
fn publication(g: &mut Gen) -> Instance {
    let (f, m) = (g.fresh("f"), g.fresh("M"));
    let (of, write, right) = *g.rng.pick(&[
        (
            "{ mutable a : int; mutable b : float }",
            "m.a <- $e; m.b <- float_of_int round",
            "(m.a = $e && m.b = float_of_int round)",
        ),
        (
            "{ mutable a : int list; mutable b : string }",
            "m.a <- [ round; $e ]; m.b <- string_of_int round",
            "(m.a = [ round; $e ] && m.b = string_of_int round)",
        ),
        (
            "{ mutable a : int array; mutable b : int }",
            "m.a.(0) <- $e; m.b <- round; if $c then m.a <- [| $e |]",
            "(m.a.(0) = $e && m.b = round)",
        ),
        (
            "{ mutable a : float array; mutable b : int option }",
            "m.a.(0) <- float_of_int $e; m.b <- (if $c then Some round else None)",
            "(m.a.(0) = float_of_int $e && m.b = (if $c then Some round else None))",
        ),
        (
            "{ mutable a : bytes; mutable b : (int * int) }",
            "Bytes.set_uint16_le m.a 0 ($e land 0xFFFF); m.b <- (round, round)",
            "(Bytes.get_uint16_le m.a 0 = $e land 0xFFFF && fst m.b = round && snd m.b = round)",
        ),
    ]);
    let new = match of {
        of if of.contains("int list") => "{ a = []; b = \"\" }",
        of if of.contains("int array") => "{ a = [| 0 |]; b = 0 }",
        of if of.contains("float array") => "{ a = [| 0. |]; b = None }",
        of if of.contains("bytes") => "{ a = Bytes.make 2 'a'; b = (0, 0) }",
        _ => "{ a = 0; b = 0. }",
    };
    let wait = g.choice(&[
        "while Atomic.get flag <> $t do () done",
        "while Atomic.get flag <> $t do Domain.cpu_relax () done",
        "let rec wait () = if Atomic.get flag <> $t then wait () in wait ()",
        "let before = (m.a, m.b) in while Atomic.get flag <> $t do () done; ignore (Sys.opaque_identity before)",
    ]);
    let signal = g.choice(&["Atomic.set flag $t", "ignore (Atomic.exchange flag $t)", "Atomic.incr flag"]);
    let fill = |text: &str, t: &str| text.replace("$t", t);
    let values = [
        ("f", Node::from(&f)),
        ("m", (&m).into()),
        ("a", g.attribute().into()),
        ("c", g.condition(&["round"])),
        ("e", g.int(&["round"])),
    ];
    let reader = format!(
        "let$a read m flag rounds = let bad = ref 0 in for round = 1 to rounds do {}; if not {right} then incr bad; {} done; !bad",
        fill(wait, "(2 * round - 1)"),
        fill(signal, "(2 * round)"),
    );
    let writer = format!(
        "let$a write m flag rounds = for round = 1 to rounds do {write}; {}; {} done",
        fill(signal, "(2 * round - 1)"),
        fill(wait, "(2 * round)"),
    );
    let items = vec![
        filled(
            &format!("module $m = struct type t = {of} let make () = {new} {reader} {writer} end\n"),
            &values,
        ),
        filled(
            "let $f rounds = let m = $m.make () and flag = Atomic.make 0 in let reader = Domain.spawn (fun () -> $m.read m flag rounds) in $m.write m flag rounds; Domain.join reader\n",
            &values,
        ),
    ];
    Instance { items, kernel: Kernel::Once(int("($f 200)", &values)), ends: vec![] }
}

/// Domains that change one atomic by compare-and-set until it succeeds: no change is lost.
fn compare_and_set(g: &mut Gen) -> Instance {
    let f = g.fresh("f");
    let (start, next, read) = *g.rng.pick(&[
        ("0", "old + $e", "Atomic.get cell land 0xFFFFFF"),
        ("0.5", "old +. float_of_int ($e land 63)", "int_of_float (Atomic.get cell)"),
        (
            "(0, 0)",
            "(fst old + 1, (snd old + $e) land 0xFFFFFF)",
            "fst (Atomic.get cell) + snd (Atomic.get cell)",
        ),
        ("[]", "($e :: old)", "List.fold_left (fun s y -> (s + y) land 0xFFFFFF) 0 (Atomic.get cell)"),
        ("0L", "Int64.add old (Int64.of_int $e)", "Int64.to_int (Atomic.get cell) land 0xFFFFFF"),
    ]);
    let change = g.choice(&[
        "let rec change i = let old = Atomic.get cell in if not (Atomic.compare_and_set cell old ($next)) then change i in change i",
        "let go = ref true in while !go do let old = Atomic.get cell in go := not (Atomic.compare_and_set cell old ($next)) done",
        "let old = ref (Atomic.get cell) in while not (let old = !old in Atomic.compare_and_set cell old ($next)) do old := Atomic.get cell done",
    ])
    .replace("$next", next);
    let values = [
        ("f", Node::from(&f)),
        ("a", g.attribute().into()),
        ("e", g.int(&["i", "d"])),
        ("c", g.condition(&["i"])),
    ];
    let items = vec![filled(
        &format!(
            "let$a $f domains n = let cell = Atomic.make {start} in let work d = for i = 1 to n do if $c then ({change}) done in List.iter Domain.join (List.init domains (fun d -> Domain.spawn (fun () -> work d))); {read}\n"
        ),
        &values,
    )];
    Instance { items, kernel: Kernel::Once(int("($f 2 300)", &values)), ends: vec![] }
}

/// Domains that compute and allocate by themselves, with collections of the whole heap among them.
fn domains(g: &mut Gen) -> Instance {
    let f = g.fresh("f");
    let work = g.choice(&[
        "let l = ref [] in for i = 1 to n do l := (i, float_of_int $e) :: (if $c then [] else !l); if i land 127 = x then Gc.minor () done; List.fold_left (fun s (i, y) -> (s * 3 + i + int_of_float y) land 0xFFFFFF) 0 !l",
        "let t = Hashtbl.create 7 in for i = 1 to n do Hashtbl.replace t $e (i, x); if $c then Hashtbl.remove t i done; Hashtbl.fold (fun k (i, _) s -> (s + k + i) land 0xFFFFFF) t 0",
        "let b = Buffer.create 9 in for i = 1 to n do if $c then Buffer.add_string b (string_of_int $e) done; if x = 0 then Gc.full_major (); Hashtbl.hash (Buffer.contents b)",
        "let a = Array.make 16 [] in for i = 1 to n do let k = $e land 15 in a.(k) <- i :: (if $c then [] else a.(k)) done; if x = 1 then Gc.compact (); Array.fold_left (fun s l -> s * 3 + List.length l) 0 a land 0xFFFFFF",
    ]);
    let values = [
        ("f", Node::from(&f)),
        ("a", g.attribute().into()),
        ("c", g.condition(&["i", "x"])),
        ("e", g.int(&["i", "x"])),
    ];
    let items = vec![filled(
        &format!(
            "let$a $f domains n = let work x = {work} in List.fold_left (fun s d -> (s * 7 + Domain.join d) land 0xFFFFFF) 0 (List.init domains (fun x -> Domain.spawn (fun () -> work x)))\n"
        ),
        &values,
    )];
    Instance { items, kernel: Kernel::Once(int("($f 3 500)", &values)), ends: vec![] }
}
