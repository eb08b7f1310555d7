(* flags: -w -a *)
(* exit: 7 *)
(* Exit code through exit, at_exit order, exit inside at_exit and inside try. *)
let () = at_exit (fun () -> print_endline "first registered")
let () = at_exit (fun () -> print_endline "second registered"; at_exit (fun () -> print_endline "nested"))
let f n = try if n > 3 then exit 7 else n with Not_found -> print_endline "no"; 0
let () = print_int (f 2); print_newline ()
let () = try ignore (f 5) with Stdlib.Exit -> print_endline "Exit is not exit" | e -> print_endline "caught?"; raise e
