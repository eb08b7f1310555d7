(* flags: -w -a *)
(* bytecode: no, backtraces differ *)
(* backtrace: yes *)
(* locations in loops, sequences, switch arms, tail calls and multi-line expressions *)
let o = Sys.opaque_identity
let[@inline never] chk n = if n = 3 then raise Exit else n
let loop n = let s = ref 0 in
  for i = 0 to n do
    s := !s
         + chk i
         + 1
  done; !s
let wh n = let i = ref 0 in while chk !i < n do incr i done; !i
let arm x = match x with
  | 0 -> chk 3 + 1
  | 1 -> 2 + chk 3
  | _ -> chk (x + 1) + chk x
let rec tail n = if n = 0 then chk 3 else tail (n - 1)
let mutual n = let rec a n = if n = 0 then chk 3 + 1 else b (n - 1) and b n = if n = 0 then 1 + chk 3 else a (n - 1) in a n + 1
let args () = (fun a b c -> a + b + c) (chk 1)
    (chk 3) (chk 2)
let tup () = fst (1,
  chk 3)
let run name f = match f () with
  | v -> Printf.printf "%s: %d\n" name v
  | exception e -> let s = Printexc.get_backtrace () in Printf.printf "%s: %s\n%s" name (Printexc.to_string e) s
let () =
  run "loop" (fun () -> 1 + loop 5); run "while" (fun () -> 1 + wh 9);
  run "arm0" (fun () -> 1 + arm 0); run "arm1" (fun () -> 1 + arm 1); run "arm2" (fun () -> 1 + arm 2); run "arm3" (fun () -> 1 + arm 3);
  run "tail" (fun () -> 1 + tail 4); run "mutual" (fun () -> 1 + mutual 2); run "mutual2" (fun () -> 1 + mutual 3); run "args" (fun () -> 1 + args ()); run "tup" (fun () -> 1 + tup ())
