(* flags: -w -a *)
(* soundness 31: comparisons of far-apart integers do not overflow. *)
module M = Map.Make (Int)
module M64 = Map.Make (Int64)
module S = Set.Make (struct type t = int * int let compare = compare end)
let keys = [ min_int; max_int; 0; -1; 1; min_int + 1; max_int - 1; 1 lsl 61; -(1 lsl 61) ]
let cmp (a : int) b = compare a b
let sub a b = a - b
let () =
  let m = List.fold_left (fun m k -> M.add k (string_of_int k) m) M.empty keys in
  M.iter (fun k v -> Printf.printf "%d=%s " k v) m; print_newline ();
  let m = List.fold_left (fun m k -> M64.add (Int64.shift_left (Int64.of_int k) 1) k m) M64.empty keys in
  M64.iter (fun k v -> Printf.printf "%Ld " k) m; print_newline ();
  let s = S.of_list (List.concat_map (fun a -> List.map (fun b -> (a, b)) keys) keys) in
  Printf.printf "%d %b %b\n" (S.cardinal s) (S.mem (min_int, max_int) s) (S.min_elt s = (min_int, min_int));
  List.iter (fun a -> List.iter (fun b -> Printf.printf "%d%d " (cmp a b) (compare a b)) keys) keys; print_newline ();
  Printf.printf "%b %b\n" (sub min_int 1 > 0) (cmp min_int 1 < 0);
  Printf.printf "%d %d %d\n" (compare min_int max_int) (compare 2.0 1.0) (compare "b" "a");
  Printf.printf "%d %d %d\n" (compare Int64.min_int Int64.max_int) (compare Int32.max_int Int32.min_int) (compare Nativeint.min_int 1n);
  let a = Array.of_list keys in
  Array.sort cmp a; Array.iter (Printf.printf "%d ") a; print_newline ()
