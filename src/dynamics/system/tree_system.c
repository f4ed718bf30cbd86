// With the directions S of a joint's coordinates, IA the inertia of a link and all that hangs on it
// and p a force on it,
//
//   U = IA S,   D = S'U + diag,   Ia = IA - U D^-1 U'                              factor
//   u = D^-1 (b - S'p),   p_parent += p + U u                                      inwards
//   x = u - D^-1 U'a_parent,   a = a_parent + S x                                  outwards
//
// [Featherstone 2008, ch. 7] without velocities, from the table of joints alone. Factors are made
// about the links' own origins. For solving, S and U are moved to one point of the tree, so that
// forces and accelerations need no shifts on their way.
//
// A free body alone, on which nothing hangs, has a constant matrix in its own axes, which is
// inverted once: D^-1 is all there is of it.
#include "dynamics/system/tree_system.h"

#include <string.h>

#include "dynamics/joint/joint.h"
#include "dynamics/tree/articulated.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"

enum { MOST = LB_JOINT_MOST_V };

struct lb_tree_factor {
  const lb_model* m;
  lb_motion *S, *U;     // [ncolumn]
  double* inverse;      // [nv][MOST] D^-1 of each joint, by rows
  lb_motion* p;         // [nlink] forces, then accelerations
  lb_articulated* felt; // [nlink + 1] articulated inertias
  bool* alone; // [nlink] free bodies of which `inverse` is made, with nothing on the diagonal
};

static bool invert(double* inverse, const double* D, int n);

// D = M of a body in its own axes.
static bool invert_alone(const lb_model* m, const lb_link* l, double* inverse) {
  double D[MOST * MOST] = {0};
  for (int k = 0; k < 3; k++) {
    const lb_v4 turned = lb_m3_apply(l->I0, lb_v4_unit(k)), f = lb_v4_cross(lb_v4_unit(k), l->h);
    for (int j = 0; j < 3; j++) {
      D[k * MOST + j] = turned[j];
      D[k * MOST + 3 + j] = D[(3 + j) * MOST + k] = f[j];
    }
    D[(3 + k) * MOST + 3 + k] = l->m;
  }
  for (int k = 0; k < 6; k++) {
    D[k * MOST + k] += m->dof.armature[l->v + k];
  }
  return invert(inverse, D, 6);
}

static void find_alone(lb_tree_factor* F) {
  const lb_model* m = F->m;
  memset(F->alone, 0, (size_t)m->nlink * sizeof *F->alone);
  for (int t = 0; t < m->link.ntree; t++) {
    const int i = m->link.tree[t];
    const lb_link* l = &m->link.packed[i];
    F->alone[i] = m->link.tree[t + 1] == i + 1 && l->kind == LB_JOINT_FREE && !l->driven &&
                  invert_alone(m, l, F->inverse + (size_t)l->v * MOST);
  }
}

// Whether a body is alone and has nothing more on its diagonal. If it ever has, its constant
// inverse is lost.
static bool stays_alone(lb_tree_factor* F, int i, const double* more) {
  for (int k = 0; k < 6 && F->alone[i]; k++) {
    F->alone[i] = more[F->m->link.v[i] + k] == 0;
  }
  return F->alone[i];
}

lb_tree_factor* lb_tree_factor_create(const lb_model* m, lb_arena* arena) {
  lb_tree_factor* F = LB_TAKE(arena, lb_tree_factor, 1);
  if (!F) {
    return NULL;
  }
  *F = (lb_tree_factor){.m = m,
                        .S = LB_TAKE(arena, lb_motion, m->link.ncolumn),
                        .U = LB_TAKE(arena, lb_motion, m->link.ncolumn),
                        .inverse = LB_TAKE(arena, double, (size_t)m->nv* MOST),
                        .p = LB_TAKE(arena, lb_motion, m->nlink),
                        .felt = LB_TAKE(arena, lb_articulated, m->nlink),
                        .alone = LB_TAKE(arena, bool, m->nlink)};
  if (!F->S || !F->U || !F->inverse || !F->p || !F->felt || !F->alone) {
    return NULL;
  }
  find_alone(F);
  return F;
}

static lb_motion inertia_times(const lb_articulated* I, lb_motion S) {
  return (lb_motion){lb_m3_apply(I->A, S.w) + lb_m3_apply_transposed(I->G, S.v),
                     lb_m3_apply(I->G, S.w) + lb_m3_apply(I->C, S.v)};
}

