#include <caml/mlvalues.h>
#include <caml/alloc.h>
#include <caml/memory.h>
static int n = 0;
value s48_string(value unit) { n++; return caml_copy_string(n == 1 ? "first" : "later"); }
value s48_count(value unit) { return Val_int(++n); }
