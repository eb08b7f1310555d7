/* A program whose main function is in C, and which calls OCaml. */
#include <stdio.h>
#include <caml/callback.h>
#include <caml/mlvalues.h>

int main(int argc, char **argv) {
  (void)argc;
  printf("C: start\n");
  fflush(stdout);
  caml_startup(argv);
  const value *sum = caml_named_value("sum");
  if (sum == NULL)
    return 1;
  printf("C: callback gives %ld\n", (long)Long_val(caml_callback(*sum, Val_long(10))));
  printf("C: end\n");
  return 0;
}
