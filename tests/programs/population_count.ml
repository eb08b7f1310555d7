(* Counts of ones in all forms that become the primitive, of integers of all kinds, against a count of characters. *)

let loop x =
  let x = ref x and n = ref 0 in
  while !x <> 0 do
    x := !x land (!x - 1);
    incr n
  done;
  !n

let rec function_ x = if x = 0 then 0 else 1 + function_ (x land (x - 1))
let rec bits x = if x = 0 then 0 else (x land 1) + bits (x lsr 1)
let rec accumulated n x = if x = 0 then n else accumulated (n + 1) (x land pred x)

let last_bits x =
  let rec go n x = if x = 0 then n else go (n + (x land 1)) (x lsr 1) in
  go 0 x

(* What follows the loop is in it as far as the compiler is concerned. *)
let twice x =
  let rec go n x = if x = 0 then (n * 2) + 1 else go (n + 1) (x land (x - 1)) in
  go 7 x

let sum x =
  let x = x - ((x lsr 1) land 0x5555555555555555) in
  let x = (x land 0x3333333333333333) + ((x lsr 2) land 0x3333333333333333) in
  let x = (x + (x lsr 4)) land 0x0f0f0f0f0f0f0f0f in
  (x * 0x0101010101010101) lsr 56

let halves x =
  let x = (x land 0x5555555555555555) + ((x lsr 1) land 0x5555555555555555) in
  let x = (x land 0x3333333333333333) + ((x lsr 2) land 0x3333333333333333) in
  let x = (x land 0x0f0f0f0f0f0f0f0f) + ((x lsr 4) land 0x0f0f0f0f0f0f0f0f) in
  let x = x + (x lsr 8) in
  let x = x + (x lsr 16) in
  let x = x + (x lsr 32) in
  x land 0x7f

let loop64 x =
  let open Int64 in
  let x = ref x and n = ref 0 in
  while !x <> 0L do
    x := logand !x (sub !x 1L);
    incr n
  done;
  !n

let sum64 x =
  let open Int64 in
  let x = sub x (logand (shift_right_logical x 1) 0x5555555555555555L) in
  let x = add (logand x 0x3333333333333333L) (logand (shift_right_logical x 2) 0x3333333333333333L) in
  let x = logand (add x (shift_right_logical x 4)) 0x0f0f0f0f0f0f0f0fL in
  to_int (shift_right_logical (mul x 0x0101010101010101L) 56)

let sum32 x =
  let open Int32 in
  let x = sub x (logand (shift_right_logical x 1) 0x55555555l) in
  let x = add (logand x 0x33333333l) (logand (shift_right_logical x 2) 0x33333333l) in
  let x = logand (add x (shift_right_logical x 4)) 0x0f0f0f0fl in
  to_int (shift_right_logical (mul x 0x01010101l) 24)

let loop_native x =
  let open Nativeint in
  let rec go n x = if x = 0n then n else go (n + 1) (logand x (sub x 1n)) in
  go 0 x

(* These are none: the first keeps the sign, and ends for non-negative integers alone; the last one counts in 32 bits. *)
let rec signed n x = if x = 0 then n else signed (n + (x land 1)) (x asr 1)
let rec by_two n x = if x = 0 then n else by_two (n + 2) (x land (x - 1))

let low x =
  let x = x - ((x lsr 1) land 0x55555555) in
  let x = (x land 0x33333333) + ((x lsr 2) land 0x33333333) in
  let x = (x + (x lsr 4)) land 0x0f0f0f0f in
  (x * 0x01010101) lsr 24 land 0xff

(* The digits in base 2 of the least [width] bits. *)
let ones_of width bit =
  let n = ref 0 in
  for i = 0 to width - 1 do
    if bit i then incr n
  done;
  !n

let expected x = ones_of 63 (fun i -> (x lsr i) land 1 = 1)

let all =
  [
    ("loop", loop); ("function", function_); ("bits", bits); ("accumulated", accumulated 0); ("last bits", last_bits);
    ("twice", fun x -> (twice x - 15) / 2); ("sum", sum); ("halves", halves);
  ]

let values =
  let powers = List.concat_map (fun i -> [ 1 lsl i; (1 lsl i) - 1; -(1 lsl i); lnot (1 lsl i) ]) (List.init 63 Fun.id) in
  let state = ref 12345 in
  let random _ =
    state := (!state * 2862933555777941757) + 1442695040888963407;
    !state lxor (!state lsr 29)
  in
  [ 0; 1; -1; max_int; min_int; 0x5555555555555555; 0x2aaaaaaaaaaaaaaa ] @ powers @ List.init 500 random

let check name count expected x =
  let n = count x in
  if n <> expected then Printf.printf "%s: %d, not %d\n" name n expected

let () =
  List.iter
    (fun x ->
      List.iter (fun (name, count) -> check name count (expected x) x) all;
      let y = Int64.logxor (Int64.shift_left (Int64.of_int x) 1) (Int64.of_int (x land 1)) in
      let of_64 = ones_of 64 (fun i -> Int64.logand (Int64.shift_right_logical y i) 1L = 1L) in
      check "loop64" loop64 of_64 y;
      check "sum64" sum64 of_64 y;
      check "loop_native" loop_native of_64 (Int64.to_nativeint y);
      let z = Int64.to_int32 y in
      check "sum32" sum32 (ones_of 32 (fun i -> Int32.logand (Int32.shift_right_logical z i) 1l = 1l)) z;
      if x >= 0 then check "signed" (signed 0) (expected x) x;
      check "by_two" (by_two 3) (3 + (2 * expected x)) x)
    values;
  List.iter (fun x -> Printf.printf "%d %d %d %d %d\n" x (loop x) (sum x) (function_ x) (low x)) [ 0; -1; 6; min_int ];
  Printf.printf "%d %d %d\n" (loop 0xff) (sum 0x7fff) (bits (-2))
