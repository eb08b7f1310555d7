(* flags: -w -a *)
(* Evaluation order in tuples, constructors, records, arrays, lists, variants, with. *)
let t s v = print_string s; print_char ' '; v
let nl () = print_newline ()
type r = { a : int; b : int; mutable c : string }
type fr = { x : float; y : float; z : float }
type v = K of int * int | I of { p : int; q : string } | S of v * v
type p = { g : 'a. 'a -> 'a; h : int }
exception E of int * int
let () =
  ignore (t "1" 1, t "2" 2, t "3" 3, t "4" 4); nl ();
  ignore { a = t "a" 1; b = t "b" 2; c = t "c" "" }; nl ();
  ignore { c = t "c" ""; b = t "b" 2; a = t "a" 1 }; nl ();
  let r = { a = 1; b = 2; c = "c" } in
  ignore { (t "r" r) with b = t "b" 3; a = t "a" 4 }; nl ();
  let r2 = { r with c = t "c" (r.c ^ "!") } in print_string r2.c; nl ();
  ignore { x = t "x" 1.; y = t "y" 2.; z = t "z" 3. }; nl ();
  let f = { x = 1.; y = 2.; z = 3. } in ignore { f with z = t "z" 0.; x = t "x" 0. }; nl ();
  ignore (K (t "1" 1, t "2" 2)); ignore (I { q = t "q" ""; p = t "p" 1 }); nl ();
  ignore (S (K (t "1" 1, t "2" 2), S (K (t "3" 3, t "4" 4), I { p = t "5" 5; q = t "6" "" }))); nl ();
  ignore [ t "1" 1; t "2" 2; t "3" 3 ]; ignore (t "h" 1 :: t "tl" []); nl ();
  ignore [| t "1" 1; t "2" 2; t "3" 3 |]; ignore [| t "1" 1.; t "2" 2. |]; nl ();
  ignore (let g a b = [| t "x" a; t "y" b |] in (g "a" "b", g "c" "d")); nl ();
  ignore (`A (t "1" 1, t "2" 2)); ignore (`B (t "3" 3)); nl ();
  (try raise (E (t "1" 1, t "2" 2)) with E (a, b) -> print_int (a + b)); nl ();
  ignore (ref (t "ref" 1)); ignore (lazy (t "never" 1)); ignore (Some (t "some" (Some (t "in" 1)))); nl ();
  ignore { h = t "h" 1; g = (fun x -> x) }; nl ();
  let (a, b) = (t "l" 1, t "r" 2) and c = t "and" 3 in print_int (a + b + c); nl ();
  ignore (t "assert" (assert (t "cond" true))); nl ();
  ignore (object val v = t "val" 1 method m = t "m" v initializer t "init" () end)#m; nl ();
  let module M = struct let a = t "M.a" 1 let b = t "M.b" 2 end in print_int M.b; nl ();
  ignore ((t "x" 1, t "y" 2) = (t "z" 1, t "w" 2)); nl ();
  let n = ref 0 in let next () = incr n; !n in
  let l = [ next (); next (); next () ] in List.iter print_int l;
  let (a, b, c) = (next (), next (), next ()) in Printf.printf " %d%d%d" a b c;
  let r = { a = next (); b = next (); c = string_of_int (next ()) } in Printf.printf " %d%d%s" r.a r.b r.c;
  let a = [| next (); next () |] in Printf.printf " %d%d\n" a.(0) a.(1)
