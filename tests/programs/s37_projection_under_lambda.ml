(* flags: -w -a *)
(* soundness 37: a projection is read when it is bound, not when the closure runs. *)
type r = { mutable a : int; b : string }
let f r = let x = r.a in fun () -> x
let g (r : int ref) = let v = !r in fun k -> v + k
let h arr = let e = arr.(0) in let n = Array.length arr in fun () -> e * n
let k s = let c = Bytes.get s 0 in fun () -> c
let w () = let big = Array.make 1000 "x" in
  let w = Weak.create 1 in Weak.set w 0 (Some big);
  let p = (big, String.length big.(3)) in
  let n = snd p in (w, fun () -> n)
let loop () = let fs = ref [] in let i = ref 0 in
  while !i < 3 do (let j = !i in fs := (fun () -> j) :: !fs); incr i done; List.map (fun f -> f ()) !fs
let () =
  let r = { a = 1; b = "b" } in
  let c = f r in r.a <- 2; Printf.printf "%d %d\n" (c ()) (f r ());
  let x = ref 5 in let c = g x in x := 50; Printf.printf "%d\n" (c 1);
  let a = [| 3; 4 |] in let c = h a in a.(0) <- 100; Printf.printf "%d\n" (c ());
  let s = Bytes.of_string "abc" in let c = k s in Bytes.set s 0 'z'; Printf.printf "%c\n" (c ());
  let (wk, c) = w () in Gc.full_major (); Printf.printf "%b %d\n" (Weak.check wk 0) (c ());
  List.iter (Printf.printf "%d ") (loop ()); print_newline ()
