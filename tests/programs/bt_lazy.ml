(* flags: -w -a *)
(* bytecode: no, backtraces differ *)
(* backtrace: yes *)
(* ocaml: < 5.0, where stock inlines a function that forces, whose frame then shows; called, it ends in a tail call *)
(* exceptions raised while a lazy value is forced *)
let o = Sys.opaque_identity
let mk k = fun x -> if x > k then raise Not_found else x + k
let run name f = match f () with
  | v -> Printf.printf "%s: %d\n" name v
  | exception e -> let s = Printexc.get_backtrace () in Printf.printf "%s: %s\n%s" name (Printexc.to_string e) s
let () =
  run "lazy" (fun () -> 1 + Lazy.force (lazy (mk 1 (o 3))));
  let l = lazy (1 + mk 1 (o 5)) in
  run "first" (fun () -> 1 + Lazy.force l);
  run "second" (fun () -> 1 + Lazy.force l)
