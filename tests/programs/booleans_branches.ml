(* flags: -w -a *)
(* Conditions of every shape: nested && and ||, negations, comparisons in values and tests, float tests negated, shared arms. *)
let o = Sys.opaque_identity
let xor a b = (a || b) && not (a && b) let imp a b = (not a) || b let maj a b c = (a && b) || (b && c) || (a && c)
let tri a b c = if a then if b then if c then 7 else 6 else if c then 5 else 4 else if b then if c then 3 else 2 else if c then 1 else 0
let f a b c d = if (a && (b || not c)) || ((not a) && (c && d)) then 1 else if not (a || b || (c && not d)) then 2 else 3
let cmpv a b = (a < b, not (a < b), a = b, a <> b && a > b, (a <= b) = (b >= a), if a < b then a else b)
let fl x y = (if x < y then 1 else 0) + (if not (x < y) then 2 else 0) + (if x >= y then 4 else 0) + (if not (x >= y) then 8 else 0) + (if x = y then 16 else 0) + (if x <> y then 32 else 0) + (if not (x = y || x > y) then 64 else 0) + if x < y || x > y then 128 else 0
let range x = 0 <= x && x < 10 let range2 x = x >= Char.code 'a' && x <= Char.code 'z' || x = 95 let neg x = not (not (not (x = 3)))
let b2i b = if b then 1 else 0 let i2b i = i <> 0 let id_if x = if x then true else false let not_if x = if x then false else true let same x y = if x then y else y let cst x = if x then 3 else 3 let lazy_or a = a || (print_string "R"; false) let lazy_and a = a && (print_string "A"; true)
let in_arg a b = List.length [ a && b; a || b; not a; a = b; a < b ] + b2i (a == b) let ret_bool x = match x with 0 -> false | 1 -> true | n -> n > 5 && n < 10
let assign x = let r = ref false in r := x > 0 && (r := true; x < 5); let s = if !r then not !r else x = 0 in (!r, s) let when_ x = match x with n when n > 0 && (n < 3 || n = 7) -> "a" | n when not (n < 0 || n > 100) -> "b" | _ -> "c"
let str s = s = "a" || s <> "b" && String.length s > 2 let int64 a b = if Int64.compare a b < 0 || a = 0L then "lt" else if a > b && not (b < 0L) then "gt" else "eq" let isnull l = l = [] let phys a = a == [] let consts = (true && false, true || false, not true, (if true then 1 else 2), (if 1 < 2 then "y" else "n"), 'a' < 'b', 1. < 2., "a" = "a")
let () =
  let bs = [ true; false ] in List.iter (fun a -> List.iter (fun b -> Printf.printf "%b%b %d%d " (xor a b) (imp a b) (in_arg a b) (b2i (same a b)); List.iter (fun c -> Printf.printf "%b%d" (maj a b c) (tri a b c); List.iter (fun d -> print_int (f a b c d)) bs) bs) bs; print_newline ()) bs;
  List.iter (fun (a, b) -> let p, q, r, s, t, u = cmpv a b in Printf.printf "%b%b%b%b%b%d " p q r s t u) [ (1, 2); (2, 1); (3, 3); (min_int, max_int) ]; List.iter (fun x -> List.iter (fun y -> Printf.printf "%d " (fl x y)) [ 0.; 1.; nan; -0.; infinity ]) [ 0.; 1.; nan ]; print_newline (); List.iter (fun x -> Printf.printf "%b%b%b%b%s " (range x) (range2 x) (neg x) (ret_bool x) (when_ x)) [ -1; 0; 1; 2; 3; 7; 9; 10; 95; 97; 123; 101 ]; print_newline ();
  Printf.printf "%b%b%b%b%d " (i2b 0) (i2b 5) (id_if (o true)) (not_if (o true)) (cst (o false)); Printf.printf "%b%b%b%b " (lazy_or true) (lazy_or false) (lazy_and true) (lazy_and false); List.iter (fun x -> let a, b = assign x in Printf.printf "%b%b " a b) [ 0; 3; 9 ]; Printf.printf "%b%b%b %s%s%s %b%b%b\n" (str "a") (str "b") (str "ccc") (int64 0L 0L) (int64 5L 3L) (int64 5L (-3L)) (isnull []) (isnull [ 1 ]) (phys (o [])); let a, b, c, d, e, f, g, h = consts in Printf.printf "%b%b%b%d%s%b%b%b\n" a b c d e f g h
