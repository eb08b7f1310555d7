(* Functions that other units may call, too, called with pairs, records, numbers and constructors that the calls make for
   them: through recursions and groups, with other values by other calls, with values that are kept as well, whose identity
   counts, of types that say nothing of what is there (witnesses), with exceptions and collections on the way. What is
   printed must not depend on which calls get a copy of the function. *)

type shape = Nothing | All | Circle of float | Box of float * float | Many of shape list

let rec through p n = if n = 0 then 0 else if n land 1 = 0 then fst p + through p (n - 1) else snd p + through p (n - 1)

let rec loop inv xs = match xs with [] -> fst inv + snd inv | x :: xs -> x + loop2 xs inv
and loop2 ys inv = match ys with [] -> 4 | y :: ys -> y - loop inv ys

let rec area scale shape depth =
  match shape with
  | Nothing -> 0.
  | All -> if depth > 3 then 1. else area scale (Box (scale, 2.)) (depth + 1)
  | Circle r -> (r *. scale) +. if depth > 3 then 0. else area scale (Box (r, scale)) (depth + 1)
  | Box (a, b) -> (a *. b) +. if depth > 5 then 0.5 else area b (Circle a) (depth + 1)
  | Many l -> List.fold_left (fun sum s -> sum +. area scale s (depth + 1)) 0. l

let rec last acc l =
  match l with
  | [] -> ( match acc with None -> 0 | Some x -> x)
  | x :: l ->
      let y = last (Some x) l in
      y + (match acc with None -> 1 | Some z -> z land 3)

(* The whole is needed, in a function that it is handed on to, or by the caller. *)
let kept = ref []

let rec keeps p n =
  if n = 0 then kept := p :: !kept;
  if n < 0 then 0 else fst p + keeps p (n - 1)

let rec reads p n = if n = 0 then 0 else if n land 1 = 0 then fst p + reads p (n - 1) else reads p (n - 1) - snd p

let kept_by_the_caller x =
  let p = (x, x + 1) in
  let r = reads p 3 in
  kept := p :: !kept;
  let same = List.memq p !kept in
  (r, same)

(* Which one comes decides what may be read. *)
type _ witness = Int : int witness | Pair : (int * int) witness | Triple : (int * int * int) witness | Float : float witness

let rec by_witness : type a. a witness -> a -> int -> int =
 fun w v n ->
  if n > 2 then by_witness w v (n - 1) + 1
  else
    match w with
    | Int -> n
    | Pair -> fst v + n
    | Triple ->
        let _, _, c = v in
        c - n
    | Float -> int_of_float v

let rec mixed p q n = if n = 0 then fst p - snd q else if n land 1 = 0 then snd p + mixed q p (n - 1) else mixed p q (n - 1)

exception Enough of int

let rec raising p n =
  if n = 0 then raise (Enough (fst p))
  else
    let r = try raising p (n - 1) with Enough k when n land 1 = 0 -> k + snd p in
    r + n

let rec collecting p n =
  if n = 0 then String.length (fst p)
  else begin
    Gc.minor ();
    let l = List.length (snd p) in
    l + collecting p (n - 1)
  end

let rec capturing p n = if n = 0 then fun x -> x + fst p else fun x -> capturing p (n - 1) (x + snd p)
let rec numbers (x : float) (n : int64) k = if k = 0 then Int64.to_float n else if k land 3 = 0 then x +. numbers (x +. 1.) n (k - 1) else numbers x (Int64.add n 2L) (k - 1)

let () =
  let any = Sys.opaque_identity (30, 40) in
  for i = 1 to 4 do
    Printf.printf "%d %d %d\n" (through (i, i + 1) 5) (through any i) (through (1, 2) i);
    Printf.printf "%d %d %d\n" (loop (i + 42, i + 43) [ 1; 2; 3 ]) (loop2 [ 5; i ] (i, 2)) (loop any [ i ]);
    Printf.printf "%g %g %g %g\n" (area 2. (Circle (float i)) 0) (area 3. All 0) (area 1. (Box (float i, 0.5)) 0)
      (area 1. (Many [ Circle 2.; All; Nothing; Box (float i, 3.) ]) 0);
    Printf.printf "%d %d %d\n" (last None [ 1; 2; i ]) (last (Some i) []) (last (Some i) [ 7 ]);
    Printf.printf "%d %d\n" (keeps (i, 1) 2) (List.length !kept);
    let r, same = kept_by_the_caller i in
    Printf.printf "%d %b\n" r same;
    Printf.printf "%d %d %d %d\n" (by_witness Int i 4) (by_witness Pair (i, 1) 4) (by_witness Triple (1, 2, i) 4)
      (by_witness Float (float i) 4);
    Printf.printf "%d %d %d\n" (mixed (i, 1) (2, i) 4) (mixed (i, 1) any 4) (mixed any (i, 1) 3);
    (match raising (i, 2) 3 with k -> Printf.printf "%d\n" k | exception Enough k -> Printf.printf "enough %d\n" k);
    Printf.printf "%d\n" (collecting (String.make i 'x', List.init i (fun k -> string_of_int k)) 3);
    Printf.printf "%d\n" (capturing (i, 10) 3 5);
    Printf.printf "%g %g\n" (numbers (float i) 3L 9) (numbers 0.5 (Int64.of_int i) 6)
  done
