(** The stock compiler's approximation of a unit, out of its [.cmx], as part of a request: everything but the bodies
    of functions. *)

open Clambda

(* What a static box holds, as constants of terms are written. *)
let write_number w : ustructured_constant -> unit =
  let open Byte_writer in
  function
  | Uconst_float x -> byte w 1; float w x
  | Uconst_int32 n -> byte w 2; i64 w (Int64.of_int32 n)
  | Uconst_int64 n -> byte w 3; i64 w n
  | Uconst_nativeint n -> byte w 4; i64 w (Int64.of_nativeint n)
  | _ -> invalid_arg "Approximation.write_number"

let rec write w : value_approximation -> unit =
  let open Byte_writer in
  function
  | Value_unknown -> byte w 0
  | Value_closure (description, result) ->
      byte w 1;
      name w description.fun_label;
      i w description.fun_arity;
      bool w (not description.fun_closed);
      option w (string w) None;
      write w result
  | Value_tuple fields ->
      (* A member of a pack may be a unit of ours. *)
      let fields = Cmx_payload.without_marker fields in
      byte w 2;
      u w (Array.length fields);
      Array.iter (write w) fields
  | Value_const (Uconst_int n) ->
      byte w 3;
      i w n
  | Value_const
      (Uconst_ref
        (symbol, Some ((Uconst_float _ | Uconst_int32 _ | Uconst_int64 _ | Uconst_nativeint _) as number)))
    ->
      byte w 8;
      name w symbol;
      write_number w number
  | Value_const (Uconst_ref (symbol, _)) ->
      byte w 4;
      name w symbol
  | Value_global_field (symbol, field) ->
      byte w 5;
      name w symbol;
      u w field
