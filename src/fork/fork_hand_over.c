// The state of a scene handed from one of its models to another, in which mechanisms are reduced
// otherwise: effectors go on where they are and as they move.
//
// Joints that both models have keep their numbers. Those inside of a mechanism that is whole now
// begin where the reduced one had them. Then, for poses X of effectors that are wanted and the
// Jacobian J of what is left to choose, the shortest dq of Newton's method,
//
//   (1)  J dq = log(X_now^-1 X),   J (qd + dqd) = V
//
// by least squares in which turns count for nearly nothing, and with loops closed after each step.
// So points go on exactly where joints let them, and turns as well as they can: a reduced mechanism
// may have poses that no joints lead to. One that is reduced again comes as near as its shapes do.
#include <math.h>
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/force.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/mechanism_pose.h"
#include "dynamics/tree/state.h"
#include "fork/fork_chart.h"
#include "fork/fork_inside.h"
#include "limber/derivative.h"
#include "math/linear/blas_thread.h"
#include "math/linear/dense.h"
#include "model/use/link.h"

static const double RANK = 1e-9;  // part of the largest singular value below which there is none
static const double TURN = 1e-5;  // of what displacements count, in radians for metres
static const double CLOSED = 100; // and of gaps of loops

// An effector in the new model, and how it moves in the old one.
typedef struct target {
  int link;
  lb_transform at; // in the link
  lb_transform X;  // wanted
  lb_v4 w, v;      // likewise, of its point along the world's axes
} target;

typedef struct handing {
  const lb_model* m; // the new one
  lb_data* d;
  bool* moves; // [nv] numbers that are chosen
  int ntarget;
  target* target;
  lb_derivatives* D;
  double *J, *Jdot; // [nlink][6][nv]
  double *A, *x;    // [6 ntarget, n] columns of what moves; right-hand side and solution
  double* dq;       // [nv]
  lb_arena arena;
} handing;

// --- what both have ---

static void copy_joints(const lb_model* from, const lb_data* a, handing* h) {
  for (int j = 0; j < h->m->njoint; j++) {
    const int i = lb_model_joint(from, h->m->joint.name[j]);
    const bool own = lb_link_is_elastic(h->m->joint.kind[j]); // coordinates of a mechanism
    if (!own && i >= 0 && from->joint.nq[i] == h->m->joint.nq[j] &&
        from->joint.nv[i] == h->m->joint.nv[j]) {
      const int v = h->m->joint.v[j], nv = h->m->joint.nv[j];
      memcpy(h->d->q + h->m->joint.q[j], a->q + from->joint.q[i],
             (size_t)from->joint.nq[i] * sizeof *a->q);
      memcpy(h->d->qd + v, a->qd + from->joint.v[i], (size_t)nv * sizeof *a->qd);
      memset(h->moves + v, 0, (size_t)nv * sizeof *h->moves);
    }
  }
}

// Joints inside of mechanisms that the old model has reduced, of which it knows no numbers.
static void follow_joints(const lb_model* from, lb_data* a, handing* h) {
  for (int i = 0; i < from->mechanism.count; i++) {
    const lb_data* w = a->work->mechanism[i];
    const lb_model* whole = from->mechanism.item[i].whole;
    lb_mechanism_follow(from, a, i);
    for (int j = 0; j < h->m->njoint; j++) {
      const int k = lb_model_joint(whole, h->m->joint.name[j]);
      if (k >= 0 && h->moves[h->m->joint.v[j]] && whole->joint.nq[k] == h->m->joint.nq[j]) {
        memcpy(h->d->q + h->m->joint.q[j], w->q + whole->joint.q[k],
               (size_t)whole->joint.nq[k] * sizeof *w->q);
        memcpy(h->d->qd + h->m->joint.v[j], w->qd + whole->joint.v[k],
               (size_t)whole->joint.nv[k] * sizeof *w->qd);
      }
    }
  }
}

// --- effectors ---

static bool is_effector(const lb_model* m, int body) {
  const int link = body < m->nbody ? m->body.link[body] : LB_WORLD;
  return link != LB_WORLD && m->link.kind[link] == LB_LINK_EFFECTOR;
}

