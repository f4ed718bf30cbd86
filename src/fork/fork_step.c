// Steps of a reduced mechanism: backward Euler with a matrix that is inverted once.
//
//   (1)  (M + h D + h^2 K0) v+ = M v + h (f - f0 - K0 y),   y+ = y + h v+
//
// f are the effectors' wrenches along y, by the chart of their motions (fork_chart.h). In an
// equilibrium under forces b the mechanism pulls back with f0, and its stiffness K counts b as
// forces that keep their direction. Those have the energy -b.p(xi), of which the second derivative
// is H, with (1/2)[b] between turns and displacements. So the mechanism's own is K0 = K - H.
//
// A base that floats takes its momentum with it: that of the first six rows, along the base's axes,
// is turned back when the base has moved, so that in the world it changes by forces alone.
#include <math.h>
#include <string.h>

#include "dynamics/joint/joint.h"
#include "fork/fork_chart.h"
#include "fork/fork_inside.h"
#include "fork/fork_links.h"
#include "math/linear/dense.h"

typedef struct lb_fork_stepping {
  lb_arena arena;
  double* inverse;           // [count][count] of the matrix in (1)
  double* K0;                // [count][count]
  double* f0;                // [count]
  double* force;             // [count] scratch: right-hand side
  double* dq;                // [nv] scratch
  lb_fork_links_table each;  // links on their own, in the base or the world
  lb_fork_links_table chain; // by joints; without entries where these are not simple
  lb_transform* in_base;     // [neffector] poses in equilibrium, in the base or the world
  double mass;               // of the whole, where its base floats
  lb_vec3 centre;            // its centre in the base
} lb_fork_stepping;

// --- frames ---

void lb_fork_place(lb_fork_stepper* s) {
  const lb_fork* f = s->fork;
  const int n = 6 * f->neffector;
  memset(s->xi, 0, (size_t)n * sizeof *s->xi);
  for (int k = f->base; k < f->count; k++) {
    lb_add(n, s->xi, s->y[k], f->shape + (size_t)k * (size_t)n);
  }
  for (int e = 0; e < f->neffector; e++) {
    const lb_fork_chart X = lb_fork_chart_at(lb_fork_twist(s->xi + 6 * (size_t)e));
    s->pose[e] = lb_transform_mul(s->own->in_base[e], lb_fork_chart_pose(&X));
    if (f->base) {
      s->pose[e] = lb_transform_mul(s->base, s->pose[e]);
    }
  }
}

// --- forces ---

// f += the work of a wrench on effector e, along its own axes.
static void add_wrench(const lb_fork_stepper* s, int e, lb_twist own, double* force) {
  const lb_fork* f = s->fork;
  const int n = 6 * f->neffector;
  const lb_fork_chart X = lb_fork_chart_at(lb_fork_twist(s->xi + 6 * (size_t)e));
  double g[6];
  lb_fork_put(g, lb_fork_chart_force(&X, own));
  for (int k = f->base; k < f->count; k++) {
    force[k] += lb_dot(6, f->shape + (size_t)k * (size_t)n + 6 * (size_t)e, g);
  }
}

// The same on a base that floats, and the weight of all.
static void add_to_base(const lb_fork_stepper* s, lb_vec3 at, lb_vec3 moment, lb_vec3 force,
                        double* f) {
  const lb_quat back = lb_quat_conjugate(s->base.q);
  const lb_vec3 own = lb_quat_rotate(back, force);
  const lb_vec3 arm = lb_quat_rotate(back, lb_vec3_sub(at, s->base.p));
  const lb_vec3 n = lb_vec3_add(lb_quat_rotate(back, moment), lb_vec3_cross(arm, own));
  const double six[6] = {n.x, n.y, n.z, own.x, own.y, own.z};
  for (int k = 0; k < 6; k++) {
    f[k] += six[k];
  }
}

static void add_wrenches(const lb_fork_stepper* s, const double* wrench, double* force) {
  const lb_fork* f = s->fork;
  for (int e = 0; wrench && e < f->neffector; e++) {
    const lb_twist w = lb_fork_twist(wrench + 6 * (size_t)e);
    const lb_quat back = lb_quat_conjugate(s->pose[e].q);
    add_wrench(s, e, (lb_twist){lb_quat_rotate(back, w.w), lb_quat_rotate(back, w.v)}, force);
    if (f->base) {
      add_to_base(s, s->pose[e].p, w.w, w.v, force);
    }
  }
  if (f->base) {
    const lb_vec3 weight = lb_vec3_scale(s->own->mass, f->model->gravity);
    const lb_vec3 none = lb_vec3_make(0, 0, 0);
    add_to_base(s, lb_transform_point(s->base, s->own->centre), none, weight, force);
  }
}

