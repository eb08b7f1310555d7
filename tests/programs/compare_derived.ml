(* Comparisons at types that are known, against the runtime's: the same order, the same truth, the same exceptions.
   Values are drawn from few, so that many parts are equal. *)

let state = ref 42

let below n =
  state := (!state * 0x2545F4914F6CDD1D) + 1442695040888963407;
  ((!state lsr 33) land 0x3FFFFFFF) mod n

let pick values = values.(below (Array.length values))

(* {1 Types} *)

type shape = Point | Empty | Circle of float | Square of int * int | Named of string * shape | Other of { x : int; y : string }
type 'a tree = Leaf | Node of 'a tree * 'a * 'a tree
type rose = Rose of int * rose list
type wood = { trees : wood array; height : int }

type expr = Num of int | Var of string | Add of expr * expr | Let of decl * expr | Seq of expr list | Neg of expr
and decl = { name : string; value : expr option; mutable used : bool }

type record = { a : int; b : string; c : int option; d : int * int }
type point = { px : float; py : float }
type cell = { mutable content : int; mutable next : cell option }
type single = Single of int * string
type unboxed = Unboxed of int [@@unboxed]
type unboxed_float = Unboxed_float of float [@@unboxed]
type wrapped = { it : string } [@@unboxed]
type row = [ `A | `B of int | `C of string * int | `D of row ]
type any = Any : 'a -> any
type _ witness = Int : int -> int witness | String : string -> string witness | Both : int * 'a witness -> 'a witness
type packed = Packed : 'a witness * 'a -> packed | Nothing
type 'a nested = Flat of 'a | Deeper of ('a * 'a) nested
type 'a constrained = { elements : 'a; first : 'b } constraint 'a = 'b list
type chain = [ `End | `More of int * chain ]

type large =
  | L0 of int | L1 of string | L2 of float | L3 of int * int | L4 of large | L5 of large * large | L6 of int list
  | L7 of int option | L8 of char | L9 of bool * large | K0 | K1 | K2

module Private : sig
  type t = private { n : int; s : string }
  type i = private int
  val gen : unit -> t
  val geni : unit -> i
end = struct
  type t = { n : int; s : string }
  type i = int
  let gen () = { n = below 3; s = pick [| "a"; "b" |] }
  let geni () = below 4
end

module Abstract : sig
  type t
  type i [@@immediate]
  val gen : unit -> t
  val geni : unit -> i
end = struct
  type t = A | B of int * string
  type i = int
  let gen () = if below 3 = 0 then A else B (below 2, pick [| "a"; "b" |])
  let geni () = below 4
end

module Ints = Set.Make (Int)

(* {1 Values} *)

let int () = if below 8 = 0 then pick [| max_int; min_int; -1 |] else below 3
let string () = pick [| ""; "a"; "b"; "ab"; "a longer string"; "a longer strinh"; "a\000"; "a\000\000" |]
let float () = pick [| 0.; -0.; 1.; -1.5; nan; -.nan; infinity; neg_infinity; 1. |]
let functions = [| succ; pred; (fun n -> n + below 2) |]
let func () = pick functions
let int32 () = pick [| 0l; 1l; -1l; Int32.max_int; Int32.min_int |]
let int64 () = pick [| 0L; 1L; -1L; Int64.max_int; Int64.min_int |]
let nativeint () = pick [| 0n; 1n; -1n; Nativeint.max_int |]
let bytes () = Bytes.of_string (string ())
let char () = pick [| 'a'; 'b'; '\255' |]
let bool () = below 2 = 0
let unit () = ()
let pair f g () = let x = f () in (x, g ())
let triple f g h () = let x = f () in let y = g () in (x, y, h ())
let option f () = if below 3 = 0 then None else Some (f ())
let list f () = List.init (below 4) (fun _ -> f ())
let array f () = Array.init (below 4) (fun _ -> f ())
let result f g () = if bool () then Ok (f ()) else Error (g ())
let reference f () = ref (f ())

let rec shape () =
  match below 7 with
  | 0 -> Point | 1 -> Empty | 2 -> Circle (float ()) | 3 -> Square (int (), int ())
  | 4 -> Named (string (), shape ()) | _ -> Other { x = below 2; y = string () }

let rec tree_to depth f () =
  if depth = 0 || below 4 = 0 then Leaf
  else let left = tree_to (depth - 1) f () in let x = f () in Node (left, x, tree_to (depth - 1) f ())

let tree f = tree_to 3 f
let rec rose_to depth () = Rose (below 3, if depth = 0 then [] else list (rose_to (depth - 1)) ())
let rose = rose_to 3
let rec wood_to depth () = { trees = (if depth = 0 then [||] else array (wood_to (depth - 1)) ()); height = below 2 }
let wood = wood_to 3

let rec expr_to depth () =
  let inner = expr_to (depth - 1) in
  match if depth = 0 then below 2 else below 6 with
  | 0 -> Num (below 3) | 1 -> Var (string ()) | 2 -> let e = inner () in Add (e, inner ())
  | 3 -> let d = decl_to (depth - 1) () in Let (d, inner ()) | 4 -> Seq (list inner ()) | _ -> Neg (inner ())

and decl_to depth () =
  { name = string (); value = (if depth <= 0 then None else Some (expr_to (depth - 1) ())); used = bool () }

