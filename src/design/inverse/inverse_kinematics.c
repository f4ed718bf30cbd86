// Inverse kinematics, sample by sample. With x_m(q) the markers of the model, y_m the measured ones
// and w_m their weights,
//
//   min over q of 1/2 sum w_m |x_m(q) - y_m|^2,   e(q) = 0,   lower <= q <= upper             (1)
//
// is solved by Newton's method from the pose of the sample before. Along velocities dq,
//
//   (J'W J + N + rho E'E + mu D) dq = -J'W (x - y) - rho E'e                                  (2)
//
// where J are the markers' and E the constraints' derivatives. N has the second derivatives of the
// markers: a turn w_a about a joint turns the motion J_b by each joint further out, so that
//
//   N_ab = sum w_m (x_m - y_m) . (w_a x J_b)                                                   (3)
//
// Where axes are not constant in their joint this is a part of it. Gauss-Newton's method, without
// N, takes twice as many iterations on a measured walk; it comes in where the matrix with N is not
// positive. rho is so large that constraints are far stiffer than any marker; what is left of their
// gaps is closed by a projection at the end. mu is Levenberg's, over the largest diagonal entry D
// of the markers: small enough to cost no digits, it keeps coordinates that no marker tells where
// they are, and grows where a step leads uphill.
//
// Limits: of the steps that end within them, the one with the least of (2)'s quadratic is taken
// (ik_limits.h).
// A marker depends on the joints between it and the world alone, so J is kept by these.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "design/fit/marker_track.h"
#include "design/inverse/ik_limits.h"
#include "design/inverse/ik_turns.h"
#include "design/inverse/inverse_dynamics.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "limber/ik.h"
#include "math/linear/dense.h"
#include "model/use/link.h"

static const double STIFFER = 1e6;              // rho, over the markers' largest diagonal entry
static const double DAMPING = 1e-9, MOST = 1e6; // mu: least and most
static const double EASE = 0.1, HARDEN = 10;    // mu after a step downhill, and uphill
static const double FLAT = 1e-14;               // relative change of (1) that is none
enum { CLOSE = 20 };                            // iterations that close gaps

typedef struct job {
  const lb_model* m;
  const lb_markers* markers;
  const lb_ik_options* o;
  lb_ik* ik;
  lb_data* d;
  lb_anchor* at;    // [nmarker]
  int* chain;       // [nmarker + 1] first column of each marker
  int* column;      // [chain[nmarker]] velocities that move it, outward ones first
  double *J, *spin; // [chain[nmarker]][3] of places, and turns
  double* x;        // [nmarker][3]
  double *H, *N;    // [nv][nv] of (2) without N and mu, and (3)
  double *M, *L;    // [nv][nv] the matrix of (2), and its factor
  double *g, *step; // [nv]
  double* q;        // [nq] of the best pose so far
  lb_ik_limits limits;
  double mu;
  lb_arena arena;
  lb_error* err;
} job;

lb_ik_options lb_ik_default(void) {
  return (lb_ik_options){.iterations = 200, .tolerance = 1e-8, .begin = -INFINITY, .end = INFINITY};
}

static lb_status lack(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "there is not enough memory");
}

// --- markers ---

// Columns of the velocities between a link and the world; NULL: how many.
static int walk(const lb_model* m, int link, int* column) {
  int n = 0;
  for (; link != LB_WORLD; link = m->link.parent[link]) {
    for (int k = 0; k < m->link.nv[link]; k++, n++) {
      if (column) {
        column[n] = m->link.v[link] + k;
      }
    }
  }
  return n;
}

// Points of the world and of bodies that bend do not follow from joints.
static lb_status check_marker(const job* J, int i) {
  const lb_scene_marker* marker = &J->markers->marker[i];
  lb_track_point p;
  lb_track_find(J->m, marker, &p);
  if (p.elastic >= 0) {
    return lb_error_add(J->err, LB_INVALID, marker->place,
                        "marker '%s' is on an elastic body, whose bending inverse kinematics "
                        "does not find (put it on a rigid body, or make that one rigid)",
                        marker->name);
  }
  return LB_OK;
}

