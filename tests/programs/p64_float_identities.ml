(* flags: -w -a *)
(* pitfalls 64-67: no algebraic identity on floats that isn't exact; comparison of every kind. *)
let o = Sys.opaque_identity
let vals = [ 0.; -0.; 1.; -1.; 0.1; 1e308; -1e308; 1e-320; infinity; neg_infinity; nan; epsilon_float; 4503599627370497.5 ]
let s x = if x <> x then "nan" else Printf.sprintf "%h" x
let b x = if x then '1' else '0'
let un = [ (fun x -> x +. 0.); (fun x -> x -. 0.); (fun x -> 0. -. x); (fun x -> x *. 1.); (fun x -> x *. 0.); (fun x -> x *. 2.); (fun x -> x /. 1.); (fun x -> x /. 2.); (fun x -> x /. 10.); (fun x -> x -. x); (fun x -> x /. x); (fun x -> -.x); (fun x -> abs_float x); (fun x -> x +. x); (fun x -> -.(-.x)); (fun x -> x *. -1.); sqrt; (fun x -> 1. /. x); (fun x -> x +. 1. -. 1.); Float.round; floor; ceil; Float.trunc ]
let () =
  List.iter (fun x -> List.iter (fun f -> print_string (s (f x)); print_char ' ') un; print_newline ()) vals;
  List.iter (fun x -> List.iter (fun y ->
    Printf.printf "%c%c%c%c%c%c%c%c%c%c%c%c%d%d%c " (b (x < y)) (b (x <= y)) (b (x > y)) (b (x >= y)) (b (x = y)) (b (x <> y)) (b (not (x < y))) (b (not (x <= y))) (b (not (x > y))) (b (not (x >= y))) (b (not (x = y))) (b (not (x <> y))) (compare x y + 1) (compare (o x) y + 1) (b (if x < y then false else x >= y)))
    vals; print_newline ()) vals;
  List.iter (fun x -> List.iter (fun y -> Printf.printf "%s %s %s %s; " (s (min x y)) (s (max x y)) (s (Float.min x y)) (s (Float.max x y))) [ 0.; -0.; nan; 1. ]; print_newline ()) [ 0.; -0.; nan; 1. ];
  Printf.printf "%b %b %b %b\n" (nan = nan) (compare nan nan = 0) (0. = -0.) (compare 0. (-0.) = 0);
  Printf.printf "%s %s %s\n" (s (0.1 +. 0.2)) (s (o 0.1 +. o 0.2)) (s (0.1 +. 0.2 -. 0.3));
  Printf.printf "%s %s\n" (s (o 1e308 *. 10. /. 10.)) (s ((o 1e16 +. 1.) -. 1e16));
  let fma a x c = (a *. x) +. c in Printf.printf "%s\n" (s (fma (o 0.1) 10. (-1.)));
  Printf.printf "%d %d %d\n" (truncate 3.99) (truncate (o (-3.99))) (int_of_float (o 1e10));
  Printf.printf "%s %s %s %s\n" (s (Float.rem 5.5 (o (-2.)))) (s (mod_float (o (-5.5)) 2.)) (s (Float.fma (o 0.1) 10. (-1.))) (s (ldexp (o 0.75) 4));
  Printf.printf "%s %s %b %b\n" (s (copysign (o 1.) (-0.))) (s (Float.succ 1.)) (Float.sign_bit (o (-0.))) (Float.is_integer (o 3.));
  Printf.printf "%d %d %b\n" (Hashtbl.hash (o (-0.))) (Hashtbl.hash 0.) (Hashtbl.hash nan = Hashtbl.hash (o (0. /. 0.)));
  List.iter (fun f -> print_string (match classify_float f with FP_normal -> "n" | FP_subnormal -> "s" | FP_zero -> "z" | FP_infinite -> "i" | FP_nan -> "x")) vals; print_newline ()
