/* The algorithm of programs/fft.ml. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 32768
#define ROUNDS 22

typedef struct { double re, im; } cplx;

static cplx roots[SIZE / 2];

static int bit_reverse(int bits, int i) {
  int acc = 0;
  for (; bits > 0; bits--, i >>= 1) acc = (acc << 1) | (i & 1);
  return acc;
}

static cplx mul(cplx a, cplx b) {
  return (cplx){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static double norm2(cplx a) { return a.re * a.re + a.im * a.im; }

static void transform(const cplx *input, cplx *a) {
  int bits = 0;
  while ((1 << bits) < SIZE) bits++;
  for (int i = 0; i < SIZE; i++) a[i] = input[bit_reverse(bits, i)];
  for (int half = 1; half < SIZE; half *= 2) {
    int stride = SIZE / (2 * half);
    for (int start = 0; start < SIZE; start += 2 * half)
      for (int k = 0; k < half; k++) {
        int i = start + k;
        cplx t = mul(roots[k * stride], a[i + half]), u = a[i];
        a[i] = (cplx){ u.re + t.re, u.im + t.im };
        a[i + half] = (cplx){ u.re - t.re, u.im - t.im };
      }
  }
}

static void convolve(cplx *a, const cplx *b) {
  static cplx fa[SIZE], fb[SIZE];
  transform(a, fa);
  transform(b, fb);
  for (int i = 0; i < SIZE; i++) {
    fa[i] = mul(fa[i], fb[i]);
    fa[i].im = -fa[i].im;
  }
  transform(fa, fb);
  for (int i = 0; i < SIZE; i++) a[i] = (cplx){ fb[i].re / SIZE, -fb[i].im / SIZE };
}

int main(void) {
  static cplx current[SIZE], kernel[SIZE], spectrum[SIZE];
  for (int k = 0; k < SIZE / 2; k++) {
    double angle = -2. * M_PI * k / SIZE;
    roots[k] = (cplx){ cos(angle), sin(angle) };
  }
  for (int i = 0; i < SIZE; i++) {
    double t = (double)i / SIZE;
    current[i].re = sin(2. * M_PI * 50. * t) + 0.5 * cos(2. * M_PI * 120. * t);
    kernel[i].re = i < 8 ? 0.125 : 0.;
  }
  transform(current, spectrum);
  int best = 0;
  for (int i = 1; i < SIZE / 2; i++)
    if (norm2(spectrum[i]) > norm2(spectrum[best])) best = i;
  printf("peak at %d\n", best);
  for (int r = 0; r < ROUNDS; r++) convolve(current, kernel);
  double power = 0;
  for (int i = 0; i < SIZE; i++) power += norm2(current[i]);
  printf("power %.6f, sample %.9f\n", power, current[1000].re);
  return 0;
}