static lb_status anchor_markers(job* J) {
  const lb_model* m = J->m;
  const int n = J->markers->nmarker;
  J->at = LB_TAKE(&J->arena, lb_anchor, n);
  J->chain = LB_TAKE(&J->arena, int, n + 1);
  lb_status status = J->at && J->chain ? LB_OK : lack(J->err);
  for (int i = 0; i < n && status == LB_OK; i++) {
    const lb_scene_marker* marker = &J->markers->marker[i];
    status = check_marker(J, i);
    J->at[i] = lb_model_anchor_of(m, marker->body, marker->at);
    J->chain[i + 1] = J->chain[i] + walk(m, J->at[i].link, NULL);
  }
  if (status != LB_OK) {
    return status;
  }
  J->column = LB_TAKE(&J->arena, int, J->chain[n]);
  J->J = LB_TAKE(&J->arena, double, 3 * (size_t)J->chain[n]);
  J->spin = LB_TAKE(&J->arena, double, 3 * (size_t)J->chain[n]);
  J->x = LB_TAKE(&J->arena, double, 3 * (size_t)n);
  if (lb_arena_status(&J->arena) != LB_OK) {
    return lack(J->err);
  }
  for (int i = 0; i < n; i++) {
    walk(m, J->at[i].link, J->column + J->chain[i]);
  }
  return LB_OK;
}

static const double* measured(const job* J, int sample, int marker) {
  return J->markers->x + 3 * ((size_t)sample * (size_t)J->markers->nmarker + (size_t)marker);
}

static bool is_seen(const double* y) {
  return isfinite(y[0]) && isfinite(y[1]) && isfinite(y[2]);
}

static double weight(const job* J, int marker) {
  return J->markers->marker[marker].weight;
}

// Markers of the model at d's coordinates.
static void place_markers(job* J) {
  const lb_work* w = J->d->work;
  for (int i = 0; i < J->markers->nmarker; i++) {
    const lb_anchor* a = &J->at[i];
    const lb_v4 in = {a->X.p.x, a->X.p.y, a->X.p.z, 0};
    const lb_v4 x =
        a->link == LB_WORLD ? in : w->state[a->link].p + lb_m3_apply(w->state[a->link].R, in);
    memcpy(J->x + 3 * (size_t)i, (double[]){x[0], x[1], x[2]}, 3 * sizeof *J->x);
  }
}

// How it moves along each velocity.
static void differentiate_marker(job* J, int i) {
  const lb_model* m = J->m;
  const lb_work* w = J->d->work;
  const double* at = J->x + 3 * (size_t)i;
  const lb_v4 x = {at[0], at[1], at[2], 0};
  double *to = J->J + 3 * (size_t)J->chain[i], *spin = J->spin + 3 * (size_t)J->chain[i];
  for (int link = J->at[i].link; link != LB_WORLD; link = m->link.parent[link]) {
    const lb_link* l = &m->link.packed[link];
    const lb_v4* S = w->S + 2 * (size_t)l->column;
    for (int k = 0; k < l->nv; k++, to += 3, spin += 3) {
      const lb_v4 v = S[2 * k + 1] + lb_v4_cross(S[2 * k], x - w->state[link].p);
      memcpy(to, (double[]){v[0], v[1], v[2]}, 3 * sizeof *to);
      memcpy(spin, (double[]){S[2 * k][0], S[2 * k][1], S[2 * k][2]}, 3 * sizeof *spin);
    }
  }
}

// --- (1) and (2) at a pose ---

static double constraint_cost(job* J, double rho) {
  if (!J->d->work->constraints) {
    return 0;
  }
  const lb_constraint_rows rows = lb_constraints_measure(J->m, J->d, LB_SET_BILATERAL);
  double sum = 0;
  for (int i = 0; i < rows.count; i++) {
    sum += rows.velocity_level && rows.velocity_level[i] ? 0 : rho * rows.gap[i] * rows.gap[i];
  }
  return sum / 2;
}

