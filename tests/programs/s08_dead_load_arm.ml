(* flags: -w -a *)
(* soundness 8: a load runs only where the field exists. *)
let f g x = match g () with Ok () -> x | Error r -> let _ = !r in x
let f2 g x = match g () with Ok () -> x | Error r -> ignore !r; x
type t = I | B of int ref | C of t
let h t = match t with I -> 1 | B r -> let _ = !r in 1 | C _ -> 1
let d t = match t with I -> 0 | B { contents = n } -> if n >= 0 then 0 else 0 | C (B r) -> let _ = !r in 0 | C _ -> 0
let opt o x = match o with None -> x | Some (a, _) -> let _ = a in x
let s o = match o with None -> "" | Some s -> let _ = String.length s in ""
let () =
  print_string (f (fun () -> Ok ()) "a"); print_endline (f (fun () -> Error (ref 1)) "b");
  print_string (f2 (fun () -> Ok ()) "a"); print_endline (f2 (fun () -> Error (ref [ 1 ])) "b");
  List.iter (fun t -> Printf.printf "%d %d " (h t) (d t)) [ I; B (ref 3); C I; C (B (ref 2)); C (C I) ];
  print_newline ();
  Printf.printf "%d %d %S %S\n" (opt None 1) (opt (Some ("x", 2)) 2) (s None) (s (Some "abc"))
