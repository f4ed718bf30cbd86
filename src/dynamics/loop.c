// Loop closure. A loop joint joins frame a on one link to frame b on another and forbids some of
// their relative motion, each direction being a row:
//
//   translation along axis e of a:  c = e.(p_b - p_a)           (1)
//   rotation about axis e of a:     c = e.(rotation vector from a to b)   (2)
//   axes of a universal joint:      c = z_a.x_b
//
// Rows are forces: the row's multiplier pushes b along e (or turns it about e) and a the other way,
// at the same point. With A = J Minv J' and the accelerations qdd0 of the open tree,
//
//   A lambda = -cdd(qdd0),   force = J' lambda                    (3)
//
// Rows may be redundant (a planar four-bar closed by a hinge has three too many): A is then
// singular but (3) has solutions, and a Cholesky factorisation with pivoting picks one by leaving
// out rows that say nothing new. Gaps that steps leave are closed by Newton's method on c in the
// metric of M, so there is no drift and no penalty.
#include "dynamics/loop.h"

#include <cblas.h>
#undef I // complex.h comes along
#include <math.h>
#include <string.h>

#include "dynamics/force.h"
#include "dynamics/kinematics.h"
#include "elastic/reduced.h"
#include "math/dense.h"
#include "math/semidefinite.h"
#include "model/pose.h"

// Directions that each kind forbids: x, y, z of translation, then of rotation, z along the joint's
// axis.
static const bool FORBIDDEN[LB_JOINT_COUNT][6] = {
    [LB_JOINT_FIXED] = {true, true, true, true, true, true},
    [LB_JOINT_REVOLUTE] = {true, true, true, true, true, false},
    [LB_JOINT_PRISMATIC] = {true, true, false, true, true, true},
    [LB_JOINT_UNIVERSAL] = {true, true, true, false, false, false}, // and its axes stay square
    [LB_JOINT_SPHERICAL] = {true, true, true, false, false, false},
};

// Relative to the largest pivot; below it a row repeats others.
static const double REDUNDANT = 1e-11;

enum { MOST_ROWS = 6, NEWTON_STEPS = 30 };

// A frame on a link.
typedef struct frame {
  int link; // or LB_WORLD
  lb_m3 R;
  lb_v4 p;
} frame;

typedef struct row {
  frame const *a, *b;
  bool turns;  // a rotation
  bool driven; // by a motor
  lb_gap_kind kind;
  lb_v4 e;  // direction, world
  lb_v4 at; // where the force acts, world
  double c, cd, cdd;
} row;

struct lb_loops {
  int nrow;     // at most MOST_ROWS * nloop
  frame* frame; // [2 * nloop]
  row* row;     // [nrow]
  double* M;    // [ndense][ndense], then its Cholesky factor
  double* Jt;   // [nrow][nv], a row of J each, then Linv J'
  double* A;    // [nrow][nrow]
  double* x;    // [nrow] right-hand side, then multipliers
  double* dq;   // [nv]
  double* work; // [2 * nrow] for LAPACK
  int* pivot;   // [nrow]
};

static frame make_frame(const lb_model* m, int body, int face, lb_transform in_body) {
  const lb_anchor at = lb_model_anchor(m, body, face, in_body);
  return (frame){at.link, lb_m3_from(lb_quat_matrix(at.X.q)), lb_v4_from(at.X.p)};
}

lb_loops* lb_loops_lay_out(lb_carver* c, const lb_model* m) {
  if (m->nloop == 0) {
    return NULL;
  }
  const size_t nv = (size_t)m->nv;
  const size_t n = MOST_ROWS * (size_t)m->nloop;
  lb_loops* L = lb_carve(c, 1, sizeof *L);
  lb_loops loops = {0};
  loops.frame = lb_carve(c, 2 * (size_t)m->nloop, sizeof *loops.frame);
  loops.row = lb_carve(c, n, sizeof *loops.row);
  loops.M = lb_carve(c, (size_t)m->ndense * (size_t)m->ndense, sizeof(double));
  loops.Jt = lb_carve(c, n * nv, sizeof(double));
  loops.A = lb_carve(c, n * n, sizeof(double));
  loops.x = lb_carve(c, n, sizeof(double));
  loops.dq = lb_carve(c, nv, sizeof(double));
  loops.work = lb_carve(c, 2 * n, sizeof(double));
  loops.pivot = lb_carve(c, n, sizeof(int));
  if (!L) {
    return NULL;
  }
  *L = loops;
  for (int i = 0; i < m->nloop; i++) {
    const lb_scene_joint* j = &m->loop[i];
    const lb_transform turn = lb_joint_turn(j);
    L->frame[2 * i] = make_frame(m, j->parent, j->face, lb_transform_mul(j->in_parent, turn));
    L->frame[2 * i + 1] =
        make_frame(m, j->child, j->child_face, lb_transform_mul(j->in_child, turn));
  }
  return L;
}

