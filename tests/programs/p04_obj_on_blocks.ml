(* flags: -w -a *)
(* pitfall 4: Obj operations on records, variants, closures, lazies, objects and arrays. *)
type v = A | B of int | C of string * float | D of { x : int; y : string }
let o = Sys.opaque_identity
let describe name x = let r = Obj.repr (o x) in
  if Obj.is_int r then Printf.printf "%s int %d\n" name (Obj.obj r) else Printf.printf "%s tag %d size %d\n" name (Obj.tag r) (Obj.size r)
let () =
  describe "A" A; describe "B" (B 1); describe "C" (C ("a", 1.)); describe "D" (D { x = 1; y = "" });
  describe "tuple" (1, 2, 3); describe "list" [ 1 ]; describe "nil" []; describe "arr" [| 1; 2 |]; describe "empty" [||];
  describe "farr" [| 1.; 2.; 3. |]; describe "ref" (ref 1); describe "str" "abc"; describe "float" 1.5; describe "polyv" (`X 1); describe "true" true;
  describe "exn" (Failure "x"); describe "some" (Some 1);
  let r = Obj.repr (o (1, "two", 3.)) in
  Printf.printf "%d %s %g\n" (Obj.obj (Obj.field r 0)) (Obj.obj (Obj.field r 1)) (Obj.obj (Obj.field r 2));
  let b = Obj.new_block 3 2 in
  Obj.set_field b 0 (Obj.repr 10); Obj.set_field b 1 (Obj.repr "s");
  Printf.printf "%d %d %d\n" (Obj.tag b) (Obj.size b) (Obj.obj (Obj.field b 0));
  let w = Obj.with_tag 1 (Obj.repr (o (C ("q", 2.)))) in
  (match (Obj.obj w : v) with C (s, f) -> Printf.printf "C %s %g\n" s f | _ -> print_endline "?");
  let w = Obj.with_tag 0 (Obj.repr (o (B 5))) in (match (Obj.obj w : v) with B n -> Printf.printf "B %d\n" n | _ -> print_endline "?");
  let clo = let k = o 5 in fun x -> x + k in
  Printf.printf "%b\n" (Obj.tag (Obj.repr clo) = Obj.closure_tag);
  let d : int -> int = Obj.obj (Obj.dup (Obj.repr clo)) in Printf.printf "%d\n" (d 3);
  let n = o 3 in let lz = lazy (n + 1) in
  Printf.printf "%b " (Obj.tag (Obj.repr lz) = Obj.lazy_tag); ignore (Lazy.force lz); Printf.printf "%b\n" (Obj.tag (Obj.repr lz) = Obj.forward_tag);
  let ob = object method m = 3 end in Printf.printf "%b\n" (Obj.tag (Obj.repr ob) = Obj.object_tag);
  let fa = Obj.repr (o [| 1.; 2. |]) in Printf.printf "%g %d\n" (Obj.double_field fa 1) (Obj.size fa);
  Obj.set_double_field fa 0 7.; Printf.printf "%g\n" (Obj.obj fa : float array).(0);
  let ext = Obj.Extension_constructor.of_val Exit in print_endline (Obj.Extension_constructor.name ext);
  let a : Obj.t array = Obj.obj (Obj.repr (o (1, 2))) in Printf.printf "%d %d\n" (Array.length a) (Obj.obj a.(1))
