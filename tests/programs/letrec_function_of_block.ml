(* flags: -w -a *)
(* A function that a let rec only computes: its dummy has one use. *)
let count = ref 0
let rec cell = ref (fun () -> incr count; List.length !list)
and list = ref [ 1; 2; 3 ]
let rec f = let g = (incr count; fun x -> if x = 0 then 0 else 1 + f (x - 1)) in g
let rec a = let h = (fun n -> if n = 0 then 1 else n * b (n - 1)) in incr count; h
and b = fun n -> if n = 0 then 1 else n * a (n - 1)
let rec self = let k = (fun x y -> if x = 0 then y else self (x - 1) (y + x)) in incr count; k
let () = Printf.printf "%d %d %d %d %d\n" (!cell ()) (f 5) (a 5) (self 4 0) !count
