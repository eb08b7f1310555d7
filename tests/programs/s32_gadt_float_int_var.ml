(* flags: -w -a *)
(* soundness 32: one variable that is an int in an arm and a float in another, after inlining. *)
type _ num = I : int num | F : float num
let[@inline] add (type a) (n : a num) (x : a) (y : a) : a = match n with I -> x + y | F -> x +. y
let[@inline] mul (type a) (n : a num) (x : a) (y : a) : a = match n with F -> x *. y | I -> x * y
let[@inline] of_int : type a. a num -> int -> a = fun n i -> match n with I -> i | F -> (float i : float)
let[@inline] to_float : type a. a num -> a -> float = fun n x -> match n with I -> (float x : float) | F -> (x : float)
let poly n l x = List.fold_left (fun acc c -> add n (mul n acc x) c) (of_int n 0) l
type any = Any : 'a num * 'a -> any
let value (Any (n, x)) = let r = ref x in for i = 1 to 3 do r := add n !r (of_int n i) done; to_float n !r
let[@inline] pow (type a) (n : a num) (x : a) k = let acc = ref (of_int n 1) in for _ = 1 to k do acc := mul n !acc x done; !acc
let () =
  Printf.printf "%d %g\n" (poly I [ 1; 2; 3 ] 10) (poly F [ 1.; 2.; 3. ] 0.5);
  Printf.printf "%d %g\n" (pow I 3 5) (pow F 1.5 4);
  Printf.printf "%g %g\n" (value (Any (I, 4))) (value (Any (F, 0.25)));
  Printf.printf "%d %g\n" (add I 1 2) (mul F (add F 1. 2.) (of_int F 7))
