type key = Cell of int * int | Row of int

module H = Hashtbl.Make (struct
  type t = key

  let equal a b =
    match a, b with
    | Cell (x, y), Cell (x', y') -> x = x' && y = y'
    | Row x, Row y -> x = y
    | (Cell _ | Row _), _ -> false

  let hash = function Cell (x, y) -> (x * 31) + y | Row x -> x
end)

let table : int H.t = H.create 1000
let keys = Array.init 2000 (fun i -> if i land 1 = 0 then Cell (i land 63, i lsr 6) else Row i)
let () = Array.iter (fun key -> H.replace table key 0) keys

let fill rounds =
  for round = 1 to rounds do
    for i = 0 to Array.length keys - 1 do H.replace table keys.(i) round done
  done

let () = fill 3000; print_int (H.fold (fun _ round sum -> sum + round) table 0)
