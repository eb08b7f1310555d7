(* flags: -w -a *)
(* bytecode: no, backtraces differ *)
(* backtrace: yes *)
(* raise through try, with, Fun.protect and hand-written finally *)
let[@inline never] boom s = if s <> "" then failwith s
let finally f g = match f () with v -> g (); v | exception e -> g (); raise e
let a () = Fun.protect ~finally:(fun () -> print_endline "cleanup") (fun () -> boom "a"; 1)
let b () = 1 + finally (fun () -> boom "b"; 1) (fun () -> print_endline "g")
let c () = (try boom "c" with Not_found -> ()); 1
let d () = let r = ref 0 in (try for i = 1 to 3 do r := i; if i = 2 then boom "d" done with Failure m when m = "x" -> ()); !r
let e () = Fun.protect ~finally:(fun () -> try boom "inner" with Failure _ -> ()) (fun () -> boom "e"; 2)
let run name f = match f () with
  | v -> Printf.printf "%s: %d\n" name v
  | exception e -> let s = Printexc.get_backtrace () in Printf.printf "%s: %s\n%s" name (Printexc.to_string e) s
let () = List.iter (fun (n, f) -> run n f) [ ("a", a); ("b", b); ("c", c); ("d", d); ("e", e) ]
