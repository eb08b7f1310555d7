(* An interpreter of a small functional language, with a Map for environments, checked on programs in it;
   then a word count over what they print. Shows functors, closures as data, and higher-order functions. *)

module Env = Map.Make (String)

type expression =
  | Int of int
  | Var of string
  | Lambda of string * expression
  | Apply of expression * expression
  | Let of string * expression * expression
  | Rec of string * string * expression * expression
  | If of expression * expression * expression
  | Op of (int -> int -> int) * expression * expression
  | Nil
  | Cons of expression * expression
  | Match of expression * expression * string * string * expression

type value =
  | Number of int
  | Closure of string * expression * value Env.t Lazy.t
  | List of value list

exception Stuck of string

let number = function Number n -> n | _ -> raise (Stuck "not a number")
let steps = ref 0

let rec eval env expression =
  incr steps;
  match expression with
  | Int n -> Number n
  | Nil -> List []
  | Var x -> (
      match Env.find_opt x env with Some v -> v | None -> raise (Stuck ("unbound " ^ x)))
  | Lambda (x, body) -> Closure (x, body, lazy env)
  | Let (x, e, body) -> eval (Env.add x (eval env e) env) body
  | Rec (f, x, e, body) ->
      let rec inner = lazy (Env.add f (Closure (x, e, inner)) env) in
      eval (Lazy.force inner) body
  | If (c, yes, no) -> eval env (if number (eval env c) <> 0 then yes else no)
  | Op (op, a, b) ->
      let a = number (eval env a) in
      Number (op a (number (eval env b)))
  | Cons (head, tail) -> (
      let head = eval env head in
      match eval env tail with List l -> List (head :: l) | _ -> raise (Stuck "not a list"))
  | Apply (f, argument) -> (
      match eval env f with
      | Closure (x, body, inner) -> eval (Env.add x (eval env argument) (Lazy.force inner)) body
      | _ -> raise (Stuck "not a function"))
  | Match (e, empty, head, tail, full) -> (
      match eval env e with
      | List [] -> eval env empty
      | List (h :: t) -> eval (env |> Env.add head h |> Env.add tail (List t)) full
      | _ -> raise (Stuck "not a list"))

let var x = Var x
let call f arguments = List.fold_left (fun f a -> Apply (f, a)) f arguments
let add a b = Op (( + ), a, b)
let less a b = Op ((fun a b -> Bool.to_int (a < b)), a, b)

let fibonacci n =
  Rec ( "fib", "n",
        If (less (var "n") (Int 2), var "n",
            add (call (var "fib") [ add (var "n") (Int (-1)) ])
                (call (var "fib") [ add (var "n") (Int (-2)) ])),
        call (var "fib") [ Int n ] )

(* Insertion sort of pseudo-random numbers. *)
let sorting n =
  Rec ( "insert", "x",
        Rec ("into", "l",
             Match (var "l", Cons (var "x", Nil), "h", "t",
                    If (less (var "x") (var "h"), Cons (var "x", var "l"),
                        Cons (var "h", call (var "into") [ var "t" ]))),
             var "into"),
        Rec ( "sort", "l",
              Match (var "l", Nil, "h", "t", call (var "insert") [ var "h"; call (var "sort") [ var "t" ] ]),
              Rec ( "numbers", "seed",
                    Lambda ("n",
                      If (less (var "n") (Int 1), Nil,
                        Let ("next", Op ((fun s _ -> ((s * 1103515245) + 12345) land 0xFFFF), var "seed", Int 0),
                          Cons (var "next", call (var "numbers") [ var "next"; add (var "n") (Int (-1)) ])))),
                    call (var "sort") [ call (var "numbers") [ Int 1; Int n ] ] ) ) )

let rec show = function
  | Number n -> string_of_int n
  | Closure _ -> "function"
  | List l -> "[" ^ String.concat " " (List.map show l) ^ "]"

let run name expression =
  steps := 0;
  match eval Env.empty expression with
  | value ->
      Printf.printf "%s = %s, %d steps\n" name (show value) !steps;
      show value
  | exception Stuck why -> Printf.printf "%s is stuck: %s\n" name why; ""

module Counts = Map.Make (Char)

let () =
  let results =
    List.map
      (fun (name, program) -> run name program)
      [ ("fibonacci 31", fibonacci 31); ("sorting 40", sorting 40); ("nothing", var "nothing");
        ("one of two", call (Int 1) [ Int 2 ]) ] in
  let counts =
    List.fold_left
      (String.fold_left (fun counts c ->
           Counts.update c (fun n -> Some (1 + Option.value n ~default:0)) counts))
      Counts.empty results in
  Counts.iter (fun c n -> Printf.printf "%C %d  " c n) counts;
  print_newline ();
  match eval Env.empty (sorting 1200) with
  | List l -> Printf.printf "sorting 1200: %b\n" (l = List.sort compare l && List.length l = 1200)
  | _ -> assert false
