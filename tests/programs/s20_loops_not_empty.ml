(* flags: -w -a *)
(* soundness 20: loops whose only point is termination, an exception or the final counter value. *)
let () =
  let i = ref 0 in
  while !i < 1000 do i := !i + 7 done;
  Printf.printf "%d\n" !i;
  (try while true do incr i; if !i > 2000 then raise Exit done with Exit -> Printf.printf "%d\n" !i);
  let rec spin n = if n <> 0 then spin (n - 1) in
  spin 100000;
  print_endline "spun";
  for i = 1 to 1000 do () done;
  for i = 10 to 1 do print_endline "never" done;
  for i = 1 downto 10 do print_endline "never" done;
  let f () = print_string "bound "; 3 in
  for i = f () to f () do print_int i done;
  print_newline ();
  for _ = (print_string "lo "; 1) to (print_string "hi "; 0) do print_string "body" done;
  print_newline ();
  let rec nest n = for i = 1 to n do (try nest (n - 1); if i = 2 then raise Exit with Exit -> print_int n) done in
  nest 3; print_newline ();
  let rec ping n = if n = 0 then raise Not_found else pong (n - 1) and pong n = if n < 0 then () else ping n in
  (try ping 10 with Not_found -> print_endline "nf");
  let x = ref 27 and steps = ref 0 in
  while !x <> 1 do x := if !x land 1 = 0 then !x / 2 else 3 * !x + 1; incr steps done;
  Printf.printf "%d\n" !steps;
  let a = Array.make 5 0 in
  (try for i = 0 to 10 do ignore a.(i) done; print_endline "no" with Invalid_argument s -> print_endline s);
  let k = ref 0 in
  while (incr k; !k < 5) do () done;
  Printf.printf "%d\n" !k
