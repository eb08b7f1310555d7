(* Manual 21.4: a function that is not closed is not specialised by Flambda 1; here it is. *)

let outer k xs =
  let rec sum f l =
    match l with
    | [] -> k
    | h :: t -> f h + sum f t
  in
  sum (fun x -> x * k) xs
(* expect outer: no indirect call *)
(* expect unit: no indirect call *)
