(* Arrays that polymorphic functions read and assign, of floats, of what is no float, of either; empty ones, parts and copies;
   lazy values that are floats when they are forced; records that are arrays for Obj. *)

let swap a i j =
  let x = a.(i) in
  a.(i) <- a.(j);
  a.(j) <- x

let reversed a =
  let n = Array.length a in
  let r = Array.copy a in
  for i = 0 to (n / 2) - 1 do swap r i (n - 1 - i) done;
  r

let floats = Array.init 6 (fun i -> float_of_int i *. 1.5)
let literal = [| 1.; 2.; 3. |]
let strings = Array.make 3 "a"
let ints = Array.init 5 (fun i -> i * i)
let int64s = Array.init 4 Int64.of_int

let show_floats name a =
  Printf.printf "%s:" name;
  Array.iter (Printf.printf " %g") a;
  Printf.printf " (%b)\n" (Obj.tag (Obj.repr a) = Obj.double_array_tag)

let either n b = if b then Obj.repr (Array.make n 1.5) else Obj.repr (Array.make n "s")
let tag_of n b = Obj.tag (either n b)

let first_or_empty n = if n = 0 then [||] else Array.make n 2.5

let sum_all f a =
  let s = ref 0. in
  for i = 0 to Array.length a - 1 do s := !s +. f a.(i) done;
  !s

let mapped n = Array.mapi (fun i x -> (float_of_int i *. x) +. 0.25) (Array.make n 3.)
let both a b = Array.map2 (fun x y -> x *. y) a b
let pairs n = Array.init n (fun i -> (i, float_of_int i))

let fail name f = match f () with _ -> Printf.printf "%s: no\n" name | exception Invalid_argument s -> Printf.printf "%s: %s\n" name s

type point = { mutable x : float; mutable y : float }

let () =
  swap floats 1 4;
  show_floats "swapped" floats;
  swap literal 0 2;
  show_floats "literal" literal;
  show_floats "reversed" (reversed floats);
  swap strings 0 1;
  strings.(2) <- "c";
  print_endline (String.concat "" (Array.to_list (reversed strings)));
  swap ints 0 4;
  Array.iter (Printf.printf "%d ") (reversed ints);
  swap int64s 0 3;
  Array.iter (Printf.printf "%Ld ") (reversed int64s);
  Printf.printf "\n%d %d %d\n" (tag_of 2 true) (tag_of 2 false) (tag_of 0 true);
  show_floats "empty" (first_or_empty (Sys.opaque_identity 0));
  show_floats "two" (first_or_empty (Sys.opaque_identity 2));
  Printf.printf "%g\n" (sum_all (fun x -> x) (first_or_empty 3));
  show_floats "mapped" (mapped 4);
  show_floats "none" (mapped 0);
  show_floats "both" (both floats (mapped 6));
  Array.iter (fun (i, x) -> Printf.printf "%d %g " i x) (pairs 3);
  show_floats "\nsub" (Array.sub (mapped 5) 1 3);
  show_floats "append" (Array.append (mapped 2) floats);
  show_floats "concat" (Array.concat [ mapped 2; [||]; mapped 1 ]);
  fail "negative" (fun () -> Array.init (Sys.opaque_identity (-1)) (fun i -> float_of_int i));
  fail "index" (fun () -> swap (mapped 2) 0 2);
  fail "lengths" (fun () -> both floats literal);
  let lazies = Array.make 3 (lazy (Sys.opaque_identity 1.5)) in
  lazies.(1) <- lazy 2.5;
  ignore (Lazy.force lazies.(0));
  Gc.full_major ();
  swap lazies 0 1;
  Array.iter (fun l -> Printf.printf "%g " (Lazy.force l)) lazies;
  let objects = Array.make 2 (Obj.repr 0) in
  objects.(0) <- Obj.repr 1.5;
  swap objects 0 1;
  Printf.printf "%g %d\n" (Obj.obj objects.(1)) (Obj.tag (Obj.repr objects));
  let p = { x = 1.; y = 2. } in
  swap (Obj.magic p : float array) 0 1;
  Printf.printf "%g %g\n" p.x p.y;
  let dummy : float array = Array.make 2 (Obj.magic 0) in
  Printf.printf "%d %d\n" (Obj.tag (Obj.repr dummy)) (Array.length (reversed dummy))
