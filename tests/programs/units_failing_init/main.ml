(* flags: -w -a *)
(* exit: 2 *)
(* stderr: yes *)
(* An exception during the initialisation of a unit stops the program. *)
let () = Printf.printf "main %d\n" Bad.b
