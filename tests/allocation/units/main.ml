(* Each function calls one of the other unit [iterations] times: a word in each turn would show. *)

let iterations = 1000

let words f =
  let before = Gc.minor_words () in
  ignore (Sys.opaque_identity (f (Sys.opaque_identity iterations) : int));
  int_of_float (Gc.minor_words () -. before)

let nothing = words (fun n -> n)
let check name limit f = Printf.printf "%s %d %d\n" name (words f - nothing) limit

let pairs n =
  let sum = ref 0 in
  for i = 1 to n do
    let a, b = Parts.pair i in
    sum := !sum + a - b
  done;
  !sum

let numbers n =
  let sum = ref 0. in
  for i = 1 to n do sum := !sum +. Parts.number i done;
  int_of_float !sum

let options n =
  let sum = ref 0 in
  for i = 1 to n do
    match Parts.found i with None -> () | Some found -> sum := !sum + found
  done;
  !sum

let records n =
  let sum = ref 0 in
  for i = 1 to n do
    let x = float_of_int i in
    sum := !sum + Parts.norm { Parts.x; y = x +. 1. }
  done;
  !sum

let tuples n =
  let sum = ref 0 in
  for i = 1 to n do sum := !sum + Parts.between (i - 7, i + 7) !sum done;
  !sum

let floats n =
  let sum = ref 0 in
  for i = 1 to n do sum := !sum + Parts.scaled (float_of_int i +. 0.5) i done;
  !sum

let () =
  check "pairs" 0 pairs;
  check "numbers" 0 numbers;
  check "options" 0 options;
  check "records" 0 records;
  check "tuples" 0 tuples;
  check "floats" 0 floats
