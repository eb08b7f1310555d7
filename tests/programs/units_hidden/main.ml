(* flags: -w -a *)
(* A unit with an empty interface, a unit whose interface reorders and hides its fields. *)
module R : sig val f : int -> int val z : string end = Reorder
let () = Printf.printf "%s %d %d %g\n" Reorder.z (Reorder.f 1) Reorder.N.b Reorder.a; let t = Reorder.mk 4 in Printf.printf "%d %s %d\n" t.Reorder.x t.Reorder.y (new Reorder.c)#m; (try ignore (Reorder.mk (-2)) with Reorder.E n -> Printf.printf "E %d\n" n); Printf.printf "%d %s\n" (R.f 2) R.z