// Effectors are where links of that kind have their frames.
static void add_target(handing* h, const lb_model* from, const lb_data* a, int body) {
  const int link = h->m->body.link[body];
  const lb_model* reduced = is_effector(from, body) ? from : h->m;
  const lb_transform in_body = lb_transform_inverse(reduced->body.in_link[body]);
  const lb_transform at = lb_transform_mul(h->m->body.in_link[body], in_body);
  for (int i = 0; i < h->ntarget; i++) {
    if (h->target[i].link == link) {
      return;
    }
  }
  const lb_state* s = &a->work->state[from->body.link[body]];
  const lb_transform X = lb_transform_mul(a->pose[body], in_body);
  const lb_v4 arm = lb_v4_from(X.p) - s->p;
  h->target[h->ntarget++] = (target){link, at, X, s->w, s->v + lb_v4_cross(s->w, arm)};
}

static void find_targets(handing* h, const lb_model* from, lb_data* a) {
  const int nbody = from->nbody < h->m->nbody ? from->nbody : h->m->nbody;
  lb_poses(from, a);
  lb_update(from, a, LB_ORIGINS);
  for (int b = 0; b < nbody; b++) {
    if ((is_effector(from, b) || is_effector(h->m, b)) && h->m->body.link[b] != LB_WORLD &&
        from->body.link[b] != LB_WORLD) {
      add_target(h, from, a, b);
    }
  }
}

// --- (1) ---

// Twist from where an effector is to where it should be, or what its velocity lacks, along its
// axes.
static lb_twist lacks(const handing* h, const target* t, bool rates) {
  const lb_state* s = &h->d->work->state[t->link];
  const lb_transform link = {lb_quat_from_matrix(lb_m3_mat3(s->R)), lb_v4_vec3(s->p)};
  const lb_transform X = lb_transform_mul(link, t->at);
  if (rates) {
    const lb_v4 v = s->v + lb_v4_cross(s->w, lb_v4_from(X.p) - s->p);
    const lb_quat back = lb_quat_conjugate(X.q);
    return (lb_twist){lb_quat_rotate(back, lb_v4_vec3(t->w - s->w)),
                      lb_quat_rotate(back, lb_v4_vec3(t->v - v))};
  }
  return lb_se3_log(lb_transform_mul(lb_transform_inverse(X), t->X));
}

// Column k of J of an effector, along its axes.
static lb_twist column(const handing* h, const target* t, int k) {
  const size_t nv = (size_t)h->m->nv;
  const double* c = h->J + 6 * (size_t)t->link * nv + (size_t)k;
  const lb_vec3 w = lb_vec3_make(c[0], c[nv], c[2 * nv]);
  const lb_vec3 v = lb_vec3_make(c[3 * nv], c[4 * nv], c[5 * nv]);
  const lb_quat back = lb_quat_conjugate(t->at.q);
  return (lb_twist){lb_quat_rotate(back, w),
                    lb_quat_rotate(back, lb_vec3_add(v, lb_vec3_cross(w, t->at.p)))};
}

static void put_row(double* to, lb_twist x) {
  lb_fork_put(to, (lb_twist){lb_vec3_scale(TURN, x.w), x.v});
}

static void measure(const handing* h, bool rates, lb_fork_gap* gap) {
  double *way = rates ? &gap->rate : &gap->way, *turn = rates ? &gap->turn_rate : &gap->turn;
  *way = *turn = 0;
  for (int i = 0; i < h->ntarget; i++) {
    const lb_twist x = lacks(h, &h->target[i], rates);
    *way = fmax(*way, lb_vec3_norm(x.v));
    *turn = fmax(*turn, lb_vec3_norm(x.w));
  }
}

