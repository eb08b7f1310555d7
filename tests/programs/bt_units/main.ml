(* flags: -w -a *)
(* bytecode: no, backtraces differ *)
(* backtrace: yes *)
(* backtraces across units *)
module M = Lib.Make (struct let n = 5 end)
let run name f = match f () with
  | v -> Printf.printf "%s: %d\n" name v
  | exception e -> let s = Printexc.get_backtrace () in Printf.printf "%s: %s\n%s" name (Printexc.to_string e) s
let () =
  run "check" (fun () -> 1 + Lib.check (-1)); run "via" (fun () -> 1 + Lib.via (fun x -> Lib.check x + 1) (-3)); run "functor" (fun () -> 1 + M.go 2); run "ok" (fun () -> M.go 7)
