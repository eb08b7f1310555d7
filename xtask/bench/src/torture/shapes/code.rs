//! Long code: straight lines, constants, loops, and branches that join.

use std::fmt::Write as _;

/// Bindings one after the other, as of unrolled code: arithmetic, tuples, references, floats, calls, a few branches.
pub fn chain_of_lets(size: usize) -> String {
    let mut text = String::from(
        "let id = Sys.opaque_identity (fun (x : int) -> x)
let small x y = if x > y then x - y else y
let f x0 y =
",
    );
    for i in 0..size {
        let next = i + 1;
        match (i % 60, i % 6) {
            (15, _) => line!(text, "let x{next} = small x{i} {i} in"),
            (45, _) => line!(text, "let x{next} = if x{i} land 1 = 0 then x{i} + 1 else {i} in"),
            (_, 0) => line!(text, "let x{next} = x{i} * 3 + {i} in"),
            (_, 1) => line!(text, "let r = ref x{i} in r := !r lxor {i}; let x{next} = !r in"),
            (_, 2) => line!(text, "let x{next} = id x{i} in"),
            (_, 3) => line!(text, "let x{next} = x{i} land 0xffff + String.length \"{i}\" in"),
            (_, 4) => line!(text, "let x{next} = int_of_float (float_of_int x{i} *. y) in"),
            _ => line!(text, "let x{next} = match (x{i}, {i}) with a, b -> a + b in"),
        }
    }
    line!(text, "x{size}\nlet () = Printf.printf \"%d\\n\" (f 1 1.5)");
    text
}

/// Constants of all kinds, nested and flat, and functions that match on them.
pub fn huge_constants(size: usize) -> String {
    let mut text = String::from("type r = { a : int; b : float; c : string; d : r option; e : int array }\n");
    line!(text, "type k = {}", (0..50).map(|i| format!("K{i}")).collect::<Vec<_>>().join(" | "));
    line!(text, "let records = [");
    for i in 0..size {
        line!(
            text,
            "  {{ a = {i}; b = {i}.25; c = \"item {i}\"; d = Some {{ a = 1; b = 2.; c = \"\"; d = None; e = [||] }}; e = [| {i}; 2; 3 |] }};"
        );
    }
    line!(text, "]\nlet floats = [|");
    for i in 0..size {
        line!(text, "  {i}.5; {}e-3; 0x1.8p{};", i * 7, i % 100);
    }
    line!(text, "|]\nlet pairs = [|");
    for i in 0..size {
        line!(text, "  (K{}, \"key{i}\", {i}L, Some [ {i}; {} ]);", i % 50, i + 1);
    }
    line!(text, "|]\nlet find = function");
    for i in 0..size {
        line!(text, "  | \"key{i}\" -> Some ({i}, \"value {i}\")");
    }
    line!(text, "  | _ -> None\nlet table = function");
    for i in 0..size {
        line!(text, "  | {i} -> \"row {}\"", i % 10);
    }
    line!(text, "  | _ -> \"\"
let () =
  Printf.printf \"%d %f %d %s\\n\" (List.fold_left (fun n r -> n + r.a + Array.length r.e) 0 records)
    (Array.fold_left (+.) 0. floats)
    (Array.fold_left (fun n (_, k, i, _) -> match find k with Some (j, _) -> n + j + Int64.to_int i | None -> n) 0 pairs)
    (table {})", size / 2);
    text
}

/// Nests of loops over references, floats and arrays, all live at once, with handlers and exits.
pub fn loops_and_references(size: usize) -> String {
    let mut text = String::from("exception Out of int\n");
    for part in 0..(size / 50).max(1) {
        line!(text, "let f{part} (a : int array) n =");
        for k in 0..12 {
            line!(text, "  let i{k} = ref {k} and x{k} = ref {k}.5 in");
        }
        line!(text, "  (try");
        for i in 0..50 {
            let (k, l) = (i % 12, (i * 5 + 1) % 12);
            match i % 5 {
                0 => line!(
                    text,
                    "  for j = 0 to n do i{k} := !i{k} + a.(j land 7); x{k} := !x{k} +. float_of_int j done;"
                ),
                1 => line!(
                    text,
                    "  while !i{k} > {i} do i{k} := !i{k} / 2; if !i{l} < 0 then raise (Out !i{k}) done;"
                ),
                2 => line!(
                    text,
                    "  (try i{k} := a.(!i{l} land 15) + i{k}.contents with Invalid_argument _ -> i{l} := !i{k} + 1);"
                ),
                3 => line!(
                    text,
                    "  for j = 1 to 3 do for k = 1 to 3 do x{k} := !x{l} *. 0.5 +. float_of_int (j * k); if !x{k} > 1e9 then i{k} := 0 done done;"
                ),
                _ => line!(
                    text,
                    "  if !i{k} > !i{l} then (i{k} := !i{l}; x{l} := !x{k}) else i{l} := !i{k} land 0xff;"
                ),
            }
        }
        line!(text, "  with Out n -> i0 := n);");
        let ints: String = (1..12).fold("!i0".to_owned(), |mut all, k| {
            let _ = write!(all, " + !i{k}");
            all
        });
        let floats: String = (1..12).fold("!x0".to_owned(), |mut all, k| {
            let _ = write!(all, " +. !x{k}");
            all
        });
        line!(text, "  ({ints}, {floats})");
    }
    line!(
        text,
        "let () = let a, b = f0 [| 1; 2; 3; 4; 5; 6; 7; 8 |] (Sys.opaque_identity 9) in Printf.printf \"%d %h\\n\" a b"
    );
    text
}

/// Values made in the arms of one match and taken apart by the next, again and again: all that is known at the joins
/// is worth passing on.
pub fn joins_of_variants(size: usize) -> String {
    let mut text = String::from(
        "type v = I of int | F of float | P of v * v | N | R of { a : int; b : float; c : v }\n",
    );
    line!(text, "let id = Sys.opaque_identity (fun (x : v) -> x)");
    line!(
        text,
        "let rec n = function I n -> n | F x -> int_of_float x | P (a, b) -> n a + n b | N -> 0 | R {{ a; _ }} -> a"
    );
    line!(text, "let f x0 k =");
    for i in 0..size {
        let next = i + 1;
        match i % 5 {
            0 => line!(
                text,
                "let x{next} = match x{i} with I n -> F (float_of_int n) | F x -> I (int_of_float x) | P (a, _) -> a | N -> I k | R r -> r.c in"
            ),
            1 => line!(
                text,
                "let x{next} = if k > {i} then P (x{i}, x{i}) else match x{i} with R r -> P (r.c, N) | y -> R {{ a = {i}; b = 1.5; c = y }} in"
            ),
            2 => line!(
                text,
                "let x{next} = match x{i} with P (I a, I b) -> I (a + b) | P (F a, _) -> F (a +. 1.) | P (_, b) -> b | R r -> R {{ r with a = r.a + 1 }} | y -> y in"
            ),
            3 => line!(
                text,
                "let x{next} = match x{i}, k land 3 with (I a, 0) -> I (a + {i}) | (F a, 1) -> F (a *. 2.) | (N, _) -> id N | (y, 2) -> P (y, I {i}) | (y, _) -> y in"
            ),
            _ => line!(
                text,
                "let x{next} = match x{i} with R {{ a; b; c }} when a > {i} -> P (c, F b) | P (a, b) when a == b -> a | y -> y in"
            ),
        }
    }
    line!(text, "n x{size}\nlet () = Printf.printf \"%d %d\\n\" (f (I 3) (Sys.opaque_identity 5)) (f N 2)");
    text
}
