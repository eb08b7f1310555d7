(* Polymorphic functions with names that are passed to functions which call them at known types: they are passed as
   copies for these types where nobody can tell, and as themselves where somebody can. *)

let by_second (_, a) (_, b) = compare a b
let descending a b = compare b a

let by_length_first a b =
  match compare (List.length a) (List.length b) with 0 -> compare a b | order -> order

let same_key (a, _) (b, _) = a = b
let larger a b = if a > b then a else b

let rec fold f acc = function [] -> acc | x :: rest -> fold f (f acc x) rest
let largest = function [] -> invalid_arg "largest" | x :: rest -> fold larger x rest

let rec insert cmp x = function
  | [] -> [ x ]
  | y :: rest as all -> if cmp x y <= 0 then x :: all else y :: insert cmp x rest

let insertion_sort cmp l = List.fold_left (fun sorted x -> insert cmp x sorted) [] l

let rec groups same = function
  | [] -> []
  | x :: rest ->
      let alike, others = List.partition (same x) rest in
      (x :: alike) :: groups same others

(* These can tell one closure from another. *)
let last : Obj.t ref = ref (Obj.repr 0)

let sort_and_keep cmp l =
  last := Obj.repr cmp;
  List.sort cmp l

let is_descending (cmp : int -> int -> int) = cmp == descending
let order_of (cmp : int -> int -> int) l = if is_descending cmp then "descending" else string_of_int (List.hd (List.sort cmp l))

type 'a sorter = { cmp : 'a -> 'a -> int; sort : 'a list -> 'a list }

let sorter cmp = { cmp; sort = List.sort cmp }

(* Captured, applied later, and handed on through functions that capture it again. *)
let later cmp l =
  let sorted = lazy (List.sort cmp l) in
  fun n -> List.nth (Lazy.force sorted) n

let both cmp a b =
  let one l = List.sort cmp l in
  let two x y = (one x, one y) in
  two a b

let show f l = String.concat " " (List.map f l)

type card = Ace | Number of int | Face of { name : string; rank : float }

let show_card = function
  | Ace -> "ace"
  | Number n -> string_of_int n
  | Face { name; rank } -> Printf.sprintf "%s:%g" name rank

let () =
  let pairs = [ (1, "b"); (2, "a"); (3, "c"); (4, "a") ] and weights = [ (1, 2.5); (2, nan); (3, -0.); (4, 0.) ] in
  print_endline (show (fun (n, s) -> string_of_int n ^ s) (List.sort by_second pairs));
  print_endline (show (fun (n, w) -> Printf.sprintf "%d:%g" n w) (List.stable_sort by_second weights));
  print_endline (show string_of_float (List.sort descending [ 1.; nan; infinity; -0.; 0. ]));
  print_endline (show string_of_int (List.sort descending [ 4; max_int; -1; min_int; 4 ]));
  print_endline (show string_of_int (List.sort_uniq descending [ 4; max_int; -1; min_int; 4 ]));
  print_endline (show show_card (List.sort descending [ Face { name = "q"; rank = nan }; Ace; Number 3; Face { name = "q"; rank = 1. }; Number 9 ]));
  print_endline (show (fun l -> "[" ^ show string_of_int l ^ "]") (List.sort by_length_first [ [ 2; 1 ]; []; [ 1; 9 ]; [ 5 ]; [ 1; 2; 3 ] ]));
  let words = [| "pear"; ""; "fig"; "apple" |] in
  Array.sort descending words;
  print_endline (show Fun.id (Array.to_list words));
  let numbers = Array.init 50 (fun i -> float (i * 37 mod 50) /. 4.) in
  Array.stable_sort descending numbers;
  print_endline (show string_of_float (Array.to_list numbers));
  print_endline (show string_of_int (insertion_sort descending [ 3; 1; 2 ]) ^ show Fun.id (insertion_sort descending [ "x"; "z"; "y" ]));
  print_endline (show (fun l -> show (fun (s, n) -> Printf.sprintf "%s%d" s n) l) (groups same_key [ ("a", 1); ("b", 2); ("a", 3) ]));
  print_endline (string_of_float (largest [ 1.; 7.; 3. ]) ^ string_of_int (largest [ 3; 8; 1 ]) ^ largest [ "k"; "z"; "a" ]);
  ignore (sort_and_keep descending [ 1; 2 ]);
  print_endline (string_of_bool (!last == Obj.repr descending));
  ignore (sort_and_keep descending [ "u"; "v" ]);
  print_endline (string_of_bool (!last == Obj.repr descending));
  print_endline (order_of descending [ 1; 2 ] ^ order_of compare [ 2; 1 ]);
  let ints = sorter descending and strings = sorter descending in
  print_endline (string_of_bool (Obj.repr ints.cmp == Obj.repr strings.cmp) ^ show string_of_int (ints.sort [ 1; 2 ]));
  print_endline (show Fun.id (strings.sort [ "m"; "n" ]));
  print_endline (string_of_float (later descending [ 1.; 3.; 2. ] 1) ^ later descending [ "d"; "e" ] 0);
  let a, b = both descending [ 1; 2; 3 ] [ 9; 10 ] in
  print_endline (show string_of_int a ^ show string_of_int b);
  (match List.sort descending [ succ; pred ] with
  | _ -> print_endline "sorted functions"
  | exception Invalid_argument message -> print_endline message);
  match List.sort by_second [ (1, Some succ); (2, None); (3, Some pred) ] with
  | _ -> print_endline "sorted functions"
  | exception Invalid_argument message -> print_endline message
