// Random and named contact problems for tests: free bodies, joints and contacts between them.
#pragma once
#include "math/contact/contact_problem.h"
#include "test.h"

enum { WORLD_WIDTH = 8 }; // six velocities of a body, angular first, padded

typedef struct lb_body {
  double mass;
  double inertia[3]; // principal, along the world's axes
} lb_body;

typedef struct lb_contact_world {
  lb_contact_problem problem;
  lb_body* body;
  int* velocity;
  double* u0;
  lb_contact_row* row;
  double *J, *Z;
  int* block;
  int bodies, rows; // capacity
} lb_contact_world;

static inline lb_contact_world lb_contact_world_make(int bodies, int rows) {
  lb_contact_world w = {.bodies = bodies, .rows = rows};
  w.body = calloc((size_t)bodies + 1, sizeof *w.body);
  w.velocity = calloc((size_t)bodies + 1, sizeof *w.velocity);
  w.u0 = calloc((size_t)bodies * WORLD_WIDTH + 1, sizeof *w.u0);
  w.row = calloc((size_t)rows + 1, sizeof *w.row);
  w.J = calloc((size_t)rows * 2 * WORLD_WIDTH + 1, sizeof *w.J);
  w.Z = calloc((size_t)rows * 2 * WORLD_WIDTH + 1, sizeof *w.Z);
  w.block = calloc((size_t)rows + 1, sizeof *w.block);
  assert_non_null(w.block);
  w.problem = (lb_contact_problem){
      .velocity = w.velocity, .u0 = w.u0, .row = w.row, .J = w.J, .Z = w.Z, .block = w.block};
  return w;
}

static inline void lb_contact_world_free(lb_contact_world* w) {
  free(w->body);
  free(w->velocity);
  free(w->u0);
  free(w->row);
  free(w->J);
  free(w->Z);
  free(w->block);
}

static inline void lb_contact_world_clear(lb_contact_world* w) {
  w->problem.ngroup = w->problem.nrow = w->problem.nblock = w->problem.nentry = 0;
}

// A free body of a mass and size; its index.
static inline int lb_add_body(lb_contact_world* w, double mass, double size, const double* u) {
  const int g = w->problem.ngroup++;
  assert_true(g < w->bodies);
  w->body[g] =
      (lb_body){mass, {mass * size * size, 1.3 * mass * size * size, 0.8 * mass * size * size}};
  w->velocity[g + 1] = w->velocity[g] + WORLD_WIDTH;
  for (int i = 0; i < WORLD_WIDTH; i++) {
    w->u0[w->velocity[g] + i] = u && i < 6 ? u[i] : 0;
  }
  return g;
}

// One side of a row: direction `n` at the arm `r` (NULL: a turning direction), with a sign.
static inline void lb_add_side(lb_contact_world* w, lb_contact_row* row, int side, int g,
                               const double* n, const double* r, double sign) {
  row->group[side] = g;
  row->entry[side] = 0;
  if (g < 0) {
    return;
  }
  const int at = row->entry[side] = w->problem.nentry;
  w->problem.nentry += WORLD_WIDTH;
  double *J = w->J + at, *Z = w->Z + at;
  for (int i = 6; i < WORLD_WIDTH; i++) {
    J[i] = Z[i] = 0;
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double turn = sign * (r ? r[j] * n[k] - r[k] * n[j] : n[i]), push = r ? sign * n[i] : 0;
    J[i] = turn;
    J[3 + i] = push;
    Z[i] = turn / w->body[g].inertia[i];
    Z[3 + i] = push / w->body[g].mass;
  }
}

// A row between bodies a and b (-1: the world) in direction n at arms ra, rb; its index.
static inline int lb_add_row(lb_contact_world* w, lb_contact_kind kind, int a, int b,
                             const double* n, const double* ra, const double* rb) {
  const int r = w->problem.nrow++;
  assert_true(r < w->rows);
  w->row[r] = (lb_contact_row){.kind = kind, .normal = -1};
  lb_add_side(w, &w->row[r], 0, a, n, ra, 1);
  lb_add_side(w, &w->row[r], 1, b, n, rb, -1);
  return r;
}

static inline void lb_end_block(lb_contact_world* w) {
  w->block[++w->problem.nblock] = w->problem.nrow;
}

// Two directions across n.
static inline void lb_across(const double* n, double* t1, double* t2) {
  const int k = fabs(n[0]) < 0.6 ? 0 : 1;
  const double e[3] = {k == 0, k == 1, 0};
  double length = 0;
  for (int i = 0; i < 3; i++) {
    t1[i] = e[i] - n[k] * n[i];
    length += t1[i] * t1[i];
  }
  for (int i = 0; i < 3; i++) {
    t1[i] /= sqrt(length);
  }
  for (int i = 0; i < 3; i++) {
    t2[i] = n[(i + 1) % 3] * t1[(i + 2) % 3] - n[(i + 2) % 3] * t1[(i + 1) % 3];
  }
}

// A point contact with a round cone; its normal row.
static inline int lb_add_contact(lb_contact_world* w, int a, int b, const double* n,
                                 const double* ra, const double* rb, double mu) {
  double t1[3], t2[3];
  lb_across(n, t1, t2);
  const int r = lb_add_row(w, LB_CONTACT_UNILATERAL, a, b, n, ra, rb);
  const int t = lb_add_row(w, LB_CONTACT_SET_2, a, b, t1, ra, rb);
  lb_add_row(w, LB_CONTACT_SECOND, a, b, t2, ra, rb);
  w->row[t].normal = r;
  w->row[t].mu = mu;
  lb_end_block(w);
  return r;
}

static inline void lb_random_vector(lb_random* r, double size, double* v, int n) {
  for (int i = 0; i < n; i++) {
    v[i] = lb_random_between(r, -size, size);
  }
}

static inline void lb_random_direction(lb_random* r, double* n) {
  double square;
  do {
    lb_random_vector(r, 1, n, 3);
    square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
  } while (square < 0.1 || square > 1);
  for (int i = 0; i < 3; i++) {
    n[i] /= sqrt(square);
  }
}

// A ball joint between two bodies: three equality rows in one block.
static inline void lb_add_ball(lb_contact_world* w, int a, int b, const double* ra,
                               const double* rb) {
  for (int i = 0; i < 3; i++) {
    const double e[3] = {i == 0, i == 1, i == 2};
    lb_add_row(w, LB_CONTACT_EQUALITY, a, b, e, ra, rb);
  }
  lb_end_block(w);
}

// Bodies thrown about, joined by some balls, with contacts between two or with the world, at
// random: [auto] 3.5.
static inline void lb_random_world(lb_contact_world* w, lb_random* r, int nbody, int njoint,
                                   int ncontact, double mu) {
  lb_contact_world_clear(w);
  for (int i = 0; i < nbody; i++) {
    double u[6];
    lb_random_vector(r, 1, u, 6);
    lb_add_body(w, pow(10, lb_random_between(r, -0.5, 0.5)), lb_random_between(r, 0.3, 0.6), u);
  }
  for (int i = 0; i < njoint + ncontact; i++) {
    double ra[3], rb[3], n[3];
    const int a = (int)(lb_random_unit(r) * nbody);
    const int other = (int)(lb_random_unit(r) * nbody);
    const int b = other == a ? -1 : other;
    lb_random_vector(r, 0.5, ra, 3);
    lb_random_vector(r, 0.5, rb, 3);
    lb_random_direction(r, n);
    if (i < njoint) {
      lb_add_ball(w, a, b, ra, rb);
    } else {
      lb_add_contact(w, a, b, n, ra, rb, mu);
    }
  }
}
