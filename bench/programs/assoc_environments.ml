(* An evaluator whose environments are association lists, on names and on pairs of a scope and a name. *)

type expression =
  | Int of int
  | Var of string
  | Add of expression * expression
  | Mul of expression * expression
  | Let of string * expression * expression
  | If of expression * expression * expression
  | Fun of string * expression
  | Call of expression * expression

type value = Number of int | Closure of string * expression * (string * value) list

let number = function Number n -> n | Closure _ -> failwith "a number"

let rec eval env = function
  | Int n -> Number n
  | Var x -> List.assoc x env
  | Add (a, b) -> Number (number (eval env a) + number (eval env b))
  | Mul (a, b) -> Number (number (eval env a) * number (eval env b) land 0xffff)
  | Let (x, a, b) -> eval ((x, eval env a) :: env) b
  | If (c, a, b) -> if number (eval env c) <> 0 then eval env a else eval env b
  | Fun (x, body) -> Closure (x, body, env)
  | Call (f, a) -> (
      match eval env f with
      | Closure (x, body, inner) -> eval ((x, eval env a) :: inner) body
      | Number _ -> failwith "a function")

let rec free bound = function
  | Int _ -> []
  | Var x -> if List.mem x bound then [] else [ x ]
  | Add (a, b) | Mul (a, b) | Call (a, b) -> free bound a @ free bound b
  | Let (x, a, b) -> free bound a @ free (x :: bound) b
  | If (a, b, c) -> free bound a @ free bound b @ free bound c
  | Fun (x, body) -> free (x :: bound) body

let rec nested n =
  if n = 0 then Add (Var "x0", Mul (Var "x3", Var "x7"))
  else
    let x = "x" ^ string_of_int (n land 15) in
    Let (x, Add (Var "x0", Int n), If (Var x, nested (n - 1), Var "x1"))

(* Numbers of a scope and a name. *)
let rec updated key f = function
  | [] -> [ (key, f 0) ]
  | (other, n) :: rest -> if other = key then (key, f n) :: rest else (other, n) :: updated key f rest

let census n =
  let rec go i env =
    if i = n then env else go (i + 1) (updated (i land 3, "v" ^ string_of_int (i mod 7)) (fun k -> k + i) env)
  in
  let env = go 0 [] in
  List.fold_left (fun sum scope -> sum + (match List.assoc_opt (scope, "v3") env with Some k -> k | None -> 0)) 0 [ 0; 1; 2; 3; 4 ]

let () =
  let term = nested 60 and start = List.init 12 (fun i -> ("x" ^ string_of_int i, Number i)) in
  let twice = Let ("twice", Fun ("f", Fun ("y", Call (Var "f", Call (Var "f", Var "y")))), Call (Call (Var "twice", Fun ("z", Add (Var "z", Var "x5"))), Int 3)) in
  let sum = ref 0 in
  for i = 1 to 40_000 do
    let env = ("x0", Number i) :: start in
    sum := (!sum + number (eval env term) + number (eval env twice)) land 0xffffff
  done;
  Printf.printf "evaluated %d\n" !sum;
  let names = ref 0 in
  for _ = 1 to 10_000 do names := !names + List.length (free [ "x1"; "x2" ] term) done;
  Printf.printf "free %d\n" !names;
  Printf.printf "census %d\n" (census 600_000)
