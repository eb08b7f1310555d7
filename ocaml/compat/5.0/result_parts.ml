(** Where the parts of a function's result are that no register is left for: from 5.0 on, where domains share static
    memory, in the words of the domain's own state ([extra_params]) through which calls pass the arguments that no
    register is left for. A call takes its arguments from there before it does anything else, and they are stored right
    before the call: so the words are free between a callee's last store and the load behind its call.

    Cmm cannot name them, and the back end does as an argument's location only. So they are

    - in Cmm, C calls of no C function, which the selection of instructions leaves where they are;
    - from then on loads from memory and stores to it, whose address has no register: what moves, merges and removes
      instructions treats them as loads and stores, which no call and no store is moved across; what allocates
      registers gives them registers, as to any load or store, and does not look at their addresses;
    - at the end, moves between these registers and the argument's location. *)

open Mach

(* The back ends of all targets know as many. *)
let words = 64
let store_prefix = "%store_result_"
let load_prefix = "%load_result_"
let store_name part = store_prefix ^ string_of_int part
let load_name part = load_prefix ^ string_of_int part

let part_after prefix name =
  if String.starts_with ~prefix name then
    let length = String.length prefix in
    int_of_string_opt (String.sub name length (String.length name - length))
  else None

let part_of_store = part_after store_prefix
let part_of_load = part_after load_prefix

(* {1 Cmm} *)

let type_of_chunk : Cmm.memory_chunk -> Cmm.machtype = function
  | Word_val -> Cmm.typ_val
  | Single | Double -> Cmm.typ_float
  | _ -> Cmm.typ_int

(** Stores a part, before the function returns. *)
let store ~slots:(_ : Cmm.expression) ~part (chunk : Cmm.memory_chunk) value dbg =
  let args_types = match chunk with Double -> [ Cmm.XFloat ] | _ -> [] in
  Cmm_build.extcall ~name:(store_name part) ~result:Cmm.typ_void ~args_types ~alloc:false [ value ] dbg

(** Loads a part, right after the call. *)
let load ~slots:(_ : Cmm.expression) ~part chunk dbg =
  Cmm_build.extcall ~name:(load_name part) ~result:(type_of_chunk chunk) ~args_types:[] ~alloc:false [] dbg

(** Whether the C function of that name, which takes the part alone, is no function but such a store. *)
let is_store name = Option.is_some (part_of_store name)

(* {1 Selected instructions} *)

let addresses =
  Array.init words (fun part -> Arch.offset_addressing Arch.identity_addressing (part * Arch.size_addr))

(* Asked of every load from a symbol, too. *)
let part_at =
  let parts = Hashtbl.create words in
  Array.iteri (fun part address -> Hashtbl.replace parts address part) addresses;
  Hashtbl.find_opt parts

let chunk_of_register (r : Reg.t) : Cmm.memory_chunk =
  match r.typ with Val -> Word_val | Int | Addr -> Word_int | Float -> Double

let load_instruction part res (i : instruction) next =
  let memory_chunk = chunk_of_register res and addressing_mode = addresses.(part) in
  let load = Iload { memory_chunk; addressing_mode; mutability = Mutable; is_atomic = false } in
  { i with desc = Iop load; arg = [||]; res = [| res |]; next }

let store_instruction part arg (i : instruction) next =
  (* An assignment: loads of before are not taken for those of afterwards. *)
  let store = Istore (chunk_of_register arg, addresses.(part), true) in
  { i with desc = Iop store; arg = [| arg |]; res = [||]; next }

let called (i : instruction) part_of = match i.desc with Iop (Iextcall { func; _ }) -> part_of func | _ -> None

let is_move_of (i : instruction) (r : Reg.t) =
  match i.desc with Iop Imove -> i.arg.(0).stamp = r.stamp | _ -> false

exception Found

let exists found body =
  match instr_iter (fun i -> if found i then raise_notrace Found) body with
  | () -> false
  | exception Found -> true

(* Rewrites instructions. [rewrite] gives, where it does, the instruction that begins there and those that follow what
   it took. *)
let rec map rewrite (i : instruction) =
  let map_all = map rewrite in
  match rewrite i with
  | Some (i, next) -> { i with next = map_all next }
  | None -> (
      let continue_with desc = { i with desc; next = map_all i.next } in
      match i.desc with
      | Iend | Ireturn | Iexit _ | Iraise _ | Iop (Itailcall_ind | Itailcall_imm _) -> i
      | Iop _ -> { i with next = map_all i.next }
      | Iifthenelse (test, first, second) -> continue_with (Iifthenelse (test, map_all first, map_all second))
      | Iswitch (index, arms) -> continue_with (Iswitch (index, Array.map map_all arms))
      | Icatch (flag, handlers, body) ->
          let handlers = List.map (fun (label, handler) -> (label, map_all handler)) handlers in
          continue_with (Icatch (flag, handlers, map_all body))
      | Itrywith (body, handler) -> continue_with (Itrywith (map_all body, map_all handler)))

(* A call, with the move of its argument or result, which would only keep a register busy. *)
let select (i : instruction) =
  match (i.desc, called i part_of_load) with
  | _, Some part ->
      let next = i.next in
      if is_move_of next i.res.(0) then Some (load_instruction part next.res.(0) i next, next.next)
      else Some (load_instruction part i.res.(0) i next, next)
  | Iop Imove, None -> (
      let call = i.next in
      match called call part_of_store with
      | Some part when i.res.(0).stamp = call.arg.(0).stamp ->
          Some (store_instruction part i.arg.(0) call call.next, call.next)
      | _ -> None)
  | _ -> (
      match called i part_of_store with
      | Some part -> Some (store_instruction part i.arg.(0) i i.next, i.next)
      | None -> None)

let is_call i = Option.is_some (called i part_of_load) || Option.is_some (called i part_of_store)

(** After instruction selection. *)
let after_selection code =
  if exists is_call code.fun_body then { code with fun_body = map select code.fun_body } else code

(* {1 Moves} *)

(* Where a part is, as a register. *)
let location part (like : Reg.t) = Reg.at_location like.typ (Stack (Domainstate (part * Arch.size_addr)))

(* What to move where, if an operation is one of these: all others have a register for their address, or a symbol. *)
let moved operation (arg : Reg.t array) (res : Reg.t array) =
  match (operation, arg) with
  | Iload { addressing_mode; _ }, [||] ->
      Option.map (fun part -> (location part res.(0), res.(0))) (part_at addressing_mode)
  | Istore (_, addressing_mode, _), [| arg |] ->
      Option.map (fun part -> (arg, location part arg)) (part_at addressing_mode)
  | _ -> None

let move (i : instruction) =
  match i.desc with
  | Iop operation ->
      let moves (source, target) = ({ i with desc = Iop Imove; arg = [| source |]; res = [| target |] }, i.next) in
      Option.map moves (moved operation i.arg i.res)
  | _ -> None

(** What dumps show: the printer looks at the registers of addresses. *)
let readable code =
  if exists (fun i -> Option.is_some (move i)) code.fun_body then { code with fun_body = map move code.fun_body }
  else code

let moved_in (i : Linear.instruction) =
  match i.desc with Lop operation -> moved operation i.arg i.res | _ -> None

(** Before code is emitted. *)
let before_emission (code : Linear.fundecl) =
  let rec exists (i : Linear.instruction) =
    match i.desc with Lend -> false | _ -> Option.is_some (moved_in i) || exists i.next
  in
  let rec rewrite (i : Linear.instruction) =
    match (i.desc, moved_in i) with
    | Lend, _ -> i
    | _, Some (source, target) ->
        { i with desc = Lop Imove; arg = [| source |]; res = [| target |]; next = rewrite i.next }
    | _, None -> { i with next = rewrite i.next }
  in
  if exists code.fun_body then { code with fun_body = rewrite code.fun_body } else code
