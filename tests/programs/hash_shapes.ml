(* Hashes of variants with several constructors, nested tuples and boxed integers, computed by parts where their types
   are known: the numbers are the runtime's. *)

type place = Home | Away | Shop of int | Crossing of int * int | Named of string
type nested = { at : int * int; label : string; size : int64 }
type tree = Leaf | Node of tree * int * tree
type deep = Deep of (int * (string * float)) * (int * int)
type wide = A of int | B of int * int | C of int * int * int | D of int * int * int * int | E of int
type counter = { mutable count : int; by : int }
type holder = Held of counter | Free of int

let checks = ref 0

let expect what expected found =
  incr checks;
  if expected <> found then Printf.printf "%s: %d, not %d\n" what found expected

let by_runtime (value : 'a) : int = (Sys.opaque_identity Hashtbl.hash) value
let[@inline never] hash_of value = Hashtbl.hash value
let[@inline never] seeded seed value = Hashtbl.seeded_hash seed value
let[@inline never] three value = Hashtbl.hash_param 3 3 value
let[@inline never] three_of_many value = Hashtbl.hash_param 3 100 value
let[@inline never] four value = Hashtbl.hash_param 4 7 value

let ints = [ 0; 1; -1; max_int; min_int; 1 lsl 31; -(1 lsl 31); 12345678901 ]
let strings = [ ""; "a"; "abcd"; "abcde"; String.make 100 'x'; "\255\254" ]
let int32s = [ 0l; 1l; -1l; Int32.max_int; Int32.min_int; 77l ]
let int64s = [ 0L; 1L; -1L; Int64.max_int; Int64.min_int; 0x1_0000_0000L; -0x1_0000_0000L; 0xdead_beef_cafeL ]
let nativeints = [ 0n; 1n; -1n; Nativeint.max_int; Nativeint.min_int; 0x1_0000_0000n; -0x1_0000_0001n ]
let limits what few value = expect what ((Sys.opaque_identity Hashtbl.hash_param) 3 3 value) few
let all_of a b = List.concat_map (fun x -> List.map (fun y -> (x, y)) b) a

let () =
  List.iter
    (fun (n, m) ->
      let places = [ Home; Away; Shop n; Crossing (n, m) ] in
      List.iter
        (fun place ->
          expect "place" (by_runtime place) (hash_of (place : place));
          expect "seeded place" ((Sys.opaque_identity Hashtbl.seeded_hash) n place) (seeded n (place : place));
          limits "three of a place" (three (place : place)) place;
          expect "place and number" (by_runtime (place, m)) (hash_of ((place : place), m)))
        places;
      List.iter
        (fun x -> expect "wide" (by_runtime x) (hash_of (x : wide)))
        [ A n; B (n, m); C (n, m, n); D (n, m, m, n); E m ];
      expect "pair of pairs" (by_runtime ((n, m), (m, n))) (hash_of ((n, m), (m, n)));
      expect "pair in a triple" (by_runtime (n, (m, n), m)) (hash_of (n, (m, n), m));
      expect "three levels" (by_runtime (n, (m, (n, m)), m)) (hash_of (n, (m, (n, m)), m));
      limits "three of pairs" (three ((n, m), m)) ((n, m), m);
      expect "three of pairs, many values"
        ((Sys.opaque_identity Hashtbl.hash_param) 3 100 ((n, m), m))
        (three_of_many ((n, m), m));
      expect "four of two pairs" ((Sys.opaque_identity Hashtbl.hash_param) 4 7 ((n, m), (m, n))) (four ((n, m), (m, n)));
      expect "held" (by_runtime (Held { count = n; by = m })) (hash_of (Held { count = n; by = m }));
      expect "free" (by_runtime (Free n)) (hash_of (Free n));
      expect "option of a pair" (by_runtime (Some (n, m))) (hash_of (Some (n, m)));
      expect "tree" (by_runtime (Node (Leaf, n, Node (Leaf, m, Leaf)))) (hash_of (Node (Leaf, n, Node (Leaf, m, Leaf))));
      List.iter
        (fun s ->
          expect "named" (by_runtime (Named s)) (hash_of (Named s));
          let nested = { at = (n, m); label = s; size = Int64.of_int m } in
          expect "nested" (by_runtime nested) (hash_of nested);
          let deep = Deep ((n, (s, float_of_int m)), (m, n)) in
          expect "deep" (by_runtime deep) (hash_of deep))
        strings)
    (all_of ints ints);
  List.iter (fun n -> expect "int32" (by_runtime n) (hash_of (n : int32))) int32s;
  List.iter (fun n -> expect "int64" (by_runtime n) (hash_of (n : int64))) int64s;
  List.iter (fun n -> expect "nativeint" (by_runtime n) (hash_of (n : nativeint))) nativeints;
  List.iter
    (fun (n, m) -> expect "int32 and int64" (by_runtime (n, m)) (hash_of ((n : int32), (m : int64))))
    (all_of int32s int64s);
  List.iter
    (fun (n, m) -> expect "option and nativeint" (by_runtime (Some n, m)) (hash_of (Some (n : int64), (m : nativeint))))
    (all_of int64s nativeints)

let counts : (place, int) Hashtbl.t = Hashtbl.create 1
let by_number : (int64, int) Hashtbl.t = Hashtbl.create 1

let () =
  List.iter
    (fun (n, m) ->
      let bump place = Hashtbl.replace counts place (1 + Option.value ~default:0 (Hashtbl.find_opt counts place)) in
      List.iter bump [ Home; Shop n; Crossing (n, m); Named (string_of_int m) ];
      Hashtbl.replace by_number (Int64.of_int n) m)
    (all_of ints ints);
  let find table key = (Sys.opaque_identity Hashtbl.find) table key in
  List.iter
    (fun n ->
      if find counts (Shop n) <> List.length ints then print_endline "shop";
      if find by_number (Int64.of_int n) <> 12345678901 then print_endline "number")
    ints;
  Printf.printf "%d places, %d numbers, %d times home\n" (Hashtbl.length counts) (Hashtbl.length by_number)
    (Hashtbl.find counts Home)

(* What is no value of its type is hashed as ever. *)
let () =
  let no_pair : int * int = Obj.magic 7 and no_string : string = Obj.magic 5 and no_number : int64 = Obj.magic 3 in
  expect "no pair in a pair" (by_runtime (no_pair, 1)) (hash_of (no_pair, 1));
  expect "no pair in the middle" (by_runtime (1, no_pair, 2)) (hash_of (1, no_pair, 2));
  expect "no string in a pair" (by_runtime (no_string, 1)) (hash_of (no_string, 1));
  expect "no number in a pair" (by_runtime (no_number, 1)) (hash_of (no_number, 1));
  expect "no number" (by_runtime no_number) (hash_of no_number);
  let other_tag : place = Obj.magic (D (1, 2, 3, 4)) in
  expect "another type as a place" (by_runtime other_tag) (hash_of other_tag);
  Printf.printf "%d checks\n" !checks
