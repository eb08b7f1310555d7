(* flags: -w -a *)
(* pitfalls 5 and 6: lazy values of floats, lazies and forwards; patterns; exceptions; short-circuit by the GC. *)
let o = Sys.opaque_identity
type t = { l : float lazy_t; m : int Lazy.t Lazy.t; mutable n : string Lazy.t }
let mk f = { l = lazy (o f); m = lazy (lazy (o 3 + truncate f)); n = lazy (string_of_float f) }
let sum l = List.fold_left (fun a (lazy x) -> a + x) 0 l
type st = S of int * st Lazy.t
let rec from n = lazy (S (n, from (n + 1)))
let rec nth n (lazy (S (x, r))) = if n = 0 then x else nth (n - 1) r
let pat = function (lazy 0, _) -> "zero" | (_, lazy 1) -> "one" | (lazy a, lazy b) -> Printf.sprintf "%d,%d" a b
let tr s v = lazy (print_string s; v)
let () =
  let r = mk 2.5 in
  Gc.minor (); Printf.printf "%g " (Lazy.force r.l); Gc.full_major (); Printf.printf "%g %d %d\n" (Lazy.force r.l) (Lazy.force (Lazy.force r.m)) (sum [ Lazy.force r.m; lazy 4 ]);
  Gc.compact (); Printf.printf "%d %s\n" (Lazy.force (Lazy.force r.m)) (Lazy.force r.n);
  r.n <- lazy "x"; print_endline (Lazy.force r.n);
  Printf.printf "%d\n" (nth 100 (from 5));
  List.iter print_endline [ pat (tr "a" 0, tr "b" 1); pat (tr "c" 3, tr "d" 1); pat (tr "e" 4, tr "f" 5) ];
  let fwd = lazy (Lazy.force (lazy 7.5)) in Printf.printf "%g %g\n" (Lazy.force fwd) (Lazy.force fwd +. Lazy.force fwd);
  let x = 4.5 in let lx = lazy x in let s = "id" in let ls = lazy s in Printf.printf "%g %s %b\n" (Lazy.force lx) (Lazy.force ls) (Lazy.is_val ls);
  Printf.printf "%d %b\n" (Lazy.force (Lazy.from_val 3)) (Lazy.is_val (Lazy.from_fun (fun () -> 1)));
  let m = Lazy.map (fun x -> print_string "map "; x + 1) (tr "src " 1) in Printf.printf "%d %d\n" (Lazy.force m) (Lazy.force m);
  let c = ref 0 in let bad = lazy (incr c; if !c < 3 then failwith "bad" else !c) in
  for _ = 1 to 3 do match Lazy.force bad with n -> Printf.printf "%d " n | exception Failure s -> Printf.printf "%s " s done;
  Printf.printf "%d\n" !c;
  let rec self = lazy ((if o true then Lazy.force self else 0) + 1) in
  (match Lazy.force self with _ -> print_endline "?" | exception Lazy.Undefined -> print_endline "undefined");
  let arr = Array.init 4 (fun i -> if i mod 2 = 0 then lazy (float i) else Lazy.from_val (float i)) in
  Array.iter (fun l -> ignore (Lazy.force l)) arr; Gc.full_major ();
  Printf.printf "%g\n" (Array.fold_left (fun a l -> a +. Lazy.force l) 0. arr);
  let fl : float lazy_t list = List.map (fun x -> Lazy.from_val x) [ 1.; 2. ] in
  Printf.printf "%g\n" (List.fold_left (fun a (lazy x) -> a +. x) 0. fl)
