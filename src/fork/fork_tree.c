// Trees linearised again in every step: nothing is blended, and nothing is off when they rest.
//
// With springs K of the joints at the present q (blocks of joints), the effectors' Jacobian J along
// their own axes and all other forces r of the tree in q, without those on effectors,
//
//   (1)  G = K^-1 J',   C = J G = L diag(d) L',   A = G L^-T diag(1/d)
//
// have J A = L: joints that follow the effectors' twists L v as under static forces. A step is
//
//   (2)  (A'M A + h A'D A + h^2 / d) v = A'M qd + h (L'w - A'r),   dq = h A v - K^-1 r + A z
//
// where L z = J K^-1 r: the last two terms move no effector, and bring the joints to the forces
// that effectors can balance. At rest r = J'w, which is the whole's own equilibrium. Preload is in
// r and not in K, so that it counts in where it rests, and not in how steps damp. All of it takes
// time linear in the links.
#include <math.h>
#include <string.h>

#include "dynamics/force/force.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "fork/fork_chart.h"
#include "fork/fork_inside.h"
#include "math/linear/dense.h"

static const double RANK = 1e-12; // part of the largest pivot below which a direction is rigid

typedef struct lb_fork_tree_work {
  lb_fork_work w;
  lb_fork of;       // what the work needs of a model
  double *r, *zero; // [nv] forces; nothing
  double* weight;   // [nv] inverse dynamics at rest
  double *J, *G;    // [n][nv]
  double* K;        // [nv][LB_JOINT_MOST_V]
  double* slack;    // [nv] K^-1 r
  double* L;        // [n][n] columns of the factor, each n numbers
  double *d, *a;    // [n]
  int rank;
  int* pivot;        // [n]
  double *A, *MA;    // [n][nv]
  double *W, *v, *f; // [n][n], [n]
  double *dq, *Mqd;  // [nv]
} lb_fork_tree_work;

// --- where it is ---

// r with what velocities bring, but without dampers, which steps count by themselves; directions of
// all coordinates.
static void find_forces(lb_fork_tree* t) {
  lb_fork_tree_work* o = t->own;
  const lb_model* m = o->w.held;
  lb_data* d = o->w.d;
  memcpy(d->q, t->q, (size_t)m->nq * sizeof *d->q);
  memcpy(d->qd, t->qd, (size_t)m->nv * sizeof *d->qd);
  lb_update(m, d, LB_FORCED);
  lb_rnea_moved(m, d, o->r, o->zero);
  lb_add(m->nv, o->r, -1, d->work->tau);
  for (int k = 0; k < m->nv; k++) {
    o->r[k] -= m->dof.damping[k] * t->qd[k];
  }
  lb_rnea_again(m, d, o->weight, o->zero);
  lb_fill_columns(m, d->work);
}

// Rows of effector e along its own axes, and where it is.
static void find_jacobian(lb_fork_tree* t, int e) {
  lb_fork_tree_work* o = t->own;
  const lb_model* m = o->w.held;
  const lb_work* work = o->w.d->work;
  const lb_anchor* at = &o->of.at[e];
  const lb_state* s = &work->state[at->link];
  const lb_v4 arm = lb_m3_apply(s->R, lb_v4_from(at->X.p)), p = s->p + arm;
  const lb_mat3 R = lb_m3_mat3(s->R);
  const lb_quat q = lb_quat_mul(lb_quat_from_matrix(R), at->X.q), back = lb_quat_conjugate(q);
  t->pose[e] = (lb_transform){q, lb_v4_vec3(p)};
  for (int l = at->link; l != LB_WORLD; l = m->link.parent[l]) {
    for (int k = m->link.v[l]; k < m->link.v[l] + m->link.nv[l]; k++) {
      const lb_v4* S = work->S + 2 * (size_t)(m->link.packed[l].column + k - m->link.v[l]);
      const lb_v4 move = S[1] + lb_v4_cross(S[0], p - work->state[l].p);
      double six[6];
      lb_fork_put(six, (lb_twist){lb_quat_rotate(back, lb_v4_vec3(S[0])),
                                  lb_quat_rotate(back, lb_v4_vec3(move))});
      for (int r = 0; r < 6; r++) {
        o->J[(size_t)(6 * e + r) * (size_t)m->nv + (size_t)k] = m->dof.driven[k] ? 0 : six[r];
      }
    }
  }
}

// x = K^-1 x of one joint's block, in place; false: it has no stiffness.
static bool soften(const lb_fork_tree* t, int joint, int count, double* x, size_t stride) {
  const lb_model* m = t->own->w.held;
  const int v = m->joint.v[joint], n = m->joint.nv[joint];
  double K[LB_JOINT_MOST_V * LB_JOINT_MOST_V];
  for (int i = 0; i < n * n; i++) {
    const double* row = t->own->K + (size_t)(v + i / n) * LB_JOINT_MOST_V;
    const double* column = t->own->K + (size_t)(v + i % n) * LB_JOINT_MOST_V;
    K[i] = 0.5 * (row[i % n] + column[i / n]);
  }
  if (n == 0 || m->dof.driven[v]) {
    return true;
  }
  const bool ok = lb_cholesky(n, K, n) == LB_OK;
  for (int c = 0; c < count && ok; c++) {
    lb_cholesky_solve(n, K, n, 1, x + (size_t)c * stride + v, n);
  }
  return ok;
}

