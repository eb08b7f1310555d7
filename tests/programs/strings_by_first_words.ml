(* Comparisons of strings look at first words first: strings of all lengths around those of words, with characters that
   look like what is behind the end, in all orders; and bytes, which change. *)
let alphabet = [ "\000"; "\001"; "\006"; "\007"; "a"; "\127"; "\128"; "\255" ]
let extended l = List.concat_map (fun s -> List.map (fun c -> s ^ c) alphabet) l
let short = [ "" ] @ alphabet @ extended alphabet

let all =
  List.concat_map (fun prefix -> List.map (fun s -> prefix ^ s) short)
    [ ""; "\000"; "abcde"; "abcdef"; "abcdefg"; "abcdefgh"; "\255\255\255\255\255\255"; "\000\000\000\000\000\000\000" ]

let slow_compare a b =
  let rec go i =
    if i = String.length a then if i = String.length b then 0 else -1
    else if i = String.length b then 1
    else if a.[i] < b.[i] then -1
    else if a.[i] > b.[i] then 1
    else go (i + 1)
  in
  go 0

let sign n = if n < 0 then -1 else if n > 0 then 1 else 0
let wrong = ref 0
let check b = if not b then incr wrong

let pair (a : string) (b : string) =
  let order = slow_compare a b in
  check (sign (compare a b) = order);
  check (sign (String.compare a b) = order);
  check ((a = b) = (order = 0));
  check (a <> b = (order <> 0));
  check (String.equal a b = (order = 0));
  check (a < b = (order < 0));
  check (a <= b = (order <= 0));
  check (a > b = (order > 0));
  check (a >= b = (order >= 0));
  check (String.equal (min a b) (if order <= 0 then a else b));
  if compare a b = 0 then check (order = 0) else check (order <> 0);
  if compare a b < 0 then check (order < 0) else check (order >= 0)

module M = Map.Make (String)
module S = Set.Make (String)

let rec position x = function [] -> -1 | y :: l -> if (y : string) = x then 0 else 1 + position x l

let changing () =
  let b = Bytes.make 5 'a' and c = Bytes.make 5 'a' in
  let equal = ref 0 and less = ref 0 in
  for i = 0 to 99 do
    Bytes.set b (i mod 5) (Char.chr (97 + (i mod 3)));
    if b = c then incr equal;
    if compare b c < 0 then incr less;
    Bytes.set c (i mod 5) (Char.chr (97 + (i mod 2)));
    if Bytes.equal b c then incr equal;
    if Bytes.compare b c < 0 then incr less
  done;
  Printf.printf "bytes: %d equal, %d less\n" !equal !less

let () =
  List.iter (fun a -> List.iter (pair a) all) all;
  Printf.printf "%d strings, %d wrong\n" (List.length all) !wrong;
  let m = List.fold_left (fun m s -> M.add s (String.length s) m) M.empty all in
  let s = S.of_list all in
  Printf.printf "%d %d %d\n" (M.cardinal m) (S.cardinal s) (M.fold (fun k v n -> (n * 31) + v + Hashtbl.hash k land 255) m 0 land 0xffffff);
  Printf.printf "%d %d\n" (position "abcdefgh\007" all) (position "abcdefgh\007x" all);
  Printf.printf "%S\n" (String.concat "," (List.filteri (fun i _ -> i mod 97 = 0) (List.sort String.compare all)));
  changing ()