static double dot(lb_motion a, lb_motion b) {
  return lb_v4_sum(a.w * b.w + a.v * b.v);
}

// D^-1 of a joint with several coordinates, one column of the identity after the other.
static bool invert(double* inverse, const double* D, int n) {
  double L[MOST * MOST], column[MOST];
  memcpy(L, D, sizeof L);
  if (lb_cholesky(n, L, MOST) != LB_OK) {
    return false;
  }
  for (int k = 0; k < n; k++) {
    memset(column, 0, sizeof column);
    column[k] = 1;
    lb_cholesky_solve(n, L, MOST, 1, column, MOST);
    memcpy(inverse + (size_t)k * MOST, column, sizeof column);
  }
  return true;
}

// I - U D^-1 U'
static void project(lb_articulated* I, const lb_motion* U, const double* inverse, int n) {
  for (int k = 0; k < n; k++) {
    lb_motion y = {lb_v4_zero(), lb_v4_zero()};
    for (int l = 0; l < n; l++) {
      const double e = inverse[k * MOST + l];
      y.w += U[l].w * e;
      y.v += U[l].v * e;
    }
    lb_m3_add_outer(&I->A, -1, y.w, U[k].w);
    lb_m3_add_outer(&I->G, -1, y.v, U[k].w);
    lb_m3_add_outer(&I->C, -1, y.v, U[k].v);
  }
}

static bool factor_joint(lb_tree_factor* F, const lb_link* l, const lb_state* s,
                         const double* more) {
  const lb_model* m = F->m;
  lb_articulated* I = &F->felt[l - m->link.packed];
  lb_motion *S = F->S + l->column, *U = F->U + l->column;
  double* inverse = F->inverse + (size_t)l->v * MOST;
  LB_JOINT[l->kind]->columns((lb_v4*)S, s);
  for (int k = 0; k < l->nv; k++) {
    U[k] = inertia_times(I, S[k]);
  }
  if (l->nv == 1) { // nearly always
    const double D = dot(S[0], U[0]) + m->dof.armature[l->v] + more[l->v];
    inverse[0] = 1 / D;
    project(I, U, inverse, 1);
    return D > 0;
  }
  double D[MOST * MOST] = {0};
  for (int k = 0; k < l->nv; k++) {
    for (int j = 0; j < l->nv; j++) {
      D[k * MOST + j] = dot(S[k], U[j]);
    }
    D[k * MOST + k] += m->dof.armature[l->v + k] + more[l->v + k];
  }
  const bool ok = invert(inverse, D, l->nv);
  project(I, U, inverse, ok ? l->nv : 0);
  return ok;
}

// The directions and forces of a link's coordinates at a point `at` behind its origin.
static void move_columns(const lb_tree_factor* F, const lb_link* l, lb_v4 at) {
  for (int k = l->column; k < l->column + l->nv; k++) {
    F->S[k].v += lb_v4_cross(at, F->S[k].w);
    F->U[k].w += lb_v4_cross(at, F->U[k].v);
  }
}

// Inertia of a link and of nothing that hangs on it yet.
static void begin_link(const lb_tree_factor* F, lb_work* w, int i) {
  const lb_link* l = &F->m->link.packed[i];
  lb_link_weigh(F->m, w, i);
  const lb_v4 h = w->state[i].h;
  F->felt[i] =
      (lb_articulated){.A = w->state[i].IA.A,
                       .G = {{0, -h[2], h[1], 0}, {h[2], 0, -h[0], 0}, {-h[1], h[0], 0, 0}}, // -[h]
                       .C = {{l->m, 0, 0, 0}, {0, l->m, 0, 0}, {0, 0, l->m, 0}}};
}

bool lb_tree_factor_make_links(lb_tree_factor* F, const lb_data* d, int first, int last,
                               const double* more) {
  const lb_model* m = F->m;
  lb_work* w = d->work;
  for (int i = first; i < last; i++) {
    if (!stays_alone(F, i, more)) {
      begin_link(F, w, i);
    }
  }
  for (int i = last - 1; i >= first; i--) {
    const lb_link* l = &m->link.packed[i];
    const lb_state* s = &w->state[i];
    if (F->alone[i]) {
      continue;
    }
    if (!l->driven && !factor_joint(F, l, s, more)) {
      return false;
    }
    if (l->parent != LB_WORLD) {
      lb_articulated_shift_add(&F->felt[l->parent], &F->felt[i], s->r);
    }
  }
  for (int i = first, root = first; i < last; i++) {
    root = m->link.parent[i] == LB_WORLD ? i : root;
    if (!F->alone[i]) {
      move_columns(F, &m->link.packed[i], w->state[i].p - w->state[root].p);
    }
  }
  return true;
}

