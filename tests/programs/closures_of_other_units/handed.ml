(* What this unit inlines of the first, it hands on to the third. *)
let twice f x = f (f x)
let add_twice n = let f = Made.adder n in fun x -> twice f x
let sum ops = let s = ref 0 in for i = 0 to ops.Made.size () - 1 do s := !s + ops.Made.get i done; !s
let next = let tick, reset = Made.counter () in fun () -> let n = tick () in if n >= 3 then reset (); n
