/* The algorithm of programs/matrix_product.ml. */
#include <stdio.h>
#include <stdlib.h>

#define MODULUS 1000003

static long noise(long i, long j) { return (i * 7919 + j * 104729 + i * j * 31) & 0xffff; }

static long **make(long n) {
  long **a = malloc(n * sizeof *a);
  for (long i = 0; i < n; i++) a[i] = calloc(n, sizeof(long));
  return a;
}

static long **multiply(long n, long **a, long **b) {
  long **c = make(n);
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      long sum = 0;
      for (long k = 0; k < n; k++) sum += a[i][k] * b[k][j];
      c[i][j] = sum % MODULUS;
    }
  return c;
}

static long **multiply_blocked(long n, long block, long **a, long **b) {
  long **c = make(n);
  for (long k0 = 0; k0 < n; k0 += block) {
    long k1 = k0 + block < n ? k0 + block : n;
    for (long i = 0; i < n; i++) {
      long *row_a = a[i], *row_c = c[i];
      for (long k = k0; k < k1; k++) {
        long factor = row_a[k], *row_b = b[k];
        for (long j = 0; j < n; j++) row_c[j] += factor * row_b[j];
      }
    }
  }
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) c[i][j] %= MODULUS;
  return c;
}

static long trace(long n, long **a) {
  long sum = 0;
  for (long i = 0; i < n; i++) sum += a[i][i];
  return sum;
}

static long checksum(long n, long **a) {
  long h = 0;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) h = (h * 31 + a[i][j]) & 0xffffffff;
  return h;
}

static void shortest_paths(long n, long **d) {
  for (long k = 0; k < n; k++)
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++) {
        long through = d[i][k] + d[k][j];
        if (through < d[i][j]) d[i][j] = through;
      }
}

int main(void) {
  long n = 320, far = 1000000000;
  long **a = make(n), **b = make(n), **t = make(n);
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      a[i][j] = noise(i, j);
      b[i][j] = noise(j + 1, i + 2);
      t[j][i] = b[i][j];
    }
  long **plain = a, **blocked = a;
  for (int r = 0; r < 4; r++) {
    plain = multiply(n, plain, b);
    blocked = multiply_blocked(n, 48, blocked, b);
  }
  printf("plain: trace %ld, checksum %ld\n", trace(n, plain), checksum(n, plain));
  printf("blocked: trace %ld, checksum %ld\n", trace(n, blocked), checksum(n, blocked));
  printf("transposed: checksum %ld\n", checksum(n, multiply(n, t, a)));
  long m = n * 5 / 4, **d = make(m);
  for (long i = 0; i < m; i++)
    for (long j = 0; j < m; j++)
      d[i][j] = i == j ? 0 : noise(i, j) % 41 == 0 ? 1 + noise(j, i) % 100 : far;
  shortest_paths(m, d);
  printf("paths: checksum %ld\n", checksum(m, d));
  return 0;
}
