(* flags: -w -a *)
(* Float records, mutable float fields, mixed records, unboxed types, Float.Array, inline float fields. *)
type v = { mutable x : float; mutable y : float; z : float }
type m = { name : string; mutable w : float; n : int }
type u = U of float [@@unboxed]
type ur = { only : float } [@@unboxed]
type ui = I of int [@@unboxed]
type us = S of string [@@unboxed]
type uf = F of (int -> int) [@@unboxed]
type 'a gen = G : 'a -> 'a gen [@@unboxed]
type any = A : 'a list -> any [@@unboxed]
type shape = Circle of { r : float } | Rect of { w : float; mutable h : float } | Mixed of { a : float; b : int }
type one = { f1 : float }
let add a b = { x = a.x +. b.x; y = a.y +. b.y; z = a.z +. b.z }
let area = function Circle { r } -> r *. r | Rect { w; h } -> w *. h | Mixed { a; b } -> a *. float b
let gen (a : 'a array) = let b = Array.copy a in b.(0) <- a.(Array.length a - 1); b
let step v dt = v.x <- v.x +. dt *. v.y; v.y <- v.y -. dt *. v.x; v
let us = [| U 1.; U 2. |]
let urs = [| { only = 3. }; { only = 4. } |]
let () =
  let a = { x = 1.; y = 2.; z = 3. } in let b = add a { a with y = 10. } in
  Printf.printf "%g %g %g\n" b.x b.y b.z; a.x <- a.x *. 100.; b.y <- -.a.x; Printf.printf "%g %g %g\n" a.x b.x b.y;
  let v = { x = 1.; y = 0.; z = 0. } in for _ = 1 to 100 do ignore (step v 0.1) done; Printf.printf "%.9g %.9g\n" v.x v.y;
  let m = { name = "m"; w = 1.5; n = 2 } in m.w <- m.w +. float m.n; let m2 = { m with n = 9 } in m2.w <- 0.; Printf.printf "%s %g %d %g\n" m2.name m.w m2.n m2.w;
  let (U p) = us.(1) in let q = urs.(0).only in Printf.printf "%g %b %b\n" (p +. q) (Obj.tag (Obj.repr us) = Obj.double_array_tag) (Obj.tag (Obj.repr urs) = Obj.double_array_tag);
  let (I i) = I 3 and (S s) = S "str" and (F f) = F (fun x -> x + 1) and (G g) = G 2.5 in Printf.printf "%d %s %d %g\n" i s (f 4) g;
  let (A l) = A [ 1.; 2. ] in Printf.printf "%d\n" (List.length l);
  List.iter (fun s -> Printf.printf "%g " (area s)) [ Circle { r = 3. }; Rect { w = 2.; h = 5. }; Mixed { a = 1.5; b = 4 } ];
  (match Rect { w = 1.; h = 1. } with Rect r as s -> r.h <- 8.; Printf.printf "%g\n" (area s) | _ -> ());
  Printf.printf "%g %d %s\n" (gen [| 1.; 2.; 3. |]).(0) (gen [| 1; 2 |]).(0) (gen [| "a"; "b" |]).(0);
  let fa = Float.Array.init 5 (fun i -> float i *. 1.5) in Float.Array.set fa 2 100.; Printf.printf "%g %d %g\n" (Float.Array.fold_left ( +. ) 0. fa) (Float.Array.length fa) (Float.Array.get (Float.Array.map (fun x -> x +. 1.) fa) 4);
  (match Float.Array.get fa 5 with _ -> () | exception Invalid_argument s -> print_endline s); Float.Array.sort (fun a b -> compare b a) fa; Float.Array.iter (Printf.printf "%g ") fa; Float.Array.blit fa 0 fa 1 3; Float.Array.iter (Printf.printf "%g ") fa; print_newline ();
  let f1 = { f1 = 2. } in Printf.printf "%g %b %b\n" f1.f1 (f1 = { f1 = 2. }) (compare a b < 0); Printf.printf "%b %b\n" ({ x = nan; y = 0.; z = 0. } = { x = nan; y = 0.; z = 0. }) (compare { f1 = nan } { f1 = nan } = 0);
  let grid = Array.make_matrix 3 3 0. in for i = 0 to 2 do for j = 0 to 2 do grid.(i).(j) <- float (i * j) done done; grid.(1).(1) <- grid.(2).(2) /. 3.; Printf.printf "%g %g\n" (Array.fold_left (fun s r -> s +. Array.fold_left ( +. ) 0. r) 0. grid) grid.(1).(1)
