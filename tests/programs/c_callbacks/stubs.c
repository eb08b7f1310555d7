#include <caml/mlvalues.h>
#include <caml/alloc.h>
#include <caml/memory.h>
#include <caml/callback.h>
#include <caml/fail.h>
#include <caml/custom.h>
value cb_fold(value f, value acc, value arr) { CAMLparam3(f, acc, arr); mlsize_t i; for (i = 0; i < Wosize_val(arr); i++) acc = caml_callback2(f, acc, Field(arr, i)); CAMLreturn(acc); }
value cb_named(value x) { CAMLparam1(x); const value *f = caml_named_value("cb_handler"); if (f == NULL) caml_failwith("no handler"); CAMLreturn(caml_callback(*f, x)); }
value cb_catch(value f, value x) { CAMLparam2(f, x); CAMLlocal2(r, t); r = caml_callback_exn(f, x); if (Is_exception_result(r)) { r = Extract_exception(r); t = caml_alloc(1, 1); } else t = caml_alloc(1, 0); Store_field(t, 0, r); CAMLreturn(t); }
value cb_raise(value n) { const value *e = caml_named_value("cb_exn"); caml_raise_with_arg(*e, n); return Val_unit; }
value cb_three(value f) { CAMLparam1(f); CAMLreturn(caml_callback3(f, Val_int(1), caml_copy_string("two"), caml_copy_double(3.5))); }
value cb_record(value n) { CAMLparam1(n); CAMLlocal1(r); r = caml_alloc(2, 0); Store_field(r, 0, n); Store_field(r, 1, caml_copy_double(Int_val(n) * 1.5)); CAMLreturn(r); }
value cb_floats(value n) { CAMLparam1(n); CAMLlocal1(r); int i; r = caml_alloc(Int_val(n) * Double_wosize, Double_array_tag); for (i = 0; i < Int_val(n); i++) Store_double_field(r, i, i * 0.5); CAMLreturn(r); }
value cb_variant(value n) { CAMLparam1(n); CAMLlocal1(r); if (Int_val(n) == 0) CAMLreturn(Val_int(0)); r = caml_alloc(1, Int_val(n) - 1); Store_field(r, 0, n); CAMLreturn(r); }
value cb_hashv(value unit) { return caml_hash_variant("Tag"); }
