(* Manual 21.11.1: references that do not leave their scope are variables. *)

let sum n =
  let total = ref 0 in
  for i = 1 to n do total := !total + i done;
  !total
(* expect sum: no allocation, no block_load, no block_store, no block_store_int *)

let two_loops n =
  let a = ref 1 and b = ref 1 in
  for _ = 1 to n do
    let t = !a + !b in
    a := !b;
    b := t
  done;
  while !a > 10 do a := !a - 10 done;
  !a + !b
(* expect two_loops: no allocation, no block_load *)

let of_float n =
  let x = ref 0. in
  for i = 1 to n do x := !x +. float_of_int i done;
  int_of_float !x
(* expect of_float: no allocation, no unbox *)

(* Across a handler, which sees the present value. *)
let handled f =
  let r = ref 0 in
  (try
     r := 1;
     f ();
     r := 2
   with Not_found -> r := !r + 10);
  !r
(* expect handled: no make_block, 1 try *)

(* Passed to functions that are inlined. *)
let bump r = r := !r + 1
let inlined x = let r = ref x in bump r; bump r; !r
(* expect inlined: no allocation *)

(* In a closure that is inlined. *)
let through_closure l =
  let r = ref 0 in
  List.iter (fun x -> r := !r + x) l;
  !r

(* One that leaves stays. *)
let leaves x = let r = ref x in incr r; r
(* expect leaves: 1 make_block *)