bool lb_tree_factor_make(lb_tree_factor* F, lb_data* d, const double* more) {
  return lb_tree_factor_make_links(F, d, 0, F->m->nlink, more);
}

// --- solving; most joints have one coordinate ---

// u = D^-1 x of a joint
static void apply_inverse(double* u, const double* inverse, const double* x, int n) {
  for (int k = 0; k < n; k++) {
    u[k] = 0;
    for (int j = 0; j < n; j++) {
      u[k] += inverse[k * MOST + j] * x[j];
    }
  }
}

static lb_motion push(const lb_tree_factor* F, const lb_link* l, lb_motion p, double* b) {
  const lb_motion *S = F->S + l->column, *U = F->U + l->column;
  const double* inverse = F->inverse + (size_t)l->v * MOST;
  if (l->nv == 1) {
    *b = *inverse * (*b - dot(*S, p));
    return (lb_motion){p.w + U->w * *b, p.v + U->v * *b};
  }
  double x[MOST];
  for (int k = 0; k < l->nv; k++) {
    x[k] = b[k] - dot(S[k], p);
  }
  apply_inverse(b, inverse, x, l->nv);
  for (int k = 0; k < l->nv; k++) {
    p.w += U[k].w * b[k];
    p.v += U[k].v * b[k];
  }
  return p;
}

static void push_alone(const lb_tree_factor* F, const lb_link* l, double* b) {
  double x[MOST];
  memcpy(x, b, sizeof x);
  apply_inverse(b, F->inverse + (size_t)l->v * MOST, x, MOST);
}

static lb_motion accelerate(const lb_tree_factor* F, const lb_link* l, lb_motion a, double* b) {
  const lb_motion *S = F->S + l->column, *U = F->U + l->column;
  const double* inverse = F->inverse + (size_t)l->v * MOST;
  if (l->nv == 1) {
    *b -= *inverse * dot(*U, a);
    return (lb_motion){a.w + S->w * *b, a.v + S->v * *b};
  }
  double x[MOST], less[MOST];
  for (int k = 0; k < l->nv; k++) {
    x[k] = dot(U[k], a);
  }
  apply_inverse(less, inverse, x, l->nv);
  for (int k = 0; k < l->nv; k++) {
    b[k] -= less[k];
    a.w += S[k].w * b[k];
    a.v += S[k].v * b[k];
  }
  return a;
}

// Links whose parent comes right before them hand over without a detour through memory, which
// would take as long as the rest.
void lb_tree_factor_solve_links(const lb_tree_factor* F, int first, int last, double* b) {
  const lb_model* m = F->m;
  const lb_motion zero = {lb_v4_zero(), lb_v4_zero()};
  memset(F->p + first, 0, (size_t)(last - first) * sizeof *F->p);
  lb_motion next = zero;
  for (int i = last - 1; i >= first; i--) {
    const lb_link* l = &m->link.packed[i];
    const lb_motion own = {F->p[i].w + next.w, F->p[i].v + next.v};
    if (F->alone[i]) {
      push_alone(F, l, b + l->v);
      next = zero;
      continue;
    }
    const lb_motion p = l->driven ? own : push(F, l, own, b + l->v);
    next = zero;
    if (l->parent != LB_WORLD && l->parent == i - 1) {
      next = p;
    } else if (l->parent != LB_WORLD) {
      F->p[l->parent].w += p.w;
      F->p[l->parent].v += p.v;
    }
  }
  lb_motion before = zero;
  for (int i = first; i < last; i++) {
    const lb_link* l = &m->link.packed[i];
    if (F->alone[i]) {
      continue;
    }
    const lb_motion a = l->parent == LB_WORLD ? zero
                        : l->parent == i - 1  ? before
                                              : F->p[l->parent];
    if (l->driven) { // its one coordinate stays
      b[l->v] = 0;
    }
    before = F->p[i] = l->driven ? a : accelerate(F, l, a, b + l->v);
  }
}

void lb_tree_factor_solve(const lb_tree_factor* F, double* b) {
  lb_tree_factor_solve_links(F, 0, F->m->nlink, b);
}
