let triple x = 3 * x
let () = Registry.register "triple" triple
let () = Registry.register "length" (fun n -> List.length (List.init n Fun.id))
