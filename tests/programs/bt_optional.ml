(* flags: -w -a *)
(* bytecode: no, backtraces differ *)
(* backtrace: yes *)
(* the call of a function with default arguments shows, though its wrapper has no place of its own *)
let[@inline never] fetch ?(fail = false) ?(key = 1) () = if fail then raise Not_found else key
let retry () = match fetch ~fail:true () with n -> n | exception (Not_found as exn) -> raise exn
let () =
  try ignore (retry ()) with exn ->
    Printf.printf "%s\n%s" (Printexc.to_string exn) (Printexc.get_backtrace ())
