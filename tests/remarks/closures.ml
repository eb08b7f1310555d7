(* slow: a closure for each element; first: closure; remedy: before the loop *)
let[@inline never] apply f x = f x

let total n k =
  let sum = ref 0 in
  for i = 1 to n do sum := !sum + apply (fun x -> (x * k) + i) i done;
  !sum

let () = print_int (total 100_000_000 3)
