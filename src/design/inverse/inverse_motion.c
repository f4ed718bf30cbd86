// Motions for inverse dynamics: filtered, and with all their rates.
//
// Rotations are filtered and differentiated as quaternions u, whichever numbers the table has,
// since those jump: both signs of a quaternion mean the same, and a rotation vector is replaced by
// the one the other way round before it comes to a full turn (math/curve/chart_exponential.c). With
// w the angular velocity, seen from what turns,
//
//   w = 2 conj(u) udot,   S rd = w,   S rdd = wdot - Sdot rd
//
// gives the rates of a vector r; S is the right Jacobian of its exponential.
#include <math.h>
#include <string.h>

#include "design/inverse/inverse_dynamics.h"
#include "dynamics/force/muscle.h"
#include "dynamics/joint/joint.h"
#include "math/curve/chart.h"
#include "math/curve/signal.h"
#include "math/linear/dense.h"
#include "math/space/se3.h"
#include "model/use/link.h"

typedef struct job {
  lb_arena* arena;
  const lb_model* m;
  double cutoff;
  lb_inverse_motion* x;
  double* rate;       // [n][coordinates of a joint]
  double *u, *ud, *w; // [n][4], [n][3] of one rotation
  lb_error* err;
} job;

// A rotation among the coordinates and the velocities.
typedef struct turn {
  int q, v;
} turn;

static lb_status lack(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "there is not enough memory");
}

// --- filters ---

// Samples must be evenly spaced and fast enough for a filter.
static lb_status check_filter(const char* what, int n, const double* time, double cutoff,
                              lb_error* err) {
  const double step = (time[n - 1] - time[0]) / (n - 1);
  for (int i = 1; i < n; i++) {
    if (!(fabs(time[i] - time[i - 1] - step) < 1e-3 * step)) {
      return lb_error_add(
          err, LB_INVALID, (lb_place){0},
          "the filter needs evenly spaced samples: those of the %s around t = %g s "
          "are not %g s apart, nor rounded so (resample the table, or filter nothing)",
          what, time[i], step);
    }
  }
  if (cutoff * step >= LB_SIGNAL_HIGHEST) {
    return lb_error_add(err, LB_INVALID, (lb_place){0},
                        "a cut-off of %g Hz is too high for a %s of %g samples a second (at most "
                        "%g Hz)",
                        cutoff, what, 1 / step, LB_SIGNAL_HIGHEST / step);
  }
  return LB_OK;
}

lb_status lb_inverse_filter(lb_arena* arena, const char* what, int n, const double* time,
                            double cutoff, double* x, int width, lb_error* err) {
  if (isnan(cutoff)) {
    return LB_OK;
  }
  const lb_status status = check_filter(what, n, time, cutoff, err);
  const lb_arena_mark mark = lb_arena_here(arena);
  double* scratch = LB_TAKE(arena, double, 3 * (size_t)n);
  if (status != LB_OK || !scratch) {
    return status != LB_OK ? status : lack(err);
  }
  for (int k = 0; k < width; k++) {
    lb_signal_low_pass(n, (time[n - 1] - time[0]) / (n - 1), cutoff, x + k, width, scratch);
  }
  lb_arena_reset(arena, mark);
  return LB_OK;
}

static lb_status filter(const job* J, double* x, int width) {
  return lb_inverse_filter(J->arena, "motion", J->x->n, J->x->time, J->cutoff, x, width, J->err);
}

// --- quaternions ---

// Index of a joint's quaternion, or -1.
static int quaternion(const lb_model* m, int joint) {
  return lb_quaternion_at(m->joint.nq[joint], m->joint.nv[joint]);
}

// Both signs of a quaternion are the same rotation: from sample to sample it keeps the nearer.
static void align(int n, double* u, int stride) {
  for (int i = 1; i < n; i++) {
    double* now = u + (size_t)i * (size_t)stride;
    const double sign = lb_dot(4, now, now - stride) < 0 ? -1 : 1;
    for (int k = 0; k < 4; k++) {
      now[k] *= sign;
    }
  }
}

// A quaternion's rate to the angular velocity in the link's frame: w = 2 conj(q) qdot / |q|^2.
static void to_spin(const double* q, const double* rate, double* w) {
  const lb_quat u = {q[0], -q[1], -q[2], -q[3]};
  const lb_quat p = lb_quat_mul(u, (lb_quat){rate[0], rate[1], rate[2], rate[3]});
  const double scale = 2 / lb_dot(4, q, q);
  w[0] = scale * p.x;
  w[1] = scale * p.y;
  w[2] = scale * p.z;
}