static lb_status solve(handing* h, bool rates) {
  const int nv = h->m->nv, own = 6 * h->ntarget;
  int columns = 0, rank = 0, rows = own;
  const lb_arena_mark mark = lb_arena_here(&h->arena);
  const double* closed = NULL; // J of the constraints, which hold and go on to
  if (h->m->constraint.count > 0) {
    rows += lb_constraints_linearise(h->m, h->d, LB_SET_STEP).count;
    closed = lb_constraints_jacobian(h->m, h->d);
    h->A = LB_TAKE(&h->arena, double, (size_t)rows*(size_t)nv);
    h->x = LB_TAKE(&h->arena, double, rows > nv ? rows : nv);
    if (!h->A || !h->x) {
      return LB_NO_MEMORY;
    }
  }
  lb_jacobians(h->D, h->d, h->J, h->Jdot, h->d->q, h->d->qd);
  lb_update(h->m, h->d, LB_ORIGINS);
  for (int k = 0; k < nv; k++) {
    double* to = h->A + columns * rows;
    for (int i = 0; h->moves[k] && i < h->ntarget; i++) {
      put_row(to + 6 * i, column(h, &h->target[i], k));
    }
    for (int i = own; h->moves[k] && i < rows; i++) {
      to[i] = CLOSED * closed[(i - own) * nv + k];
    }
    columns += h->moves[k];
  }
  memset(h->x, 0, (size_t)rows * sizeof *h->x);
  for (int i = 0; i < h->ntarget; i++) {
    put_row(h->x + 6 * i, lacks(h, &h->target[i], rates));
  }
  const int most = rows > columns ? rows : columns;
  const lb_status status =
      lb_least_squares(&h->arena, rows, columns, h->A, rows, 1, h->x, most, RANK, &rank);
  for (int k = 0, c = 0; k < nv; k++) {
    h->dq[k] = h->moves[k] ? h->x[c++] : 0;
  }
  lb_arena_reset(&h->arena, mark);
  return status;
}

static double size_of(int n, const double* x) {
  return sqrt(lb_dot(n, x, x));
}

static lb_status match(handing* h, lb_fork_gap* gap) {
  enum { MOST = 60 };
  static const double CLOSE = 1e-14;
  lb_status status = LB_OK;
  double step = 1;
  for (int i = 0; i < MOST && status == LB_OK && step > CLOSE; i++) {
    lb_project(h->m, h->d);
    status = solve(h, false);
    step = size_of(h->m->nv, h->dq);
    if (status == LB_OK) {
      lb_advance(h->m, h->d->q, h->dq, 1);
    }
  }
  lb_project(h->m, h->d);
  for (int i = 0; i < 3 && status == LB_OK; i++) {
    status = solve(h, true);
    if (status == LB_OK) {
      lb_add(h->m->nv, h->d->qd, 1, h->dq);
      lb_project(h->m, h->d);
    }
  }
  lb_update(h->m, h->d, LB_ORIGINS);
  measure(h, false, gap);
  measure(h, true, gap);
  return status;
}

// --- all of it ---

static lb_status take(handing* h, const lb_allocator* allocator, lb_error* err) {
  const size_t nv = (size_t)h->m->nv, nlink = (size_t)h->m->nlink;
  const size_t rows = 6 * nlink, most = rows > nv ? rows : nv;
  h->moves = LB_TAKE(&h->arena, bool, nv);
  h->target = LB_TAKE(&h->arena, target, nlink);
  h->J = LB_TAKE(&h->arena, double, nlink * 6 * nv);
  h->Jdot = LB_TAKE(&h->arena, double, nlink * 6 * nv);
  h->A = LB_TAKE(&h->arena, double, rows* nv);
  h->x = LB_TAKE(&h->arena, double, most);
  h->dq = LB_TAKE(&h->arena, double, nv);
  return lb_arena_status(&h->arena) == LB_OK ? lb_derivatives_create(h->m, allocator, &h->D, err)
                                             : lb_fork_no_memory(err);
}

lb_status lb_fork_hand_over(const lb_model* to, lb_data* b, const lb_model* from, lb_data* a,
                            const lb_allocator* allocator, lb_fork_gap* gap, lb_error* err) {
  LB_ONE_BLAS_THREAD;
  handing h = {.m = to, .d = b};
  lb_arena_init(&h.arena, allocator);
  lb_status status = take(&h, allocator, err);
  *gap = (lb_fork_gap){0};
  if (status == LB_OK) {
    for (int k = 0; k < to->nv; k++) {
      h.moves[k] = true;
    }
    b->time = a->time;
    copy_joints(from, a, &h);
    follow_joints(from, a, &h);
    find_targets(&h, from, a);
    status = h.ntarget > 0 ? match(&h, gap) : LB_OK;
    status = status == LB_NO_MEMORY ? lb_fork_no_memory(err) : status;
  }
  lb_derivatives_release(h.D);
  lb_arena_release(&h.arena);
  return status;
}
