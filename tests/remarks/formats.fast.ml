let lines n =
  let b = Buffer.create 100 in
  for _ = 1 to n do
    Buffer.add_string b "key";
    Buffer.add_char b '=';
    Buffer.add_string b "value";
    Buffer.add_char b ';'
  done;
  Buffer.length b

let () = print_int (lines 500_000)
