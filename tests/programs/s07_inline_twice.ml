(* flags: -w -a *)
(* soundness 7: a body copied twice gets fresh static-exception and variable names. *)
let[@inline always] sel x y = match x, y with
  | (0, a), (b, 1) | (b, a), (1, 0) -> a - b
  | (p, q), (r, s) when p > q -> (try if r > s then raise Exit else r with Exit -> s)
  | _ -> -1
let both a b c d = sel (sel a b, 3) (4, sel c d)
let twice a b = sel a b * 1000 + sel b a
let nest a b = match sel a b with 0 | 1 -> sel b a | n when n > 5 -> sel (n, n) a | n -> sel a (n, n) + sel (n, 0) b
let[@inline always] find p l = try List.iter (fun x -> if p x then raise_notrace Exit) l; false with Exit -> true
let cap x = let x = x + 1 in let f y = let x = y * 2 in x + y in let y = f x in f y + x
let () =
  let ps = [ (0, 0); (0, 1); (1, 0); (1, 1); (5, 2); (2, 5); (7, 0) ] in
  List.iter (fun a -> List.iter (fun b ->
    Printf.printf "%d %d %d %d; " (sel a b) (both a b b a) (twice a b) (nest a b)) ps; print_newline ()) ps;
  Printf.printf "%b %b\n" (find (( = ) 3) [ 1; 2; 3 ] && find (( = ) 4) [ 3 ]) (find (fun x -> find (( = ) x) [ 9 ]) [ 8; 9 ]);
  Printf.printf "%d %d\n" (cap 3) (cap (cap 4))
