(* flags: -w -a -thread *)
(* packages: unix threads.posix *)
(* soundness 12: no scheduling point is created between the test and the store of a compare-and-set. *)
type 'a t = { mutable v : 'a }
let[@inline never] cas r seen v = let cur = r.v in if cur == seen then (r.v <- v; true) else false
let[@inline] cas2 r seen v = if r.v == seen then (r.v <- v; true) else false
let counter = { v = [ 0 ] }
let counter2 = { v = (0, "x") }
let rec incr1 () = let seen = counter.v in
  let next = [ List.hd seen + 1 ] in
  if not (cas counter seen next) then incr1 ()
let rec incr2 () = let seen = counter2.v in
  let next = (fst seen + 1, "y") in
  if not (cas counter2 seen next) then incr2 ()
let work () = for i = 1 to 5000 do incr1 (); incr2 (); if i mod 500 = 0 then Thread.yield () done
let () =
  let ts = List.init 4 (fun _ -> Thread.create work ()) in
  List.iter Thread.join ts;
  Printf.printf "%d %d\n" (List.hd counter.v) (fst counter2.v);
  let a = Atomic.make 0 in
  let ts = List.init 3 (fun _ -> Thread.create (fun () -> for _ = 1 to 3000 do Atomic.incr a; ignore (Sys.opaque_identity (ref 1)) done) ()) in
  List.iter Thread.join ts;
  Printf.printf "%d\n" (Atomic.get a)
