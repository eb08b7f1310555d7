(* flags: -w -a *)
(* pitfalls 59, 60: divisions by -1, by constants, of min_int, unsafe or not. *)
let o = Sys.opaque_identity
let nums = [ 0; 1; -1; 7; -7; 100; -100; max_int; min_int; min_int + 1; 1 lsl 31; -(1 lsl 31); 12345678901 ]
let all x = [ x / 1; x / -1; x / 2; x / -2; x / 3; x / -3; x / 4; x / 5; x / 7; x / -7; x / 8; x / 10; x / 16; x / 100; x / 1000; x / 12345; x / max_int; x / min_int; x / (1 lsl 40) ]
let allm x = [ x mod 1; x mod -1; x mod 2; x mod -2; x mod 3; x mod -3; x mod 4; x mod 5; x mod 7; x mod -7; x mod 8; x mod 10; x mod 16; x mod 100; x mod 1000; x mod 12345; x mod max_int; x mod min_int; x mod (1 lsl 40) ]
let all64 x = Int64.[ div x 1L; div x (-1L); div x 2L; div x (-2L); div x 3L; div x 7L; div x 8L; div x 10L; div x 1000L; div x min_int; rem x 1L; rem x (-1L); rem x 2L; rem x (-2L); rem x 3L; rem x 7L; rem x 8L; rem x 10L; rem x 1000L; rem x min_int ]
let all32 x = Int32.[ div x 1l; div x (-1l); div x 2l; div x (-2l); div x 3l; div x 7l; div x 8l; div x 10l; div x min_int; rem x 1l; rem x (-1l); rem x 2l; rem x (-2l); rem x 3l; rem x 7l; rem x 8l; rem x 10l; rem x min_int ]
let () =
  List.iter (fun x -> List.iter (Printf.printf "%d ") (all x); print_newline (); List.iter (Printf.printf "%d ") (allm x); print_newline ()) nums;
  List.iter (fun x -> List.iter (Printf.printf "%Ld ") (all64 x); print_newline ()) [ 0L; 1L; -1L; Int64.max_int; Int64.min_int; 12345678901L; -99L ];
  List.iter (fun x -> List.iter (Printf.printf "%ld ") (all32 x); print_newline ()) [ 0l; 1l; -1l; Int32.max_int; Int32.min_int; 1234567l; -99l ];
  List.iter (fun d -> List.iter (fun x -> if o d <> 0 then Printf.printf "%d,%d " (x / d) (x mod d)) nums) [ -1; 0; 3; min_int ]; print_newline ();
  List.iter (fun d -> match Int64.div (o Int64.min_int) d, Int64.rem (o Int64.min_int) d with a, b -> Printf.printf "%Ld,%Ld " a b | exception Division_by_zero -> print_string "dz ") [ -1L; 0L; 1L ];
  List.iter (fun d -> match Int32.div (o Int32.min_int) d, Int32.rem (o Int32.min_int) d with a, b -> Printf.printf "%ld,%ld " a b | exception Division_by_zero -> print_string "dz ") [ -1l; 0l; 1l ];
  List.iter (fun d -> match Nativeint.div (o Nativeint.min_int) d, Nativeint.rem (o Nativeint.min_int) d with a, b -> Printf.printf "%nd,%nd " a b | exception Division_by_zero -> print_string "dz ") [ -1n; 0n; 1n ]; print_newline ();
  Printf.printf "%Ld %Ld %ld\n" (Int64.unsigned_div (-1L) 10L) (Int64.unsigned_rem (-1L) 10L) (Int32.unsigned_div (-1l) 10l)
