(* State monads and transformers (E7, E8, D3). *)

let row = Measure.row

module State = struct
  type 'a t = int -> 'a * int

  let return x : 'a t = fun s -> (x, s)
  let bind (m : 'a t) (f : 'a -> 'b t) : 'b t = fun s -> let x, s = m s in f x s
  let get : int t = fun s -> (s, s)
  let put s : unit t = fun _ -> ((), s)
end

let ( let* ) = State.bind

let rec sum n : int State.t =
  if n = 0 then State.get
  else
    let* s = State.get in
    let* () = State.put (s + n) in
    sum (n - 1)

(* A transformer: errors over a state. *)
module type Monad = sig
  type 'a t

  val return : 'a -> 'a t
  val bind : 'a t -> ('a -> 'b t) -> 'b t
end

module Errors (M : Monad) = struct
  type 'a t = ('a, string) result M.t

  let return x : 'a t = M.return (Ok x)
  let bind (m : 'a t) (f : 'a -> 'b t) : 'b t = M.bind m (function Ok x -> f x | Error _ as e -> M.return e)
  let fail text : 'a t = M.return (Error text)
  let lift (m : 'a M.t) : 'a t = M.bind m (fun x -> M.return (Ok x))
end

module Both = Errors (State)

let rec checked n : int Both.t =
  if n = 0 then Both.lift State.get
  else
    Both.bind (Both.lift State.get) (fun s ->
        if s > max_int / 2 then Both.fail "too large"
        else Both.bind (Both.lift (State.put (s + n))) (fun () -> checked (n - 1)))

let () =
  row ~flambda2:9003 "a state monad with tuples" (fun n -> fst (sum n 0));
  row "errors over a state" (fun n -> match checked n 0 with Ok x, _ -> x | Error _, _ -> -1)

(* Red-black trees, with a zipper. *)
type color = Red | Black
type tree = Leaf | Node of color * tree * int * tree
type step = Left of color * int * tree | Right of color * tree * int

let balance = function
  | Black, Node (Red, Node (Red, a, x, b), y, c), z, d
  | Black, Node (Red, a, x, Node (Red, b, y, c)), z, d
  | Black, a, x, Node (Red, Node (Red, b, y, c), z, d)
  | Black, a, x, Node (Red, b, y, Node (Red, c, z, d)) -> Node (Red, Node (Black, a, x, b), y, Node (Black, c, z, d))
  | color, a, x, b -> Node (color, a, x, b)

let rec rebuild t = function
  | [] -> ( match t with Node (_, l, x, r) -> Node (Black, l, x, r) | Leaf -> Leaf)
  | Left (c, x, r) :: path -> rebuild (balance (c, t, x, r)) path
  | Right (c, l, x) :: path -> rebuild (balance (c, l, x, t)) path

let insert x t =
  let rec down path = function
    | Leaf -> rebuild (Node (Red, Leaf, x, Leaf)) path
    | Node (c, l, y, r) ->
        if x < y then down (Left (c, y, r) :: path) l
        else if x > y then down (Right (c, l, y) :: path) r
        else t
  in
  down [] t

let rec insert_plain x = function
  | Leaf -> Node (Red, Leaf, x, Leaf)
  | Node (c, l, y, r) as t ->
      if x < y then balance (c, insert_plain x l, y, r) else if x > y then balance (c, l, y, insert_plain x r) else t

let rec depth = function Leaf -> 0 | Node (_, l, _, r) -> 1 + max (depth l) (depth r)

let () =
  let tree add n = let t = ref Leaf in for i = 1 to n do t := add (i * 7919 mod 1009) !t done; depth !t in
  row "red-black tree with a zipper" (tree insert);
  row "red-black tree" (tree (fun x t -> match insert_plain x t with Node (_, l, y, r) -> Node (Black, l, y, r) | Leaf -> Leaf))
