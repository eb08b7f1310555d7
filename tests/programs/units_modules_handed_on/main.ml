(* flags: -w -a *)
(* Functions of functors that hand on, store or return the module that another functor made. *)
let names = [ "m"; "c"; "x"; "a"; "c" ]
let map = List.fold_left (fun m n -> Names.M.add n (String.length n) m) Names.M.empty names
let () =
  print_endline (String.concat " " (Names.S.elements (Names.M.keys map)));
  print_endline (String.concat " " (Names.S.elements (Names.M.first map)));
  Names.M.iter (Printf.printf "%s=%d ") (Names.M.of_set String.length (Names.M.keys map));
  let module S = (val Names.M.module_of ()) in
  print_endline (String.concat " " (S.elements (S.union (S.of_list [ "q" ]) (S.of_list names))));
  let ints = Names.Ints.M.(add 3 "c" (add 1 "a" (add 2 "b" empty))) in
  Names.Ints.S.iter (Printf.printf "%d ") (Names.Ints.M.keys ints);
  Printf.printf "%b\n" (Names.Ints.M.keys ints == Names.Ints.M.keys ints);
  let pairs = Names.Pairs.(add ("a", "b") 1 (add ("a", "a") 2 empty)) in
  Names.Pairs.iter (fun (a, b) n -> Printf.printf "%s%s=%d " a b n) pairs;
  let same = Names.M.module_of () == Names.M.module_of () in
  Printf.printf "%d %b\n" (Obj.size (Obj.repr (Names.Pairs.keys pairs))) same
