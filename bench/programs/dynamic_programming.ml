(* Dynamic programming over arrays: LCS, knapsack, matrix chain, longest increasing runs, coins. *)

let lcs a b =
  let n = String.length a and m = String.length b in
  let table = Array.make_matrix (n + 1) (m + 1) 0 in
  for i = 1 to n do
    for j = 1 to m do
      table.(i).(j) <-
        (if a.[i - 1] = b.[j - 1] then table.(i - 1).(j - 1) + 1
         else max table.(i - 1).(j) table.(i).(j - 1))
    done
  done;
  (* The sequence itself, from the end. *)
  let rec walk i j hash =
    if i = 0 || j = 0 then hash
    else if a.[i - 1] = b.[j - 1] then
      walk (i - 1) (j - 1) (((hash * 31) + Char.code a.[i - 1]) land 0xffffff)
    else if table.(i - 1).(j) >= table.(i).(j - 1) then walk (i - 1) j hash
    else walk i (j - 1) hash
  in
  (table.(n).(m), walk n m 0)

type item = { weight : int; value : int }

let knapsack items capacity =
  let best = Array.make (capacity + 1) 0 in
  Array.iter
    (fun { weight; value } ->
      for c = capacity downto weight do
        let candidate = best.(c - weight) + value in
        if candidate > best.(c) then best.(c) <- candidate
      done)
    items;
  best.(capacity)

(* Least number of multiplications for a chain of matrices. *)
let matrix_chain dims =
  let n = Array.length dims - 1 in
  let cost = Array.make_matrix n n 0 in
  for length = 2 to n do
    for i = 0 to n - length do
      let j = i + length - 1 in
      let best = ref max_int in
      for k = i to j - 1 do
        let c = cost.(i).(k) + cost.(k + 1).(j) + (dims.(i) * dims.(k + 1) * dims.(j + 1)) in
        if c < !best then best := c
      done;
      cost.(i).(j) <- !best
    done
  done;
  cost.(0).(n - 1)

let longest_increasing a =
  let n = Array.length a in
  let length = Array.make n 1 in
  let best = ref 0 in
  for i = 0 to n - 1 do
    for j = 0 to i - 1 do
      if a.(j) < a.(i) && length.(j) >= length.(i) then length.(i) <- length.(j) + 1
    done;
    if length.(i) > !best then best := length.(i)
  done;
  !best

let coin_ways coins total =
  let ways = Array.make (total + 1) 0 in
  ways.(0) <- 1;
  Array.iter
    (fun coin ->
      for t = coin to total do
        ways.(t) <- (ways.(t) + ways.(t - coin)) mod 1_000_000_007
      done)
    coins;
  ways.(total)

let noise i = ((i * 1103515245) + 12345) lsr 5 land 0xffff
let text seed n = String.init n (fun i -> Char.chr (97 + (noise (i + seed) mod 6)))

let () =
  let length, hash = lcs (text 1 3_000) (text 5_000 2_800) in
  Printf.printf "lcs %d, hash %d\n" length hash;
  let items = Array.init 400 (fun i -> { weight = 20 + (noise i mod 300); value = 10 + (noise (i + 999) mod 500) }) in
  Printf.printf "knapsack %d\n" (knapsack items 120_000);
  Printf.printf "chain %d\n" (matrix_chain (Array.init 451 (fun i -> 10 + (noise i mod 90))));
  Printf.printf "increasing %d\n" (longest_increasing (Array.init 10_000 noise));
  Printf.printf "coins %d\n" (coin_ways [| 1; 2; 5; 10; 20; 50; 100; 200 |] 3_000_000)
