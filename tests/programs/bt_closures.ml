(* flags: -w -a *)
(* bytecode: no, backtraces differ *)
(* backtrace: yes *)
(* exceptions raised in closures, through iterators and partial applications *)
let o = Sys.opaque_identity
let mk k = fun x -> if x > k then raise Not_found else x + k
let rec apply_all fs x = match fs with [] -> 0 | f :: r -> let v = f x in v + apply_all r x
let three a b c = if a + b > c then invalid_arg "three" else c
let compose f g x = f (g x + 1) + 1
let run name f = match f () with
  | v -> Printf.printf "%s: %d\n" name v
  | exception e -> let s = Printexc.get_backtrace () in Printf.printf "%s: %s\n%s" name (Printexc.to_string e) s
let () =
  run "closure" (fun () -> (mk 3) 5 + 1);
  run "list" (fun () -> 1 + apply_all [ mk 10; mk 1; mk 0 ] 5);
  run "iter" (fun () -> List.iter (fun x -> ignore (1 + mk 1 x)) [ 0; 1; 2 ]; 0);
  run "fold" (fun () -> List.fold_left (fun a x -> if x = 3 then failwith "three" else a + x) 0 [ 1; 2; 3 ] + 1);
  run "partial" (fun () -> let p = three 5 in let q = p 6 in 1 + (o q) 7);
  run "compose" (fun () -> compose (mk 100) (mk 2) 4 + 1);
  run "hashtbl" (fun () -> 1 + Hashtbl.find (Hashtbl.create 1) "k");
  run "local rec" (fun () -> let rec go n = if n = 0 then raise Exit else 1 + go (n - 1) in go 3)
