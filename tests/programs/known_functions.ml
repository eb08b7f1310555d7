(* Functions of which all calls are known: what they capture, take and give changes its form, and nothing else does. *)

(* Copies for closures, and for what those capture. *)
let rec app f k = if k = 0 then 0 else f k + app f (k - 1)
let rec map f = function [] -> [] | x :: l -> let y = f x in y :: map f l
let rec iter_two f g = function [] -> () | x :: l -> f x; iter_two g f l

let copies i =
  let j = Sys.opaque_identity (i * 2) in
  print_int (app (fun x -> x * i) 20);
  print_int (app (fun x -> if x = j then raise Exit else x + j) 3 |> fun n -> n);
  List.iter print_int (map (fun x -> x + i + j) [ 1; 2; 3 ]);
  iter_two (fun x -> print_int (x + i)) (fun x -> print_int (x - j)) [ 4; 5; 6; 7 ];
  print_newline ()

let () = copies 10; (try copies 1 with Exit -> print_endline "exit")

(* Lambda lifting: a group, an escape, an exception through it, more captured values than come as parameters. *)
let group n k =
  let rec even i = if i = 0 then k else 1 + odd (i - 1)
  and odd i = if i = 0 then n else 2 + even (i - 1) in
  even n * odd k

let escapes n =
  let rec f i = if i = 0 then (fun x -> x + n) else g (i - 1)
  and g i = if i = 0 then f 0 else f (i - 1) in
  (f 3) 1 + (g 2) 2

let raises l =
  let seen = ref [] in
  let rec go = function
    | [] -> raise Not_found
    | x :: r -> seen := x :: !seen; (try 1 + go r with Not_found when x < 3 -> x * 10)
  in
  let n = try go l with Not_found -> -1 in
  n, !seen

let many a b c d e f g h i =
  let rec go n = if n = 0 then a + b else 1 + c + go (n - 1) + d + e + f + g + h + i in
  go 4

let () =
  Printf.printf "%d %d\n" (group 5 6) (escapes 7);
  let show (n, l) = Printf.printf "%d %s\n" n (String.concat "," (List.map string_of_int l)) in
  show (raises [ 5; 1; 4 ]); show (raises [ 9; 8 ]); show (raises []);
  Printf.printf "%d\n" (many 1 2 3 4 5 6 7 8 9)

(* Parts: tuples along a recursion, identity, floats in registers, what is not needed. *)
let tuples n =
  let rec loop inv k = let a, b = inv in if k = 0 then a else b + loop2 k inv
  and loop2 k inv = if k land 1 = 0 then loop inv (k - 1) else loop (snd inv, fst inv) (k - 1) in
  loop (n, n + 1) 7

let identity n =
  let p = n, n in
  let rec find q k = if k = 0 then q == p else not (find q (k - 1)) && fst q = n in
  find p 4, find (n, n - 1) 4

let floats n =
  let rec series x y k = if k = 0 then x /. y else (x *. 0.5) +. series (x +. 1.0) (y *. -1.0) (k - 1) in
  series (float_of_int n) 0.0 3, series (-0.0) 1.0 0

let boxed n =
  let rec go32 x k = if k = 0 then Int32.add x 1l else Int32.mul 3l (go32 (Int32.add x Int32.max_int) (k - 1)) in
  let rec go64 x k = if k = 0 then Int64.add x 1L else Int64.mul 3L (go64 (Int64.add x Int64.max_int) (k - 1)) in
  let rec gon x k = if k = 0 then Nativeint.neg x else Nativeint.logxor 3n (gon (Nativeint.add x 5n) (k - 1)) in
  go32 (Int32.of_int n) 5, go64 (Int64.of_int n) 5, gon (Nativeint.of_int n) 5

let not_needed n =
  let rec a x unused k = if k = 0 then x else b unused (x + 1) (k - 1)
  and b other x k = if k = 0 then x else a (x * 2) other (k - 1) + 0 in
  a n (print_string "evaluated "; n * 1000) 6

let () =
  Printf.printf "%d\n" (tuples 3);
  let a, b = identity 5 in Printf.printf "%b %b\n" a b;
  let a, b = floats 4 in Printf.printf "%h %h\n" a b;
  let a, b, c = boxed 7 in Printf.printf "%ld %Ld %nd\n" a b c;
  Printf.printf "%d\n" (not_needed 3)

(* Results: by each kind of return, and boxes that exist. *)
let results n =
  let kept = Sys.opaque_identity 2.5 in
  let last = ref 0.0 in
  let rec sum = function [] -> 0.0 | x :: l -> x +. sum l in
  let rec either k x = if k = 0 then x *. 2.0 else other (k - 1) x
  and other k x = if k = 0 then x +. 1.0 else if k > 90 then raise Exit else either (k - 1) (x *. 1.5) in
  let given k = if k = 0 then kept else kept +. 1.0 in
  let stored k = let r = float_of_int k *. 0.5 in last := r; r in
  let s = sum (List.init n float_of_int) +. sum [] in
  let o = (try other 99 1.0 with Exit -> -1.0) +. either n 2.0 +. other n 1.0 in
  let same = given 0 == kept in
  let t = stored n +. stored (n + 1) +. given 1 in
  Printf.printf "%h %h %b %h %h\n" s o same t !last

let rec deep k = if k = 0 then 0.0 else 1.0 +. deep (k - 1)
let rec tail k x = if k = 0 then x +. 1.0 else turn (k - 1) x
and turn k x = if k = 0 then x -. 1.0 else tail (k - 1) x

let () =
  results 5;
  Printf.printf "%h %h %h\n" (deep 10_000) (tail 10_000_000 0.5) (turn 10_000_001 0.5)
