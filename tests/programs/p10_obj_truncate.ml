(* flags: -w -a *)
(* ocaml: < 5.0, which has no Obj.truncate *)
(* pitfall 10: in 4.x the size of a block may shrink (Obj.truncate): lengths are read again. *)
let o = Sys.opaque_identity
let () =
  let a = o (Array.init 10 (fun i -> i)) in
  let n0 = Array.length a in
  Obj.truncate (Obj.repr (o a)) 4;
  let n1 = Array.length a in
  Printf.printf "%d %d %d\n" n0 n1 (Array.fold_left ( + ) 0 a);
  (match a.(o 5) with _ -> print_endline "in" | exception Invalid_argument m -> print_endline m);
  let b = o (Array.init 300 string_of_int) in
  let last = b.(299) in
  Obj.truncate (Obj.repr (o b)) 2;
  Gc.full_major ();
  Printf.printf "%s %s %d\n" last (String.concat "," (Array.to_list b)) (Obj.size (Obj.repr b))
