(* Manual 21.3: unrolling at a call with a known argument leaves one call, no test, and one factor. *)

let rec fact x = if x = 0 then 1 else x * fact (x - 1)
let n () = (fact [@unrolled 1]) 4
let m () = (fact [@unrolled 2]) 4
(* expect n: 1 call of fact, no branch, 1 mul *)
(* expect m: 1 call of fact, no branch, 1 mul *)
(* The function itself is not unrolled. It is a loop, which multiplies before it goes on (beyond the manual). *)
(* expect fact: no call, 1 loop, 1 branch, 1 mul *)

(* Higher-order inlining. *)
let twice f x = f (f x)
let four x = twice (fun y -> y + 2) x
(* expect four: no call, no allocation, 1 add *)

(* Closures that inlining makes needless are not made, nor are their captured variables kept. *)
let apply_to_sum f x y = f (x + y)
let closure_goes a x = apply_to_sum (fun s -> s * a) x 1
(* expect closure_goes: no call, no closure *)
