(* Hash tables of the standard library, and polymorphic functions that hash, at types whose hash is computed by parts:
   the numbers are the runtime's, and tables made by one are read by the other. *)

type point = { x : int; y : int }
type entry = { name : string; mutable uses : int }
type key = { text : string; number : int; weight : float }
type mark = Unmarked | Marked of int * string
type box = Box of float [@@unboxed]
type direction = North | East | South

let checks = ref 0
let by_runtime (value : 'a) : int = (Sys.opaque_identity Hashtbl.hash) value

let[@inline never] hash_of value = Hashtbl.hash value
let[@inline never] seeded seed value = Hashtbl.seeded_hash seed value
let[@inline never] few value = Hashtbl.hash_param 2 3 value
let[@inline never] one value = Hashtbl.hash_param 1 100 value
let[@inline never] none value = Hashtbl.hash_param 0 100 value

let expect what expected found =
  incr checks;
  if expected <> found then Printf.printf "%s: %d, not %d\n" what found expected

let rec memoised table f n =
  match Hashtbl.find_opt table n with
  | Some value -> value
  | None ->
      let value = f (memoised table f) n in
      Hashtbl.replace table n value;
      value

(* All operations; the other side goes through functions that nobody knows. *)
let exercise what table keys =
  let other = (Sys.opaque_identity Hashtbl.create) 1 in
  List.iteri
    (fun i key ->
      Hashtbl.replace table key i;
      (Sys.opaque_identity Hashtbl.replace) other key i)
    keys;
  List.iter
    (fun key ->
      incr checks;
      if Hashtbl.find_opt table key <> (Sys.opaque_identity Hashtbl.find_opt) other key then
        Printf.printf "%s: find_opt\n" what;
      if Hashtbl.mem table key <> (Sys.opaque_identity Hashtbl.mem) table key then Printf.printf "%s: mem\n" what;
      Hashtbl.add table key (-1);
      if List.length (Hashtbl.find_all table key) < 1 then Printf.printf "%s: find_all\n" what;
      Hashtbl.remove table key)
    keys;
  Printf.printf "%s: %d of %d\n" what (Hashtbl.length table) (Hashtbl.length other)

let strings = [ ""; "a"; "ab"; "abc"; "abcd"; "abcde"; String.make 100 'x'; "\000"; "\255\254" ]
let ints = [ 0; 1; -1; max_int; min_int; 1 lsl 31; -(1 lsl 31); 12345678901 ]
let floats = [ 0.; -0.; nan; -.nan; infinity; neg_infinity; 1.5; 4e-324; 1e308 ]

let pairs_of a b = List.concat_map (fun x -> List.map (fun y -> (x, y)) b) a

let () =
  List.iter
    (fun n ->
      expect "int" (by_runtime n) (hash_of (n : int));
      expect "few int" ((Sys.opaque_identity Hashtbl.hash_param) 2 3 n) (few n);
      expect "none int" ((Sys.opaque_identity Hashtbl.hash_param) 0 100 n) (none n);
      expect "seeded int" ((Sys.opaque_identity Hashtbl.seeded_hash) n n) (seeded n n))
    ints;
  List.iter
    (fun s ->
      expect "string" (by_runtime s) (hash_of (s : string));
      expect "bytes" (by_runtime (Bytes.of_string s)) (hash_of (Bytes.of_string s));
      expect "one string" ((Sys.opaque_identity Hashtbl.hash_param) 1 100 s) (one s);
      expect "none string" ((Sys.opaque_identity Hashtbl.hash_param) 0 100 s) (none s);
      expect "entry" (by_runtime { name = s; uses = 3 }) (hash_of { name = s; uses = 3 });
      expect "marked" (by_runtime (Marked (3, s))) (hash_of (Marked (3, s))))
    strings;
  expect "unmarked" (by_runtime Unmarked) (hash_of Unmarked);
  List.iter
    (fun x ->
      expect "float" (by_runtime x) (hash_of (x : float));
      expect "box" (by_runtime (Box x)) (hash_of (Box x));
      expect "floats" (by_runtime (x, x)) (hash_of (x, x)))
    floats;
  List.iter
    (fun (s, n) ->
      expect "pair" (by_runtime (s, n)) (hash_of ((s : string), (n : int)));
      expect "few pair" ((Sys.opaque_identity Hashtbl.hash_param) 2 3 (s, n)) (few (s, n));
      expect "one of a pair" ((Sys.opaque_identity Hashtbl.hash_param) 1 100 (s, n)) (one (s, n));
      expect "seeded pair" ((Sys.opaque_identity Hashtbl.seeded_hash) 77 (n, s)) (seeded 77 (n, s));
      expect "point" (by_runtime { x = n; y = -n }) (hash_of { x = n; y = -n });
      List.iter
        (fun weight ->
          let key = { text = s; number = n; weight } in
          expect "key" (by_runtime key) (hash_of key);
          expect "triple" (by_runtime (weight, s, n)) (hash_of (weight, s, n)))
        floats;
      expect "nested" (by_runtime ((n, s), n)) (hash_of ((n, s), n));
      expect "option" (by_runtime (Some s)) (hash_of (Some s));
      expect "eleven"
        (by_runtime (n, s, n, s, n, s, n, s, n, s, n))
        (hash_of (n, s, n, s, n, s, n, s, n, s, n));
      expect "ten" (by_runtime (n, s, n, s, n, s, n, s, n, s)) (hash_of (n, s, n, s, n, s, n, s, n, s)))
    (pairs_of strings ints);
  List.iter (fun d -> expect "direction" (by_runtime d) (hash_of d)) [ North; East; South ]

let () =
  exercise "ints" (Hashtbl.create 1) ints;
  exercise "strings" (Hashtbl.create 1) strings;
  exercise "floats" (Hashtbl.create 1) floats;
  exercise "pairs" (Hashtbl.create 1) (pairs_of ints ints);
  exercise "words" (Hashtbl.create 1) (pairs_of strings ints);
  exercise "seeded" (Hashtbl.create ~random:false 7) (pairs_of ints strings);
  exercise "points" (Hashtbl.create 1) (List.map (fun (x, y) -> { x; y }) (pairs_of ints ints));
  exercise "marks" (Hashtbl.create 1) (Unmarked :: List.map (fun (s, n) -> Marked (n, s)) (pairs_of strings ints));
  exercise "options" (Hashtbl.create 1) (None :: List.map Option.some strings);
  exercise "directions" (Hashtbl.create 1) [ North; East; South ];
  exercise "lists" (Hashtbl.create 1) [ []; [ 1 ]; [ 1; 2 ] ]

(* What is no value of its type is hashed and compared as ever. *)
let () =
  let dummy : int * int = Obj.magic 0 and no_string : string = Obj.magic 5 in
  expect "no pair" (by_runtime dummy) (hash_of dummy);
  expect "no string" (by_runtime no_string) (hash_of no_string);
  let table : (int * int, string) Hashtbl.t = Hashtbl.create 3 in
  Hashtbl.replace table dummy "dummy";
  Hashtbl.replace table (1, 2) "pair";
  print_endline (Hashtbl.find table dummy);
  print_endline (Hashtbl.find table (1, 2));
  let strings : (string, int) Hashtbl.t = Hashtbl.create 3 in
  Hashtbl.replace strings no_string 1;
  Hashtbl.replace strings "s" 2;
  Printf.printf "%d %d\n" (Hashtbl.find strings no_string) (Hashtbl.find strings "s")

module Pairs = Hashtbl.Make (struct
  type t = int * string

  let equal = ( = )
  let hash = Hashtbl.hash
end)

let () =
  let table = Pairs.create 1 in
  List.iter (fun (s, n) -> Pairs.replace table (n, s) (n + String.length s)) (pairs_of strings ints);
  let sum = List.fold_left (fun sum (s, n) -> sum lxor Pairs.find table (n, s)) 0 (pairs_of strings ints) in
  Printf.printf "%d %d\n" (Pairs.length table) sum;
  let table = Hashtbl.create 16 in
  let paths self (i, j) = if i = 0 || j = 0 then 1 else (self (i - 1, j) + self (i, j - 1)) mod 1_000_003 in
  Printf.printf "%d\n" (memoised table paths (40, 40));
  Printf.printf "%d\n" (memoised (Hashtbl.create 16) (fun self s -> if s = "" then 0 else 1 + self (String.sub s 1 (String.length s - 1))) "hello")

let () = Printf.printf "%d checks\n" !checks
