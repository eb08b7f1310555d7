(* References that closures capture, and closures that are specialised for (S5, S10, E1, D3, D5). *)

let row = Measure.row

type shape = Circle of float | Box of float * float

let[@inline never] area = function Circle r -> r *. r *. 3.14 | Box (a, b) -> a *. b
let shapes = List.init Measure.n (fun i -> if i land 1 = 0 then Circle (float i) else Box (float i, 2.))

let () =
  row "S5 a float reference captured by List.iter's function" (fun _ ->
      let s = ref 0. in
      List.iter (fun x -> s := !s +. area x) shapes;
      !s);
  row "S5 two references captured, one of them of a pair" (fun _ ->
      let s = ref 0. and last = ref (0, 0) in
      List.iteri
        (fun i x ->
          s := !s +. area x;
          last := (i, snd !last + 1))
        shapes;
      (!s, !last));
  row "S5 a float reference captured by Array.iter's function" (fun n ->
      let a = Array.make n 1.5 and s = ref 0. in
      Array.iter (fun x -> s := !s +. x) a;
      !s)

let rec app f k = if k = 0 then 0 else f k + app f (k - 1)

let () =
  row "S10 a copy of a recursive function, for a closure" (fun n ->
      let s = ref 0 in
      for i = 1 to n do
        s := !s + app (fun x -> x * i) 20
      done;
      !s)

let rec iterate f n x = if n = 0 then x else iterate f (n - 1) (f x)

let () =
  row "S10 iterate, for a closure" (fun n ->
      let s = ref 0 in
      for i = 1 to n do
        s := !s + iterate (fun x -> x + i) 10 0
      done;
      !s)

let ap f a b = f a b
let[@inline never] partial x = ap (fun a b c -> (a * b) + c) x 3 4

let () =
  row "D3 a partial application known after inlining" (fun n ->
      let s = ref 0 in
      for i = 1 to n / 10 do
        s := !s + partial i
      done;
      !s)

let counter =
  let t = Array.make 3 0 in
  fun i ->
    t.(i) <- t.(i) + 1;
    t.(i)

let () =
  row "D5 a closure's array is a symbol" (fun n ->
      let s = ref 0 in
      for i = 1 to n do
        s := !s + counter (i mod 3)
      done;
      (* The counts go on from row to row. *)
      !s land 0)

let[@inline never] chosen c a b =
  let f = if c then fun x -> x + a else fun x -> x * b in
  f 3 + f 4

let () =
  row ~flambda2:0 "E1 functions chosen and joined, then called" (fun n ->
      let s = ref 0 in
      for i = 1 to n do
        s := !s + chosen (i land 1 = 0) i 3
      done;
      !s)

let sum_to n =
  (* The float reference is captured by a recursive local function, which stays one. *)
  let acc = ref 0. in
  let rec go i = if i > 0 then if i land 1 = 0 then go (i - 1) else begin acc := !acc +. float i; go (i - 1); acc := !acc +. 1. end in
  go n;
  !acc
[@@inline never]

let () = row "D7 a float reference captured by a local recursion" sum_to

let[@inline never] add_float x y = x +. y
let[@inline never] above x = if x > 2. then 1 else 0

let () =
  row ~flambda2:13 "E11 a float that seldom changes, passed on in each iteration" (fun n ->
      let x = ref 1. and s = ref 0 in
      for i = 1 to n do
        if i land 255 = 0 then x := !x +. 1.;
        s := !s + above !x
      done;
      !s);
  row "E8 a float from and to a function not inlined" (fun n ->
      let x = ref 0. in
      for _ = 1 to n do
        x := add_float !x 1.
      done;
      !x);
  row ~flambda2:5 "D7 a float reference used by two tail recursions" (fun n ->
      let s = ref 0. in
      let rec up i = if i < n then begin s := !s +. float i; up (i + 1) end in
      let rec down i = if i > 0 then begin s := !s -. (float i *. 0.5); down (i - 1) end in
      up 0;
      down n;
      !s)