// --- geometry ---

// Pose, velocity and acceleration of a frame, in the world.
typedef struct motion {
  lb_m3 R;
  lb_v4 p, v, a, w, al;
} motion;

static motion frame_motion(const lb_work* work, const frame* f) {
  const lb_state* s = &work->state[f->link];
  const lb_v4 arm = lb_m3_apply(s->R, f->p);
  const lb_v4 spin = lb_v4_cross(s->w, arm);
  return (motion){.R = lb_m3_mul(s->R, f->R),
                  .p = s->p + arm,
                  .v = s->v + spin,
                  .a = s->a + lb_v4_cross(s->al, arm) + lb_v4_cross(s->w, spin),
                  .w = s->w,
                  .al = s->al};
}

// Rotation vector from frame a to b, in the world. When only the axes must agree (turns about z are
// free), the rotation that takes one axis to the other.
static lb_v4 rotation_between(const motion* a, const motion* b, bool axes_only) {
  if (axes_only) {
    const lb_v4 t = lb_v4_cross(a->R.z, b->R.z);
    const double sine = sqrt(lb_v4_dot(t, t));
    const double angle = atan2(sine, lb_v4_dot(a->R.z, b->R.z));
    return sine > 0 ? t * (angle / sine) : a->R.x * angle;
  }
  const lb_m3 Rt = lb_m3_transpose(a->R);
  const lb_vec3 v = lb_quat_log(lb_quat_from_matrix(lb_m3_mat3(lb_m3_mul(Rt, b->R))));
  return lb_m3_apply(a->R, lb_v4_from(v));
}

// Angle from a to b about a's z axis.
static double hinge_angle(const motion* a, const motion* b) {
  return atan2(lb_v4_dot(b->R.x, a->R.y), lb_v4_dot(b->R.x, a->R.x));
}

// Angles of a universal joint: x of b about z of a, then z of b about its x.
static void cross_angles(const motion* a, const motion* b, double angle[2]) {
  angle[0] = hinge_angle(a, b);
  angle[1] = atan2(lb_v4_dot(lb_v4_cross(a->R.z, b->R.z), b->R.x), lb_v4_dot(a->R.z, b->R.z));
}

// The axes of a universal joint stay at right angles. With c = z_a.x_b,
//   cd = (w_b - w_a).e,  e = x_b x z_a,   cdd = (al_b - al_a).e + (w_b - w_a).ed
static row square_row(const frame* fa, const frame* fb, const motion* a, const motion* b) {
  const lb_v4 e = lb_v4_cross(b->R.x, a->R.z);
  const lb_v4 ed = lb_v4_cross(lb_v4_cross(b->w, b->R.x), a->R.z) +
                   lb_v4_cross(b->R.x, lb_v4_cross(a->w, a->R.z));
  const lb_v4 wr = b->w - a->w;
  return (row){.a = fa,
               .b = fb,
               .turns = true,
               .kind = LB_GAP_SQUARE,
               .e = e,
               .at = b->p,
               .c = lb_v4_dot(a->R.z, b->R.x),
               .cd = lb_v4_dot(wr, e),
               .cdd = lb_v4_dot(b->al - a->al, e) + lb_v4_dot(wr, ed)};
}

