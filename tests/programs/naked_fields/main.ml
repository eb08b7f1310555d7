(* Blocks of numbers and integers that never leave the unit: what the collector does, and what is shown of them. *)

type sample = { mutable x : float; mutable n : int; mutable bits : int64 }

let fresh i = { x = float i; n = i; bits = Int64.of_int (i * 77) }

let[@inline never] step s k =
  s.x <- (s.x *. 1.5) +. float k;
  s.n <- s.n + k;
  s.bits <- Int64.add (Int64.mul s.bits 31L) (Int64.of_int s.n)

let[@inline never] rec walk s k = if k > 0 then begin step s k; walk s (k - 1) end

let[@inline never] swap a b =
  let t = a.bits in
  a.bits <- b.bits;
  b.bits <- t

let[@inline never] digest s = Int64.to_int s.bits lxor s.n lxor int_of_float s.x

(* In lists and arrays that stay here. *)
let all = ref []
let[@inline never] keep s = all := s :: !all
let[@inline never] rec sum acc = function
  | [] -> acc
  | s :: rest -> sum (acc +. s.x) rest

(* Of one number alone, in closures and loops with exceptions. *)
type cell = { mutable v : float }
type count = { mutable c : int32; mutable d : nativeint; mutable on : bool }

exception Enough of int

let[@inline never] bump t limit =
  t.c <- Int32.add t.c 1l;
  t.d <- Nativeint.sub t.d 3n;
  if Int32.compare t.c limit > 0 then raise (Enough (Int32.to_int t.c));
  t.on <- not t.on

let counting limit =
  let t = { c = 0l; d = Nativeint.min_int; on = false } in
  try
    while true do bump t limit done;
    assert false
  with Enough n -> Printf.sprintf "%d %nd %b" n t.d t.on

(* Compared as a whole: the runtime looks into them. *)
type pair = { mutable p : float; mutable q : int }
let[@inline never] move r = r.p <- r.p +. 1.; r.q <- r.q - 1
let same () =
  let a = { p = 1.; q = 5 } and b = { p = 2.; q = 4 } in
  move a;
  (a = b, a == b, compare a b)

(* An alias, and identity. *)
let[@inline never] reset (s : sample) (t : sample) = if s == t then s.x <- 0. /. 0. else t.x <- -0.

(* The last value is boxed where it is shown. *)
let last = ref 0.
let[@inline never] note x = if x > !last then last := x

let () =
  let s = fresh 3 and t = fresh 4 in
  for i = 1 to 2_000 do
    walk s (i land 7);
    if i land 255 = 0 then Gc.compact ();
    swap s t;
    if i land 15 = 0 then keep (fresh i)
  done;
  Printf.printf "%h %d %Ld\n" s.x s.n s.bits;
  Printf.printf "%d %d %h\n" (digest t) (digest (fresh 9)) (sum 0. !all);
  reset s t;
  Printf.printf "%h %h\n" s.x t.x;
  reset s s;
  Printf.printf "%h\n" s.x;
  print_endline (counting 1_000l);
  let a, b, c = same () in
  Printf.printf "%b %b %d\n" a b c;
  let cells = Array.init 50 (fun i -> { v = float i }) in
  Array.iter (fun c -> c.v <- c.v *. 2.) cells;
  Array.iter (fun c -> note c.v) cells;
  Printf.printf "%h %h\n" !last (Array.fold_left (fun acc c -> acc +. c.v) 0. cells);
  let numbers = List.init 5 (fun _ -> Lib.below 1000) in
  List.iter (Printf.printf "%d ") numbers;
  Printf.printf "%Ld\n" (Lib.next ());
  for i = 1 to 1_000 do Lib.add (1. /. float i) done;
  Printf.printf "%h %b\n" (Lib.total ()) (Lib.total () = Lib.total ());
  Printf.printf "%ld %ld %nd %nd\n" (Lib.hash "flambeau") (Lib.hash "") (Lib.wide ()) (Lib.wide ());
  let g = Lib.gauge "g" in
  for i = 1 to 10 do Lib.tick g (float i /. 3.) done;
  Printf.printf "%s %h\n" (Lib.show g) !Lib.seen
