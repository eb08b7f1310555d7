let line n =
  let b = Buffer.create 16 in
  for i = 1 to n do Buffer.add_string b (string_of_int i) done;
  Buffer.contents b

let () = print_int (String.length (line 60_000))
