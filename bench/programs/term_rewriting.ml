(* First-order term rewriting with pattern matching and innermost normalisation. *)

type term = Var of string | App of string * term list

type rule = { lhs : term; rhs : term }

module Subst = Map.Make (String)

exception No_match

let rec matches subst pattern term =
  match pattern, term with
  | Var x, _ -> (
    match Subst.find_opt x subst with
    | None -> Subst.add x term subst
    | Some bound -> if equal bound term then subst else raise No_match)
  | App (f, ps), App (g, ts) when String.equal f g -> List.fold_left2 matches subst ps ts
  | App _, (App _ | Var _) -> raise No_match

and equal a b =
  match a, b with
  | Var x, Var y -> String.equal x y
  | App (f, xs), App (g, ys) ->
    String.equal f g && List.compare_lengths xs ys = 0 && List.for_all2 equal xs ys
  | Var _, App _ | App _, Var _ -> false

let rec instantiate subst = function
  | Var x -> Subst.find x subst
  | App (_, []) as t -> t
  | App (f, args) -> App (f, List.map (instantiate subst) args)

(* Rules are looked up by the symbol at their root. *)
module System = struct
  type t = { by_root : rule list Subst.t; mutable steps : int }

  let make rules =
    let add rule by_root =
      match rule.lhs with
      | Var _ -> invalid_arg "System.make: a variable as left-hand side"
      | App (f, _) ->
        Subst.update f (fun rs -> Some (rule :: Option.value rs ~default:[])) by_root
    in
    { by_root = List.fold_right add rules Subst.empty; steps = 0 }

  let rec first_match term = function
    | [] -> None
    | rule :: rest -> (
      match matches Subst.empty rule.lhs term with
      | subst -> Some (subst, rule.rhs)
      | exception No_match -> first_match term rest)

  (* The term under the substitution, with the matched parts known to be in
     normal form. *)
  let rec normalise t = function
    | Var _ as v -> v
    | App (f, args) -> reduce t f (List.map (normalise t) args)

  and reduce t f args =
    let term = App (f, args) in
    match Subst.find_opt f t.by_root with
    | None -> term
    | Some rules -> (
      match first_match term rules with
      | None -> term
      | Some (subst, rhs) ->
        t.steps <- t.steps + 1;
        build t subst rhs)

  and build t subst = function
    | Var x -> Subst.find x subst
    | App (f, args) -> reduce t f (List.map (build t subst) args)
end

(* Peano arithmetic, lists and sorting. *)
let v x = Var x
let zero = App ("zero", [])
let s t = App ("s", [ t ])
let nil = App ("nil", [])
let tru = App ("true", [])
let fls = App ("false", [])
let ap f args = App (f, args)
let cons x l = ap "cons" [ x; l ]
let ( --> ) lhs rhs = { lhs; rhs }

let rules =
  let x = v "x" and y = v "y" and l = v "l" in
  [ ap "add" [ zero; y ] --> y;
    ap "add" [ s x; y ] --> s (ap "add" [ x; y ]);
    ap "mul" [ zero; y ] --> zero;
    ap "mul" [ s x; y ] --> ap "add" [ y; ap "mul" [ x; y ] ];
    ap "fact" [ zero ] --> s zero;
    ap "fact" [ s x ] --> ap "mul" [ s x; ap "fact" [ x ] ];
    ap "leq" [ zero; y ] --> tru;
    ap "leq" [ s x; zero ] --> fls;
    ap "leq" [ s x; s y ] --> ap "leq" [ x; y ];
    ap "insert" [ x; nil ] --> cons x nil;
    ap "insert" [ x; cons y l ] --> ap "place" [ ap "leq" [ x; y ]; x; y; l ];
    ap "place" [ tru; x; y; l ] --> cons x (cons y l);
    ap "place" [ fls; x; y; l ] --> cons y (ap "insert" [ x; l ]);
    ap "sort" [ nil ] --> nil;
    ap "sort" [ cons x l ] --> ap "insert" [ x; ap "sort" [ l ] ];
    ap "same" [ x; x ] --> tru;
    ap "same" [ x; y ] --> fls ]

let rec of_int n = if n = 0 then zero else s (of_int (n - 1))

let rec to_int = function
  | App ("zero", []) -> 0
  | App ("s", [ t ]) -> 1 + to_int t
  | App _ | Var _ -> invalid_arg "to_int"

let rec of_list = function [] -> nil | n :: rest -> cons (of_int n) (of_list rest)

let rec to_list = function
  | App ("cons", [ x; l ]) -> to_int x :: to_list l
  | App _ | Var _ -> []

let commutes system a b =
  let product a b = ap "mul" [ of_int a; of_int b ] in
  match System.normalise system (ap "same" [ product a b; product b a ]) with
  | App ("true", []) -> true
  | App _ | Var _ -> false

let () =
  let system = System.make rules in
  let run term = System.normalise system term in
  Printf.printf "8! = %d\n" (to_int (run (ap "fact" [ of_int 8 ])));
  let sorts_well length =
    let items = List.init length (fun i -> i * 37 mod 53) in
    to_list (run (ap "sort" [ of_list items ])) = List.sort compare items
  in
  Printf.printf "sorted %b\n" (List.for_all sorts_well (List.init 130 (fun i -> i)));
  let pairs = List.init 60 (fun i -> (40 + i, 120 - i)) in
  Printf.printf "commutes %b\n" (List.for_all (fun (a, b) -> commutes system a b) pairs);
  Printf.printf "one is %d\n" (to_int (instantiate (Subst.singleton "x" zero) (s (v "x"))));
  Printf.printf "steps %d\n" system.System.steps
