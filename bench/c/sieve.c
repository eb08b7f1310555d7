/* The algorithm of programs/sieve.ml. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *is_prime_table(long limit) {
  char *table = malloc(limit + 1);
  memset(table, 1, limit + 1);
  table[0] = table[1] = 0;
  for (long i = 2; i * i <= limit; i++)
    if (table[i])
      for (long j = i * i; j <= limit; j += i) table[j] = 0;
  return table;
}

static long *primes_of(const char *table, long limit, long *count) {
  long n = 0;
  for (long i = 0; i <= limit; i++) n += table[i];
  long *primes = malloc(n * sizeof(long));
  long next = 0;
  for (long i = 0; i <= limit; i++)
    if (table[i]) primes[next++] = i;
  *count = n;
  return primes;
}

static long count_segmented(long limit) {
  enum { WIDTH = 32768 };
  static long window[WIDTH];
  long root = (long)sqrt((double)limit) + 1, n;
  long *primes = primes_of(is_prime_table(root), root, &n);
  long count = 0;
  for (long low = 2; low < limit; low += WIDTH) {
    long high = low + WIDTH < limit ? low + WIDTH : limit;
    for (long j = 0; j < WIDTH; j++) window[j] = 1;
    for (long k = 0; k < n; k++) {
      long p = primes[k];
      if (p * p < high) {
        long first = (low + p - 1) / p * p;
        if (first < p * p) first = p * p;
        for (long j = first - low; j < high - low; j += p) window[j] = 0;
      }
    }
    for (long j = 0; j < high - low; j++) count += window[j];
  }
  return count;
}

static long *least_factors(long limit) {
  long *factor = calloc(limit + 1, sizeof(long)), *primes = calloc(limit / 2, sizeof(long));
  long count = 0;
  for (long i = 2; i <= limit; i++) {
    if (factor[i] == 0) {
      factor[i] = i;
      primes[count++] = i;
    }
    for (long k = 0; k < count && primes[k] <= factor[i] && i * primes[k] <= limit; k++)
      factor[i * primes[k]] = primes[k];
  }
  return factor;
}

static long totient_sum(const long *factor, long limit) {
  long *phi = malloc((limit + 1) * sizeof(long)), sum = 1;
  phi[0] = phi[1] = 1;
  for (long i = 2; i <= limit; i++) {
    long p = factor[i], rest = i / p;
    phi[i] = rest % p == 0 ? phi[rest] * p : phi[rest] * (p - 1);
    sum += phi[i];
  }
  return sum;
}

int main(void) {
  long n;
  long *primes = primes_of(is_prime_table(10000000), 10000000, &n);
  printf("plain: %ld primes, last %ld\n", n, primes[n - 1]);
  printf("segmented: %ld primes\n", count_segmented(60000000));
  printf("totients: %ld\n", totient_sum(least_factors(4000000), 4000000));
  long limit = 1000000, best = 1;
  long *counts = calloc(limit + 1, sizeof(long));
  for (long d = 1; d <= limit; d++)
    for (long m = d; m <= limit; m += d) counts[m]++;
  for (long i = 2; i <= limit; i++)
    if (counts[i] > counts[best]) best = i;
  printf("divisors: %ld has %ld\n", best, counts[best]);
  return 0;
}
