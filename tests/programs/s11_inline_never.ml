(* flags: -w -a *)
(* soundness 11: [@inline never] keeps the frame, so a dead argument may be collected. *)
let[@inline never] make () = ref 42
let[@inline never] set w = let r = make () in Weak.set w 0 (Some r); !r
let[@inline never] check w = Gc.full_major (); Weak.check w 0
let[@inline never] opaque_add x y = x + y
let[@inline never] rec depth n = if n = 0 then 0 else 1 + depth (n - 1)
let () =
  let w = Weak.create 1 in
  let v = set w in
  Printf.printf "%d alive after full_major: %b\n" v (check w);
  Printf.printf "%d %d\n" (opaque_add 1 2) (depth 100);
  let f = (make [@inlined never]) in
  let a = f () and b = f () in
  a := 1;
  Printf.printf "%d %d\n" !a !b
