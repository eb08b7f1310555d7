(* slow: Printf in a loop; first: library_call; remedy: Buffer *)
let lines n =
  let b = Buffer.create 100 in
  for _ = 1 to n do Buffer.add_string b (Printf.sprintf "%s=%s;" "key" "value") done;
  Buffer.length b

let () = print_int (lines 500_000)
