let squares n =
  let l = ref [] in
  for i = 1 to n do l := (i * i) :: !l done;
  List.rev !l

let () = print_int (List.length (squares 10_000))
