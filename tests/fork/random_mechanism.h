// Random mechanisms with loops of any rank, and their linear static solution in maximal
// coordinates: every body has a twist about the world's origin, every joint is a set of equations.
// Nothing of this comes from the library but its least squares.
#pragma once
#include "fork_world.h"
#include "math/linear/dense.h"
#include "math/space/se3.h"
#include "random_tree.h"

enum {
  MECH_BODIES = 9,
  MECH_JOINTS = 14,
  MECH_UNKNOWNS = 6 * MECH_BODIES,
  MECH_ROWS = 6 * MECH_JOINTS
};

typedef enum mech_kind { MECH_HINGE, MECH_BALL, MECH_SLIDE, MECH_FIXED } mech_kind;

typedef struct mech_joint {
  mech_kind kind;
  int parent, child; // bodies, -1: the world
  lb_transform X;    // frame in the world; hinges turn about its z, slides go along it
  double k;          // 0: no spring
  bool loop;
} mech_joint;

typedef struct mechanism {
  int nbody, njoint; // of the joints the first nbody are the tree's
  lb_transform pose[MECH_BODIES];
  mech_joint joint[MECH_JOINTS];
  int neffector, effector[4];
  double C[24][24];             // exact, along the world's axes about its origin
  double T[MECH_BODIES][6][24]; // twists of bodies
  double W[MECH_BODIES][6][24]; // what the joints of the tree pass on
  bool unique;                  // so are the forces
} mechanism;

// --- making one ---

static inline lb_transform mech_frame(lb_random* r, bool planar) {
  lb_transform X = random_transform(r, 1);
  if (planar) {
    X.q = lb_quat_exp(lb_vec3_make(0, 0, lb_random_between(r, -3, 3)));
    X.p.z = 0;
  }
  return X;
}

static inline mechanism mech_random(lb_random* r) {
  mechanism m = {.nbody = 3 + (int)lb_random_between(r, 0, MECH_BODIES - 3)};
  const bool planar = lb_random_unit(r) < 0.4;
  const double pins = lb_random_unit(r) < 0.5 ? 0.3 : 0; // part of the joints without a spring
  const int loops = (int)lb_random_between(r, 0, planar ? 3.9 : 2.9);
  m.njoint = m.nbody + loops;
  for (int i = 0; i < m.njoint; i++) {
    const double u = lb_random_unit(r), log_k = lb_random_between(r, 1, 4);
    mech_joint* j = &m.joint[i];
    *j = (mech_joint){.loop = i >= m.nbody, .X = mech_frame(r, planar)};
    j->kind = planar ? (u < 0.9 ? MECH_HINGE : MECH_SLIDE)
                     : (u < 0.4   ? MECH_HINGE
                        : u < 0.9 ? MECH_BALL
                                  : MECH_SLIDE);
    if (planar && j->kind == MECH_SLIDE) { // its z in the plane
      j->X.q = lb_quat_mul(j->X.q, lb_quat_exp(lb_vec3_make(M_PI / 2, 0, 0)));
    }
    if (j->loop && !planar) {
      j->kind = u < 0.8 ? MECH_BALL : MECH_HINGE;
    }
    j->k = lb_random_unit(r) < pins ? 0 : pow(10, log_k);
    j->child = j->loop ? (int)lb_random_between(r, 0, m.nbody) : i;
    j->parent = (int)lb_random_between(r, -1, j->loop ? m.nbody : i);
    if (!j->loop) {
      m.pose[i] = mech_frame(r, planar);
      j->parent = i == 0 ? -1 : j->parent;
    } else if (j->parent == j->child) {
      j->parent = -1;
    }
  }
  m.neffector = 1 + (int)lb_random_between(r, 0, m.nbody < 4 ? m.nbody : 4);
  for (int e = 0; e < m.neffector; e++) { // all different, the last bodies first
    m.effector[e] = m.nbody - 1 - e;
  }
  return m;
}

static inline void mech_say_frame(fork_text* t, const char* key, lb_transform X) {
  fork_say(t,
           ", %s: {position: [%.17g, %.17g, %.17g], rotation: {quaternion: [%.17g, %.17g, %.17g, "
           "%.17g]}}",
           key, X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z);
}