// Value of (1), with its constraints by rho, where `at` [nq] is. Sets x.
static double cost(job* J, int sample, const double* at, double rho) {
  lb_data* d = J->d;
  if (at != d->q) {
    memcpy(d->q, at, (size_t)J->m->nq * sizeof *d->q);
  }
  lb_kinematics(J->m, d, d->q, d->qd);
  place_markers(J);
  double sum = 0;
  for (int i = 0; i < J->markers->nmarker; i++) {
    const double *y = measured(J, sample, i), *x = J->x + 3 * (size_t)i;
    for (int k = 0; k < 3 && is_seen(y); k++) {
      sum += weight(J, i) * (x[k] - y[k]) * (x[k] - y[k]) / 2;
    }
  }
  return sum + constraint_cost(J, rho);
}

// a . (b x c)
static double volume(const double* a, const double* b, const double* c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// A marker's part of H, N and g; of H and N the lower triangle, by columns. Velocities are numbered
// outward.
static void add_marker(job* J, int sample, int i) {
  const double *y = measured(J, sample, i), *x = J->x + 3 * (size_t)i;
  const double w = weight(J, i), r[3] = {w * (x[0] - y[0]), w * (x[1] - y[1]), w * (x[2] - y[2])};
  const int* column = J->column + J->chain[i];
  const int n = J->chain[i + 1] - J->chain[i];
  const double *by = J->J + 3 * (size_t)J->chain[i], *spin = J->spin + 3 * (size_t)J->chain[i];
  for (int a = 0; a < n; a++) {
    const double* p = by + 3 * (size_t)a;
    J->g[column[a]] -= p[0] * r[0] + p[1] * r[1] + p[2] * r[2];
    for (int b = 0; b < n; b++) {
      const double* s = by + 3 * (size_t)b;
      const size_t at = (size_t)column[b] * (size_t)J->m->nv + (size_t)column[a];
      if (column[b] <= column[a]) {
        J->H[at] += w * (p[0] * s[0] + p[1] * s[1] + p[2] * s[2]);
        J->N[at] += volume(r, spin + 3 * (size_t)b, p);
      }
    }
  }
}

static double largest_diagonal(const job* J) {
  double most = 0;
  for (int k = 0; k < J->m->nv; k++) {
    most = fmax(most, J->H[(size_t)k * ((size_t)J->m->nv + 1)]);
  }
  return most;
}

static void add_constraints(job* J, double rho) {
  if (!J->d->work->constraints) {
    return;
  }
  const size_t nv = (size_t)J->m->nv;
  const lb_constraint_rows rows = lb_constraints_linearise(J->m, J->d, LB_SET_BILATERAL);
  for (int i = 0; i < rows.count; i++) {
    const double* E = rows.J + (size_t)i * nv;
    const bool rate = rows.velocity_level && rows.velocity_level[i];
    for (size_t a = 0; a < nv && !rate; a++) {
      J->g[a] -= rho * E[a] * rows.gap[i];
      for (size_t b = 0; b <= a; b++) {
        J->H[b * nv + a] += rho * E[a] * E[b];
      }
    }
  }
}

// H and g of (2) where d is; x is in place. Returns rho.
static double linearise(job* J, int sample) {
  const size_t nv = (size_t)J->m->nv;
  memset(J->H, 0, nv * nv * sizeof *J->H);
  memset(J->N, 0, nv * nv * sizeof *J->N);
  memset(J->g, 0, nv * sizeof *J->g);
  lb_fill_columns(J->m, J->d->work);
  for (int i = 0; i < J->markers->nmarker; i++) {
    if (is_seen(measured(J, sample, i)) && weight(J, i) > 0) {
      differentiate_marker(J, i);
      add_marker(J, sample, i);
    }
  }
  const double rho = STIFFER * largest_diagonal(J);
  add_constraints(J, rho);
  return rho;
}

// --- a step ---

// The step of (2), with N or without it; false: its matrix is not positive.
static bool solve_with(job* J, double scale, double curved) {
  const size_t nv = (size_t)J->m->nv;
  for (size_t i = 0; i < nv * nv; i++) {
    J->M[i] = J->H[i] + curved * J->N[i];
  }
  memcpy(J->step, J->g, nv * sizeof *J->step);
  for (size_t k = 0; k < nv; k++) {
    J->M[k * (nv + 1)] += J->mu * scale;
  }
  memcpy(J->L, J->M, nv * nv * sizeof *J->L);
  if (lb_cholesky(J->m->nv, J->L, J->m->nv) != LB_OK) {
    return false;
  }
  lb_cholesky_solve(J->m->nv, J->L, J->m->nv, 1, J->step, 1);
  return true;
}

static bool find_step(job* J, double scale) {
  if (!solve_with(J, scale, 1) && !solve_with(J, scale, 0)) {
    return false;
  }
  lb_ik_limits_step(&J->limits, J->M, J->L, J->g, J->q, J->step);
  return true;
}

// From q on, to d's coordinates.
static void take_step(job* J) {
  memcpy(J->d->q, J->q, (size_t)J->m->nq * sizeof *J->q);
  lb_advance(J->m, J->d->q, J->step, 1);
  lb_normalise(J->m, J->d->q);
  lb_ik_limits_keep(&J->limits, J->d->q);
}

// Try steps, ever shorter, until one leads downhill: the new value, or NAN.
static double descend(job* J, int sample, double now, double rho) {
  const double scale = fmax(rho / STIFFER, 1e-300);
  for (; J->mu <= MOST; J->mu *= HARDEN) {
    if (!find_step(J, scale)) {
      continue;
    }
    take_step(J);
    const double then = cost(J, sample, J->d->q, rho);
    if (then <= now) {
      memcpy(J->q, J->d->q, (size_t)J->m->nq * sizeof *J->q);
      J->mu = fmax(DAMPING, J->mu * EASE);
      return then;
    }
  }
  J->mu = DAMPING;
  return NAN;
}

static double longest(const job* J) {
  double most = 0;
  for (int k = 0; k < J->m->nv; k++) {
    most = fmax(most, fabs(J->step[k]));
  }
  return most;
}

// --- a sample ---

// The nearest pose, from the one in q on; true: it is found.
static bool minimise(job* J, int sample) {
  J->mu = DAMPING;
  lb_ik_limits_keep(&J->limits, J->q);
  for (int i = 0; i < J->o->iterations; i++) {
    J->ik->iterations++;
    cost(J, sample, J->q, 0);
    const double rho = linearise(J, sample);
    const double now = cost(J, sample, J->q, rho), then = descend(J, sample, now, rho);
    if (isnan(then) || longest(J) < J->o->tolerance || now - then <= FLAT * now) {
      return true;
    }
  }
  return false;
}

// Newton's method for the constraints alone, within the limits: (2) without markers.
static void close_within_limits(job* J) {
  const size_t nv = (size_t)J->m->nv;
  J->mu = DAMPING;
  for (int i = 0; i < CLOSE; i++) {
    memset(J->H, 0, nv * nv * sizeof *J->H);
    memset(J->N, 0, nv * nv * sizeof *J->N);
    memset(J->g, 0, nv * sizeof *J->g);
    memcpy(J->d->q, J->q, (size_t)J->m->nq * sizeof *J->q);
    lb_kinematics(J->m, J->d, J->d->q, J->d->qd);
    lb_fill_columns(J->m, J->d->work);
    add_constraints(J, 1);
    if (!find_step(J, fmax(largest_diagonal(J), 1e-300))) {
      return;
    }
    take_step(J);
    memcpy(J->q, J->d->q, (size_t)J->m->nq * sizeof *J->q);
    if (longest(J) < 1e-15) {
      return;
    }
  }
}

static void close_gaps(job* J) {
  lb_data* d = J->d;
  memcpy(d->q, J->q, (size_t)J->m->nq * sizeof *J->q);
  if (d->work->constraints) {
    lb_project(J->m, d);
    memset(d->qd, 0, (size_t)J->m->nv * sizeof *d->qd);
    memcpy(J->q, d->q, (size_t)J->m->nq * sizeof *J->q);
    if (lb_ik_limits_keep(&J->limits, J->q)) {
      close_within_limits(J);
    }
    memcpy(d->q, J->q, (size_t)J->m->nq * sizeof *J->q);
    J->ik->gap = fmax(J->ik->gap, lb_constraint_gap(J->m, d, NULL));
  }
}

// Distances of what is seen; their number.
static int judge(job* J, int sample, double* sum) {
  const int n = J->markers->nmarker;
  int seen = 0;
  *sum = 0;
  for (int i = 0; i < n; i++) {
    const double *y = measured(J, sample, i), *x = J->x + 3 * (size_t)i;
    if (!is_seen(y)) {
      continue;
    }
    const double off = (x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                       (x[2] - y[2]) * (x[2] - y[2]);
    seen++;
    *sum += off;
    if (off > J->ik->worst * J->ik->worst) {
      J->ik->worst = sqrt(off);
      J->ik->worst_marker = i;
      J->ik->worst_sample = sample;
    }
  }
  return seen;
}

static bool sees_any(const job* J, int sample) {
  for (int i = 0; i < J->markers->nmarker; i++) {
    if (is_seen(measured(J, sample, i))) {
      return true;
    }
  }
  return false;
}

static bool counts(const job* J, int sample) {
  return lb_time_is_within(J->markers->time[sample], J->o->begin, J->o->end);
}

static void solve_sample(job* J, int sample) {
  lb_ik* ik = J->ik;
  const size_t nq = (size_t)J->m->nq, n = 3 * (size_t)J->markers->nmarker;
  const bool counted = counts(J, sample), sees = sees_any(J, sample),
             found = !sees || minimise(J, sample);
  ik->blind += counted && !sees;
  ik->unfinished += counted && !found;
  lb_ik_unwind(J->m, sample > 0 ? ik->motion.q + ((size_t)sample - 1) * nq : J->m->start.q, J->q);
  close_gaps(J);
  cost(J, sample, J->q, 0);
  if (counted) {
    lb_ik_limits_count(&J->limits, J->q, ik->at_limit);
  }
  memcpy(ik->motion.q + (size_t)sample * nq, J->q, nq * sizeof *J->q);
  memcpy(ik->placed + (size_t)sample * n, J->x, n * sizeof *J->x);
}

// --- the whole ---

static lb_status run(job* J) {
  lb_ik* ik = J->ik;
  double total = 0;
  long seen = 0;
  for (int i = 0; i < J->markers->nsample; i++) {
    double sum = 0;
    solve_sample(J, i);
    const int count = counts(J, i) ? judge(J, i, &sum) : 0;
    ik->rms[i] = count ? sqrt(sum / count) : NAN;
    total += sum;
    seen += count;
    ik->motion.nsample = ik->nsample = i + 1;
    ik->total = seen ? sqrt(total / (double)seen) : 0;
    if (!lb_progress_report(&J->o->progress, (i + 1.0) / J->markers->nsample,
                            "inverse kinematics")) {
      return lb_error_add(J->err, LB_INTERRUPTED, (lb_place){0}, "interrupted at t = %g s",
                          J->markers->time[i]);
    }
  }
  return LB_OK;
}

static lb_status take_scratch(job* J) {
  const size_t nv = (size_t)J->m->nv;
  J->H = LB_TAKE(&J->arena, double, nv* nv);
  J->N = LB_TAKE(&J->arena, double, nv* nv);
  J->M = LB_TAKE(&J->arena, double, nv* nv);
  J->L = LB_TAKE(&J->arena, double, nv* nv);
  J->g = LB_TAKE(&J->arena, double, nv);
  J->step = LB_TAKE(&J->arena, double, nv);
  J->q = LB_TAKE(&J->arena, double, J->m->nq);
  const lb_status status = lb_ik_limits_take(&J->arena, J->m, &J->limits);
  return status == LB_OK && lb_arena_status(&J->arena) == LB_OK ? LB_OK : lack(J->err);
}

static lb_status take_result(lb_arena* arena, const lb_model* m, const lb_markers* markers,
                             lb_ik** ik, lb_error* err) {
  const size_t n = (size_t)markers->nsample;
  lb_ik* x = *ik = LB_TAKE(arena, lb_ik, 1);
  if (!x) {
    return lack(err);
  }
  *x = (lb_ik){.model = m,
               .markers = markers,
               .motion = {.file = markers->file,
                          .time = markers->time,
                          .q = LB_TAKE(arena, double, n*(size_t)m->nq),
                          .qd = LB_TAKE(arena, double, n*(size_t)m->nv),
                          .qdd = LB_TAKE(arena, double, n*(size_t)m->nv),
                          .has_qd = LB_TAKE(arena, bool, m->njoint),
                          .has_qdd = LB_TAKE(arena, bool, m->njoint)},
               .jump = -1,
               .placed = LB_TAKE(arena, double, 3 * n * (size_t)markers->nmarker),
               .rms = LB_TAKE(arena, double, n),
               .at_limit = LB_TAKE(arena, int, m->nv)};
  return lb_arena_status(arena) == LB_OK ? LB_OK : lack(err);
}

// What cannot be posed by joints alone.
static lb_status check_model(const lb_model* m, lb_error* err) {
  if (m->particles.nparticle > 0 || m->elastic.count > 0) {
    return lb_error_add(err, LB_INVALID, (lb_place){m->file, 0, 0},
                        "'%s' has elastic bodies, ropes or deformables, whose shape inverse "
                        "kinematics does not find (take them out, or make them rigid)",
                        m->name);
  }
  for (int i = 0; i < m->nv && m->constraint.count > 0; i++) {
    if (m->dof.driven[i]) {
      return lb_error_add(err, LB_INVALID, (lb_place){m->file, 0, 0},
                          "'%s' has motors that prescribe positions beside loops or other "
                          "constraints, and both would hold its pose (take the motors out)",
                          m->name);
    }
  }
  return lb_constraints_check_dense(m, "inverse kinematics", err);
}

static lb_status solve_all(job* J, const lb_allocator* allocator) {
  lb_status status = lb_data_create(J->m, allocator, &J->d, J->err);
  status = status == LB_OK ? anchor_markers(J) : status;
  status = status == LB_OK ? take_scratch(J) : status;
  if (status == LB_OK) {
    memset(J->d->qd, 0, (size_t)J->m->nv * sizeof *J->d->qd);
    memcpy(J->q, J->d->q, (size_t)J->m->nq * sizeof *J->q);
    status = run(J);
  }
  return status;
}

lb_status lb_inverse_kinematics(const lb_model* model, const lb_markers* markers,
                                const lb_ik_options* options, const lb_allocator* allocator,
                                lb_ik** ik, lb_error* err) {
  lb_arena kept;
  lb_arena_init(&kept, allocator);
  job J = {.m = model, .markers = markers, .o = options, .err = err};
  lb_arena_init(&J.arena, allocator);
  lb_status status = check_model(model, err);
  status = status == LB_OK ? lb_times_bound(markers->nsample, markers->time, options->begin,
                                            options->end, markers->file, err)
                           : status;
  status = status == LB_OK ? take_result(&kept, model, markers, &J.ik, err) : status;
  status = status == LB_OK ? solve_all(&J, allocator) : status;
  lb_data_release(J.d);
  lb_arena_release(&J.arena);
  const bool usable = status == LB_OK || (status == LB_INTERRUPTED && J.ik->nsample > 0);
  if (usable && !(J.ik->storage = lb_arena_keep(&kept))) {
    lb_arena_release(&kept);
    return lack(err);
  }
  if (usable) {
    lb_ik_note_jump(J.ik, options->begin, options->end);
    *ik = J.ik;
  } else {
    lb_arena_release(&kept);
  }
  return status;
}

void lb_ik_release(lb_ik* ik) {
  if (ik) {
    lb_arena_release_kept(ik->storage);
  }
}
