(* flags: -w -a *)
(* exit: 2 *)
(* stderr: yes *)
(* An uncaught exception with arguments: exit code, message, output flushed, at_exit run. *)
exception Problem of int * string * float
let () = at_exit (fun () -> print_endline "at_exit ran")
let () = Printexc.register_printer (function Exit -> Some "custom exit printer" | _ -> None)
let () = print_endline (Printexc.to_string Exit); print_endline (Printexc.to_string (Problem (1, "x", 2.5)))
let () = print_string "buffered "
let _ = List.iter (fun n -> if n = 2 then raise (Problem (n, "two", 0.5))) [ 1; 2; 3 ]
