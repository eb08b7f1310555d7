(* Functions that capture nothing, inside of polymorphic ones, and [compare] alone: what is copied or inlined at a type
   passes copies of them for that type. In each copy of the function around, the type variables are what its call says. *)

let descending l = List.sort (fun a b -> compare b a) l
let sorted a = let b = Array.copy a in Array.stable_sort compare b; b
let largest l = List.fold_left (fun a b -> if compare a b >= 0 then a else b) (List.hd l) l
let by_second l = List.sort (fun (_, a) (_, b) -> compare a b) l
let[@inline never] runs l =
  let rec go acc = function
    | [] -> List.rev acc
    | x :: rest -> (
        match acc with
        | (y, n) :: others when (fun a b -> a = b) x y -> go ((y, n + 1) :: others) rest
        | _ -> go ((x, 1) :: acc) rest)
  in
  go [] l

(* Inside of a function with a type variable of its own. *)
let pairwise x y =
  let order m = List.sort (fun a b -> compare a b) m in
  (order [ x; y ], order [ 3; 1; 2 ], order [ "b"; "a" ])

(* Inlined into another polymorphic function, whose type variable is another. *)
let keys_and_values l = (descending (List.map fst l), descending (List.map snd l))

(* Polymorphic recursion: a type variable is something else in each call. *)
type 'a nested = Leaf of 'a | Pairs of ('a * 'a) nested

let rec depth : 'a. ('a -> 'a -> int) -> 'a nested -> int =
 fun cmp -> function Leaf x -> cmp x x | Pairs n -> 1 + depth (fun a b -> compare a b) n

let rec spread : 'a. int -> 'a list -> string =
 fun n l ->
  let first = List.sort (fun a b -> compare b a) l in
  let length = string_of_int (List.length first) in
  if n = 0 then length else length ^ spread (n - 1) (List.map (fun x -> (x, n)) first) ^ spread 0 [ 1.5; nan; 0.5 ]

(* A closure is itself, however often it is mentioned. *)
let kept : (unit -> bool) list ref = ref []

let same_function l =
  let cmp = fun a b -> compare a b in
  let again = Sys.opaque_identity cmp in
  kept := (fun () -> cmp == again) :: !kept;
  List.sort cmp l

module Make (X : sig type t val all : t list end) = struct
  let descending = descending X.all
  let sorted = Array.to_list (sorted (Array.of_list X.all))
end

module Floats = Make (struct type t = float let all = [ 2.; nan; -0.; 0.; neg_infinity; 1e300 ] end)
module Words = Make (struct type t = string let all = [ "pear"; ""; "apple"; "fig" ] end)

type shape = Point | Circle of float | Box of { w : int; h : int }

let show f l = String.concat " " (List.map f l)
let show_shape = function
  | Point -> "point"
  | Circle r -> Printf.sprintf "circle %g" r
  | Box { w; h } -> Printf.sprintf "box %dx%d" w h

let () =
  let floats = [ 3.5; nan; -1.; 0.; -0.; infinity ] and ints = [ 5; -3; max_int; 0; 5; min_int ] in
  let words = [ "b"; "abc"; ""; "b" ] and pairs = [ (1, "x"); (0, "y"); (1, "a") ] in
  let shapes = [ Circle 2.; Point; Box { w = 1; h = 2 }; Circle nan; Box { w = 0; h = 9 }; Circle 1. ] in
  print_endline (show string_of_float (descending floats));
  print_endline (show string_of_int (descending ints));
  print_endline (show Fun.id (descending words));
  print_endline (show snd (descending pairs));
  print_endline (show show_shape (descending shapes));
  print_endline (show string_of_float (Array.to_list (sorted (Array.of_list floats))));
  print_endline (show string_of_int (Array.to_list (sorted (Array.of_list ints))));
  print_endline (show show_shape (Array.to_list (sorted (Array.of_list shapes))));
  print_endline (string_of_float (largest [ 1.; 7.; 3. ]) ^ string_of_int (largest ints) ^ largest words);
  print_endline (show (fun (n, s) -> Printf.sprintf "%d%s" n s) (by_second pairs));
  print_endline (show (fun (x, f) -> Printf.sprintf "%d:%g" x f) (by_second [ (1, 2.5); (2, nan); (3, -1.) ]));
  print_endline (show (fun (x, n) -> Printf.sprintf "%g*%d" x n) (runs [ 1.; 1.; nan; nan; 2. ]));
  print_endline (show (fun (x, n) -> Printf.sprintf "%s*%d" x n) (runs [ "a"; "a"; "b" ]));
  let (a, b, c) = pairwise 2.5 1.5 in
  print_endline (show string_of_float a ^ show string_of_int b ^ show Fun.id c);
  let (a, b, c) = pairwise "z" "y" in
  print_endline (show Fun.id a ^ show string_of_int b ^ show Fun.id c);
  let keys, values = keys_and_values [ (1, 2.); (3, nan); (2, -1.) ] in
  print_endline (show string_of_int keys ^ show string_of_float values);
  print_endline (string_of_int (depth (fun _ _ -> 10) (Pairs (Pairs (Leaf ((1, 2), (3, 4)))))));
  print_endline (spread 2 [ 'a'; 'b' ] ^ spread 1 [ [| 1. |]; [||] ]);
  print_endline (show string_of_float (same_function floats) ^ show Fun.id (same_function words));
  print_endline (show string_of_bool (List.map (fun f -> f ()) !kept));
  print_endline (show string_of_float Floats.descending ^ show string_of_float Floats.sorted);
  print_endline (show Fun.id Words.descending ^ show Fun.id Words.sorted);
  match descending [ (fun x -> x + 1); succ ] with
  | _ -> print_endline "sorted functions"
  | exception Invalid_argument message -> print_endline message
