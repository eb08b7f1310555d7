(* flags: -w -a *)
(* pitfall 44: loops at the ends of the integer range, captured loop variables, bounds read once. *)
let () =
  let c = ref 0 in
  for i = max_int - 2 to max_int do incr c; Printf.printf "%d " (max_int - i) done; Printf.printf "%d\n" !c;
  for i = min_int + 2 downto min_int do incr c; Printf.printf "%d " (i - min_int) done; Printf.printf "%d\n" !c;
  for i = max_int to max_int do incr c done; for i = min_int downto min_int do incr c done; Printf.printf "%d\n" !c;
  for i = max_int to min_int do incr c done; for i = min_int downto max_int do incr c done; Printf.printf "%d\n" !c;
  for i = -2 to 2 do Printf.printf "%d " i done; for i = 2 downto -2 do Printf.printf "%d " i done; print_newline ();
  let n = ref 3 in for i = 1 to !n do n := 10; print_int i done; Printf.printf " %d\n" !n;
  let n = ref 1 in for i = !n to (n := 4; !n) do print_int i done; print_newline ();
  let fs = ref [] in for i = 1 to 4 do fs := (fun () -> i * i) :: !fs done; List.iter (fun f -> Printf.printf "%d " (f ())) !fs; print_newline ();
  let o = Sys.opaque_identity in
  for i = o max_int - 1 to o max_int do print_string "." done; for i = o (min_int + 1) downto o min_int do print_string "," done; print_newline ();
  for i = 1 to 3 do for j = i downto 1 do for k = j to i do Printf.printf "%d%d%d " i j k done done done; print_newline ();
  for i = 1 to 3 do let i = ref i in while !i < 10 do i := !i * 3 done; Printf.printf "%d " !i done; print_newline ();
  let r = (for _ = 1 to 2 do () done) in assert (r = ());
  (try for i = 0 to 5 do if i = 3 then raise Exit; print_int i done with Exit -> print_endline "x");
  let a = Array.make 3 0 in for i = 0 to Array.length a - 1 do for j = 0 to i do a.(i) <- a.(i) + a.(j) + 1 done done; Array.iter (Printf.printf "%d ") a; print_newline ();
  let x = ref 5 in while (decr x; !x > 0) && (print_int !x; !x <> 2) do print_string "b " done; print_newline ();
  let x = ref 0 in while not (!x > 3 || (incr x; !x = 3)) do print_int !x done; Printf.printf " %d\n" !x;
  let x = ref 0. in while !x < 1. do x := !x +. 0.25 done; Printf.printf "%g\n" !x;
  while false do print_endline "never" done
