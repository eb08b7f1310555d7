let table = Hashtbl.create 10
let f x = let rec go i acc = if i = 0 then acc else go (i - 1) (acc + x) in go x 0
let unused = List.map f [ 1; 2; 3 ]
let () = List.iter (fun n -> Hashtbl.replace table n (f n)) [ 3; 4; 5 ]
let const = (1, [ "a" ], 2.5)
let () = Printf.printf "hidden %d %d\n" (Hashtbl.find table 4) (List.length unused)
let g () = raise Exit
let () = try g () with Exit -> print_endline "hidden caught"
