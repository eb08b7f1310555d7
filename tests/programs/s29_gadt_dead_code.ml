(* flags: -w -a *)
(* soundness 29: arms that inlining makes dead may load from the wrong shape. *)
type (_, _) eq = Refl : ('a, 'a) eq
type _ ty = Int : int ty | Float : float ty | Str : string ty | Pair : 'a ty * 'b ty -> ('a * 'b) ty | List : 'a ty -> 'a list ty | Arr : 'a ty -> 'a array ty | Fun : ('a -> 'b) ty
let[@inline] rec show : type a. a ty -> a -> string = fun t x -> match t with
  | Int -> string_of_int x | Float -> string_of_float x | Str -> x
  | Pair (a, b) -> let (u, v) = x in show a u ^ "," ^ show b v
  | List a -> String.concat ";" (List.map (show a) x)
  | Arr a -> String.concat "|" (Array.to_list (Array.map (show a) x))
  | Fun -> "<fun>"
let[@inline] size : type a. a ty -> a -> int = fun t x -> match t with
  | Int -> x | Float -> int_of_float (x *. 2.) | Str -> String.length x + Char.code x.[0]
  | Pair (Int, Int) -> fst x + snd x | Pair (Float, _) -> int_of_float (fst x) | Pair _ -> 0
  | List _ -> List.length x | Arr Float -> int_of_float x.(0) | Arr _ -> Array.length x | Fun -> 1
let[@inline] eqt : type a b. a ty -> b ty -> (a, b) eq option = fun a b -> match a, b with
  | Int, Int -> Some Refl | Float, Float -> Some Refl | Str, Str -> Some Refl | _ -> None
let[@inline] cast : type a b. a ty -> b ty -> a -> b option = fun a b x -> match eqt a b with Some Refl -> Some x | None -> None
let[@inline] upd : type a. a ty -> a array -> a -> unit = fun t arr x -> match t with
  | Int -> arr.(0) <- x + 1 | Float -> arr.(0) <- x +. 0.5 | Str -> arr.(0) <- x ^ "!" | _ -> arr.(0) <- x
let () =
  Printf.printf "%d %d %d %d\n" (size Int 3) (size Float 1.5) (size Str "abc") (size (Pair (Int, Int)) (3, 4));
  Printf.printf "%d %d %d %d\n" (size (Pair (Float, Int)) (9.5, 1)) (size (List Int) [ 1; 2 ]) (size (Arr Float) [| 6.5 |]) (size (Arr Int) [| 6 |]);
  print_endline (show (Pair (List (Pair (Int, Str)), Arr Float)) ([ (1, "a"); (2, "b") ], [| 1.; 2. |]));
  Printf.printf "%b %b\n" (cast Int Str 3 = None) (cast Float Float 3. = Some 3.);
  let a = [| 1 |] and b = [| 1. |] and c = [| "s" |] in
  upd Int a 4; upd Float b 4.; upd Str c "t";
  Printf.printf "%d %g %s\n" a.(0) b.(0) c.(0);
  print_endline (show Fun (fun x -> x))
