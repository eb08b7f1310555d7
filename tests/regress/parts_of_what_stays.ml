(* Blocks that a loop passes on as they are were projected from in each iteration, for a comparison after the loop that
   needs the parts only if the blocks differ (seed 801000158: 2,910 instructions, the stock compiler 2,413). *)

let names = [| "a"; "bc"; "def"; "ghij" |]

let[@inline never] search n =
  let current = ref (0, []) in
  let saved = ref !current in
  for i = 1 to n do
    if i = 6 then current := (let n, l = !current in n + 1, names.(Sys.opaque_identity 0 land 3) :: l);
    if i land 6 = 0 then saved := !current
  done;
  if !current == !saved then 1 else if !current = !saved then 2 else 4

let () =
  for i = 1 to 20 do
    print_int (search i)
  done;
  print_newline ()
