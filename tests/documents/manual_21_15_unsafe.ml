(* Manual 21.15: what is immutable is taken to be so, unless Sys.opaque_identity stands in the right place. *)

let assigned x =
  let a = 42, x in
  (Obj.magic a : int ref) := 1;
  fst a
let opaque x =
  let a = Sys.opaque_identity (42, x) in
  (Obj.magic a : int ref) := 1;
  fst a
let too_late x =
  let a = 42, x in
  Sys.opaque_identity (Obj.magic a : int ref) := 1;
  fst a
let () = if opaque () <> 1 then exit 1
(* expect opaque: 1 opaque, 1 make_block *)
