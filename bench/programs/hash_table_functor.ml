(* An open-addressing hash table as a functor, used with three key types for counting and caching. *)

module type KEY = sig
  type t

  val equal : t -> t -> bool
  val hash : t -> int
end

module type TABLE = sig
  type key
  type 'a t

  val create : int -> 'a t
  val length : 'a t -> int
  val find_opt : 'a t -> key -> 'a option
  val replace : 'a t -> key -> 'a -> unit
  val update : 'a t -> key -> default:'a -> ('a -> 'a) -> unit
  val remove : 'a t -> key -> unit
  val fold : (key -> 'a -> 'b -> 'b) -> 'a t -> 'b -> 'b
end

module Make (K : KEY) : TABLE with type key = K.t = struct
  type key = K.t

  type 'a slot = Empty | Deleted | Full of { key : key; mutable value : 'a }

  type 'a t = { mutable slots : 'a slot array; mutable live : int; mutable used : int }

  let create n =
    let rec power p = if p >= n then p else power (2 * p) in
    { slots = Array.make (power 16) Empty; live = 0; used = 0 }

  let length t = t.live
  let scramble h = (h * 0x9E3779B97F4A7C1) lsr 20

  (* The slot of [key], or the first one where it could be put. *)
  let locate slots key =
    let mask = Array.length slots - 1 in
    let rec probe i free =
      match slots.(i) with
      | Empty -> if free >= 0 then free else i
      | Deleted -> probe ((i + 1) land mask) (if free >= 0 then free else i)
      | Full f -> if K.equal f.key key then i else probe ((i + 1) land mask) free
    in
    probe (scramble (K.hash key) land mask) (-1)

  let grow t =
    let old = t.slots in
    let size = if t.live * 2 > Array.length old then 2 * Array.length old else Array.length old in
    let slots = Array.make size Empty in
    Array.iter
      (function
        | Full f as slot -> slots.(locate slots f.key) <- slot
        | Empty | Deleted -> ())
      old;
    t.slots <- slots;
    t.used <- t.live

  let find_opt t key =
    match t.slots.(locate t.slots key) with
    | Full { value; _ } -> Some value
    | Empty | Deleted -> None

  let insert t i key value =
    (match t.slots.(i) with Empty -> t.used <- t.used + 1 | Deleted | Full _ -> ());
    t.slots.(i) <- Full { key; value };
    t.live <- t.live + 1;
    if t.used * 4 > Array.length t.slots * 3 then grow t

  let update t key ~default f =
    let i = locate t.slots key in
    match t.slots.(i) with
    | Full slot -> slot.value <- f slot.value
    | Empty | Deleted -> insert t i key (f default)

  let replace t key value = update t key ~default:value (fun _ -> value)

  let remove t key =
    let i = locate t.slots key in
    match t.slots.(i) with
    | Full _ ->
      t.slots.(i) <- Deleted;
      t.live <- t.live - 1
    | Empty | Deleted -> ()

  let fold f t init =
    Array.fold_left
      (fun acc -> function Full { key; value } -> f key value acc | Empty | Deleted -> acc)
      init t.slots
end

module Int_table = Make (struct
  type t = int

  let equal = Int.equal
  let hash n = n
end)

type cell = { row : int; column : int }

module Cell_table = Make (struct
  type t = cell

  let equal a b = a.row = b.row && a.column = b.column
  let hash { row; column } = (row * 31) + column
end)

module Word_table = Make (struct
  type t = string

  let equal = String.equal
  let hash s = String.fold_left (fun h c -> (h * 33) lxor Char.code c) 5381 s
end)

(* Length of the Collatz trajectory, cached. *)
let rec collatz cache n =
  if n = 1 then 1
  else
    match Int_table.find_opt cache n with
    | Some length -> length
    | None ->
      let length = 1 + collatz cache (if n land 1 = 0 then n / 2 else (3 * n) + 1) in
      Int_table.replace cache n length;
      length

(* Generations of Conway's life on an unbounded board. *)
let neighbours { row; column } f =
  for dr = -1 to 1 do
    for dc = -1 to 1 do
      if dr <> 0 || dc <> 0 then f { row = row + dr; column = column + dc }
    done
  done

let generation board =
  let counts = Cell_table.create (4 * Cell_table.length board) in
  Cell_table.fold
    (fun cell () () -> neighbours cell (fun c -> Cell_table.update counts c ~default:0 succ))
    board ();
  let next = Cell_table.create (Cell_table.length board) in
  Cell_table.fold
    (fun cell n () ->
      if n = 3 || (n = 2 && Cell_table.find_opt board cell <> None) then
        Cell_table.replace next cell ())
    counts ();
  next

let count_words n =
  let table = Word_table.create 64 in
  for i = 1 to n do
    let word = String.make 1 (Char.chr (97 + (i * i mod 26))) ^ string_of_int (i * 7919 mod 2003) in
    Word_table.update table word ~default:0 succ;
    if i mod 11 = 0 then Word_table.remove table word
  done;
  (Word_table.length table, Word_table.fold (fun _ n best -> max n best) table 0)

let () =
  let cache = Int_table.create 1024 in
  let best = ref 0 in
  for n = 1 to 500_000 do
    best := max !best (collatz cache n)
  done;
  Printf.printf "collatz %d, cached %d\n" !best (Int_table.length cache);
  let board = Cell_table.create 16 in
  List.iter
    (fun (row, column) -> Cell_table.replace board { row; column } ())
    [ (0, 1); (0, 2); (1, 0); (1, 1); (2, 1) ];
  let rec run n board = if n = 0 then board else run (n - 1) (generation board) in
  Printf.printf "r-pentomino %d\n" (Cell_table.length (run 1100 board));
  let words, top = count_words 1_200_000 in
  Printf.printf "words %d, most frequent %d\n" words top