// y = A x, A symmetric.
static void multiply(int n, double* y, const double* A, const double* x) {
  for (int i = 0; i < n; i++) {
    y[i] = lb_dot(n, A + (size_t)i * (size_t)n, x);
  }
}

// --- a step ---

// The base goes along v for a step, and its share of the momentum, kept in the world, is turned.
static void move_base(lb_fork_stepper* s) {
  const lb_fork* f = s->fork;
  const int n = f->count;
  double p[6], *v = s->v;
  multiply(n, s->own->force, f->M, v);
  memcpy(p, s->own->force, sizeof p);
  const lb_transform X = lb_se3_exp(lb_fork_scale(s->step, lb_fork_twist(v)));
  s->base = lb_transform_mul(s->base, X);
  s->base.q = lb_quat_normalise(s->base.q);
  // moment and force at the old origin, seen from the new one, along the new axes
  const lb_vec3 force = lb_vec3_make(p[3], p[4], p[5]);
  const lb_vec3 moment = lb_vec3_sub(lb_vec3_make(p[0], p[1], p[2]), lb_vec3_cross(X.p, force));
  const lb_quat back = lb_quat_conjugate(X.q);
  lb_fork_put(s->own->force, (lb_twist){lb_quat_rotate(back, moment), lb_quat_rotate(back, force)});
  double M[36], x[6];
  for (int i = 0; i < 6; i++) { // velocities of the base that have it, those of y as they are
    x[i] = s->own->force[i] - lb_dot(n - 6, f->M + (size_t)i * (size_t)n + 6, v + 6);
    for (int k = 0; k < 6; k++) {
      M[i + 6 * k] = f->M[(size_t)i * (size_t)n + (size_t)k];
    }
  }
  if (lb_cholesky(6, M, 6) == LB_OK) {
    lb_cholesky_solve(6, M, 6, 1, x, 6);
    memcpy(v, x, sizeof x);
  }
}

void lb_fork_step(lb_fork_stepper* s, const double* wrench) {
  const lb_fork* f = s->fork;
  lb_fork_stepping* own = s->own;
  const int n = f->count;
  double* r = own->force;
  for (int k = 0; k < n; k++) {
    r[k] = -own->f0[k];
  }
  add_wrenches(s, wrench, r);
  for (int k = 0; k < n; k++) {
    const size_t row = (size_t)k * (size_t)n;
    r[k] = s->step * (r[k] - lb_dot(n, own->K0 + row, s->y)) + lb_dot(n, f->M + row, s->v);
  }
  multiply(n, s->v, own->inverse, r);
  for (int k = f->base; k < n; k++) {
    s->y[k] += s->step * s->v[k];
  }
  if (f->base) {
    move_base(s);
  }
  lb_fork_place(s);
}

// --- what is asked of it ---

double lb_fork_energy(const lb_fork_stepper* s) {
  const lb_fork* f = s->fork;
  double sum = lb_dot(f->count, s->own->f0, s->y);
  for (int k = 0; k < f->count; k++) {
    const size_t row = (size_t)k * (size_t)f->count;
    sum += 0.5 * s->v[k] * lb_dot(f->count, f->M + row, s->v);
    sum += 0.5 * s->y[k] * lb_dot(f->count, s->own->K0 + row, s->y);
  }
  return sum;
}

// Of forces g along xi with Q'g = f0 + K0 y those without a share along inadmissible twists.
void lb_fork_wrench(const lb_fork_stepper* s, double* wrench) {
  const lb_fork* f = s->fork;
  const int n = 6 * f->neffector;
  memset(wrench, 0, (size_t)n * sizeof *wrench);
  for (int k = f->base; k < f->count; k++) {
    const double pull =
        s->own->f0[k] + lb_dot(f->count, s->own->K0 + (size_t)k * (size_t)f->count, s->y);
    for (int r = 0; r < n; r++) {
      const double scale = r % 6 < 3 ? 1 : 1 / f->radius;
      wrench[r] -= pull * scale * scale * f->shape[(size_t)k * (size_t)n + (size_t)r];
    }
  }
  for (int e = 0; e < f->neffector; e++) {
    const lb_fork_chart X = lb_fork_chart_at(lb_fork_twist(s->xi + 6 * (size_t)e));
    double* w = wrench + 6 * (size_t)e;
    lb_fork_put(w, lb_fork_chart_wrench(&X, lb_fork_twist(w)));
  }
}

