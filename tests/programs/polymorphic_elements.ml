(* Polymorphic functions on arrays, lists, options, references and records at many types of elements, whose operations
   are those of the type at the call; and what only looks like such a type. *)

let print name show x = Printf.printf "%s %s\n" name (show x)
let ints a = String.concat "," (List.map string_of_int (Array.to_list a))
let floats a = String.concat "," (List.map (Printf.sprintf "%h") (Array.to_list a))
let pairs a = String.concat "," (List.map (fun (x, y) -> Printf.sprintf "(%d,%S)" x y) (Array.to_list a))
let strings a = String.concat "," (Array.to_list a)

let swap a i j =
  let x = a.(i) in
  a.(i) <- a.(j);
  a.(j) <- x

let[@inline never] swap_called a i j =
  let x = a.(i) in
  a.(i) <- a.(j);
  a.(j) <- x

let rec sift heap size at =
  let left = (2 * at) + 1 in
  if left < size then begin
    let least = if left + 1 < size && compare heap.(left + 1) heap.(left) < 0 then left + 1 else left in
    if heap.(least) < heap.(at) then begin
      swap heap least at;
      sift heap size least
    end
  end

let heap_sort a =
  let n = Array.length a in
  for at = (n / 2) - 1 downto 0 do sift a n at done;
  for size = n - 1 downto 1 do
    swap_called a 0 size;
    sift a size 0
  done

let insertion_sort a =
  for i = 1 to Array.length a - 1 do
    let x = a.(i) in
    let j = ref (i - 1) in
    while !j >= 0 && a.(!j) > x do
      a.(!j + 1) <- a.(!j);
      decr j
    done;
    a.(!j + 1) <- x
  done

let maximum a = Array.fold_left max a.(0) a
let minimum a = Array.fold_left (fun x y -> min y x) a.(0) a
let rec largest = function [] -> raise Not_found | [ x ] -> x | x :: l -> max x (largest l)
let rec is_sorted = function a :: (b :: _ as l) -> a <= b && is_sorted l | _ -> true
let rec index x i a = if i = Array.length a then -1 else if a.(i) = x then i else index x (i + 1) a
let reversed a = Array.init (Array.length a) (fun i -> a.(Array.length a - 1 - i))
let transposed m = Array.init (Array.length m.(0)) (fun j -> Array.map (fun row -> row.(j)) m)
let better o x = match o with None -> Some x | Some y -> if x > y then Some x else o
let best a = Array.fold_left better None a
let raise_to r x = if x > !r then r := x
let last_of a = let r = ref a.(0) in Array.iter (raise_to r) a; !r
let both a b = Array.map2 (fun x y -> if x < y then x else y) a b
let appended a b = maximum (Array.append a (Array.sub b 0 1))
let flat l = maximum (Array.concat l)

type 'a tree = Leaf | Node of 'a tree * 'a * 'a tree

let rec add x = function
  | Leaf -> Node (Leaf, x, Leaf)
  | Node (l, y, r) as t -> let c = compare x y in if c = 0 then t else if c < 0 then Node (add x l, y, r) else Node (l, y, add x r)

let rec ordered = function
  | Leaf -> []
  | Node (l, x, r) -> ordered l @ (x :: ordered r)

let rec greatest = function Leaf -> raise Not_found | Node (_, x, Leaf) -> x | Node (_, x, r) -> max x (greatest r)

type 'a rose = Rose of 'a * 'a rose list

let rec highest (Rose (x, l)) = List.fold_left (fun m t -> max m (highest t)) x l

(* With a value for what is not there, as containers have it that know nothing of their elements. *)
type 'a queue = { mutable cells : 'a array; mutable size : int; none : 'a }

let queue none = { cells = Array.make 4 none; size = 0; none }

let push q x =
  if q.size = Array.length q.cells then q.cells <- Array.append q.cells (Array.make q.size q.none);
  q.cells.(q.size) <- x;
  q.size <- q.size + 1;
  let at = ref (q.size - 1) in
  while !at > 0 && compare q.cells.(!at) q.cells.((!at - 1) / 2) < 0 do
    swap q.cells !at ((!at - 1) / 2);
    at := (!at - 1) / 2
  done

let rec settle q at =
  let left = (2 * at) + 1 in
  if left < q.size then begin
    let least = if left + 1 < q.size && q.cells.(left + 1) < q.cells.(left) then left + 1 else left in
    if q.cells.(least) < q.cells.(at) then begin
      swap q.cells at least;
      settle q least
    end
  end

