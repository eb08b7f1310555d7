(* flags: -w -a *)
(* Variants that functions get as the number of the constructor and the fields: through recursion, branches, loops and
   handlers; with constants, boxed numbers, several constructors, collections in between; and what must stay whole. *)

let o = Sys.opaque_identity

(* An option that is handed on, made, or none. *)
let rec bounded bound n =
  if n = 0 then (match bound with None -> -1 | Some b -> b)
  else
    let rest = bounded (match n land 3 with 0 -> None | 1 -> bound | _ -> Some (n * 3)) (n - 1) in
    match bound with None -> rest + 1 | Some b -> rest - b

type tree = Leaf | Node of tree * int * tree
let rec build low high =
  if low >= high then Leaf else let m = (low + high) / 2 in Node (build low m, m, build (m + 1) high)
let rec ordered low high = function
  | Leaf -> true
  | Node (l, x, r) ->
    (match low with None -> true | Some y -> y < x)
    && (match high with None -> true | Some y -> x < y)
    && ordered low (Some x) l && ordered (Some x) high r

(* Several constructors, of different sizes and kinds of fields. *)
type state = Idle | Paused | Run of int * string | Count of float | Both of { mutable_not : int list; at : int }
let rec run s n acc =
  if n = 0 then acc
  else begin
    if n land 63 = 0 then Gc.minor ();
    let next, x = match s with
      | Idle -> Run (n, string_of_int n), 1
      | Paused -> Count (float_of_int n), 2
      | Run (a, b) when a land 1 = 0 -> Both { mutable_not = [a; n]; at = String.length b }, a
      | Run (a, _) -> Idle, a
      | Count f -> (if f > 50. then Count (f /. 2.) else Paused), int_of_float f
      | Both { mutable_not; at } -> (if at > 1 then Paused else s), List.length mutable_not
    in
    1 + run next (n - 1) (acc + x)
  end

(* The whole is needed in one place: what is returned is what was given. *)
let rec same first s n = if n = 0 then s == first else
  match s with None -> same first first (n - 1) | Some x -> if x > 3 then s == first else same first s (n - 1)
let rec last acc = function [] -> acc | x :: l -> if x land 1 = 0 then last (Some x) l else last acc l

(* Exceptions: what a handler sees is the present value. *)
let find best l =
  let best = ref best in
  (try List.iter (fun x -> if x = 7 then raise Exit; if Some x > !best then best := Some x) l with Exit -> ());
  !best
let rec caught s n =
  match (if n land 1 = 0 then raise Not_found); s with
  | None -> if n > 50 then 0 else caught (Some (n, n + 1)) (n + 3)
  | Some (a, b) -> a + (if n > 50 then b else caught None (n + 2))
  | exception Not_found -> if n > 50 then 1 else caught (match s with None -> Some (1, n) | Some _ -> None) (n + 1)

(* Types that a witness tells: nothing of the one is read of the other. *)
type _ ty = Int : int ty | Opt : int option ty | Pair : (int * int) ty | Unit : unit ty
let rec sized : type a. a ty -> a -> int -> int = fun w x n ->
  if n > 40 then n else
  match w with
  | Int -> if x > 20 then x else sized Int (x + 1) (n + x)
  | Opt -> (match x with None -> sized Pair (n, n + 1) (n + 1) | Some y -> sized Int y (n + 2))
  | Pair -> let a, b = x in if a land 1 = 0 then sized Opt (Some b) (n + 1) else sized Opt None (n + 3)
  | Unit -> sized Opt None n

(* What is no constructor of the type, where nobody looks. *)
let rec ignored (s : (int * int) option) n = if n <= 0 then 0 else
  match n land 1 with
  | 0 -> ignored (Obj.magic (-5)) (n - 1)
  | _ when n land 2 = 0 -> 1 + ignored (Some (n, n)) (n - 2)
  | _ -> (if n land 4 = 0 then 0 else match s with None -> 2 | Some _ -> 3) + ignored None (n - 1)

(* Polymorphic variants have any numbers. *)
let rec poly s n = if n = 0 then 0 else
  match s with
  | `A -> 1 + poly (if n land 1 = 0 then `B else `Other (n, 1)) (n - 1)
  | `B -> 2 + poly (`C n) (n - 1)
  | `C x -> x + poly (if x land 3 = 0 then `A else `Other (x, n)) (n - 1)
  | `Other (x, y) -> x - y + poly `A (n - 1)

(* Boxed numbers in options. *)
let rec most best i =
  if i = 0 then (match best with None -> 0. | Some b -> b)
  else
    let x = float_of_int (i * 7919 mod 1000) in
    match best with Some b when b >= x -> 0.5 +. most best (i - 1) | _ -> 1. +. most (Some x) (i - 1)

let [@inline never] opt ?(step = 1) ?from ?(by : int64 option) x =
  let y = match from with None -> x + step | Some y -> y * x + step in
  match by with None -> y | Some b -> y + Int64.to_int b
let opts n =
  let s = ref 0 in
  for i = 1 to n do
    let from = if i land 1 = 0 then Some i else None in
    s := !s + opt i + opt ?from ~step:i i + opt ~from:i ~by:(Int64.of_int i) i + opt ?by:None ?from i
  done;
  !s

let () =
  let t = build 0 300 in
  Printf.printf "%d %b %b\n" (bounded None (o 100)) (ordered None None t) (ordered (Some 2) None t);
  List.iter (fun s -> Printf.printf "%d " (run s (o 400) 0)) [Idle; Paused; Run (4, "x"); Count 1e3];
  let s = o (Some 2) in
  Printf.printf "\n%b %b\n" (same s s 5) (same (Some (o 9)) s 5);
  let l = List.init 50 (fun i -> i * 3 mod 17) in
  Printf.printf "%s\n" (match last None l with None -> "none" | Some x -> string_of_int x);
  Printf.printf "%s\n" (match find None l with None -> "none" | Some x -> string_of_int x);
  Printf.printf "%d %d\n" (caught None (o 0)) (caught (Some (3, 4)) (o 1));
  Printf.printf "%d %d %d %d\n" (sized Int (o 3) 0) (sized Opt None (o 0)) (sized Pair (o (2, 3)) 0) (sized Unit () (o 0));
  Printf.printf "%d %d %g %d\n" (ignored None (o 50)) (poly `A (o 60)) (most None (o 200)) (opts (o 30))

(* Loops that return the last of what they made, and the same box where they make none. *)
let rec last_of acc = function [] -> acc | x :: l -> last_of (Some x) l
let rec last_even acc = function [] -> acc | x :: l -> if x land 1 = 0 then last_even (Some (x, 1)) l else last_even acc l
let rec twice acc = function [] -> acc == acc, acc | x :: l -> twice (Some (x, x)) l
let three_parts i = if i land 7 = 0 then 0, "a", 0.5 else if i land 1 = 0 then i, "bc", float_of_int i else i + 1, string_of_int i, 2.
let () =
  let given = o (Some 1) in
  Printf.printf "%b %b\n" (last_of given [] == given) (last_of given (o [3]) = Some 3);
  Printf.printf "%b %b\n" (match last_even None (o [1; 2; 3; 4; 5]) with Some (4, 1) -> true | _ -> false)
    (let same, acc = twice None (o [1; 2]) in same && acc = Some (2, 2));
  let s = ref 0 in
  for i = 1 to o 100 do
    let a, b, c = three_parts i in
    s := !s + a + String.length b + int_of_float c
  done;
  Printf.printf "%d\n" !s
