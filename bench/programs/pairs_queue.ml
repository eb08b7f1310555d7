(* A priority queue as a binary heap on ['a array], used at pairs: shortest ways through a grid, and events in time. *)

type 'a queue = { mutable items : 'a array; mutable size : int }

let create none = { items = Array.make 16 none; size = 0 }

let swap a i j =
  let x = a.(i) in
  a.(i) <- a.(j);
  a.(j) <- x

let push q x =
  if q.size = Array.length q.items then begin
    let larger = Array.make (2 * q.size) x in
    Array.blit q.items 0 larger 0 q.size;
    q.items <- larger
  end;
  q.items.(q.size) <- x;
  q.size <- q.size + 1;
  let at = ref (q.size - 1) in
  while !at > 0 && q.items.(!at) < q.items.((!at - 1) / 2) do
    swap q.items !at ((!at - 1) / 2);
    at := (!at - 1) / 2
  done

let rec sift q at =
  let left = (2 * at) + 1 in
  if left < q.size then begin
    let least = if left + 1 < q.size && compare q.items.(left + 1) q.items.(left) < 0 then left + 1 else left in
    if q.items.(least) < q.items.(at) then begin
      swap q.items at least;
      sift q least
    end
  end

let pop q =
  let least = q.items.(0) in
  q.size <- q.size - 1;
  q.items.(0) <- q.items.(q.size);
  sift q 0;
  least

let side = 120
let cost x y = 1 + (((x * 7919) + (y * 104729) + (x * y * 31)) land 15)

(* Dijkstra: pairs of a distance and a place. *)
let shortest () =
  let best = Array.make (side * side) max_int and q = create (0, 0) in
  best.(0) <- 0;
  push q (0, 0);
  while q.size > 0 do
    let d, place = pop q in
    if d = best.(place) then begin
      let x = place mod side and y = place / side in
      let visit x y =
        if x >= 0 && y >= 0 && x < side && y < side then begin
          let there = (y * side) + x and d = d + cost x y in
          if d < best.(there) then begin
            best.(there) <- d;
            push q (d, there)
          end
        end
      in
      visit (x + 1) y;
      visit (x - 1) y;
      visit x (y + 1);
      visit x (y - 1)
    end
  done;
  best.((side * side) - 1)

(* Pairs of a time and what happens. *)
type event = Arrival of int | Departure of int

let simulated n =
  let q = create (0, Arrival 0) and waiting = ref 0 and sum = ref 0 in
  push q (0, Arrival 0);
  let served = ref 0 in
  while !served < n do
    match pop q with
    | time, Arrival k ->
        incr waiting;
        push q (time + 3 + (k * 7919 land 7), Arrival (k + 1));
        push q (time + 2 + (k * 31 land 15), Departure k)
    | time, Departure k ->
        decr waiting;
        incr served;
        sum := ((!sum * 31) + time + k + !waiting) land 0xffffff
  done;
  !sum

let () =
  for _ = 1 to 120 do ignore (Sys.opaque_identity (shortest ())) done;
  Printf.printf "shortest %d\n" (shortest ());
  Printf.printf "simulated %d\n" (simulated 2_500_000)
