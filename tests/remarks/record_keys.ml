(* slow: a generic table on records; first: library_call; remedy: Hashtbl.Make *)
type key = { x : int; y : int; name : string }

let table : (key, int) Hashtbl.t = Hashtbl.create 1000
let keys = Array.init 1000 (fun i -> { x = i; y = i * 7; name = "key" })
let () = Array.iter (fun key -> Hashtbl.replace table key key.x) keys

let fill rounds =
  for round = 1 to rounds do
    for i = 0 to Array.length keys - 1 do Hashtbl.replace table keys.(i) round done
  done

let () = fill 3000; print_int (Hashtbl.fold (fun _ round sum -> sum + round) table 0)
