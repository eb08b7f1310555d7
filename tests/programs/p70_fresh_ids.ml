(* flags: -w -a *)
(* pitfalls 70, 71: generative primitives are not shared; opaque_identity. *)
let o = Sys.opaque_identity
let mk () = object method m = 1 end
let pair () = (mk (), mk ())
let[@inline always] cell () = ref 0
let () =
  let a, b = pair () in
  Printf.printf "%b %b %b\n" (Oo.id a = Oo.id b) (Oo.id b - Oo.id a <> 0) (a = a);
  Printf.printf "%b %b\n" (a = b) (compare a b <> 0);
  let c = Oo.copy a in Printf.printf "%b\n" (Oo.id c = Oo.id a);
  let x = Obj.with_tag 0 (Obj.repr (o (1, 2))) and y = Obj.with_tag 0 (Obj.repr (o (1, 2))) in
  Obj.set_field x 0 (Obj.repr 9); Printf.printf "%d %d\n" (Obj.obj (Obj.field x 0)) (Obj.obj (Obj.field y 0));
  let p = o (3, 4) in let d1 = Obj.dup (Obj.repr p) in let d2 = Obj.dup (Obj.repr p) in
  Obj.set_field d1 1 (Obj.repr 0); Printf.printf "%d %d %d\n" (snd p) (Obj.obj (Obj.field d1 1)) (Obj.obj (Obj.field d2 1));
  let r1 = cell () and r2 = cell () in incr r1; Printf.printf "%d %d\n" !r1 !r2;
  let b1 = Bytes.create 3 and b2 = Bytes.create 3 in Bytes.fill b1 0 3 'a'; Bytes.fill b2 0 3 'b'; print_endline (Bytes.to_string b1 ^ Bytes.to_string b2);
  let t1 = Sys.time () in let t2 = Sys.time () in Printf.printf "%b\n" (t2 >= t1);
  let r = Random.State.make [| 1 |] in let u = Random.State.int r 1000 in let v = Random.State.int r 1000 in Printf.printf "%b\n" (u <> v || true);
  let h1 = Hashtbl.create 3 and h2 = Hashtbl.create 3 in Hashtbl.add h1 1 2; Printf.printf "%d %d\n" (Hashtbl.length h1) (Hashtbl.length h2);
  let e1 = let exception E in E and e2 = let exception E in E in Printf.printf "%b\n" (e1 == e2);
  let n = o (let x = 3 in x) in Printf.printf "%d\n" (match o n with 3 -> o 10 | _ -> 0)
