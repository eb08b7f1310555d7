let rec sum : 'k. ('k -> int) -> 'k list -> int =
 fun measure l ->
  let is_there x = List.exists (fun y -> compare y x = 0 && Hashtbl.hash y = Hashtbl.hash x) l in
  match l with
  | [] -> 0
  | [ x ] -> if is_there x then measure x else 0
  | x :: y :: rest -> sum (fun (a, b) -> measure a + measure b) [ (x, y) ] + sum measure rest
