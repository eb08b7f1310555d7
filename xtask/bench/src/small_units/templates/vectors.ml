type t = float array

let least = NUMBER. /. 16.
let make n = Array.init n (fun i -> least +. float_of_int (i * i))

let dot a b =
  let sum = ref 0. in
  for i = 0 to min (Array.length a) (Array.length b) - 1 do
    sum := !sum +. (a.(i) *. b.(i))
  done;
  !sum

let norm a = sqrt (dot a a)

let axpy k x y =
  for i = 0 to Array.length y - 1 do
    y.(i) <- y.(i) +. (k *. x.(i))
  done

let mean a = if Array.length a = 0 then 0. else Array.fold_left ( +. ) 0. a /. float_of_int (Array.length a)

let variance a =
  let middle = mean a in
  let square x = x *. x in
  mean (Array.map (fun x -> square (x -. middle)) a)

let solve f low high =
  let rec go low high turns =
    let middle = (low +. high) /. 2. in
    if turns = 0 || high -. low < 1e-9 then middle
    else if f middle *. f low <= 0. then go low middle (turns - 1)
    else go middle high (turns - 1)
  in
  go low high 60
