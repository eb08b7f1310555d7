(* Functors that are given modules whose functions are polymorphic, and call them at the types that they see. *)

module type KEY = sig
  type t

  val compare : t -> t -> int
end

module type HASHED = sig
  type t

  val equal : t -> t -> bool
  val hash : t -> int
end

module Pair = struct
  type t = int * int

  let compare = compare
end

module Deep = struct
  type t = { name : string; parts : (float * int list) option }

  let compare = compare
end

module Components = struct
  type t = int * string

  let compare (a, b) (c, d) = match compare b d with 0 -> compare a c | order -> order
end

(* Names of types that stand for tuples, functions and other types: the function is polymorphic in their parts. *)
type 'a marked = 'a * int
type weight = float
type weighed = weight marked
type test = weighed -> weighed -> int

module Weighed = struct
  type t = weighed

  let compare (a, m) (b, n) = match compare a b with 0 -> compare m n | order -> order
end

module Positions = struct
  type coordinate = int
  type t = coordinate * coordinate

  let compare (x0, y0) (x1, y1) = match Stdlib.compare x0 x1 with 0 -> Stdlib.compare y0 y1 | order -> order
end

module Tested (K : sig
  type t

  val by : ((t -> t -> int) -> t list -> t list) -> t list -> t list
  val first : t option -> t -> t
end) =
struct
  let run l = match K.by List.sort l with [] -> None | x :: _ -> Some (K.first (Some x) x)
end

module Weights = Tested (struct
  type t = weighed

  let by sort l = sort (fun (a, _) (b, _) -> compare b a) l
  let first o (a, n) = match o with Some (b, m) when a <= b -> (a, m) | _ -> (a, n)
end)

(* The function is used at other types, too. *)
module Used = struct
  type t = char

  let compare a b = compare b a
  let others = compare (Some 1) None + compare "a" "b"
end

module Number = struct
  type t = float

  let compare = compare
  let equal = ( = )
  let hash = Hashtbl.hash
end

module Text = struct
  type t = string list

  let equal a b = a = b
  let hash l = Hashtbl.hash (List.length l)
end

module Hidden : sig
  type t

  val of_int : int -> t
  val to_int : t -> int
  val compare : 'a -> 'a -> int
end = struct
  type t = int

  let of_int i = i
  let to_int i = i
  let compare = compare
end

