(* flags: -w -a *)
(* Functors of one unit are applied to structures of others, of which a part is a function of the library, or computed
   when the program runs; their functions make functions that capture the modules that other functors have made. *)
module Int_graph = Graphs.Make (Keys.Number)
module Name_graph = Graphs.Make (Keys.Name)
module Pair_graph = Graphs.Make (Keys.Nested.Pair)
module Own = struct
  type t = float
  let equal (a : float) b = a = b
  let hash (x : float) = Hashtbl.hash x
  let show = Printf.sprintf "%.1f"
end
module Own_graph = Graphs.Make (Own)
let edges n = List.init n (fun i -> i, (i * 7 + 3) mod n)
let () =
  let g = Int_graph.of_list (edges 20) in
  print_endline (String.concat " " (List.map string_of_int (Int_graph.reach g 1)));
  (match Int_graph.order g with
   | l -> print_endline (String.concat " " (List.map string_of_int l))
   | exception Int_graph.Cycle n -> Printf.printf "cycle at %d\n" n);
  print_endline (Int_graph.components g);
  let both, (module K) = Int_graph.handed g in
  Printf.printf "%b %b %s %b\n" (both 1 10) (both 2 3) (K.show 5) (K.equal 1 1)
let () =
  let g = Name_graph.of_list [ "a", "b"; "b", "c"; "\n", "a"; "c", "d"; "d", "b" ] in
  print_endline (String.concat " " (List.map Keys.Name.show (Name_graph.reach g Keys.Name.first)));
  (try ignore (Name_graph.order g) with Name_graph.Cycle s -> print_endline s);
  print_endline (Name_graph.components g);
  let both, (module K) = Name_graph.handed g in
  Printf.printf "%b %b %s\n" (both "b" "d") (both "a" "b") (K.show "\t")
let () =
  let g = Pair_graph.of_list [ (1, 2), (2, 3); (2, 3), (3, 4); (1, 2), (3, 4) ] in
  print_endline (String.concat " " (List.map Keys.Nested.Pair.show (Pair_graph.order g)));
  print_endline (Pair_graph.components g);
  Printf.printf "%d\n" (Keys.Nested.count ())
let () =
  (try ignore (Own_graph.of_list [ 1., 2.; nan, 1. ]) with Not_found -> print_endline "nan");
  let g = Own_graph.of_list [ 1., 2.; 2., 1.5; 1.5, 1. ] in
  print_endline (Own_graph.components g)
