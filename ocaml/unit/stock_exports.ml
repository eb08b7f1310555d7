(** What a payload exports, as far as the stock compiler can know it: the approximation of the module block, without
    bodies of functions. Units that the stock compiler makes, and those of another version of Flambeau, call our
    functions directly by it. *)

open Clambda
module Reader = Byte_reader

(* The head of a payload ([docs/formats.md]). *)
let magic = "FLBX"

let number r : ustructured_constant =
  match Reader.byte r with
  | 1 -> Uconst_float (Reader.float r)
  | 2 -> Uconst_int32 (Int64.to_int32 (Reader.i64 r))
  | 3 -> Uconst_int64 (Reader.i64 r)
  | 4 -> Uconst_nativeint (Int64.to_nativeint (Reader.i64 r))
  | _ -> Reader.malformed r "no such number"

let skip_path r = ignore (Reader.list r Reader.u : int list)

let rec approximation r : value_approximation =
  match Reader.byte r with
  | 0 -> Value_unknown
  | 1 -> closure r
  | 2 -> Value_tuple (Reader.array r approximation)
  | 3 -> Value_const (Uconst_int (Reader.i r))
  | 4 ->
      (* The stock compiler passes on no constant of which it does not know the contents. *)
      ignore (Reader.name r : string);
      Value_unknown
  | 5 ->
      let symbol = Reader.name r in
      Value_global_field (symbol, Reader.u r)
  | 6 ->
      (* An application that the importing unit would have to evaluate. *)
      ignore (Reader.name r : string);
      ignore (Reader.list r approximation : value_approximation list);
      skip_path r;
      Value_unknown
  | 7 ->
      skip_path r;
      Value_unknown
  | 8 ->
      let symbol = Reader.name r in
      Value_const (Uconst_ref (symbol, Some (number r)))
  | _ -> Reader.malformed r "no such approximation"

and closure r =
  let label = Reader.name r in
  let arity = Reader.i r in
  let needs_closure = Reader.bool r in
  let has_symbol = Reader.bool r in
  if has_symbol then ignore (Reader.name r : string);
  let result = approximation r in
  Value_closure (Function_description.make ~label ~arity ~closed:(not needs_closure), result)

let skip_settings r =
  let setting r =
    ignore (Reader.string r : string);
    ignore (Reader.string r : string)
  in
  ignore (Reader.list r setting : unit list)

(** The approximation of the module block that a payload of this version of Flambeau begins with. *)
let of_payload payload =
  let r = Reader.create payload in
  if Reader.raw r (String.length magic) <> magic then Reader.malformed r "not a payload";
  ignore (Reader.u r : int);
  ignore (Reader.string r : string);
  skip_settings r;
  approximation r