// The rows of one loop, with their values, rates and accelerations. Components in the turning frame
// a:
//   d/dt (R'x) = R'(xd - w x x)
static void add_rows(lb_loops* L, const lb_work* work, int i, lb_joint_kind kind,
                     const double* driven) {
  const frame* fa = &L->frame[2 * i];
  const frame* fb = &L->frame[2 * i + 1];
  const motion a = frame_motion(work, fa);
  const motion b = frame_motion(work, fb);
  const lb_v4 d = b.p - a.p;
  const lb_v4 dd = b.v - a.v;
  const lb_v4 wr = b.w - a.w;
  const lb_v4 value[2] = {d, rotation_between(&a, &b, !FORBIDDEN[kind][5])};
  const lb_v4 rate[2] = {dd - lb_v4_cross(a.w, d), wr};
  const lb_v4 acceleration[2] = {b.a - a.a - lb_v4_cross(a.al, d) -
                                     lb_v4_cross(a.w, 2 * dd - lb_v4_cross(a.w, d)),
                                 b.al - a.al - lb_v4_cross(a.w, wr)};
  const lb_v4 axis[3] = {a.R.x, a.R.y, a.R.z};
  if (driven) { // along or about the axis, less what the motor asks for
    const bool turns = kind == LB_JOINT_REVOLUTE;
    const lb_v4 e = axis[2];
    const double at =
        turns ? remainder(hinge_angle(&a, &b) - driven[0], 2 * M_PI) : lb_v4_dot(e, d) - driven[0];
    L->row[L->nrow++] = (row){.a = fa,
                              .b = fb,
                              .turns = turns,
                              .driven = true,
                              .kind = turns ? LB_GAP_ANGLE : LB_GAP_SHIFT,
                              .e = e,
                              .at = b.p,
                              .c = at,
                              .cd = lb_v4_dot(e, rate[turns]) - driven[1],
                              .cdd = lb_v4_dot(e, acceleration[turns]) - driven[2]};
  }
  for (int k = 0; k < 6; k++) {
    if (FORBIDDEN[kind][k]) {
      const lb_v4 e = axis[k % 3];
      L->row[L->nrow++] = (row){.a = fa,
                                .b = fb,
                                .turns = k >= 3,
                                .kind = k < 3                ? LB_GAP_SHIFT
                                        : FORBIDDEN[kind][5] ? LB_GAP_TURN
                                                             : LB_GAP_TILT,
                                .e = e,
                                .at = b.p,
                                .c = lb_v4_dot(e, value[k / 3]),
                                .cd = lb_v4_dot(e, rate[k / 3]),
                                .cdd = lb_v4_dot(e, acceleration[k / 3])};
    }
  }
  if (kind == LB_JOINT_UNIVERSAL) {
    L->row[L->nrow++] = square_row(fa, fb, &a, &b);
  }
}

static void fill_rows(const lb_model* m, lb_data* d) {
  lb_loops* L = d->work->loops;
  lb_move_origins(m, d->work, d->qd);
  L->nrow = 0;
  for (int i = 0; i < m->nloop; i++) {
    double value[3];
    if (m->loop_motor[i] >= 0) {
      lb_profile_evaluate(m->motor_profile[m->loop_motor[i]], d->time, value);
    }
    add_rows(L, d->work, i, m->loop[i].kind, m->loop_motor[i] >= 0 ? value : NULL);
  }
}

// --- algebra ---

// Add sign * (what the row does to the coordinates that carry a link) to one row of J. The
// directions S are those that lb_crba left, at the links' origins.
static void add_link(const lb_model* m, const lb_work* w, double* J, const row* r, int link,
                     double sign) {
  for (int i = link; i != LB_WORLD; i = m->link_parent[i]) {
    const lb_link* l = &m->link[i];
    const lb_v4 f = r->turns ? lb_v4_zero() : r->e;
    const lb_v4 n = r->turns ? r->e : lb_v4_cross(r->at - w->state[i].p, r->e);
    if (!l->driven) {
      for (int k = 0; k < l->nv; k++) {
        const lb_v4* S = w->S + 2 * (l->column + k);
        J[l->v + k] += sign * lb_v4_sum(S[0] * n + S[1] * f);
      }
    }
  }
}

// Coordinates under a motor do not give way: an identity row in M.
static void hold_driven(const lb_model* m, double* M) {
  for (int i = 0; i < m->nlink; i++) {
    if (m->link_driven[i]) {
      const int k = m->link_v[i];
      for (int j = 0; j < m->ndense; j++) {
        M[k * m->ndense + j] = M[j * m->ndense + k] = j == k;
      }
    }
  }
}

// Rows of J from the rows' directions and the directions of the coordinates.
static void fill_jacobian(const lb_model* m, lb_data* d) {
  lb_loops* L = d->work->loops;
  const int nv = m->nv;
  memset(L->Jt, 0, (size_t)L->nrow * (size_t)nv * sizeof *L->Jt);
  for (int i = 0; i < L->nrow; i++) {
    add_link(m, d->work, L->Jt + i * nv, &L->row[i], L->row[i].b->link, 1);
    add_link(m, d->work, L->Jt + i * nv, &L->row[i], L->row[i].a->link, -1);
  }
}

