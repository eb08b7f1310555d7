(* flags: -w -a *)
(* soundness 30: the empty array is compatible with every kind of array. *)
let unk = Sys.opaque_identity
let pick c (a : int array) = if c then [||] else a
let pickf c (a : float array) = if c then [||] else a
let first a = if Array.length a = 0 then "empty" else "some"
let sum a = Array.fold_left ( + ) 0 a
let sumf a = Array.fold_left ( +. ) 0. a
let grow a x = let n = Array.length a in let b = Array.make (max 1 (2 * n)) x in Array.blit a 0 b 0 n; b
let () =
  let a = pick (unk true) [| 1 |] and b = pick (unk false) [| 1; 2 |] in
  Printf.printf "%d %d %d\n" (Array.length a) (sum a) (sum b);
  let c = pickf (unk true) [| 1. |] and d = pickf (unk false) [| 1.; 2. |] in
  Printf.printf "%d %g %g %s\n" (Array.length c) (sumf c) (sumf d) (first c);
  Printf.printf "%d %d %d\n" (Array.length (Array.append [||] d)) (Array.length (Array.append [||] [||])) (Array.length (Array.concat [ [||]; [| "a" |]; [||] ]));
  Printf.printf "%b %b\n" ([||] = [| 1 |]) ([||] = ([||] : float array));
  Printf.printf "%d %b\n" (Obj.tag (Obj.repr [||])) (Obj.tag (Obj.repr (Array.make 0 1.)) = 0);
  let g = ref [||] in
  for i = 0 to 9 do if i >= Array.length !g then g := grow !g 0.; !g.(i) <- float i done;
  Printf.printf "%g %d\n" (sumf !g) (Array.length !g);
  let h = ref [||] in
  for i = 0 to 9 do if i >= Array.length !h then h := grow !h 0; !h.(i) <- i done;
  Printf.printf "%d %d\n" (sum !h) (Array.length !h);
  (match a.(0) with _ -> () | exception Invalid_argument s -> print_endline s);
  (match c.(unk 0) with _ -> () | exception Invalid_argument s -> print_endline s);
  (match [||] with [||] -> print_endline "matched" | _ -> print_endline "not");
  (match unk [| 1.; 2. |] with [||] -> print_endline "no" | [| x; y |] -> Printf.printf "%g\n" (x +. y) | _ -> ())
