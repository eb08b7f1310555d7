(* Loops that carry a record and give it back whole: the one that came if nothing was added, else a new one. *)
type state = { n : int; sum : int; most : int }

let step state x = { n = state.n + 1; sum = state.sum + x; most = (if x > state.most then x else state.most) }
let rec all state = function [] -> state | x :: rest -> all (step state x) rest
let folded state items = List.fold_left step state items

(* Two ways to go on, entered with a constant. *)
let either items =
  List.fold_left
    (fun state x -> if x land 1 = 0 then { state with n = state.n + 1 } else { state with sum = state.sum + x })
    { n = 0; sum = 0; most = 0 } items

(* What is tested is in the record; it is left in the middle, too. *)
let rec up_to limit state =
  if state.n >= limit then state
  else if state.sum > 100 then state
  else up_to limit { state with n = state.n + 1; sum = state.sum + state.most }

(* Records of floats. *)
type point = { x : float; y : float }

let rec turn p n = if n = 0 then p else turn { x = p.x +. (0.5 *. p.y); y = p.y -. (0.5 *. p.x) } (n - 1)

(* The record that was left with is in what is made of it. *)
let rec pairs state kept = function
  | [] -> (state, kept)
  | x :: rest when x < 0 -> pairs state (state :: kept) rest
  | x :: rest -> pairs (step state x) kept rest

(* Two ways to go on, entered with what is not known, and one that keeps the record somewhere else, too. *)
let count state x = if x land 1 = 0 then { state with n = state.n + 1 } else { state with sum = state.sum + x }
let counted state items = List.fold_left count state items
let held = ref []

let keep state x =
  if x land 1 = 0 then { state with n = state.n + 1 }
  else
    let next = { state with sum = state.sum + x } in
    held := next :: !held;
    next

let kept_of state items = List.fold_left keep state items

(* Pairs, of floats and of integers. *)
let mean items =
  let sum, n = List.fold_left (fun (sum, n) x -> (sum +. x, n + 1)) (0., 0) items in
  sum /. float n

let bounds items =
  List.fold_left (fun (low, high) x -> ((if x < low then x else low), if x > high then x else high)) (max_int, min_int) items

(* A scanner of a string, left in two places. *)
type position = { line : int; column : int; at : int }

let rec skip s p =
  if p.at >= String.length s then p
  else
    match s.[p.at] with
    | ' ' -> skip s { p with column = p.column + 1; at = p.at + 1 }
    | '\n' -> skip s { line = p.line + 1; column = 0; at = p.at + 1 }
    | _ -> p

let show state = Printf.printf "%d %d %d\n" state.n state.sum state.most

let () =
  let start = Sys.opaque_identity { n = 1; sum = 2; most = 3 } in
  Printf.printf "%b %b %b %b\n" (all start [] == start) (folded start [] == start) (up_to 1 start == start)
    (all start [ 1 ] == start);
  show (all start [ 5; 1; 9; 4 ]);
  show (folded start [ 5; 1; 9; 4 ]);
  show (either []);
  show (either [ 1; 2; 3; 4 ]);
  Printf.printf "%b\n" (either [] == either []);
  List.iter (fun limit -> show (up_to limit start)) [ 0; 1; 2; 10; 1000 ];
  let p = Sys.opaque_identity { x = 1.; y = 0. } in
  let q = turn p 7 in
  Printf.printf "%b %b %.6f %.6f\n" (turn p 0 == p) (q == p) q.x q.y;
  let last, kept = pairs start [] [ -1; 4; -1; -1; 7; -1 ] in
  show last;
  List.iter show kept;
  (match kept with
  | [ a; b; c; d ] -> Printf.printf "%b %b %b %b\n" (a == last) (b == c) (c == d) (d == start)
  | _ -> print_endline "not four");
  (* A signal handler or a finaliser may run at each poll; the record is alive all the same. *)
  let big = all start (List.init 10_000 (fun i -> i land 255)) in
  Gc.full_major ();
  show big;
  show (counted start [ 5; 1; 9; 4 ]);
  Printf.printf "%b %b\n" (counted start [] == start) (counted start [ 2 ] == start);
  let last = kept_of start [ 5; 2; 4; 7 ] in
  show last;
  List.iter show !held;
  Printf.printf "%b %b\n" (List.hd !held == last) (kept_of last [] == last);
  Printf.printf "%.3f\n" (mean [ 1.; 2.; 4. ]);
  let low, high = bounds [ 3; -4; 10; 0 ] in
  Printf.printf "%d %d\n" low high;
  let origin = Sys.opaque_identity { line = 1; column = 0; at = 0 } in
  List.iter
    (fun s ->
      let p = skip s origin in
      Printf.printf "%d %d %d %b\n" p.line p.column p.at (p == origin))
    [ ""; "x"; "  x"; " \n  "; "\n\n y" ]