static inline fork_text mech_text(const mechanism* m) {
  static const char* const kind[] = {"revolute, axis: z", "spherical", "prismatic, axis: z",
                                     "fixed"};
  fork_text t = {.n = 0};
  fork_say(&t, "gravity: [0, 0, 0]\nbodies:\n");
  for (int i = 0; i < m->nbody; i++) {
    fork_say(&t, "  b%d: {mass: 1, inertia: [0.1, 0.11, 0.12]}\n", i);
  }
  fork_say(&t, "joints:\n");
  for (int i = 0; i < m->njoint; i++) {
    const mech_joint* j = &m->joint[i];
    const lb_transform identity = lb_transform_identity();
    const lb_transform a = j->parent < 0 ? identity : m->pose[j->parent];
    fork_say(&t, "  j%d: {type: %s%s, child: b%d", i, kind[j->kind], j->loop ? ", loop: true" : "",
             j->child);
    if (j->parent >= 0) {
      fork_say(&t, ", parent: b%d", j->parent);
    }
    mech_say_frame(&t, "at", lb_transform_mul(lb_transform_inverse(a), j->X));
    mech_say_frame(&t, "in_child", lb_transform_mul(lb_transform_inverse(m->pose[j->child]), j->X));
    fork_say(&t, j->k > 0 ? ", spring: {stiffness: %.17g}}\n" : "}\n", j->k);
  }
  fork_say(&t, "fork: {m: {effectors: [");
  for (int e = 0; e < m->neffector; e++) {
    fork_say(&t, "%sb%d", e ? ", " : "", m->effector[e]);
  }
  fork_say(&t, "]}}\n");
  return t;
}

// --- its static solution ---

// Directions of a joint about the world's origin: what it leaves free first. Returns how many.
static inline int mech_directions(const mech_joint* j, double D[6][6]) {
  const lb_mat3 R = lb_quat_matrix(j->X.q);
  const lb_vec3 axis[3] = {R.z, R.x, R.y};
  static const int order[][6] = {
      {0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5}, {3, 0, 1, 2, 4, 5}, {0, 1, 2, 3, 4, 5}};
  static const int count[] = {1, 3, 1, 0};
  for (int i = 0; i < 6; i++) { // 0 to 2 turns about the axes through the frame, 3 to 5 slides
    const int d = order[j->kind][i];
    const lb_vec3 e = axis[d % 3];
    const lb_vec3 v = d < 3 ? lb_vec3_cross(j->X.p, e) : e;
    const double column[6] = {d < 3 ? e.x : 0, d < 3 ? e.y : 0, d < 3 ? e.z : 0, v.x, v.y, v.z};
    memcpy(D[i], column, sizeof column);
  }
  return count[j->kind];
}

// Rows that measure the motion of a joint along each direction: the dual basis.
static inline void mech_measures(double D[6][6], double E[6][6]) {
  double A[36];
  int pivot[6];
  memset(E, 0, 36 * sizeof(double));
  for (int i = 0; i < 6; i++) {
    E[i][i] = 1;
    memcpy(A + 6 * i, D[i], sizeof D[i]);
  }
  // A' E = 1 by columns: rows of A^-1
  assert_int_equal(lb_lu(6, A, 6, pivot), LB_OK);
  lb_lu_solve_transposed(6, A, 6, pivot, 6, &E[0][0], 6);
}

typedef struct mech_system {
  int n, rows;
  double A[(MECH_UNKNOWNS + MECH_ROWS) * (MECH_UNKNOWNS + MECH_ROWS)];
  double B[(MECH_UNKNOWNS + MECH_ROWS) * 24];
  int first[MECH_JOINTS];           // row of each joint
  double row[MECH_ROWS][6];         // what it measures of the relative twist
  double spring[MECH_JOINTS][6][6]; // wrench over relative twist
} mech_system;

static inline void mech_add(mech_system* s, int i, int k, double x) {
  s->A[i + k * (s->n + s->rows)] += x;
}

