(* flags: -w -a *)
(* soundness 45: values given to finalisers and Weak stay heap-allocated (ephemerons: gc_ephemeron_make, gc_ephemeron_set). *)
type r = { mutable n : int; s : string }
let count = ref 0
let[@inline never] make x =
  let clo = fun () -> x + 1 in
  Gc.finalise (fun f -> incr count; ignore (f ())) clo;
  let rf = ref x in
  Gc.finalise (fun r -> incr count; ignore !r) rf;
  let rc = { n = x; s = "fin" } in
  Gc.finalise (fun r -> incr count; r.n <- 0) rc;
  let arr = [| x; x |] in
  Gc.finalise (fun a -> incr count; a.(0) <- 1) arr;
  let by = Bytes.make 3 'c' in
  Gc.finalise_last (fun () -> incr count) by;
  clo () + !rf + rc.n + arr.(1) + Bytes.length by
let () =
  let v = make (Sys.opaque_identity 4) in
  Gc.full_major (); Gc.full_major ();
  Printf.printf "%d %d\n" v !count;
  let keep = ref 5 in
  let w = Weak.create 2 in
  Weak.set w 0 (Some keep);
  Gc.full_major ();
  Printf.printf "%b %b %d\n" (Weak.check w 0) (Weak.check w 1) !(Sys.opaque_identity keep);
  let calls = ref 0 in
  let al = Gc.create_alarm (fun () -> incr calls) in
  Gc.full_major (); Gc.delete_alarm al;
  Printf.printf "%b\n" (!calls > 0);
  (match Gc.finalise ignore (Obj.magic 3) with () -> print_endline "accepted" | exception Invalid_argument _ -> print_endline "rejected")
