(* Functions for the calls of another unit: one to be unrolled, one hidden and used once, one for known arguments. *)

let rec pow n x = if n = 0 then 1 else x * pow (n - 1) x

(* Hidden by the interface, and called once: it is inlined there whatever its size (B8). *)
let hidden f a b =
  let s = ref (f a b) in
  if a > b then s := !s + f (a - b) a else s := !s - f b (b - a);
  if a land 1 = 0 then s := !s lxor f 3 a;
  if b land 1 = 0 then s := !s lxor f b 5;
  if (a + b) land 3 = 0 then s := !s + f (a * b) 7;
  if a * 3 > b then s := !s + f (a * 3) b else s := !s - f b (a * 3);
  if a > 100 then s := !s + f (a - 100) 1;
  if b > 100 then s := !s + f 1 (b - 100);
  match !s land 7 with
  | 0 -> f a 1
  | 1 -> f 1 b + !s
  | 2 -> f a a - !s
  | 3 -> f b b lxor !s
  | 4 -> f (a + 1) (b + 1)
  | 5 -> f (a - 1) (b - 1) + f (b - 1) (a - 1)
  | 6 -> f !s !s
  | _ -> !s

let single k a b = hidden (fun x y -> (x * k) + y) a b

let big a b =
  let s = ref 0 in
  for i = 0 to a do
    for k = 0 to b do
      s := !s + (i * k) + if i > k then a else b
    done;
    s := !s lxor i;
    if !s land 15 = 3 then s := !s + a - b
  done;
  let o = if !s > a then Some (!s, a) else None in
  match o with Some (x, y) -> x - y | None -> !s
