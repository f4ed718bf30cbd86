#include "dynamics/derivative/tree_derivative.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/force.h"
#include "dynamics/force/force_point.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/rnea.h"
#include "math/linear/dense.h"

enum { MOST = LB_JOINT_MOST_V };

// A change of acceleration, of turning and of the rotation itself; or what is dual to it.
typedef struct change {
  lb_motion a;
  lb_v4 w, t;
} change;

// A matrix with entries as in (2) and (3), by coordinate.
typedef struct matrix {
  change* out;   // [ncolumn] on its descendants
  lb_motion* in; // [ncolumn] on the force through the joints of its ancestors
  double* block; // [nv][MOST] on its own joint, beyond `out`
} matrix;

// A of (5), as what the parts of a change do to moment and force.
typedef struct felt {
  lb_m3 nw, nv, nb, nt, fw, fv, fb, ft;
} felt;

// Derivative of a moment and force fixed in the world's axes by the rotation of their link.
typedef struct stays {
  lb_m3 n, f;
} stays;

enum { BY_Q, BY_V, BY_A, NBY };

struct lb_tree_slopes {
  const lb_model* m;
  lb_motion* S;      // [ncolumn] directions
  change* row;       // [ncolumn] (I S, 2 B'S): what is multiplied with `out` in (2)
  matrix by[NBY];    // K, C and M
  lb_motion* along;  // [ncolumn] S x* F
  lb_composite* own; // [nlink] links by themselves
  stays *load, *all; // [nlink] of a link's own loads, and of all on what hangs on it
  // --- of a step ---
  matrix step;     // W
  lb_motion* P;    // [ncolumn] of (3)
  lb_motion* U;    // [ncolumn]
  change* V;       // [ncolumn]
  double* inverse; // [nv][MOST] D^-1, by rows
  felt* felt;      // [nlink] A
  // --- scratch ---
  change* far;                 // [1 + nlink], far[-1] the world's
  lb_motion* near;             // likewise
  double *found, *left, *more; // [nv]
};

static inline change zero(void) {
  return (change){lb_motion_zero(), lb_v4_zero(), lb_v4_zero()};
}
static inline void add_change(change* to, double s, change x) {
  to->a.w += x.a.w * s;
  to->a.v += x.a.v * s;
  to->w += x.w * s;
  to->t += x.t * s;
}
static inline void add_motion(lb_motion* to, double s, lb_motion x) {
  to->w += x.w * s;
  to->v += x.v * s;
}
static inline double dot(change x, change y) {
  return lb_v4_sum((x.a.w * y.a.w + x.a.v * y.a.v) + (x.w * y.w + x.t * y.t));
}

// --- life ---

bool lb_tree_slopes_serve(const lb_model* m) {
  return lb_forces_are_diagonal(m) && lb_forces_change_by_joints(m) && lb_constraints_most(m) == 0;
}

static matrix take_matrix(const lb_model* m, lb_arena* arena) {
  return (matrix){.out = LB_TAKE(arena, change, m->link.ncolumn),
                  .in = LB_TAKE(arena, lb_motion, m->link.ncolumn),
                  .block = LB_TAKE(arena, double, (size_t)m->nv* MOST)};
}

lb_tree_slopes* lb_tree_slopes_create(const lb_model* m, lb_arena* arena) {
  lb_tree_slopes* T = LB_TAKE(arena, lb_tree_slopes, 1);
  if (!T) {
    return NULL;
  }
  *T = (lb_tree_slopes){.m = m,
                        .S = LB_TAKE(arena, lb_motion, m->link.ncolumn),
                        .row = LB_TAKE(arena, change, m->link.ncolumn),
                        .by = {take_matrix(m, arena), take_matrix(m, arena), take_matrix(m, arena)},
                        .along = LB_TAKE(arena, lb_motion, m->link.ncolumn),
                        .own = LB_TAKE(arena, lb_composite, m->nlink),
                        .load = LB_TAKE(arena, stays, m->nlink),
                        .all = LB_TAKE(arena, stays, m->nlink),
                        .step = take_matrix(m, arena),
                        .P = LB_TAKE(arena, lb_motion, m->link.ncolumn),
                        .U = LB_TAKE(arena, lb_motion, m->link.ncolumn),
                        .V = LB_TAKE(arena, change, m->link.ncolumn),
                        .inverse = LB_TAKE(arena, double, (size_t)m->nv* MOST),
                        .felt = LB_TAKE(arena, felt, m->nlink),
                        .far = LB_TAKE(arena, change, m->nlink + 1),
                        .near = LB_TAKE(arena, lb_motion, m->nlink + 1),
                        .found = LB_TAKE(arena, double, m->nv),
                        .left = LB_TAKE(arena, double, m->nv),
                        .more = LB_TAKE(arena, double, m->nv)};
  if (lb_arena_status(arena) != LB_OK) {
    return NULL;
  }
  T->far += 1; // far[-1] and near[-1] are the world's
  T->near += 1;
  return T;
}

