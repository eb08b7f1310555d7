(** What the stock compiler's approximations say of a function. *)

(** A function without a body that could be inlined. *)
let make ~label ~arity ~closed : Clambda.function_description =
  {
    fun_label = label;
    fun_arity = arity;
    fun_closed = closed;
    fun_inline = None;
    fun_float_const_prop = true;
    fun_poll = Lambda.Default_poll;
  }
