let a = Good.v + 1
let () = print_endline "bad init"
let b = List.find (fun x -> x > a) [ 1; 2; 3 ]
let c = print_endline "never"
