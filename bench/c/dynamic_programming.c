/* The algorithm of programs/dynamic_programming.ml. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static long noise(long i) { return ((i * 1103515245 + 12345) >> 5) & 0xffff; }

static char *text(long seed, long n) {
  char *s = malloc(n);
  for (long i = 0; i < n; i++) s[i] = 97 + noise(i + seed) % 6;
  return s;
}

static long **make_matrix(long n, long m) {
  long **t = malloc(n * sizeof *t);
  for (long i = 0; i < n; i++) t[i] = calloc(m, sizeof(long));
  return t;
}

static long lcs(const char *a, long n, const char *b, long m, long *hash) {
  long **t = make_matrix(n + 1, m + 1);
  for (long i = 1; i <= n; i++)
    for (long j = 1; j <= m; j++)
      t[i][j] = a[i - 1] == b[j - 1]         ? t[i - 1][j - 1] + 1
                : t[i - 1][j] > t[i][j - 1] ? t[i - 1][j]
                                            : t[i][j - 1];
  long i = n, j = m, h = 0;
  while (i > 0 && j > 0) {
    if (a[i - 1] == b[j - 1]) {
      h = (h * 31 + a[i - 1]) & 0xffffff;
      i--;
      j--;
    } else if (t[i - 1][j] >= t[i][j - 1]) i--;
    else j--;
  }
  *hash = h;
  return t[n][m];
}

static long knapsack(long items, long capacity) {
  long *best = calloc(capacity + 1, sizeof(long));
  for (long i = 0; i < items; i++) {
    long weight = 20 + noise(i) % 300, value = 10 + noise(i + 999) % 500;
    for (long c = capacity; c >= weight; c--) {
      long candidate = best[c - weight] + value;
      if (candidate > best[c]) best[c] = candidate;
    }
  }
  return best[capacity];
}

static long matrix_chain(long n) {
  long *dims = malloc((n + 1) * sizeof(long)), **cost = make_matrix(n, n);
  for (long i = 0; i <= n; i++) dims[i] = 10 + noise(i) % 90;
  for (long length = 2; length <= n; length++)
    for (long i = 0; i <= n - length; i++) {
      long j = i + length - 1, best = LONG_MAX;
      for (long k = i; k < j; k++) {
        long c = cost[i][k] + cost[k + 1][j] + dims[i] * dims[k + 1] * dims[j + 1];
        if (c < best) best = c;
      }
      cost[i][j] = best;
    }
  return cost[0][n - 1];
}

static long longest_increasing(long n) {
  long *a = malloc(n * sizeof(long)), *length = malloc(n * sizeof(long)), best = 0;
  for (long i = 0; i < n; i++) {
    a[i] = noise(i);
    length[i] = 1;
  }
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < i; j++)
      if (a[j] < a[i] && length[j] >= length[i]) length[i] = length[j] + 1;
    if (length[i] > best) best = length[i];
  }
  return best;
}

static long coin_ways(long total) {
  static const long coins[] = { 1, 2, 5, 10, 20, 50, 100, 200 };
  long *ways = calloc(total + 1, sizeof(long));
  ways[0] = 1;
  for (int k = 0; k < 8; k++)
    for (long t = coins[k]; t <= total; t++) ways[t] = (ways[t] + ways[t - coins[k]]) % 1000000007;
  return ways[total];
}

int main(void) {
  long hash, length = lcs(text(1, 3000), 3000, text(5000, 2800), 2800, &hash);
  printf("lcs %ld, hash %ld\n", length, hash);
  printf("knapsack %ld\n", knapsack(400, 120000));
  printf("chain %ld\n", matrix_chain(450));
  printf("increasing %ld\n", longest_increasing(10000));
  printf("coins %ld\n", coin_ways(3000000));
  return 0;
}
