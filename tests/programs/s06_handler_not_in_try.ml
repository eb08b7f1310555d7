(* flags: -w -a *)
(* soundness 6: what follows a try is not under its handler. *)
let r1 () =
  let (a, b) = try (1, 2) with _ -> assert false in
  if a + b = 3 then raise Not_found else a
let r2 x =
  let v = try if x then 1 else raise Exit with Exit -> 2 in
  if v = 2 then raise Exit else v
let r3 x =
  match (try Some (List.assoc x [ (1, "one") ]) with Not_found -> None) with
  | Some s -> s
  | None -> raise Not_found
let r4 x =
  match List.assoc x [ (1, 2) ] with
  | 2 -> raise Not_found
  | n -> n
  | exception Not_found -> 99
let r5 f =
  let k = try let v = f () in fun () -> v + f () with Exit -> fun () -> raise Exit in
  k ()
let t name g = match g () with
  | v -> Printf.printf "%s ok %s\n" name v
  | exception e -> Printf.printf "%s raised %s\n" name (Printexc.to_string e)
let i f () = string_of_int (f ())
let () =
  t "r1" (i r1);
  t "r2 t" (i (fun () -> r2 true));
  t "r2 f" (i (fun () -> r2 false));
  t "r3 1" (fun () -> r3 1);
  t "r3 2" (fun () -> r3 2);
  t "r4 1" (i (fun () -> r4 1));
  t "r4 2" (i (fun () -> r4 2));
  t "r5 a" (i (fun () -> r5 (fun () -> 4)));
  t "r5 b" (i (fun () -> r5 (fun () -> raise Exit)));
  let c = ref 0 in
  t "r5 c" (i (fun () -> r5 (fun () -> incr c; if !c > 1 then raise Exit else 5)));
  t "nested" (i (fun () ->
    try
      let x = try 1 + (try raise Exit with Not_found -> 2) with Exit -> 3 in
      if x = 3 then raise Exit; x
    with Exit -> 7))
