/* The algorithm of programs/nbody.ml. */
#include <math.h>
#include <stdio.h>

#define BODIES 6
#define STEPS 6500000

typedef struct { double x, y, z, vx, vy, vz, mass; } body;

static double gravity;

static body planet(int i) {
  double r = 0.5 + 0.8 * i;
  double angle = 1.3 * i;
  double speed = sqrt(gravity / r);
  body b = { r * cos(angle), r * sin(angle), 0.02 * (i % 3),
             -speed * sin(angle), speed * cos(angle), 0.01 * (i % 2),
             1e-4 * (1 + i * i % 7) };
  return b;
}

static void offset_momentum(body *b) {
  double px = 0, py = 0, pz = 0;
  for (int i = 0; i < BODIES; i++) {
    px += b[i].vx * b[i].mass;
    py += b[i].vy * b[i].mass;
    pz += b[i].vz * b[i].mass;
  }
  b[0].vx -= px / b[0].mass;
  b[0].vy -= py / b[0].mass;
  b[0].vz -= pz / b[0].mass;
}

static void attract(double dt, body *a, body *b) {
  double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
  double dist2 = dx * dx + dy * dy + dz * dz;
  double mag = gravity * dt / (dist2 * sqrt(dist2));
  double ma = a->mass * mag, mb = b->mass * mag;
  a->vx -= dx * mb; a->vy -= dy * mb; a->vz -= dz * mb;
  b->vx += dx * ma; b->vy += dy * ma; b->vz += dz * ma;
}

static void advance(body *b, double dt) {
  for (int i = 0; i < BODIES; i++)
    for (int j = i + 1; j < BODIES; j++)
      attract(dt, &b[i], &b[j]);
  for (int i = 0; i < BODIES; i++) {
    b[i].x += dt * b[i].vx;
    b[i].y += dt * b[i].vy;
    b[i].z += dt * b[i].vz;
  }
}

static double energy(const body *b) {
  double total = 0;
  for (int i = 0; i < BODIES; i++) {
    total += 0.5 * b[i].mass * (b[i].vx * b[i].vx + b[i].vy * b[i].vy + b[i].vz * b[i].vz);
    for (int j = i + 1; j < BODIES; j++) {
      double dx = b[i].x - b[j].x, dy = b[i].y - b[j].y, dz = b[i].z - b[j].z;
      total -= gravity * b[i].mass * b[j].mass / sqrt(dx * dx + dy * dy + dz * dz);
    }
  }
  return total;
}

int main(void) {
  body bodies[BODIES];
  gravity = 4. * M_PI * M_PI;
  bodies[0] = (body){ 0, 0, 0, 0, 0, 0, 1 };
  for (int i = 1; i < BODIES; i++) bodies[i] = planet(i);
  offset_momentum(bodies);
  printf("energy before %.12f\n", energy(bodies));
  for (int s = 0; s < STEPS; s++) advance(bodies, 1e-4);
  printf("energy after  %.12f\n", energy(bodies));
  printf("star at %.9f %.9f %.9f\n", bodies[0].x, bodies[0].y, bodies[0].z);
  return 0;
}
