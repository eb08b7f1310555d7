(* flags: -w -a *)
(* bytecode: no, backtraces differ *)
(* backtrace: yes *)
(* raise in nested functions, not in tail position *)
exception E of int
let[@inline never] f3 n = if n > 0 then raise (E n) else n
let[@inline never] f2 n = 1 + f3 n
let f1 n = let r = f2 (n + 1) in r * 2
let[@inline] small n = n + f1 n
let run name f = match f () with
  | v -> Printf.printf "%s: %d\n" name v
  | exception e -> Printf.printf "%s: %s\n%s" name (Printexc.to_string e) (Printexc.get_backtrace ())
let () =
  run "f1" (fun () -> 1 + f1 3);
  run "f1 ok" (fun () -> f1 (-5));
  run "small" (fun () -> 1 + small 0);
  run "map" (fun () -> List.length (List.map (fun x -> f2 x + 1) [ -1; 0; 1 ]));
  run "direct" (fun () -> if Sys.opaque_identity true then raise Not_found else 1)
