(* Hindley-Milner inference with mutable unification variables and levels, on generated programs. *)

type ty = Tvar of tvar ref | Arrow of ty * ty | Con of string * ty list
and tvar = Unbound of { id : int; level : int } | Link of ty

type expr =
  | Var of string
  | Int of int
  | Bool of bool
  | Lam of string * expr
  | App of expr * expr
  | Let of string * expr * expr
  | Let_rec of string * expr * expr
  | If of expr * expr * expr
  | Pair of expr * expr

type scheme = Generic_over of int list * ty

exception Unify of ty * ty
exception Unbound_variable of string

let generic_level = max_int
let counter = ref 0
let int = Con ("int", [])
let bool = Con ("bool", [])
let list t = Con ("list", [ t ])
let pair a b = Con ("pair", [ a; b ])

let fresh level =
  incr counter;
  Tvar (ref (Unbound { id = !counter; level }))

let rec repr = function
  | Tvar ({ contents = Link t } as r) ->
    let t = repr t in
    r := Link t;
    t
  | t -> t

(* Checks that [r] is not in the type, and lowers levels on the way. *)
let rec occurs r level t =
  match repr t with
  | Tvar r' when r == r' -> raise (Unify (Tvar r, t))
  | Tvar ({ contents = Unbound u } as r') ->
    if u.level > level then r' := Unbound { u with level }
  | Tvar { contents = Link _ } -> assert false
  | Arrow (a, b) ->
    occurs r level a;
    occurs r level b
  | Con (_, args) -> List.iter (occurs r level) args

let rec unify a b =
  let a = repr a and b = repr b in
  match a, b with
  | Tvar r, Tvar r' when r == r' -> ()
  | Tvar ({ contents = Unbound { level; _ } } as r), t
  | t, Tvar ({ contents = Unbound { level; _ } } as r) ->
    occurs r level t;
    r := Link t
  | Arrow (a1, a2), Arrow (b1, b2) ->
    unify a1 b1;
    unify a2 b2
  | Con (c, xs), Con (d, ys) when String.equal c d && List.compare_lengths xs ys = 0 ->
    List.iter2 unify xs ys
  | (Tvar _ | Arrow _ | Con _), _ -> raise (Unify (a, b))

let generalise level t =
  let rec go acc t =
    match repr t with
    | Tvar { contents = Unbound { id; level = l } } ->
      if l > level && not (List.mem id acc) then id :: acc else acc
    | Tvar { contents = Link _ } -> assert false
    | Arrow (a, b) -> go (go acc a) b
    | Con (_, args) -> List.fold_left go acc args
  in
  Generic_over (go [] t, t)

let instantiate level (Generic_over (ids, t)) =
  if ids = [] then t
  else
    let copies = List.map (fun id -> (id, fresh level)) ids in
    let rec go t =
      match repr t with
      | Tvar { contents = Unbound { id; _ } } as v -> (
        match List.assoc_opt id copies with Some c -> c | None -> v)
      | Tvar { contents = Link _ } -> assert false
      | Arrow (a, b) -> Arrow (go a, go b)
      | Con (_, []) as t -> t
      | Con (c, args) -> Con (c, List.map go args)
    in
    go t

module Env = Map.Make (String)

let monotype t = Generic_over ([], t)

let rec infer env level = function
  | Int _ -> int
  | Bool _ -> bool
  | Var x -> (
    match Env.find_opt x env with
    | Some s -> instantiate level s
    | None -> raise (Unbound_variable x))
  | Lam (x, body) ->
    let arg = fresh level in
    Arrow (arg, infer (Env.add x (monotype arg) env) level body)
  | App (f, a) ->
    let tf = infer env level f in
    let ta = infer env level a in
    let result = fresh level in
    unify tf (Arrow (ta, result));
    result
  | Let (x, e, body) ->
    let t = infer env (level + 1) e in
    infer (Env.add x (generalise level t) env) level body
  | Let_rec (f, e, body) ->
    let tf = fresh (level + 1) in
    let t = infer (Env.add f (monotype tf) env) (level + 1) e in
    unify tf t;
    infer (Env.add f (generalise level tf) env) level body
  | If (c, a, b) ->
    unify (infer env level c) bool;
    let t = infer env level a in
    unify t (infer env level b);
    t
  | Pair (a, b) ->
    let a = infer env level a in
    pair a (infer env level b)

let show t =
  let names = Hashtbl.create 8 in
  let name id =
    match Hashtbl.find_opt names id with
    | Some n -> n
    | None ->
      let n = Printf.sprintf "'%c" (Char.chr (97 + Hashtbl.length names)) in
      Hashtbl.add names id n;
      n
  in
  let rec go t =
    match repr t with
    | Tvar { contents = Unbound { id; _ } } -> name id
    | Tvar { contents = Link _ } -> assert false
    | Arrow (a, b) ->
      let a = go a in
      Printf.sprintf "(%s -> %s)" a (go b)
    | Con (c, args) -> String.concat " " (c :: List.map go args)
  in
  go t

let primitives =
  let a = fresh generic_level and b = fresh generic_level in
  List.fold_left
    (fun env (x, t) -> Env.add x (generalise 0 t) env)
    Env.empty
    [ ("add", Arrow (int, Arrow (int, int)));
      ("less", Arrow (int, Arrow (int, bool)));
      ("nil", list a);
      ("cons", Arrow (a, Arrow (list a, list a)));
      ("head", Arrow (list a, a));
      ("tail", Arrow (list a, list a));
      ("empty", Arrow (list a, bool));
      ("fst", Arrow (pair a b, a));
      ("snd", Arrow (pair a b, b)) ]

let call f args = List.fold_left (fun f a -> App (f, a)) (Var f) args
let v x = Var x

let map_def =
  Lam ("f", Lam ("l",
    If (call "empty" [ v "l" ], v "nil",
      call "cons" [ call "f" [ call "head" [ v "l" ] ]; call "map" [ v "f"; call "tail" [ v "l" ] ] ])))

let compose = Lam ("f", Lam ("g", Lam ("x", App (v "f", App (v "g", v "x")))))

(* A chain of polymorphic definitions, each using the ones before. *)
let program n =
  let name i = Printf.sprintf "f%d" i in
  let definition i =
    match i mod 4 with
    | 0 -> Lam ("x", Pair (v "x", Lam ("y", v "x")))
    | 1 -> App (App (v "compose", Lam ("p", call "fst" [ v "p" ])), v (name (i - 1)))
    | 2 -> Lam ("l", call "map" [ v (name (i - 1)); call "map" [ v (name (i - 1)); v "l" ] ])
    | _ -> Lam ("k", If (call "less" [ v "k"; Int i ], call (name (i - 1)) [ v "nil" ], call "cons" [ v "k"; v "nil" ]))
  in
  let rec chain i =
    if i = n then Pair (v (name (n - 1)), v (name (n - 2)))
    else Let (name i, definition i, chain (i + 1))
  in
  Let ("compose", compose, Let_rec ("map", map_def, chain 0))

let () =
  let last = ref int in
  for i = 1 to 1300 do
    last := infer primitives 1 (program (4 * (50 + (i mod 40))))
  done;
  print_endline (show !last);
  (match infer primitives 1 (Lam ("x", App (v "x", v "x"))) with
  | t -> print_endline (show t)
  | exception Unify _ -> print_endline "self-application has no type");
  Printf.printf "variables %d\n" !counter
