(* Manual 21.4: that an argument never changes is found across all functions that call each other; if it changes, the function
   stays as it is. *)
(* file: t.mli *)
val evens : int -> int list -> int list
val changing : int list -> int
(* file: t.ml *)
let rec even f l =
  match l with
  | [] -> []
  | h :: t -> let y = f h in y :: odd f t
and odd g l =
  match l with
  | [] -> []
  | h :: t -> let y = g (h + 1) in y :: even g t
(* The copies capture what the function that is passed captures. *)
let evens k l = even (fun x -> x * k) l
(* expect evens: no indirect call, no call of even *)
(* expect copy of even: no indirect call, no call of odd *)
(* expect copy of odd: no indirect call, no call of even *)
(* expect even: is gone *)

let rec changes f l =
  match l with
  | [] -> 0
  | h :: t -> f h + changes (if h = 0 then f else fun x -> x + h) t
let changing l = changes (fun x -> x) l
(* expect changing: 1 call of changes *)
(* expect changes: 1 indirect call *)
