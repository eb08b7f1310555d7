(* Manual 21.8.2: a value made and used in a function that is never inlined is no symbol, and does not live for ever. *)

let[@inline never] test () =
  let r = ref [ Sys.opaque_identity 1 ] in
  Gc.finalise (fun _ -> print_endline "dead") r;
  Gc.full_major ()
let () = test ()
(* expect entry: 1 call of test *)
(* expect test: some allocations *)
