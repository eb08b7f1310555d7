(* flags: -w -a *)
(* pitfalls 1-3: run-time tests of generic arrays; flat float records; a box per read. *)
let mk x y = [| x; y |]
let[@inline never] mk3 x y z = [| x; y; z |]
let get a i = a.(i)
let set a i x = a.(i) <- x
let len a = Array.length a
let is_flat a = Obj.tag (Obj.repr a) = Obj.double_array_tag
let map2 f a = let n = Array.length a in if n = 0 then [||] else (let r = Array.make n (f a.(0)) in for i = 1 to n - 1 do r.(i) <- f a.(i) done; r)
let rev a = let n = len a in Array.init n (fun i -> a.(n - 1 - i))
type p = { mutable px : float; py : float }
type 'a box = { v : 'a; w : 'a }
let () =
  Printf.printf "%b %b %b %b\n" (is_flat (mk 1. 2.)) (is_flat (mk 1 2)) (is_flat (mk "a" "b")) (is_flat (mk3 1. nan 0.));
  Printf.printf "%g %d %s\n" (get (mk 1. 2.) 1) (get (mk 1 2) 0) (get (mk "a" "b") 1);
  let f = mk 1. 2. and i = mk 1 2 in
  set f 0 9.5; set i 0 9;
  Printf.printf "%g %d %d %d\n" f.(0) i.(0) (len f) (len i);
  let g = map2 float_of_int [| 1; 2; 3 |] in
  Printf.printf "%b %g %b %d\n" (is_flat g) g.(2) (is_flat (map2 truncate g)) (map2 truncate g).(1);
  Printf.printf "%b %g\n" (is_flat (rev g)) (rev g).(0);
  let r = { px = 1.; py = 2. } in
  Printf.printf "%b\n" (is_flat r);
  let a = r.px in r.px <- 5.; Printf.printf "%g %g\n" a r.px;
  let b = { v = 1.; w = 2. } in
  Printf.printf "%b %g\n" (is_flat b) (b.v +. b.w);
  let l = [ mk 1. 1.; [||]; mk3 1. 2. 3. ] in
  Printf.printf "%b %g\n" (is_flat (Array.concat l)) (Array.fold_left ( +. ) 0. (Array.concat l));
  Printf.printf "%b %b\n" (is_flat (Array.sub g 1 2)) (is_flat (Array.sub g 1 0));
  let refs = mk (ref 1.) (ref 2.) in
  Printf.printf "%b %g\n" (is_flat refs) !(refs.(1));
  let e : exn array = mk Exit Not_found in
  Printf.printf "%b %b\n" (is_flat e) (get e 0 = Exit)
