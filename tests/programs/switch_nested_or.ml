(* flags: -w -a *)
(* Nested or-patterns, aliases, guards reading mutable state, constants in deep positions, exhaustive tables. *)
type c = R | G | B | Y | Rgb of int * int * int
type t = E | T of t * c * int * t
let bal = function
  | T (T (T (a, R, x, b), R, y, c), B, z, d) | T (T (a, R, x, T (b, R, y, c)), B, z, d) | T (a, B, x, T (T (b, R, y, c), R, z, d)) | T (a, B, x, T (b, R, y, T (c, R, z, d))) -> T (T (a, B, x, b), R, y, T (c, B, z, d))
  | t -> t
let ins k t = let rec go = function E -> T (E, R, k, E) | T (l, c, x, r) as t -> if k < x then bal (T (go l, c, x, r)) else if k > x then bal (T (l, c, x, go r)) else t in match go t with T (l, _, x, r) -> T (l, B, x, r) | E -> E
let rec depth = function E -> 0 | T (l, _, _, r) -> 1 + max (depth l) (depth r)
let rec elems = function E -> [] | T (l, _, x, r) -> elems l @ (x :: elems r)
let rec black = function E -> Some 0 | T (l, c, _, r) -> (match black l, black r with Some a, Some b when a = b -> Some (a + if c = B then 1 else 0) | _ -> None)
let mix a b = match a, b with (R, G | G, R) -> "yellow" | (R | Rgb (255, 0, 0)), (B | Rgb (0, 0, 255)) | (B | Rgb (0, 0, 255)), (R | Rgb (255, 0, 0)) -> "magenta" | (x, y) when x = y -> "same" | Rgb (r, _, b), Rgb (r', _, b') when r = b' && b = r' -> "swap" | Rgb (0 | 1 | 2 as n, ((3 | 4) as m), _), _ -> string_of_int (n + m) | (Y | Rgb _), _ -> "left" | _, Y -> "y" | _ -> "other"
let st = ref 0
let guard x = match x with Some n when (incr st; n = !st) -> "hit" | Some (1 | 2) when (st := !st + 10; false) -> "never" | Some (1 | 2 | 3) -> "small" | None when !st > 30 -> "none late" | None -> "none" | Some _ -> "big"
let deep = function ([ (1, Some ('a' | 'b')) ] | [ _; (1, Some 'c') ]), ("x" | "y") -> 1 | ((_, None) :: _ | [ _; (_, None) ]), s -> String.length s | (([] as l) | (_ :: _ :: _ :: _ as l)), ("long" | _) -> 10 + List.length l | [ (n, Some c) ], _ -> n + Char.code c | _ -> -1
let states s i = match s, i with `Idle, ('a' .. 'z' as c) -> (`Word, Char.code c) | `Idle, '0' .. '9' -> (`Num, 1) | (`Word | `Num), (' ' | '\t') -> (`Idle, 2) | `Word, ('a' .. 'z' | '0' .. '9' | '_') -> (`Word, 3) | `Num, '0' .. '9' -> (`Num, 4) | (`Idle | `Word | `Num), _ -> (`Err, 5) | `Err, _ -> (`Err, 6)
let () =
  let t = List.fold_left (fun t k -> ins k t) E (List.init 200 (fun i -> (i * 37) mod 101)) in Printf.printf "%d %d %b %s\n" (depth t) (List.length (elems t)) (elems t = List.sort compare (elems t)) (match black t with Some n -> string_of_int n | None -> "bad");
  let cs = [ R; G; B; Y; Rgb (255, 0, 0); Rgb (0, 0, 255); Rgb (1, 3, 9); Rgb (9, 3, 1) ] in List.iter (fun a -> List.iter (fun b -> print_string (mix a b ^ " ")) cs; print_newline ()) cs; List.iter (fun x -> print_string (guard x ^ " ")) [ Some 1; Some 1; Some 2; None; Some 24; Some 9; Some 3; None; None ]; Printf.printf "%d\n" !st;
  List.iter (fun x -> Printf.printf "%d " (deep x)) [ ([ (1, Some 'a') ], "x"); ([ (2, Some 'a'); (1, Some 'c') ], "y"); ([ (1, None) ], "four"); ([ (1, Some 'q'); (2, None) ], "ab"); ([], "long"); ([ (1, Some 'a'); (2, Some 'b'); (3, Some 'c') ], ""); ([ (1, Some 'a') ], "z"); ([ (5, Some 'z'); (6, Some 'z') ], "q") ]; let s = ref `Idle in String.iter (fun c -> let n, k = states !s c in Printf.printf "%d " k; s := n) "ab1_ 42 x9 4a!"; print_newline ()