let expr = expr_to 3
let decl = decl_to 2
let record () = { a = below 2; b = pick [| "a"; "b" |]; c = option (fun () -> below 2) (); d = (below 2, below 2) }
let point () = { px = float (); py = float () }
let rec cell () = { content = below 3; next = (if below 3 = 0 then None else Some (cell ())) }
let single () = Single (below 2, string ())
let unboxed () = Unboxed (int ())
let unboxed_float () = Unboxed_float (float ())
let wrapped () = { it = string () }
let letters () = pick [| `A; `B; `C |]
let rec row () : row = match below 4 with 0 -> `A | 1 -> `B (int ()) | 2 -> `C (string (), below 2) | _ -> `D (row ())
let any () = match below 4 with 0 -> Any (int ()) | 1 -> Any (string ()) | 2 -> Any (float ()) | _ -> Any (list int ())
let rec witness () : int witness = if below 3 = 0 then Both (below 2, witness ()) else Int (int ())
let packed () = match below 3 with 0 -> Nothing | 1 -> Packed (Int 1, below 2) | _ -> Packed (String "s", string ())
let lazy_int () = let n = below 3 in let l = lazy (n + 1) in if bool () then ignore (Lazy.force l); l
exception First of int
exception Second of string
let exn () = match below 4 with 0 -> First (below 2) | 1 -> Second (string ()) | 2 -> Not_found | _ -> Exit
let obj = let objects = Array.init 3 (fun n -> object method n = n end) in fun () -> pick objects
let ints () = Ints.of_list (list int ())
let nested () = match below 3 with 0 -> Flat (below 2) | 1 -> Deeper (Flat (below 2, below 2)) | _ -> Deeper (Deeper (Flat ((1, below 2), (2, 1))))
let constrained () = { elements = list int (); first = below 2 }
let rec chain () : chain = if below 3 = 0 then `End else `More (below 2, chain ())

let rec large_to depth () =
  let inner = large_to (depth - 1) in
  match if depth = 0 then 9 + below 3 else below 13 with
  | 0 -> L0 (int ()) | 1 -> L1 (string ()) | 2 -> L2 (float ()) | 3 -> L3 (below 2, int ()) | 4 -> L4 (inner ())
  | 5 -> let l = inner () in L5 (l, inner ()) | 6 -> L6 (list int ()) | 7 -> L7 (option int ()) | 8 -> L8 (char ())
  | 9 -> K0 | 10 -> K1 | 11 -> K2 | _ -> L9 (bool (), inner ())

let large = large_to 3

(* {1 Checks} *)

type 'a derived = {
  order : 'a -> 'a -> int;
  equal : 'a -> 'a -> bool;
  differ : 'a -> 'a -> bool;
  less : 'a -> 'a -> bool;
  less_equal : 'a -> 'a -> bool;
  greater : 'a -> 'a -> bool;
  greater_equal : 'a -> 'a -> bool;
  negative : 'a -> 'a -> bool;
}

let outcome f x y = match f x y with result -> Ok result | exception e -> Error (Printexc.to_string e)

let checks = ref 0
let wrong = ref 0

let check what name reference derived x y =
  incr checks;
  let expected = outcome (Sys.opaque_identity reference) x y and found = outcome derived x y in
  if expected <> found then begin
    incr wrong;
    if !wrong < 20 then Printf.printf "%s: %s differs\n" what name
  end

let run what gen d =
  let pool = Array.init 28 (fun _ -> gen ()) in
  let one x y =
    check what "compare" compare d.order x y;
    check what "=" ( = ) d.equal x y;
    check what "<>" ( <> ) d.differ x y;
    check what "<" ( < ) d.less x y;
    check what "<=" ( <= ) d.less_equal x y;
    check what ">" ( > ) d.greater x y;
    check what ">=" ( >= ) d.greater_equal x y;
    check what "compare _ _ < 0" (fun x y -> (Sys.opaque_identity compare) x y < 0) d.negative x y
  in
  Array.iter (fun x -> Array.iter (one x) pool) pool


let () =
  run "pair of ints" (pair int int)
    {
      order = (fun (x : int * int) y -> compare x y);
      equal = (fun (x : int * int) y -> x = y);
      differ = (fun (x : int * int) y -> x <> y);
      less = (fun (x : int * int) y -> x < y);
      less_equal = (fun (x : int * int) y -> x <= y);
      greater = (fun (x : int * int) y -> x > y);
      greater_equal = (fun (x : int * int) y -> x >= y);
      negative = (fun (x : int * int) y -> compare x y < 0);
    }

let () =
  run "triple" (triple int string float)
    {
      order = (fun (x : int * string * float) y -> compare x y);
      equal = (fun (x : int * string * float) y -> x = y);
      differ = (fun (x : int * string * float) y -> x <> y);
      less = (fun (x : int * string * float) y -> x < y);
      less_equal = (fun (x : int * string * float) y -> x <= y);
      greater = (fun (x : int * string * float) y -> x > y);
      greater_equal = (fun (x : int * string * float) y -> x >= y);
      negative = (fun (x : int * string * float) y -> compare x y < 0);
    }

let () =
  run "pair with function" (pair int func)
    {
      order = (fun (x : int * (int -> int)) y -> compare x y);
      equal = (fun (x : int * (int -> int)) y -> x = y);
      differ = (fun (x : int * (int -> int)) y -> x <> y);
      less = (fun (x : int * (int -> int)) y -> x < y);
      less_equal = (fun (x : int * (int -> int)) y -> x <= y);
      greater = (fun (x : int * (int -> int)) y -> x > y);
      greater_equal = (fun (x : int * (int -> int)) y -> x >= y);
      negative = (fun (x : int * (int -> int)) y -> compare x y < 0);
    }

let () =
  run "function first" (pair func int)
    {
      order = (fun (x : (int -> int) * int) y -> compare x y);
      equal = (fun (x : (int -> int) * int) y -> x = y);
      differ = (fun (x : (int -> int) * int) y -> x <> y);
      less = (fun (x : (int -> int) * int) y -> x < y);
      less_equal = (fun (x : (int -> int) * int) y -> x <= y);
      greater = (fun (x : (int -> int) * int) y -> x > y);
      greater_equal = (fun (x : (int -> int) * int) y -> x >= y);
      negative = (fun (x : (int -> int) * int) y -> compare x y < 0);
    }

let () =
  run "option of int" (option int)
    {
      order = (fun (x : int option) y -> compare x y);
      equal = (fun (x : int option) y -> x = y);
      differ = (fun (x : int option) y -> x <> y);
      less = (fun (x : int option) y -> x < y);
      less_equal = (fun (x : int option) y -> x <= y);
      greater = (fun (x : int option) y -> x > y);
      greater_equal = (fun (x : int option) y -> x >= y);
      negative = (fun (x : int option) y -> compare x y < 0);
    }

let () =
  run "option of float" (option float)
    {
      order = (fun (x : float option) y -> compare x y);
      equal = (fun (x : float option) y -> x = y);
      differ = (fun (x : float option) y -> x <> y);
      less = (fun (x : float option) y -> x < y);
      less_equal = (fun (x : float option) y -> x <= y);
      greater = (fun (x : float option) y -> x > y);
      greater_equal = (fun (x : float option) y -> x >= y);
      negative = (fun (x : float option) y -> compare x y < 0);
    }

let () =
  run "option of option" (option (option int))
    {
      order = (fun (x : int option option) y -> compare x y);
      equal = (fun (x : int option option) y -> x = y);
      differ = (fun (x : int option option) y -> x <> y);
      less = (fun (x : int option option) y -> x < y);
      less_equal = (fun (x : int option option) y -> x <= y);
      greater = (fun (x : int option option) y -> x > y);
      greater_equal = (fun (x : int option option) y -> x >= y);
      negative = (fun (x : int option option) y -> compare x y < 0);
    }

let () =
  run "list of ints" (list int)
    {
      order = (fun (x : int list) y -> compare x y);
      equal = (fun (x : int list) y -> x = y);
      differ = (fun (x : int list) y -> x <> y);
      less = (fun (x : int list) y -> x < y);
      less_equal = (fun (x : int list) y -> x <= y);
      greater = (fun (x : int list) y -> x > y);
      greater_equal = (fun (x : int list) y -> x >= y);
      negative = (fun (x : int list) y -> compare x y < 0);
    }

let () =
  run "list of floats" (list float)
    {
      order = (fun (x : float list) y -> compare x y);
      equal = (fun (x : float list) y -> x = y);
      differ = (fun (x : float list) y -> x <> y);
      less = (fun (x : float list) y -> x < y);
      less_equal = (fun (x : float list) y -> x <= y);
      greater = (fun (x : float list) y -> x > y);
      greater_equal = (fun (x : float list) y -> x >= y);
      negative = (fun (x : float list) y -> compare x y < 0);
    }

let () =
  run "list of strings" (list string)
    {
      order = (fun (x : string list) y -> compare x y);
      equal = (fun (x : string list) y -> x = y);
      differ = (fun (x : string list) y -> x <> y);
      less = (fun (x : string list) y -> x < y);
      less_equal = (fun (x : string list) y -> x <= y);
      greater = (fun (x : string list) y -> x > y);
      greater_equal = (fun (x : string list) y -> x >= y);
      negative = (fun (x : string list) y -> compare x y < 0);
    }

let () =
  run "list of pairs" (list (pair int string))
    {
      order = (fun (x : (int * string) list) y -> compare x y);
      equal = (fun (x : (int * string) list) y -> x = y);
      differ = (fun (x : (int * string) list) y -> x <> y);
      less = (fun (x : (int * string) list) y -> x < y);
      less_equal = (fun (x : (int * string) list) y -> x <= y);
      greater = (fun (x : (int * string) list) y -> x > y);
      greater_equal = (fun (x : (int * string) list) y -> x >= y);
      negative = (fun (x : (int * string) list) y -> compare x y < 0);
    }

let () =
  run "list of lists" (list (list int))
    {
      order = (fun (x : int list list) y -> compare x y);
      equal = (fun (x : int list list) y -> x = y);
      differ = (fun (x : int list list) y -> x <> y);
      less = (fun (x : int list list) y -> x < y);
      less_equal = (fun (x : int list list) y -> x <= y);
      greater = (fun (x : int list list) y -> x > y);
      greater_equal = (fun (x : int list list) y -> x >= y);
      negative = (fun (x : int list list) y -> compare x y < 0);
    }

let () =
  run "list of functions" (list func)
    {
      order = (fun (x : (int -> int) list) y -> compare x y);
      equal = (fun (x : (int -> int) list) y -> x = y);
      differ = (fun (x : (int -> int) list) y -> x <> y);
      less = (fun (x : (int -> int) list) y -> x < y);
      less_equal = (fun (x : (int -> int) list) y -> x <= y);
      greater = (fun (x : (int -> int) list) y -> x > y);
      greater_equal = (fun (x : (int -> int) list) y -> x >= y);
      negative = (fun (x : (int -> int) list) y -> compare x y < 0);
    }

let () =
  run "array of ints" (array int)
    {
      order = (fun (x : int array) y -> compare x y);
      equal = (fun (x : int array) y -> x = y);
      differ = (fun (x : int array) y -> x <> y);
      less = (fun (x : int array) y -> x < y);
      less_equal = (fun (x : int array) y -> x <= y);
      greater = (fun (x : int array) y -> x > y);
      greater_equal = (fun (x : int array) y -> x >= y);
      negative = (fun (x : int array) y -> compare x y < 0);
    }

let () =
  run "array of floats" (array float)
    {
      order = (fun (x : float array) y -> compare x y);
      equal = (fun (x : float array) y -> x = y);
      differ = (fun (x : float array) y -> x <> y);
      less = (fun (x : float array) y -> x < y);
      less_equal = (fun (x : float array) y -> x <= y);
      greater = (fun (x : float array) y -> x > y);
      greater_equal = (fun (x : float array) y -> x >= y);
      negative = (fun (x : float array) y -> compare x y < 0);
    }

let () =
  run "array of pairs" (array (pair int float))
    {
      order = (fun (x : (int * float) array) y -> compare x y);
      equal = (fun (x : (int * float) array) y -> x = y);
      differ = (fun (x : (int * float) array) y -> x <> y);
      less = (fun (x : (int * float) array) y -> x < y);
      less_equal = (fun (x : (int * float) array) y -> x <= y);
      greater = (fun (x : (int * float) array) y -> x > y);
      greater_equal = (fun (x : (int * float) array) y -> x >= y);
      negative = (fun (x : (int * float) array) y -> compare x y < 0);
    }

let () =
  run "array of arrays" (array (array float))
    {
      order = (fun (x : float array array) y -> compare x y);
      equal = (fun (x : float array array) y -> x = y);
      differ = (fun (x : float array array) y -> x <> y);
      less = (fun (x : float array array) y -> x < y);
      less_equal = (fun (x : float array array) y -> x <= y);
      greater = (fun (x : float array array) y -> x > y);
      greater_equal = (fun (x : float array array) y -> x >= y);
      negative = (fun (x : float array array) y -> compare x y < 0);
    }

let () =
  run "array of lists" (array (list int))
    {
      order = (fun (x : int list array) y -> compare x y);
      equal = (fun (x : int list array) y -> x = y);
      differ = (fun (x : int list array) y -> x <> y);
      less = (fun (x : int list array) y -> x < y);
      less_equal = (fun (x : int list array) y -> x <= y);
      greater = (fun (x : int list array) y -> x > y);
      greater_equal = (fun (x : int list array) y -> x >= y);
      negative = (fun (x : int list array) y -> compare x y < 0);
    }

let () =
  run "boxed integers" (triple int32 int64 nativeint)
    {
      order = (fun (x : int32 * int64 * nativeint) y -> compare x y);
      equal = (fun (x : int32 * int64 * nativeint) y -> x = y);
      differ = (fun (x : int32 * int64 * nativeint) y -> x <> y);
      less = (fun (x : int32 * int64 * nativeint) y -> x < y);
      less_equal = (fun (x : int32 * int64 * nativeint) y -> x <= y);
      greater = (fun (x : int32 * int64 * nativeint) y -> x > y);
      greater_equal = (fun (x : int32 * int64 * nativeint) y -> x >= y);
      negative = (fun (x : int32 * int64 * nativeint) y -> compare x y < 0);
    }

let () =
  run "bytes" (pair bytes bytes)
    {
      order = (fun (x : bytes * bytes) y -> compare x y);
      equal = (fun (x : bytes * bytes) y -> x = y);
      differ = (fun (x : bytes * bytes) y -> x <> y);
      less = (fun (x : bytes * bytes) y -> x < y);
      less_equal = (fun (x : bytes * bytes) y -> x <= y);
      greater = (fun (x : bytes * bytes) y -> x > y);
      greater_equal = (fun (x : bytes * bytes) y -> x >= y);
      negative = (fun (x : bytes * bytes) y -> compare x y < 0);
    }

let () =
  run "result" (result int string)
    {
      order = (fun (x : (int, string) result) y -> compare x y);
      equal = (fun (x : (int, string) result) y -> x = y);
      differ = (fun (x : (int, string) result) y -> x <> y);
      less = (fun (x : (int, string) result) y -> x < y);
      less_equal = (fun (x : (int, string) result) y -> x <= y);
      greater = (fun (x : (int, string) result) y -> x > y);
      greater_equal = (fun (x : (int, string) result) y -> x >= y);
      negative = (fun (x : (int, string) result) y -> compare x y < 0);
    }

let () =
  run "reference" (pair (reference int) (reference float))
    {
      order = (fun (x : int ref * float ref) y -> compare x y);
      equal = (fun (x : int ref * float ref) y -> x = y);
      differ = (fun (x : int ref * float ref) y -> x <> y);
      less = (fun (x : int ref * float ref) y -> x < y);
      less_equal = (fun (x : int ref * float ref) y -> x <= y);
      greater = (fun (x : int ref * float ref) y -> x > y);
      greater_equal = (fun (x : int ref * float ref) y -> x >= y);
      negative = (fun (x : int ref * float ref) y -> compare x y < 0);
    }

let () =
  run "characters" (triple char bool unit)
    {
      order = (fun (x : char * bool * unit) y -> compare x y);
      equal = (fun (x : char * bool * unit) y -> x = y);
      differ = (fun (x : char * bool * unit) y -> x <> y);
      less = (fun (x : char * bool * unit) y -> x < y);
      less_equal = (fun (x : char * bool * unit) y -> x <= y);
      greater = (fun (x : char * bool * unit) y -> x > y);
      greater_equal = (fun (x : char * bool * unit) y -> x >= y);
      negative = (fun (x : char * bool * unit) y -> compare x y < 0);
    }

let () =
  run "shape" (shape)
    {
      order = (fun (x : shape) y -> compare x y);
      equal = (fun (x : shape) y -> x = y);
      differ = (fun (x : shape) y -> x <> y);
      less = (fun (x : shape) y -> x < y);
      less_equal = (fun (x : shape) y -> x <= y);
      greater = (fun (x : shape) y -> x > y);
      greater_equal = (fun (x : shape) y -> x >= y);
      negative = (fun (x : shape) y -> compare x y < 0);
    }

let () =
  run "tree" (tree int)
    {
      order = (fun (x : int tree) y -> compare x y);
      equal = (fun (x : int tree) y -> x = y);
      differ = (fun (x : int tree) y -> x <> y);
      less = (fun (x : int tree) y -> x < y);
      less_equal = (fun (x : int tree) y -> x <= y);
      greater = (fun (x : int tree) y -> x > y);
      greater_equal = (fun (x : int tree) y -> x >= y);
      negative = (fun (x : int tree) y -> compare x y < 0);
    }

let () =
  run "tree of floats" (tree float)
    {
      order = (fun (x : float tree) y -> compare x y);
      equal = (fun (x : float tree) y -> x = y);
      differ = (fun (x : float tree) y -> x <> y);
      less = (fun (x : float tree) y -> x < y);
      less_equal = (fun (x : float tree) y -> x <= y);
      greater = (fun (x : float tree) y -> x > y);
      greater_equal = (fun (x : float tree) y -> x >= y);
      negative = (fun (x : float tree) y -> compare x y < 0);
    }

let () =
  run "tree of functions" (tree func)
    {
      order = (fun (x : (int -> int) tree) y -> compare x y);
      equal = (fun (x : (int -> int) tree) y -> x = y);
      differ = (fun (x : (int -> int) tree) y -> x <> y);
      less = (fun (x : (int -> int) tree) y -> x < y);
      less_equal = (fun (x : (int -> int) tree) y -> x <= y);
      greater = (fun (x : (int -> int) tree) y -> x > y);
      greater_equal = (fun (x : (int -> int) tree) y -> x >= y);
      negative = (fun (x : (int -> int) tree) y -> compare x y < 0);
    }

let () =
  run "rose tree" (rose)
    {
      order = (fun (x : rose) y -> compare x y);
      equal = (fun (x : rose) y -> x = y);
      differ = (fun (x : rose) y -> x <> y);
      less = (fun (x : rose) y -> x < y);
      less_equal = (fun (x : rose) y -> x <= y);
      greater = (fun (x : rose) y -> x > y);
      greater_equal = (fun (x : rose) y -> x >= y);
      negative = (fun (x : rose) y -> compare x y < 0);
    }

let () =
  run "forest of arrays" (wood)
    {
      order = (fun (x : wood) y -> compare x y);
      equal = (fun (x : wood) y -> x = y);
      differ = (fun (x : wood) y -> x <> y);
      less = (fun (x : wood) y -> x < y);
      less_equal = (fun (x : wood) y -> x <= y);
      greater = (fun (x : wood) y -> x > y);
      greater_equal = (fun (x : wood) y -> x >= y);
      negative = (fun (x : wood) y -> compare x y < 0);
    }

let () =
  run "expression" (expr)
    {
      order = (fun (x : expr) y -> compare x y);
      equal = (fun (x : expr) y -> x = y);
      differ = (fun (x : expr) y -> x <> y);
      less = (fun (x : expr) y -> x < y);
      less_equal = (fun (x : expr) y -> x <= y);
      greater = (fun (x : expr) y -> x > y);
      greater_equal = (fun (x : expr) y -> x >= y);
      negative = (fun (x : expr) y -> compare x y < 0);
    }

let () =
  run "declaration" (list decl)
    {
      order = (fun (x : decl list) y -> compare x y);
      equal = (fun (x : decl list) y -> x = y);
      differ = (fun (x : decl list) y -> x <> y);
      less = (fun (x : decl list) y -> x < y);
      less_equal = (fun (x : decl list) y -> x <= y);
      greater = (fun (x : decl list) y -> x > y);
      greater_equal = (fun (x : decl list) y -> x >= y);
      negative = (fun (x : decl list) y -> compare x y < 0);
    }

let () =
  run "record" (record)
    {
      order = (fun (x : record) y -> compare x y);
      equal = (fun (x : record) y -> x = y);
      differ = (fun (x : record) y -> x <> y);
      less = (fun (x : record) y -> x < y);
      less_equal = (fun (x : record) y -> x <= y);
      greater = (fun (x : record) y -> x > y);
      greater_equal = (fun (x : record) y -> x >= y);
      negative = (fun (x : record) y -> compare x y < 0);
    }

let () =
  run "record of floats" (point)
    {
      order = (fun (x : point) y -> compare x y);
      equal = (fun (x : point) y -> x = y);
      differ = (fun (x : point) y -> x <> y);
      less = (fun (x : point) y -> x < y);
      less_equal = (fun (x : point) y -> x <= y);
      greater = (fun (x : point) y -> x > y);
      greater_equal = (fun (x : point) y -> x >= y);
      negative = (fun (x : point) y -> compare x y < 0);
    }

let () =
  run "records in a list" (list point)
    {
      order = (fun (x : point list) y -> compare x y);
      equal = (fun (x : point list) y -> x = y);
      differ = (fun (x : point list) y -> x <> y);
      less = (fun (x : point list) y -> x < y);
      less_equal = (fun (x : point list) y -> x <= y);
      greater = (fun (x : point list) y -> x > y);
      greater_equal = (fun (x : point list) y -> x >= y);
      negative = (fun (x : point list) y -> compare x y < 0);
    }

let () =
  run "mutable record" (cell)
    {
      order = (fun (x : cell) y -> compare x y);
      equal = (fun (x : cell) y -> x = y);
      differ = (fun (x : cell) y -> x <> y);
      less = (fun (x : cell) y -> x < y);
      less_equal = (fun (x : cell) y -> x <= y);
      greater = (fun (x : cell) y -> x > y);
      greater_equal = (fun (x : cell) y -> x >= y);
      negative = (fun (x : cell) y -> compare x y < 0);
    }

let () =
  run "one constructor" (single)
    {
      order = (fun (x : single) y -> compare x y);
      equal = (fun (x : single) y -> x = y);
      differ = (fun (x : single) y -> x <> y);
      less = (fun (x : single) y -> x < y);
      less_equal = (fun (x : single) y -> x <= y);
      greater = (fun (x : single) y -> x > y);
      greater_equal = (fun (x : single) y -> x >= y);
      negative = (fun (x : single) y -> compare x y < 0);
    }

let () =
  run "unboxed constructor" (pair unboxed unboxed_float)
    {
      order = (fun (x : unboxed * unboxed_float) y -> compare x y);
      equal = (fun (x : unboxed * unboxed_float) y -> x = y);
      differ = (fun (x : unboxed * unboxed_float) y -> x <> y);
      less = (fun (x : unboxed * unboxed_float) y -> x < y);
      less_equal = (fun (x : unboxed * unboxed_float) y -> x <= y);
      greater = (fun (x : unboxed * unboxed_float) y -> x > y);
      greater_equal = (fun (x : unboxed * unboxed_float) y -> x >= y);
      negative = (fun (x : unboxed * unboxed_float) y -> compare x y < 0);
    }

let () =
  run "unboxed record" (list wrapped)
    {
      order = (fun (x : wrapped list) y -> compare x y);
      equal = (fun (x : wrapped list) y -> x = y);
      differ = (fun (x : wrapped list) y -> x <> y);
      less = (fun (x : wrapped list) y -> x < y);
      less_equal = (fun (x : wrapped list) y -> x <= y);
      greater = (fun (x : wrapped list) y -> x > y);
      greater_equal = (fun (x : wrapped list) y -> x >= y);
      negative = (fun (x : wrapped list) y -> compare x y < 0);
    }

let () =
  run "private" (pair (Private.gen) int)
    {
      order = (fun (x : Private.t * int) y -> compare x y);
      equal = (fun (x : Private.t * int) y -> x = y);
      differ = (fun (x : Private.t * int) y -> x <> y);
      less = (fun (x : Private.t * int) y -> x < y);
      less_equal = (fun (x : Private.t * int) y -> x <= y);
      greater = (fun (x : Private.t * int) y -> x > y);
      greater_equal = (fun (x : Private.t * int) y -> x >= y);
      negative = (fun (x : Private.t * int) y -> compare x y < 0);
    }

let () =
  run "private row" (pair (Private.geni) int)
    {
      order = (fun (x : Private.i * int) y -> compare x y);
      equal = (fun (x : Private.i * int) y -> x = y);
      differ = (fun (x : Private.i * int) y -> x <> y);
      less = (fun (x : Private.i * int) y -> x < y);
      less_equal = (fun (x : Private.i * int) y -> x <= y);
      greater = (fun (x : Private.i * int) y -> x > y);
      greater_equal = (fun (x : Private.i * int) y -> x >= y);
      negative = (fun (x : Private.i * int) y -> compare x y < 0);
    }

let () =
  run "abstract" (pair Abstract.gen int)
    {
      order = (fun (x : Abstract.t * int) y -> compare x y);
      equal = (fun (x : Abstract.t * int) y -> x = y);
      differ = (fun (x : Abstract.t * int) y -> x <> y);
      less = (fun (x : Abstract.t * int) y -> x < y);
      less_equal = (fun (x : Abstract.t * int) y -> x <= y);
      greater = (fun (x : Abstract.t * int) y -> x > y);
      greater_equal = (fun (x : Abstract.t * int) y -> x >= y);
      negative = (fun (x : Abstract.t * int) y -> compare x y < 0);
    }

let () =
  run "abstract, immediate" (pair Abstract.geni string)
    {
      order = (fun (x : Abstract.i * string) y -> compare x y);
      equal = (fun (x : Abstract.i * string) y -> x = y);
      differ = (fun (x : Abstract.i * string) y -> x <> y);
      less = (fun (x : Abstract.i * string) y -> x < y);
      less_equal = (fun (x : Abstract.i * string) y -> x <= y);
      greater = (fun (x : Abstract.i * string) y -> x > y);
      greater_equal = (fun (x : Abstract.i * string) y -> x >= y);
      negative = (fun (x : Abstract.i * string) y -> compare x y < 0);
    }

let () =
  run "polymorphic constants" (pair letters int)
    {
      order = (fun (x : [ `A | `B | `C ] * int) y -> compare x y);
      equal = (fun (x : [ `A | `B | `C ] * int) y -> x = y);
      differ = (fun (x : [ `A | `B | `C ] * int) y -> x <> y);
      less = (fun (x : [ `A | `B | `C ] * int) y -> x < y);
      less_equal = (fun (x : [ `A | `B | `C ] * int) y -> x <= y);
      greater = (fun (x : [ `A | `B | `C ] * int) y -> x > y);
      greater_equal = (fun (x : [ `A | `B | `C ] * int) y -> x >= y);
      negative = (fun (x : [ `A | `B | `C ] * int) y -> compare x y < 0);
    }

let () =
  run "polymorphic variant" (row)
    {
      order = (fun (x : row) y -> compare x y);
      equal = (fun (x : row) y -> x = y);
      differ = (fun (x : row) y -> x <> y);
      less = (fun (x : row) y -> x < y);
      less_equal = (fun (x : row) y -> x <= y);
      greater = (fun (x : row) y -> x > y);
      greater_equal = (fun (x : row) y -> x >= y);
      negative = (fun (x : row) y -> compare x y < 0);
    }

let () =
  run "polymorphic variants in a list" (list row)
    {
      order = (fun (x : row list) y -> compare x y);
      equal = (fun (x : row list) y -> x = y);
      differ = (fun (x : row list) y -> x <> y);
      less = (fun (x : row list) y -> x < y);
      less_equal = (fun (x : row list) y -> x <= y);
      greater = (fun (x : row list) y -> x > y);
      greater_equal = (fun (x : row list) y -> x >= y);
      negative = (fun (x : row list) y -> compare x y < 0);
    }

let () =
  run "some or other" (pair any int)
    {
      order = (fun (x : any * int) y -> compare x y);
      equal = (fun (x : any * int) y -> x = y);
      differ = (fun (x : any * int) y -> x <> y);
      less = (fun (x : any * int) y -> x < y);
      less_equal = (fun (x : any * int) y -> x <= y);
      greater = (fun (x : any * int) y -> x > y);
      greater_equal = (fun (x : any * int) y -> x >= y);
      negative = (fun (x : any * int) y -> compare x y < 0);
    }

let () =
  run "equation" (pair witness int)
    {
      order = (fun (x : int witness * int) y -> compare x y);
      equal = (fun (x : int witness * int) y -> x = y);
      differ = (fun (x : int witness * int) y -> x <> y);
      less = (fun (x : int witness * int) y -> x < y);
      less_equal = (fun (x : int witness * int) y -> x <= y);
      greater = (fun (x : int witness * int) y -> x > y);
      greater_equal = (fun (x : int witness * int) y -> x >= y);
      negative = (fun (x : int witness * int) y -> compare x y < 0);
    }

let () =
  run "existential" (list packed)
    {
      order = (fun (x : packed list) y -> compare x y);
      equal = (fun (x : packed list) y -> x = y);
      differ = (fun (x : packed list) y -> x <> y);
      less = (fun (x : packed list) y -> x < y);
      less_equal = (fun (x : packed list) y -> x <= y);
      greater = (fun (x : packed list) y -> x > y);
      greater_equal = (fun (x : packed list) y -> x >= y);
      negative = (fun (x : packed list) y -> compare x y < 0);
    }

let () =
  run "lazy" (pair lazy_int int)
    {
      order = (fun (x : (int Lazy.t * int)) y -> compare x y);
      equal = (fun (x : (int Lazy.t * int)) y -> x = y);
      differ = (fun (x : (int Lazy.t * int)) y -> x <> y);
      less = (fun (x : (int Lazy.t * int)) y -> x < y);
      less_equal = (fun (x : (int Lazy.t * int)) y -> x <= y);
      greater = (fun (x : (int Lazy.t * int)) y -> x > y);
      greater_equal = (fun (x : (int Lazy.t * int)) y -> x >= y);
      negative = (fun (x : (int Lazy.t * int)) y -> compare x y < 0);
    }

let () =
  run "exceptions" (pair int exn)
    {
      order = (fun (x : (int * exn)) y -> compare x y);
      equal = (fun (x : (int * exn)) y -> x = y);
      differ = (fun (x : (int * exn)) y -> x <> y);
      less = (fun (x : (int * exn)) y -> x < y);
      less_equal = (fun (x : (int * exn)) y -> x <= y);
      greater = (fun (x : (int * exn)) y -> x > y);
      greater_equal = (fun (x : (int * exn)) y -> x >= y);
      negative = (fun (x : (int * exn)) y -> compare x y < 0);
    }

let () =
  run "objects" (pair int obj)
    {
      order = (fun (x : (int * < n : int >)) y -> compare x y);
      equal = (fun (x : (int * < n : int >)) y -> x = y);
      differ = (fun (x : (int * < n : int >)) y -> x <> y);
      less = (fun (x : (int * < n : int >)) y -> x < y);
      less_equal = (fun (x : (int * < n : int >)) y -> x <= y);
      greater = (fun (x : (int * < n : int >)) y -> x > y);
      greater_equal = (fun (x : (int * < n : int >)) y -> x >= y);
      negative = (fun (x : (int * < n : int >)) y -> compare x y < 0);
    }

let () =
  run "sets" (pair int ints)
    {
      order = (fun (x : (int * Ints.t)) y -> compare x y);
      equal = (fun (x : (int * Ints.t)) y -> x = y);
      differ = (fun (x : (int * Ints.t)) y -> x <> y);
      less = (fun (x : (int * Ints.t)) y -> x < y);
      less_equal = (fun (x : (int * Ints.t)) y -> x <= y);
      greater = (fun (x : (int * Ints.t)) y -> x > y);
      greater_equal = (fun (x : (int * Ints.t)) y -> x >= y);
      negative = (fun (x : (int * Ints.t)) y -> compare x y < 0);
    }

let () =
  run "not regular" (nested)
    {
      order = (fun (x : int nested) y -> compare x y);
      equal = (fun (x : int nested) y -> x = y);
      differ = (fun (x : int nested) y -> x <> y);
      less = (fun (x : int nested) y -> x < y);
      less_equal = (fun (x : int nested) y -> x <= y);
      greater = (fun (x : int nested) y -> x > y);
      greater_equal = (fun (x : int nested) y -> x >= y);
      negative = (fun (x : int nested) y -> compare x y < 0);
    }

let () =
  run "large" (large)
    {
      order = (fun (x : large) y -> compare x y);
      equal = (fun (x : large) y -> x = y);
      differ = (fun (x : large) y -> x <> y);
      less = (fun (x : large) y -> x < y);
      less_equal = (fun (x : large) y -> x <= y);
      greater = (fun (x : large) y -> x > y);
      greater_equal = (fun (x : large) y -> x >= y);
      negative = (fun (x : large) y -> compare x y < 0);
    }

let () =
  run "large in a list" (list large)
    {
      order = (fun (x : large list) y -> compare x y);
      equal = (fun (x : large list) y -> x = y);
      differ = (fun (x : large list) y -> x <> y);
      less = (fun (x : large list) y -> x < y);
      less_equal = (fun (x : large list) y -> x <= y);
      greater = (fun (x : large list) y -> x > y);
      greater_equal = (fun (x : large list) y -> x >= y);
      negative = (fun (x : large list) y -> compare x y < 0);
    }

let () =
  run "integers of a module" (list int64)
    {
      order = (fun (x : Int64.t list) y -> compare x y);
      equal = (fun (x : Int64.t list) y -> x = y);
      differ = (fun (x : Int64.t list) y -> x <> y);
      less = (fun (x : Int64.t list) y -> x < y);
      less_equal = (fun (x : Int64.t list) y -> x <= y);
      greater = (fun (x : Int64.t list) y -> x > y);
      greater_equal = (fun (x : Int64.t list) y -> x >= y);
      negative = (fun (x : Int64.t list) y -> compare x y < 0);
    }

let () =
  run "constrained" (constrained)
    {
      order = (fun (x : int list constrained) y -> compare x y);
      equal = (fun (x : int list constrained) y -> x = y);
      differ = (fun (x : int list constrained) y -> x <> y);
      less = (fun (x : int list constrained) y -> x < y);
      less_equal = (fun (x : int list constrained) y -> x <= y);
      greater = (fun (x : int list constrained) y -> x > y);
      greater_equal = (fun (x : int list constrained) y -> x >= y);
      negative = (fun (x : int list constrained) y -> compare x y < 0);
    }

let () =
  run "recursive rows" (chain)
    {
      order = (fun (x : chain) y -> compare x y);
      equal = (fun (x : chain) y -> x = y);
      differ = (fun (x : chain) y -> x <> y);
      less = (fun (x : chain) y -> x < y);
      less_equal = (fun (x : chain) y -> x <= y);
      greater = (fun (x : chain) y -> x > y);
      greater_equal = (fun (x : chain) y -> x >= y);
      negative = (fun (x : chain) y -> compare x y < 0);
    }

(* {1 Depth and cycles} *)

let rec left n t = if n = 0 then t else left (n - 1) (Node (t, n, Leaf))
let rec right n t = if n = 0 then t else right (n - 1) (Node (Leaf, n, t))

let () =
  let long last = List.rev (last :: List.init 1_000_000 Fun.id) in
  let a = long 1 and b = long 1 and c = long 2 in
  Printf.printf "long lists: %d %d %b %b\n" (compare (a : int list) b) (compare (a : int list) c) (a = b) (a = c);
  let a = left 300_000 Leaf and b = left 300_000 Leaf and c = left 300_000 (Node (Leaf, 1, Leaf)) in
  Printf.printf "deep on the left: %d %d %b %b\n" (compare (a : int tree) b) (compare a c) (a = b) (a = c);
  let a = right 300_000 Leaf and b = right 300_000 Leaf and c = right 300_000 (Node (Leaf, 1, Leaf)) in
  Printf.printf "deep on the right: %d %d %b %b\n" (compare (a : int tree) b) (compare a c) (a = b) (a = c)

let () =
  let rec ones = 1 :: ones in
  let rec a = Node (a, 1, Leaf) and b = Node (b, 1, Leaf) in
  let or_exception f x y = match f x y with n -> string_of_int n | exception e -> Printexc.to_string e in
  Printf.printf "cyclic: %d %s %s\n" (compare (ones : int list) ones)
    (or_exception (fun (x : int tree) y -> compare x y) a a)
    (or_exception (fun (x : int tree) y -> compare x y) a b)

(* {1 Values of other types} *)

let () =
  let dummy : int * int = Obj.magic 0 in
  let pairs = [| dummy; (0, 0); (0, 1) |] in
  Array.iter (fun x -> Array.iter (fun y -> Printf.printf "%b %d " (x = y) (compare x y)) pairs) pairs;
  let strange : shape = Obj.magic (Obj.repr (Packed (Int 1, 2))) and stranger : shape = Obj.repr (L9 (true, K0)) |> Obj.obj in
  Printf.printf "%d %d %b\n" (compare stranger strange) (compare stranger stranger) (stranger = stranger)

(* {1 Structures that are seen at a signature} *)

module By_float = Map.Make (struct type t = float * string let compare = compare end)
module Shapes = Set.Make (struct type t = shape let compare = Stdlib.compare end)

module Key : sig
  type t = string list
  val equal : t -> t -> bool
  val order : t -> t -> int
  val less : t -> t -> bool
  val is_one : int option -> bool
end = struct
  type t = string list
  let equal = ( = )
  let order = compare
  (* Also used at another type. *)
  let less = ( < )
  let is_one n = less n (Some 2) && not (less n (Some 1))
end

module Reversed = Set.Make (struct
  type t = int * int
  let compare = compare
  let compare (a : t) b = compare b a
end)

module type KEYED = sig
  type key
  type t
  val compare : key -> key -> int
  val make : key -> t
  val key : t -> key
end

module Sort (K : KEYED) = struct
  let sorted keys = List.map K.key (List.sort (fun a b -> K.compare (K.key a) (K.key b)) (List.map K.make keys))
end

module Sort_rows = Sort (struct
  type key = row
  type t = key * int
  let compare = compare
  let make k = (k, 0)
  let key = fst
end)

let () =
  let pairs = List.init 200 (fun i -> ((float (), string ()), i)) in
  let map = List.fold_left (fun map (key, i) -> By_float.add key i map) By_float.empty pairs in
  let bindings = By_float.bindings map in
  let order (a, _) (b, _) = (Sys.opaque_identity compare) a b in
  Printf.printf "map of %d, %b\n" (By_float.cardinal map) (compare bindings (List.sort order bindings) = 0);
  By_float.iter (fun (x, s) i -> Printf.printf "%h %S %d; " x s i) map;
  let shapes = Shapes.elements (Shapes.of_list (List.init 200 (fun _ -> shape ()))) in
  Printf.printf "\n%b\n" (compare shapes (List.sort_uniq (fun a b -> (Sys.opaque_identity compare) a b) shapes) = 0);
  let keys = List.init 30 (fun _ -> list string ()) in
  List.iter (fun a -> List.iter (fun b ->
    check "Key.equal" "=" ( = ) Key.equal a b;
    check "Key.order" "compare" compare Key.order a b;
    check "Key.less" "<" ( < ) Key.less a b) keys) keys;
  Printf.printf "%b %b %b\n" (Key.is_one (Some 1)) (Key.is_one None) (Key.is_one (Some 2));
  Reversed.iter (fun (x, y) -> Printf.printf "(%d, %d) " x y) (Reversed.of_list [ (1, 2); (0, 5); (1, 3) ]);
  let rows = List.init 60 (fun _ -> row ()) in
  Printf.printf "%b\n" (compare (Sort_rows.sorted rows) (List.sort (Sys.opaque_identity compare) rows) = 0)

let () = Printf.printf "%d checks, %d wrong\n" !checks !wrong