// From the rates of a joint's coordinates to its velocities.
static void to_velocity(const lb_model* m, int joint, const double* q, const double* rate,
                        double* qd) {
  const int first = quaternion(m, joint);
  if (first < 0) {
    memcpy(qd, rate, (size_t)m->joint.nv[joint] * sizeof *qd);
    return;
  }
  to_spin(q + first, rate + first, qd);
  if (first == 3) {
    const double size = sqrt(lb_dot(4, q + 3, q + 3));
    const lb_quat back = {q[3] / size, -q[4] / size, -q[5] / size, -q[6] / size};
    const lb_vec3 v = lb_quat_rotate(back, (lb_vec3){rate[0], rate[1], rate[2]});
    qd[3] = v.x;
    qd[4] = v.y;
    qd[5] = v.z;
  }
}

// --- rotation vectors ---

static lb_vec3 load(const double* x) {
  return lb_vec3_make(x[0], x[1], x[2]);
}

static void store(double* x, lb_vec3 v) {
  x[0] = v.x;
  x[1] = v.y;
  x[2] = v.z;
}

static double* vector_of(const job* J, turn t, int sample) {
  return J->x->q + (size_t)sample * (size_t)J->m->nq + t.q;
}

static double* rates_of(const job* J, turn t, int sample) {
  return J->x->qd + (size_t)sample * (size_t)J->m->nv + t.v;
}

static void to_quaternions(const job* J, turn t) {
  for (int i = 0; i < J->x->n; i++) {
    const lb_quat u = lb_quat_exp(load(vector_of(J, t, i)));
    memcpy(J->u + 4 * (size_t)i, (double[]){u.w, u.x, u.y, u.z}, 4 * sizeof *J->u);
  }
  align(J->x->n, J->u, 4);
}

// The vector of a rotation that is nearest to one: of those with its axis, whole turns apart.
static lb_vec3 nearest_vector(lb_quat u, lb_vec3 to) {
  const lb_vec3 r = lb_quat_log(u);
  const double angle = lb_vec3_norm(r), size = lb_vec3_norm(to);
  if (!(angle + size > 0)) {
    return r;
  }
  const lb_vec3 axis = angle > 0 ? lb_vec3_scale(1 / angle, r) : lb_vec3_scale(1 / size, to);
  const double turns = round((lb_vec3_dot(axis, to) - angle) / (2 * M_PI));
  return lb_vec3_scale(angle + 2 * M_PI * turns, axis);
}

static lb_status filter_vectors(const job* J, turn t) {
  to_quaternions(J, t);
  const lb_status status = filter(J, J->u, 4);
  for (int i = 0; i < J->x->n && status == LB_OK; i++) {
    const double* u = J->u + 4 * (size_t)i;
    const double size = sqrt(lb_dot(4, u, u));
    const lb_quat q = {u[0] / size, u[1] / size, u[2] / size, u[3] / size};
    store(vector_of(J, t, i), nearest_vector(q, load(vector_of(J, t, i))));
  }
  return status;
}

// The rates of a vector; `has_qd`: the first are there.
static void differentiate_vectors(const job* J, turn t, bool has_qd) {
  const int n = J->x->n;
  to_quaternions(J, t);
  for (int k = 0; k < 4 && !has_qd; k++) {
    lb_signal_slopes(n, J->x->time, J->u + k, 4, J->ud + k, 4);
  }
  for (int i = 0; i < n; i++) {
    const lb_vec3 r = load(vector_of(J, t, i));
    double *rd = rates_of(J, t, i), *w = J->w + 3 * (size_t)i;
    if (has_qd) {
      store(w, lb_mat3_apply(lb_so3_jacobian(LB_RIGHT, r), load(rd)));
    } else {
      to_spin(J->u + 4 * (size_t)i, J->ud + 4 * (size_t)i, w);
      store(rd, lb_mat3_apply(lb_so3_jacobian(LB_RIGHT_INVERSE, r), load(w)));
    }
  }
  double* wd = J->ud;
  for (int k = 0; k < 3; k++) {
    lb_signal_slopes(n, J->x->time, J->w + k, 3, wd + k, 3);
  }
  for (int i = 0; i < n; i++) {
    const lb_vec3 r = load(vector_of(J, t, i)), rd = load(rates_of(J, t, i));
    const lb_vec3 bias = lb_mat3_apply(lb_so3_jacobian_dot(LB_RIGHT, r, rd), rd);
    store(J->x->qdd + (size_t)i * (size_t)J->m->nv + t.v,
          lb_mat3_apply(lb_so3_jacobian(LB_RIGHT_INVERSE, r),
                        lb_vec3_sub(load(wd + 3 * (size_t)i), bias)));
  }
}