// --- derivatives ---

static void take_column(lb_tree_slopes* T, const lb_derivation* W, int i, int c) {
  const lb_slope s = lb_derive_slope(W, &W->whole[i], c);
  const stays* N = &T->all[i];
  const lb_motion S = T->S[c] = W->S[c];
  const lb_v4 none = lb_v4_zero();
  T->row[c] =
      (change){s.u, s.b, lb_m3_apply_transposed(N->n, S.w) + lb_m3_apply_transposed(N->f, S.v)};
  T->along[c] = lb_derive_along(&W->whole[i], S);
  T->by[BY_Q].out[c] = (change){W->chi[c], W->psi[c].w, S.w};
  T->by[BY_Q].in[c] =
      lb_motion_add(s.g, (lb_motion){lb_m3_apply(N->n, S.w), lb_m3_apply(N->f, S.w)});
  T->by[BY_V].out[c] = (change){W->sig[c], S.w, none};
  T->by[BY_V].in[c] = s.gd;
  T->by[BY_A].out[c] = (change){S, none, none};
  T->by[BY_A].in[c] = s.u;
}

// A turn t of the link changes a force that stays, at P beyond O, by minus what turning along would
// be: t x f and t x n are needed beyond it, in moments about O P x (t x f) + t x n.
static void take_loads(lb_tree_slopes* T, const lb_derivation* W, const lb_data* d) {
  const lb_model* m = T->m;
  const lb_m3 one = lb_m3_identity();
  memset(T->load, 0, (size_t)m->nlink * sizeof *T->load);
  for (int i = 0; i < lb_loads_count(m, d); i++) {
    lb_force_point p;
    lb_motion load;
    if (lb_load_stays(m, d, i, &p, &load)) {
      const lb_m3 f = lb_m3_cross_mul(-load.v, one);
      lb_m3_add(&T->load[p.index].f, f);
      lb_m3_add(&T->load[p.index].n, lb_m3_cross_mul(-load.w, one));
      lb_m3_add(&T->load[p.index].n, lb_m3_cross_mul(W->at[p.index] + p.arm, f));
    }
  }
  memcpy(T->all, T->load, (size_t)m->nlink * sizeof *T->all);
}

static void hand_over(lb_tree_slopes* T, lb_derivation* W, int i) {
  const int parent = T->m->link.packed[i].parent;
  lb_derive_hand_over(W, T->m, i);
  if (parent != LB_WORLD) {
    lb_m3_add(&T->all[parent].n, T->all[i].n);
    lb_m3_add(&T->all[parent].f, T->all[i].f);
  }
}

void lb_tree_slopes_take(lb_tree_slopes* T, lb_derivatives* D, lb_data* d) {
  const lb_model* m = T->m;
  LB_ASSERT(d->work->stages & LB_LINK_FORCES);
  lb_rnea_moved(m, d, D->tau, d->qdd);
  lb_derive_links(D, d, d->qd, d->qdd);
  memcpy(T->own, D->work->whole, (size_t)m->nlink * sizeof *T->own);
  take_loads(T, D->work, d);
  for (int p = 0; p < NBY; p++) {
    memset(T->by[p].block, 0, (size_t)m->nv * MOST * sizeof(double));
  }
  for (int i = m->nlink - 1; i >= 0; i--) {
    const lb_link* l = &m->link.packed[i];
    const lb_state* s = &d->work->state[i];
    for (int k = 0; k < l->nv; k++) {
      take_column(T, D->work, i, l->column + k);
      T->by[BY_V].block[(l->v + k) * MOST + k] = m->dof.damping[l->v + k];
      T->by[BY_A].block[(l->v + k) * MOST + k] = m->dof.armature[l->v + k];
    }
    if (LB_JOINT[l->kind]->bend_force) {
      LB_JOINT[l->kind]->bend_force(T->by[BY_Q].block + (size_t)l->v * MOST, MOST, s, s->IA.n,
                                    s->IA.f);
    }
    hand_over(T, D->work, i);
  }
  lb_joint_springs_blocks(m, d->q, T->by[BY_Q].block);
}

