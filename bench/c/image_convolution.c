/* The algorithm of programs/image_convolution.ml. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { W = 1500, H = 1120, N = W * H };

typedef struct { long size, divisor; const long *weights; } kernel;

static const long gaussian_weights[] = { 1, 4, 6, 4, 1, 4, 16, 24, 16, 4, 6, 24, 36,
                                         24, 6, 4, 16, 24, 16, 4, 1, 4, 6, 4, 1 };
static const long sharpen_weights[] = { 0, -1, 0, -1, 5, -1, 0, -1, 0 };
static const kernel gaussian = { 5, 256, gaussian_weights };
static const kernel sharpen = { 3, 1, sharpen_weights };

static long clamp(long v) { return v < 0 ? 0 : v > 255 ? 255 : v; }

static long get(const long *image, long x, long y) {
  x = x < 0 ? 0 : x >= W ? W - 1 : x;
  y = y < 0 ? 0 : y >= H ? H - 1 : y;
  return image[y * W + x];
}

static long *create(void) { return calloc(N, sizeof(long)); }

static long *convolve(const kernel *k, const long *image) {
  long radius = k->size / 2, *out = create();
  for (long y = 0; y < H; y++)
    for (long x = 0; x < W; x++) {
      long sum = 0;
      for (long ky = 0; ky < k->size; ky++)
        for (long kx = 0; kx < k->size; kx++)
          sum += k->weights[ky * k->size + kx] * get(image, x + kx - radius, y + ky - radius);
      out[y * W + x] = clamp(sum / k->divisor);
    }
  return out;
}

static long *sobel(const long *im) {
  long *out = create();
  for (long y = 0; y < H; y++)
    for (long x = 0; x < W; x++) {
#define P(dx, dy) get(im, x + (dx), y + (dy))
      long gx = P(1, -1) + 2 * P(1, 0) + P(1, 1) - P(-1, -1) - 2 * P(-1, 0) - P(-1, 1);
      long gy = P(-1, 1) + 2 * P(0, 1) + P(1, 1) - P(-1, -1) - 2 * P(0, -1) - P(1, -1);
#undef P
      out[y * W + x] = clamp((labs(gx) + labs(gy)) / 4);
    }
  return out;
}

static long *dilate(long radius, const long *im) {
  long *out = create();
  for (long y = 0; y < H; y++)
    for (long x = 0; x < W; x++) {
      long best = 0;
      for (long dy = -radius; dy <= radius; dy++)
        for (long dx = -radius; dx <= radius; dx++) {
          long v = get(im, x + dx, y + dy);
          if (v > best) best = v;
        }
      out[y * W + x] = best;
    }
  return out;
}

static long *equalise(const long *im) {
  long histogram[256] = { 0 }, table[256], running = 0, *out = create();
  for (long i = 0; i < N; i++) histogram[im[i]]++;
  for (int v = 0; v < 256; v++) {
    running += histogram[v];
    table[v] = running * 255 / N;
  }
  for (long i = 0; i < N; i++) out[i] = table[im[i]];
  return out;
}

static long *stack, top;
static bool *seen;

static void visit(const long *im, long level, long i) {
  if (im[i] >= level && !seen[i]) {
    seen[i] = true;
    stack[top++] = i;
  }
}

static long areas(long level, const long *im, long *largest) {
  long count = 0;
  seen = calloc(N, sizeof(bool));
  stack = create();
  *largest = 0;
  for (long start = 0; start < N; start++) {
    if (im[start] < level || seen[start]) continue;
    long size = 0;
    count++;
    top = 0;
    visit(im, level, start);
    while (top > 0) {
      long i = stack[--top], x = i % W;
      size++;
      if (x > 0) visit(im, level, i - 1);
      if (x < W - 1) visit(im, level, i + 1);
      if (i >= W) visit(im, level, i - W);
      if (i < N - W) visit(im, level, i + W);
    }
    if (size > *largest) *largest = size;
  }
  return count;
}

static long checksum(const long *im) {
  long h = 7;
  for (long i = 0; i < N; i++) h = (h * 31 + im[i]) & 0xffffffff;
  return h;
}

int main(void) {
  long *picture = create();
  for (long y = 0; y < H; y++)
    for (long x = 0; x < W; x++) {
      long rings = (((x - 750) * (x - 750) + (y - 560) * (y - 560)) / 400) & 127;
      picture[y * W + x] = rings + (((x * 7919 + y * 104729 + x * y * 31) >> 3) & 63);
    }
  long *blurred = convolve(&gaussian, convolve(&gaussian, picture));
  long *sharp = convolve(&sharpen, blurred);
  long *edges = sobel(sharp);
  long *grown = dilate(2, edges);
  long *final = equalise(grown);
  long largest, count = areas(140, final, &largest);
  printf("blurred %ld, sharp %ld, edges %ld, grown %ld\n", checksum(blurred), checksum(sharp),
         checksum(edges), checksum(grown));
  printf("final %ld, areas %ld, largest %ld\n", checksum(final), count, largest);
  return 0;
}
