(* flags: -w -a *)
(* Polymorphic functions at known types: those of the unit, recursive or inlined, those of the library; with values that
   tell a derived comparison from the runtime's. *)
let o = Sys.opaque_identity

let rec mem x = function [] -> false | a :: l -> compare a x = 0 || mem x l
let rec index eq_from x i = function [] -> -1 | a :: l -> if a = x then i else index eq_from x (i + 1) l
let rec insert x = function [] -> [ x ] | y :: l as all -> if x <= y then x :: all else y :: insert x l
let rec count_less x n = function [] -> n | y :: l -> count_less x (if y < x then n + 1 else n) l
let eq a b = a = b
let ne a b = a <> b
let cmp a b = (compare a b, a < b, a <= b, a > b, a >= b)
let largest x l = List.fold_left max x l
let rec last_two x y = if x = y then 1 else 1 + last_two y y
let outcome f = match f () with b -> string_of_bool b | exception Invalid_argument s -> s | exception Not_found -> "none"

type tree = Leaf | Node of tree * int * tree
type colour = Red | Green | Blue
type point = { x : float; y : float }
type _ repr = Int : int repr | Str : string repr | Pair : 'a repr * 'b repr -> ('a * 'b) repr

let all name x l show =
  Printf.printf "%s: %s\n" name (outcome (fun () -> mem x l));
  ignore show

let () =
  (* Each representation. *)
  Printf.printf "%b %b %b %b\n" (mem 3 [ 1; 2; 3 ]) (mem 'a' [ 'b' ]) (mem "ab" [ "a"; "ab" ]) (mem "ab" [ "abc" ]);
  Printf.printf "%b %b %b\n" (mem (1, "a") [ (1, "b"); (1, "a") ]) (mem [ 1; 2 ] [ [ 1 ]; [ 1; 2 ] ]) (mem Blue [ Red; Green ]);
  Printf.printf "%b %b %b\n" (mem 1L [ 2L; 1L ]) (mem (Some 3l) [ None; Some 3l ]) (mem [| 1; 2 |] [ [| 1 |]; [| 1; 2 |] ]);
  Printf.printf "%d %d %d\n" (index () 5 0 [ 4; 5 ]) (index () "x" 0 [ "y"; "x" ]) (index () (1, 2) 0 [ (1, 1) ]);
  (* Floats: compare finds NaN equal to itself, = does not; -0. is 0. *)
  Printf.printf "%b %b %b %b\n" (mem nan [ 1.; nan ]) (mem (-0.) [ 0. ]) (eq nan nan) (eq (o 0.) (o (-0.)));
  Printf.printf "%d %d\n" (index () nan 0 [ nan ]) (index () (1, nan) 0 [ (1, nan) ]);
  let p = (o 1, nan) in
  Printf.printf "%b %b %d\n" (eq p p) (mem p [ p ]) (index () p 0 [ p ]);
  Printf.printf "%b %b %b\n" (eq { x = 1.; y = 2. } { x = 1.; y = o 2. }) (ne { x = nan; y = 2. } { x = nan; y = 2. }) (mem { x = nan; y = 2. } [ { x = nan; y = 2. } ]);
  let show (c, a, b, d, e) = Printf.printf "%d %b %b %b %b\n" c a b d e in
  show (cmp nan 1.); show (cmp (o 1) 2); show (cmp "b" "a"); show (cmp (1, nan) (1, nan)); show (cmp (1, 2) (1, 3));
  show (cmp (Some 1) None); show (cmp [ 1; 2 ] [ 1 ]); show (cmp [| 2 |] [| 1; 1 |]); show (cmp Leaf (Node (Leaf, 1, Leaf)));
  show (cmp min_int max_int); show (cmp 'a' 'b'); show (cmp (o true) false);
  (* Functions in values: compare sees that a value is the same one, = does not. *)
  let f = [ (fun x -> x + 1) ] in
  let pf = (1, Fun.id) and pg = (1, fun x -> x) in
  List.iter print_endline
    [
      outcome (fun () -> mem f [ f ]); outcome (fun () -> eq f f); outcome (fun () -> eq pf pg); outcome (fun () -> eq pf (2, Fun.id));
      outcome (fun () -> mem pf [ pf ]); outcome (fun () -> index () pf 0 [ pf ] = 0); outcome (fun () -> eq (o []) (o [ Fun.id ]));
      outcome (fun () -> List.mem pf [ pf ]); outcome (fun () -> List.mem pf [ pg ]); outcome (fun () -> List.assoc pf [ (pf, true) ]);
    ];
  (* Cyclic, and deep. *)
  let rec cycle = 1 :: 2 :: cycle in
  Printf.printf "%b %b\n" (mem cycle [ [ 1 ]; cycle ]) (eq cycle [ 1; 2; 1; 3 ]);
  let deep n = let t = ref Leaf in for i = 1 to n do t := Node (!t, i, Leaf) done; !t in
  Printf.printf "%b %b %b\n" (eq (deep 200_000) (deep 200_000)) (mem (deep 100_000) [ deep 99_999; deep 100_000 ]) (ne (deep 10) (deep 11));
  (* Order. *)
  let sort l = List.fold_left (fun l x -> insert x l) [] l in
  List.iter (Printf.printf "%d ") (sort [ 3; 1; 2; -5 ]);
  List.iter (Printf.printf "%s ") (sort [ "c"; "a"; "b" ]);
  List.iter (Printf.printf "%g ") (sort [ 2.; nan; 1.; -0.; 0. ]);
  List.iter (fun (a, b) -> Printf.printf "%d%g " a b) (sort [ (2, 1.); (1, nan); (1, 0.) ]);
  Printf.printf "%d %d %s %g\n" (count_less 3 0 [ 1; 2; 3; 4 ]) (count_less (1, 2) 0 [ (1, 1); (0, 9); (1, 2) ]) (largest "" [ "b"; "a" ]) (largest nan [ 1. ]);
  Printf.printf "%d %d\n" (last_two 1 2) (last_two "a" "a")

(* One value at two types; polymorphic recursion; functions that hand on; variables that are known later. *)
let rec nested : 'a. 'a -> 'a list -> int -> int = fun x l n ->
  if n = 0 then if mem x l then 1 else 0 else (if mem x l then 1 else 0) + nested (x, n) [ (x, n); (x, n) ] (n - 1)
let hands_on k l = if mem k l then List.length l else 0
let weak = ref []
let remember x = if mem x !weak then () else weak := x :: !weak
let by_repr : type a. a repr -> a -> a list -> bool = fun r x l ->
  match r with Int -> x = 3 || mem x l | Str -> x = "s" || mem x l | Pair _ -> eq x (List.hd l) || mem x l
let () =
  let e = o [] in
  Printf.printf "%b %b %b\n" (mem e [ [ 1 ]; [] ]) (mem e [ [ "a" ] ]) (eq e [ 2. ]);
  Printf.printf "%d %d\n" (nested 1 [ 2 ] 3) (nested "a" [ "a" ] 2);
  Printf.printf "%d %d\n" (hands_on 2 [ 1; 2 ]) (hands_on (Some "a") [ Some "b" ]);
  remember (1, "a"); remember (1, "b"); remember (1, "a");
  Printf.printf "%d\n" (List.length !weak);
  Printf.printf "%b %b %b %b\n" (by_repr Int 4 [ 4 ]) (by_repr Str "t" [ "u" ]) (by_repr (Pair (Int, Str)) (1, "a") [ (1, "b"); (1, "a") ]) (by_repr Int 3 [])

(* Types that are not known: in a functor, abstract, of objects that only claim to be. *)
module Set (E : sig type t end) = struct let mem (x : E.t) l = mem x l let find (x : E.t) l = List.assoc x l end
module Abstract : sig type t val make : int -> t end = struct type t = int let make x = x end
module I = Set (Int)
module S = Set (String)
module A = Set (Abstract)
let () =
  Printf.printf "%b %b %b %d\n" (I.mem 1 [ 1 ]) (S.mem "a" [ "b" ]) (A.mem (Abstract.make 1) [ Abstract.make 1 ]) (S.find "k" [ ("k", 5) ]);
  let dummy : string = Obj.magic 0 in
  Printf.printf "%b %b %b\n" (mem dummy [ "a" ]) (mem "a" [ dummy; "a" ]) (eq (o dummy) dummy);
  let dummy : int * int = Obj.magic 0 in
  Printf.printf "%b %b\n" (mem (1, 2) [ dummy; (1, 2) ]) (List.mem dummy [ (1, 2) ])

(* Functions of the library. *)
let () =
  let words = [ ("one", 1); ("two", 2); ("three", 3) ] in
  Printf.printf "%d %b %b\n" (List.assoc "two" words) (List.mem_assoc "four" words) (List.assoc_opt "three" words = Some 3);
  Printf.printf "%d %s\n" (List.length (List.remove_assoc "one" words)) (outcome (fun () -> List.assoc "x" words = 1));
  Printf.printf "%b %b %b\n" (List.mem 2. [ 1.; 2. ]) (List.mem nan [ nan ]) (Array.mem (1, 'a') [| (1, 'b'); (1, 'a') |]);
  Printf.printf "%d %s %g\n" (max 1 (o 2)) (min "b" (o "a")) (max nan (o 1.));
  let table key =
    let t = Hashtbl.create 1 in
    for i = 0 to 200 do Hashtbl.replace t (key (i land 63)) i; if i land 7 = 0 then Hashtbl.add t (key i) (-i) done;
    Hashtbl.remove t (key 5);
    let sum = ref 0 in
    for i = 0 to 250 do
      (match Hashtbl.find_opt t (key i) with Some n -> sum := !sum + n | None -> decr sum);
      if Hashtbl.mem t (key i) then sum := !sum + Hashtbl.find t (key i);
      sum := !sum + List.length (Hashtbl.find_all t (key i))
    done;
    Printf.printf "%d %d; " (Hashtbl.length t) !sum
  in
  table Fun.id; table string_of_int; table (fun i -> (i, i + 1)); table (fun i -> (string_of_int i, i)); table float_of_int;
  table (fun i -> Some i); table (fun i -> [ i; i ]); table Int64.of_int;
  let t : (int, int) Hashtbl.t = Hashtbl.create 1 in
  for i = 0 to 100 do Hashtbl.replace t (i * i) i done;
  Printf.printf "%d %b\n" (Hashtbl.find t 81) (Hashtbl.mem t 82);
  let t : (string, int) Hashtbl.t = Hashtbl.create 1 in
  for i = 0 to 100 do Hashtbl.replace t (string_of_int i) i done;
  Printf.printf "%d %b\n" (Hashtbl.find t "81") (Hashtbl.mem t "101");
  let t : (int * float, int) Hashtbl.t = Hashtbl.create 1 in
  for i = 0 to 100 do Hashtbl.replace t (i, float i) i done;
  Hashtbl.replace t (1, nan) 5; Hashtbl.replace t (1, nan) 6; Hashtbl.replace t (1, -0.) 7; Hashtbl.replace t (1, 0.) 8;
  Printf.printf "%d %b %d %d\n" (Hashtbl.find t (81, 81.)) (Hashtbl.mem t (81, 82.)) (Hashtbl.find t (1, nan)) (Hashtbl.length t)
