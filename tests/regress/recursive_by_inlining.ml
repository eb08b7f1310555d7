(* flags: -inline 200 -unbox-closures -opaque -Oclassic -inline-max-unroll 3 *)
(* bytecode: no, ocamlc does not have the flags *)
(* The closure's function called the one around it, which was inlined there with what it calls, the closure's function itself: that
   became recursive without being marked so, and was refused by the verifier. Seed 770000603. *)
type tree = Leaf of int | Node of string * tree list

let rec size = function
  | Leaf n -> n land 7
  | Node (name, trees) -> String.length name + List.fold_left (fun sum tree -> sum + size tree) 1 trees

let () =
  let rec tree depth = if depth = 0 then Leaf 5 else Node ("node", [ tree (depth - 1); Leaf depth; tree (depth - 1) ]) in
  print_int (size (tree 6))
