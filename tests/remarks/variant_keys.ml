(* slow: a generic table on variants with lists; first: library_call; remedy: Hashtbl.Make *)
type key = Path of int list | Row of int

let table : (key, int) Hashtbl.t = Hashtbl.create 1000
let keys = Array.init 2000 (fun i -> if i land 1 = 0 then Path [ i land 63; i lsr 6 ] else Row i)
let () = Array.iter (fun key -> Hashtbl.replace table key 0) keys

let fill rounds =
  for round = 1 to rounds do
    for i = 0 to Array.length keys - 1 do Hashtbl.replace table keys.(i) round done
  done

let () = fill 3000; print_int (Hashtbl.fold (fun _ round sum -> sum + round) table 0)