// [K J'; J 0] of twists and multipliers.
static inline void mech_fill(const mechanism* m, mech_system* s) {
  memset(s, 0, sizeof *s);
  s->n = 6 * m->nbody;
  for (int i = 0; i < m->njoint; i++) {
    double D[6][6], E[6][6];
    const int free = mech_directions(&m->joint[i], D);
    mech_measures(D, E);
    s->first[i] = s->rows;
    for (int d = free; d < 6; d++) {
      memcpy(s->row[s->rows++], E[d], sizeof E[d]);
    }
    for (int d = 0; d < free; d++) {
      for (int a = 0; a < 36; a++) {
        s->spring[i][a / 6][a % 6] += m->joint[i].k * E[d][a / 6] * E[d][a % 6];
      }
    }
  }
  for (int i = 0; i < m->njoint; i++) {
    const int body[2] = {m->joint[i].parent, m->joint[i].child};
    const int end = i + 1 < m->njoint ? s->first[i + 1] : s->rows;
    for (int a = 0; a < 2; a++) {
      for (int r = s->first[i]; r < end && body[a] >= 0; r++) {
        for (int c = 0; c < 6; c++) {
          mech_add(s, s->n + r, 6 * body[a] + c, a ? s->row[r][c] : -s->row[r][c]);
          mech_add(s, 6 * body[a] + c, s->n + r, a ? s->row[r][c] : -s->row[r][c]);
        }
      }
      for (int b = 0; b < 2; b++) {
        for (int k = 0; k < 36 && body[a] >= 0 && body[b] >= 0; k++) {
          mech_add(s, 6 * body[a] + k / 6, 6 * body[b] + k % 6,
                   (a == b ? 1 : -1) * s->spring[i][k / 6][k % 6] / 1e3);
        }
      }
    }
  }
}

// Exact C, T and W. Stiffness is counted in kN m/rad, so that it compares with the constraints.
// false: a wrench moves something that nothing holds.
static inline bool mech_solve(mechanism* m) {
  static mech_system s;
  static double A[sizeof s.A / sizeof *s.A];
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  mech_fill(m, &s);
  const int size = s.n + s.rows, columns = 6 * m->neffector;
  memcpy(A, s.A, sizeof A);
  for (int c = 0; c < columns; c++) {
    s.B[6 * m->effector[c / 6] + c % 6 + c * size] = 1e-3;
  }
  static double X[sizeof s.B / sizeof *s.B];
  memcpy(X, s.B, sizeof X);
  int rank = 0;
  assert_int_equal(lb_least_squares(&arena, size, size, A, size, columns, X, size, 1e-10, &rank),
                   LB_OK);
  lb_arena_release(&arena);
  double left = 0;
  for (int c = 0; c < columns; c++) {
    for (int i = 0; i < size; i++) {
      double sum = -s.B[i + c * size];
      for (int k = 0; k < size; k++) {
        sum += s.A[i + k * size] * X[k + c * size];
      }
      left = fmax(left, fabs(sum));
    }
  }
  m->unique = rank == size;
  for (int c = 0; c < columns; c++) {
    for (int i = 0; i < s.n; i++) {
      m->T[i / 6][i % 6][c] = X[i + c * size];
    }
    for (int e = 0; e < columns; e++) {
      m->C[e][c] = X[6 * m->effector[e / 6] + e % 6 + c * size];
    }
    for (int j = 0; j < m->nbody; j++) { // spring and multipliers of the tree's joints
      const int p = m->joint[j].parent, end = s.first[j + 1 < m->njoint ? j + 1 : j];
      for (int a = 0; a < 6; a++) {
        double sum = 0;
        for (int b = 0; b < 6; b++) {
          const double twist = m->T[j][b][c] - (p >= 0 ? m->T[p][b][c] : 0);
          sum += s.spring[j][a][b] * twist;
        }
        for (int r = s.first[j]; r < (j + 1 < m->njoint ? end : s.rows); r++) {
          sum += 1e3 * s.row[r][a] * X[s.n + r + c * size];
        }
        m->W[j][a][c] = sum;
      }
    }
  }
  return left < 1e-11;
}

