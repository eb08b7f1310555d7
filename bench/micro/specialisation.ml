(* Recursive functions copied for what is known of their arguments, and arguments unboxed (C1, C6, E4, E5). *)

let row = Measure.row

(* E5: a tuple that does not change, passed through a recursion that is not a loop. *)
let rec weigh (a, b) n = if n = 0 then 0 else if n land 1 = 0 then a + weigh (a, b) (n - 1) else b - weigh (a, b) (n - 1)

let rec through inv n = if n = 0 then fst inv else snd inv + through inv (n - 1)

(* The manual's (21.9.2). *)
let rec loop inv xs = match xs with [] -> fst inv + snd inv | x :: xs -> x + loop2 xs inv
and loop2 ys inv = match ys with [] -> 4 | y :: ys -> y - loop inv ys

let[@inline never] three x = through (x, x + 1) 3
let list = Sys.opaque_identity [ 1; 2; 3 ]
let[@inline never] manual x = loop (x + 42, x + 43) list

let repeat f n =
  let s = ref 0 in
  for i = 1 to n do
    s := !s + f i
  done;
  !s
[@@inline]

let () =
  row "E5 a tuple passed through a recursion" (repeat three);
  row "E5 a tuple taken apart and made again in a recursion" (fun n -> weigh (3, n) n);
  row "E5 the manual's loop and loop2" (repeat manual)

(* E4: the manual's pair (21.9.1), captured and projected. *)
let[@inline never] keep (f : int -> int) = Sys.opaque_identity f

let[@inline never] captured x0 x1 =
  let pair = (x0, x1) in
  ignore (Sys.opaque_identity 0);
  keep (fun y -> fst pair + snd pair + y)

let[@inline never] captured_option x =
  let o = Some x in
  ignore (Sys.opaque_identity 0);
  keep (fun y -> match o with None -> y | Some x -> x + y)

let[@inline never] captured_again x0 x1 =
  let pair = (x0, x1) in
  keep (fun y ->
      let add z = fst pair + z in
      keep add y + snd pair)

let () =
  row "E4 a pair captured and projected" (repeat (fun i -> captured i 2 3));
  row "E4 an option captured and projected" (repeat (fun i -> captured_option i 3));
  row "E4 a pair captured again by an inner closure" (repeat (fun i -> captured_again i 2 3))

(* C1, C6 *)
let rec pow n x = if n = 0 then 1 else x * pow (n - 1) x

let[@specialise] rec power n (f : int -> int -> int) x = if n = 0 then 1 else f x (power (n - 1) f x)

type operations = { zero : int; add : int -> int -> int; scale : int -> int -> int }

let rec horner ops x l = match l with [] -> ops.zero | a :: l -> ops.add a (ops.scale x (horner ops x l))
let rec horner_pair (add, scale) x l = match l with [] -> 0 | a :: l -> add a (scale x (horner_pair (add, scale) x l))

module type Ring = sig
  type t

  val zero : t
  val add : t -> t -> t
  val of_int : int -> t
  val to_int : t -> int
end

module Floats = struct
  type t = float

  let zero = 0.
  let add = ( +. )
  let of_int = float_of_int
  let to_int = int_of_float
end

let sum_ring (module R : Ring) n =
  let rec go acc i = if i = 0 then R.to_int acc else go (R.add acc (R.of_int i)) (i - 1) in
  go R.zero n

let rec count flag n acc = if n = 0 then acc else count flag (n - 1) (if flag then acc + (n land 1) else acc + 1)

type rose = R of int * rose list

let rec tree d = R (d, if d = 0 then [] else [ tree (d - 1); tree (d - 1) ])
let rec rmap f (R (x, l)) = R (f x, List.map (fun r -> rmap f r) l)
let rec total (R (x, l)) = List.fold_left (fun s r -> s + total r) x l
let rose = tree 6

let () =
  row "C1 a constant" (repeat (fun i -> pow 5 i));
  row "C1 a function, [@specialise]" (repeat (fun i -> power 4 (fun a b -> (a * b) + i) 3));
  row "C6 a record of functions" (repeat (fun i -> horner { zero = 0; add = (fun a b -> a + b + i); scale = ( * ) } 2 list));
  row "C6 a tuple of functions" (repeat (fun i -> horner_pair ((fun a b -> a + b + i), ( * )) 2 list));
  row "C6 a first-class module" (sum_ring (module Floats));
  row "C6 a flag" (fun n -> count true n 0);
  row "C6 recursion inside a closure that is passed on" (fun n ->
      let s = ref 0 in
      for i = 1 to n / 50 do
        s := !s + total (rmap (fun x -> x + i) rose)
      done;
      !s)
