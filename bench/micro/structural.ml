(* Values of types with parts compared: by functions that are derived from the types (D15), and by generic code that is
   used at one type (C5). *)

let row = Measure.row

let repeat f n =
  let s = ref 0 in
  for i = 1 to n do
    s := !s + f i
  done;
  !s
[@@inline]

let bool b = if b then 1 else 0

(* A heap of pairs: priority, then number. *)

let rec sift (heap : (int * int) array) size at =
  let left = (2 * at) + 1 in
  if left < size then begin
    let least = if left + 1 < size && compare heap.(left + 1) heap.(left) < 0 then left + 1 else left in
    if compare heap.(least) heap.(at) < 0 then begin
      let pair = heap.(at) in
      heap.(at) <- heap.(least);
      heap.(least) <- pair;
      sift heap size least
    end
  end

let heap_sorted n =
  let heap = Array.init n (fun i -> (i * 7919 land 63, i)) in
  for at = (n / 2) - 1 downto 0 do sift heap n at done;
  let sum = ref 0 in
  for size = n - 1 downto 1 do
    sum := !sum + (snd heap.(0) * size);
    heap.(0) <- heap.(size);
    sift heap size 0
  done;
  !sum

(* A set of variants. *)

type card = Number of int * suit | Face of face * suit | Joker
and suit = Clubs | Diamonds | Hearts | Spades
and face = Jack | Queen | King

module Cards = Set.Make (struct
  type t = card

  let compare = compare
end)

let card i =
  let suit = [| Clubs; Diamonds; Hearts; Spades |].(i land 3) in
  match i mod 5 with 0 -> Joker | 1 -> Face ([| Jack; Queen; King |].(i mod 3), suit) | k -> Number (k + (i mod 7), suit)

let deck = Cards.of_list (List.init 100 card)

(* Terms. *)

type term = Variable of string | Constant of int | Sum of term * term | Call of string * term list

let rec term n =
  if n = 0 then Variable "x"
  else if n land 3 = 1 then Constant n
  else if n land 3 = 2 then Call ("f", [ term (n / 2); term (n / 3) ])
  else Sum (term (n / 2), term (n - 1 - (n / 2)))

let one = term 200
let another = term 200

(* Records by their keys. *)

type person = { name : string; age : int }

let people = List.init 100 (fun i -> { name = string_of_int (i * 37 mod 100); age = i mod 10 })

(* Generic tables and environments. *)

let memo : (int * int, int) Hashtbl.t = Hashtbl.create 512

let rec paths x y =
  if x = 0 || y = 0 then 1
  else
    match Hashtbl.find_opt memo (x, y) with
    | Some n -> n
    | None ->
        let n = (paths (x - 1) y + paths x (y - 1)) land 0xffff in
        Hashtbl.add memo (x, y) n;
        n

let edges : (string, string list) Hashtbl.t = Hashtbl.create 64

let () =
  for i = 0 to 63 do
    Hashtbl.replace edges (string_of_int i) [ string_of_int (i * 2 land 63); string_of_int (i * 3 land 63) ]
  done

let reached from =
  let seen = Hashtbl.create 64 in
  let rec go node =
    if not (Hashtbl.mem seen node) then begin
      Hashtbl.add seen node ();
      List.iter go (try Hashtbl.find edges node with Not_found -> [])
    end
  in
  go from;
  Hashtbl.length seen

let environment = List.init 10 (fun i -> (string_of_int i, i))

let () =
  row "D15 heap of pairs" heap_sorted;
  row "D15 set of variants" (repeat (fun i -> bool (Cards.mem (card i) deck)));
  row "D15 terms compared" (fun n -> repeat (fun _ -> bool (one = another) + compare one another) (n / 100));
  row "D15 lists of pairs compared" (fun n ->
      let list = List.init 100 (fun i -> (i, i)) and other = List.init 100 (fun i -> (i, i)) in
      repeat (fun _ -> compare list other) (n / 100));
  row "D15 sort by keys" (fun n ->
      repeat
        (fun _ ->
          (List.hd (List.sort (fun a b -> compare (a.age, a.name) (b.age, b.name)) people)).age)
        (n / 100));
  row "D15 names in arrays" (repeat (fun i -> bool ([| "a"; "b" |] = (if i land 1 = 0 then [| "a"; "b" |] else [| "a"; "c" |]))));
  row "C5 memo table on tuples" (fun n ->
      Hashtbl.reset memo;
      paths (n / 50) (n / 50));
  row "C5 graph on a generic table" (fun n -> repeat (fun i -> reached (string_of_int (i land 63))) (n / 100));
  row "C5 environment by List.assoc" (repeat (fun i -> List.assoc (fst (List.nth environment (i mod 10))) environment))
