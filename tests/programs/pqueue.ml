(* ocaml: >= 5.4, Pqueue *)
(* Functors of the standard library that apply others of it: `Pqueue.MakeMin` and its kin are made by one functor, which
   the stock object has behind a wrapper that hides fields. *)

module Ints = Pqueue.MakeMin (Int)
module Largest = Pqueue.MakeMax (String)

module Tasks = Pqueue.MakeMinPoly (struct
  type 'a t = int * 'a

  let compare (p, _) (q, _) = Int.compare p q
end)

module Reversed = Pqueue.MakeMaxPoly (struct
  type 'a t = float * 'a

  let compare (p, _) (q, _) = Float.compare p q
end)

exception Incomparable

(* A comparison that raises leaves the queue as the source says. *)
module Raising = Pqueue.MakeMin (struct
  type t = int option

  let compare a b =
    match (a, b) with
    | Some a, Some b -> Int.compare a b
    | _ -> raise Incomparable
end)

let drain pop q =
  let rec go acc = match pop q with None -> List.rev acc | Some x -> go (x :: acc) in
  go []

let numbers n = List.init n (fun i -> ((i * 7919) + 13) land 1023)

let () =
  let q = Ints.create () in
  List.iter (Ints.add q) (numbers 200);
  assert (Ints.length q = 200);
  assert (drain Ints.pop_min q = List.sort Int.compare (numbers 200));
  assert (Ints.is_empty q && Ints.min_elt q = None);
  (match Ints.get_min_elt q with
  | _ -> print_endline "an element"
  | exception Invalid_argument m -> print_endline m);
  let q = Ints.of_array [| 5; 2; 8; 1 |] in
  Ints.remove_min q;
  let twin = Ints.copy q in
  Ints.add_iter q List.iter [ 0; 9 ];
  print_endline (String.concat " " (List.map string_of_int (drain Ints.pop_min q)));
  Printf.printf "%d %d\n" (Ints.length twin) (Ints.fold_unordered ( + ) 0 twin)

let () =
  let q = Largest.of_list [ "pear"; "apple"; "quince"; "fig" ] in
  Largest.add q "plum";
  Option.iter print_endline (Largest.max_elt q);
  print_endline (String.concat " " (drain Largest.pop_max q))

let () =
  let q = Tasks.create () in
  List.iteri (fun i p -> Tasks.add q (p, Printf.sprintf "task %d" i)) [ 3; 1; 2; 0; 7; 5 ];
  List.iter (fun (p, name) -> Printf.printf "%d %s; " p name) (drain Tasks.pop_min q);
  print_newline ();
  let q = Reversed.of_iter List.iter [ (1.5, `A); (nan, `B); (-0.5, `C); (infinity, `D) ] in
  List.iter (fun (p, _) -> Printf.printf "%g " p) (drain Reversed.pop_max q);
  print_newline ()

let () =
  let q = Raising.of_list [ Some 4; Some 2 ] in
  (match Raising.add q None with
  | () -> print_endline "added"
  | exception Incomparable -> print_endline "incomparable");
  Printf.printf "%d\n" (Raising.length q);
  match drain Raising.pop_min q with
  | l -> Printf.printf "%d left\n" (List.length l)
  | exception Incomparable -> Printf.printf "incomparable, %d left\n" (Raising.length q)
