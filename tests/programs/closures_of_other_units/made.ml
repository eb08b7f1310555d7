type ops = { get : int -> int; set : int -> int -> unit; size : unit -> int }

let[@inline never] counter () =
  let n = ref 0 in
  ((fun () -> incr n; !n), fun () -> n := 0)

let[@inline never] adder n = let m = n * 2 in fun x -> x + m - n
let[@inline never] scaler k = let k = k *. 2. in fun x -> x *. k
let[@inline never] clamp ~lo ~hi = let both = lo + hi in fun x -> if x < lo then lo else if x > hi then both - lo else x
let[@inline never] between ~lo ~hi = let middle = (lo +. hi) /. 2. in fun x -> if x < lo || x > hi then middle else x

let[@inline never] ops n =
  let a = Array.make n 0 in
  { get = (fun i -> a.(i)); set = (fun i x -> a.(i) <- x); size = (fun () -> Array.length a) }

(* One set of closures: the second and the third function are inside the block, after code pointers of two and of three
   words. *)
let[@inline never] shared n =
  let calls = ref 0 and k = n * 10 in
  let rec one x = if x > 100 then x else (incr calls; x + k + n)
  and two x y = if x > y then one y else x * k - y
  and three () = if !calls > 1000 then two 1 2 else !calls + k in
  (one, two, three)

let[@inline never] countdown limit =
  let rec even n = n = 0 || (n <= limit && odd (n - 1)) and odd n = n <> 0 && n <= limit && even (n - 1) in
  (even, odd)

let[@inline never] nested a = let b = a * a in fun c -> let d = b + c in fun e -> a + b + c + d + e
let[@inline never] checked what n = let m = n + 1 in fun x -> if x = m then failwith what else x - n
let[@inline never] boxed k = let l = Int64.mul k 3L in fun x -> Int64.add (Int64.logxor x l) k
let table = ops 4
let[@inline never] chosen c n = if c then fun x -> x + n else let m = n * n in fun x -> x * m - n
