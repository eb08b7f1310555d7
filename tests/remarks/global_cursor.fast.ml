let common (a : int list) b =
  let total = ref 0 and go_on = ref true in
  let left = ref a and right = ref b in
  while !go_on do
    match !left, !right with
    | x :: others, y :: rest -> if x = y then incr total; left := others; right := rest
    | _ -> go_on := false
  done;
  !total

let numbers = List.init 1000 (fun i -> i)
let () = for _ = 1 to 60_000 do ignore (Sys.opaque_identity (common numbers numbers)) done
let () = print_int (common numbers numbers)
