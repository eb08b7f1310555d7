(* Manual 21.4: recursive functions are copied for the arguments that never change. *)

let rec iter f l =
  match l with
  | [] -> ()
  | h :: t ->
    f h;
    iter f t

let print_int x =
  print_endline (string_of_int x)

let run xs =
  iter print_int (List.rev xs)
(* The call of the known function is direct, and inlined. *)
(* expect run: no indirect call, no call of print_int, no call of iter, 1 call of print_endline, no closure *)

(* One that is no loop. *)
let rec map f l =
  match l with
  | [] -> []
  | h :: t ->
    let y = f h in
    y :: map f t
let successors xs = map (fun x -> x + 1) xs
(* expect successors: no call of map, 1 call of copy of map, no closure *)
(* expect copy of map: no indirect call, 1 call of copy of map *)
