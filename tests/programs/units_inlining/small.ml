let[@inline] incr_by n x = x + n
let scale k x = k *. x
let const_pair = (42, "answer")
let const_fn = [ incr_by 1; (fun x -> x * 2) ]
let[@inline always] opt ?(k = 10) x = k * x
let compose f g x = f (g x)
let rec rec_sum = function [] -> 0 | x :: r -> x + rec_sum r
let[@inline] local_clos a = let k y = y + a in fun b -> k (k b)
let pi2 = 2. *. 3.14159
let big = 0x7fffffffffffL
let counter = let n = ref 0 in fun () -> incr n; !n
let arr = [| 1; 2; 3 |]
let farr = [| 0.5; 1.5 |]
let cell = ref 5
let swap (a, b) = (b, a)
let[@inline] with_try f = try f () with Not_found -> -1
let str = "constant"