// M = L L', Jt = Linv J', A = J Minv J'; false when M cannot be factored. Nodes of elastic bodies
// stay where they are.
static bool factor(const lb_model* m, lb_data* d) {
  lb_loops* L = d->work->loops;
  const int nd = m->ndense;
  lb_crba(m, d, L->M, d->q);
  hold_driven(m, L->M);
  fill_jacobian(m, d);
  if (lb_cholesky(nd, L->M, nd) != LB_OK) {
    return false;
  }
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, nd, L->nrow, 1,
              L->M, nd, L->Jt, m->nv);
  cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, L->nrow, nd, 1, L->Jt, m->nv, 0, L->A,
              L->nrow);
  return true;
}

// Multipliers from the right-hand side in x.
static void solve_multipliers(lb_loops* L) {
  const int n = L->nrow;
  const int rank = lb_semidefinite_factor(n, L->A, n, REDUNDANT, L->work, L->pivot);
  lb_semidefinite_solve(n, L->A, n, rank, L->x, L->work, L->pivot);
}

// dq = Minv J' x
static void spread_multipliers(const lb_model* m, lb_loops* L) {
  const int nd = m->ndense; // the others stay zero
  cblas_dgemv(CblasColMajor, CblasNoTrans, nd, L->nrow, 1, L->Jt, m->nv, L->x, 1, 0, L->dq, 1);
  cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, nd, L->M, nd, L->dq, 1);
}

// --- what callers use ---

static void push_link(lb_work* w, int link, lb_v4 at, lb_v4 n, lb_v4 f) {
  if (link != LB_WORLD) {
    lb_state* s = &w->state[link];
    s->xf += f;
    s->xn += n + lb_v4_cross(at - s->p, f);
  }
}

// The multiplier of a motor's row is what the motor exerts; it is the first row of its loop.
static void read_loop_motors(const lb_model* m, lb_data* d) {
  const lb_loops* L = d->work->loops;
  for (int i = 0; i < m->nmotor; i++) {
    for (int k = 0; m->motor_loop[i] >= 0 && k < L->nrow; k++) {
      if (m->motor_drive[i] == LB_DRIVE_POSITION &&
          L->row[k].a == &L->frame[2 * m->motor_loop[i]]) {
        d->motor_force[i] = L->x[k];
        break;
      }
    }
  }
}

// The multipliers in x as forces on the links.
static void push_multipliers(const lb_model* m, lb_data* d) {
  lb_loops* L = d->work->loops;
  read_loop_motors(m, d);
  for (int i = 0; i < L->nrow; i++) {
    const row* r = &L->row[i];
    const lb_v4 push = r->e * L->x[i];
    const lb_v4 f = r->turns ? lb_v4_zero() : push;
    const lb_v4 n = r->turns ? push : lb_v4_zero();
    push_link(d->work, r->b->link, r->at, n, f);
    push_link(d->work, r->a->link, r->at, -n, -f);
  }
}

void lb_loops_apply(const lb_model* m, lb_data* d) {
  lb_loops* L = d->work->loops;
  fill_rows(m, d);
  if (!factor(m, d)) {
    return;
  }
  for (int i = 0; i < L->nrow; i++) {
    L->x[i] = -L->row[i].cdd;
  }
  solve_multipliers(L);
  push_multipliers(m, d);
}

void lb_loops_push(const lb_model* m, lb_data* d, const double* lambda) {
  lb_loops* L = d->work->loops;
  fill_rows(m, d);
  memcpy(L->x, lambda, (size_t)L->nrow * sizeof *L->x);
  push_multipliers(m, d);
}

int lb_loops_count(const lb_data* d) {
  return d->work->loops ? d->work->loops->nrow : 0;
}

lb_loop_row lb_loops_row(const lb_model* m, const lb_data* d, int i) {
  const lb_loops* L = d->work->loops;
  const row* r = &L->row[i];
  const int loop = (int)(r->a - L->frame) / 2;
  return (lb_loop_row){loop, r->driven ? m->loop_motor[loop] : -1, r->kind, r->e};
}

