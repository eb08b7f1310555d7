(** What functions of Cmm allocate: the last form of the program before the back end, which adds no allocation of its
    own. Boxing is expanded here, calls of C say whether they allocate, and what the linker makes ([caml_applyN],
    [caml_curryN]) is called here like any unknown function. (A poll may run a signal handler or a finaliser, which may
    allocate: that is the handler's doing, not the function's.)

    An allocation counts {e strictly} on each path, and otherwise only if the function may return after it. *)

open Cmm
module V = Backend_var
module VP = Backend_var.With_provenance
module Table = Misc.Stdlib.String.Tbl

(** What becomes of a value that is allocated: why it can't be left out. *)
type fate =
  | Returned
  | To_function of string  (** It is passed to it, by the linker's name. *)
  | To_unknown  (** It is passed to a function that is not known. *)
  | To_c of string  (** It is passed to that C function. *)
  | Stored
  | Part  (** Of another block. *)
  | Raised
  | Joined  (** It is one of several values of a variable. *)
  | Read

type cause =
  | Block of { tag : int; words : int; fate : fate Lazy.t }
  | Boxed of string * fate Lazy.t
  | Closure of { words : int; fate : fate Lazy.t }
  | Computed_size
  | Call of string
  | Unknown_call
  | External of string

(** A point where something may be allocated. *)
type site = { cause : cause; dbg : Debuginfo.t; may_return : bool }

type func = { name : string; dbg : Debuginfo.t; body : expression; sites : site list; returns : bool }

(* {1 What becomes of a value} *)

(* What the linker makes and calls functions that are not known with: [caml_applyN], [caml_sendN]. *)
let is_generic name = List.exists (fun prefix -> String.starts_with ~prefix name) [ "caml_apply"; "caml_send" ]

let fate_of_argument = function
  | Cconst_symbol (name, _) when not (is_generic name) -> To_function name
  | _ -> To_unknown

(* What an operation does with its operand of that index. *)
let fate_of_operand operation operands index =
  match operation with
  | Capply _ -> if index = 0 then Read else fate_of_argument (List.hd operands)
  | Cextcall (("caml_modify" | "caml_initialize"), _, _, _) | Cstore _ -> Stored
  | Cextcall (name, _, _, _) -> if Result_parts.is_store name then Returned else To_c name
  | Calloc -> Part
  | Craise _ -> Raised
  | _ -> Read

(* The first use of a variable that needs its value as such; [fate] is that of the whole expression. *)
let rec use v fate e =
  let first = List.find_map Fun.id in
  match e with
  | Cop (operation, operands, _) ->
      let of_operand i operand = use v (fate_of_operand operation operands i) operand in
      first (List.mapi of_operand operands)
  | Clet (x, Cvar w, body) when V.same v w -> (
      match use (VP.var x) fate body with Some fate -> Some fate | None -> use v fate body)
  | Clet (_, def, body) | Clet_mut (_, _, def, body) -> first [ use v Joined def; use v fate body ]
  | Csequence (a, b) -> first [ use v Read a; use v fate b ]
  | Cifthenelse (c, _, a, _, b, _) -> first [ use v Read c; use v fate a; use v fate b ]
  | Cswitch (c, _, arms, _) ->
      first (use v Read c :: List.map (fun (arm, _) -> use v fate arm) (Array.to_list arms))
  | Ccatch (_, handlers, body) -> first (use v fate body :: List.map (fun (_, _, h, _) -> use v fate h) handlers)
  | Ctrywith (body, _, handler, _) -> first [ use v fate body; use v fate handler ]
  | Cexit (_, args) -> first (List.map (use v Joined) args)
  | Ctuple es -> first (List.map (use v fate) es)
  | Cassign (_, e) -> use v Joined e
  | Cphantom_let (_, _, e) -> use v fate e
  | Cvar w when V.same v w && fate <> Read -> Some fate
  | _ -> None

(* {1 Allocations} *)

let custom_operations = [ ("caml_int32_ops", "int32"); ("caml_int64_ops", "int64"); ("caml_nativeint_ops", "nativeint") ]

let boxed_number tag fields =
  match fields with
  | Cconst_symbol (operations, _) :: _ when tag = Obj.custom_tag -> List.assoc_opt operations custom_operations
  | [ _ ] when tag = Obj.double_tag -> Some "float"
  | _ -> None

let cause_of_block header fields fate =
  let tag = Nativeint.to_int (Nativeint.logand header 0xffn) in
  let words = Nativeint.to_int (Nativeint.shift_right_logical header 10) + 1 in
  match boxed_number tag fields with
  | Some number -> Boxed (number, fate)
  | None -> if tag = Obj.closure_tag then Closure { words; fate } else Block { tag; words; fate }

let cause_of_allocation operands fate =
  match operands with
  | Cconst_natint (header, _) :: fields -> cause_of_block header fields fate
  | Cconst_int (header, _) :: fields -> cause_of_block (Nativeint.of_int header) fields fate
  | _ -> Computed_size

(* {1 A function} *)

(* While a function is read from its end to its beginning. *)
type scope = {
  labels : (int, bool) Hashtbl.t;  (** Whether the function may return from a handler. *)
  never_returns : string -> bool;
  mutable sites : site list;
}

(* Adds the sites in [e], and says whether the function may return if [e] is executed. [next]: whether it may once [e]
   has a value; [raised]: whether it may once [e] has raised an exception; [fate]: what becomes of the value. *)
let rec walk scope ~next ~raised fate e =
  let walk_value ?(fate = lazy Read) next e = walk scope ~next ~raised fate e in
  match e with
  | Cop (operation, operands, dbg) ->
      let after =
        match (operation, operands) with
        | Craise _, _ -> raised
        | Capply _, Cconst_symbol (name, _) :: _ when scope.never_returns name -> raised
        | _ -> next || raised
      in
      Option.iter
        (fun cause -> scope.sites <- { cause; dbg; may_return = after } :: scope.sites)
        (cause operation operands fate);
      let operand i e = walk_value ~fate:(lazy (fate_of_operand operation operands i)) after e in
      List.fold_left ( && ) true (List.mapi operand operands) && after
  | Clet (x, def, body) ->
      let next = walk scope ~next ~raised fate body in
      walk_value ~fate:(use_of_binding (VP.var x) fate body) next def
  | Clet_mut (_, _, def, body) ->
      let next = walk scope ~next ~raised fate body in
      walk_value ~fate:(lazy Joined) next def
  | Cphantom_let (_, _, body) -> walk scope ~next ~raised fate body
  | Cassign (_, e) -> walk_value ~fate:(lazy Joined) next e
  | Ctuple es -> List.fold_left (fun next e -> walk_value ~fate next e) next (List.rev es)
  | Csequence (a, b) ->
      let next = walk scope ~next ~raised fate b in
      walk_value next a
  | Cifthenelse (c, _, a, _, b, _) ->
      let of_a = walk scope ~next ~raised fate a in
      let of_b = walk scope ~next ~raised fate b in
      walk_value (of_a || of_b) c
  | Cswitch (c, _, arms, _) ->
      let of_arms = Array.map (fun (arm, _) -> walk scope ~next ~raised fate arm) arms in
      walk_value (Array.exists Fun.id of_arms) c
  | Ccatch (Nonrecursive, handlers, body) ->
      let of_handler (label, _, handler, _) = (label, walk scope ~next ~raised fate handler) in
      let returns = List.map of_handler handlers in
      List.iter (fun (label, returns) -> Hashtbl.replace scope.labels label returns) returns;
      walk scope ~next ~raised fate body
  | Ccatch (Recursive, handlers, body) ->
      (* That a loop never ends is not found out. *)
      List.iter (fun (label, _, _, _) -> Hashtbl.replace scope.labels label true) handlers;
      List.iter (fun (_, _, handler, _) -> ignore (walk scope ~next ~raised fate handler : bool)) handlers;
      walk scope ~next ~raised fate body
  | Cexit (label, args) ->
      let next = match Hashtbl.find_opt scope.labels label with Some returns -> returns | None -> true in
      List.fold_left (fun next e -> walk_value ~fate:(lazy Joined) next e) next (List.rev args)
  | Ctrywith (body, _, handler, _) ->
      let of_handler = walk scope ~next ~raised fate handler in
      walk scope ~next ~raised:of_handler fate body
  | _ -> next || raised

and cause operation operands fate =
  match (operation, operands) with
  | Calloc, _ -> Some (cause_of_allocation operands fate)
  | Capply _, Cconst_symbol (name, _) :: _ -> Some (Call name)
  | Capply _, _ -> Some Unknown_call
  | Cextcall (name, _, _, true), _ -> Some (External name)
  | _ -> None

and use_of_binding x fate body = lazy (Option.value (use x (Lazy.force fate) body) ~default:Read)

let of_function ~never_returns (f : fundecl) =
  let scope = { labels = Hashtbl.create 8; never_returns; sites = [] } in
  let returns = walk scope ~next:true ~raised:false (lazy Returned) f.fun_body in
  { name = f.fun_name; dbg = f.fun_dbg; body = f.fun_body; sites = scope.sites; returns }

exception Found

(** Whether the body of a function has an instruction whose location is as [f] says. *)
let has_instruction f (func : func) =
  let rec look e =
    (match e with Cop (_, _, dbg) when f dbg -> raise_notrace Found | _ -> ());
    map_shallow look e
  in
  match look func.body with (_ : expression) -> false | exception Found -> true

(* What these do is laid down by the manual, whoever compiled them. *)
let always_raises name =
  let is_of_stdlib f = String.starts_with ~prefix:("camlStdlib" ^ Linker_names.separator ^ f ^ "_") name in
  is_of_stdlib "failwith" || is_of_stdlib "invalid_arg"

(** The functions among phrases. [never_returns]: of functions of other units. *)
let of_phrases ~never_returns phrases =
  let never_returns name = always_raises name || never_returns name in
  let functions = List.filter_map (function Cfunction f -> Some f | Cdata _ -> None) phrases in
  let all never_returns = List.map (of_function ~never_returns) functions in
  let first = all never_returns in
  let own = Table.create 8 in
  List.iter (fun (f : func) -> if not f.returns then Table.replace own f.name ()) first;
  if Table.length own = 0 then first else all (fun name -> Table.mem own name || never_returns name)

(* {1 Facts} *)

(** What holds of a function. *)
type fact = {
  no_allocation : bool;  (** On paths on which it returns. *)
  strictly : bool;  (** On all paths. *)
  never : bool;  (** It does not return. *)
}

let nothing_known = { no_allocation = false; strictly = false; never = false }

(* Whether a site allocates, if functions of this unit are as [facts] says and others as [other] says. *)
let allocates ~fact_of ~excused ~strict site =
  (strict || site.may_return)
  && (not (excused ~strict site))
  &&
  match site.cause with
  | Call name ->
      let fact = fact_of name in
      not (if strict then fact.strictly else fact.no_allocation)
  | Block _ | Boxed _ | Closure _ | Computed_size | Unknown_call | External _ -> true

(** The facts of the functions of a unit: the most that is consistent. [given]: what is assumed of a function whatever
    it does; [excused]: whether a site is assumed not to allocate; [other]: what is known of functions of other
    units. *)
let facts ~given ~excused ~other functions =
  let facts = Table.create 64 in
  let callers = Table.create 64 in
  let add (f : func) =
    Table.replace facts f.name { no_allocation = true; strictly = true; never = not f.returns };
    List.iter
      (fun site -> match site.cause with Call callee -> Table.add callers callee f | _ -> ())
      f.sites
  in
  List.iter add functions;
  let fact_of name = match Table.find_opt facts name with Some fact -> fact | None -> other name in
  let refresh (f : func) =
    let before = Table.find facts f.name in
    let is_free ~strict = not (List.exists (allocates ~fact_of ~excused ~strict) f.sites) in
    let assumed = given f in
    let after =
      {
        before with
        no_allocation = before.no_allocation && (assumed.no_allocation || is_free ~strict:false);
        strictly = before.strictly && (assumed.strictly || is_free ~strict:true);
      }
    in
    Table.replace facts f.name after;
    before <> after
  in
  let rec settle = function
    | [] -> ()
    | f :: rest -> settle (if refresh f then Table.find_all callers f.name @ rest else rest)
  in
  settle functions;
  (facts, fact_of)
