let rec nth l n = match l with [] -> "none" | [ x ] -> x | x :: l -> if n = 0 then x else nth l (n - 1)
let[@inline never] opened (v, names, t) =
  let name = nth names (v land 7) in
  let rec count acc i = if i > t then acc else count (acc + (i * v)) (i + 1) in
  (name, count 0 0 + String.length name)
let closed i =
  let name, n = opened (i, [ "x"; "yz" ], 5) in
  let other, m = opened (i + 1, [], n) in
  n + m + String.length name + String.length other
