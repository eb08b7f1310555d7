(* flags: -w -a *)
(* soundness 17: Obj.dup and `with` copies do not alias the original. *)
type r = { mutable a : int; b : string; mutable c : float }
type fl = { mutable x : float; mutable y : float }
let dup (x : 'a) : 'a = Obj.obj (Obj.dup (Obj.repr x))
let () =
  let r = { a = 1; b = "b"; c = 2.5 } in
  let d = dup r in
  d.a <- 10; d.c <- 9.;
  Printf.printf "%d %d %g %g\n" r.a d.a r.c d.c;
  let w = { r with a = 3 } in
  w.a <- w.a + 1; w.c <- 0.;
  Printf.printf "%d %d %g\n" r.a w.a r.c;
  let f = { x = 1.; y = 2. } in
  let g = dup f and h = { f with y = 5. } in
  g.x <- 7.; h.x <- 8.; f.y <- 9.;
  Printf.printf "%g %g %g %g %g %g\n" f.x f.y g.x g.y h.x h.y;
  let a = [| 1; 2; 3 |] in
  let b = Array.copy a and c = dup a and e = Array.sub a 0 3 and z = Array.append a [||] in
  b.(0) <- 10; c.(0) <- 20; e.(0) <- 30; z.(0) <- 40;
  Printf.printf "%d %d %d %d %d\n" a.(0) b.(0) c.(0) e.(0) z.(0);
  let lit () = [| 4; 5; 6 |] in
  let x = lit () in
  x.(1) <- 0;
  Printf.printf "%d %d\n" x.(1) (lit ()).(1);
  let flit () = [| 4.; 5. |] in
  let x = flit () in
  x.(1) <- 0.;
  Printf.printf "%g %g\n" x.(1) (flit ()).(1);
  let rlit () = { a = 1; b = "k"; c = 1. } in
  let x = rlit () in
  x.a <- 2;
  Printf.printf "%d %d\n" x.a (rlit ()).a;
  let rr = ref 1 in
  let rd = dup rr in
  incr rd; Printf.printf "%d %d\n" !rr !rd;
  let by = Bytes.of_string "hey" in
  let bc = Bytes.copy by in
  Bytes.set bc 0 'H'; Printf.printf "%s %s\n" (Bytes.to_string by) (Bytes.to_string bc)
