(* flags: -w -a *)
(* Integer and character switches: dense, sparse, negative, with holes, ranges and defaults. *)
let dense = function 0 -> 10 | 1 -> 11 | 2 -> 12 | 3 -> 13 | 4 -> 14 | 5 -> 15 | 6 -> 16 | 7 -> 17 | 8 -> 19 | _ -> -1
let sparse = function 1 -> "a" | 100 -> "b" | 10000 -> "c" | 1000000 -> "d" | -1 -> "e" | max when max = max_int -> "max" | _ -> "z"
let neg = function -3 -> 1 | -2 -> 2 | -1 -> 3 | 0 -> 4 | 1 -> 5 | _ -> 0
let holes = function 0 | 2 | 4 | 6 | 8 -> "even" | 1 | 3 | 5 | 9 -> "odd" | 7 -> "seven" | 20 -> "twenty" | _ -> "other"
let ext = function 4611686018427387903 -> "max" | -4611686018427387904 -> "min" | 0 -> "0" | _ -> "_"
let base = function 1000 -> 0 | 1001 -> 1 | 1002 -> 4 | 1003 -> 9 | 1005 -> 25 | _ -> -1
let ch = function 'a' .. 'f' -> 1 | 'g' .. 'z' -> 2 | 'A' .. 'Z' -> 3 | '0' .. '9' -> 4 | ' ' | '\t' | '\n' -> 5 | '\000' -> 6 | '\255' -> 7 | _ -> 0
let hex c = match c with '0' .. '9' -> Char.code c - 48 | 'a' .. 'f' -> Char.code c - 87 | 'A' .. 'F' -> Char.code c - 55 | _ -> raise Not_found
let same = function 0 -> "x" | 1 -> "x" | 2 -> "x" | 3 -> "y" | _ -> "x"
let affine = function 0 -> 5 | 1 -> 8 | 2 -> 11 | 3 -> 14 | 4 -> 17 | _ -> 0
let bools = function true, true -> 1 | true, false -> 2 | false, true -> 3 | false, false -> 4
let pair = function 0, 0 -> "oo" | 0, 1 -> "oi" | 1, 0 -> "io" | n, 1 when n > 5 -> "big" | _, 1 -> "_1" | 2, n -> string_of_int n | _ -> "_"
let bits n = match n land 3 with 0 -> 'a' | 1 -> 'b' | 2 -> 'c' | 3 -> 'd' | _ -> '!'
let eff n = let r = ref 0 in (match n with 0 -> incr r | 1 -> r := 5 | 2 -> () | 3 -> r := n * n | _ -> r := -1); !r
let guard n = match n with x when x < 0 -> "neg" | 0 -> "zero" | x when x mod 2 = 0 -> "even" | 1 | 3 | 5 -> "small odd" | _ -> "odd"
let () =
  for i = -5 to 10 do Printf.printf "%d %s %d %s %s %d %c %d %s; " (dense i) (sparse i) (neg i) (holes i) (same i) (affine i) (bits i) (eff i) (guard i) done; print_newline ();
  List.iter (fun n -> Printf.printf "%s %s %d %d %s; " (sparse n) (ext n) (base n) (dense n) (holes n)) [ 100; 10000; 1000000; 999; 1000; 1001; 1004; 1005; 20; max_int; min_int; 1 lsl 32; 1 lsl 62 ]; print_newline ();
  for i = 0 to 255 do print_int (ch (Char.chr i)) done; print_newline ();
  String.iter (fun c -> match hex c with n -> Printf.printf "%d " n | exception Not_found -> print_string "? ") "09afAFgG"; print_newline ();
  List.iter (fun p -> Printf.printf "%d " (bools p)) [ (true, true); (true, false); (false, true); (false, false) ];
  List.iter (fun p -> Printf.printf "%s " (pair p)) [ (0, 0); (0, 1); (1, 0); (9, 1); (3, 1); (2, 1); (2, 7); (4, 4) ]; print_newline ()
