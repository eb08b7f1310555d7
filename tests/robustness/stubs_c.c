#include <string.h>
#include <caml/alloc.h>
#include <caml/callback.h>
#include <caml/fail.h>
#include <caml/memory.h>
#include <caml/mlvalues.h>

value stub_add(value a, value b) { return Val_long(Long_val(a) + Long_val(b)); }

double stub_scale(double x, intnat n) { return x * n; }
value stub_scale_byte(value x, value n) {
  return caml_copy_double(stub_scale(Double_val(x), Long_val(n)));
}

int64_t stub_next(int64_t x) { return x + 1; }
value stub_next_byte(value x) { return caml_copy_int64(stub_next(Int64_val(x))); }

/* More arguments than the bytecode interpreter passes one by one. */
value stub_many(value a, value b, value c, value d, value e, value f, value g, value h,
                value i, value j, value k, value l) {
  return Val_long(Long_val(a) + Long_val(b) + Long_val(c) + Long_val(d) + Long_val(e) +
                  Long_val(f) + Long_val(g) + Long_val(h) + Long_val(i) + Long_val(j) +
                  Long_val(k) + Long_val(l));
}
value stub_many_byte(value *v, int n) {
  (void)n;
  return stub_many(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11]);
}

value stub_call(value f, value s) {
  CAMLparam2(f, s);
  CAMLreturn(caml_callback(f, s));
}

value stub_fail(value unit) {
  (void)unit;
  caml_failwith("no");
}
