(* Loops that are entered with boxed numbers of which only the type says that they are some: from arrays, records, lists,
   calls. Nobody needs the box, or somebody does; and what is no number at all where it is never read. *)

let a32 = Array.init 8 (fun i -> Int32.of_int ((i * 77) + 1))
let a64 = Array.init 8 (fun i -> Int64.of_int ((i * 7777) + 1))
let native = Array.init 8 (fun i -> Nativeint.of_int ((i * 99) + 5))
let floats = List.init 8 (fun i -> float_of_int i +. 0.25)

(* As in hash functions: eight numbers of which two are new in each iteration. *)
let rounds state schedule =
  let rec go i a b c d e f g h =
    if i = Array.length schedule then begin
      let add k x = state.(k) <- Int32.add state.(k) x in
      add 0 a; add 1 b; add 2 c; add 3 d; add 4 e; add 5 f; add 6 g; add 7 h
    end
    else
      let t1 = Int32.add h (Int32.logxor e (Int32.logand f g)) and t2 = Int32.add schedule.(i) (Int32.logor a b) in
      go (i + 1) (Int32.add t1 t2) a b c (Int32.add d t1) e f g
  in
  go 0 state.(0) state.(1) state.(2) state.(3) state.(4) state.(5) state.(6) state.(7)

let horner x = 
  let rec go (acc : float) = function [] -> int_of_float acc | y :: l -> go ((acc *. x) +. y) l in
  match floats with [] -> 0 | y :: l -> go y l

let mixed n =
  let rec go i (x : int64) (y : nativeint) =
    if i = 0 then Int64.to_int x lxor Nativeint.to_int y
    else if i land 1 = 0 then go (i - 1) (Int64.add x a64.(i land 7)) y
    else go (i - 1) a64.(i land 7) (Nativeint.mul y native.(i land 7))
  in
  go n a64.(1) native.(2)

(* The box comes back if there is no iteration, and where it is compared with itself. *)
let returned n =
  let first = a64.(3) in
  let rec go i (x : int64) = if i = 0 then x else go (i - 1) (Int64.succ x) in
  let last = go n first in
  Printf.printf "%b %Ld\n" (last == first) last

let seen_whole n =
  let first = a32.(4) in
  let rec go i (x : int32) same =
    if i = 0 then (Int32.to_int x, same) else go (i - 1) (Int32.add x 3l) (if x == first then same + 1 else same)
  in
  go n first 0

(* Never read: no number. *)
let[@inline never] never_read n (nothing : int64) =
  let holder = Array.make 1 nothing in
  let rec go i (x : int64) =
    if i >= n then i else if i < 0 then Int64.to_int x else go (i + 1) (if i = -2 then Int64.succ x else x)
  in
  go 0 holder.(0)

let[@inline never] read_later n (nothing : float) =
  let holder = ref nothing in
  let rec go i (x : float) = if i = n then int_of_float x else go (i + 1) (if i = 0 then 1.5 else x +. 1.) in
  go 0 (Sys.opaque_identity holder).contents

let in_handler n =
  let rec go i (x : int64) =
    if i = n then Int64.to_int x
    else
      match if i land 3 = 3 then raise Exit else Int64.add x 1L with
      | y -> go (i + 1) y
      | exception Exit -> go (i + 1) (Int64.mul x 2L)
  in
  go 0 a64.(0)

let () =
  let state = Array.copy a32 in
  rounds state a32;
  rounds state state;
  Array.iter (Printf.printf "%lx ") state;
  Printf.printf "\n%d %d %d\n" (horner 1.5) (mixed 20) (mixed 0);
  returned 0;
  returned 5;
  let x, same = seen_whole 4 in
  Printf.printf "%d %d\n" x same;
  Printf.printf "%d\n" (never_read 10 (Obj.magic 0));
  Printf.printf "%d\n" (read_later 10 (Obj.magic 0));
  Printf.printf "%d\n" (in_handler 10)
