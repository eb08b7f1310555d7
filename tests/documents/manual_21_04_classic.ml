(* Manual 21.4: classic mode specialises nothing, nor do attributes that forbid it let others. *)
(* flags: -Oclassic *)

let rec map f l =
  match l with
  | [] -> []
  | h :: t ->
    let y = f h in
    y :: map f t
let successors xs = map (fun x -> x + 1) xs
(* expect successors: 1 call of map *)
