(* flags: -w -a *)
(* Matching on GADTs, extensible variants, exceptions. *)
type _ e = Int : int -> int e | Bool : bool -> bool e | If : bool e * 'a e * 'a e -> 'a e | Add : int e * int e -> int e | Eq : 'a e * 'a e -> bool e | Pair : 'a e * 'b e -> ('a * 'b) e | Fst : ('a * 'b) e -> 'a e | Let : 'a e * ('a -> 'b e) -> 'b e
let rec eval : type a. a e -> a = function Int n -> n | Bool b -> b | If (c, a, b) -> if eval c then eval a else eval b | Add (a, b) -> eval a + eval b | Eq (a, b) -> eval a = eval b | Pair (a, b) -> let y = eval b in (eval a, y) | Fst p -> fst (eval p) | Let (a, f) -> eval (f (eval a))
type z = Z type 'n s = S of 'n
type (_, _) vec = Nil : ('a, z) vec | Cons : 'a * ('a, 'n) vec -> ('a, 'n s) vec
let hd : type n. ('a, n s) vec -> 'a = function Cons (x, _) -> x
let rec zip : type n. ('a, n) vec -> ('b, n) vec -> ('a * 'b, n) vec = fun a b -> match a, b with Nil, Nil -> Nil | Cons (x, r), Cons (y, q) -> Cons ((x, y), zip r q)
let rec to_list : type n. ('a, n) vec -> 'a list = function Nil -> [] | Cons (x, r) -> x :: to_list r
type ex = .. 
type ex += A | B of int | C of { x : int; s : string }
type ex += D of ex | E of float
let rec show = function A -> "A" | B 0 -> "B0" | B n -> "B" ^ string_of_int n | C { x; s } when x > 1 -> s | C _ -> "C" | D (D e) -> "DD" ^ show e | D e -> "D" ^ show e | E f -> string_of_float f | _ -> "?"
type ex += F
exception X of int exception Y of string * int exception Z0 exception Alias = Y
let exn f = match f () with n -> n | exception X n when n > 5 -> n | exception (X 1 | Z0) -> 100 | exception X _ -> 200 | exception Y ("a", n) -> n | exception Alias (s, _) -> String.length s | exception (Failure s | Invalid_argument s) -> String.length s | exception Not_found -> -1
let caught e = try raise e with X 0 -> "x0" | X _ | Z0 -> "x|z" | Y (s, n) when s = "" -> string_of_int n | Y _ as y -> Printexc.to_string y | Stack_overflow | Out_of_memory | End_of_file -> "sys" | Match_failure (_, l, _) -> string_of_int l | e -> "other"
type packed = P : 'a e * ('a -> string) -> packed
let () =
  Printf.printf "%d %b %d %d\n" (eval (If (Eq (Int 3, Add (Int 1, Int 2)), Int 10, Int 20))) (eval (Eq (Pair (Int 1, Bool true), Pair (Int 1, Bool true)))) (eval (Fst (Pair (Int 7, Bool false)))) (eval (Let (Int 5, fun n -> Add (Int n, Int n))));
  Printf.printf "%d %d\n" (hd (Cons (3, Nil))) (List.length (to_list (zip (Cons (1, Cons (2, Nil))) (Cons ("a", Cons ("b", Nil))))));
  List.iter (fun e -> print_string (show e ^ " ")) [ A; B 0; B 4; C { x = 1; s = "c" }; C { x = 2; s = "cc" }; D A; D (D (B 1)); E 1.5; F ]; print_newline ();
  List.iter (fun e -> Printf.printf "%d " (exn (fun () -> raise e))) [ X 9; X 1; X 2; Z0; Y ("a", 5); Y ("bcd", 0); Failure "12"; Invalid_argument "1234"; Not_found ]; Printf.printf "%d %s\n" (exn (fun () -> 77)) (match exn (fun () -> raise Exit) with _ -> "" | exception Exit -> "exit");
  List.iter (fun e -> print_string (caught e ^ " ")) [ X 0; X 1; Z0; Y ("", 9); Y ("q", 1); End_of_file; Match_failure ("f", 3, 4); Exit ]; print_newline ();
  List.iter (fun (P (e, s)) -> print_string (s (eval e) ^ " ")) [ P (Int 1, string_of_int); P (Bool true, string_of_bool); P (Pair (Int 1, Int 2), fun (a, b) -> string_of_int (a - b)) ]; print_newline ()
