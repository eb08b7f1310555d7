(* flags: -w -a *)
(* pitfalls 7, 8, 58: unspecified shifts and dead unsafe accesses neither crash the compiler nor delete code. *)
let o = Sys.opaque_identity
let guard_shift x n = if n >= 0 && n < 63 then x lsl n else 0
let guard64 x n = if n < 64 then Int64.shift_left x n else 0L
let ignored x = ignore (x lsl 64); ignore (x lsr 100); ignore (x asr (-1)); ignore (Int32.shift_left 1l 40); ignore (Int64.shift_right 1L 64); x + 1
let f c = if o c then (let k = 70 in ignore (1 lsl k); "then") else "else"
let g a i = if i < Array.length a then Array.unsafe_get a i else -1
let h s i = if i >= 0 && i < String.length s then String.unsafe_get s i else '?'
let dead b = if b then 1 else (let a = [| 1; 2 |] in if Array.length a > 5 then Array.unsafe_get a 5 else 2)
let k (x : int) = match x with 0 -> "0" | n when n lsr 62 = 1 && n < 0 -> "neg" | n when n lsr 62 > 0 -> "neg2" | _ -> "pos"
let () =
  Printf.printf "%d %d %d %d\n" (guard_shift 1 62) (guard_shift 1 63) (guard_shift 3 (-1)) (guard_shift 1 64);
  Printf.printf "%Lx %Lx\n" (guard64 1L 63) (guard64 1L 64);
  Printf.printf "%d %s %s\n" (ignored 4) (f true) (f false);
  Printf.printf "%d %d %c %c\n" (g [| 1; 2 |] 1) (g [| 1 |] 3) (h "abc" 2) (h "abc" 3);
  Printf.printf "%d %d %s %s %s\n" (dead true) (dead false) (k 0) (k (-3)) (k 3);
  for n = 0 to 62 do if n mod 7 = 0 then Printf.printf "%d %d %d; " (o 5 lsl n) (o (-5) lsr n) (o (-5) asr n) done;
  print_newline ();
  for n = 0 to 31 do if n mod 5 = 0 then Printf.printf "%ld %ld %ld; " (Int32.shift_left (o 5l) n) (Int32.shift_right_logical (o (-5l)) n) (Int32.shift_right (o (-5l)) n) done;
  print_newline ()
