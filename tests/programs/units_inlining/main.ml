(* flags: -w -a *)
(* Small functions and constants of other units, inlined or not; mutable data shared between units. *)
let () =
  Printf.printf "%d %g %d\n" (User.f 1) (User.g 3.) (User.h [ 1; 2; 3 ]); let n, s = Small.const_pair in Printf.printf "%d %s %s\n" n s Small.str; List.iter (fun f -> Printf.printf "%d " (f 10)) Small.const_fn; Printf.printf "%d %d %d\n" (Small.opt 2) (Small.opt ~k:1 2) (Small.opt ?k:None 3);
  User.bump (); Printf.printf "%d %d %d %g\n" User.first Small.arr.(0) !Small.cell Small.farr.(1); Small.cell := 1; User.bump (); Printf.printf "%d %d\n" !Small.cell Small.arr.(0); let l = Small.local_clos 5 in Printf.printf "%d %d %Ld\n" (l 1) (Small.local_clos 1 2) (Int64.add Small.big 1L); let c = Small.counter () in let d = Small.counter () in Printf.printf "%d %d\n" c d;
  Printf.printf "%d %d\n" (Small.with_try (fun () -> List.assoc 1 [])) (Small.with_try (fun () -> 3)); let a, b = Small.swap (1, "x") in Printf.printf "%s %d\n" a b; (try ignore (Small.with_try (fun () -> raise Exit)) with Exit -> print_endline "exit")
