(* flags: -w -a *)
(* Externals and % primitives used as values, partially applied, stored in data. *)
external add : int -> int -> int = "%addint"
external length : 'a array -> int = "%array_length"
external get : 'a array -> int -> 'a = "%array_safe_get"
external field0 : 'a * 'b -> 'a = "%field0"
external id : 'a -> 'a = "%identity"
external not_ : bool -> bool = "%boolnot"
external seqand : bool -> bool -> bool = "%sequand"
external ref_ : 'a -> 'a ref = "%makemutable"
external raise_ : exn -> 'a = "%raise"
external caml_hash : int -> int -> int -> 'a -> int = "caml_hash" [@@noalloc]
external format_int : string -> int -> string = "caml_format_int"
external sqrt_ : float -> float = "caml_sqrt_float" "sqrt" [@@unboxed] [@@noalloc]
external apply : ('a -> 'b) -> 'a -> 'b = "%apply"
external revapply : 'a -> ('a -> 'b) -> 'b = "%revapply"
module M : sig val plus : int -> int -> int val fst_ : 'a * 'b -> 'a external len : string -> int = "%string_length" val sq : float -> float end = struct external plus : int -> int -> int = "%addint" external fst_ : 'a * 'b -> 'a = "%field0" external len : string -> int = "%string_length" external sq : float -> float = "caml_sqrt_float" "sqrt" [@@unboxed] [@@noalloc] end
let o = Sys.opaque_identity
let () =
  List.iter (Printf.printf "%d ") (List.map ( ~- ) [ 1; 2 ] @ List.map2 ( * ) [ 1; 2 ] [ 3; 4 ] @ List.map succ [ 1 ] @ List.map (( - ) 10) [ 1 ] @ List.map (add 5) [ 1 ]); Printf.printf "%g %g %d\n" (Array.fold_left ( +. ) 0. [| 1.; 2. |]) (List.fold_left ( *. ) 1. [ 2.; 3. ]) (List.fold_left ( lxor ) 0 [ 5; 3 ]);
  Printf.printf "%d %d %d %g\n" ((o length) [| 1; 2 |]) ((o get) [| 4; 5 |] 1) ((o field0) (7, 8)) ((o get) [| 0.5 |] 0); (match (o get) [| 1 |] 3 with _ -> () | exception Invalid_argument s -> print_endline s);
  Printf.printf "%b %b %d %s\n" ((o not_) true) ((o seqand) true false) !((o ref_) 5) ((o id) "id"); (try (o raise_) Exit with Exit -> print_endline "exit"); Printf.printf "%d %s %s\n" (caml_hash 10 100 0 "x" land 255) (format_int "%x" 255) (String.concat "," (List.map (format_int "%03d") [ 1; 22 ]));
  Printf.printf "%g %g %d %d\n" (sqrt_ 16.) (List.fold_left (fun a x -> a +. sqrt_ x) 0. [ 1.; 4. ]) (apply succ 1) (revapply 2 pred); List.iter (Printf.printf "%g ") (List.map sqrt_ [ 9. ] @ List.map M.sq [ 25. ] @ List.map float [ 1 ] @ List.map abs_float [ -1. ]);
  Printf.printf "%d %d %d\n" (M.plus 1 2) (M.fst_ (3, 4)) (List.fold_left (fun a s -> a + M.len s) 0 [ "a"; "bc" ]); let fs = [ ("land", ( land )); ("lsl", ( lsl )); ("asr", ( asr )); ("mod", ( mod )); ("/", ( / )); ("cmp", compare) ] in List.iter (fun (n, f) -> Printf.printf "%s %d; " n (f (-13) 3)) fs; print_newline ();
  let f64 = [ Int64.add; Int64.logand; Int64.div ] and fb = [ Int64.neg; Int64.lognot ] in List.iter (fun f -> Printf.printf "%Ld " (f 7L 2L)) f64; List.iter (fun f -> Printf.printf "%Ld " (f 7L)) fb; List.iter (fun f -> Printf.printf "%b " (f 1 2)) [ ( = ); ( <> ); ( < ); ( >= ); ( == ); ( != ) ]; print_newline ();
  List.iter (fun r -> incr r; print_int !r) [ ref 1 ]; List.iter ignore [ 1 ]; print_string (List.fold_left ( ^ ) "" [ "a"; "b" ]); List.iter (fun f -> f "x") [ print_string; ignore ]; Printf.printf "%d %d\n" (( |> ) 3 succ) ((@@) succ 3); let swap = Fun.flip ( - ) in Printf.printf "%d %c %d\n" (swap 1 10) ((o String.get) "abc" 1) ((o Char.code) 'a'); Array.iter print_int (Array.map2 ( - ) [| 5 |] [| 2 |]); print_newline ()
