(* flags: -w -a *)
(* soundness 26: joining a known tag with an unknown one keeps every possibility. *)
type t = A of int | B of int * int | C | D of string | E
let unk = Sys.opaque_identity
let f c t = let x = if c then A 1 else unk t in
  match x with A n -> n | B (a, b) -> a * b | C -> -1 | D s -> String.length s | E -> -2
let g c t u = let x = match c with 0 -> B (2, 3) | 1 -> t | 2 -> C | _ -> u in
  let y = if c = 0 then x else match x with A n -> B (n, n) | z -> z in
  match y, x with B (a, b), A n -> a + b + n | B (a, b), _ -> a - b | A _, _ -> assert false | C, C -> 100 | (C | D _ | E), _ -> 50
let h c l = let x = if c then [ 1 ] else unk l in match x with [] -> "nil" | [ n ] -> string_of_int n | _ :: _ -> "many"
let k c o = let x = if c then None else o in match x with None -> 0 | Some n -> n
let p c v = let x = if c then `A else v in match x with `A -> 1 | `B n -> n | `C -> 3
let () =
  let l = [ A 5; B (3, 4); C; D "abc"; E ] in
  List.iter (fun t -> Printf.printf "%d %d; " (f true t) (f false t)) l; print_newline ();
  for c = 0 to 3 do List.iter (fun t -> List.iter (fun u -> Printf.printf "%d " (g c t u)) l) l done; print_newline ();
  Printf.printf "%s %s %s %s\n" (h true []) (h false []) (h false [ 4 ]) (h false [ 1; 2 ]);
  Printf.printf "%d %d %d\n" (k true (Some 3)) (k false (Some 3)) (k false None);
  Printf.printf "%d %d %d %d\n" (p true `C) (p false `C) (p false (`B 7)) (p false `A)