// The next rotation vector among a joint's coordinates, from factor `*next` on.
static bool next_vector(const lb_model* m, int joint, int* next, turn* t) {
  const lb_chart* c = m->link.packed[m->joint.link[joint]].chart;
  while (c && *next < c->nfactor) {
    const lb_factor* f = &c->factor[(*next)++];
    if (f->type == &lb_factor_exponential) {
      *t = (turn){m->joint.q[joint] + f->first, m->joint.v[joint] + f->first};
      return true;
    }
  }
  return false;
}

// --- the whole ---

static lb_status filter_joints(const job* J) {
  const lb_model* m = J->m;
  for (int j = 0; j < m->njoint; j++) {
    const int first = quaternion(m, j);
    if (first >= 0) {
      align(J->x->n, J->x->q + m->joint.q[j] + first, m->nq);
    }
  }
  if (isnan(J->cutoff)) {
    return LB_OK;
  }
  // rotation vectors go their own way
  const size_t size = (size_t)J->x->n * (size_t)m->nq;
  const lb_arena_mark mark = lb_arena_here(J->arena);
  double* raw = LB_TAKE(J->arena, double, size);
  if (!raw) {
    return lack(J->err);
  }
  memcpy(raw, J->x->q, size * sizeof *raw);
  lb_status status = filter(J, J->x->q, m->nq);
  turn t;
  for (int j = 0; j < m->njoint; j++) {
    for (int next = 0; status == LB_OK && next_vector(m, j, &next, &t);) {
      for (int i = 0; i < J->x->n; i++) {
        memcpy(vector_of(J, t, i), raw + (size_t)i * (size_t)m->nq + t.q, 3 * sizeof *raw);
      }
      status = filter_vectors(J, t);
    }
  }
  lb_arena_reset(J->arena, mark);
  return status;
}

// Rates that the motion does not bring along.
static void differentiate_joint(const job* J, int joint, bool has_qd, bool has_qdd) {
  const lb_model* m = J->m;
  const lb_inverse_motion* x = J->x;
  const int nq = m->joint.nq[joint], nv = m->joint.nv[joint];
  double* qd = x->qd + m->joint.v[joint];
  double* qdd = x->qdd + m->joint.v[joint];
  for (int k = 0; !has_qd && k < nq; k++) {
    lb_signal_slopes(x->n, x->time, x->q + m->joint.q[joint] + k, m->nq, J->rate + k, nq);
  }
  for (int i = 0; !has_qd && i < x->n; i++) {
    to_velocity(m, joint, x->q + (size_t)i * (size_t)m->nq + m->joint.q[joint],
                J->rate + (size_t)i * (size_t)nq, qd + (size_t)i * (size_t)m->nv);
  }
  for (int k = 0; !has_qdd && k < nv; k++) {
    lb_signal_slopes(x->n, x->time, qd + k, m->nv, qdd + k, m->nv);
  }
  turn t;
  for (int next = 0; !has_qdd && next_vector(m, joint, &next, &t);) {
    differentiate_vectors(J, t, has_qd);
  }
}

static bool take_room(job* J, const lb_joint_motion* motion) {
  const lb_model* m = J->m;
  lb_inverse_motion* x = J->x;
  const size_t n = (size_t)motion->nsample, nq = (size_t)m->nq, nv = (size_t)m->nv;
  int most = 0;
  for (int j = 0; j < m->njoint; j++) {
    most = m->joint.nq[j] > most ? m->joint.nq[j] : most;
  }
  *x = (lb_inverse_motion){.n = motion->nsample,
                           .time = motion->time,
                           .q = LB_TAKE(J->arena, double, n* nq),
                           .qd = LB_TAKE(J->arena, double, n* nv),
                           .qdd = LB_TAKE(J->arena, double, n* nv)};
  J->rate = LB_TAKE(J->arena, double, n*(size_t)most);
  J->u = LB_TAKE(J->arena, double, 4 * n);
  J->ud = LB_TAKE(J->arena, double, 4 * n);
  J->w = LB_TAKE(J->arena, double, 3 * n);
  if (!x->q || !x->qd || !x->qdd || !J->rate || !J->u || !J->ud || !J->w) {
    return false;
  }
  memcpy(x->q, motion->q, n * nq * sizeof *x->q);
  memcpy(x->qd, motion->qd, n * nv * sizeof *x->qd);
  memcpy(x->qdd, motion->qdd, n * nv * sizeof *x->qdd);
  return true;
}

