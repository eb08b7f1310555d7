(* A handler takes the variables that the body assigns; each change is told at once. *)
external may_raise : int -> unit = "may_raise"
let count n =
  let seen = ref 0 in
  (try
     for i = 1 to n do
       seen := i;
       may_raise i
     done
   with Not_found -> seen := - !seen);
  !seen
let local_exit x = match x with
  | (0, y) | (y, 0) when y > 0 -> y
  | _ -> raise Exit