// --- products with `count` matrices at once ---

// y += s (A x of all of them): out with what coordinates do, in with forces.
static inline void multiply(const lb_tree_slopes* T, const matrix* A, int count, double* y,
                            double s, const double* const* x) {
  const lb_model* m = T->m;
  T->far[-1] = zero();
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    change z = T->far[l->parent];
    for (int k = 0; k < l->nv; k++) {
      for (int p = 0; p < count; p++) {
        add_change(&z, x[p][l->v + k], A[p].out[l->column + k]);
      }
    }
    for (int k = 0; k < l->nv; k++) {
      double sum = dot(T->row[l->column + k], z);
      for (int p = 0; p < count; p++) {
        sum += lb_dot(l->nv, A[p].block + (size_t)(l->v + k) * MOST, x[p] + l->v);
      }
      y[l->v + k] += s * sum;
    }
    T->far[i] = z;
  }
  memset(T->near - 1, 0, (size_t)(m->nlink + 1) * sizeof *T->near);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const lb_link* l = &m->link.packed[i];
    lb_motion f = T->near[i];
    for (int k = 0; k < l->nv; k++) {
      y[l->v + k] += s * lb_motion_dot(T->S[l->column + k], T->near[i]);
      for (int p = 0; p < count; p++) {
        add_motion(&f, x[p][l->v + k], A[p].in[l->column + k]);
      }
    }
    add_motion(&T->near[l->parent], 1, f);
  }
}

// y += s A'x, each its own y: the same ways in the other order.
static inline void multiply_back(const lb_tree_slopes* T, const matrix* A, int count,
                                 double* const* y, double s, const double* x) {
  const lb_model* m = T->m;
  memset(T->far - 1, 0, (size_t)(m->nlink + 1) * sizeof *T->far);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const lb_link* l = &m->link.packed[i];
    change z = T->far[i];
    for (int k = 0; k < l->nv; k++) {
      add_change(&z, x[l->v + k], T->row[l->column + k]);
    }
    for (int p = 0; p < count; p++) {
      for (int k = 0; k < l->nv; k++) {
        y[p][l->v + k] += s * dot(A[p].out[l->column + k], z);
        lb_add(l->nv, y[p] + l->v, s * x[l->v + k], A[p].block + (size_t)(l->v + k) * MOST);
      }
    }
    add_change(&T->far[l->parent], 1, z);
  }
  T->near[-1] = lb_motion_zero();
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    const lb_motion before = T->near[l->parent];
    lb_motion f = before;
    for (int k = 0; k < l->nv; k++) {
      for (int p = 0; p < count; p++) {
        y[p][l->v + k] += s * lb_motion_dot(A[p].in[l->column + k], before);
      }
      add_motion(&f, x[l->v + k], T->S[l->column + k]);
    }
    T->near[i] = f;
  }
}

void lb_tree_slopes_add(lb_tree_slopes* T, double* y, double s, const double* q, const double* v,
                        const double* a) {
  multiply(T, T->by, NBY, y, s, (const double* const[]){q, v, a});
}

void lb_tree_slopes_add_back(lb_tree_slopes* T, double* q, double* v, double* a, double s,
                             const double* mu) {
  multiply_back(T, T->by, NBY, (double* const[]){q, v, a}, s, mu);
}

// --- factors ---

