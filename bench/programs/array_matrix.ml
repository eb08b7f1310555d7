(* Matrices as arrays of arrays of anything, with the operations as arguments, at floats, integers and pairs. *)

let init rows columns f = Array.init rows (fun i -> Array.init columns (fun j -> f i j))
let map f m = Array.map (Array.map f) m
let map2 f a b = Array.map2 (Array.map2 f) a b
let transpose m = init (Array.length m.(0)) (Array.length m) (fun i j -> m.(j).(i))

let swap_rows m i j =
  let row = m.(i) in
  m.(i) <- m.(j);
  m.(j) <- row

let product ~zero ~add ~mul a b =
  let inner = Array.length b in
  init (Array.length a) (Array.length b.(0)) (fun i j ->
      let sum = ref zero in
      for k = 0 to inner - 1 do
        sum := add !sum (mul a.(i).(k) b.(k).(j))
      done;
      !sum)

let fold f start m = Array.fold_left (Array.fold_left f) start m
let largest m = fold max m.(0).(0) m
let diagonal m = Array.mapi (fun i row -> row.(i)) m

let reverse_rows m =
  Array.iter
    (fun row ->
      let n = Array.length row in
      for i = 0 to (n / 2) - 1 do
        let x = row.(i) in
        row.(i) <- row.(n - 1 - i);
        row.(n - 1 - i) <- x
      done)
    m

let rotate m =
  let t = transpose m in
  reverse_rows t;
  t

let run () =
  let out = Buffer.create 100 in
  let n = 70 in
  let floats = init n n (fun i j -> float (((i * 31) + (j * 17)) land 63) /. 8.) in
  let ints = init n n (fun i j -> ((i * 7) + (j * 13)) land 31) in
  let pairs = init n n (fun i j -> (i * j land 15, i - j)) in
  let f = ref floats and k = ref ints in
  for _ = 1 to 6 do
    f := map (fun x -> x /. 64.) (product ~zero:0. ~add:( +. ) ~mul:( *. ) !f floats);
    k := map (fun x -> x land 63) (product ~zero:0 ~add:( + ) ~mul:( * ) !k ints)
  done;
  let p = product ~zero:(0, 0) ~add:(fun (a, b) (c, d) -> (a + c, b + d)) ~mul:(fun (a, b) (c, d) -> (a * c, b + d)) pairs pairs in
  for _ = 1 to 100 do
    f := rotate !f;
    k := map2 (fun a b -> (a + b) land 255) !k (transpose !k);
    swap_rows !k 3 9
  done;
  let most = ref (0., 0) in
  for _ = 1 to 50 do most := max !most (largest !f, largest !k) done;
  Printf.bprintf out "floats %.3f %.3f\n" (largest !f) (Array.fold_left ( +. ) 0. (diagonal !f));
  Printf.bprintf out "ints %d %d\n" (largest !k) (fold ( + ) 0 !k);
  Printf.bprintf out "pairs %d %d %d\n" (fst (largest p)) (snd (largest p)) (snd !most);
  Buffer.contents out

let () =
  for _ = 1 to 25 do ignore (Sys.opaque_identity (run ())) done;
  print_string (run ())
