(* flags: -w -a *)
(* ocaml: < 5.0, which has no Stream *)
(* Stream: made by a function, read and run dry. *)
let () =
  let st = Stream.from (fun i -> if i < 5 then Some (i * i) else None) in
  Stream.junk st;
  Printf.printf "%d " (Stream.next st);
  Stream.iter (Printf.printf "%d ") st;
  match Stream.next st with _ -> () | exception Stream.Failure -> print_endline "end"
