(* Functions of Random that take and return numbers in boxes: one of them has no name in the stock object, and is copied
   with its callers. *)
let sum next = List.fold_left (fun sum i -> Nativeint.add (Nativeint.mul sum 31n) (next i)) 0n (List.init 100 Fun.id)

let () =
  Random.init 5;
  let state = Random.State.make [| 1; 2 |] in
  let total = ref 0n in
  for i = 1 to 100 do
    total := Nativeint.add !total (Random.nativeint (Nativeint.of_int (i * 1000)));
    total := Nativeint.logxor !total (Random.State.nativeint state 77n)
  done;
  Printf.printf "%nd\n" !total;
  Printf.printf "%nd\n" (sum (fun i -> Random.nativeint (Nativeint.of_int (i + 1))));
  Printf.printf "%nd\n" (sum (fun i -> Random.State.nativeint state (Nativeint.of_int (i + 1))));
  List.iter (fun f -> Printf.printf "%nd\n" (f 1000n)) [ Random.nativeint; Random.State.nativeint state ];
  (match Random.nativeint (-1n) with
  | n -> Printf.printf "%nd\n" n
  | exception Invalid_argument message -> print_endline message);
  match Random.State.nativeint state 0n with
  | n -> Printf.printf "%nd\n" n
  | exception Invalid_argument message -> print_endline message
