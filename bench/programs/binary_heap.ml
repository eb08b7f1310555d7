(* A resizable generic binary heap: heap sort, merging of sorted arrays, running medians. *)

module Heap : sig
  type 'a t

  val create : dummy:'a -> ('a -> 'a -> int) -> 'a t
  val size : 'a t -> int
  val push : 'a t -> 'a -> unit
  val top : 'a t -> 'a option
  val pop : 'a t -> 'a option
  val of_array : dummy:'a -> ('a -> 'a -> int) -> 'a array -> 'a t
end = struct
  type 'a t = { compare : 'a -> 'a -> int; dummy : 'a; mutable items : 'a array; mutable size : int }

  let create ~dummy compare = { compare; dummy; items = Array.make 8 dummy; size = 0 }
  let size t = t.size
  let parent i = (i - 1) / 2

  let rec sift_up t i x =
    if i = 0 then t.items.(0) <- x
    else
      let p = parent i in
      let y = t.items.(p) in
      if t.compare x y < 0 then begin
        t.items.(i) <- y;
        sift_up t p x
      end
      else t.items.(i) <- x

  let rec sift_down t i x =
    let left = (2 * i) + 1 in
    if left >= t.size then t.items.(i) <- x
    else
      let right = left + 1 in
      let child =
        if right < t.size && t.compare t.items.(right) t.items.(left) < 0 then right else left
      in
      let y = t.items.(child) in
      if t.compare y x < 0 then begin
        t.items.(i) <- y;
        sift_down t child x
      end
      else t.items.(i) <- x

  let push t x =
    if t.size = Array.length t.items then
      t.items <- Array.append t.items (Array.make t.size t.dummy);
    t.size <- t.size + 1;
    sift_up t (t.size - 1) x

  let top t = if t.size = 0 then None else Some t.items.(0)

  let pop t =
    if t.size = 0 then None
    else begin
      let result = t.items.(0) in
      t.size <- t.size - 1;
      let last = t.items.(t.size) in
      t.items.(t.size) <- t.dummy;
      if t.size > 0 then sift_down t 0 last;
      Some result
    end

  let of_array ~dummy compare a =
    let t = { compare; dummy; items = Array.append a [| dummy |]; size = Array.length a } in
    for i = (t.size / 2) - 1 downto 0 do
      sift_down t i t.items.(i)
    done;
    t
end

let rec drain heap f = match Heap.pop heap with None -> () | Some x -> f x; drain heap f

let heap_sort ~dummy compare a =
  let heap = Heap.of_array ~dummy compare a in
  let out = Array.make (Array.length a) dummy in
  let next = ref 0 in
  drain heap (fun x -> out.(!next) <- x; incr next);
  out

(* Merges sorted arrays by keeping the position in each of them. *)
let merge_all ~dummy compare arrays =
  let key (a, i) = arrays.(a).(i) in
  let heap = Heap.create ~dummy:(0, 0) (fun x y -> compare (key x) (key y)) in
  Array.iteri (fun i a -> if Array.length a > 0 then Heap.push heap (i, 0)) arrays;
  let total = Array.fold_left (fun n a -> n + Array.length a) 0 arrays in
  let out = Array.make total dummy in
  let rec go n =
    match Heap.pop heap with
    | None -> n
    | Some ((a, i) as at) ->
      out.(n) <- key at;
      if i + 1 < Array.length arrays.(a) then Heap.push heap (a, i + 1);
      go (n + 1)
  in
  ignore (go 0);
  out

(* Medians of the prefixes, with one heap for each half. *)
let running_medians ~dummy compare a f =
  let low = Heap.create ~dummy (fun x y -> compare y x) and high = Heap.create ~dummy compare in
  let move from into = Option.iter (Heap.push into) (Heap.pop from) in
  Array.iter
    (fun x ->
      (match Heap.top low with
      | Some m when compare x m > 0 -> Heap.push high x
      | Some _ | None -> Heap.push low x);
      if Heap.size low > Heap.size high + 1 then move low high
      else if Heap.size high > Heap.size low then move high low;
      Option.iter f (Heap.top low))
    a

let noise i = ((i * 1103515245) + 12345) lsr 4 land 0xfffff

let () =
  let n = 350_000 in
  let ints = Array.init n noise in
  let sorted = heap_sort ~dummy:0 Int.compare ints in
  Printf.printf "ints: first %d, middle %d, last %d\n" sorted.(0) sorted.(n / 2) sorted.(n - 1);
  let floats = Array.map (fun i -> 1. /. float_of_int (i + 1)) ints in
  let sorted = heap_sort ~dummy:0. Float.compare floats in
  Printf.printf "floats: first %.9f, middle %.9f\n" sorted.(0) sorted.(n / 2);
  let part k = Array.init 15_000 (fun i -> (noise (i + (k * 15_000)) / 4, k)) in
  let parts = Array.init 16 (fun k -> heap_sort ~dummy:(0, 0) compare (part k)) in
  let merged = merge_all ~dummy:(0, 0) compare parts in
  let key, owner = merged.(120_000) in
  Printf.printf "merged: %d, middle (%d, %d)\n" (Array.length merged) key owner;
  let sum = ref 0 in
  running_medians ~dummy:0 Int.compare ints (fun m -> sum := (!sum + m) land 0xffffffff);
  Printf.printf "medians: checksum %d\n" !sum
