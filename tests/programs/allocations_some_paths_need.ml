(* Pairs that are compared, and are the result on some paths only: which one it is, and that it is one. *)
let best l = List.fold_left (fun acc x -> let c = (x land 15, x) in if c < acc then c else acc) (max_int, 0) l
let worst l = List.fold_left (fun acc x -> let c = (x land 15, x) in if c <= acc then acc else c) (min_int, 0) l

type t = { key : int; name : string; mutable seen : int }
let pick acc key name =
  let c = { key; name; seen = 0 } in
  if key < acc.key then c else if key > acc.key then acc else if name < acc.name then c else (acc.seen <- acc.seen + 1; acc)

(* A value that is read may be assigned between the allocation and where it is needed. *)
let r = ref 0
let windows acc x =
  let c = (x, !r) in
  let now = !r in
  if now > x then c else (r := now + x; if fst acc > x then c else acc)

(* An allocation that several jumps of a loop pass, with other arguments. *)
let walk n =
  let rec go best i steps =
    if i >= n then (best, steps)
    else
      let c = (i * 7919 land 255, i) in
      if fst c > fst best then go c (i + 1) (steps + 1)
      else if fst c = fst best then (if snd c land 1 = 0 then go c (i + 3) steps else go best (i + 1) steps)
      else go best (i + 2) steps
  in
  go (0, -1) 0 0

(* Closures, and what raises instead. *)
let choose p x y =
  let f () = x + y in
  if p < 0 then raise Exit else if p = 0 then f else if p < 10 && y > x then f else fun () -> x - y

let same p q a = let c = (p, q) in let d = if p < q then c else if p = a then c else (q, p) in (d == c, d)

let () =
  let l = List.init 300 (fun i -> (i * 31) land 4095) in
  let show (a, b) = Printf.printf "(%d, %d) " a b in
  show (best l); show (worst l); show (best []);
  let zero = { key = 5; name = "m"; seen = 0 } in
  let p = List.fold_left (fun acc (k, n) -> pick acc k n) zero [ (7, "a"); (5, "z"); (5, "m"); (5, "b"); (9, "q") ] in
  Printf.printf "%d %s %d %d %b\n" p.key p.name p.seen zero.seen (pick zero 8 "x" == zero);
  for i = 0 to 6 do show (windows (3, i) i) done;
  let b, s = walk 1000 in
  show b; Printf.printf "%d\n" s;
  List.iter (fun p -> Printf.printf "%d " (try choose p 3 4 () with Exit -> -1)) [ -1; 0; 5; 20 ];
  List.iter (fun (p, q, a) -> let same, d = same p q a in Printf.printf "%b " same; show d) [ (1, 2, 0); (3, 2, 3); (3, 2, 1) ];
  let m = ref (0, 0) in
  for i = 0 to 2_000 do m := max !m (i land 31, i) done;
  show !m; print_newline ()
