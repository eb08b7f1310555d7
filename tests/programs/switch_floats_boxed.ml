(* flags: -w -a *)
(* Matching floats, int32, int64, nativeint, arrays, lists, tuples of them. *)
let f = function 0. -> "zero" | 1. -> "one" | -1.5 -> "m" | 1e100 -> "big" | infinity when infinity = Float.infinity -> "inf" | x when x <> x -> "nan" | _ -> "other"
let i32 = function 0l -> 0 | 1l -> 1 | -1l -> 2 | 0x7fffffffl -> 3 | 0x80000000l -> 4 | 5l | 6l | 7l -> 5 | _ -> 6
let i64 = function 0L -> 0 | 0x7fffffffffffffffL -> 1 | 0x8000000000000000L -> 2 | -1L -> 3 | 10L | 20L -> 4 | 4611686018427387904L -> 5 | _ -> 6
let nat = function 0n -> 0 | 1n -> 1 | -5n -> 2 | 100n -> 3 | _ -> 4
let arr = function [||] -> "[]" | [| x |] -> "1:" ^ string_of_int x | [| 1; x |] -> "1," ^ string_of_int x | [| x; 2 |] -> string_of_int x ^ ",2" | [| _; _ |] -> "2" | [| a; _; b |] when a = b -> "aba" | [| 0; 0; 0; 0 |] -> "zeros" | a -> string_of_int (Array.length a)
let farr = function [| 0. |] -> 0. | [| x; y |] -> x +. y | [| 1.; _; z |] -> z | a -> float (Array.length a)
let sarr = function [| "a" |] -> 1 | [| "a"; _ |] | [| _; "a" |] -> 2 | _ -> 3
let lst = function [] -> 0 | [ x ] -> x | [ x; y ] when x > y -> x - y | [ 0; _ ] -> 7 | x :: (y :: _ as r) when y = 5 -> x + List.length r | _ :: _ :: z :: _ -> z | _ -> -1
let poly (a : 'a array) = match a with [| x; y |] -> Some (y, x) | _ -> None
let mix = function (1, 1., "1") -> 1 | (n, 1., _) when n > 5 -> n | (_, x, "s") -> truncate x | (2, _, _) -> 22 | _ -> 0
let as_pat = function (1 | 2 as x), (y, _ as p) -> x + y + snd p | x, ((_, 0) | (0, _) as q) -> fst q - x | x, _ -> x
let () =
  List.iter (fun x -> print_string (f x ^ " ")) [ 0.; -0.; 1.; -1.5; 1e100; infinity; nan; 2. ]; print_newline ();
  List.iter (fun x -> Printf.printf "%d " (i32 x)) [ 0l; 1l; -1l; Int32.max_int; Int32.min_int; 6l; 8l ]; List.iter (fun x -> Printf.printf "%d " (i64 x)) [ 0L; Int64.max_int; Int64.min_int; -1L; 20L; 4611686018427387904L; 3L ]; List.iter (fun x -> Printf.printf "%d " (nat x)) [ 0n; 1n; -5n; 100n; 7n ]; print_newline ();
  List.iter (fun x -> print_string (arr x ^ " ")) [ [||]; [| 4 |]; [| 1; 9 |]; [| 5; 2 |]; [| 5; 5 |]; [| 3; 1; 3 |]; [| 0; 0; 0; 0 |]; [| 1; 2; 3 |] ]; List.iter (fun x -> Printf.printf "%g " (farr x)) [ [| 0. |]; [| -0. |]; [| 3. |]; [| 1.; 2.5 |]; [| 1.; 2.; 9. |]; [||] ]; print_newline ();
  List.iter (fun x -> Printf.printf "%d " (sarr x)) [ [| "a" |]; [| "a"; "b" |]; [| "c"; "a" |]; [||] ]; List.iter (fun x -> Printf.printf "%d " (lst x)) [ []; [ 4 ]; [ 5; 3 ]; [ 0; 9 ]; [ 1; 5; 8 ]; [ 1; 2; 3 ]; [ 1; 2 ] ]; print_newline ();
  (match poly [| 1.; 2. |] with Some (a, b) -> Printf.printf "%g %g " a b | None -> ()); (match poly [| "p"; "q" |] with Some (a, b) -> print_string (a ^ b) | None -> ()); print_newline ();
  List.iter (fun x -> Printf.printf "%d " (mix x)) [ (1, 1., "1"); (9, 1., ""); (3, 4.5, "s"); (2, 0., ""); (0, 0., "") ]; List.iter (fun x -> Printf.printf "%d " (as_pat x)) [ (1, (2, 3)); (5, (9, 0)); (5, (0, 4)); (5, (1, 1)) ]; print_newline ()
