(* Manual 21.3.1: classic mode inlines what contains functions, and what only inlining exposes (h is discovered to be g); unused code
   goes. *)
(* flags: -Oclassic *)
(* flags: *)
(* flags: -O3 *)

module M : sig
  val i : int
end = struct
  let f x =
    let g y = x + y in
    g
  let h = f 3
  let i = h 4
end
(* expect entry: no call *)
(* expect f: is gone *)
(* expect unit: no closure *)
