/* The algorithm of programs/stencil.ml. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 400

typedef double grid[SIZE][SIZE];

static void apply_sources(grid g) {
  g[100][100] = 500.;
  g[300][200] = -200.;
  g[200][350] = 300.;
}

static double step(double rate, grid src, grid dst) {
  double change = 0;
  for (int i = 1; i < SIZE - 1; i++)
    for (int j = 1; j < SIZE - 1; j++) {
      double here = src[i][j];
      double around = src[i - 1][j] + src[i + 1][j] + src[i][j - 1] + src[i][j + 1];
      double next = here + rate * (around - 4. * here);
      double delta = fabs(next - here);
      if (delta > change) change = delta;
      dst[i][j] = next;
    }
  return change;
}

static void red_black_sweep(double omega, grid g) {
  for (int parity = 0; parity < 2; parity++)
    for (int i = 1; i < SIZE - 1; i++)
      for (int j = 1 + ((i + parity) & 1); j < SIZE - 1; j += 2) {
        double around = g[i - 1][j] + g[i + 1][j] + g[i][j - 1] + g[i][j + 1];
        g[i][j] = (1. - omega) * g[i][j] + omega * 0.25 * around;
      }
}

static double total(grid g) {
  double sum = 0;
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) sum += g[i][j];
  return sum;
}

int main(void) {
  double (*src)[SIZE] = calloc(SIZE, sizeof *src), (*dst)[SIZE] = calloc(SIZE, sizeof *dst);
  double change = INFINITY;
  for (int j = 0; j < SIZE; j++) src[0][j] = dst[0][j] = j % 100;
  for (int n = 0; n < 800; n++) {
    apply_sources(src);
    change = step(0.2, src, dst);
    double (*t)[SIZE] = src;
    src = dst;
    dst = t;
  }
  printf("jacobi: total %.6f, change %.9f\n", total(src), change);
  for (int n = 0; n < 270; n++) red_black_sweep(1.8, src);
  printf("relaxed: total %.6f, centre %.9f\n", total(src), src[SIZE / 2][SIZE / 2]);
  return 0;
}
