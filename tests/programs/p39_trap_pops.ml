(* flags: -w -a *)
(* pitfalls 37-39: every trap is popped once, by any exit of the body. *)
exception X of int
let loops n = let out = ref [] in
  for i = 0 to n do
    let r = try
      match i mod 5 with
      | 0 -> (try if i > 3 then raise Exit else i with Not_found -> -1)
      | 1 -> (try (try raise (X i) with Exit -> 1) with X k -> k * 2)
      | 2 -> let j = ref 0 in (try while true do incr j; if !j > i then raise Exit done; 0 with Exit -> !j)
      | 3 -> raise (X i)
      | _ -> (match (try Some (if i > 10 then raise Not_found else i) with Not_found -> None) with Some k when k > 4 -> raise Exit | Some k -> k | None -> -9)
      with Exit -> -100 - i | X k -> 1000 + k in
    out := r :: !out
  done; List.rev !out
let deep n = let rec go n k = if n = 0 then k () else try go (n - 1) (fun () -> try k () with X m -> raise (X (m + n))) with X m when m mod 2 = n mod 2 -> m * 10 in go n (fun () -> raise (X 1))
let inner_exit l = let rec scan l = match l with [] -> 0 | x :: r -> (match (try if x = 0 then raise Exit; `Go (100 / x) with Exit -> `Skip | Division_by_zero -> `Stop) with `Go n -> n + scan r | `Skip -> scan r | `Stop -> -1) in scan l
let orpat x y = try (match x, y with (0, n) | (n, 0) when n > 5 -> raise (X n) | (1, n) | (n, 1) -> (try if n = 3 then raise Exit else n with Not_found -> 0) | _ -> 77) with X n -> -n | Exit -> -1000
let fin f = let log = Buffer.create 10 in
  let r = try Fun.protect ~finally:(fun () -> Buffer.add_string log "F") (fun () -> Buffer.add_string log "B"; f ()) with X n -> n | Exit -> -1 in (Buffer.contents log, r)
let () =
  List.iter (Printf.printf "%d ") (loops 20); print_newline ();
  (match raise (X 3) with () -> () | exception X n -> Printf.printf "%d\n" n);
  for n = 0 to 5 do (match deep n with v -> Printf.printf "%d " v | exception X m -> Printf.printf "X%d " m) done; print_newline ();
  Printf.printf "%d\n" (inner_exit [ 1; 0; 5; 10 ]);
  List.iter (fun (a, b) -> Printf.printf "%d " (orpat a b)) [ (0, 6); (0, 5); (7, 0); (1, 3); (1, 9); (3, 1); (4, 4); (2, 1); (0, 1) ]; print_newline ();
  List.iter (fun f -> let s, n = fin f in Printf.printf "%s%d " s n) [ (fun () -> 1); (fun () -> raise (X 2)); (fun () -> raise Exit) ]; print_newline ();
  let n = ref 0 in
  for i = 1 to 100_000 do try if i land 1 = 0 then raise_notrace Exit else incr n with Exit -> n := !n + 2 done; Printf.printf "%d\n" !n;
  let rec safe i = if i = 0 then 0 else (match (try int_of_string (if i mod 3 = 0 then "x" else "1") with Failure _ -> 0) with k -> (if k = 0 then safe (i - 1) else safe (i - 1))) in Printf.printf "%d\n" (safe 100_000)