module Variant = struct
  type t = [ `A of int | `B | `C of string ]

  let compare = compare
end

(* A functor of this unit, whose argument has a submodule, a value before and an exception between. *)
module Sorted (K : sig
  val name : string

  exception Never of int

  type t

  module Inner : KEY

  val compare : t -> t -> int
  val show : t -> string
end) =
struct
  let sort l = List.sort K.compare l
  let max = function [] -> raise (K.Never 0) | x :: l -> List.fold_left (fun m y -> if K.compare m y < 0 then y else m) x l
  let print l = Printf.printf "%s: %s, max %s\n" K.name (String.concat " " (List.map K.show (sort l))) (K.show (max l))
end

module Rev = Sorted (struct
  let name = "pairs"

  exception Never of int

  type t = int * string

  module Inner = Pair

  let compare a b = compare b a
  let show (i, s) = string_of_int i ^ s
end)

module P = Set.Make (Pair)
module D = Map.Make (Deep)
module C = Set.Make (Components)
module U = Map.Make (Used)
module N = Map.Make (Number)
module NH = Hashtbl.Make (Number)
module TH = Hashtbl.Make (Text)
module H = Set.Make (Hidden)
module V = Set.Make (Variant)
module W = Set.Make (Weighed)
module X = Map.Make (Positions)

module Queue (E : sig
  type t

  val le : t -> t -> bool
end) =
struct
  let rec insert x = function [] -> [ x ] | y :: l -> if E.le x y then x :: y :: l else y :: insert x l
end

module Q = Queue (struct
  type t = weighed

  let le (a, _) (b, _) = a <= b
end)

(* The same module, seen at another type by a functor that only compares lists of its elements. *)
module Lists (K : KEY) = struct
  type t = K.t list

  let rec compare a b =
    match (a, b) with
    | [], [] -> 0
    | [], _ -> -1
    | _, [] -> 1
    | x :: a, y :: b -> ( match K.compare x y with 0 -> compare a b | order -> order)
end

module L = Set.Make (Lists (Pair))

(* Equal values whose shapes differ at run time: [Obj] is no part of it, but laziness of floats and NaN are. *)
let floats = [ 1.; nan; -0.; 0.; infinity; nan; neg_infinity; 2.5; 1. ]

let () =
  let p = P.of_list (List.init 100 (fun i -> (i mod 7, i mod 5))) in
  Printf.printf "%d %b %b\n" (P.cardinal p) (P.mem (3, 4) p) (P.mem (3, 5) p);
  P.iter (fun (a, b) -> Printf.printf "%d.%d " a b) p;
  print_newline ();
  let deep i = { Deep.name = String.make (i mod 3) 'x'; parts = (if i mod 4 = 0 then None else Some (float (i mod 5), [ i mod 2; i ])) } in
  let d = List.fold_left (fun d i -> D.add (deep i) i d) D.empty (List.init 60 Fun.id) in
  D.iter (fun k v -> Printf.printf "%s%d " k.Deep.name v) d;
  print_newline ();
  C.iter (fun (i, s) -> Printf.printf "%d%s " i s) (C.of_list (List.init 30 (fun i -> (i mod 4, String.make (i mod 3) 'y'))));
  print_newline ();
  U.iter (fun c i -> Printf.printf "%c%d " c i) (U.of_seq (String.to_seqi "functors" |> Seq.map (fun (i, c) -> (c, i))));
  Printf.printf "%d\n" Used.others;
  N.iter (fun f i -> Printf.printf "%g:%d " f i) (List.fold_left (fun m f -> N.update f (function None -> Some 1 | Some n -> Some (n + 1)) m) N.empty floats);
  print_newline ();
  let nh = NH.create 8 in
  List.iteri (fun i f -> NH.replace nh f i) floats;
  Printf.printf "%d %b %b\n" (NH.length nh) (NH.mem nh 2.5) (NH.mem nh nan);
  let th = TH.create 8 in
  List.iter (fun l -> TH.add th l (List.length l)) [ [ "a" ]; [ "b"; "c" ]; [ "a" ]; [] ];
  Printf.printf "%d %d\n" (List.length (TH.find_all th [ "a" ])) (TH.length th);
  H.iter (fun i -> Printf.printf "%d " (Hidden.to_int i)) (H.of_list (List.map Hidden.of_int [ 3; 1; 2; 3; -1 ]));
  print_newline ();
  V.iter (function `A i -> Printf.printf "A%d " i | `B -> print_string "B " | `C s -> Printf.printf "C%s " s)
    (V.of_list [ `C "x"; `A 3; `B; `A (-3); `C ""; `B ]);
  print_newline ();
  Printf.printf "%d\n" (L.cardinal (L.of_list [ [ (1, 2) ]; []; [ (1, 2) ]; [ (1, 2); (0, 0) ] ]));
  Rev.print [ (1, "a"); (3, "c"); (2, "b"); (3, "d") ]

let () =
  W.iter (fun (f, i) -> Printf.printf "%h.%d " f i) (W.of_list (List.mapi (fun i f -> (f, i mod 3)) (floats @ floats)));
  print_newline ();
  X.iter (fun (x, y) n -> Printf.printf "%d,%d:%d " x y n)
    (List.fold_left (fun m i -> X.update (i mod 4, i mod 3) (function None -> Some 1 | Some n -> Some (n + 1)) m) X.empty (List.init 40 Fun.id));
  print_newline ();
  List.iter (fun (f, i) -> Printf.printf "%h.%d " f i) (List.fold_left (fun l x -> Q.insert x l) [] (List.mapi (fun i f -> (f, i)) floats));
  print_newline ();
  match Weights.run (List.mapi (fun i f -> (f, i)) floats) with
  | None -> print_endline "none"
  | Some (f, i) -> Printf.printf "%h.%d\n" f i

(* What compares fails as ever. *)
module F = Set.Make (struct
  type t = int -> int

  let compare = compare
end)

let () =
  match F.add succ (F.singleton pred) with
  | _ -> print_endline "no exception"
  | exception Invalid_argument why -> print_endline why
