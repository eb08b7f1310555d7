(* flags: -w -a *)
(* soundness 16: blocks changed through Obj and opaque_identity. *)
type t = { a : int; b : string }
let change (o : Obj.t) i v = Obj.set_field (Sys.opaque_identity o) i v
let () =
  let r = Sys.opaque_identity { a = Sys.opaque_identity 1; b = "x" } in
  let before = r.a in
  change (Obj.repr r) 0 (Obj.repr 5);
  let after = r.a in
  Printf.printf "%d %d\n" before after;
  change (Obj.repr r) 1 (Obj.repr "new");
  Printf.printf "%s\n" r.b;
  let p = Sys.opaque_identity (Sys.opaque_identity 1, Sys.opaque_identity 2) in
  let m : int ref = Obj.magic (Sys.opaque_identity p) in
  let x = fst p in
  m := 77;
  Printf.printf "%d %d %d\n" x (fst p) (snd p);
  let tup n = let p = Sys.opaque_identity (n, n) in (Obj.magic (Sys.opaque_identity p) : int ref) := n + 1; fst p + snd p in
  Printf.printf "%d\n" (tup 10);
  let l = Sys.opaque_identity [ Sys.opaque_identity 1; 2; 3 ] in
  change (Obj.repr l) 1 (Obj.repr []);
  Printf.printf "%d\n" (List.length l);
  let s = Sys.opaque_identity (Bytes.make 3 'a') in
  let str = Bytes.unsafe_to_string s in
  let c0 = str.[0] in
  Bytes.set s 0 'Z';
  Printf.printf "%c %c\n" c0 (Sys.opaque_identity str).[0]
