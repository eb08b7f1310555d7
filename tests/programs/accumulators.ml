(* flags: -w -a *)
(* Functions that add, multiply or combine bits with the results of their calls of themselves: order of evaluation,
   exceptions and what is read behind a call stay as they are; integers wrap. *)
type tree = Leaf | Node of tree * int * tree
type expr = Num of int | Add of expr * expr | Sub of expr * expr | Mul of expr * expr | If of expr * expr * expr

let rec length = function [] -> 0 | _ :: l -> 1 + length l
let rec size = function Leaf -> 0 | Node (l, _, r) -> size l + 1 + size r
let rec total = function Leaf -> 0 | Node (l, x, r) -> total l + x + total r
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let rec fact n = if n = 0 then 1 else n * fact (n - 1)
let rec bits n = if n = 0 then 0 else (n land 1) lor (bits (n lsr 1) lor 4)
let rec mask l = match l with [] -> -1 | x :: l -> x land mask l
let rec parity l = match l with [] -> 0 | x :: l -> x lxor parity l
let rec less n = if n <= 0 then 100 else less (n - 1) - n
let rec against n = if n <= 0 then 100 else n - against (n - 1)
let rec nodes = function
  | Num _ -> 1
  | Add (a, b) | Sub (a, b) | Mul (a, b) -> 1 + nodes a + nodes b
  | If (a, b, c) -> 1 + nodes a + nodes b + nodes c

(* Joins inside of sums, several ways to the end, calls that are no part of the sum. *)
let rec joined n = if n <= 0 then 0 else 1 + (match n mod 3 with 0 -> joined (n - 1) | 1 -> 10 + joined (n - 2) | _ -> n)
let rec counted p = function [] -> 0 | x :: l -> if p x then 1 + counted p l else counted p l
let rec nested n = if n <= 0 then 1 else nested (n - nested (n - 1)) + 1
let rec hofstadter n = if n = 0 then 0 else n - hofstadter (hofstadter (n - 1))
let rec twice n = if n = 0 then 1 else let x = twice (n - 1) in x + x

(* What is added is computed behind the call, from what does not change. *)
let rec digits n = if n = 0 then 0 else (n mod 10) + digits (n / 10)
let rec ways n = if n <= 0 then 0 else (n * n) + if n land 1 = 0 then ways (n - 1) else ways (n - 3)
let rec products l = match l with [] -> 1 | x :: l -> let y = x lxor 3 in (y + 1) * products l

(* What is added is loaded behind the call: where the function assigns nothing, it may be loaded before. *)
type account = { mutable balance : int; rate : int }
let rec sum = function [] -> 0 | x :: l -> x + sum l
let rec held = function [] -> 0 | a :: l -> a.balance + held l
let rec drained = function [] -> 0 | a :: l -> a.balance + (a.balance <- a.balance / 2; drained l)
let rec moved a = function [] -> 0 | b :: l -> a.balance + (b.balance <- b.balance + a.rate; moved b l)
let rec at v i = if i = Array.length v then 0 else v.(i) + at v (i + 1)
let rec beyond v i = if i > Array.length v then 0 else v.(i) + beyond v (i + 1)

(* What is printed, read and raised keeps its place. *)
let trace = Buffer.create 100
let say s x = Buffer.add_string trace s; x
let rec told n = if n = 0 then say "." 0 else let x = say (string_of_int n) n in x + told (n - 1)
let rec told_after n = if n = 0 then say "." 0 else say (string_of_int n) n + told_after (n - 1)
let cell = ref 0
let rec reads n = if n = 0 then (cell := 5; 0) else let m = reads (n - 1) in m + !cell
let rec raises n = if n = 0 then raise Exit else 1 + raises (n - 1)
let rec divides l = match l with [] -> 0 | x :: l -> let y = 100 / x in y + divides l
let rec tries n = if n = 0 then failwith "end" else 1 + (try tries (n - 1) with Failure _ -> 40)

