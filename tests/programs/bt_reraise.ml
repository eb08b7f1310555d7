(* flags: -w -a *)
(* bytecode: no, backtraces differ *)
(* backtrace: yes *)
(* re-raise of the same exception, raise of another one, raise_notrace, raise_with_backtrace *)
exception A of int
exception B
let[@inline never] thrower n = if n >= 0 then raise (A n); n
let reraise n = try 1 + thrower n with A k as e -> if k > 5 then raise e else raise B
let notmatched n = try 1 + thrower n with Not_found -> 0
let notrace n = try 1 + thrower n with A _ -> raise_notrace B
let keep n = try 1 + thrower n with e -> let bt = Printexc.get_raw_backtrace () in ignore (Sys.opaque_identity (ref 1)); Printexc.raise_with_backtrace B bt
let nested n = try (try 1 + thrower n with A 1 -> raise Exit) with Exit as e -> raise e
let fresh n = try 1 + thrower n with A k -> raise (A (k + 1))
let run name f = match f () with
  | v -> Printf.printf "%s: %d\n" name v
  | exception e -> let s = Printexc.get_backtrace () in Printf.printf "%s: %s\n%s" name (Printexc.to_string e) s
let () =
  run "reraise" (fun () -> 1 + reraise 9);
  run "other" (fun () -> 1 + reraise 1);
  run "not matched" (fun () -> 1 + notmatched 2);
  run "notrace" (fun () -> 1 + notrace 2);
  run "keep" (fun () -> 1 + keep 2);
  run "nested" (fun () -> 1 + nested 1);
  run "fresh" (fun () -> 1 + fresh 1)
