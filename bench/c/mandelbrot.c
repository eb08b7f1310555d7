/* The algorithm of programs/mandelbrot.ml. */
#include <math.h>
#include <stdio.h>

typedef struct { double centre_x, centre_y, width; int columns, rows; } view;

/* Returns the steps, or -1 for a point that does not escape. */
static int escape(int limit, double cx, double cy, double *radius2) {
  double x = 0, y = 0;
  for (int steps = 0;; steps++) {
    double x2 = x * x, y2 = y * y;
    if (x2 + y2 > 16.) { *radius2 = x2 + y2; return steps; }
    if (steps >= limit) return -1;
    double nx = x2 - y2 + cx;
    y = 2. * x * y + cy;
    x = nx;
  }
}

static int known_inside(double x, double y) {
  double xs = x - 0.25, q = xs * xs + y * y;
  return q * (q + xs) <= 0.25 * y * y || (x + 1.) * (x + 1.) + y * y <= 0.0625;
}

static void render(int limit, view v) {
  int inside = 0, histogram[14] = { 0 };
  double brightness = 0, step = v.width / v.columns;
  for (int row = 0; row < v.rows; row++)
    for (int column = 0; column < v.columns; column++) {
      double x = v.centre_x + step * (column - v.columns / 2);
      double y = v.centre_y + step * (row - v.rows / 2);
      double radius2 = 0;
      int steps = known_inside(x, y) ? -1 : escape(limit, x, y, &radius2);
      if (steps < 0) { inside++; continue; }
      brightness += (double)steps + 1. - log(0.5 * log(radius2)) / log(2.);
      int b = 0;
      for (int n = steps; n > 1; n >>= 1) b++;
      histogram[b]++;
    }
  printf("inside %d, brightness %.3f, histogram", inside, brightness);
  for (int i = 0; i < 14; i++) printf(" %d", histogram[i]);
  printf("\n");
}

int main(void) {
  static const view views[] = { { -0.5, 0., 3.2, 600, 400 },
                                { -0.7436, 0.1318, 0.02, 400, 400 },
                                { 0.285, 0.0115, 0.01, 300, 300 } };
  for (int i = 0; i < 3; i++) render(5000, views[i]);
  return 0;
}
