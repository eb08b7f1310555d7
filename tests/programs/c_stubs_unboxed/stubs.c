#include <caml/mlvalues.h>
#include <caml/alloc.h>
#include <caml/memory.h>
double st_fma3(double a, double b, double c) { return a * b + c; }
value st_fma3_byte(value a, value b, value c) { return caml_copy_double(st_fma3(Double_val(a), Double_val(b), Double_val(c))); }
int32_t st_i32(int32_t a, int32_t b) { return a * b + 1; }
value st_i32_byte(value a, value b) { return caml_copy_int32(st_i32(Int32_val(a), Int32_val(b))); }
int64_t st_i64(int64_t a, int32_t b, intnat c) { return a + b * 2 + c * 3; }
value st_i64_byte(value a, value b, value c) { return caml_copy_int64(st_i64(Int64_val(a), Int32_val(b), Nativeint_val(c))); }
intnat st_nat(intnat a) { return -a; }
value st_nat_byte(value a) { return caml_copy_nativeint(st_nat(Nativeint_val(a))); }
intnat st_int(intnat a, intnat b) { return a - b; }
value st_int_byte(value a, value b) { return Val_long(st_int(Long_val(a), Long_val(b))); }
double st_many(double a, intnat b, double c, int64_t d, value e, double f, int32_t g, intnat h, double i, intnat j, double k, double l) { return a + b + c + d + Long_val(e) + f + g + h + i + 2 * j + k * 3 + l * 5; }
value st_many_byte(value *v, int n) { return caml_copy_double(st_many(Double_val(v[0]), Long_val(v[1]), Double_val(v[2]), Int64_val(v[3]), v[4], Double_val(v[5]), Int32_val(v[6]), Nativeint_val(v[7]), Double_val(v[8]), Long_val(v[9]), Double_val(v[10]), Double_val(v[11]))); }
value st_boxed7(value a, value b, value c, value d, value e, value f, value g) { CAMLparam5(a, b, c, d, e); CAMLxparam2(f, g); CAMLlocal1(r); r = caml_alloc_tuple(7); Store_field(r, 0, g); Store_field(r, 1, f); Store_field(r, 2, e); Store_field(r, 3, d); Store_field(r, 4, c); Store_field(r, 5, b); Store_field(r, 6, a); CAMLreturn(r); }
value st_boxed7_byte(value *v, int n) { return st_boxed7(v[0], v[1], v[2], v[3], v[4], v[5], v[6]); }
value st_copy(value d) { return caml_copy_double(Double_val(d) * 2.); }
value st_unit(value u) { return Val_unit; }
int32_t st_garbage(intnat a) { return (int32_t)a; }
value st_garbage_byte(value a) { return caml_copy_int32((int32_t)Long_val(a)); }
double st_div(double a, intnat b) { return a / b; }
value st_div_byte(value a, value b) { return caml_copy_double(Double_val(a) / Long_val(b)); }