lb_loop_end lb_loops_end(const lb_data* d, int loop, int side) {
  const frame* f = &d->work->loops->frame[2 * loop + side];
  const motion at = frame_motion(d->work, f);
  return (lb_loop_end){f->link, at.R, at.p, at.v, at.w};
}

// --- springs, dampers and pushing motors on loops ---

static int loop_count(const lb_model* m) {
  return m->nloop;
}

// A ball's spring pulls along the rotation vector, the others' along their coordinates.
lb_motion lb_loops_spring(const lb_model* m, const lb_data* d, int i) {
  const lb_loops* L = d->work->loops;
  const lb_scene_joint* j = &m->loop[i];
  const frame *fa = &L->frame[2 * i], *fb = &L->frame[2 * i + 1];
  const motion a = frame_motion(d->work, fa);
  const motion b = frame_motion(d->work, fb);
  lb_v4 n = lb_v4_zero(), f = lb_v4_zero();
  if (j->kind == LB_JOINT_SPHERICAL) {
    n = -(rotation_between(&a, &b, false) * j->stiffness + (b.w - a.w) * j->damping);
  } else if (j->kind == LB_JOINT_UNIVERSAL) {
    double angle[2];
    cross_angles(&a, &b, angle);
    const lb_v4 axis[2] = {a.R.z, b.R.x};
    for (int k = 0; k < 2; k++) {
      n -= axis[k] * (j->stiffness * angle[k] + j->damping * lb_v4_dot(axis[k], b.w - a.w));
    }
  } else if (j->kind == LB_JOINT_REVOLUTE) {
    const double angle = remainder(hinge_angle(&a, &b) - j->rest, 2 * M_PI);
    n = a.R.z * -(j->stiffness * angle + j->damping * lb_v4_dot(a.R.z, b.w - a.w));
  } else if (j->kind == LB_JOINT_PRISMATIC) {
    const lb_v4 apart = b.p - a.p;
    const double rate = lb_v4_dot(a.R.z, b.v - a.v - lb_v4_cross(a.w, apart));
    f = a.R.z * -(j->stiffness * (lb_v4_dot(a.R.z, apart) - j->rest) + j->damping * rate);
  }
  return (lb_motion){n, f};
}

lb_motion lb_loops_motor(const lb_model* m, const lb_data* d, int i) {
  const motion a = frame_motion(d->work, &d->work->loops->frame[2 * m->motor_loop[i]]);
  const bool turns = m->loop[m->motor_loop[i]].kind == LB_JOINT_REVOLUTE;
  return (lb_motion){turns ? a.R.z : lb_v4_zero(), turns ? lb_v4_zero() : a.R.z};
}

// A force at b's origin on b's link, and its opposite on a's.
static void push_pair(lb_data* d, int loop, lb_motion F) {
  const lb_loop_end a = lb_loops_end(d, loop, 0), b = lb_loops_end(d, loop, 1);
  push_link(d->work, b.link, b.p, F.w, F.v);
  push_link(d->work, a.link, b.p, -F.w, -F.v);
}

void lb_loops_push_motor(const lb_model* m, lb_data* d, int i, double force) {
  const lb_motion unit = lb_loops_motor(m, d, i);
  push_pair(d, m->motor_loop[i], (lb_motion){unit.w * force, unit.v * force});
}

lb_motion lb_loops_through(const lb_model* m, const lb_data* d, int i) {
  const lb_loops* L = d->work->loops;
  lb_motion F = lb_loops_spring(m, d, i);
  for (int k = 0; k < L->nrow; k++) {
    const row* r = &L->row[k];
    if (r->a == &L->frame[2 * i]) {
      *(r->turns ? &F.w : &F.v) += r->e * L->x[k];
    }
  }
  for (int k = 0; k < m->nmotor; k++) {
    if (m->motor_loop[k] == i && m->motor_drive[k] == LB_DRIVE_FORCE) {
      const lb_motion unit = lb_loops_motor(m, d, k);
      F.w += unit.w * d->motor_force[k];
      F.v += unit.v * d->motor_force[k];
    }
  }
  return F;
}

