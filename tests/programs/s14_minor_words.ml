(* flags: -w -a *)
(* bytecode: no, boxed floats make it allocate in the windows *)
(* soundness 14: allocations are not moved across Gc.minor_words. *)
let[@inline never] pair x y = (x, y)
let () =
  let x = Sys.opaque_identity 3 in
  let w0 = Gc.minor_words () in
  let w1 = Gc.minor_words () in
  let p = Sys.opaque_identity (ref x) in
  let w2 = Gc.minor_words () in
  Printf.printf "empty window %.0f\n" (w1 -. w0);
  Printf.printf "ref window at least 2: %b\n" (w2 -. w1 >= 2.);
  let f = Sys.opaque_identity 1.5 in
  let w3 = Gc.minor_words () in
  let g = f *. 2. in
  let h = g +. 1. in
  let w4 = Gc.minor_words () in
  Printf.printf "float window at most the boxes: %b %g\n" (w4 -. w3 <= 4.) (Sys.opaque_identity h);
  let w5 = Gc.minor_words () in
  let s = ref 0 in
  for i = 1 to 1000 do s := !s + (i * x) done;
  let w6 = Gc.minor_words () in
  Printf.printf "int loop %.0f %d\n" (w6 -. w5) !s;
  let w7 = Gc.minor_words () in
  let q = Sys.opaque_identity (pair x !s) in
  let w8 = Gc.minor_words () in
  Printf.printf "call window %.0f %d %d\n" (w8 -. w7) (fst q) !p
