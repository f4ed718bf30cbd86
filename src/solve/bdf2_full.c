// Newton's method for bodies with all their nodes: each answers the residual by itself, with its
// own factored matrix, and a small dense system couples the answers through what the bodies hold in
// common (elastic/condensed.h). The small system is the mass matrix of the model's shadow, the same
// world with each body reduced to the few columns that matter in this step, divided by dt: the
// bodies' stiffness is in there already.
#include <math.h>
#include <string.h>

#include "dynamics/elastic.h"
#include "dynamics/loop.h"
#include "dynamics/state.h"
#include "elastic/condensed.h"
#include "math/dense.h"
#include "solve/bdf2.h"
#include "solve/bdf2_loops.h"

typedef struct full {
  lb_model shadow; // with bodies of our own
  lb_link* link;   // [nlink] of it
  lb_data* data;   // of it
  int nbody;
  lb_condensed** body; // [nbody]
  int* body_link;      // [nbody] in both models
  double* W;           // [n][n] factored, n the shadow's coordinates
  double* r;           // [n] residual in them
  double* c;           // [n] correction in them
  double* J;           // [rows][n] of the loops
  lb_bdf2_loops loops;
} full;

// --- making and releasing ---

static lb_status condense_bodies(lb_stepper* st, full* own) {
  const lb_model* m = st->m;
  for (int i = 0; i < m->nlink; i++) {
    if (m->link[i].kind != LB_LINK_FULL) {
      continue;
    }
    const lb_full* body = m->link[i].reduced->full;
    const bool moves = own->link[i].nv == lb_condensed_size(body, true);
    lb_condensed* c = NULL;
    const lb_status status = lb_condensed_create(st->arena.allocator, body, moves, &c);
    if (status != LB_OK) {
      return status;
    }
    own->body_link[own->nbody] = i;
    own->body[own->nbody++] = c;
    for (int f = 0; f <= body->nface; f++) {
      own->link[i + f].reduced = lb_condensed_body(c);
    }
  }
  return LB_OK;
}

static void release(lb_stepper* st) {
  const lb_bdf2* step = st->own;
  full* own = step->own;
  if (own) {
    for (int i = 0; i < own->nbody; i++) {
      lb_condensed_release(own->body[i]);
    }
    lb_data_release(own->data);
  }
}

static lb_status take(lb_stepper* st, full* own) {
  const lb_model* m = st->m;
  const int n = m->shadow->nv;
  const int rows = lb_loops_most_rows(m);
  own->shadow = *m->shadow;
  own->link = LB_TAKE(&st->arena, lb_link, m->nlink);
  own->body = LB_TAKE(&st->arena, lb_condensed*, m->nelastic);
  own->body_link = LB_TAKE(&st->arena, int, m->nelastic);
  own->W = LB_TAKE(&st->arena, double, (size_t)n*(size_t)n);
  own->r = LB_TAKE(&st->arena, double, n);
  own->c = LB_TAKE(&st->arena, double, n);
  own->J = LB_TAKE(&st->arena, double, (size_t)rows*(size_t)n);
  if (!own->link || !own->body || !own->body_link || !own->W || !own->r || !own->c || !own->J) {
    return LB_NO_MEMORY;
  }
  memcpy(own->link, m->shadow->link, (size_t)m->nlink * sizeof *own->link);
  own->shadow.link = own->link;
  return lb_bdf2_loops_create(&own->loops, rows, n, &st->arena);
}

static lb_status create(lb_stepper* st, lb_error* err) {
  lb_bdf2* step = st->own;
  full* own = step->own = LB_TAKE(&st->arena, full, 1);
  lb_status status = own ? take(st, own) : LB_NO_MEMORY;
  if (status == LB_OK) {
    status = condense_bodies(st, own);
  }
  if (status == LB_OK) {
    status = lb_data_create(&own->shadow, st->arena.allocator, &own->data, NULL);
  }
  if (status != LB_OK) {
    release(st);
    lb_error_add(err, status, (lb_place){0},
                 "out of memory for the stepper of full elastic bodies");
  }
  return status;
}

// --- the matrix ---

static bool make(lb_stepper* st, lb_data* d, double dt) {
  lb_bdf2* step = st->own;
  full* own = step->own;
  for (int i = 0; i < own->nbody; i++) {
    const double* u = d->q + st->m->link[own->body_link[i]].q;
    if (lb_condensed_renew(own->body[i], u, dt) != LB_OK) {
      step->dt = 0;
      return false;
    }
  }
  step->speed = sqrt(2 * lb_kinetic_energy(st->m, d));
  step->dt = dt;
  return true;
}

