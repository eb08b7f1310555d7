(* flags: -w -a *)
(* soundness 40: closures with several entries keep the layout the runtime expects, across units and compaction. *)
let () =
  let l = List.init 50 (fun i -> Shared.make i (string_of_int i) (float i /. 2.)) in
  let fs = List.map (fun t -> fst (Shared.both t)) l in
  let gs = List.map Shared.show l in
  let tw = List.init 10 (fun i -> Shared.twist (fun x -> x + i) i) in
  ignore (Sys.opaque_identity (Array.init 1000 (fun i -> [ i ])));
  Gc.compact ();
  Printf.printf "%d\n" (List.fold_left (fun a f -> a + f 10 + f 2000) 0 fs);
  Gc.minor ();
  List.iteri (fun i g -> if i mod 10 = 0 then print_endline (g ())) gs;
  Gc.compact ();
  List.iter (fun t -> if Shared.add t 1 > 48 then Printf.printf "%d " (snd (Shared.both t) 5 6)) l;
  print_newline ();
  List.iter (fun (g, h) -> Printf.printf "%d/%d " (g 3) (h ())) tw;
  print_newline ()
