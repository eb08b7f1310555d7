(* flags: -w -a *)
(* soundness 27: facts of one branch about a lifted constant do not leak into the other. *)
let unk = Sys.opaque_identity
let f x = let c = (unk x, [ 1; 2; 3 ]) in
  if fst c = 0 then (match c with (0, l) -> List.length l | _ -> -1) else (match c with (0, _) -> -2 | (n, l) -> n + List.length l)
let g x = let n = unk x in
  let pair = (n, n) in
  match n with
  | 0 -> let k = (1, 2) in fst k + fst pair
  | 1 -> let k = (3, 4) in fst k + snd pair
  | _ -> let k = (5, 6) in if n > 10 then snd k else fst pair
let h b = let t = if b then Some (1, "one") else None in
  let s = match t with Some (_, s) -> s | None -> "none" in
  let n = match t with None -> 0 | Some (n, _) -> n in
  s ^ string_of_int n
let top = f 0
let top2 = if top > 2 then (let c = [ top; 1 ] in List.length c) else (let c = [ 1 ] in List.hd c)
let () =
  Printf.printf "%d %d %d\n" (f 0) (f 4) top2;
  List.iter (fun x -> Printf.printf "%d " (g x)) [ 0; 1; 2; 11 ];
  Printf.printf "%s %s\n" (h true) (h false)
