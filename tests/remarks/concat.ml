(* slow: string concatenation in a loop; first: library_call; remedy: Buffer *)
let line n =
  let s = ref "" in
  for i = 1 to n do s := !s ^ string_of_int i done;
  !s

let () = print_int (String.length (line 60_000))
