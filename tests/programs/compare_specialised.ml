(* flags: -w -a *)
(* compare, =, <, min, max at each type specialisation, and as first-class values. *)
let o = Sys.opaque_identity
let ti (a : int) b = (compare a b, a = b, a <> b, a < b, a <= b, a > b, a >= b, min a b, max a b)
let tc (a : char) b = (compare a b, a = b, a <> b, a < b, a <= b, a > b, a >= b, min a b, max a b)
let tf (a : float) b = (compare a b, a = b, a <> b, a < b, a <= b, a > b, a >= b, min a b, max a b)
let ts (a : string) b = (compare a b, a = b, a <> b, a < b, a <= b, a > b, a >= b, min a b, max a b)
let tb (a : bytes) b = (compare a b, a = b, a <> b, a < b, a <= b, a > b, a >= b, min a b, max a b)
let t32 (a : int32) b = (compare a b, a = b, a <> b, a < b, a <= b, a > b, a >= b, min a b, max a b)
let t64 (a : int64) b = (compare a b, a = b, a <> b, a < b, a <= b, a > b, a >= b, min a b, max a b)
let tn (a : nativeint) b = (compare a b, a = b, a <> b, a < b, a <= b, a > b, a >= b, min a b, max a b)
let tp a b = (compare a b, a = b, a <> b, a < b, a <= b, a > b, a >= b, min a b, max a b)
let run name f show l = List.iter (fun a -> List.iter (fun b -> let c, p, q, r, s, t, u, mi, ma = f a b in let bit x = if x then 1 else 0 in Printf.printf "%s%d%d%d%d%d%d%d%s%s " name c (bit p) (bit q) (bit r) (bit s) (bit t) (bit u) (show mi) (show ma)) l) l; print_newline ()
let () =
  let i = [ 0; 1; -1; max_int; min_int ] in run "i" ti string_of_int i; run "p" tp string_of_int i; run "c" tc (String.make 1) [ 'a'; 'b'; '\255' ]; let f = [ 0.; -0.; 1.5; nan; infinity ] in run "f" tf string_of_float f; run "p" tp string_of_float f; let s = [ ""; "a"; "b"; "aa" ] in run "s" ts Fun.id s; run "p" tp Fun.id s; run "b" tb Bytes.to_string (List.map Bytes.of_string s);
  run "l" t32 Int32.to_string [ 0l; Int32.min_int; Int32.max_int ]; run "L" t64 Int64.to_string [ 0L; Int64.min_int; -1L ]; run "n" tn Nativeint.to_string [ 0n; 5n; -5n ]; run "p" tp Int64.to_string [ 0L; Int64.min_int ];
  Printf.printf "%d %d %b %b\n" (List.length (List.sort_uniq compare [ 3; 1; 3 ])) (List.fold_left max 0 [ 1; 5; 2 ]) (List.for_all2 ( = ) [ 1. ] [ 1. ]) (List.exists (( < ) 3) [ 1; 4 ]);
  Printf.printf "%g %s %ld\n" (List.fold_left min infinity [ 1.; nan; 2. ]) (List.fold_left max "" [ "b"; "a" ]) (List.fold_left min 5l [ 9l; -2l ]); let cmp : int -> int -> int = o compare and eq : float -> float -> bool = o ( = ) in Printf.printf "%d %b %b\n" (cmp 3 2) (eq nan nan) (o (( <= ) : string -> string -> bool) "a" "b");
  Printf.printf "%d %d %b %b\n" (compare true false) (compare () ()) (o 'a' < 'b') (compare (o None) (Some 1) < 0); let a = [| 3; 1; 2 |] and b = [| "c"; "a" |] and c = [| 2.; nan; 1. |] in Array.sort compare a; Array.sort compare b; Array.sort compare c; Printf.printf "%d %s %b\n" a.(0) b.(0) (c.(0) <> c.(0))
