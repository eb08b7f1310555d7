(* Manual 21.6: attributes that force or forbid specialisation; that of the call goes first. *)

let rec map f l = match l with [] -> [] | h :: t -> let y = f h in y :: map f t
[@@specialise never]
let never l = map (fun x -> x + 1) l
let forced l = (map [@specialised]) (fun x -> x + 2) l
(* expect never: 1 call of map *)
(* expect forced: no call of map, 1 call of copy of map *)

let rec fold f acc l = match l with [] -> acc | h :: t -> f h (fold f acc t)
let forbidden l = (fold [@specialised never]) (fun x y -> x + y) 0 l
let free l = fold (fun x y -> x * y) 1 l
(* expect forbidden: 1 call of fold *)
(* expect free: no call of fold *)
(* expect copy of fold: no indirect call *)