// C by its pivots, the largest next.
static void factor(lb_fork_tree* t) {
  lb_fork_tree_work* o = t->own;
  const size_t n = 6 * (size_t)o->of.neffector;
  double* C = o->W;
  memcpy(C, t->C, n * n * sizeof *C);
  double most = 0;
  for (o->rank = 0; o->rank < (int)n; o->rank++) {
    size_t p = 0;
    for (size_t i = 1; i < n; i++) {
      p = C[i * (n + 1)] > C[p * (n + 1)] ? i : p;
    }
    const double d = C[p * (n + 1)];
    most = o->rank == 0 ? d : most;
    if (d <= RANK * most) {
      break;
    }
    double* l = o->L + (size_t)o->rank * n;
    for (size_t i = 0; i < n; i++) {
      l[i] = C[p * n + i] / d;
    }
    for (size_t i = 0; i < n; i++) {
      lb_add((int)n, C + i * n, -d * l[i], l);
    }
    o->d[o->rank] = d;
    o->pivot[o->rank] = (int)p;
  }
}

// A of (1): for each column a with L'a = e_k / d_k, at pivots alone.
static void find_shapes(lb_fork_tree* t) {
  lb_fork_tree_work* o = t->own;
  const size_t n = 6 * (size_t)o->of.neffector, nv = (size_t)o->w.held->nv;
  for (int k = 0; k < o->rank; k++) {
    double* A = o->A + (size_t)k * nv;
    memset(A, 0, nv * sizeof *A);
    for (int i = o->rank - 1; i >= 0; i--) {
      double sum = i == k ? 1 / o->d[k] : 0;
      for (int j = i + 1; j < o->rank; j++) {
        sum -= o->L[(size_t)i * n + (size_t)o->pivot[j]] * o->a[j];
      }
      o->a[i] = sum;
    }
    for (int i = 0; i < o->rank; i++) {
      lb_add((int)nv, A, o->a[i], o->G + (size_t)o->pivot[i] * nv);
    }
  }
}

bool lb_fork_tree_look(lb_fork_tree* t) {
  lb_fork_tree_work* o = t->own;
  const lb_model* m = o->w.held;
  const size_t n = 6 * (size_t)o->of.neffector, nv = (size_t)m->nv;
  find_forces(t);
  for (int e = 0; e < o->of.neffector; e++) {
    find_jacobian(t, e);
  }
  memset(o->K, 0, nv * LB_JOINT_MOST_V * sizeof *o->K);
  lb_joint_springs_blocks(m, t->q, o->K);
  memcpy(o->G, o->J, n * nv * sizeof *o->G);
  for (size_t k = 0; k < nv; k++) {
    o->slack[k] = m->dof.driven[k] ? 0 : o->r[k];
  }
  bool held = true;
  for (int j = 0; j < m->njoint; j++) {
    held = held && soften(t, j, (int)n, o->G, nv) && soften(t, j, 1, o->slack, nv);
  }
  for (size_t i = 0; i < n * n; i++) {
    t->C[i] = lb_dot((int)nv, o->J + i / n * nv, o->G + i % n * nv);
  }
  factor(t);
  find_shapes(t);
  return held;
}

// --- a step ---

// M x
static void multiply_mass(lb_fork_tree_work* o, double* y, const double* x) {
  lb_rnea_again(o->w.held, o->w.d, y, x);
  lb_add(o->w.held->nv, y, -1, o->weight);
}

// Matrix and right-hand side of (2).
static void assemble(lb_fork_tree* t, const double* wrench) {
  lb_fork_tree_work* o = t->own;
  const lb_model* m = o->w.held;
  const size_t n = 6 * (size_t)o->of.neffector, nv = (size_t)m->nv;
  const int rank = o->rank;
  const double h = t->step;
  for (size_t e = 0; e < n / 6; e++) {
    const lb_quat back = lb_quat_conjugate(t->pose[e].q);
    const lb_twist w = wrench ? lb_fork_twist(wrench + 6 * e) : (lb_twist){{0, 0, 0}, {0, 0, 0}};
    lb_fork_put(o->f + 6 * e, (lb_twist){lb_quat_rotate(back, w.w), lb_quat_rotate(back, w.v)});
  }
  multiply_mass(o, o->Mqd, t->qd);
  for (int k = 0; k < rank; k++) {
    const double* A = o->A + (size_t)k * nv;
    double* MA = o->MA + (size_t)k * nv;
    multiply_mass(o, MA, A);
    for (size_t i = 0; i < nv; i++) {
      MA[i] += h * m->dof.damping[i] * A[i];
    }
    o->v[k] = lb_dot(m->nv, A, o->Mqd) +
              h * (lb_dot((int)n, o->L + (size_t)k * n, o->f) - lb_dot(m->nv, A, o->r));
  }
  for (int i = 0; i < rank * rank; i++) {
    o->W[i] = lb_dot(m->nv, o->A + (size_t)(i / rank) * nv, o->MA + (size_t)(i % rank) * nv) +
              (i / rank == i % rank ? h * h / o->d[i / rank] : 0);
  }
}

