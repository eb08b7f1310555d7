type key = Path of int list | Row of int

module H = Hashtbl.Make (struct
  type t = key

  let equal a b =
    match a, b with
    | Path l, Path l' -> List.equal Int.equal l l'
    | Row x, Row y -> x = y
    | (Path _ | Row _), _ -> false

  let hash = function Path l -> List.fold_left (fun h x -> (h * 31) + x) 0 l | Row x -> x
end)

let table : int H.t = H.create 1000
let keys = Array.init 2000 (fun i -> if i land 1 = 0 then Path [ i land 63; i lsr 6 ] else Row i)
let () = Array.iter (fun key -> H.replace table key 0) keys

let fill rounds =
  for round = 1 to rounds do
    for i = 0 to Array.length keys - 1 do H.replace table keys.(i) round done
  done

let () = fill 3000; print_int (H.fold (fun _ round sum -> sum + round) table 0)
