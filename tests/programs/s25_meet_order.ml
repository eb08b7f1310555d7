(* flags: -w -a *)
(* soundness 25: facts about two scrutinees combine the same way in every order. *)
type t = New of string * int | Old of string * int | Gone
let pick orig upd = match orig, upd with
  | New _, Old _ | Old _, New _ -> orig
  | Gone, x | x, Gone -> x
  | New (_, a), New (_, b) | Old (_, a), Old (_, b) -> if a < b then upd else orig
let pick2 orig upd = match upd, orig with
  | New _, Old _ | Old _, New _ -> "diff" | New _, New _ -> "new" | Old _, Old _ -> "old" | _ -> "gone"
let both a b = match a, b with
  | (New (s, _) | Old (s, _)), (New (s', _) | Old (s', _)) when s = s' -> s
  | New (s, _), _ | _, New (s, _) -> "n:" ^ s
  | Old (s, n), Old (s', m) when n > m -> "o>" ^ s ^ s'
  | Old (s, _), _ | _, Old (s, _) -> "o:" ^ s
  | Gone, Gone -> "-"
let name = function New (s, n) -> Printf.sprintf "New %s%d" s n | Old (s, n) -> Printf.sprintf "Old %s%d" s n | Gone -> "Gone"
let () =
  let l = [ New ("a", 1); New ("b", 2); Old ("a", 1); Old ("b", 3); Old ("c", 0); Gone ] in
  List.iter (fun x -> List.iter (fun y -> Printf.printf "%s | %s -> %s, %s, %s\n" (name x) (name y) (name (pick x y)) (pick2 x y) (both x y)) l) l
