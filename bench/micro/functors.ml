(* Functions of functors that are too large to be copied must still be called directly (S2). The number of calls of
   unknown functions (caml_apply) is compared with the stock compiler's: see limits.toml. *)

let row = Measure.row

module IntMap = Map.Make (Int)
module IntSet = Set.Make (Int)

module Table = Hashtbl.Make (struct
  type t = int

  let equal (a : int) b = a = b
  let hash (a : int) = a land max_int
end)

let[@inline never] add k m = IntMap.add k 1 m
let[@inline never] remove k m = IntMap.remove k m
let[@inline never] update k m = IntMap.update k (function None -> Some 1 | Some n -> Some (n + 1)) m
let[@inline never] find k m = IntMap.find k m
let[@inline never] union a b = IntMap.union (fun _ x _ -> Some x) a b
let[@inline never] merge a b = IntMap.merge (fun _ x y -> match x with Some _ -> x | None -> y) a b
let[@inline never] set_remove k s = IntSet.remove k s
let[@inline never] set_union a b = IntSet.union a b
let[@inline never] set_add k s = IntSet.add k s
let[@inline never] set_mem k s = IntSet.mem k s
let[@inline never] table_find t k = Table.find t k
let[@inline never] table_replace t k v = Table.replace t k v

let key i = i * 7919 mod 509
let map n = let m = ref IntMap.empty in for i = 1 to n do m := add (key i) !m done; !m
let set n = let s = ref IntSet.empty in for i = 1 to n do s := set_add (key i) !s done; !s

let () =
  row "S2 Map.add" (fun n -> IntMap.cardinal (map n));
  row "S2 Map.remove" (fun n ->
      let m = ref (map n) in
      for i = 1 to n do m := remove (key (i * 3)) !m done;
      IntMap.cardinal !m);
  row "S2 Map.update" (fun n ->
      let m = ref (map n) in
      for i = 1 to n do m := update (key i) !m done;
      IntMap.cardinal !m);
  row "S2 Map.find" (fun n ->
      let m = map n and s = ref 0 in
      for i = 1 to n do s := !s + find (key i) m done;
      !s);
  row "S2 Map.union, Map.merge" (fun n ->
      let a = map (n / 2) and b = map n in
      IntMap.cardinal (union a b) + IntMap.cardinal (merge a b));
  row "S2 Set.remove, union, mem" (fun n ->
      let s = ref (set n) in
      for i = 1 to n / 2 do s := set_remove (key i) !s done;
      let s = set_union !s (set (n / 4)) in
      if set_mem 5 s then IntSet.cardinal s else - IntSet.cardinal s);
  row "S2 Hashtbl.find, replace" (fun n ->
      let t = Table.create 64 and s = ref 0 in
      for i = 1 to n do table_replace t (key i) i done;
      for i = 1 to n do s := !s + table_find t (key i) done;
      !s)

(* A functor of one's own, with functions that are large, applied twice in its own unit. *)
module type Order = sig
  type t

  val compare : t -> t -> int
  val show : t -> string
  val default : t
  val limit : int
  val next : t -> t
end

module Heap (O : Order) = struct
  type t = { mutable size : int; mutable items : O.t array }

  let create () = { size = 0; items = Array.make 16 O.default }

  let grow h =
    let items = Array.make (2 * Array.length h.items) O.default in
    Array.blit h.items 0 items 0 h.size;
    h.items <- items

  let push h x =
    if h.size = Array.length h.items then grow h;
    h.items.(h.size) <- x;
    h.size <- h.size + 1;
    let i = ref (h.size - 1) in
    while !i > 0 && O.compare h.items.(!i) h.items.((!i - 1) / 2) < 0 do
      let parent = (!i - 1) / 2 in
      let x = h.items.(!i) in
      h.items.(!i) <- h.items.(parent);
      h.items.(parent) <- x;
      i := parent
    done

  let pop h =
    if h.size = 0 then invalid_arg "pop";
    let top = h.items.(0) in
    h.size <- h.size - 1;
    h.items.(0) <- h.items.(h.size);
    let i = ref 0 and go = ref true in
    while !go do
      let left = (2 * !i) + 1 in
      let right = left + 1 in
      let least = ref !i in
      if left < h.size && O.compare h.items.(left) h.items.(!least) < 0 then least := left;
      if right < h.size && O.compare h.items.(right) h.items.(!least) < 0 then least := right;
      if !least = !i then go := false
      else begin
        let x = h.items.(!i) in
        h.items.(!i) <- h.items.(!least);
        h.items.(!least) <- x;
        i := !least
      end
    done;
    top

  let rec drain h acc = if h.size = 0 then acc else drain h (pop h :: acc)
  let rec bump h k = if k > 0 && h.size < O.limit then begin push h (O.next (pop h)); bump h (k - 1) end
end

module Ints = Heap (struct
  type t = int

  let compare (a : int) b = compare a b
  let show = string_of_int
  let default = 0
  let limit = 2000
  let next x = x + 1
end)

module Strings = Heap (struct
  type t = string

  let compare = String.compare
  let show s = s
  let default = ""
  let limit = 2000
  let next s = s ^ "+"
end)

let[@inline never] push_int h x = Ints.push h x
let[@inline never] push_string h x = Strings.push h x

let () =
  row "S2 a functor applied twice in one unit" (fun n ->
      let h = Ints.create () and s = Strings.create () in
      for i = 1 to n do
        push_int h (key i);
        if i land 15 = 0 then push_string s (string_of_int (key i))
      done;
      Ints.bump h 100;
      Strings.bump s 10;
      (List.length (Ints.drain h []), List.length (Strings.drain s [])))
