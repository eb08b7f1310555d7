let () =
  let n = Lib.look 3 in
  let print = List.iter (Printf.printf "%d ") in
  print [ Lib.constant n 3; Lib.constant 17 n; Lib.constant 19 n ];
  print [ Lib.two n 1 2; Lib.two 3 n 4; Lib.two 5 6 n ];
  print [ Lib.escapes n 3; Lib.escapes 17 n; !Lib.kept 1; Lib.escapes 19 n; !Lib.kept 1 ];
  print_newline ()
