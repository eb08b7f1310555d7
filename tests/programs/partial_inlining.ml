(* Functions whose beginning decides whether there is much to do, called where it is inlined alone: what the beginning reads
   changes between calls, the rest raises, stores, allocates and calls back. *)

type ty = { mutable desc : desc; id : int }
and desc = Var | Link of ty | Field of int * int ref * ty | Con of ty list

let trace = Buffer.create 100
let note fmt = Printf.bprintf trace fmt

let rec kind r = if !r > 9 then (decr r; kind r) else !r

let rec repr_link compress t d = function
  | { desc = Link t' as d' } -> repr_link true t d' t'
  | { desc = Field (_, k, t') as d' } when kind k = 1 -> repr_link true t d' t'
  | t' ->
      if compress then (note "[%d:=%d]" t.id t'.id; t.desc <- d);
      t'

let repr t =
  match t.desc with
  | Link t' as d -> repr_link false t d t'
  | Field (_, k, t') as d when kind k = 1 -> repr_link false t d t'
  | _ -> t

let fresh = let n = ref 0 in fun desc -> incr n; { desc; id = !n }

let rec occurs t u =
  let t = repr t and u = repr u in
  t == u || match u.desc with Con l -> List.exists (occurs t) l | _ -> false

let unify t u =
  let a = repr t in
  let b = repr u in
  if a != b then
    match a.desc, b.desc with
    | Var, _ -> if occurs a b then failwith (Printf.sprintf "occurs %d" a.id) else a.desc <- Link b
    | _, Var -> b.desc <- Field (0, ref (1 + 9 * (a.id land 1)), a)
    | _ -> raise Not_found

(* A beginning that stores on its way to a return, and a rest that raises. *)
let hits = ref 0
let lookup table key =
  if key >= 0 && Array.unsafe_get table 0 > key then (incr hits; Array.unsafe_get table (key + 1))
  else begin
    let rec search i = if i >= Array.length table then raise Not_found else if table.(i) = key then i else search (i + 1) in
    let i = search 1 in
    if i land 1 = 0 then invalid_arg (string_of_int i);
    note "(%d)" i;
    -i
  end

(* Arguments are evaluated once, whatever way is taken. *)
let next = let n = ref 0 in fun () -> incr n; note "<%d>" !n; !n

let choose x y =
  if x = y then (x, y)
  else begin
    note "{%d %d}" x y;
    let l = List.init (abs (x - y)) (fun i -> i * x) in
    let l = List.rev_map (fun i -> i + y) l in
    let l = List.sort compare l in
    (List.fold_left ( + ) 0 l, List.length (List.filter (fun i -> i > y) l))
  end

let rec attempt n acc =
  if n = 0 then acc
  else
    let r = try lookup [| 3; 10; 20; 30; 7; -5; 9 |] n with Not_found -> 100 | Invalid_argument s -> 1000 + int_of_string s in
    let s = try lookup [| 3; 10; 20; 30; 7; -5; 9 |] (2 - n) with Not_found -> 200 | Invalid_argument s -> 2000 + int_of_string s in
    attempt (n - 1) (r :: s :: acc)

module Pairs = Set.Make (struct
  type t = int * int
  let compare (a, b) (c, d) = match compare (a : int) c with 0 -> compare (b : int) d | n -> n
end)

let () =
  let vars = Array.init 40 (fun _ -> fresh Var) in
  for i = 0 to 38 do
    (try unify vars.(i) vars.(i + 1) with Failure s -> note "!%s" s | Not_found -> note "?");
    if i mod 7 = 3 then vars.(i).desc <- Con [ vars.(i + 1); vars.(39 - i) ]
  done;
  for i = 0 to 39 do
    note " %d" (repr vars.(i)).id;
    try unify vars.(i) vars.((i * 17) mod 40) with Failure s -> note "!%s" s | Not_found -> note "?"
  done;
  print_endline (Buffer.contents trace);
  Buffer.clear trace;
  List.iter (fun n -> Printf.printf "%d " n) (attempt 12 []);
  Printf.printf "hits %d\n" !hits;
  let a = choose (next ()) (next ()) in
  let b = choose (let n = next () in ignore (next ()); n) 5 in
  let c = choose 7 (fst b - fst b + 7) in
  Printf.printf "%d %d %d %d %d %d %s\n" (fst a) (snd a) (fst b) (snd b) (fst c) (snd c) (Buffer.contents trace);
  let s = ref Pairs.empty in
  for i = 0 to 2000 do
    s := Pairs.add ((i * 7919) mod 61, (i * 104729) mod 53) !s;
    if i mod 3 = 0 then s := Pairs.remove ((i * 31) mod 61, i mod 53) !s
  done;
  Printf.printf "%d %b\n" (Pairs.cardinal !s) (Pairs.mem (5, 7) !s);
  Pairs.iter (fun (a, b) -> if (a * b) mod 97 = 3 then Printf.printf "(%d,%d)" a b) !s;
  print_newline ()
