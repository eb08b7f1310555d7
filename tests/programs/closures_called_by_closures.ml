(* Functions that are only called, some by closures which are stored, passed or returned: these capture what the functions
   need. *)

let keep = Sys.opaque_identity

(* A local recursion that a returned closure calls, and what the binder calls itself. *)
let power_of x y =
  let rec loop i acc = if i = 0 then acc else loop (i - 1) ((acc * x) + y) in
  let first = loop 3 4 in
  (first, fun n -> loop n 0)

(* Values that the closure has captured already. *)
let shared a b =
  let rec sum l acc = match l with [] -> (acc * a) + b | x :: l -> sum l (acc + (x * b)) in
  ((fun l -> (a, sum l 0)), fun l -> (b, sum l 1))

(* Closures of closures of closures. *)
let deep x y =
  let rec go n acc = if n = 0 then x :: acc else go (n - 1) (y :: acc) in
  fun n -> keep (fun m -> keep (fun k -> go (n + m + k) []))

(* A recursion that makes the closures which call it. *)
type tree = Node of int * tree list

let walk wanted tree =
  let found = ref 0 in
  let rec go depth (Node (x, sons)) =
    if x = wanted then found := !found + depth;
    (keep List.iter) (fun son -> go (depth + 1) son) sons
  in
  go 1 tree;
  !found

(* Functions that call each other; one is called by a closure. *)
let parity step limit =
  let rec even n = if n >= limit then true else odd (n + step) and odd n = if n >= limit then false else even (n + step) in
  (keep List.map) (fun n -> (even n, odd n)) [ 0; 1; 2; 3 ]

(* Each iteration has closures of its own, that are called after it. *)
let later n =
  let all = ref [] in
  for i = 1 to n do
    let rec count j acc = if j = 0 then acc + i else count (j - 1) (acc * i) in
    all := (fun j -> count j 1) :: (fun j -> count (j + 1) n) :: !all
  done;
  List.map (fun f -> f 2) !all

(* The same activation of the outer function, seen from another one. *)
let rec activations n others =
  let rec own k = if k = 0 then n else own (k - 1) in
  let f () = own 3 in
  if n = 0 then List.map (fun g -> g ()) (f :: others) else activations (n - 1) (f :: others)

(* Exceptions and states. *)
let machine start =
  let state = ref start in
  let rec run = function
    | [] -> !state
    | `Add n :: rest -> state := !state + n; run rest
    | `Fail :: _ -> raise (Failure (string_of_int !state))
    | `Call f :: rest -> f (); run rest
  in
  let guarded l = try run l with Failure s -> int_of_string s * 2 in
  ((fun l -> guarded l), fun l -> run (`Call (fun () -> state := guarded l) :: l))

module Make (X : sig val base : int end) = struct
  let table n =
    let rec fill i acc = if i = n then acc else fill (i + 1) ((i * X.base) :: acc) in
    keep (fun start -> fill start [])
end

module M = Make (struct let base = keep 7 end)

let print_list l = print_endline (String.concat " " (List.map string_of_int l))

let () =
  let first, f = power_of (keep 3) (keep 4) in
  Printf.printf "%d %d\n" first (f 5);
  let f, g = shared (keep 2) (keep 3) in
  let (a, b), (c, d) = (f [ 1; 2 ], g [ 3 ]) in
  Printf.printf "%d %d %d %d\n" a b c d;
  print_list (deep 1 2 1 1 1);
  Printf.printf "%d\n" (walk 3 (Node (1, [ Node (3, [ Node (3, []); Node (2, []) ]); Node (3, []) ])));
  List.iter (fun (a, b) -> Printf.printf "%b %b\n" a b) (parity (keep 2) (keep 9));
  print_list (later 4);
  print_list (activations 3 []);
  let f, g = machine (keep 10) in
  let a = f [ `Add 1; `Fail ] in
  let b = g [ `Add 5 ] in
  let c = f [ `Call (fun () -> ignore (f [ `Add 1 ])); `Add 2 ] in
  Printf.printf "%d %d %d\n" a b c;
  print_list (M.table 5 (keep 1))