// OpenSim's filter and rates are of numbers whose rates are velocities.
static lb_status follow_opensim(const job* J) {
  const lb_model* m = J->m;
  const lb_inverse_motion* x = J->x;
  const lb_arena_mark mark = lb_arena_here(J->arena);
  double* scratch = LB_TAKE(J->arena, double, 16 * (size_t)x->n);
  lb_status status =
      check_filter("motion", x->n, x->time, isnan(J->cutoff) ? 0 : J->cutoff, J->err);
  if (status != LB_OK || !scratch) {
    return status != LB_OK ? status : lack(J->err);
  }
  for (int j = 0; j < m->njoint; j++) {
    if (m->joint.nq[j] != m->joint.nv[j]) {
      return lb_error_add(J->err, LB_INVALID, m->joint.place[j],
                          "joint '%s' turns by a quaternion, and OpenSim's filter is for angles "
                          "(give it three angles, or leave the filter away)",
                          m->joint.name[j]);
    }
    for (int k = 0; k < m->joint.nv[j]; k++) {
      const int v = m->joint.v[j] + k;
      lb_signal_opensim(x->n, (x->time[x->n - 1] - x->time[0]) / (x->n - 1), J->cutoff,
                        x->q + m->joint.q[j] + k, m->nq, x->qd + v, x->qdd + v, m->nv, scratch);
    }
  }
  lb_arena_reset(J->arena, mark);
  return LB_OK;
}

lb_status lb_inverse_prepare(lb_arena* arena, const lb_model* m, const lb_joint_motion* motion,
                             double cutoff, bool opensim, lb_inverse_motion* out, lb_error* err) {
  job J = {.arena = arena, .m = m, .cutoff = cutoff, .x = out, .err = err};
  const lb_status known = lb_muscles_check_tendons(m, "a motion of joints", err);
  if (known != LB_OK) {
    return known;
  }
  if (!take_room(&J, motion)) {
    return lack(err);
  }
  if (opensim) {
    return follow_opensim(&J);
  }
  const lb_status status = filter_joints(&J);
  const bool filtered = !isnan(cutoff);
  out->exact = !filtered;
  for (int j = 0; status == LB_OK && j < m->njoint; j++) {
    differentiate_joint(&J, j, motion->has_qd[j] && !filtered, motion->has_qdd[j] && !filtered);
    out->exact = out->exact && motion->has_qdd[j];
  }
  return status;
}

bool lb_time_is_within(double t, double begin, double end) {
  static const double SLACK = 1e-6; // [s]
  return t >= begin - SLACK && t <= end + SLACK;
}

lb_status lb_times_bound(int n, const double* time, double begin, double end, const char* file,
                         lb_error* err) {
  int count = 0;
  double last = 0; // of as many as there may be
  for (int i = 0; i < n; i++) {
    count += lb_time_is_within(time[i], begin, end);
    last = count == LB_MOST_SAMPLES && lb_time_is_within(time[i], begin, end)
               ? floor(time[i] * 1e3) / 1e3
               : last;
  }
  return count <= LB_MOST_SAMPLES
             ? LB_OK
             : lb_error_add(err, LB_INVALID, (lb_place){file, 0, 0},
                            "%d samples of the table are asked for, and a run has up to %d (give "
                            "an end, as with --end %.3f, or keep one line of %d)",
                            count, LB_MOST_SAMPLES, last, 1 + (count - 1) / LB_MOST_SAMPLES);
}

lb_status lb_times_check(int n, const double* time, double begin, double end, const char* file,
                         lb_error* err) {
  for (int i = 0; i < n; i++) {
    if (lb_time_is_within(time[i], begin, end)) {
      return lb_times_bound(n, time, begin, end, file, err);
    }
  }
  return n == 0 ? LB_OK
                : lb_error_add(err, LB_INVALID, (lb_place){file, 0, 0},
                               "the table goes from %g to %g s: no sample of it is within the "
                               "begin and end that are asked for",
                               time[0], time[n - 1]);
}
