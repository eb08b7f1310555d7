(* flags: -w -a *)
(* soundness 24: the kind of an array access comes from the array, not from the value. *)
let[@inline] set (a : 'a array) i (x : 'a) = a.(i) <- x
let[@inline] get (a : 'a array) i = a.(i)
let () =
  let a : Obj.t array = Array.make 3 (Obj.repr 0) in
  set a 1 (Obj.repr 1.5);
  a.(2) <- Obj.repr "str";
  Printf.printf "%d %b\n" (Array.length a) (Obj.tag (Obj.repr a) = Obj.double_array_tag);
  Printf.printf "%g %s %d\n" (Obj.obj (get a 1) : float) (Obj.obj a.(2)) (Obj.obj a.(0));
  Gc.full_major ();
  Printf.printf "%g\n" ((Obj.obj a.(1) : float) +. 1.);
  let f = Array.make 2 0.5 in
  set f 0 3.5;
  Printf.printf "%g %g %b\n" (get f 0) f.(1) (Obj.tag (Obj.repr f) = Obj.double_array_tag);
  let fill (type a) (x : a) n = let r = Array.make n x in for i = 0 to n - 1 do r.(i) <- x done; r in
  Printf.printf "%g %d %s %d\n" (fill 2.5 3).(2) (fill 7 3).(1) (fill "q" 2).(0) (Array.length (fill 1. 0));
  let swap a i j = let t = a.(i) in a.(i) <- a.(j); a.(j) <- t in
  let fa = [| 1.; 2.; 3. |] and ia = [| 1; 2; 3 |] and sa = [| "a"; "b"; "c" |] in
  swap fa 0 2; swap ia 0 2; swap sa 0 2;
  Printf.printf "%g %d %s\n" fa.(0) ia.(0) sa.(0);
  let mixed = [| Obj.repr "x"; Obj.repr 2.; Obj.repr 3 |] in
  Printf.printf "%g %d\n" (Obj.obj mixed.(1)) (Obj.obj mixed.(2))
