(* Integer matrices as int array array: plain and blocked products, powers and Floyd-Warshall. *)

let make n f = Array.init n (fun i -> Array.init n (f i))
let modulus = 1_000_003

let multiply a b =
  let n = Array.length a in
  let c = Array.make_matrix n n 0 in
  for i = 0 to n - 1 do
    for j = 0 to n - 1 do
      let sum = ref 0 in
      for k = 0 to n - 1 do
        sum := !sum + (a.(i).(k) * b.(k).(j))
      done;
      c.(i).(j) <- !sum mod modulus
    done
  done;
  c

(* The same in blocks, row by row, so that rows are read in order. *)
let multiply_blocked ~block a b =
  let n = Array.length a in
  let c = Array.make_matrix n n 0 in
  let k0 = ref 0 in
  while !k0 < n do
    let k1 = min n (!k0 + block) in
    for i = 0 to n - 1 do
      let row_a = a.(i) and row_c = c.(i) in
      for k = !k0 to k1 - 1 do
        let factor = row_a.(k) and row_b = b.(k) in
        for j = 0 to n - 1 do
          row_c.(j) <- row_c.(j) + (factor * row_b.(j))
        done
      done
    done;
    k0 := k1
  done;
  for i = 0 to n - 1 do
    for j = 0 to n - 1 do
      c.(i).(j) <- c.(i).(j) mod modulus
    done
  done;
  c

let transpose a = make (Array.length a) (fun i j -> a.(j).(i))

let trace a =
  let sum = ref 0 in
  for i = 0 to Array.length a - 1 do
    sum := !sum + a.(i).(i)
  done;
  !sum

let checksum a =
  let h = ref 0 in
  for i = 0 to Array.length a - 1 do
    for j = 0 to Array.length a - 1 do
      h := ((!h * 31) + a.(i).(j)) land 0xffffffff
    done
  done;
  !h

let far = 1_000_000_000

let shortest_paths weights =
  let n = Array.length weights in
  let d = Array.map Array.copy weights in
  for k = 0 to n - 1 do
    for i = 0 to n - 1 do
      for j = 0 to n - 1 do
        let through = d.(i).(k) + d.(k).(j) in
        if through < d.(i).(j) then d.(i).(j) <- through
      done
    done
  done;
  d

let noise i j = ((i * 7919) + (j * 104729) + (i * j * 31)) land 0xffff

let () =
  let n = 320 in
  let a = make n noise and b = make n (fun i j -> noise (j + 1) (i + 2)) in
  let plain = ref a and blocked = ref a in
  for _ = 1 to 4 do
    plain := multiply !plain b;
    blocked := multiply_blocked ~block:48 !blocked b
  done;
  Printf.printf "plain: trace %d, checksum %d\n" (trace !plain) (checksum !plain);
  Printf.printf "blocked: trace %d, checksum %d\n" (trace !blocked) (checksum !blocked);
  Printf.printf "transposed: checksum %d\n" (checksum (multiply (transpose b) a));
  let weight i j = if i = j then 0 else if noise i j mod 41 = 0 then 1 + (noise j i mod 100) else far in
  let d = shortest_paths (make (n * 5 / 4) weight) in
  Printf.printf "paths: checksum %d\n" (checksum d)
