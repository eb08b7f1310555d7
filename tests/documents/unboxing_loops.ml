(* Unboxing in Flambda 2, "Overview": around loops, if the first uses in the loop and after it want what is inside. *)

let sum n =
  let rec loop acc i = if i = 0 then acc else loop (acc +. float_of_int i) (i - 1) in
  int_of_float (loop 0. n)
(* expect sum: no allocation, 1 loop *)

(* Adding 0. is a use, which is not optimised away. *)
let with_use n x =
  let rec loop acc i = if i = 0 then acc else loop (acc +. x) (i - 1) in
  loop 0. n +. 0.
(* expect with_use: 1 box, 1 loop, 2 fadds *)
let zero x = x +. 0.
(* expect zero: 1 fadd *)

let of_int64 n =
  let rec loop acc i = if i = 0 then acc else loop (Int64.add acc (Int64.of_int i)) (i - 1) in
  Int64.to_int (loop 0L n)
(* expect of_int64: no allocation, 1 loop *)

let pair n =
  let rec loop (a, b) i = if i = 0 then a + b else loop (b, a + b) (i - 1) in
  loop (0, 1) n
(* expect pair: no allocation, 1 loop *)

let variant n =
  let rec loop o i =
    if i = 0 then (match o with None -> 0 | Some x -> x)
    else loop (match o with None -> Some i | Some x -> Some (x + i)) (i - 1) in
  loop None n
(* expect variant: no allocation, 1 loop *)

(* The document's condition fails, and it would allocate in each turn: made where the loop is left (its "future"). *)
let[@inline never] keep (x : float) = Sys.opaque_identity x
let used_after n x =
  let rec loop acc i = if i = 0 then acc else loop (acc +. x) (i - 1) in
  keep (loop 0. n)
(* expect used_after: 1 rebox, 1 loop *)