void lb_fork_tree_step(lb_fork_tree* t, const double* wrench) {
  lb_fork_tree_work* o = t->own;
  const lb_model* m = o->w.held;
  const size_t n = 6 * (size_t)o->of.neffector, nv = (size_t)m->nv;
  assemble(t, wrench);
  if (lb_cholesky(o->rank, o->W, o->rank) != LB_OK) {
    return; // cannot be: masses are positive
  }
  lb_cholesky_solve(o->rank, o->W, o->rank, 1, o->v, o->rank);
  memset(t->qd, 0, nv * sizeof *t->qd);
  for (size_t i = 0; i < n; i++) { // J K^-1 r, along L by its pivots
    o->f[i] = lb_dot(m->nv, o->J + i * nv, o->slack);
  }
  for (size_t k = 0; k < nv; k++) {
    o->dq[k] = -o->slack[k];
  }
  for (int k = 0; k < o->rank; k++) {
    const double z = o->f[o->pivot[k]];
    lb_add((int)n, o->f, -z, o->L + (size_t)k * n);
    lb_add(m->nv, o->dq, z, o->A + (size_t)k * nv);
    lb_add(m->nv, t->qd, o->v[k], o->A + (size_t)k * nv);
  }
  lb_add(m->nv, o->dq, t->step, t->qd);
  lb_advance(m, t->q, o->dq, 1);
  lb_normalise(m, t->q);
  lb_fork_tree_look(t);
}

// --- life ---

static bool take(lb_fork_tree* t, lb_arena* a) {
  lb_fork_tree_work* o = t->own;
  const size_t n = 6 * (size_t)o->of.neffector, nv = (size_t)o->of.nv;
  t->q = LB_COPY(a, o->of.q, o->of.model->nq);
  t->qd = LB_TAKE(a, double, nv);
  t->pose = LB_TAKE(a, lb_transform, o->of.neffector);
  t->C = LB_TAKE(a, double, n* n);
  double** const vectors[] = {&o->r, &o->zero, &o->weight, &o->slack, &o->dq, &o->Mqd};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = LB_TAKE(a, double, nv);
  }
  double** const wide[] = {&o->J, &o->G, &o->A, &o->MA};
  for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
    *wide[i] = LB_TAKE(a, double, n* nv);
  }
  double** const small[] = {&o->L, &o->W, &o->d, &o->a, &o->v, &o->f};
  for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
    *small[i] = LB_TAKE(a, double, i < 2 ? n * n : n);
  }
  o->K = LB_TAKE(a, double, nv* LB_JOINT_MOST_V);
  o->pivot = LB_TAKE(a, int, n);
  return lb_arena_status(a) == LB_OK;
}

static lb_status begin(lb_fork_tree* t, lb_error* err) {
  lb_fork_work* w = &t->own->w;
  lb_status status = lb_fork_hold_base(w, err);
  status = status == LB_OK ? lb_data_create(w->held, w->allocator, &w->d, err) : status;
  if (status == LB_OK && (w->held->constraint.count > 0 || w->held->elastic.count > 0 ||
                          w->base_link != LB_WORLD || !lb_fork_tree_look(t))) {
    status =
        lb_error_add(err, LB_INVALID, w->what->place,
                     "fork '%s' is not linearised in every step: it has loops, elastic bodies, "
                     "a base that floats, or a joint without a spring (reduce it to models)",
                     w->what->name);
  }
  return status;
}

lb_status lb_fork_tree_create(const lb_fork* f, double step, const lb_allocator* allocator,
                              lb_fork_tree** tree, lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_fork_tree* t = LB_TAKE(&arena, lb_fork_tree, 1);
  lb_fork_tree_work* own = LB_TAKE(&arena, lb_fork_tree_work, 1);
  if (t && own) {
    *t = (lb_fork_tree){.fork = f, .step = step, .own = own};
    own->of = *f;
    own->w =
        (lb_fork_work){.m = f->model, .what = f->what, .fork = &own->of, .allocator = allocator};
  }
  if (!t || !own || !take(t, &arena)) {
    lb_arena_release(&arena);
    return lb_fork_no_memory(err);
  }
  own->w.scratch = arena;
  const lb_status status = begin(t, err);
  if (status != LB_OK) {
    lb_fork_tree_release(t);
    return status;
  }
  *tree = t;
  return LB_OK;
}

void lb_fork_tree_release(lb_fork_tree* t) {
  if (t) {
    lb_arena arena = t->own->w.scratch;
    lb_data_release(t->own->w.d);
    lb_arena_release(&arena);
  }
}
