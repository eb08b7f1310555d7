(* Manual 21.6: n of [@unrolled n] is how deep it goes, over all functions that call each other. *)

let rec even n = if n = 0 then true else odd (n - 1)
and odd n = if n = 0 then false else even (n - 1)
let two n = (even [@unrolled 2]) n
let zero n = (even [@unrolled 0]) n
let enough () = (even [@unrolled 9]) 6
(* expect two: 1 call, no call of odd, 2 branches *)
(* expect zero: 1 call *)
(* expect enough: returns 1 *)
