(* flags: -w -a *)
(* Functors: applicative, generative, several arguments, nested, higher-order, returning functors, include, module type of. *)
module type T = sig type t val v : t val show : t -> string end
module type FUN = functor (X : T) -> T
module Int_ = struct type t = int let v = 3 let show = string_of_int end
module Str_ = struct type t = string let v = "s" let show x = x end
module Pair (A : T) (B : T) = struct type t = A.t * B.t let v = (A.v, B.v) let show (a, b) = A.show a ^ "," ^ B.show b end
module List_ (A : T) = struct type t = A.t list let v = [ A.v; A.v ] let show l = "[" ^ String.concat ";" (List.map A.show l) ^ "]" end
module Apply (F : FUN) (X : T) = F (F (X))
module Compose (F : FUN) (G : FUN) (X : T) = F (G (X))
module Twice (F : functor (X : T) -> T with type t = X.t) (X : T) = struct module A = F (X) module B = F (A) let both = A.show A.v ^ B.show B.v end
module Deco (X : T) = struct include X let show x = "<" ^ show x ^ ">" end
module Counter () = struct let n = ref 0 let next () = incr n; !n end
module C1 = Counter () module C2 = Counter ()
module Effect (X : T) = struct let () = print_endline ("applied to " ^ X.show X.v) let stamp = C1.next () end
module E1 = Effect (Int_) module E2 = Effect (Int_) module E3 = Effect (Pair (Int_) (Str_))
module Ret (X : T) = struct module type S = sig val k : int end module Inner (Y : S) = struct let r = X.show X.v ^ string_of_int Y.k module Deep (Z : T) = struct let d = r ^ Z.show Z.v end end end
module R = Ret (Str_) module RI = R.Inner (struct let k = 9 end) module RD = RI.Deep (Int_)
module type MT = module type of struct include Int_ let extra = 1 end
module M : MT = struct include Int_ let extra = 42 end
module Alias = Pair module AP = Alias (Str_) (Str_)
module Stat (X : sig val base : int end) = struct let tbl = Array.init 5 (fun i -> i * X.base) let get i = tbl.(i) let sum = Array.fold_left ( + ) 0 tbl let f = let cache = ref 0 in fun x -> cache := !cache + x; !cache * X.base end
let dyn n = let module S = Stat (struct let base = n end) in S.sum + S.get 2 + S.f 1 + S.f 1
module Set_ = Set.Make (struct type t = Int_.t let compare a b = compare b a end)
module Order (X : sig type t val compare : t -> t -> int end) = struct let rev = let module O = struct type t = X.t let compare a b = X.compare b a end in (module O : Map.OrderedType with type t = X.t) end
let () =
  let module P = Pair (Int_) (List_ (Str_)) in print_endline (P.show P.v); let module A = Apply (List_) (Int_) in print_endline (A.show A.v); let module C = Compose (List_) (Deco) (Str_) in print_endline (C.show C.v);
  let module T = Twice (Deco) (Int_) in print_endline T.both; Printf.printf "%d %d %d %d %d\n" (C1.next ()) (C2.next ()) E1.stamp E2.stamp E3.stamp; print_endline (RI.r ^ RD.d ^ AP.show AP.v); Printf.printf "%d %s\n" M.extra (M.show M.v);
  List.iter (fun n -> Printf.printf "%d " (dyn n)) [ 1; 2; 3 ]; print_newline (); Set_.iter (Printf.printf "%d ") (Set_.of_list [ 1; 3; 2 ]); let module O = Order (String) in let module MM = Map.Make ((val O.rev)) in MM.iter (fun k v -> Printf.printf "%s%d " k v) (MM.of_seq (List.to_seq [ ("a", 1); ("b", 2) ])); print_newline ()
