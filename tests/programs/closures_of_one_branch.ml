(* Functions that are called directly, and whose closures are also stored, passed or returned, on some ways or on all. *)

let keep = Sys.opaque_identity
let stored : (int -> int) list ref = ref []

(* In one branch. *)
let in_branch x y =
  let rec g u = if u <= 0 then x - y else g (u - 1) + y in
  if x < y then begin
    stored := g :: g :: !stored;
    g 2
  end
  else g 3 + g 4

(* In a handler of an exception, where the function is called again. *)
let in_handler x =
  let rec weigh n = if n > x then raise Exit else n + weigh (n + 2) in
  try weigh 1 with Exit -> List.fold_left ( + ) 0 ((keep List.map) (fun n -> try weigh n with Exit -> x) [ 1; 2 ])

let passed x l =
  let count n = List.length (List.filter (fun m -> m > n + x) l) in
  let a = count 1 in
  match l with
  | [] -> a
  | [ one ] -> (keep (fun f -> f one)) count
  | _ :: _ :: _ -> a + count 2

(* On each way, in a loop, in two branches. *)
let always x l =
  let rec add n = if n = 0 then x else 1 + add (n - 1) in
  let before = add 2 in
  before :: (keep List.map) add l

let in_loop x n =
  let twice m = (m * x) + n in
  let t = ref (twice 1) in
  for i = 1 to n do
    if i land 1 = 0 then stored := twice :: !stored else t := !t + twice i
  done;
  !t

let in_two x y =
  let f a b = (a * x) + (b * y) in
  match x land 3 with
  | 0 -> List.fold_left f 0 [ 1; 2; 3 ]
  | 1 -> (keep List.fold_left) f 1 [ 1; 2; 3 ]
  | 2 -> (keep (fun g -> g 4)) (f 5)
  | _ -> f (f x y) (f y x)

(* Functions of one set. *)
let group x limit =
  let rec up n = if n > limit then n else down (n + x)
  and down n = if n > limit then -n else up (n + 1) in
  if x > 2 then begin
    stored := up :: !stored;
    up 1
  end
  else down 1

(* The closure is a value of its own function. *)
let own x =
  let rec f n = if n = 0 then stored := f :: !stored; n + x in
  f 0 + f 1

let () =
  let show name n = Printf.printf "%s %d\n" name n in
  show "in_branch" (in_branch (keep 3) (keep 5));
  show "in_branch" (in_branch (keep 5) (keep 3));
  show "in_handler" (in_handler (keep 6));
  List.iter (fun l -> show "passed" (passed (keep 1) l)) [ []; [ 4 ]; [ 1; 5; 6 ] ];
  List.iter (show "always") (always (keep 7) [ 1; 2 ]);
  show "in_loop" (in_loop (keep 2) (keep 5));
  List.iter (fun x -> show "in_two" (in_two (keep x) (keep 2))) [ 0; 1; 2; 3 ];
  show "group" (group (keep 1) (keep 9));
  show "group" (group (keep 3) (keep 9));
  show "own" (own (keep 4));
  List.iter (fun f -> show "stored" (f 6)) !stored
