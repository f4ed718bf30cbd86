// Velocities of groups as the problem has them.
//
// A free body's are scaled such that W is one. With its inertia Ic = K'K about the centre of mass
// c, in its own axes, and its mass m, velocities v and forces f of the body's order are
//
//   (1)  u = B v:     (K w, sqrt(m) (v + w x c))
//   (2)  v = B^-1 u:  w = K^-1 u_w,  v = u_v / sqrt(m) - w x c
//   (3)  f = B' r:    (K' r_w + sqrt(m) c x r_v, sqrt(m) r_v)
//   (4)  r = B^-T f:  (K^-T (f_w - c x f_v), f_v / sqrt(m))
#include <math.h>
#include <string.h>

#include "dynamics/contact/contact_inside.h"

bool lb_free_scale_make(const lb_link* l, lb_free_scale* s) {
  if (!(l->m > 0)) {
    return false;
  }
  const lb_v4 c = l->h / l->m;
  lb_m3 I = l->I0;
  lb_m3_add_scaled(&I, -l->m * lb_v4_dot(c, c), lb_m3_identity());
  lb_m3_add_outer(&I, l->m, c, c);
  // rows of K, and columns of its inverse
  const double a = sqrt(I.x[0]), b = I.x[1] / a, d = I.x[2] / a;
  const double e = sqrt(I.y[1] - b * b), f = (I.y[2] - b * d) / e;
  const double g = sqrt(I.z[2] - d * d - f * f);
  s->c = c;
  s->m = sqrt(l->m);
  s->over = 1 / s->m;
  s->K = (lb_m3){lb_v4_make(a, 0, 0), lb_v4_make(b, e, 0), lb_v4_make(d, f, g)};
  s->inverse = (lb_m3){lb_v4_make(1 / a, 0, 0), lb_v4_make(-b / (a * e), 1 / e, 0),
                       lb_v4_make((b * f - d * e) / (a * e * g), -f / (e * g), 1 / g)};
  return a > 0 && e > 0 && g > 0;
}

// --- free bodies, whose velocities are in one piece ---

// Not inlined, so that it is rounded the same way for all: what has not changed stays as it is.
static __attribute__((noinline)) lb_free_row scaled(const lb_free_scale* s, const double* v) {
  const lb_v4 w = lb_v4_load(v);
  return (lb_free_row){lb_m3_apply(s->K, w), (lb_v4_load(v + 3) + lb_v4_cross(w, s->c)) * s->m};
}

static void add_unscaled(const lb_free_scale* s, lb_free_row u, double* v) {
  const lb_v4 w = lb_m3_apply(s->inverse, u.turn);
  lb_v4_add_to(v, w);
  lb_v4_add_to(v + 3, u.move * s->over - lb_v4_cross(w, s->c));
}

static lb_free_row load(const double* u) {
  lb_free_row x;
  memcpy(&x, u, sizeof x);
  return x;
}

// --- any group ---

void lb_group_gather(const lb_contact_group* g, const double* v, double* u) {
  if (g->link >= 0) {
    const lb_free_row x = scaled(g->scale, v + g->start);
    memcpy(u, &x, sizeof x);
    return;
  }
  for (int k = 0; k < g->nv; k++) {
    u[k] = v[g->v[k]];
  }
}

void lb_group_gather_forces(const lb_contact_group* g, const double* f, double* r) {
  if (g->link >= 0) {
    const double* x = f + g->start;
    const lb_free_row J = lb_free_scale_row(g->scale, lb_v4_load(x), lb_v4_load(x + 3));
    memcpy(r, &J, sizeof J);
    return;
  }
  for (int k = 0; k < g->nv; k++) {
    r[k] = f[g->v[k]];
  }
}

void lb_group_spread(const lb_contact_group* g, const double* u, double* v) {
  if (g->link >= 0) {
    const lb_free_row to = load(u), from = scaled(g->scale, v + g->start);
    const lb_free_row change = {to.turn - from.turn, to.move - from.move};
    add_unscaled(g->scale, change, v + g->start);
    return;
  }
  for (int k = 0; k < g->nv; k++) {
    v[g->v[k]] = u[k];
  }
}

void lb_group_add(const lb_contact_group* g, const double* u, double* v) {
  if (g->link >= 0) {
    add_unscaled(g->scale, load(u), v + g->start);
    return;
  }
  for (int k = 0; k < g->nv; k++) {
    v[g->v[k]] += u[k];
  }
}

void lb_group_add_forces(const lb_contact_group* g, double by, const double* r, double* f) {
  if (g->link >= 0) {
    const lb_free_scale* s = g->scale;
    const lb_v4 turn = load(r).turn * by, move = load(r).move * by * s->m;
    lb_v4_add_to(f + g->start, lb_m3_apply_transposed(s->K, turn) + lb_v4_cross(s->c, move));
    lb_v4_add_to(f + g->start + 3, move);
    return;
  }
  for (int k = 0; k < g->nv; k++) {
    f[g->v[k]] += by * r[k];
  }
}
