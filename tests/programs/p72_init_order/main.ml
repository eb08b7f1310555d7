(* flags: -w -a *)
(* pitfalls 72-74: order of initialisation and effects inside and across units; units with only effects. *)
let () = Printf.printf "%d %d %d %d %d %d %d %d\n" A.v B.early B.M.x B.call_early B.call_late B.s1 B.s2 B.w
let cond = if A.get () > 0 then (A.log "yes"; ref 1) else ref 2
let tried = try A.log "try"; List.find (fun x -> x > 5) [ 1 ] with Not_found -> A.log "nf"; 3
let looped = let s = ref [] in for i = 1 to 3 do s := (fun () -> i) :: !s done; List.map (fun f -> f ()) !s
let () = Printf.printf "%d %d %d\n" !cond tried (List.length looped); print_endline (A.dump ())
