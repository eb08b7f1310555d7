(* flags: -w -a *)
(* soundness 47: temporary results at top level do not become permanent roots. *)
let w : int array Weak.t = Weak.create 4
let[@inline never] fresh i = let a = Array.make 100 i in Weak.set w i (Some a); a
let n = Array.length (fresh 0)
let () = let t = fresh 1 in Printf.printf "%d\n" t.(5)
module M = struct let kept = let a = fresh 2 in ref (Some a) end
let () = Gc.full_major ()
let () = Printf.printf "%d %b %b %b\n" n (Weak.check w 0) (Weak.check w 1) (Weak.check w 2)
let () = Sys.opaque_identity M.kept := None; Gc.full_major (); Printf.printf "%b\n" (Weak.check w 2)