// Columns of W from those of K, C and M.
static void blend_joint(lb_tree_slopes* T, int i, const double* qd, double dt) {
  const lb_link* l = &T->m->link.packed[i];
  const lb_joint* joint = LB_JOINT[l->kind];
  const matrix *K = &T->by[BY_Q], *C = &T->by[BY_V], *M = &T->by[BY_A], *W = &T->step;
  const int n = l->nv;
  double Q[MOST * MOST] = {dt};
  for (int k = 0; k < n * n && n > 1; k++) {
    Q[k] = k % (n + 1) == 0 ? dt : 0;
  }
  if (joint->reach_by_rate) {
    joint->reach_by_rate(Q, qd + l->v, dt);
  }
  for (int k = 0; k < n; k++) {
    const int c = l->column + k;
    change out = C->out[c];
    lb_motion in = C->in[c], P = lb_motion_zero();
    add_change(&out, 1 / dt, M->out[c]);
    add_motion(&in, 1 / dt, M->in[c]);
    for (int a = 0; a < n; a++) {
      const double by = Q[a * n + k];
      const int b = l->column + a;
      add_change(&out, by, K->out[b]);
      add_motion(&in, by, K->in[b]);
      add_motion(&P, by, T->along[b]);
      const size_t row = (size_t)(l->v + a) * MOST;
      double sum = M->block[row + (size_t)k] / dt + C->block[row + (size_t)k];
      for (int j = 0; j < n; j++) {
        sum += K->block[row + (size_t)j] * Q[j * n + k];
      }
      W->block[row + (size_t)k] = sum;
    }
    W->out[c] = out;
    W->in[c] = in;
    T->P[c] = P;
  }
}

// (I, 2 B, N) of a link by itself.
static felt weigh(const lb_composite* c, const stays* load) {
  const lb_m3 one = lb_m3_identity();
  return (felt){.nw = c->I,
                .nv = lb_m3_cross_mul(c->h, one),
                .nb = c->D,
                .nt = load->n,
                .fw = lb_m3_cross_mul(-c->h, one),
                .fv = {one.x * c->m, one.y * c->m, one.z * c->m},
                .fb = lb_m3_cross_mul(-2 * c->p, one),
                .ft = load->f};
}

static lb_motion feel(const felt* A, change z) { // A z
  return (lb_motion){lb_m3_apply(A->nw, z.a.w) + lb_m3_apply(A->nv, z.a.v) +
                         lb_m3_apply(A->nb, z.w) + lb_m3_apply(A->nt, z.t),
                     lb_m3_apply(A->fw, z.a.w) + lb_m3_apply(A->fv, z.a.v) +
                         lb_m3_apply(A->fb, z.w) + lb_m3_apply(A->ft, z.t)};
}

static change feel_back(const felt* A, lb_motion f) { // A'f
  return (change){{lb_m3_apply_transposed(A->nw, f.w) + lb_m3_apply_transposed(A->fw, f.v),
                   lb_m3_apply_transposed(A->nv, f.w) + lb_m3_apply_transposed(A->fv, f.v)},
                  lb_m3_apply_transposed(A->nb, f.w) + lb_m3_apply_transposed(A->fb, f.v),
                  lb_m3_apply_transposed(A->nt, f.w) + lb_m3_apply_transposed(A->ft, f.v)};
}

static void subtract_outer(felt* A, lb_motion U, change V) { // A -= U V'
  lb_m3* const part[][2] = {{&A->nw, &A->fw}, {&A->nv, &A->fv}, {&A->nb, &A->fb}, {&A->nt, &A->ft}};
  const lb_v4 by[] = {V.a.w, V.a.v, V.w, V.t};
  for (int k = 0; k < 4; k++) {
    lb_m3_add_outer(part[k][0], -1, U.w, by[k]);
    lb_m3_add_outer(part[k][1], -1, U.v, by[k]);
  }
}

static void add_felt(felt* to, const felt* from) {
  lb_m3* A = &to->nw;
  const lb_m3* B = &from->nw;
  for (size_t k = 0; k < sizeof *to / sizeof *A; k++) {
    lb_m3_add(&A[k], B[k]);
  }
}

// D^-1 by rows, D by columns; false: it is lost in the rounding of numbers of the size `scale`.
static bool invert(double* inverse, double* D, int n, double scale) {
  static const double LOST = 1e-12;
  int pivot[MOST];
  if (lb_lu(n, D, MOST, pivot) != LB_OK) {
    return false;
  }
  for (int k = 0; k < n; k++) {
    if (!(fabs(D[k * (MOST + 1)]) > LOST * scale)) {
      return false;
    }
  }
  for (int k = 0; k < n; k++) {
    double* row = inverse + (size_t)k * MOST;
    memset(row, 0, MOST * sizeof *row);
    row[k] = 1;
    lb_lu_solve_transposed(n, D, MOST, pivot, 1, row, MOST);
  }
  return true;
}

