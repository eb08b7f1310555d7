(* Functors of several arguments, applied to all at once, to the first alone, and through others: Lambda applies them one
   argument at a time. *)
module type T = sig val name : string val f : int -> int end
module A = struct let () = print_endline "A" let name = "a" let f x = x + 1 end
module B = struct let () = print_endline "B" let name = "b" let f x = x * 2 end
module Two (X : T) (Y : T) = struct let () = print_endline (X.name ^ Y.name) let f x = X.f (Y.f x) end
module Three (X : T) (Y : T) (Z : T) = struct let () = print_endline (X.name ^ Y.name ^ Z.name) let f x = X.f (Y.f (Z.f x)) let name = X.name ^ Y.name ^ Z.name end
module M = Two (A) (B)
module N = Two (struct let name = "1" let f x = x + 10 end) (struct let name = "2" let f x = x * 10 end)
module P = Three (A) (struct include B end) (struct include A end)
module Part = Three (B) (A)
module Q = Part (B)
module Q2 = Part (P)
module Gen () (X : T) = struct let r = ref 0 let f x = incr r; X.f x + !r end
module G = Gen () (A)
module G2 = Gen () (A)
module Deep (X : T) = struct module F (Y : T) = Three (X) (Y) end
module DD = Deep (A)
module D = DD.F (B) (A)
let local x = let module L = Three (A) (B) (struct let name = string_of_int x let f y = x - y end) in L.f x
let () = Printf.printf "%d %d %d %d %d %d %d %d %d\n" (M.f 1) (N.f 1) (P.f 1) (Q.f 1) (Q2.f 1) (G.f 1 + G.f 1) (G2.f 1) (D.f 5) (local 7)
