(* Generic searches in sorted arrays: bounds, interpolation of tables, and an index with ranges. *)

(* The first index in [lo, hi) where [test] holds, which must be monotone. *)
let rec partition_point lo hi test =
  if lo >= hi then lo
  else
    let mid = lo + ((hi - lo) / 2) in
    if test mid then partition_point lo mid test else partition_point (mid + 1) hi test

let lower_bound ~compare a x = partition_point 0 (Array.length a) (fun i -> compare a.(i) x >= 0)
let upper_bound ~compare a x = partition_point 0 (Array.length a) (fun i -> compare a.(i) x > 0)

let find ~compare a x =
  let i = lower_bound ~compare a x in
  if i < Array.length a && compare a.(i) x = 0 then Some i else None

(* The same as a plain loop with polymorphic comparison. *)
let find_poly a x =
  let lo = ref 0 and hi = ref (Array.length a) in
  while !lo < !hi do
    let mid = (!lo + !hi) / 2 in
    if a.(mid) < x then lo := mid + 1 else hi := mid
  done;
  if !lo < Array.length a && a.(!lo) = x then Some !lo else None

let count ~compare a x = upper_bound ~compare a x - lower_bound ~compare a x

(* A multimap from keys to values, as two sorted arrays. *)
module Index = struct
  type ('k, 'v) t = { keys : 'k array; values : 'v array; compare : 'k -> 'k -> int }

  let make ~compare pairs =
    let sorted = Array.copy pairs in
    Array.stable_sort (fun (a, _) (b, _) -> compare a b) sorted;
    { keys = Array.map fst sorted; values = Array.map snd sorted; compare }

  let range t lo hi = (lower_bound ~compare:t.compare t.keys lo, upper_bound ~compare:t.compare t.keys hi)

  let fold_range t lo hi ~init ~f =
    let first, past = range t lo hi in
    let rec go acc i = if i >= past then acc else go (f acc t.keys.(i) t.values.(i)) (i + 1) in
    go init first
end

(* Piecewise linear interpolation of a table of samples. *)
let interpolate xs ys x =
  let n = Array.length xs in
  let i = upper_bound ~compare:Float.compare xs x in
  if i = 0 then ys.(0)
  else if i = n then ys.(n - 1)
  else
    let x0 = xs.(i - 1) and x1 = xs.(i) in
    let t = (x -. x0) /. (x1 -. x0) in
    ys.(i - 1) +. (t *. (ys.(i) -. ys.(i - 1)))

type version = { major : int; minor : int; tag : string }

let compare_version a b =
  match Int.compare a.major b.major with
  | 0 -> ( match Int.compare a.minor b.minor with 0 -> String.compare a.tag b.tag | c -> c)
  | c -> c

let version i =
  { major = i / 500; minor = i / 5 mod 100; tag = String.make 1 (Char.chr (97 + (i mod 5))) }

let noise i = ((i * 1103515245) + 12345) lsr 4 land 0xfffff
let tally = List.fold_left (fun n -> function Some _ -> n + 1 | None -> n)

let () =
  let queries = 700_000 in
  let ints = Array.init 100_000 (fun i -> i * 7 / 3) in
  let hits = ref 0 and copies = ref 0 and floats_found = ref 0 and versions_found = ref 0 in
  let floats = Array.map (fun i -> float_of_int i /. 2.) ints in
  let versions = Array.init 5_000 version in
  for q = 1 to queries do
    let x = noise q land 0x3ffff in
    hits := tally !hits [ find ~compare:Int.compare ints x; find_poly ints (x / 2) ];
    copies := !copies + count ~compare:Int.compare ints (x / 3);
    if q land 3 = 0 then
      floats_found := tally !floats_found [ find_poly floats (float_of_int x /. 4.) ];
    if q land 7 = 0 then
      versions_found := tally !versions_found [ find ~compare:compare_version versions (version (x mod 7_000)) ]
  done;
  Printf.printf "ints %d, copies %d, floats %d, versions %d\n" !hits !copies !floats_found !versions_found;
  let index = Index.make ~compare:Int.compare (Array.init 50_000 (fun i -> (noise i mod 5_000, i))) in
  let sum = ref 0 in
  for q = 1 to 30_000 do
    let lo = noise q mod 5_000 in
    sum := Index.fold_range index lo (lo + 4) ~init:!sum ~f:(fun acc k v -> (acc + (k * v)) land 0xffffffff)
  done;
  Printf.printf "ranges %d\n" !sum;
  let xs = Array.init 1_000 (fun i -> float_of_int (i * i) /. 1000.) in
  let ys = Array.map (fun x -> sin (x /. 50.)) xs in
  let total = ref 0. in
  for q = 1 to queries do
    total := !total +. interpolate xs ys (float_of_int (noise q) /. 1000.)
  done;
  Printf.printf "interpolated %.6f\n" !total