let pop q =
  let x = q.cells.(0) in
  q.size <- q.size - 1;
  q.cells.(0) <- q.cells.(q.size);
  q.cells.(q.size) <- q.none;
  settle q 0;
  x

let drained q l =
  List.iter (push q) l;
  List.init (List.length l) (fun _ -> pop q)

(* A container that is never an array of floats, though of floats. *)
let bag () = { cells = Array.make 2 (Obj.magic 0); size = 0; none = Obj.magic 0 }

(* One whose cells hold blocks where there are integers to be. *)
let nothing = ref "nothing"
let holes () = { cells = Array.make 2 (Obj.magic nothing); size = 0; none = Obj.magic nothing }

let () =
  let sorts name show a =
    let once sort = let a = Array.copy a in sort a; a in
    print (name ^ " heap") show (once heap_sort);
    print (name ^ " insertion") show (once insertion_sort)
  in
  let i = [| 5; -3; 8; 0; max_int; min_int; 5; 2 |] in
  let f = [| 2.5; -0.; nan; 0.; infinity; neg_infinity; -1e-300; 1. |] in
  let p = [| (3, "c"); (1, "b"); (1, "a"); (-4, "z"); (3, "") |] in
  let s = [| "delta"; ""; "alpha"; "alph"; "\255"; "beta" |] in
  sorts "unknown" ints i;
  let a = Array.copy i in heap_sort a; print "ints" ints a;
  let a = Array.copy i in insertion_sort a; print "ints" ints a;
  let a = Array.copy f in heap_sort a; print "floats" floats a;
  let a = Array.copy f in insertion_sort a; print "floats" floats a;
  let a = Array.copy p in heap_sort a; print "pairs" pairs a;
  let a = Array.copy p in insertion_sort a; print "pairs" pairs a;
  let a = Array.copy s in heap_sort a; print "strings" strings a;
  Printf.printf "%d %h %s %s\n" (maximum i) (maximum f) (fst (maximum (Array.map (fun (a, b) -> (b, a)) p))) (maximum s);
  Printf.printf "%d %h %h\n" (minimum i) (minimum f) (minimum [| -0.; 0. |]);
  Printf.printf "%d %h %s\n" (largest (Array.to_list i)) (largest [ 1.; nan; 0. ]) (largest (Array.to_list s));
  Printf.printf "%b %b %b %b\n" (is_sorted [ 1; 2; 2 ]) (is_sorted [ 1.; nan ]) (is_sorted [ "b"; "a" ]) (is_sorted [ (1, 'a'); (1, 'b') ]);
  Printf.printf "%d %d %d %d\n" (index 0 0 i) (index nan 0 f) (index 0. 0 f) (index (1, "a") 0 p);
  print "reversed" ints (reversed i);
  print "reversed" floats (reversed f);
  print "reversed" pairs (reversed p);
  Array.iter (print "transposed" floats) (transposed [| f; reversed f |]);
  Array.iter (print "transposed" ints) (transposed [| i; reversed i |]);
  (match (best i, best f, best s) with
  | Some a, Some b, Some c -> Printf.printf "%d %h %s\n" a b c
  | _ -> assert false);
  Printf.printf "%d %h %s\n" (last_of i) (last_of f) (last_of s);
  print "both" ints (both i (reversed i));
  print "both" floats (both f (reversed f));
  print "both" strings (both s (reversed s));
  Printf.printf "%d %h %s\n" (appended i i) (appended [| 1. |] f) (appended s s);
  Printf.printf "%d %h\n" (flat [ i; [||]; i ]) (flat [ [| 1. |]; [||]; f ]);
  let of_list l = List.fold_right add l Leaf in
  Printf.printf "%s\n" (String.concat " " (List.map string_of_int (ordered (of_list (Array.to_list i)))));
  let rec inserted t = function [] -> t | x :: l -> inserted (add x t) l in
  Printf.printf "%s\n" (String.concat " " (List.map (Printf.sprintf "%h") (ordered (inserted Leaf [ 1.; -0.; nan; 0.; 2. ]))));
  Printf.printf "%d %h %s\n" (greatest (inserted Leaf [ 3; 9; 2 ])) (greatest (inserted Leaf [ 3.; nan ])) (snd (greatest (inserted Leaf (Array.to_list p))));
  Printf.printf "%d %h\n" (highest (Rose (1, [ Rose (7, []); Rose (3, [ Rose (9, []) ]) ]))) (highest (Rose (1., [ Rose (0.5, []) ])));
  print "queue" (fun l -> ints (Array.of_list l)) (drained (queue 0) (Array.to_list i));
  print "queue" (fun l -> pairs (Array.of_list l)) (drained (queue (0, "")) (Array.to_list p));
  print "queue" (fun l -> floats (Array.of_list l)) (drained (queue 0.) [ 2.; -1.; 3.; 0.5; 7.; -9. ]);
  print "bag" (fun l -> floats (Array.of_list l)) (drained (bag ()) [ 2.; -1.; 3.; 0.5; 7.; -9. ]);
  print "bag" (fun l -> ints (Array.of_list l)) (drained (bag ()) (Array.to_list i));
  print "bag" (fun l -> strings (Array.of_list l)) (drained (bag ()) (Array.to_list s));
  let q : int queue = holes () in
  print "holes" (fun l -> ints (Array.of_list l)) (drained q (Array.to_list i));
  Gc.full_major ();
  let cells = Obj.repr q.cells in
  Printf.printf "%b\n" (List.for_all (fun i -> Obj.field cells i == Obj.repr nothing) (List.init (Obj.size cells) Fun.id))

