(* Sorting lists and arrays of records, tuples, floats and strings by their keys, with [compare]. *)

type person = { name : string; age : int; height : float }

let person i = { name = "p" ^ string_of_int (i * 7919 mod 1000); age = 18 + (i * 31 mod 60); height = float (150 + (i * 13 mod 50)) }

let by key l = List.sort (fun a b -> compare (key a) (key b)) l
let sort_array a = let b = Array.copy a in Array.sort compare b; b
let stable a = let b = Array.copy a in Array.stable_sort compare b; b

let rec insert x = function
  | [] -> [ x ]
  | y :: _ as l when x <= y -> x :: l
  | y :: l -> y :: insert x l

let insertion_sorted l = List.fold_right insert l []

let rec quick = function
  | [] -> []
  | pivot :: l ->
      let less, more = List.partition (fun x -> x < pivot) l in
      quick less @ (pivot :: quick more)

let digest f l = List.fold_left (fun sum x -> ((sum * 31) + f x) land 0xffffff) 7 l

let run () =
  let out = Buffer.create 100 in
  let people = List.init 4000 person in
  Printf.bprintf out "age and name %d\n" (digest (fun p -> p.age) (by (fun p -> (p.age, p.name)) people));
  Printf.bprintf out "height, age %d\n" (digest (fun p -> p.age) (by (fun p -> (p.height, p.age)) people));
  Printf.bprintf out "records %d\n" (digest (fun p -> p.age) (List.sort compare people));
  let ints = Array.init 40_000 (fun i -> i * 7919 mod 40_009) in
  Printf.bprintf out "ints %d %d\n" (sort_array ints).(777) (stable ints).(778);
  let floats = Array.map (fun i -> float i /. 3.) ints in
  Printf.bprintf out "floats %.3f %.3f\n" (sort_array floats).(777) (stable floats).(778);
  let pairs = Array.map (fun i -> (i land 255, i)) ints in
  Printf.bprintf out "pairs %d %d\n" (snd (sort_array pairs).(777)) (snd (stable pairs).(778));
  let some = List.init 700 (fun i -> i * 31 mod 701) in
  Printf.bprintf out "inserted %d %d\n" (digest Fun.id (insertion_sorted some)) (digest snd (insertion_sorted (List.map (fun i -> (i land 7, i)) some)));
  Printf.bprintf out "quick %d %d\n"
    (digest Fun.id (quick (Array.to_list ints)))
    (digest snd (quick (List.map (fun p -> (p.name, p.age)) people)));
  Buffer.contents out

let () =
  for _ = 1 to 8 do ignore (Sys.opaque_identity (run ())) done;
  print_string (run ())