void lb_fork_momentum(const lb_fork_stepper* s, double momentum[6]) {
  const lb_fork* f = s->fork;
  double p[6] = {0};
  for (int k = 0; k < f->base; k++) {
    p[k] = lb_dot(f->count, f->M + (size_t)k * (size_t)f->count, s->v);
  }
  const lb_vec3 force = lb_quat_rotate(s->base.q, lb_vec3_make(p[3], p[4], p[5]));
  const lb_vec3 moment = lb_quat_rotate(s->base.q, lb_vec3_make(p[0], p[1], p[2]));
  lb_fork_put(momentum, (lb_twist){lb_vec3_add(moment, lb_vec3_cross(s->base.p, force)), force});
}

void lb_fork_coordinates(const lb_fork_stepper* s, double* q) {
  const lb_fork* f = s->fork;
  const lb_model* m = f->model;
  memset(s->own->dq, 0, (size_t)f->nv * sizeof *s->own->dq);
  memcpy(q, f->q, (size_t)m->nq * sizeof *q);
  for (int k = f->base; k < f->count; k++) {
    lb_add(f->nv, s->own->dq, s->y[k], f->dq + (size_t)k * (size_t)f->nv);
  }
  lb_advance(m, q, s->own->dq, 1);
  if (f->base) {
    const lb_transform X =
        lb_transform_mul(lb_transform_inverse(m->link.in_parent[f->base_link]), s->base);
    const double seven[7] = {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z};
    memcpy(q + m->link.q[f->base_link], seven, sizeof seven);
  }
}

void lb_fork_links(const lb_fork_stepper* s, lb_transform* link) {
  lb_fork_links_place(&s->own->each, s->y, s->fork->base ? &s->base : NULL, s->threads, link);
}

bool lb_fork_links_by_joints(const lb_fork_stepper* s, lb_transform* link) {
  const bool simple = s->own->chain.twist;
  if (simple) {
    lb_fork_links_place(&s->own->chain, s->y, s->fork->base ? &s->base : NULL, s->threads, link);
  }
  return simple;
}

// --- life ---

// f0 and K0, from the forces b of the equilibrium: d/dy and d2/dy2 of b.p.
static void take_loads(lb_fork_stepper* s) {
  const lb_fork* f = s->fork;
  const size_t n = 6 * (size_t)f->neffector, count = (size_t)f->count;
  memcpy(s->own->K0, f->K, count * count * sizeof *f->K);
  for (int e = 0; e < f->neffector; e++) {
    const lb_twist b = lb_fork_twist(f->wrench + 6 * (size_t)e);
    add_wrench(s, e, b, s->own->f0);
    for (size_t i = (size_t)f->base; i < count; i++) {
      const lb_twist x = lb_fork_twist(f->shape + i * n + 6 * (size_t)e);
      for (size_t k = (size_t)f->base; k < count; k++) {
        const lb_twist z = lb_fork_twist(f->shape + k * n + 6 * (size_t)e);
        const double H = 0.5 * (lb_vec3_dot(x.w, lb_vec3_cross(b.v, z.v)) +
                                lb_vec3_dot(z.w, lb_vec3_cross(b.v, x.v)));
        s->own->K0[i * count + k] -= H;
      }
    }
  }
}

// Mass and centre of the whole: m and m [c] of its inertia.
static void weigh(lb_fork_stepper* s) {
  const lb_fork* f = s->fork;
  const size_t n = (size_t)f->count;
  if (f->base) {
    const double m = f->M[3 * n + 3];
    s->own->mass = m;
    s->own->centre = lb_vec3_make(-f->M[n + 5] / m, f->M[5] / m, f->M[n + 3] / m);
    s->base = f->link[f->base_link];
  }
}

