#include <caml/mlvalues.h>
#include <caml/alloc.h>
#include <caml/memory.h>
#include <caml/fail.h>
#include <caml/callback.h>
static intnat counter = 0;
static double facc = 0.;
intnat p68_next(value unit) { return ++counter; }
value p68_next_byte(value unit) { return Val_long(++counter); }
double p68_acc(double x) { facc += x; return facc; }
value p68_acc_byte(value x) { facc += Double_val(x); return caml_copy_double(facc); }
value p68_poke(value r, value v) { Store_field(r, 0, v); return Val_unit; }
value p68_peek(value r) { return Field(r, 0); }
value p68_bump(value a) { Field(a, 1) = Val_long(Long_val(Field(a, 1)) + 1); return Val_unit; }
value p68_fail(value n) { if (Long_val(n) < 0) caml_failwith("negative"); return Val_long(Long_val(n) * 2); }
value p68_call(value f, value x) { CAMLparam2(f, x); CAMLlocal1(r); r = caml_callback(f, x); r = caml_callback(r, x); CAMLreturn(r); }
