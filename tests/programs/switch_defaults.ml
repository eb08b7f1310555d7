(* Defaults of matches on constructors: several cases in one arm, a default of one case, of all but one, constants and
   blocks with the same default. *)
type e = C of int | V of int | A of e * e | M of e * e | L of e * e | N of e | I of e * e * e

let rec size = function
  | C _ | V _ -> 1
  | A (a, b) | M (a, b) | L (a, b) -> 1 + size a + size b
  | N a -> 1 + size a
  | I (a, b, c) -> 1 + size a + size b + size c

type token = Eof | Plus | Minus | Times | Open | Close | Int of int | Name of string | Text of string | Op of char * int

let rank = function Eof -> 0 | Close -> 1 | Int n -> n | Op ('+', n) -> n + 1 | _ -> 7
let starts = function Int _ | Name _ | Text _ | Open | Minus -> true | _ -> false
let last = function Int _ -> "int" | Name _ -> "name" | Text _ -> "text" | Eof | Plus | Minus | Times | Open | Close | Op _ -> "other"
let twice t = match t with
  | Int _ -> 1
  | Name _ -> 2
  | _ -> (match t with Text _ -> 3 | Op _ -> 4 | Eof -> 5 | _ -> 6)

type two = P of int | Q of int
let swap t = match t with P n -> Q n | _ -> (match t with Q n -> P (n + 1) | _ -> P 0)

type _ g = GI : int -> int g | GB : bool -> bool g | GP : 'a g * 'b g -> ('a * 'b) g | GN : 'a g -> 'a g
let rec depth : type a. a g -> int = function GP (a, b) -> 1 + max (depth a) (depth b) | GN a -> depth a | _ -> 0

type day = Mon | Tue | Wed | Thu | Fri | Sat | Sun
let work = function Sat | Sun -> 0 | Wed -> 4 | _ -> 8
let next = function Sun -> Mon | Mon -> Tue | Tue -> Wed | Wed -> Thu | Thu -> Fri | Fri -> Sat | Sat -> Sun

let poly = function `A -> 1 | `B n | `C n -> n | `D -> 4 | _ -> 9

let rec build n =
  if n = 0 then C 1
  else match n mod 4 with
    | 0 -> N (build (n - 1))
    | 1 -> A (build (n - 1), M (build (n - 1), V 1))
    | 2 -> L (V n, build (n - 1))
    | _ -> I (V n, build (n - 1), L (V 2, C 1))

let () =
  let tokens = [ Eof; Plus; Minus; Times; Open; Close; Int 5; Name "n"; Text "t"; Op ('+', 2); Op ('-', 3) ] in
  Printf.printf "%d\n" (size (build 12));
  List.iter (fun t -> Printf.printf "%d %b %s %d\n" (rank t) (starts t) (last t) (twice t)) tokens;
  (match swap (swap (P 1)), swap (Q 5) with P n, P m -> Printf.printf "%d %d\n" n m | _ -> print_endline "?");
  Printf.printf "%d %d\n" (depth (GP (GN (GP (GI 1, GB true)), GI 2))) (depth (GN (GI 1)));
  let rec week d n = if n = 0 then [] else work d :: week (next d) (n - 1) in
  List.iter (Printf.printf "%d ") (week Thu 9);
  List.iter (fun v -> Printf.printf "%d " (poly v)) [ `A; `B 2; `C 3; `D; `E; `F 1 ];
  print_newline ()
