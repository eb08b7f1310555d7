(* Exceptions with values that are raised and caught in one function (features D13): the identity is decided where the
   exception is raised, what it holds goes to the arm that takes it, and everything else is raised further. *)

exception Index of int
exception Pair of int * float
exception Record of { a : int; mutable b : string }
exception Done
exception Same = Index

let opaque = Sys.opaque_identity
let log fmt = Printf.printf (fmt ^^ "\n%!")

let[@inline never] payload n =
  let s = ref 0 in
  for i = 1 to n do
    try if i > 2 then raise_notrace (Index i) else if i = 2 then raise_notrace Done with Index k -> s := !s + k | Done -> s := !s + 100
  done;
  !s

let[@inline never] through_alias n = try if n > 0 then raise_notrace (Same n) else 0 with Index k -> k + 1
let[@inline never] other n = try (try if n > 0 then raise_notrace (Pair (n, 1.5)) else 0 with Index k -> k) with Pair (k, f) -> k + int_of_float (f *. 4.)

let[@inline never] float_payload n =
  let s = ref 0. in
  for i = 1 to n do
    match if i land 1 = 0 then raise_notrace (Pair (i, float i)) else if i land 3 = 1 then raise_notrace (Pair (0, 1.)) else 0.5 with
    | x -> s := !s +. x
    | exception Pair (k, x) -> s := !s +. x +. float k
  done;
  !s

(* The exception itself is kept, too. *)
let kept = ref Done

let[@inline never] named n =
  try if n > 0 then raise_notrace (Index n) else raise_notrace Not_found with
  | Index k as e -> kept := e; k
  | Not_found -> -1

let[@inline never] mutable_record n =
  match if n > 0 then raise_notrace (Record { a = n; b = "x" }) else "none" with
  | s -> s
  | exception Record r -> r.b <- r.b ^ string_of_int r.a; r.b

(* Local exceptions: each call has its own. *)
let[@inline never] local f n =
  let exception Stop of int * int in
  try
    for k = 0 to 3 do
      if k = n land 3 then raise_notrace (Stop (k, n));
      f (fun () -> raise_notrace (Stop (-k, n)))
    done;
    "none"
  with Stop (k, i) -> Printf.sprintf "stop %d %d" k i

let[@inline never] local_alone n =
  let exception Stop of int * int in
  let exception Other of int in
  try
    for k = 0 to 3 do
      if k = n land 3 then raise_notrace (Stop (k, n));
      if k * 3 = n then raise_notrace (Other k)
    done;
    0
  with Stop (k, i) -> k + i | Other k -> 1000 + k

let[@inline never] rec_local n =
  let rec go depth outer =
    let exception Stop of int in
    let raise_here () = raise_notrace (Stop depth) in
    if depth = 0 then (try outer () with Stop d -> -d)
    else try go (depth - 1) raise_here with Stop d -> d * 10
  in
  go n (fun () -> 0)

(* A handler that sees what is raised by others, with the same tests. *)
let[@inline never] either f n =
  try if n land 1 = 0 then raise_notrace (Index n) else f n with
  | Index k when k > 10 -> k
  | Index k -> k * 100
  | Pair (a, b) -> a + int_of_float b
  | Done -> 7
  | Failure s -> String.length s
  | Not_found -> 8

let[@inline never] nested n =
  try
    try if n = 0 then raise_notrace Done else if n = 1 then raise_notrace (Index 5) else raise_notrace (Failure "three")
    with Index k -> raise_notrace (Pair (k, 2.))
  with
  | Pair (k, f) -> k + int_of_float f
  | Done -> -1
  | Failure s -> String.length s

let[@inline never] finally n =
  let trail = ref [] in
  let r =
    try
      (try if n > 1 then raise_notrace (Index n) else n with e -> trail := "inner" :: !trail; raise_notrace e)
    with Index k -> trail := "outer" :: !trail; k
  in
  (r, String.concat "," !trail)

let[@inline never] state n =
  let x = ref 0 in
  (try
     for i = 0 to n do
       x := i;
       if i * i > n then raise_notrace (Index i)
     done
   with Index k -> x := (!x * 1000) + k);
  !x

let () =
  log "%d %d %d %d %d" (payload 6) (through_alias 3) (through_alias 0) (other 4) (other 0);
  log "%g" (float_payload 9);
  log "%d %d %b" (named 5) (named 0) (!kept = Index 5);
  log "%s %s" (mutable_record 3) (mutable_record 0);
  log "%s %s" (local ignore 2) (local (fun raise -> if opaque true then raise ()) 2);
  log "%s" (try local (fun _ -> ignore (local (fun r -> r ()) 3)) 3 with _ -> "other");
  List.iter (fun n -> log "%d" (local_alone n)) [ 0; 1; 2; 3; 6 ];
  log "%d" (try rec_local 3 with _ -> 77);
  List.iter
    (fun (f, n) -> log "%d" (try either f n with Exit -> 99))
    [ ((fun n -> n), 3); ((fun n -> raise (Index n)), 13); ((fun n -> raise (Index n)), 3); ((fun _ -> raise Exit), 1);
      ((fun n -> raise (Pair (n, 2.))), 5); ((fun _ -> failwith "four"), 5); ((fun _ -> raise Not_found), 5);
      ((fun _ -> raise Done), 5); ((fun n -> n), 2); ((fun n -> n), 12) ];
  log "%d %d %d" (nested 0) (nested 1) (nested 2);
  let a, b = finally 5 and c, d = finally 1 in
  log "%d %s %d %s" a b c d;
  log "%d %d" (state 10) (state 0)
