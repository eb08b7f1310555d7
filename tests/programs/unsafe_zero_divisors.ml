(* flags: -w -a -unsafe *)
(* A divisor known to be zero raises under -unsafe too; where no constant reaches the division nothing is promised. *)
let o = Sys.opaque_identity
let test name f = Printf.printf "%s: %s\n" name (match f () with n -> string_of_int n | exception Division_by_zero -> "raised")
let quotient a = try a / 0 with Division_by_zero -> 7
let remainder a = try a mod 0 with Division_by_zero -> 7
let quotient32 a = try Int32.to_int (Int32.div a 0l) with Division_by_zero -> 7
let remainder32 a = try Int32.to_int (Int32.rem a 0l) with Division_by_zero -> 7
let quotient64 a = try Int64.to_int (Int64.div a 0L) with Division_by_zero -> 7
let remainder64 a = try Int64.to_int (Int64.rem a 0L) with Division_by_zero -> 7
let quotient_native a = try Nativeint.to_int (Nativeint.div a 0n) with Division_by_zero -> 7
let remainder_native a = try Nativeint.to_int (Nativeint.rem a 0n) with Division_by_zero -> 7
let zero = 0
let named a = let z = 0 in try a / z with Division_by_zero -> 8
let of_unit a = try a mod zero with Division_by_zero -> 9
let computed a = let r = ref a in (try r := 1; r := 5 / 0 with Division_by_zero -> incr r); !r
let () =
  test "quotient" (fun () -> quotient (o 5)); test "remainder" (fun () -> remainder (o 5));
  test "quotient32" (fun () -> quotient32 (o 5l)); test "remainder32" (fun () -> remainder32 (o 5l));
  test "quotient64" (fun () -> quotient64 (o 5L)); test "remainder64" (fun () -> remainder64 (o 5L));
  test "quotient_native" (fun () -> quotient_native (o 5n)); test "remainder_native" (fun () -> remainder_native (o 5n));
  test "named" (fun () -> named (o 5)); test "of_unit" (fun () -> of_unit (o 5));
  test "computed" (fun () -> computed (o 5));
  test "ignored" (fun () -> ignore (o 5 / 0); 1); test "ignored remainder" (fun () -> ignore (o 5 mod 0); 1);
  test "ignored 32" (fun () -> ignore (Int32.div (o 5l) 0l); 1); test "ignored 64" (fun () -> ignore (Int64.rem (o 5L) 0L); 1);
  test "ignored native" (fun () -> ignore (Nativeint.div (o 5n) 0n); 1);
  test "constants" (fun () -> 1 / 0); test "ignored constants" (fun () -> ignore (1 mod 0); 1);
  test "not reached" (fun () -> if o false then o 1 / 0 else 2);
  test "in a loop" (fun () -> let n = ref 0 in (try for i = 1 to 3 do n := i; if i = o 2 then ignore (i / 0) done with Division_by_zero -> ()); !n);
  test "other divisors" (fun () -> (o 17 / o 5 * 10) + (o 17 mod o 5))
