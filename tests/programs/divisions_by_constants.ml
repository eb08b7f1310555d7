(* Quotients and remainders by constants, of numbers that are known not to be negative and of others, near the ends of
   intervals, beside those by divisors that the compiler does not know. *)
let r = ref 0
let check n =
  let o = Sys.opaque_identity in
  let n1 = n land 0xffff and n2 = n land 0x3fffffff and n3 = n land 0xfffffffffff and n4 = n lsr 8 and n5 = n land max_int in
  let t x d q m = if x / o d <> q || x mod o d <> m then Printf.printf "wrong %d %d: %d %d\n" x d q m in
  t n1 3 (n1 / 3) (n1 mod 3); t n2 3 (n2 / 3) (n2 mod 3); t n3 3 (n3 / 3) (n3 mod 3); t n4 3 (n4 / 3) (n4 mod 3); t n5 3 (n5 / 3) (n5 mod 3);
  t n1 7 (n1 / 7) (n1 mod 7); t n2 7 (n2 / 7) (n2 mod 7); t n3 7 (n3 / 7) (n3 mod 7); t n4 7 (n4 / 7) (n4 mod 7); t n5 7 (n5 / 7) (n5 mod 7);
  t n1 10 (n1 / 10) (n1 mod 10); t n2 10 (n2 / 10) (n2 mod 10); t n3 10 (n3 / 10) (n3 mod 10); t n4 10 (n4 / 10) (n4 mod 10);
  t n1 8 (n1 / 8) (n1 mod 8); t n2 8 (n2 / 8) (n2 mod 8); t n3 8 (n3 / 8) (n3 mod 8); t n4 8 (n4 / 8) (n4 mod 8); t n5 8 (n5 / 8) (n5 mod 8);
  t n1 1009 (n1 / 1009) (n1 mod 1009); t n2 1000003 (n2 / 1000003) (n2 mod 1000003); t n3 65521 (n3 / 65521) (n3 mod 65521);
  if (n mod 2 = 0) <> (n mod o 2 = 0) then print_endline "even";
  if (n mod 2 = 1) <> (n mod o 2 = 1) then print_endline "odd";
  if (n mod 2 <> 1) <> (n mod o 2 <> 1) then print_endline "odd2";
  if (n mod 16 = 5 || n mod 16 = 7) <> (n mod o 16 = 5 || n mod o 16 = 7) then print_endline "16";
  if (n mod 2 = -1) <> (n mod o 2 = -1) then print_endline "neg";
  if (n mod min_int = 0) <> (n mod o min_int = 0) then print_endline "min";
  let m = Int64.of_int n in
  if (Int64.rem m 4L = 0L) <> (Int64.rem m (o 4L) = 0L) then print_endline "64";
  if (Int64.rem m 4L = 3L) <> (Int64.rem m (o 4L) = 3L) then print_endline "64b";
  let p = Int64.logand m 0xffffL in
  if Int64.div p 10L <> Int64.div p (o 10L) || Int64.rem p 10L <> Int64.rem p (o 10L) then print_endline "64c";
  let i = Int32.of_int n in
  if (Int32.rem i 4l = 0l) <> (Int32.rem i (o 4l) = 0l) || (Int32.rem i 4l = 3l) <> (Int32.rem i (o 4l) = 3l) then print_endline "32";
  let p = Int32.logand i 0xffffl in
  if Int32.div p 10l <> Int32.div p (o 10l) || Int32.rem p 16l <> Int32.rem p (o 16l) then print_endline "32c"
let () =
  for i = -3000 to 3000 do check i; check (i + 0x3fffffff); check (max_int + i); check (i * 1000003); check (0xfffffffffff - i); check (i lsl 40) done;
  for i = 0 to 80 do r := !r + i / 9 * 100 + i mod 9 done; Printf.printf "%d\n" !r