static void loop_apply(const lb_model* m, lb_data* d) {
  lb_move_origins(m, d->work, d->qd);
  for (int i = 0; i < m->nloop; i++) {
    if (m->loop[i].stiffness > 0 || m->loop[i].damping > 0) {
      push_pair(d, i, lb_loops_spring(m, d, i));
    }
  }
  for (int i = 0; i < m->nmotor; i++) {
    if (m->motor_loop[i] >= 0 && m->motor_drive[i] == LB_DRIVE_FORCE) {
      double value[3];
      lb_profile_evaluate(m->motor_profile[i], d->time, value);
      d->motor_force[i] = value[0];
      lb_loops_push_motor(m, d, i, value[0]);
    }
  }
}

static double loop_energy(const lb_model* m, lb_data* d) {
  double sum = 0;
  for (int i = 0; i < m->nloop; i++) {
    const lb_scene_joint* j = &m->loop[i];
    const motion a = frame_motion(d->work, &d->work->loops->frame[2 * i]);
    const motion b = frame_motion(d->work, &d->work->loops->frame[2 * i + 1]);
    double x = 0;
    if (j->kind == LB_JOINT_SPHERICAL) {
      const lb_v4 v = rotation_between(&a, &b, false);
      x = sqrt(lb_v4_dot(v, v));
    } else if (j->kind == LB_JOINT_UNIVERSAL) {
      double angle[2];
      cross_angles(&a, &b, angle);
      x = hypot(angle[0], angle[1]);
    } else if (j->kind == LB_JOINT_REVOLUTE) {
      x = remainder(hinge_angle(&a, &b) - j->rest, 2 * M_PI);
    } else if (j->kind == LB_JOINT_PRISMATIC) {
      x = lb_v4_dot(a.R.z, b.p - a.p) - j->rest;
    }
    sum += 0.5 * j->stiffness * x * x;
  }
  return sum;
}

const lb_force lb_force_loop = {
    "loop joint", loop_count, loop_apply, loop_energy, lb_loops_differentiate_springs, true};

double lb_loop_gap(const lb_model* m, lb_data* d, int* loop) {
  lb_loops* L = d->work->loops;
  double worst = 0;
  if (!L) {
    return 0;
  }
  lb_kinematics(m, d, d->q, d->qd);
  fill_rows(m, d);
  for (int i = 0; i < L->nrow; i++) {
    const double gap = fabs(L->row[i].c);
    if (!(gap <= worst)) {
      worst = gap;
      if (loop) {
        *loop = (int)(L->row[i].a - L->frame) / 2;
      }
    }
  }
  return worst;
}

// One Newton step on the positions.
static void close_once(const lb_model* m, lb_data* d) {
  lb_loops* L = d->work->loops;
  if (!factor(m, d)) {
    return;
  }
  for (int i = 0; i < L->nrow; i++) {
    L->x[i] = -L->row[i].c;
  }
  solve_multipliers(L);
  spread_multipliers(m, L);
  lb_advance(m, d->q, L->dq, 1);
}

static void close_velocities(const lb_model* m, lb_data* d) {
  lb_loops* L = d->work->loops;
  lb_kinematics(m, d, d->q, d->qd);
  fill_rows(m, d);
  if (!factor(m, d)) {
    return;
  }
  for (int i = 0; i < L->nrow; i++) {
    L->x[i] = -L->row[i].cd;
  }
  solve_multipliers(L);
  spread_multipliers(m, L);
  for (int k = 0; k < m->nv; k++) {
    d->qd[k] += L->dq[k];
  }
}

void lb_loops_close(const lb_model* m, lb_data* d) {
  if (!d->work->loops) {
    return;
  }
  double before = INFINITY;
  for (int i = 0; i < NEWTON_STEPS; i++) {
    const double gap = lb_loop_gap(m, d, NULL);
    // stop at rounding: small, and no longer falling fast
    if (gap < 1e-14 || (gap < 1e-9 && gap > 0.1 * before)) {
      break;
    }
    before = gap;
    close_once(m, d);
  }
  close_velocities(m, d);
}

lb_loop_rows lb_loops_linearise(const lb_model* m, lb_data* d) {
  lb_loops* L = d->work->loops;
  if (!L) {
    return (lb_loop_rows){0};
  }
  fill_rows(m, d);
  lb_fill_columns(m, d->work);
  fill_jacobian(m, d);
  for (int i = 0; i < L->nrow; i++) {
    L->x[i] = L->row[i].c;
    L->work[i] = L->row[i].cd;
  }
  return (lb_loop_rows){L->nrow, L->x, L->work, L->Jt};
}

int lb_loops_most_rows(const lb_model* m) {
  return MOST_ROWS * m->nloop;
}
