(* flags: -w -a *)
(* soundness 21: -0. and 0., and nan payloads, are different values at joins. *)
let bits f = Printf.printf "%Lx " (Int64.bits_of_float f)
let z c = if c then -0. else 0.
let inv c = 1. /. z c
let nan1 = Int64.float_of_bits 0x7ff8000000000001L
let nan2 = Int64.float_of_bits 0x7ff8000000000002L
let n c = if c then nan1 else nan2
let m c = match c with 0 -> 0. | 1 -> -0. | 2 -> 0. | _ -> -0.
let r c = let x = ref 0. in if c then x := -0.; 1. /. !x
let sw x = match x with 0. -> "zero" | 1. -> "one" | _ -> "other"
let () =
  List.iter (fun c -> bits (z c); bits (n c); Printf.printf "%g %g\n" (inv c) (r c)) [ true; false ];
  for i = 0 to 3 do Printf.printf "%g " (1. /. m i) done;
  print_newline ();
  Printf.printf "%s %s %s %s\n" (sw 0.) (sw (-0.)) (sw nan) (sw 1.);
  let l = [ 0.; -0.; 0. ] in
  List.iter bits l;
  let f x = x +. 0. and g x = x *. 1. and h x = 0. -. x and k x = -.x and s x = x -. x in
  List.iter (fun x -> bits (f x); bits (g x); bits (h x); bits (k x)) [ 0.; -0.; 2.5; infinity ];
  print_newline ();
  Printf.printf "%b %b %g\n" (s infinity = 0.) (s 1. = 0.) (0. *. -1.);
  let p = (0., -0.) in
  Printf.printf "%b %d %b %g\n" (fst p = snd p) (compare (fst p) (snd p)) (Hashtbl.hash (fst p) = Hashtbl.hash (snd p)) (1. /. snd p);
  Printf.printf "%b %b\n" (z true == z true || true) (compare nan1 nan2 = 0)
