(* flags: -w -a *)
(* Callbacks from C into OCaml closures of several arities, exceptions through C, values built in C. *)
type v = A | B of int | C of int
type r = { n : int; x : float }
exception Cexn of int
external fold : ('a -> 'b -> 'a) -> 'a -> 'b array -> 'a = "cb_fold"
external named : int -> int = "cb_named"
external catch : ('a -> 'b) -> 'a -> ('b, exn) result = "cb_catch"
external raise_c : int -> 'a = "cb_raise"
external three : (int -> string -> float -> 'a) -> 'a = "cb_three"
external record : int -> r = "cb_record"
external floats : int -> float array = "cb_floats"
external variant : int -> v = "cb_variant"
external hashv : unit -> [ `Tag | `Other ] = "cb_hashv" [@@noalloc]
let () =
  Printf.printf "%d %s\n" (fold ( + ) 0 [| 1; 2; 3 |]) (fold (fun a x -> a ^ string_of_int x) "" [| 4; 5 |]); (match named 3 with _ -> () | exception Failure s -> print_endline s); let total = ref 0 in Callback.register "cb_handler" (fun x -> total := !total + x; !total); Callback.register_exception "cb_exn" (Cexn 0); ignore (named 3); Printf.printf "%d %d\n" (named 4) !total;
  (match catch (fun x -> 10 / x) 0, catch (fun x -> 10 / x) 5 with Error Division_by_zero, Ok n -> Printf.printf "caught %d\n" n | _ -> print_endline "?"); (try raise_c 7 with Cexn n -> Printf.printf "Cexn %d\n" n); let r = ref 0 in (try for i = 1 to 5 do r := i; if i = 3 then raise_c (i * 10) done with Cexn n -> Printf.printf "%d %d\n" n !r);
  print_endline (three (Printf.sprintf "%d %s %g")); let p = three (fun a b c -> fun d -> (a, b, c, d)) in let a, b, c, d = p 'z' in Printf.printf "%d %s %g %c\n" a b c d; let r = record 4 in Printf.printf "%d %g\n" r.n r.x; Printf.printf "%g\n" (Array.fold_left ( +. ) 0. (floats 5)); List.iter (fun n -> match variant n with A -> print_string "A " | B n -> Printf.printf "B%d " n | C n -> Printf.printf "C%d " n) [ 0; 1; 2 ]; (match hashv () with `Tag -> print_endline "Tag" | `Other -> print_endline "Other"); Printf.printf "%d\n" (fold (fun k x y -> x + k y) (fun y -> y) [| 1; 2 |] 10)
  [@@ocaml.warning "-a"]
