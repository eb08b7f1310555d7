(* Recursive values: dummies first, then the set of closures, then the values. *)
type t = { next : t; get : unit -> int }
let rec a = { next = b; get = (fun () -> f 1) }
and b = { next = a; get = f_unit }
and f x = match a.next == b with true -> x | false -> 0
and f_unit () = f 2
let rec g = let table = Array.make 1 0 in fun x -> table.(0) <- x; if x > 0 then g (x - 1)
