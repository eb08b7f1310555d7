(* flags: -w -a *)
(* pitfall 17: memo tables by physical identity over strings and records keep working. *)
type e = { id : int; node : n } and n = Var of string | App of e * e | Lam of string * e
let tbl : (n, e) Hashtbl.t = Hashtbl.create 50
let count = ref 0
let mk node = let same a b = match a, b with Var x, Var y -> x = y | App (a, b), App (c, d) -> a == c && b == d | Lam (x, a), Lam (y, b) -> x = y && a == b | _ -> false in
  let key = match node with Var x -> Var x | App (a, b) -> App ({ a with node = Var "" }, { b with node = Var "" }) | Lam (x, a) -> Lam (x, { a with node = Var "" }) in
  match List.find_opt (fun e -> same e.node node) (Hashtbl.find_all tbl key) with Some e -> e | None -> incr count; let e = { id = !count; node } in Hashtbl.add tbl key e; e
let var x = mk (Var x) and app a b = mk (App (a, b)) and lam x a = mk (Lam (x, a))
let memo : (e * int) list ref = ref []
let rec size e = match List.assq_opt e !memo with Some n -> n | None -> let n = 1 + (match e.node with Var _ -> 0 | App (a, b) -> size a + size b | Lam (_, a) -> size a) in memo := (e, n) :: !memo; n
let () =
  let x = var "x" and y = var "y" in let a = app x y in let b = app x y in let big = List.fold_left (fun acc _ -> app acc acc) a (List.init 10 Fun.id) in
  Printf.printf "%b %b %b %d\n" (a == b) (app a b == app b a) (lam "x" a == lam "y" a) !count; Printf.printf "%d %d %d\n" (size big) (List.length !memo) (size (lam "z" big));
  let s = Sys.opaque_identity (String.make 3 'q') in let l = [ (s, 1); (String.make 3 'q', 2) ] in Printf.printf "%d %b %b\n" (List.assq s l) (List.mem_assq s l) (List.memq s [ String.make 3 'q' ]); let rec share n t = if n = 0 then t else let (a, b) = t in share (n - 1) (a, b) in let t = (s, s) in let u = share 5 t in Printf.printf "%b %b\n" (fst u == snd u) (fst u == s)
