let rec sum n = if n = 0 then 0 else n + sum (n - 1)
let () = Callback.register "sum" sum
let () = Printf.printf "OCaml: %d\n%!" (List.length (List.init 10 Fun.id))
