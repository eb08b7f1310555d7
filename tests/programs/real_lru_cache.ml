(* flags: -w -a *)
(* An LRU cache functor with a doubly linked list and a hash table, checked against a naive model. *)
module type KEY = sig type t val equal : t -> t -> bool val hash : t -> int end
module Make (K : KEY) = struct
  module H = Hashtbl.Make (K)
  type 'a node = { key : K.t; mutable value : 'a; mutable prev : 'a node option; mutable next : 'a node option }
  type 'a t = { cap : int; tbl : 'a node H.t; mutable head : 'a node option; mutable tail : 'a node option; mutable hits : int; mutable misses : int; on_evict : K.t -> 'a -> unit }
  let create ?(on_evict = fun _ _ -> ()) cap = if cap <= 0 then invalid_arg "Lru.create"; { cap; tbl = H.create cap; head = None; tail = None; hits = 0; misses = 0; on_evict }
  let unlink t n =
    (match n.prev with Some p -> p.next <- n.next | None -> t.head <- n.next);
    (match n.next with Some s -> s.prev <- n.prev | None -> t.tail <- n.prev);
    n.prev <- None; n.next <- None
  let push t n = n.next <- t.head; (match t.head with Some h -> h.prev <- Some n | None -> t.tail <- Some n); t.head <- Some n
  let find t k = match H.find t.tbl k with
    | n -> t.hits <- t.hits + 1; unlink t n; push t n; Some n.value
    | exception Not_found -> t.misses <- t.misses + 1; None
  let add t k v = match H.find_opt t.tbl k with
    | Some n -> n.value <- v; unlink t n; push t n
    | None ->
      if H.length t.tbl >= t.cap then (match t.tail with Some n -> unlink t n; H.remove t.tbl n.key; t.on_evict n.key n.value | None -> assert false);
      let n = { key = k; value = v; prev = None; next = None } in H.add t.tbl k n; push t n
  let fold f acc t = let rec go acc = function None -> acc | Some n -> go (f acc n.key n.value) n.next in go acc t.head
  let rec_back t = let rec go acc = function None -> acc | Some n -> go (n.key :: acc) n.prev in go [] t.tail
end
module L = Make (struct type t = int let equal (a : int) b = a = b let hash x = x * 7 land max_int end)
module LS = Make (struct type t = string let equal = String.equal let hash = Hashtbl.hash end)
module Naive = struct
  let find l k = match List.assoc_opt k !l with Some v -> l := (k, v) :: List.remove_assoc k !l; Some v | None -> None
  let add l cap k v = let r = List.remove_assoc k !l in l := (k, v) :: (if List.length r >= cap then List.filteri (fun i _ -> i < cap - 1) r else r)
end
let () =
  let seed = ref 42 in
  let rand n = seed := (!seed * 1103515245 + 12345) land 0x3fffffff; (!seed lsr 8) mod n in
  let evicted = ref 0 in
  let c = L.create ~on_evict:(fun k v -> incr evicted; assert (v >= k)) 8 and m = ref [] in
  let bad = ref 0 in
  for i = 1 to 3000 do
    let k = rand 16 in
    if rand 3 = 0 then (L.add c k (k + i); Naive.add m 8 k (k + i)) else if L.find c k <> Naive.find m k then incr bad;
    if i mod 100 = 0 then (if L.fold (fun acc k v -> (k, v) :: acc) [] c |> List.rev <> !m then incr bad; if L.rec_back c <> List.map fst !m then incr bad; if i mod 500 = 0 then Gc.full_major ())
  done;
  Printf.printf "bad %d hits %d misses %d evicted %d\n" !bad c.L.hits c.L.misses !evicted;
  let s = LS.create 2 in
  let fib = let rec go n = let k = string_of_int n in match LS.find s k with Some v -> v | None -> let v = if n < 2 then n else go (n - 1) + go (n - 2) in LS.add s k v; v in go in
  Printf.printf "%d %d %d\n" (fib 40) s.LS.hits s.LS.misses;
  (match L.create 0 with _ -> () | exception Invalid_argument m -> print_endline m)
