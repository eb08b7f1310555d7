(* flags: -w -a *)
(* Registration by side effect at initialisation, hooks and objects passed across units. *)
let () = List.iter print_string (List.rev !Reg.order); print_newline (); List.iter (fun n -> Printf.printf "%d " (Reg.run n 5)) [ "a"; "b"; "c"; "c" ]; (match Reg.run "zz" 1 with _ -> () | exception Not_found -> print_endline "nf"); !Reg.hook "main"; List.iter (fun p -> Printf.printf "%s %d\n" p#name (p#apply 3)) !Reg.plugins; Reg.register "a" succ; Printf.printf "%d %d\n" (Reg.run "b" 1) ((List.nth !Reg.plugins 1)#apply 7)
