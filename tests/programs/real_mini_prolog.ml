(* flags: -w -a *)
(* A small logic engine: unification with a trail, backtracking by success continuations, cut by local exceptions. *)
type term = V of var | T of string * term array
and var = { id : int; mutable ref_ : term option }
let trail : var list ref = ref []
let mark () = !trail
let rec undo m = if !trail != m then match !trail with v :: r -> v.ref_ <- None; trail := r; undo m | [] -> ()
let rec walk = function V { ref_ = Some t } -> walk t | t -> t
let bind v t = v.ref_ <- Some t; trail := v :: !trail
let rec unify a b = match walk a, walk b with
  | V x, V y when x == y -> true
  | V x, t | t, V x -> bind x t; true
  | T (f, l), T (g, m) -> f = g && Array.length l = Array.length m && (let rec go i = i = Array.length l || (unify l.(i) m.(i) && go (i + 1)) in go 0)
let counter = ref 0
let fresh () = incr counter; V { id = !counter; ref_ = None }
type clause = { nvars : int; head : pat; body : goal list }
and pat = P of int | C of string * pat list
and goal = G of pat | Cut | Is of pat * pat | Lt of pat * pat | Not of pat
let rec inst env = function P i -> env.(i) | C (f, l) -> T (f, Array.of_list (List.map (inst env) l))
let rec eval t = match walk t with T ("+", [| a; b |]) -> eval a + eval b | T ("-", [| a; b |]) -> eval a - eval b | T ("*", [| a; b |]) -> eval a * eval b | T (n, [||]) -> int_of_string n | _ -> failwith "not evaluable"
let db : (string * int, clause list) Hashtbl.t = Hashtbl.create 16
let steps = ref 0
let rec solve goals env k cut = match goals with
  | [] -> k ()
  | Cut :: r -> solve r env k cut; cut ()
  | G p :: r -> call (inst env p) (fun () -> solve r env k cut)
  | Is (a, b) :: r -> let m = mark () in if unify (inst env a) (T (string_of_int (eval (inst env b)), [||])) then solve r env k cut; undo m
  | Lt (a, b) :: r -> if eval (inst env a) < eval (inst env b) then solve r env k cut
  | Not p :: r -> let m = mark () in let found = (let exception Yes in try call (inst env p) (fun () -> raise_notrace Yes); false with Yes -> true) in undo m; if not found then solve r env k cut
and call t k = incr steps; match walk t with
  | T (f, l) -> let exception Cut_here in
    (try List.iter (fun c -> let m = mark () in let env = Array.init c.nvars (fun _ -> fresh ()) in
      if unify (inst env c.head) (T (f, l)) then solve c.body env k (fun () -> undo m; raise_notrace Cut_here); undo m) (try Hashtbl.find db (f, Array.length l) with Not_found -> failwith ("unknown " ^ f))
    with Cut_here -> ())
  | V _ -> failwith "unbound goal"
let add nvars head body = match head with C (f, l) -> let key = (f, List.length l) in Hashtbl.replace db key ((try Hashtbl.find db key with Not_found -> []) @ [ { nvars; head; body } ]) | P _ -> assert false
let a s = C (s, []) and c f l = C (f, l)
let rec plist = function [] -> a "nil" | x :: r -> c "cons" [ x; plist r ]
let num n = a (string_of_int n)
let () =
  add 1 (c "app" [ a "nil"; P 0; P 0 ]) []; add 4 (c "app" [ c "cons" [ P 0; P 1 ]; P 2; c "cons" [ P 0; P 3 ] ]) [ G (c "app" [ P 1; P 2; P 3 ]) ];
  add 2 (c "mem" [ P 0; c "cons" [ P 0; P 1 ] ]) []; add 3 (c "mem" [ P 0; c "cons" [ P 1; P 2 ] ]) [ G (c "mem" [ P 0; P 2 ]) ];
  add 0 (c "fact" [ a "0"; a "1" ]) [ Cut ]; add 4 (c "fact" [ P 0; P 1 ]) [ Is (P 2, c "-" [ P 0; a "1" ]); G (c "fact" [ P 2; P 3 ]); Is (P 1, c "*" [ P 0; P 3 ]) ];
  add 3 (c "max" [ P 0; P 1; P 1 ]) [ Lt (P 0, P 1); Cut ]; add 2 (c "max" [ P 0; P 1; P 0 ]) [];
  List.iter (fun (x, y) -> add 0 (c "edge" [ a x; a y ]) []) [ ("a", "b"); ("b", "c"); ("c", "d"); ("a", "d") ]; add 2 (c "path" [ P 0; P 1 ]) [ G (c "edge" [ P 0; P 1 ]) ]; add 3 (c "path" [ P 0; P 1 ]) [ G (c "edge" [ P 0; P 2 ]); G (c "path" [ P 2; P 1 ]) ]; add 1 (c "sink" [ P 0 ]) [ G (c "mem" [ P 0; plist [ a "a"; a "d"; a "c" ] ]); Not (c "edge" [ P 0; a "d" ]) ];
  add 3 (c "sel" [ P 0; c "cons" [ P 0; P 1 ]; P 1 ]) []; add 4 (c "sel" [ P 0; c "cons" [ P 1; P 2 ]; c "cons" [ P 1; P 3 ] ]) [ G (c "sel" [ P 0; P 2; P 3 ]) ]; add 0 (c "perm" [ a "nil"; a "nil" ]) []; add 4 (c "perm" [ P 0; c "cons" [ P 1; P 2 ] ]) [ G (c "sel" [ P 1; P 0; P 3 ]); G (c "perm" [ P 3; P 2 ]) ]
let rec show t = match walk t with V v -> "_" | T ("nil", [||]) -> "[]" | T ("cons", [| x; r |]) -> "[" ^ show x ^ (let rec tl t = match walk t with T ("cons", [| x; r |]) -> "," ^ show x ^ tl r | T ("nil", _) -> "" | t -> "|" ^ show t in tl r) ^ "]" | T (f, [||]) -> f | T (f, l) -> f ^ "(" ^ String.concat "," (Array.to_list (Array.map show l)) ^ ")"
let query ?(limit = 10) n p = steps := 0; let env = Array.init n (fun _ -> fresh ()) in let count = ref 0 in let exception Enough in (try call (inst env p) (fun () -> incr count; Printf.printf "%s; " (String.concat " " (Array.to_list (Array.map show env))); if !count >= limit then raise_notrace Enough) with Enough -> print_string "..." | Failure m -> print_string m); Printf.printf " %d answers, %d calls\n" !count !steps
let () = query 2 (c "app" [ P 0; P 1; plist [ num 1; num 2; num 3 ] ]); query 1 (c "mem" [ P 0; plist [ a "x"; a "y" ] ]); query 1 (c "fact" [ num 10; P 0 ]); query 1 (c "max" [ num 3; num 7; P 0 ]); query 1 (c "max" [ num 9; num 7; P 0 ]); query 2 (c "path" [ P 0; P 1 ]); query 1 (c "sink" [ P 0 ]); query ~limit:7 1 (c "perm" [ plist [ num 1; num 2; num 3; num 4 ]; P 0 ]); query 1 (c "zork" [ P 0 ]); query ~limit:3 2 (c "app" [ P 0; plist [ a "z" ]; P 1 ])
