(* flags: -w -a *)
(* bytecode: no, backtraces differ *)
(* backtrace: yes *)
(* exit: 2 *)
(* stderr: yes *)
(* an uncaught exception, its backtrace on stderr, after at_exit *)
exception Custom of { code : int; msg : string }
let[@inline never] inner n = if n = 0 then raise (Custom { code = 7; msg = "seven" }) else n
let rec outer n = if n = 0 then inner n + 1 else outer (n - 1) + 1
let () = at_exit (fun () -> print_endline "at_exit")
let () = print_endline "before"
let x = outer 2
let () = print_endline "never"
