(* Specialisation across units ends (S4): text, and the number of functions, beside the stock compiler's. *)

let u n = Lm.m1 (fun x -> x + 3) n [@@inline never]
let v n = Lm.m2 (fun x -> x * n) n [@@inline never]
let w n = Lm.grow (fun x -> x + n) 6 [@@inline never]
let rec tree n = if n = 0 then Lm.Leaf 3 else if n land 1 = 0 then Lm.Pair (tree (n - 1), Lm.Leaf n) else Lm.Node [ tree (n - 1); Lm.Leaf 1 ]
let t = tree 12
let sum k = Lm.fold (fun acc x -> acc + (x * k)) (fun acc n -> acc + n) 0 t [@@inline never]
let depth () = Lm.fold (fun acc _ -> acc + 1) (fun acc _ -> acc) 0 t [@@inline never]

let repeat f n =
  let s = ref 0 in
  for i = 1 to n do
    s := (!s + f i) land 0xffffff
  done;
  !s
[@@inline]

let () =
  let row = Measure.row in
  row "S4 two functions, a closed function" (repeat (fun i -> u (i land 15)));
  row "S4 two functions, a closure" (repeat (fun i -> v (i land 15)));
  row "S4 functions that grow" (repeat w);
  row "S4 a fold in three functions" (repeat (fun i -> sum i));
  row "S4 the same fold again" (repeat (fun _ -> depth ()))
