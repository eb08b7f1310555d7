(** Polls at the back edges of loops. [Polling] puts one at each back edge of a loop from whose beginning some path to
    anywhere has no poll: a loop that allocates in each iteration polls, too, if one that does not follows it in the
    function, as it does once functions have been inlined. A poll is needed only where a path from the beginning of a
    loop {e back to it} has none. *)

open Mach
module Handlers = Numbers.Int.Set

(* To which beginnings of loops a path leads that has no poll. *)
module Reached = Dataflow.Backward (struct
  type t = Handlers.t

  let bot = Handlers.empty
  let join = Handlers.union
  let lessequal = Handlers.subset
end)

let rec iter f (i : instruction) =
  f i;
  (match i.desc with
  | Iifthenelse (_, yes, no) -> iter f yes; iter f no
  | Iswitch (_, arms) -> Array.iter (iter f) arms
  | Icatch (_, handlers, body) -> iter f body; List.iter (fun (_, handler) -> iter f handler) handlers
  | Itrywith (body, handler) -> iter f body; iter f handler
  | Iop _ | Iend | Ireturn | Iraise _ | Iexit _ -> ());
  match i.desc with Iend | Ireturn | Iraise _ | Iexit _ -> () | _ -> iter f i.next

(* The beginnings of loops, but for those where a poll of the program's own stands before a back edge. *)
let loops body =
  let loops = ref Handlers.empty and own = ref Handlers.empty in
  let note (i : instruction) =
    match (i.desc, i.next.desc) with
    | Icatch (Cmm.Recursive, handlers, _), _ -> List.iter (fun (k, _) -> loops := Handlers.add k !loops) handlers
    | Iop (Ipoll _), Iexit k -> own := Handlers.add k !own
    | _ -> ()
  in
  iter note body;
  Handlers.diff !loops !own

(** The loops of which each iteration allocates or polls, before polls are added. *)
let guarded body =
  let loops = loops body in
  let transfer i ~next ~exn =
    match i.desc with
    | Iop (Ialloc _ | Ipoll _ | Itailcall_ind | Itailcall_imm _) | Ireturn -> Handlers.empty
    | Iop op -> if operation_can_raise op then Handlers.union next exn else next
    | Iraise _ -> exn
    | Iexit k -> if Handlers.mem k loops then Handlers.add k next else next
    | Iend | Iifthenelse _ | Iswitch _ | Icatch _ | Itrywith _ -> next
  in
  if Handlers.is_empty loops then loops
  else
    let _, reached = Reached.analyze ~exnescape:Handlers.empty ~transfer body in
    Handlers.filter (fun k -> not (Handlers.mem k (reached k))) loops

(** Without the polls that have been added before jumps back to these loops. *)
let rec without guarded (i : instruction) =
  match i.desc with
  | Iop (Ipoll _) when (match i.next.desc with Iexit k -> Handlers.mem k guarded | _ -> false) -> i.next
  | Iop _ -> { i with next = without guarded i.next }
  | Iifthenelse (test, yes, no) ->
    { i with desc = Iifthenelse (test, without guarded yes, without guarded no); next = without guarded i.next }
  | Iswitch (index, arms) ->
    { i with desc = Iswitch (index, Array.map (without guarded) arms); next = without guarded i.next }
  | Icatch (recursive, handlers, body) ->
    let handlers = List.map (fun (k, handler) -> (k, without guarded handler)) handlers in
    { i with desc = Icatch (recursive, handlers, without guarded body); next = without guarded i.next }
  | Itrywith (body, handler) ->
    { i with desc = Itrywith (without guarded body, without guarded handler); next = without guarded i.next }
  | Iend | Ireturn | Iraise _ | Iexit _ -> i

(** Adds the polls that a function needs. *)
let instrument ~future_funcnames (code : fundecl) =
  let guarded = guarded code.fun_body in
  let code = Polling.instrument_fundecl ~future_funcnames code in
  if Handlers.is_empty guarded then code else { code with fun_body = without guarded code.fun_body }
