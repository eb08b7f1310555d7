type key = { x : int; y : int; name : string }

module H = Hashtbl.Make (struct
  type t = key

  let equal a b = a.x = b.x && a.y = b.y && String.equal a.name b.name
  let hash k = (k.x * 31) + k.y
end)

let table : int H.t = H.create 1000
let keys = Array.init 1000 (fun i -> { x = i; y = i * 7; name = "key" })
let () = Array.iter (fun key -> H.replace table key key.x) keys

let fill rounds =
  for round = 1 to rounds do
    for i = 0 to Array.length keys - 1 do H.replace table keys.(i) round done
  done

let () = fill 3000; print_int (H.fold (fun _ round sum -> sum + round) table 0)
