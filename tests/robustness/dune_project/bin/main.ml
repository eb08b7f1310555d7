let () =
  Printf.printf "%d line %d\n" [%twice 20 + 1] [%here];
  Printf.printf "%d %g\n" (Stubs.sum [| 1; 2; 3 |]) (Stubs.scale 1.5 4);
  let number, text = Stubs.both (fun n -> String.concat "," (List.init n string_of_int)) 4 in
  Printf.printf "%g %s\n" number text;
  (match Stubs.both (fun n -> if n > 3 then raise Exit else n) 4 with
   | _ -> print_endline "no exception"
   | exception Exit -> print_endline "exception through C");
  Dynlink.loadfile Sys.argv.(1);
  List.iter (fun (name, f) -> Printf.printf "%s %d\n" name (f 7)) (Registry.all ())
