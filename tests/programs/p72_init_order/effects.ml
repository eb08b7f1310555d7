let () = A.log "effects"; A.set (A.get () + 5)
let hidden = A.get () * 2
let _ = A.log (string_of_int hidden)
let f = let n = hidden in fun () -> A.log (string_of_int n)
let () = at_exit (fun () -> f (); print_endline ("exit " ^ A.dump ()))
