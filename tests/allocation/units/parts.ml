(* Functions of another unit that are too large to be inlined: with [-O3] they take and give parts (features B13). *)

type point = { x : float; y : float }

let log = Sys.opaque_identity (ref 0)

(* What makes a function large. *)
let count n =
  log := !log + n;
  if !log land 1 = 0 then log := !log lxor 5;
  if !log land 2 = 0 then log := !log lxor 9;
  if !log land 4 = 0 then log := !log lxor 17;
  if !log land 8 = 0 then log := !log lxor 33
[@@inline]

let pair n = count n; count (n + 1); count (n + 2); (n + !log, n - !log)

let number n = count n; count (n + 1); count (n + 2); if !log > 0 then float_of_int n else 0.5

let found n =
  count n; count (n + 1); count (n + 2);
  if n land 3 = 0 then None else Some (n + !log)

let norm p =
  let sum = int_of_float (p.x +. p.y) in
  count 1; count 2; count 3;
  !log land 1 + sum

let between (low, high) n =
  count n; count (n + 1); count (n + 2);
  if !log < 0 || n < low then low else if n > high then high else n

let scaled x n = count n; count (n + 1); count (n + 2); if !log < 0 then 0 else int_of_float (x *. 2.)
