(* flags: -w -a *)
(* pitfall 79: non-tail recursion of moderate depth, through try, closures, polymorphic calls. *)
let rec sum n = if n = 0 then 0 else n + sum (n - 1)
let rec map f = function [] -> [] | x :: r -> let y = f x in y :: map f r
let rec tryr n = if n = 0 then raise Exit else try 1 + tryr (n - 1) with Not_found -> 0
let rec cps n k = if n = 0 then k 0 else cps (n - 1) (fun r -> k (r + n))
let rec fsum n = if n = 0 then 0. else float n +. fsum (n - 1)
let rec ack m n = if m = 0 then n + 1 else if n = 0 then ack (m - 1) 1 else ack (m - 1) (ack m (n - 1))
let rec mutual n acc = if n = 0 then List.length acc else 1 + other (n - 1) (n :: acc) and other n acc = if n = 0 then 0 else mutual (n - 1) acc - 1
type t = L | N of t * int * t
let rec left n = let r = ref L in for i = 1 to n do r := N (!r, i, L) done; !r
let rec depth = function L -> 0 | N (l, _, r) -> 1 + max (depth l) (depth r)
let rec total t = match t with L -> 0 | N (l, v, r) -> total l + v + total r
let () =
  Printf.printf "%d\n" (sum 20000);
  Printf.printf "%d\n" (List.length (map succ (List.init 10000 Fun.id)));
  (try ignore (tryr 5000) with Exit -> print_endline "exit");
  Printf.printf "%d\n" (cps 100000 Fun.id);
  Printf.printf "%g %d %d\n" (fsum 10000) (ack 2 9) (mutual 10000 []);
  let t = left 20000 in Printf.printf "%d %d\n" (depth t) (total t);
  Printf.printf "%d\n" (List.fold_right ( + ) (List.init 20000 Fun.id) 0);
  Printf.printf "%d\n" (compare (List.init 50000 Fun.id) (List.init 50000 Fun.id));
  (let rec inf n = 1 + inf (n + 1) in match inf 0 with _ -> () | exception Stack_overflow -> print_endline "overflow")
