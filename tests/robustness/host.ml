let () =
  print_endline "before";
  (try Dynlink.loadfile "plugin.cmxs"
   with Dynlink.Error e -> print_endline (Dynlink.error_message e));
  List.iter
    (fun (name, f) -> Printf.printf "registered: %s 21 = %d\n" name (f 21))
    !Registry.functions;
  print_endline "after"
