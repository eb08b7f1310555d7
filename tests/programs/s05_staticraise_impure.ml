(* flags: -w -a *)
(* soundness 5: arguments of static raises are evaluated once, in place. *)
let n = ref 0
let tick s = incr n; Printf.printf "[%s%d]" s !n; !n
let f x = match x with
  | (0, y) | (y, 0) -> let z = tick "a" in z + z + y
  | (1, y) | (y, 1) when tick "g" > 2 -> y * 2
  | (a, b) -> a + b
let g o = 
  let (x, y) = match o with
    | Some (a, b) when a > b -> (tick "s", b)
    | Some (a, b) -> (a, tick "t")
    | None -> (tick "u", tick "v") in
  x + x + y
let h l =
  let v = match l with
    | [ a ] | [ a; _ ] | [ a; _; _ ] -> tick "h" + a
    | _ -> tick "d" in
  if v > 3 then v + v else v
type t = A of int | B of int | C of int * int | D
let k t = match t with
  | (A x | B x | C (x, _)) when x > 3 -> tick "k" + x
  | A x | C (_, x) -> x + tick "l"
  | B _ | D -> tick "m"
let () =
  List.iter (fun p -> Printf.printf " %d\n" (f p)) [ (0, 4); (4, 0); (1, 9); (9, 1); (1, 7); (5, 6) ];
  List.iter (fun p -> Printf.printf " %d\n" (g p)) [ Some (4, 0); Some (1, 4); None ];
  List.iter (fun p -> Printf.printf " %d\n" (h p)) [ [ 1 ]; [ 2; 3 ]; [ 1; 2; 3 ]; []; [ 1; 2; 3; 4 ] ];
  List.iter (fun p -> Printf.printf " %d\n" (k p)) [ A 1; A 9; B 2; B 5; C (4, 1); C (1, 4); D ]