(* Not all that a function of a type with a parameter returns is an integer. *)
type _ t = Int : int -> int t | Plus : int t * int t -> int t | Both : 'a t * 'b t -> ('a * 'b) t | First : ('a * 'b) t -> 'a t
let rec eval : type a. a t -> a = function
  | Int n -> n
  | Plus (a, b) -> eval a + eval b
  | Both (a, b) -> (eval a, eval b)
  | First p -> fst (eval p)

(* Tail calls of others stay tail calls. *)
let rec even n = if n = 0 then 1 else if n < 0 then 2 + even (n + 2) else odd (n - 1)
and odd n = if n = 0 then 0 else if n < 0 then 2 + odd (n + 2) else even (n - 1)
let rec continued n k = if n < 0 then 3 + continued (n + 1) k else if n = 0 then k 0 else continued (n - 1) (fun x -> k (x + 1))

(* Local functions, labels, partial applications, functors. *)
let local a = let rec go i = if i = Array.length a then 0 else let x = a.(i) in x + go (i + 1) in go 0
let rec labelled ~step ?(from = 10) () = if from <= 0 then 0 else from + labelled ~step ~from:(from - step) ()
module Count (X : sig type t val weight : t -> int end) = struct
  let rec all = function [] -> 0 | x :: l -> let w = X.weight x in w + all l
end
module C = Count (struct type t = string let weight = String.length end)

let rec build n = if n = 0 then Leaf else Node (build (n - 1), n, build (n - 2 + (n land 1)))
let rec range a b = if a > b then [] else a :: range (a + 1) b

let () =
  let l = range 1 1000 in
  Printf.printf "%d %d %d\n" (length l) (counted (fun x -> x land 3 = 0) l) (List.fold_left (fun n f -> n + f l) 0 [ length; mask; parity ]);
  let t = build 9 in
  Printf.printf "%d %d\n" (size t) (total t);
  Printf.printf "%d %d %d %d\n" (fib 20) (fact 20) (fact 30) (fact 70);
  Printf.printf "%d %d %d %d %d\n" (bits 1000) (mask [ 0xff; 0x3c; 0x7f ]) (parity l) (less 20) (against 21);
  let e = If (Num 1, Add (Mul (Num 2, Num 3), Sub (Num 4, Num 5)), Mul (Num 6, If (Num 0, Num 7, Num 8))) in
  Printf.printf "%d %d %d %d %d %d\n" (nodes e) (joined 100) (joined 99) (nested 12) (hofstadter 40) (twice 12);
  Printf.printf "%d %d %d\n" (digits 9876543210) (ways 101) (products [ 1; 2; 8; 30 ]);
  let account balance = { balance; rate = balance mod 7 } in
  let a = account 100 in
  let accounts = [ a; account 30; a; account 20; a ] in
  Printf.printf "%d %d " (sum l) (held accounts);
  let d = drained accounts in
  let m = moved a accounts in
  Printf.printf "%d %d %d\n" d m (held accounts);
  Printf.printf "%d " (at [| 3; 1; 4; 1; 5 |] 0);
  (match beyond [| 3; 1; 4 |] 0 with n -> print_int n | exception Invalid_argument m -> print_endline m);
  Printf.printf "%d %d " (told 5) (told_after 5);
  print_endline (Buffer.contents trace);
  Printf.printf "%d %d\n" (reads 4) !cell;
  (match raises 10 with n -> print_int n | exception Exit -> print_endline "exit");
  (match divides [ 5; 4; 0; 3 ] with n -> print_int n | exception Division_by_zero -> print_endline "division");
  Printf.printf "%d %d\n" (divides [ 5; 4; 3 ]) (tries 3);
  let a, b = eval (Both (Plus (Int 1, Plus (Int 2, Int 3)), First (Both (Int 7, Int 8)))) in
  Printf.printf "%d %d\n" a b;
  Printf.printf "%d %d %d\n" (even 1_000_001) (odd (-9)) (continued 200_000 (fun x -> x));
  Printf.printf "%d %d %d\n" (local (Array.init 50 (fun i -> i * i))) (labelled ~step:3 ()) (C.all [ "a"; "bcd"; "" ]);
  let partial = List.map counted [ (fun x -> x > 500); (fun _ -> false) ] in
  List.iter (fun f -> Printf.printf "%d " (f l)) partial;
  print_newline ()
