/* The algorithm of programs/lu_decomposition.ml. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 300
#define ROUNDS 14

static double *new_row(void) { return malloc(N * sizeof(double)); }

static double decompose(double **a, int *pivots) {
  double sign = 1;
  for (int i = 0; i < N; i++) pivots[i] = i;
  for (int k = 0; k < N; k++) {
    int p = k;
    for (int i = k + 1; i < N; i++)
      if (fabs(a[i][k]) > fabs(a[p][k])) p = i;
    if (a[p][k] == 0) exit(1);
    if (p != k) {
      double *row = a[p]; a[p] = a[k]; a[k] = row;
      int t = pivots[p]; pivots[p] = pivots[k]; pivots[k] = t;
      sign = -sign;
    }
    double *row_k = a[k];
    for (int i = k + 1; i < N; i++) {
      double *row_i = a[i];
      double factor = row_i[k] / row_k[k];
      row_i[k] = factor;
      for (int j = k + 1; j < N; j++) row_i[j] -= factor * row_k[j];
    }
  }
  return sign;
}

static void solve(double **a, const int *pivots, const double *b, double *x) {
  for (int i = 0; i < N; i++) x[i] = b[pivots[i]];
  for (int i = 1; i < N; i++) {
    double sum = x[i];
    for (int j = 0; j < i; j++) sum -= a[i][j] * x[j];
    x[i] = sum;
  }
  for (int i = N - 1; i >= 0; i--) {
    double sum = x[i];
    for (int j = i + 1; j < N; j++) sum -= a[i][j] * x[j];
    x[i] = sum / a[i][i];
  }
}

int main(void) {
  double total = 0, logs = 0, worst = 0;
  double *a[N], *lu[N], b[N], x[N];
  int pivots[N];
  for (int seed = 1; seed <= ROUNDS; seed++) {
    long state = seed;
    for (int i = 0; i < N; i++) {
      a[i] = new_row();
      lu[i] = new_row();
      for (int j = 0; j < N; j++) {
        state = (state * 1103515245 + 12345) & 0x3fffffff;
        a[i][j] = (double)state / 536870912. - 1. + (i == j ? 4. : 0.);
        lu[i][j] = a[i][j];
      }
    }
    double sign = decompose(lu, pivots);
    for (int i = 0; i < N; i++) b[i] = i % 7;
    solve(lu, pivots, b, x);
    for (int i = 0; i < N; i++) {
      double sum = -b[i];
      for (int j = 0; j < N; j++) sum += a[i][j] * x[j];
      worst = fmax(worst, fabs(sum));
    }
    double log_det = 0;
    for (int i = 0; i < N; i++) log_det += log(fabs(lu[i][i]));
    logs += sign * log_det;
    double trace = 0;
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) b[j] = i == j ? 1. : 0.;
      solve(lu, pivots, b, x);
      trace += x[i];
    }
    total += trace;
    for (int i = 0; i < N; i++) {
      free(a[i]);
      free(lu[i]);
    }
  }
  printf("traces %.6f, log determinants %.6f, accurate %s\n", total, logs,
         worst < 1e-8 ? "true" : "false");
  return 0;
}
