(* flags: -w -a *)
(* Includes, local opens, aliases, shadowing, coercions reordering fields, private and abstract types, nested modules. *)
module A = struct let x = 1 let f y = x + y type t = T of int | U let z = 2.5 module N = struct let n = "n" let x = 10 end end
module type S = sig val z : float val f : int -> int module N : sig val x : int end end
module B : S = A
module C : sig type t val make : int -> t val get : t -> int end = struct type t = { v : int; w : float } let make v = { v; w = 0. } let helper t = t.v * 2 let get t = helper t end
module D = struct include A let x = 100 let g y = f y + x include (struct let hidden = 5 let shown = hidden * 2 end : sig val shown : int end) end
module E = struct open A open N let r = x + (let open D in x) + D.(x + shown) end
module P : sig type t = private int val of_int : int -> t end = struct type t = int let of_int x = x * 2 end
module Al = A.N
module type EMPTY = sig end
module Z : EMPTY = struct let () = print_endline "Z init" let secret = 3 end
module Rec_ = struct type t = { a : int; b : string } let mk a b = { a; b } end
module Ops = struct let ( + ) a b = a * b let ( ! ) x = -x let ( .%[] ) a i = a.(i) let ( .%[]<- ) a i v = a.(i) <- v let ( let+ ) (a, b) f = f (b, a) let ( and+ ) a b = (a, b) end
let first (type a) (module M : S) = M.f 1
include struct let inc1 = 1 let inc2 = inc1 + 1 end
module W = struct let a = ref 0 module V = struct let bump () = incr a; !a end end
module type Full = sig include S val extra : int end
module Full : Full = struct include B let extra = f 3 end
let x = 1
let x = x + 1
let f () = x
let x = x * 10
let () =
  Printf.printf "%g %d %d %d\n" B.z (B.f 4) B.N.x (C.get (C.make 5)); Printf.printf "%d %d %d %d %s\n" D.x (D.g 1) D.shown E.r Al.n; Printf.printf "%d %d\n" ((P.of_int 4 :> int)) (first (module A));
  let r = Rec_.mk 1 "b" in let { Rec_.a; b } = r in let open Rec_ in Printf.printf "%d %s %d\n" a b r.a; let open Ops in Printf.printf "%d %d\n" (3 + 4) (!5); let arr = [| 1; 2 |] in arr.%[0] <- 9; Printf.printf "%d\n" arr.%[0];
  let v = let+ a = 1 and+ b = 10 in Stdlib.( - ) b a in Printf.printf "%d\n" (match v with (n : int) -> n)
let () = ignore (W.V.bump ()); Printf.printf "%d %d %d %d %d\n" (W.V.bump ()) !W.a inc2 (f ()) x; Printf.printf "%d %s\n" Full.extra (match A.T 3 with A.T n -> string_of_int n | A.U -> "u")
