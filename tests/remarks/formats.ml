(* slow: Format in a loop; first: library_call; remedy: Printf *)
let lines n =
  let b = Buffer.create 100 in
  for i = 1 to n do Buffer.add_string b (Format.asprintf "%s=%d;" "key" i) done;
  Buffer.length b

let () = print_int (lines 500_000)
