(* flags: -w -a *)
(* soundness 15: nothing is concluded from a lazy block. *)
let n = ref 0
let l = lazy (incr n; print_string "[force]"; !n * 10)
let c = lazy 5
let cf = lazy 5.5
let f = lazy (float !n)
let s = lazy (String.make 3 'x')
let tagof x = Obj.tag (Obj.repr x)
let () =
  Printf.printf "%b\n" (Lazy.is_val l);
  let t0 = tagof l in
  let v = Lazy.force l in
  let v' = Lazy.force l in
  Printf.printf "%d %d %b %b\n" v v' (Lazy.is_val l) (t0 = Obj.lazy_tag);
  Gc.full_major ();
  Printf.printf "%d %d %g\n" (Lazy.force l) (Lazy.force c) (Lazy.force cf);
  Printf.printf "%g " (Lazy.force f); Gc.compact (); Printf.printf "%g %s\n" (Lazy.force f) (Lazy.force s);
  let arr = [| l; c; lazy (incr n; !n) |] in
  Gc.minor ();
  Printf.printf "%d %d %d\n" (Lazy.force arr.(0)) (Lazy.force arr.(1)) (Lazy.force arr.(2));
  let loc x = let z = lazy (print_string "[z]"; x + 1) in
    let (lazy a) = z in Gc.minor (); let b = match z with lazy b -> b in a + b in
  Printf.printf "%d\n" (loc 4);
  let r = lazy (raise Exit) in
  let g () = try Lazy.force r with Exit -> "exit" in
  Printf.printf "%s %s %b\n" (g ()) (g ()) (Lazy.is_val r);
  let rec u = lazy (1 + Lazy.force u) in
  (match Lazy.force u with v -> print_int v | exception Lazy.Undefined -> print_endline "undefined");
  let d = lazy (lazy (lazy 3)) in
  Printf.printf "%d\n" (Lazy.force (Lazy.force (Lazy.force d)))
