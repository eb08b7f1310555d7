(* flags: -w -a *)
(* soundness 46: Sys.opaque_identity keeps its argument alive. *)
let[@inline never] fresh n = Array.make 10 n
let () =
  let w = Weak.create 3 in
  let a = fresh 1 in
  Weak.set w 0 (Some a);
  Gc.full_major ();
  Printf.printf "%b " (Weak.check w 0);
  ignore (Sys.opaque_identity a);
  let f = let b = fresh 2 in Weak.set w 1 (Some b); fun x -> ignore (Sys.opaque_identity b); x + 1 in
  Gc.full_major ();
  Printf.printf "%b %d\n" (Weak.check w 1) (f 1);
  ignore (Sys.opaque_identity f);
  let c = ref (Some (fresh 3)) in
  Weak.set w 2 !c;
  c := None;
  Gc.full_major ();
  Printf.printf "%b\n" (Weak.check w 2);
  let g x = Sys.opaque_identity (x + 1) in
  let s = ref 0 in
  for i = 1 to 10 do s := !s + Sys.opaque_identity (g i) done;
  Printf.printf "%d %g %s\n" !s (Sys.opaque_identity 1.5 +. 1.) (Sys.opaque_identity "s")
