(* flags: -w -a *)
(* soundness 34: arguments of handlers, dead continuations and invalid edges in data-flow. *)
type fixity = Left | Right | Non
let fixity_of_string = function "left" -> Left | "right" -> Right | "non" -> Non | s -> invalid_arg s
let name = function Left -> "L" | Right -> "R" | Non -> "N"
let prec s n = match fixity_of_string s with Left -> n | Right -> n + 1 | Non -> (match n with 0 -> 7 | _ -> -n)
exception Found of int * string
let search l k =
  let steps = ref 0 and last = ref "" in
  try List.iter (fun (a, b) -> incr steps; last := b; if a = k then raise (Found (!steps, b))) l; (0, !last)
  with Found (n, s) -> (n + !steps, s ^ !last) | Failure m -> (-1, m)
let rec exn_loop n acc = try if n = 0 then raise (Found (acc, "end")) else exn_loop (n - 1) (acc + n) with Found (a, s) when n mod 2 = 0 -> raise (Found (a + 1, s ^ "."))
let never x = let k = if x > 1000 then (try raise Exit with Not_found -> fun y -> y) else fun y -> y + x in k 3
let rec g n = if n < 0 then assert false else if n = 0 then raise Exit else try g (n - 1) with Exit -> n
let unused_args a b c d = try if a then raise Exit else b with Exit -> c
let payload x = match (try raise (Found (x, string_of_int x)) with Found (n, _) as e -> (n, e)) with (n, Found (_, s)) -> s ^ string_of_int n | _ -> "?"
let () =
  List.iter (fun s -> match prec s 0 with n -> Printf.printf "%s %d %d\n" (name (fixity_of_string s)) n (prec s 5) | exception Invalid_argument m -> Printf.printf "bad %s\n" m) [ "left"; "right"; "non"; "up" ];
  let l = [ (1, "a"); (2, "b"); (3, "c") ] in
  List.iter (fun k -> let n, s = search l k in Printf.printf "%d %s\n" n s) [ 1; 3; 9 ];
  (try ignore (exn_loop 6 0) with Found (a, s) -> Printf.printf "%d %s\n" a s);
  Printf.printf "%d %d\n" (never 4) (try never 2000 with Exit -> -1);
  Printf.printf "%d %d\n" (g 4) (try g 0 with Exit -> -7);
  Printf.printf "%d %d %s\n" (unused_args true 1 2 3) (unused_args false 1 2 3) (payload 42)