static bool take_links(lb_fork_stepper* s, lb_arena* a) {
  const lb_fork* f = s->fork;
  lb_arena scratch;
  lb_arena_init(&scratch, a->allocator);
  double* twists = LB_COPY(&scratch, f->follow, 6 * (size_t)f->nlink * (size_t)f->count);
  lb_transform* pose = LB_COPY(&scratch, f->link, f->nlink);
  const lb_transform out = lb_transform_inverse(s->base);
  bool ok = twists && pose;
  for (int i = 0; ok && f->base && i < f->nlink; i++) {
    pose[i] = lb_transform_mul(out, f->link[i]);
  }
  for (int i = 0; ok && i < 6 * f->nlink * f->count; i++) { // y of the base stay zero
    twists[i] = i % f->count < f->base ? 0 : twists[i];
  }
  if (ok) {
    ok = lb_fork_links_take(&s->own->each, a, f, twists, pose, false) &&
         (!lb_fork_joints_are_simple(f) ||
          lb_fork_links_take(&s->own->chain, a, f, twists, pose, true));
  }
  lb_arena_release(&scratch);
  return ok;
}

// The matrix of (1), inverted.
static bool invert(lb_fork_stepper* s) {
  const lb_fork* f = s->fork;
  const size_t n = (size_t)f->count;
  const lb_arena_mark mark = lb_arena_here(&s->own->arena);
  double* W = LB_TAKE(&s->own->arena, double, n* n);
  for (size_t i = 0; W && i < n * n; i++) {
    W[i] = f->M[i] + s->step * f->D[i] + s->step * s->step * s->own->K0[i];
    s->own->inverse[i] = i % (n + 1) == 0;
  }
  const bool ok = W && lb_cholesky(f->count, W, f->count) == LB_OK;
  if (ok) {
    lb_cholesky_solve(f->count, W, f->count, f->count, s->own->inverse, f->count);
  }
  lb_arena_reset(&s->own->arena, mark);
  return ok;
}

static bool take(lb_fork_stepper* s, lb_arena* a) {
  const lb_fork* f = s->fork;
  const size_t count = (size_t)f->count, ne = (size_t)f->neffector;
  lb_fork_stepping* own = s->own;
  s->y = LB_TAKE(a, double, count);
  s->v = LB_TAKE(a, double, count);
  s->xi = LB_TAKE(a, double, 6 * ne);
  s->pose = LB_TAKE(a, lb_transform, ne);
  own->inverse = LB_TAKE(a, double, count* count);
  own->K0 = LB_TAKE(a, double, count* count);
  own->f0 = LB_TAKE(a, double, count);
  own->force = LB_TAKE(a, double, count);
  own->dq = LB_TAKE(a, double, f->nv);
  own->in_base = LB_TAKE(a, lb_transform, ne);
  return lb_arena_status(a) == LB_OK;
}

lb_status lb_fork_stepper_create(const lb_fork* f, double step, const lb_allocator* allocator,
                                 lb_fork_stepper** stepper, lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_fork_stepper* s = LB_TAKE(&arena, lb_fork_stepper, 1);
  lb_fork_stepping* own = LB_TAKE(&arena, lb_fork_stepping, 1);
  if (s && own) {
    *s = (lb_fork_stepper){.fork = f, .step = step, .own = own};
  }
  if (!s || !own || !take(s, &arena)) {
    lb_arena_release(&arena);
    return lb_fork_no_memory(err);
  }
  own->arena = arena;
  weigh(s);
  const lb_transform out = lb_transform_inverse(s->base);
  for (int e = 0; e < f->neffector; e++) {
    own->in_base[e] = f->base ? lb_transform_mul(out, f->pose[e]) : f->pose[e];
  }
  take_loads(s);
  if (!take_links(s, &own->arena)) {
    lb_fork_stepper_release(s);
    return lb_fork_no_memory(err);
  }
  if (!invert(s)) {
    lb_fork_stepper_release(s);
    return lb_error_add(err, LB_FAILED, f->what->place,
                        "fork '%s' cannot be stepped by %g s: its mass and stiffness are not "
                        "positive (take shorter steps)",
                        f->what->name, step);
  }
  lb_fork_place(s);
  *stepper = s;
  return LB_OK;
}

void lb_fork_stepper_release(lb_fork_stepper* s) {
  if (s) {
    lb_arena arena = s->own->arena;
    lb_arena_release(&arena);
  }
}
