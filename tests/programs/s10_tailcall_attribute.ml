(* flags: -w -a *)
(* soundness 10: [@tailcall] accepted before inlining is accepted after. *)
let[@inline always] wrap f x = (f [@tailcall]) x
let rec down n = if n = 0 then "down" else (wrap [@tailcall]) down (n - 1)
let[@inline] safe f x = match f x with y -> Some y | exception Not_found -> None
let rec walk l = match l with [] -> 0 | x :: r -> (match safe (fun k -> if k < 0 then raise Not_found else k) x with
  | Some _ -> (walk [@tailcall]) r | None -> 1 + walk r)
let[@inline always] g x = if x > 3 then (succ [@tailcall]) x else (pred [@tailcall]) x
let h x = try g x + g (x + 1) with Not_found -> 0
let k x = let r = try (fun y -> (g [@tailcall]) y) x with Exit -> 0 in r + 1
let () =
  print_endline (down 1_000_000);
  Printf.printf "%d %d %d %d\n" (walk [ 1; -2; 3; -4 ]) (h 3) (k 2) (k 9)
