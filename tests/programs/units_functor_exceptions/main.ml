(* flags: -w -a *)
(* Functors, exceptions and types shared by several units. *)
module S = Bst.Make (struct include String let show = String.escaped end)
module F = Bst.Make (struct type t = float let compare = compare let show = string_of_float end)
let () =
  print_endline (Bst.Ints.of_list [ 5; 2; 8; 2; 1 ]);
  let t = List.fold_left (fun t x -> S.add x t) S.empty [ "m"; "c"; "x"; "a" ] in print_endline (S.show t);
  (try ignore (S.add "c" t) with Sig.Duplicate s -> Printf.printf "dup %s\n" s); (try ignore (S.find (fun x -> String.compare "b" x) t) with S.Missing s -> Printf.printf "missing near %s\n" s);
  let f = List.fold_left (fun t x -> F.add x t) F.empty [ 2.5; 1.5; 3.5 ] in Printf.printf "%g %s\n" (F.fold ( +. ) 0. f) (F.show f); (match F.find (fun _ -> 1) F.empty with _ -> () | exception Not_found -> print_endline "nf"); (try ignore (F.find (fun x -> compare 9. x) f) with S.Missing _ -> print_endline "wrong" | F.Missing x -> Printf.printf "F %g\n" x); Printf.printf "%d\n" (Sig.length [| 1; 2 |])
