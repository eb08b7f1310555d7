(* slow: quadratic append; first: library_call; remedy: List.rev *)
let squares n =
  let l = ref [] in
  for i = 1 to n do l := !l @ [ i * i ] done;
  !l

let () = print_int (List.length (squares 10_000))