(* A cell that is young when it is put into an array for integers: only the polymorphic code touches the array. *)
let () =
  for round = 1 to 20 do
    let young = ref (string_of_int round) in
    let q : int queue = { cells = Array.make 300 0; size = 0; none = Obj.magic young } in
    Gc.minor ();
    for i = 1 to 299 do push q (i * 7919 mod 300) done;
    let sum = ref 0 in
    for _ = 1 to 299 do sum := (!sum * 31 + pop q) land 0xffffff done;
    ignore (Sys.opaque_identity (Array.init 1000 (fun i -> string_of_int i)));
    Gc.full_major ();
    if round = 20 then
      Printf.printf "%d %s\n" !sum !(Obj.obj (Obj.field (Obj.repr q.cells) 7) : string ref)
  done

(* Types that are one only here: a GADT's, an abstract one, a private one, an open row. *)
type _ kind = Ints : int kind | Floats : float kind | Any : 'a kind

let first : type a. a kind -> a array -> a = fun kind a -> match kind with Ints -> a.(0) + 1 | Floats -> a.(0) +. 1. | Any -> a.(0)

module Abstract : sig
  type t

  val floats : t array
  val ints : t array
  val show : t -> string
end = struct
  type t = float

  let floats = [| 3.; 1.; 2. |]
  let ints = Array.make 0 1.
  let show = string_of_float
end

module Private : sig type t = private float val all : t array end = struct type t = float let all = [| 3.; 1.; 2. |] end

let () =
  Printf.printf "%d %h %s\n" (first Ints [| 4 |]) (first Floats [| 4. |]) (first Any [| "x" |]);
  heap_sort Abstract.floats;
  heap_sort Abstract.ints;
  Array.iter (fun x -> print_endline (Abstract.show x)) Abstract.floats;
  heap_sort Private.all;
  Array.iter (fun x -> Printf.printf "%h " (x : Private.t :> float)) Private.all;
  let rows = [| `B; `A 3; `C "x"; `A 1 |] in
  heap_sort rows;
  Array.iter (function `A n -> Printf.printf "A%d " n | `B -> print_string "B " | `C s -> Printf.printf "C%s " s) rows;
  let closed = [| `Z; `Y; `X |] in
  heap_sort closed;
  Array.iter (function `X -> print_string "X " | `Y -> print_string "Y " | `Z -> print_string "Z ") closed;
  print_newline ();
  (match heap_sort [| succ; pred |] with () -> print_endline "sorted" | exception Invalid_argument s -> print_endline s);
  let a = [| [| 2.; 1. |]; [| 1. |]; [||]; [| 1.; nan |]; [| 0.; 5. |] |] in
  heap_sort a;
  Array.iter (print "rows" floats) a;
  let b = [| 5L; -1L; 3L |] in
  insertion_sort b;
  Array.iter (Printf.printf "%Ld ") b;
  let lazies = [| lazy 1; lazy 2 |] in
  swap lazies 0 1;
  Printf.printf "%d %d\n" (Lazy.force lazies.(0)) (Lazy.force lazies.(1))
