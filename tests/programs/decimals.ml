let () =
  let t = ref 0 in
  for i = 0 to 999 do t := !t + String.length (string_of_int (i * i * i)) done;
  List.iter (fun n -> print_endline (string_of_int n)) [0; 5; 9; 10; 11; 99; 100; 101; 999; 1000; 9999; 10000; 99999; 100000; 999999; 1000000; 9999999; 10000000; 123456789; -1; -45; max_int; min_int];
  let rec check n = if n < 10_000_000 then begin
      let s = string_of_int n in
      if int_of_string s <> n || String.length s <> String.length (Printf.sprintf "%i" n) then failwith s;
      check (n + 1 + n / 37) end in
  check 0;
  let rec around power =
    List.iter (fun n -> print_string (string_of_int n); print_char ' '; print_string (string_of_int (-n)); print_char ' ') [power - 1; power; power + 1; 7 * power];
    print_newline ();
    if power <= max_int / 100 then around (10 * power) in
  around 1;
  Printf.printf "%d\n" !t
