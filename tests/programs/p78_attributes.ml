(* flags: -w -a *)
(* pitfall 78: every attribute on functions, functors and applications is accepted and changes no result. *)
let[@inline] a x = x + 1 let[@inline always] b x = x * 2 let[@inline never] c x = x - 1 let[@inline hint] d x = x lxor 5 let[@inlined_no] e x = x
let[@specialise] rec f g n = if n = 0 then 0 else g n + f g (n - 1) let[@specialise never] rec f' g n = if n = 0 then 0 else g n + f' g (n - 1)
let[@local] l x = x + 7 let[@local never] l' x = x + 8 let loop n = let[@local] go i = i * 2 in if n > 0 then go n else go (n - 1)
module F (X : sig val v : int end) = struct let r = X.v + 1 end [@@inline never] module G (X : sig val v : int end) = struct let r = X.v * 2 let f x = x + r end [@@inline]
module A = (F [@inlined]) (struct let v = 1 end) module B = (G [@inlined never]) (struct let v = 5 end)
let[@unrolled 3] rec u n = if n <= 0 then 0 else 1 + u (n - 1)
let m = (fun[@inline] x -> x + 1) let o = Sys.opaque_identity let[@ocaml.warning "-a"] w = 1
external ident : 'a -> 'a = "%identity" [@@ocaml.deprecated "x"]
type t = { x : int [@ocaml.deprecated "y"]; mutable y : float } [@@ocaml.boxed]
type u1 = U of int [@@unboxed] [@@immediate] type im [@@immediate64]
let[@inline never] [@specialise never] [@local never] n x = x
class c1 = object method[@ocaml.warning "-a"] m = 1 end [@@ocaml.doc "doc"]
let tail n = let rec t n = if n = 0 then 0 else (t [@tailcall]) (n - 1) and t2 n = (t [@tailcall false]) n in t n + t2 n
let () = Printf.printf "%d %d %d %d\n" (a 1) (b 2) (c 3) (d 4); Printf.printf "%d %d %d\n" ((f [@specialised]) (fun x -> x) 5) ((f [@specialised never]) succ 5) (f' pred 5); Printf.printf "%d %d %d %d\n" (l 1) (l' 1) (loop 3) (loop (-3)); Printf.printf "%d %d %d\n" A.r B.r (B.f 1); Printf.printf "%d %d %d\n" ((u [@unrolled 2]) 10) ((a [@inlined]) 5) ((c [@inlined always]) ((b [@inlined never]) 4)); Printf.printf "%d %d %d %d\n" (m 1) (n 4) (new c1)#m (tail 1000); Printf.printf "%d\n" ((List.fold_left [@inlined]) (fun[@inline never] acc x -> acc + x) 0 [ 1; 2 ])