// --- the document's recursion, repaired ---
//
// Links in topological order, by roots C = F F': each column is what a spring lets move, over the
// root of its stiffness. Chain and split, [fork] eq. 10-12: a new link k on link p has F_k = F_p
// and columns S / sqrt(k) of its own. Merge: a loop is closed by the rows B of its relative twist,
// for all links at once (eq. 13-14 leave the others as they were). With springs in it these are
// columns of F more. C <- C - C B'(B C B')^+ B C subtracts what nearly cancels; F <- F N, where N
// is an orthonormal basis of what B F leaves free, is the same and subtracts nothing. About one
// origin Ad is 1.
enum { MECH_COLUMNS = 3 * MECH_BODIES + 3 * (MECH_JOINTS - MECH_BODIES) };

typedef struct mech_recursion {
  int columns;
  double F[MECH_UNKNOWNS][MECH_COLUMNS];
  double C[MECH_UNKNOWNS][MECH_UNKNOWNS];
} mech_recursion;

static inline void mech_chain(mech_recursion* R, int k, const mech_joint* j) {
  double D[6][6];
  const int free = mech_directions(j, D), p = j->parent;
  for (int a = 0; a < 6; a++) {
    for (int c = 0; c < R->columns; c++) {
      R->F[6 * k + a][c] = p < 0 ? 0 : R->F[6 * p + a][c];
    }
    for (int d = 0; d < free; d++) {
      R->F[6 * k + a][R->columns + d] = D[d][a] / sqrt(j->k);
    }
  }
  R->columns += free;
}

static inline void mech_merge(mech_recursion* R, int n, const mech_joint* j) {
  static double G[6 * MECH_COLUMNS], Q[MECH_COLUMNS * MECH_COLUMNS];
  double D[6][6], E[6][6];
  const int free = mech_directions(j, D), first = j->k > 0 ? 0 : free;
  mech_measures(D, E);
  R->columns += free - first;
  int rows = 0, rank = 0;
  for (int r = first; r < 6; r++) {
    double *row = G + rows * R->columns, length = 0;
    for (int c = 0; c < R->columns; c++) {
      row[c] = r < free && c == R->columns - free + r ? -1 / sqrt(j->k) : 0;
      for (int a = 0; a < 6; a++) {
        row[c] += E[r][a] *
                  (R->F[6 * j->child + a][c] - (j->parent < 0 ? 0 : R->F[6 * j->parent + a][c]));
      }
      length += row[c] * row[c];
    }
    for (int c = 0; c < R->columns && length > 0; c++) {
      row[c] /= sqrt(length);
    }
    rows += length > 1e-24;
  }
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  if (rows > 0) {
    assert_int_equal(lb_range(&arena, R->columns, rows, G, R->columns, 1e-7, Q, &rank), LB_OK);
  }
  lb_arena_release(&arena);
  const int left = R->columns - rank;
  for (int i = 0; i < n && rows > 0; i++) {
    double row[MECH_COLUMNS] = {0};
    for (int c = 0; c < left; c++) {
      row[c] = lb_dot(R->columns, Q + (rank + c) * R->columns, R->F[i]);
    }
    memcpy(R->F[i], row, sizeof row);
  }
  R->columns = rows > 0 ? left : R->columns;
}

static inline bool mech_recurse(const mechanism* m, mech_recursion* R) {
  for (int i = 0; i < m->njoint; i++) {
    if (!m->joint[i].loop && m->joint[i].k == 0) {
      return false; // its compliance is infinite
    }
    if (m->joint[i].loop) {
      mech_merge(R, 6 * m->nbody, &m->joint[i]);
    } else {
      mech_chain(R, i, &m->joint[i]);
    }
  }
  for (int i = 0; i < 36 * m->nbody * m->nbody; i++) {
    const int a = i / (6 * m->nbody), b = i % (6 * m->nbody);
    R->C[a][b] = lb_dot(R->columns, R->F[a], R->F[b]);
  }
  return true;
}