// The shadow where the character is: joints alike, bodies' coordinates zero.
static void cast(const lb_model* m, full* own, const lb_data* d) {
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link[i];
    const lb_link* s = &own->link[i];
    if (!l->reduced) {
      memcpy(own->data->q + s->q, d->q + l->q,
             (size_t)m->joint_nq[m->link_joint[i]] * sizeof(double));
    }
  }
}

// W of the small system, factored.
static bool couple(const lb_model* m, full* own, const lb_data* d, double dt) {
  const lb_model* s = &own->shadow;
  const int n = s->nv;
  cast(m, own, d);
  lb_crba(s, own->data, own->W, own->data->q);
  for (int i = 0; i < n * n; i++) {
    own->W[i] /= dt;
  }
  for (int k = 0; k < n; k++) {
    own->W[k * n + k] += s->damping[k] + dt * s->stiffness[k];
  }
  for (int i = 0; i < s->nlink; i++) {
    if (s->link_driven[i]) {
      const int k = s->link_v[i];
      for (int j = 0; j < n; j++) {
        own->W[k * n + j] = own->W[j * n + k] = j == k;
      }
    }
  }
  return lb_cholesky(n, own->W, n) == LB_OK;
}

// --- between nodes and the small system's unknowns ---

static void project(const lb_model* m, full* own, double* out, const double* r) {
  for (int i = 0; i < m->nlink; i++) {
    if (!m->link[i].reduced) {
      memcpy(out + own->link[i].v, r + m->link[i].v, (size_t)m->link[i].nv * sizeof *r);
    }
  }
  for (int i = 0; i < own->nbody; i++) {
    const int link = own->body_link[i];
    lb_condensed_project(own->body[i], out + own->link[link].v, r + m->link[link].v);
  }
}

static void subtract(const lb_model* m, full* own, double* v) {
  for (int k = 0; k < own->shadow.nv; k++) {
    own->c[k] = -own->c[k];
  }
  for (int i = 0; i < m->nlink; i++) {
    if (!m->link[i].reduced) {
      lb_bdf2_add(m->link[i].nv, v + m->link[i].v, 1, own->c + own->link[i].v);
    }
  }
  for (int i = 0; i < own->nbody; i++) {
    const int link = own->body_link[i];
    lb_condensed_expand(own->body[i], v + m->link[link].v, own->c + own->link[link].v);
  }
}

static void solve_small(const void* context, int count, double* b) {
  const full* own = context;
  const int n = own->shadow.nv;
  lb_cholesky_solve(n, own->W, n, count, b, n);
}

static double correct(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  lb_bdf2* step = st->own;
  full* own = step->own;
  const int n = own->shadow.nv;
  const lb_loop_rows rows = lb_loops_linearise(m, d);
  for (int i = 0; i < rows.count; i++) {
    lb_bdf2_add(m->nv, step->r, -own->loops.lambda[i], rows.J + (size_t)i * (size_t)m->nv);
  }
  for (int i = 0; i < own->nbody; i++) {
    const lb_link* l = &m->link[own->body_link[i]];
    if (lb_condensed_answer(own->body[i], d->q + l->q, step->r + l->v) != LB_OK) {
      return NAN;
    }
  }
  if (!couple(m, own, d, dt)) {
    return NAN;
  }
  project(m, own, own->r, step->r);
  for (int i = 0; i < rows.count; i++) {
    project(m, own, own->J + i * n, rows.J + (size_t)i * (size_t)m->nv);
  }
  memcpy(own->c, own->r, (size_t)n * sizeof *own->c);
  solve_small(own, 1, own->c);
  if (rows.count > 0) {
    lb_bdf2_loops_forget(&own->loops); // the small matrix is a new one every time
    lb_bdf2_loops_correct(&own->loops, &rows, own->J, dt, solve_small, own, own->c, own->r);
  }
  const double size = sqrt(fabs(dt * lb_bdf2_dot(n, own->c, own->r)));
  subtract(m, own, d->qd);
  return size;
}

static void hold(lb_stepper* st, bool back) {
  const lb_bdf2* step = st->own;
  full* own = step->own;
  lb_bdf2_loops_hold(&own->loops, back);
}

// The forces of the motors that go with the step's accelerations.
static void observe(lb_stepper* st, lb_data* d) {
  const lb_bdf2* step = st->own;
  const full* own = step->own;
  lb_drive(st->m, d);
  lb_react(st->m, d, own->loops.lambda);
}

const lb_bdf2_algebra lb_bdf2_full = {create,  release, make, make, correct, hold,
                                      observe, 1e-7,    1.1,  5,    NULL};
