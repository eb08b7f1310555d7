(* flags: -w -a *)
(* soundness 36: every field of a toplevel block is initialised, with floats and boxed numbers too. *)
let unk = Sys.opaque_identity
let fl = unk 1.5
let f2 = fl +. 1.
let i64 = Int64.add (unk 5L) 6L
let i32 = Int32.mul (unk 5l) 6l
let nat = Nativeint.sub (unk 5n) 6n
let rec_ = (f2, i64, i32, nat, unk "s")
type fr = { a : float; b : float; c : float }
let frr = { a = fl; b = f2 *. 2.; c = 0.25 }
let farr = [| fl; f2; frr.c |]
type mixed = { n : int; f : float; s : string; l : int list; mutable m : fr }
let mx = { n = unk 3; f = f2 /. 2.; s = "t" ^ unk "u"; l = [ unk 1; 2 ]; m = frr }
let clo = let k = unk 10 in fun x -> x + k
let clos = [ clo; (fun x -> clo (clo x)); succ ]
let rec tree d = if d = 0 then `Leaf (unk d) else `Node (tree (d - 1), float d, tree (d - 1))
let t3 = tree 3
let lz = lazy (f2 +. frr.b)
let opt = if unk true then Some (f2, clo) else None
let some_unit = print_endline "effect"
let after = Gc.full_major (); (f2, mx.s)
let rec sum = function `Leaf n -> float n | `Node (l, f, r) -> sum l +. f +. sum r
let () =
  Gc.compact ();
  let (a, b, c, d, e) = rec_ in
  Printf.printf "%g %Ld %ld %nd %s\n" a b c d e;
  Printf.printf "%g %g %g %g\n" frr.a frr.b frr.c (Array.fold_left ( +. ) 0. farr);
  mx.m <- { frr with b = 0. };
  Gc.full_major ();
  Printf.printf "%d %g %s %d %g\n" mx.n mx.f mx.s (List.length mx.l) mx.m.b;
  List.iter (fun f -> Printf.printf "%d " (f 1)) clos;
  Printf.printf "%g %g\n" (sum t3) (Lazy.force lz);
  (match opt with Some (f, g) -> Printf.printf "%g %d\n" f (g 5) | None -> print_endline "none");
  Printf.printf "%g %s\n" (fst after) (snd after)