// (6)
static bool factor_joint(lb_tree_slopes* T, int i) {
  const lb_link* l = &T->m->link.packed[i];
  felt* A = &T->felt[i];
  const lb_motion* S = T->S + l->column;
  lb_motion* U = T->U + l->column;
  change* V = T->V + l->column;
  double* inverse = T->inverse + (size_t)l->v * MOST;
  double D[MOST * MOST], scale = 0;
  for (int k = 0; k < l->nv; k++) {
    V[k] = feel_back(A, S[k]);
    U[k] = feel(A, T->step.out[l->column + k]);
    for (int a = 0; a < l->nv; a++) {
      D[a + k * MOST] =
          lb_motion_dot(S[a], U[k]) + T->step.block[(size_t)(l->v + a) * MOST + (size_t)k];
      scale = fmax(scale, fabs(lb_v4_dot(S[a].w, U[k].w)) + fabs(lb_v4_dot(S[a].v, U[k].v)));
    }
    add_motion(&U[k], 1, T->P[l->column + k]);
  }
  if (!invert(inverse, D, l->nv, scale)) {
    return false;
  }
  for (int a = 0; a < l->nv; a++) {
    lb_motion y = lb_motion_zero();
    for (int k = 0; k < l->nv; k++) {
      add_motion(&y, inverse[k * MOST + a], U[k]);
    }
    subtract_outer(A, y, V[a]);
  }
  return true;
}

bool lb_tree_slopes_factor(lb_tree_slopes* T, const double* qd, double dt) {
  const lb_model* m = T->m;
  bool made = true;
  for (int i = 0; i < m->nlink; i++) {
    T->felt[i] = weigh(&T->own[i], &T->load[i]);
  }
  for (int i = m->nlink - 1; i >= 0; i--) {
    const lb_link* l = &m->link.packed[i];
    blend_joint(T, i, qd, dt);
    made = made && (l->driven || factor_joint(T, i));
    if (l->parent != LB_WORLD) {
      add_felt(&T->felt[l->parent], &T->felt[i]);
    }
  }
  return made;
}

// --- solving ---

// b = D^-1 b of a joint, or D'^-1 b.
static inline void apply_inverse(const lb_tree_slopes* T, const lb_link* l, bool transposed,
                                 double* b) {
  const double* inverse = T->inverse + (size_t)l->v * MOST;
  if (l->nv == 1) {
    b[0] *= inverse[0];
    return;
  }
  double x[MOST] = {0};
  for (int k = 0; k < l->nv; k++) {
    for (int j = 0; j < l->nv; j++) {
      x[k] += (transposed ? inverse[j * MOST + k] : inverse[k * MOST + j]) * b[j];
    }
  }
  memcpy(b, x, (size_t)l->nv * sizeof *b);
}

// In by (7), which leaves D^-1 (b - S'p) in b, and out by (5).
static void solve(const lb_tree_slopes* T, double* b) {
  const lb_model* m = T->m;
  memset(T->near - 1, 0, (size_t)(m->nlink + 1) * sizeof *T->near);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const lb_link* l = &m->link.packed[i];
    lb_motion p = T->near[i];
    for (int k = 0; k < l->nv && !l->driven; k++) {
      b[l->v + k] -= lb_motion_dot(T->S[l->column + k], T->near[i]);
    }
    apply_inverse(T, l, false, b + l->v);
    for (int k = 0; k < l->nv && !l->driven; k++) {
      add_motion(&p, b[l->v + k], T->U[l->column + k]);
    }
    add_motion(&T->near[l->parent], 1, p);
  }
  T->far[-1] = zero();
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    change z = T->far[l->parent];
    double less[MOST];
    for (int k = 0; k < l->nv; k++) {
      less[k] = dot(T->V[l->column + k], z);
    }
    apply_inverse(T, l, false, less);
    for (int k = 0; k < l->nv; k++) {
      b[l->v + k] = l->driven ? 0 : b[l->v + k] - less[k];
      add_change(&z, b[l->v + k], T->step.out[l->column + k]);
    }
    T->far[i] = z;
  }
}

