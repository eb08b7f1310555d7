(* flags: -w -a *)
(* Evaluation order of primitive operands. *)
let t s v = print_string s; print_char ' '; v
let nl () = print_newline ()
let () =
  ignore (t "a" 1 + t "b" 2); ignore (t "a" 1 - t "b" 2 * t "c" 3); nl ();
  ignore (t "a" 1 < t "b" 2); ignore (t "a" "1" = t "b" "2"); ignore (compare (t "a" [ 1 ]) (t "b" [ 2 ])); nl ();
  ignore (t "a" 1. +. t "b" 2. *. t "c" 3.); ignore (t "a" 1. < t "b" 2.); nl ();
  ignore (t "a" "x" ^ t "b" "y" ^ t "c" "z"); ignore (t "a" [ 1 ] @ t "b" [ 2 ] @ t "c" []); nl ();
  let a = [| 1; 2; 3 |] and fa = [| 1.; 2. |] and s = "abc" and b = Bytes.make 3 'x' and sa = [| "u" |] in
  ignore (t "arr" a).(t "i" 1); (t "arr" a).(t "i" 1) <- t "v" 5; nl ();
  ignore (t "fa" fa).(t "i" 1); (t "fa" fa).(t "i" 1) <- t "v" 5.; (t "sa" sa).(t "i" 0) <- t "v" "q"; nl ();
  ignore s.[t "i" 1]; ignore (t "s" s).[1]; nl ();
  let g : 'a. 'a array -> int -> 'a -> unit = fun x i v -> ignore (t "g" x).(t "i" i); (t "g" x).(t "i" i) <- t "v" v in g a 0 1; g fa 0 1.; g sa 0 "z"; nl ();
  let r = ref 0 in (t "r" r) := t "v" 3; nl ();
  incr (t "r" r); print_int !(t "r" r); nl ();
  ignore (t "a" 1 land t "b" 2 lor t "c" 3); ignore (t "a" 1 lsl t "b" 2); nl ();
  ignore (t "a" true && t "b" false && t "c" true); ignore (t "a" false || t "b" true || t "c" true); nl ();
  ignore (not (t "a" true)); ignore (t "a" 1 == t "b" 2); ignore (t "a" 1 != t "b" 2); nl ();
  ignore (if t "a" true && not (t "b" false) then t "then" 1 else t "else" 2); nl ();
  ignore (max (t "a" 1) (t "b" 2)); ignore (min (t "a" 1.) (t "b" 2.)); nl ();
  ignore (String.sub (t "s" s) (t "o" 0) (t "l" 1)); ignore (String.concat (t "sep" ",") (t "l" [])); nl ();
  let l = t "1" 1 :: t "2" 2 :: [] in ignore l; nl ();
  t "seq1" (); t "seq2" (); ignore (t "x" 1); nl ();
  ignore (let x = t "let" 1 in t "body" x); ignore (let x = t "x" 1 and y = t "y" 2 in x + y); nl ();
  while t "cond" (!r < 6) do t "body" (incr r) done; nl ();
  for i = t "lo" 1 to t "hi" 2 do t (string_of_int i) () done; nl ();
  for i = t "hi" 2 downto t "lo" 1 do t (string_of_int i) () done; nl ();
  (match t "scrut" 1, t "scrut2" 2 with 1, 2 when t "guard" false -> () | _ when t "guard2" true -> t "arm" () | _ -> ()); nl ();
  ignore (Array.make (t "n" 1) (t "v" 0)); ignore (Array.blit (t "a" a) (t "b" 0) (t "c" a) (t "d" 0) (t "e" 1)); nl ();
  ignore (fst (t "a" 1, t "b" 2)); ignore (snd (t "a" 1, t "b" 2)); nl ();
  ignore (Lazy.force (t "l" (lazy (t "forced" 1)))); nl ();
  ignore (ignore (t "ig" 1)); (try raise_notrace (t "exn" Exit) with Exit -> nl ())
