(* Recursive functions that take numbers and return them, a parameter perhaps: parameters and result become numbers as
   one (`parameters/numbers.rs`). Others get the boxes that they passed, zeros with their signs, and what is no number is
   left alone where it is not used. *)
let rec takf x y z = if x <= y then z else takf (takf (x -. 1.) y z) (takf (y -. 1.) z x) (takf (z -. 1.) x y)
let rec fib n = if n < 2. then n else fib (n -. 1.) +. fib (n -. 2.)
let rec ack m n = if m = 0. then n +. 1. else if n = 0. then ack (m -. 1.) 1. else ack (m -. 1.) (ack m (n -. 1.))

(* Other kinds *)
let rec fib64 n = if Int64.compare n 2L < 0 then n else Int64.add (fib64 (Int64.sub n 1L)) (fib64 (Int64.sub n 2L))
let rec fib32 n = if Int32.compare n 2l < 0 then n else Int32.add (fib32 (Int32.sub n 1l)) (fib32 (Int32.sub n 2l))
let rec fibn n =
  if Nativeint.compare n 2n < 0 then n else Nativeint.add (fibn (Nativeint.sub n 1n)) (fibn (Nativeint.sub n 2n))

(* Groups, constants, exceptions, calls that do not return *)
let rec even x n = if n = 0 then x else odd (x +. 0.5) (n - 1) +. 1.
and odd x n = if n = 0 then 0.25 else if n < 0 then invalid_arg "odd" else even (x *. 2.) (n - 1) -. 1.
let rec careful x n =
  if n = 0 then x
  else if n = 7 then raise Exit
  else (try careful (careful (x +. 1.) (n - 1)) (n - 2) with Exit -> if x > 3. then 17. else x) +. 1.

(* Through closures, loops and other functions *)
let rec spread x n =
  let sum = ref x in
  for i = 1 to n do
    sum := !sum +. spread (!sum /. 2.) (n - i)
  done;
  if n land 1 = 0 then !sum else x
let rec least x y n = if n = 0 then (if x < y then x else y) else least (least y (x +. 1.) (n - 1)) (x -. 0.5) (n - 1)
let apply f = f 3.5 4
let rec twice x n = if n = 0 then x else twice (twice (x *. 1.5) (n - 1)) (n - 1)

(* Needs a box, in itself or elsewhere *)
let kept = ref []
let rec stores x n = if n = 0 then x else (let y = stores (x +. 1.) (n - 1) in kept := y :: !kept; y +. x)
let rec kept_too x n = if n = 0 then x else (let y = x *. 2. in kept := y :: !kept; if n = 3 then y else kept_too (y +. 1.) (n - 1) +. x)
let rec both x n = if n = 0 then (x, x) else let a, b = both (x +. 1.) (n - 1) in (a +. b, x)

(* Chosen by types alone *)
let rec unused (x : float) (y : float) n = if n = 0 then y else if n < 0 then x else unused (x +. 1.) (unused y x (-1)) (n - 1)
let rec dropped (x : float) y n = if n = 0 then y else if n > 5 then x +. dropped y x (n - 3) else dropped (x +. 1.) (dropped x y 0 *. 2.) (n - 1)
let rec count x n = if x > 100. then n else count (x *. 1.5) (n + 1) + count (x +. 30.) n

(* A parameter that is a number for one type alone *)
type _ ty = Float : float ty | Int : int ty
let rec typed : type a. a ty -> a -> float -> int -> a = fun t x y n ->
  match t with
  | Float -> if n = 0 then x else typed Float (x *. 2.) (y +. 1.) (n - 1) +. y
  | Int -> x

let () =
  Printf.printf "%g %g %g\n" (takf 14. 9. 4.) (fib 15.) (ack 2. 5.);
  Printf.printf "%Ld %ld %nd\n" (fib64 15L) (fib32 15l) (fibn 15n);
  Printf.printf "%g %g %g\n" (even 1. 9) (odd 1. 9) (careful 0. 12);
  (match even 1. (-1) with x -> Printf.printf "%g\n" x | exception Invalid_argument s -> print_endline s);
  Printf.printf "%g %g %g %g\n" (spread 1. 6) (least 4. 3. 6) (apply twice) (apply (fun x n -> twice x n));
  Printf.printf "%g %d\n" (stores 1. 5) (List.length !kept);
  Printf.printf "%g %b\n" (kept_too 1. 5) (kept_too 1. 3 == List.hd !kept);
  let a, b = both 1. 4 in
  Printf.printf "%g %g\n" a b;
  (* Signs of zeros, and what is not a number *)
  let id = Sys.opaque_identity in
  Printf.printf "%h %h %h\n" (fib (id (-0.))) (fib (id 0.)) (takf (id 1.) (id 2.) (id (-0.)));
  Printf.printf "%h %h\n" (takf (id 0.) (id 0.) (id (-0.))) (takf (id (-0.)) (id 0.) (id 0.));
  Printf.printf "%h %h\n" (takf (id 1.) (id 2.) (id nan)) (least (id nan) 2. 0);
  Printf.printf "%Lx\n" (Int64.bits_of_float (takf (id 0.) (id 1.) (id (Int64.float_of_bits 0x7ff8000000000123L))));
  (* The box that was passed is what is returned *)
  let x = id 1.5 and z = id 0.1 in
  Printf.printf "%b %b %b\n" (fib x == x) (takf (id 1.) (id 2.) z == z) (fib64 (id 1L) = 1L);
  (* Nobody looks at it *)
  Printf.printf "%g %g\n" (takf 3. 1. 2.) (unused 2. 3. 3);
  Printf.printf "%g %g\n" (dropped (Obj.magic 12) 1.25 (id 0)) (dropped 1. 2. 8);
  Printf.printf "%d\n" (count 1. 0);
  Printf.printf "%g %d\n" (typed Float 1. 2. 3) (typed Int 21 2. 3)
