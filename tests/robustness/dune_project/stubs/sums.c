#include <caml/alloc.h>
#include <caml/callback.h>
#include <caml/memory.h>
#include <caml/mlvalues.h>

value stubs_sum(value numbers)
{
  intnat sum = 0;
  for (mlsize_t i = 0; i < Wosize_val(numbers); i++) sum += Long_val(Field(numbers, i));
  return Val_long(sum);
}

double stubs_scale(double x, intnat by) { return x * (double) by; }

value stubs_scale_boxed(value x, value by)
{
  return caml_copy_double(stubs_scale(Double_val(x), Long_val(by)));
}

/* Allocates before and after a call back into OCaml. */
value stubs_both(value f, value x)
{
  CAMLparam2(f, x);
  CAMLlocal2(first, pair);
  first = caml_copy_double((double) Long_val(x));
  pair = caml_callback(f, x);
  value block = caml_alloc_small(2, 0);
  Field(block, 0) = first;
  Field(block, 1) = pair;
  CAMLreturn(block);
}
