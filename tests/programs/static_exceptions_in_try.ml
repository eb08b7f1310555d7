(* flags: -w -a *)
(* Or-patterns, guards and shared arms crossing try and loops, with mutable variables live. *)
exception E of string
type tok = Num of int | Op of char | Id of string | End
let f t u = let r = ref 0 in
  let s = (try match t, u with
    | (Num n, Op '+') | (Op '+', Num n) when (r := !r + 1; n > 0) -> r := !r + n; if n > 100 then raise (E "big") else "plus"
    | (Num n, Op c) | (Op c, Num n) -> r := !r + 1000; String.make (min 3 (abs n)) c
    | (Id s, Id t) when (r := !r + 7; s = t) -> s
    | (Id s, _) | (_, Id s) -> r := !r * 2; if s = "raise" then raise Exit; s
    | End, End -> raise Not_found
    | _ -> "other"
  with Exit -> r := - !r; "exit" | E s -> r := !r + 1; s | Not_found when !r = 0 -> "nf") in
  Printf.sprintf "%s:%d" s !r
let nest l = let c = ref 0 in
  let rec go l = match l with
    | [] -> []
    | (0 | 1) :: r | 2 :: 2 :: r -> incr c; go r
    | x :: r -> (try (match x, r with (5, (y :: _)) | (y, (5 :: _)) when y > 5 -> c := !c + 10; raise_notrace Exit | (n, _) -> n :: go r) with Exit -> -1 :: go r) in
  let v = go l in (!c, v)
let classify x = let k = ref x in
  let res = match (try if !k > 3 then (k := !k - 3; `S (10 / (!k - 2))) else (k := 99; `N) with Division_by_zero -> `Z) with
    | `S n when n > 5 -> "large" | `S (1 | 2 | 3) -> "small" | `S _ | `N -> "mid" | `Z -> "zero" in
  res ^ string_of_int !k
let multi a b c = match a, b, c with
  | true, _, false -> 1 | false, true, _ -> 2 | _, false, true -> 3 | true, true, true -> 4 | false, false, false -> 5
let () =
  let toks = [ Num 5; Num 200; Num (-2); Op '+'; Op '*'; Id "a"; Id "raise"; End ] in
  List.iter (fun a -> List.iter (fun b -> Printf.printf "%s " (match f a b with s -> s | exception Not_found -> "NF")) toks; print_newline ()) toks;
  let c, l = nest [ 0; 5; 6; 2; 2; 7; 5; 3; 1; 9 ] in Printf.printf "%d" c; List.iter (Printf.printf " %d") l; print_newline ();
  for i = 0 to 16 do Printf.printf "%s " (classify i) done; print_newline ();
  List.iter (fun a -> List.iter (fun b -> List.iter (fun c -> print_int (multi a b c)) [ true; false ]) [ true; false ]) [ true; false ]; print_newline ()
