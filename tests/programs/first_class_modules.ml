(* flags: -w -a *)
(* First-class modules: packing, unpacking, in data, with type constraints, functors on unpacked modules, coercions. *)
module type SHOW = sig type t val show : t -> string end
module type NUM = sig type t val zero : t val add : t -> t -> t val of_int : int -> t include SHOW with type t := t end
module I = struct type t = int let zero = 0 let add = ( + ) let of_int x = x let show = string_of_int let hidden = 1 end
module F = struct type t = float let show = Printf.sprintf "%g" let hidden = 2 let of_int = float let add = ( +. ) let zero = 0. end
type any = Any : (module SHOW with type t = 'a) * 'a -> any
let sum (type a) (module N : NUM with type t = a) l = List.fold_left N.add N.zero l
let show (Any ((module S), x)) = S.show x
let nums : (module NUM) list = [ (module I); (module F) ]
let total n (module N : NUM) = let rec go i acc = if i > n then N.show acc else go (i + 1) (N.add acc (N.of_int i)) in go 1 N.zero
let pick b = if b then (module I : NUM) else (module F)
module Double (N : NUM) = struct include N let add a b = add (add a b) (add a b) end
let doubled (module N : NUM) = let module D = Double (N) in (module D : NUM)
let tbl : (string, (module NUM)) Hashtbl.t = Hashtbl.create 3
let make_show (type a) f = (module struct type t = a let show = f end : SHOW with type t = a)
let rec nest n m = if n = 0 then m else nest (n - 1) (doubled m)
let set (type e) cmp (l : e list) = let module S = Set.Make (struct type t = e let compare = cmp end) in S.elements (S.of_list l)
module type S1 = sig val a : int val b : string val f : int -> int end
module type S2 = sig val f : int -> int val a : int end
let coerce (m : (module S1)) = let module M = (val m) in (module M : S2)
let () =
  Printf.printf "%d %g\n" (sum (module I) [ 1; 2 ]) (sum (module F) [ 0.5; 2. ]); List.iter (fun a -> print_string (show a ^ " ")) [ Any ((module I), 3); Any ((module F), 2.5); Any (make_show String.escaped, "a\n") ];
  List.iter (fun m -> print_string (total 10 m ^ " ")) (nums @ List.map doubled nums @ [ pick true; pick false ]); print_newline (); Hashtbl.add tbl "i" (module I); Hashtbl.add tbl "f" (module F);
  Hashtbl.fold (fun k m acc -> (k ^ total 3 m) :: acc) tbl [] |> List.sort compare |> List.iter print_endline; print_endline (total 3 (nest 3 (module I)));
  List.iter print_int (set (fun a b -> compare b a) [ 1; 2; 1; 3 ]); let (module C) = coerce (module struct let f x = x * 3 and a = 5 let b = "b" end) in Printf.printf " %d\n" (C.f C.a)