// The transpose of the same steps, from the last to the first.
static void solve_back(const lb_tree_slopes* T, double* b) {
  const lb_model* m = T->m;
  memset(T->far - 1, 0, (size_t)(m->nlink + 1) * sizeof *T->far);
  for (int i = m->nlink - 1; i >= 0; i--) {
    const lb_link* l = &m->link.packed[i];
    change z = T->far[i];
    for (int k = 0; k < l->nv && !l->driven; k++) {
      b[l->v + k] += dot(T->step.out[l->column + k], T->far[i]);
    }
    apply_inverse(T, l, true, b + l->v);
    for (int k = 0; k < l->nv && !l->driven; k++) {
      add_change(&z, -b[l->v + k], T->V[l->column + k]);
    }
    add_change(&T->far[l->parent], 1, z);
  }
  T->near[-1] = lb_motion_zero();
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    lb_motion p = T->near[l->parent];
    double more[MOST];
    for (int k = 0; k < l->nv; k++) {
      more[k] = lb_motion_dot(T->U[l->column + k], p);
    }
    apply_inverse(T, l, true, more);
    for (int k = 0; k < l->nv; k++) {
      b[l->v + k] = l->driven ? 0 : b[l->v + k] + more[k];
      add_motion(&p, -b[l->v + k], T->S[l->column + k]);
    }
    T->near[i] = p;
  }
}

static double largest(int n, const double* x) {
  double most = 0;
  for (int k = 0; k < n; k++) {
    most = fmax(most, fabs(x[k]));
  }
  return most;
}

static void clear_driven(const lb_model* m, double* x) {
  for (int i = 0; i < m->nlink; i++) {
    if (m->link.packed[i].driven) {
      x[m->link.packed[i].v] = 0;
    }
  }
}

// y -= W x, or W'x, for coordinates that are not held.
static void subtract_product(const lb_tree_slopes* T, bool transposed, double* y, const double* x) {
  if (transposed) {
    multiply_back(T, &T->step, 1, (double* const[]){y}, -1, x);
  } else {
    multiply(T, &T->step, 1, y, -1, (const double* const[]){x});
  }
  clear_driven(T->m, y);
}

// With the factors of W + F in place of those of W, x_1 = x + W^-1 b_0 solved for in each round
// leaves b - W x of b_1 = F (W + F)^-1 b_0: it falls by |F W^-1|, which is rounding times the
// growth of what is eliminated, until it is that of the product W x itself. One round is enough for
// hundreds of links.
bool lb_tree_slopes_solve(lb_tree_slopes* T, bool transposed, double* b) {
  static const double EXACT = 1e-13, ENOUGH = 1e-9;
  const int nv = T->m->nv;
  const size_t size = (size_t)nv * sizeof *b;
  double *x = T->found, *left = T->left, *more = T->more;
  clear_driven(T->m, b);
  memset(x, 0, size);
  memcpy(left, b, size);
  const double all = largest(nv, b);
  double now = all, before;
  do {
    before = now;
    memcpy(more, left, size);
    (transposed ? solve_back : solve)(T, more);
    lb_add(nv, x, 1, more);
    memcpy(left, b, size);
    subtract_product(T, transposed, left, x);
    now = largest(nv, left);
  } while (now > EXACT * all && now < before / 2);
  if (now <= ENOUGH * all) {
    memcpy(b, x, size);
  }
  return now <= ENOUGH * all;
}

void lb_tree_slopes_matrix(lb_tree_slopes* T, double* W) {
  const lb_model* m = T->m;
  const size_t nv = (size_t)m->nv;
  memset(W, 0, nv * nv * sizeof *W);
  memset(T->found, 0, nv * sizeof *T->found);
  for (size_t k = 0; k < nv; k++) {
    T->found[k] = -1;
    subtract_product(T, true, W + k * nv, T->found);
    T->found[k] = 0;
  }
  for (int i = 0; i < m->nlink; i++) {
    for (size_t j = 0; m->link.packed[i].driven && j < nv; j++) {
      W[(size_t)m->link.packed[i].v * nv + j] = j == (size_t)m->link.packed[i].v;
    }
  }
}
