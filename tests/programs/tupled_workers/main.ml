(* A function of a tuple that returns one: its own unit calls a worker, another unit calls it by its label. *)
let () =
  for i = 0 to 3 do
    let name, n = Lib.opened (i, [ "a"; "bc"; "def" ], 10 - i) in
    Printf.printf "%s %d\n" name n
  done;
  Printf.printf "%d\n" (Lib.closed 3)
