(* A stack of monad transformers as functors (state over writer over exceptions), running a VM. *)

module type MONAD = sig
  type 'a t

  val return : 'a -> 'a t
  val bind : 'a t -> ('a -> 'b t) -> 'b t
end

module Identity = struct
  type 'a t = 'a

  let return x = x
  let bind x f = f x
end

module type MONOID = sig
  type t

  val empty : t
  val append : t -> t -> t
end

module Except_t (E : sig type t end) (M : MONAD) = struct
  type 'a t = ('a, E.t) result M.t

  let return x = M.return (Ok x)
  let bind m f = M.bind m (function Ok x -> f x | Error e -> M.return (Error e))
  let throw e : 'a t = M.return (Error e)
  let catch (m : 'a t) handler = M.bind m (function Ok x -> return x | Error e -> handler e)
  let run (m : 'a t) = m
end

module Writer_t (W : MONOID) (M : MONAD) = struct
  type 'a t = ('a * W.t) M.t

  let return x = M.return (x, W.empty)
  let bind m f = M.bind m (fun (x, w) -> M.bind (f x) (fun (y, w') -> M.return (y, W.append w w')))
  let lift m = M.bind m (fun x -> M.return (x, W.empty))
  let tell w : unit t = M.return ((), w)
  let run (m : 'a t) = m
end

module State_t (S : sig type t end) (M : MONAD) = struct
  type 'a t = S.t -> ('a * S.t) M.t

  let return x s = M.return (x, s)
  let bind m f s = M.bind (m s) (fun (x, s) -> f x s)
  let lift m s = M.bind m (fun x -> M.return (x, s))
  let get s = M.return (s, s)
  let modify f s = M.return ((), f s)
  let run (m : 'a t) s = m s
end

module Syntax (M : MONAD) = struct
  let ( let* ) = M.bind
  let ( >> ) a b = M.bind a (fun () -> b)

  let rec iter f = function
    | [] -> M.return ()
    | x :: rest -> f x >> iter f rest

  let rec repeat n m = if n = 0 then M.return () else m >> repeat (n - 1) m

  let rec while_ test body =
    let* continue = test in
    if continue then body >> while_ test body else M.return ()
end

(* The machine. *)
type error = Stack_underflow | Division_by_zero

type machine = { stack : int list; counter : int; memory : int }

module Cost = struct
  type t = { steps : int; writes : int }

  let empty = { steps = 0; writes = 0 }
  let append a b = { steps = a.steps + b.steps; writes = a.writes + b.writes }
end

module Failing = Except_t (struct type t = error end) (Identity)
module Counting = Writer_t (Cost) (Failing)
module Vm = State_t (struct type t = machine end) (Counting)
open Syntax (Vm)

type instruction = Push of int | Add | Mul | Sub | Mod | Dup | Store | Load

let fail e = Vm.lift (Counting.lift (Failing.throw e))
let tick = Vm.lift (Counting.tell { Cost.steps = 1; writes = 0 })
let wrote = Vm.lift (Counting.tell { Cost.steps = 0; writes = 1 })
let push x = Vm.modify (fun m -> { m with stack = x :: m.stack })

let pop =
  let* m = Vm.get in
  match m.stack with
  | [] -> fail Stack_underflow
  | x :: stack ->
    let* () = Vm.modify (fun m -> { m with stack }) in
    Vm.return x

let binary op =
  let* b = pop in
  let* a = pop in
  push (op a b)

let step instruction =
  let* () = tick in
  match instruction with
  | Push n -> push n
  | Add -> binary ( + )
  | Sub -> binary ( - )
  | Mul -> binary ( * )
  | Mod ->
    let* b = pop in
    let* a = pop in
    if b = 0 then fail Division_by_zero else push (a mod b)
  | Dup ->
    let* a = pop in
    push a >> push a
  | Store ->
    let* memory = pop in
    Vm.modify (fun m -> { m with memory }) >> wrote
  | Load ->
    let* m = Vm.get in
    push m.memory

(* memory := (memory * 1103 + 12345) mod 65537, then its square is summed up. *)
let body =
  [ Load; Push 1103; Mul; Push 12345; Add; Push 65537; Mod; Dup; Store; Dup; Mul; Add;
    Push 1_000_003; Mod ]

let countdown =
  let* m = Vm.get in
  let* () = Vm.modify (fun m -> { m with counter = m.counter - 1 }) in
  Vm.return (m.counter > 0)

let program = push 0 >> while_ countdown (iter step body) >> pop

let execute program ~counter = Failing.run (Counting.run (Vm.run program { stack = []; counter; memory = 1 }))

let describe = function
  | Ok ((value, machine), { Cost.steps; writes }) ->
    Printf.sprintf "value %d, memory %d, steps %d, writes %d" value machine.memory steps writes
  | Error Stack_underflow -> "stack underflow"
  | Error Division_by_zero -> "division by zero"

let () =
  let last = ref "" in
  for i = 1 to 200 do
    last := describe (execute program ~counter:(1000 + i))
  done;
  print_endline !last;
  print_endline (describe (execute (repeat 5 (push 3) >> iter step [ Add; Sub; Mul; Mul; Mul ] >> pop) ~counter:0));
  print_endline (describe (execute (iter step [ Push 1; Push 0; Mod ] >> pop) ~counter:0))
