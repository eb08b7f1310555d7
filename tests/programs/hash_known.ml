(* Hashes of values whose shape is known, against the runtime's of the same values behind a barrier. *)

let state = ref 7

let next () =
  state := (!state * 0x2545F4914F6CDD1D) + 1442695040888963407;
  !state

let int () =
  match next () land 3 with
  | 0 -> next () land 15
  | 1 -> -(next () land 0xffff)
  | 2 -> next ()
  | _ -> [| max_int; min_int; 0; -1; 1 lsl 31; 1 lsl 32; -(1 lsl 31); (1 lsl 30) - 1 |].(next () land 7)

let float () =
  match next () land 3 with
  | 0 -> float_of_int (int ())
  | 1 -> Int64.float_of_bits (Int64.of_int (next ()))
  | _ -> [| 0.; -0.; nan; -.nan; infinity; neg_infinity; 1e308; 4e-324 |].(next () land 7)

type direction = North | East | South | West
type shape = Point | Circle of float | Move of direction * int | Box of int * int * int * float

let checks = ref 0
let sum = ref 0

let check what known value =
  incr checks;
  let expected = Hashtbl.hash (Sys.opaque_identity value) in
  sum := (!sum * 31 + expected) land 0xffffff;
  if known <> expected then Printf.printf "%s: %d, not %d\n" what known expected

let check_seeded what known seed value =
  incr checks;
  let expected = Hashtbl.seeded_hash (Sys.opaque_identity seed) (Sys.opaque_identity value) in
  if known <> expected then Printf.printf "%s, seed %d: %d, not %d\n" what seed known expected

let () =
  for i = 1 to 3000 do
    let n = int () and m = int () and x = float () and seed = int () in
    let d = [| North; East; South; West |].(i land 3) in
    check "int" (Hashtbl.hash (n + 1)) (n + 1);
    check "truth" (Hashtbl.hash (n < m)) (n < m);
    check "constant constructor" (Hashtbl.hash d) d;
    check "float" (Hashtbl.hash (x *. 2.)) (x *. 2.);
    check "pair" (Hashtbl.hash (n + 1, m)) (n + 1, m);
    check "pair with a float" (Hashtbl.hash (n + 1, x *. 0.5)) (n + 1, x *. 0.5);
    check "constant parts" (Hashtbl.hash (1, 'c', n + 1)) (1, 'c', n + 1);
    check "nested" (Hashtbl.hash ((n, m), n)) ((n, m), n);
    check "with a string" (Hashtbl.hash (n, "s")) (n, "s");
    check "five" (Hashtbl.hash (n, m, n + m, m, 5)) (n, m, n + m, m, 5);
    check "eleven" (Hashtbl.hash (n, m, 1, 2, 3, 4, 5, 6, 7, 8, m + 1)) (n, m, 1, 2, 3, 4, 5, 6, 7, 8, m + 1);
    check "block of tag 1" (Hashtbl.hash (Move (North, n + 1))) (Move (North, n + 1));
    check "block of tag 2" (Hashtbl.hash (Box (n, m, 3, x +. 1.))) (Box (n, m, 3, x +. 1.));
    check "some" (Hashtbl.hash (Some (n + 1))) (Some (n + 1));
    check "reference" (Hashtbl.hash (ref (n + 1))) (ref (n + 1));
    check "list" (Hashtbl.hash [ n + 1 ]) [ n + 1 ];
    check "constant" (Hashtbl.hash 42) 42;
    check "pair of pairs" (Hashtbl.hash ((n, m), (m + 1, n))) ((n, m), (m + 1, n));
    check "three levels" (Hashtbl.hash (n, (m, (n + 1, m)), n)) (n, (m, (n + 1, m)), n);
    check "some pair" (Hashtbl.hash (Some (n, m))) (Some (n, m));
    check "int32" (Hashtbl.hash (Int32.of_int (n * m))) (Int32.of_int (n * m));
    check "int64" (Hashtbl.hash (Int64.of_int (n * m lsl 20))) (Int64.of_int (n * m lsl 20));
    check "nativeint" (Hashtbl.hash (Nativeint.of_int (-n * m lsl 20))) (Nativeint.of_int (-n * m lsl 20));
    check "boxes" (Hashtbl.hash (Int32.of_int n, (Int64.of_int m, x))) (Int32.of_int n, (Int64.of_int m, x));
    check_seeded "int" (Hashtbl.seeded_hash seed (n + 1)) seed (n + 1);
    check_seeded "pair" (Hashtbl.seeded_hash seed (n + 1, m)) seed (n + 1, m);
    check_seeded "float" (Hashtbl.seeded_hash seed (x +. 1.)) seed (x +. 1.);
    if Hashtbl.hash_param 1 100 (n + 1, m) <> Hashtbl.hash_param 1 100 (Sys.opaque_identity (n + 1, m)) then
      print_endline "hash_param"
  done;
  Printf.printf "%d checks, %d\n" !checks !sum

module Table = Hashtbl.Make (struct
  type t = int * int

  let equal (a : t) b = a = b
  let hash ((x, y) : t) = Hashtbl.hash (x, y)
end)

let () =
  let table = Table.create 16 in
  for i = 0 to 999 do
    let key = (i land 31, i land 7) in
    Table.replace table key (i + try Table.find table key with Not_found -> 0)
  done;
  Printf.printf "%d %d\n" (Table.length table) (Table.fold (fun (x, y) v acc -> (acc * 7 + x + y + v) land 0xffffff) table 0)
