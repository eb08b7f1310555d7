(* flags: -w -a *)
(* soundness 13: repeated atomic and plain loads around stores by others are not merged. *)
let a = Atomic.make 0
let plain = ref 0
let[@inline never] other () = Atomic.incr a; plain := !plain + 10
let () =
  let x = Atomic.get a in
  other ();
  let y = Atomic.get a in
  Printf.printf "%d %d\n" x y;
  let p = !plain in
  let m = Atomic.fetch_and_add a 5 in
  other ();
  let q = !plain in
  Printf.printf "%d %d %d %d\n" p q m (Atomic.get a);
  Printf.printf "%b %b\n" (Atomic.compare_and_set a 7 100) (Atomic.compare_and_set a 7 200);
  Printf.printf "%d %d\n" (Atomic.exchange a 1) (Atomic.get a);
  let spin n = let c = ref 0 in while Atomic.get a < n do incr c; other () done; !c in
  Printf.printf "%d %d\n" (spin 6) (Atomic.get a);
  let b = Atomic.make [ 1 ] in
  let l0 = Atomic.get b in
  Atomic.set b (2 :: l0);
  let l1 = Atomic.get b in
  Printf.printf "%d %d %b\n" (List.length l0) (List.length l1) (Atomic.compare_and_set b l1 []);
  Printf.printf "%d\n" (List.length (Atomic.get b))
