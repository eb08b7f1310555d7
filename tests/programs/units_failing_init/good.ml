let () = at_exit (fun () -> print_endline "good at_exit")
let v = print_endline "good init"; 3
