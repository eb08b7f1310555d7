(* Functors whose functions are called through their closures *)
module type O = sig type t val compare : t -> t -> int val show : t -> string end
module Make (X : O) = struct
  type t = E | N of t * X.t * t
  let rec add x = function E -> N (E, x, E) | N (l, y, r) as t ->
    let c = X.compare x y in if c = 0 then t else if c < 0 then N (add x l, y, r) else N (l, y, add x r)
  let rec fold f t a = match t with E -> a | N (l, y, r) -> fold f r (f y (fold f l a))
  let show t = "{" ^ String.concat " " (List.rev (fold (fun x l -> X.show x :: l) t [])) ^ "}"
  let of_list l = List.fold_left (fun t x -> add x t) E l
  let counter = ref 0
  let tick () = incr counter; !counter
  let curried a = let n = tick () in fun b -> X.compare a b + n
end
module I = Make (struct type t = int let compare = compare let show = string_of_int end)
module S = Make (struct type t = string let compare = compare let show s = s end)
let test n =
  let module L = Make (struct type t = int let compare a b = compare (a mod n) (b mod n) let show x = string_of_int (x mod n) end) in
  L.show (L.of_list [5; 3; 8; 1; 9]) ^ string_of_int (L.tick () + L.tick ()) ^ string_of_int (L.curried 3 4)
let () =
  print_endline (I.show (I.of_list [3; 1; 2; 3]));
  print_endline (S.show (S.add "x" (S.of_list ["b"; "a"])));
  Printf.printf "%d %d %d %d\n" (I.tick ()) (I.tick ()) (S.tick ()) (I.curried 1 2);
  List.iter (fun n -> print_endline (test n)) [2; 3; 4]
(* What a functor's module holds may be what a function returned that is inlined in the functor later. *)
let make n =
  let a = Array.init 4 (fun i -> i * n) in
  let b = List.fold_left (fun s x -> (s * 31) + x) n (Array.to_list a) in
  let c = if b land 1 = 0 then b / 2 else (3 * b) + 1 in
  fun y -> (y * c) + a.(y land 3) + b
module Held (X : sig val n : int end) = struct
  let f = make X.n
  let rec g x = if x > 100 then x else g (f x land 63 + x + 1)
  let pick x = if x land 1 = 0 then f else fun y -> y - X.n
  module Inner = struct let f = f let h x = pick x x end
end
module H1 = Held (struct let n = 3 end)
module H2 = Held (struct let n = Array.length Sys.argv + 4 end)
let () =
  List.iter
    (fun x -> Printf.printf "%d %d %d %d\n" (H1.f x) (H2.g x) (H1.Inner.h x) (H2.Inner.f x))
    [1; 2; 3; 50]
