(* Stdlib's Map and Set at custom key types: a booking ledger with range queries and joins. *)

module Date = struct
  type t = { year : int; month : int; day : int }

  let compare a b =
    let c = Int.compare a.year b.year in
    if c <> 0 then c
    else
      let c = Int.compare a.month b.month in
      if c <> 0 then c else Int.compare a.day b.day

  let of_index i = { year = 2000 + (i / 336); month = 1 + (i / 28 mod 12); day = 1 + (i mod 28) }
end

module Room = struct
  type wing = North | South | Annex
  type t = { wing : wing; floor : int; number : int }

  let rank = function North -> 0 | South -> 1 | Annex -> 2

  let compare a b =
    match Int.compare (rank a.wing) (rank b.wing) with
    | 0 -> ( match Int.compare a.floor b.floor with 0 -> Int.compare a.number b.number | c -> c)
    | c -> c

  let of_index i =
    let wing = match i mod 3 with 0 -> North | 1 -> South | _ -> Annex in
    { wing; floor = i / 3 mod 5; number = i / 15 }
end

module Both (A : Map.OrderedType) (B : Map.OrderedType) = struct
  type t = A.t * B.t

  let compare (a, b) (a', b') = match A.compare a a' with 0 -> B.compare b b' | c -> c
end

module Dates = Map.Make (Date)
module Date_set = Set.Make (Date)
module Rooms = Map.Make (Room)
module Room_set = Set.Make (Room)
module Slots = Map.Make (Both (Room) (Date))

type booking = { guest : int; price : int }

type ledger = {
  slots : booking Slots.t;
  by_date : Room_set.t Dates.t;
  refused : int;
}

let empty = { slots = Slots.empty; by_date = Dates.empty; refused = 0 }

let book ledger room date booking =
  if Slots.mem (room, date) ledger.slots then { ledger with refused = ledger.refused + 1 }
  else
    let add_room = function
      | None -> Some (Room_set.singleton room)
      | Some rooms -> Some (Room_set.add room rooms)
    in
    { ledger with
      slots = Slots.add (room, date) booking ledger.slots;
      by_date = Dates.update date add_room ledger.by_date }

let cancel ledger room date =
  if not (Slots.mem (room, date) ledger.slots) then ledger
  else
    { ledger with
      slots = Slots.remove (room, date) ledger.slots;
      by_date = Dates.update date (Option.map (Room_set.remove room)) ledger.by_date }

let revenue_by_room ledger =
  Slots.fold
    (fun (room, _) { price; _ } acc ->
      Rooms.update room (fun sum -> Some (price + Option.value sum ~default:0)) acc)
    ledger.slots Rooms.empty

(* Rooms taken on each of two dates. *)
let taken_on ledger date = Option.value (Dates.find_opt date ledger.by_date) ~default:Room_set.empty

let full_dates ledger ~rooms =
  Dates.fold
    (fun date taken acc -> if Room_set.cardinal taken >= rooms then Date_set.add date acc else acc)
    ledger.by_date Date_set.empty

let between lo hi dates =
  let _, at_lo, above = Date_set.split lo dates in
  ignore at_lo;
  let below, _, _ = Date_set.split hi above in
  below

let next seed = ((seed * 25214903917) + 11) land 0xffff_ffff_ffff

let fill count =
  let rec go ledger seed i =
    if i = count then ledger
    else
      let seed = next seed in
      let room = Room.of_index (seed lsr 17 mod 60) in
      let date = Date.of_index (seed lsr 25 mod 1500) in
      let ledger =
        if i mod 4 = 3 then cancel ledger room date
        else book ledger room date { guest = i; price = 50 + (seed lsr 20 mod 100) }
      in
      go ledger seed (i + 1)
  in
  go empty 7 0

let () =
  let ledger = fill 250_000 in
  let revenue = revenue_by_room ledger in
  let best = Rooms.fold (fun _ sum best -> max sum best) revenue 0 in
  let full = full_dates ledger ~rooms:45 in
  let spring = between (Date.of_index 300) (Date.of_index 900) full in
  let overlaps = ref 0 in
  for i = 1 to 1499 do
    let both = Room_set.inter (taken_on ledger (Date.of_index i)) (taken_on ledger (Date.of_index (i - 1))) in
    overlaps := !overlaps + Room_set.cardinal both
  done;
  Printf.printf "bookings %d, refused %d, best room %d, full %d, spring %d, overlaps %d\n"
    (Slots.cardinal ledger.slots) ledger.refused best (Date_set.cardinal full)
    (Date_set.cardinal spring) !overlaps
