(* flags: -w -a *)
(* Polymorphic variants: constants, blocks, open rows, inheritance, many tags. *)
type a = [ `A | `B of int ]
type b = [ `C of string | `D ]
type ab = [ a | b ]
let fa : a -> string = function `A -> "A" | `B n -> "B" ^ string_of_int n
let fb : b -> string = function `C s -> "C" ^ s | `D -> "D"
let f : ab -> string = function #a as x -> fa x | #b as y -> fb y
let g = function `A -> 1 | `B 0 -> 2 | `B _ -> 3 | _ -> 4
let days = function `Mon -> 0 | `Tue -> 1 | `Wed -> 2 | `Thu -> 3 | `Fri -> 4 | `Sat -> 5 | `Sun -> 6 | `Off n -> n
let h ?(z = 0) = function `Pair (a, b) -> a + b + z | `Single a -> a | `Nest (`Pair (a, _)) -> a * 10 | `Nest (`Single a) -> a * 100 | `None -> z
let rec eval = function `Int n -> n | `Add (a, b) -> eval a + eval b | `Mul (a, b) -> eval a * eval b | `Neg a -> - eval a
let ext k = function `Sq a -> let v = k a in v * v | #a as x -> String.length (fa x)
let up x = (x : a :> ab)
let tuple = function `X, `Y -> 1 | `Y, `X -> 2 | `X, `X -> 3 | `Y, `Y -> 4
let order l = List.sort compare l
let () =
  List.iter (fun x -> print_string (f x ^ " ")) [ `A; `B 3; `C "s"; `D; up `A ]; List.iter (fun x -> Printf.printf "%d " (g x)) [ `A; `B 0; `B 9; `Other ]; print_newline ();
  List.iter (fun d -> Printf.printf "%d " (days d)) [ `Mon; `Tue; `Wed; `Thu; `Fri; `Sat; `Sun; `Off 42 ]; print_newline ();
  List.iter (fun x -> Printf.printf "%d " (h x)) [ `Pair (1, 2); `Single 4; `Nest (`Pair (5, 6)); `Nest (`Single 7); `None ]; Printf.printf "%d\n" (h ~z:8 `None);
  Printf.printf "%d %d %d\n" (eval (`Add (`Int 3, `Mul (`Int 4, `Neg (`Int 5))))) (ext eval (`Sq (`Int 9))) (ext eval (`B 77));
  List.iter (fun p -> Printf.printf "%d " (tuple p)) [ (`X, `Y); (`Y, `X); (`X, `X); (`Y, `Y) ]; Printf.printf "%b %d\n" (order [ `B 2; `A; `B 1 ] = order [ `A; `B 1; `B 2 ]) (Hashtbl.hash `A - Hashtbl.hash `A)
