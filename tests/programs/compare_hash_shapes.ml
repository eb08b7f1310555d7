(* flags: -w -a *)
(* Polymorphic comparison, equality and hash on every shape of data; functional values raise. *)
type t = A | B of int | C of t * float | D of { x : string; mutable y : int list }
type fr = { f1 : float; f2 : float }
let c ?(hash = true) name a b = let r f = match f () with v -> v | exception Invalid_argument s -> s in
  Printf.printf "%s %s %s %s %s %s %s %d\n" name (r (fun () -> string_of_int (compare a b))) (r (fun () -> string_of_bool (a = b))) (r (fun () -> string_of_bool (a <> b))) (r (fun () -> string_of_bool (a < b))) (r (fun () -> string_of_bool (a >= b))) (r (fun () -> string_of_int (compare b a))) (if hash then Hashtbl.hash a land 0xffff else 0)
let () =
  c "int" 1 2; c "int" min_int max_int; c "float" 1. 2.; c "nan" nan 1.; c "nan2" nan nan; c "zero" 0. (-0.); c "string" "a" "b"; c "string" "abc" "ab"; c "string" "" "\000"; c "char" 'a' 'b'; c "bool" true false; c "unit" () ();
  c "int32" 1l (-1l); c "int64" Int64.min_int Int64.max_int; c "nativeint" 5n 5n; c "bytes" (Bytes.of_string "x") (Bytes.of_string "y"); c "tuple" (1, "a", 2.) (1, "a", 3.); c "list" [ 1; 2 ] [ 1; 2; 3 ]; c "list" [ 3 ] [ 1; 2 ]; c "array" [| 1; 2 |] [| 3 |]; c "farray" [| 1.; 2. |] [| 1.; nan |]; c "farray2" [| 1. |] [| 1.; 0. |]; c "empty" [||] [| 1 |];
  c "variant" A (B 0); c "variant" (B 1) (C (A, 1.)); c "variant" (C (B 2, 1.)) (C (B 2, 0.)); c "inline" (D { x = "a"; y = [ 1 ] }) (D { x = "a"; y = [ 2 ] }); c "option" None (Some 0); c "frec" { f1 = 1.; f2 = nan } { f1 = 1.; f2 = nan }; c "poly" `A (`B 1); c "poly2" (`B 1) (`B 2); c "ref" (ref 1) (ref 1);
  c "exn" (Failure "a") (Failure "b"); c ~hash:false "closure" (fun x -> x) (fun x -> x + 1); c ~hash:false "closure in tuple" (1, fun x -> x) (2, fun x -> x); c ~hash:false "closure same prefix" (1, fun x -> x) (1, fun x -> x); c "lazy" (lazy 1) (lazy 1); c "nested" [ [| Some (1, [ "x" ]) |] ] [ [| Some (1, [ "y" ]) |] ];
  let rec cyc = 1 :: cyc in Printf.printf "%d %b %d\n" (compare (2 :: cyc) [ 3 ]) (cyc = [ 2 ]) (Hashtbl.hash cyc land 0xff)
