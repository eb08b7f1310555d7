(* flags: -w -a *)
(* soundness 39: recursive groups where a parameter is invariant only in some calls. *)
let rec map2 f g l = match l with [] -> [] | x :: r -> f x :: map2 g f r
let rec fold_alt f g acc l = match l with [] -> acc | x :: r -> other f g (f acc x) r
and other f g acc l = match l with [] -> acc | x :: r -> fold_alt g f (g acc x) r
let rec iter f n = if n > 0 then (f n; iter f (n - 1); if n = 2 then iter (fun k -> f (k * 100)) 1)
let rec ping f x n = if n = 0 then f x else pong f (f x) (n - 1)
and pong g x n = if n = 0 then g x else ping (fun y -> g (y + 1)) x (n - 1)
let rec walk f t = match t with `L n -> f n | `N (a, b) -> walk f a + walk (fun n -> f (n + 1)) b
let rec compose_n f n = if n = 0 then fun x -> x else fun x -> f (compose_n f (n - 1) x)
let rec swap a b n = if n = 0 then (a 1, b 1) else swap b a (n - 1)
let rec h k f l = match l with [] -> k [] | x :: r -> h (fun r' -> k (f x :: r')) f r
let rec perm3 f g h n x = if n = 0 then x else perm3 g h f (n - 1) (f x)
let () =
  let pl l = List.iter (Printf.printf "%d ") l; print_newline () in
  pl (map2 (( + ) 1) (( * ) 2) [ 1; 2; 3; 4 ]);
  Printf.printf "%d\n" (fold_alt ( + ) ( - ) 0 [ 1; 2; 3; 4; 5 ]);
  iter (Printf.printf "<%d>") 3; print_newline ();
  Printf.printf "%d %d\n" (ping (fun x -> x * 2) 1 5) (pong succ 0 6);
  Printf.printf "%d\n" (walk (fun x -> x * x) (`N (`N (`L 1, `L 2), `N (`L 3, `L 4))));
  Printf.printf "%d\n" (compose_n (fun x -> x * 2) 10 1);
  List.iter (fun n -> let a, b = swap succ pred n in Printf.printf "%d %d; " a b) [ 0; 1; 2; 5 ]; print_newline ();
  pl (h (fun l -> 0 :: l) (fun x -> x * x) [ 1; 2; 3 ]);
  Printf.printf "%d\n" (perm3 succ (fun x -> x * 3) pred 7 1)
