// With a quaternion r and a rotation vector t in the link's frame, a turn is dr = L t with
// L t = r (0, t) / 2, and t = 4 L'dr / r.r. A free body's place changes by R s, s in the link's
// frame. The maps are a matrix for each joint with a quaternion, and multiples of the identity for
// coordinates that are numbers.
#include "solve/explicit/explicit_changes.h"

#include <string.h>

#include "dynamics/joint/joint.h"
#include "math/linear/dense.h"
#include "math/space/mat3.h"
#include "math/space/se3.h"
#include "model/use/link.h"

enum { MOST = 7 }; // coordinates of a joint with a quaternion

// A and B of a joint.
typedef struct blocks {
  double A[MOST][MOST], B[MOST][MOST];
} blocks;

static lb_vec3 load3(const double* x) {
  return lb_vec3_make(x[0], x[1], x[2]);
}

static void put3(double M[MOST][MOST], int row, int column, lb_mat3 R) {
  const lb_vec3 by[3] = {R.x, R.y, R.z};
  for (int k = 0; k < 3; k++) {
    M[row][column + k] = by[k].x;
    M[row + 1][column + k] = by[k].y;
    M[row + 2][column + k] = by[k].z;
  }
}

static lb_mat3 scale(double s, lb_mat3 R) {
  return (lb_mat3){lb_vec3_scale(s, R.x), lb_vec3_scale(s, R.y), lb_vec3_scale(s, R.z)};
}

static lb_quat load4(const double* q) {
  return (lb_quat){q[0], q[1], q[2], q[3]};
}

static void put4(double M[MOST][MOST], int row, int column, lb_quat x) {
  M[row][column] = 0.5 * x.w;
  M[row + 1][column] = 0.5 * x.x;
  M[row + 2][column] = 0.5 * x.y;
  M[row + 3][column] = 0.5 * x.z;
}

// A joint's coordinates begin with a free body's place, of which `turn` is the size, its velocities
// with the turn.
typedef struct joint {
  const double *q, *v;
  int turn;
  double h;
} joint;

static void lift(double M[MOST][MOST], const joint* j) {
  const lb_quat r = load4(j->q + j->turn);
  for (int k = 0; k < 3; k++) {
    put4(M, j->turn, k, lb_quat_mul(r, (lb_quat){0, k == 0, k == 1, k == 2}));
  }
  if (j->turn > 0) {
    put3(M, 0, 3, lb_quat_matrix(r));
  }
}

static void project(double M[MOST][MOST], const joint* j) {
  double L[MOST][MOST] = {{0}};
  lift(L, j);
  const double square = lb_dot(4, j->q + j->turn, j->q + j->turn);
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < MOST; k++) {
      M[i][k] = i < 3 ? 4 / square * L[k][i] : L[k][i];
    }
  }
}

static void make_lift(blocks* b, const joint* j) {
  lift(b->A, j);
}

static void make_project(blocks* b, const joint* j) {
  project(b->A, j);
}

// d(r (0, w) / 2) and, of a free body, d(R v) = R (t x v + dv).
static void make_rate(blocks* b, const joint* j) {
  const lb_quat w = {0, j->v[0], j->v[1], j->v[2]};
  lift(b->B, j);
  for (int k = 0; k < 4; k++) {
    put4(b->A, j->turn, j->turn + k, lb_quat_mul((lb_quat){k == 0, k == 1, k == 2, k == 3}, w));
  }
  if (j->turn > 0) {
    double T[MOST][MOST] = {{0}};
    project(T, j);
    const lb_mat3 R = lb_quat_matrix(load4(j->q + 3));
    for (int k = 3; k < MOST; k++) {
      const lb_vec3 t = lb_vec3_make(T[0][k], T[1][k], T[2][k]);
      const lb_vec3 place = lb_mat3_apply(R, lb_vec3_cross(t, load3(j->v + 3)));
      b->A[0][k] = place.x;
      b->A[1][k] = place.y;
      b->A[2][k] = place.z;
    }
  }
}

// r exp(h w): seen from its end a turn before it is turned back by the step, and a change of w
// turns by h Jr(h w) dw. The place goes along R v, R before the step.
static void make_advance(blocks* b, const joint* j) {
  const lb_vec3 step = lb_vec3_scale(j->h, load3(j->v));
  const lb_mat3 back = lb_mat3_transpose(lb_quat_matrix(lb_quat_exp(step)));
  put3(b->A, 0, 0, back);
  put3(b->B, 0, 0, scale(j->h, lb_so3_jacobian(LB_RIGHT, step)));
  if (j->turn > 0) {
    put3(b->A, 3, 3, back);
    put3(b->A, 3, 0, scale(-j->h, lb_mat3_mul(back, lb_mat3_skew(load3(j->v + 3)))));
    put3(b->B, 3, 3, scale(j->h, back));
  }
}

// Maps: their matrices, whether `out` and x are numbers, and what numbers are multiplied by.
static const struct map {
  void (*make)(blocks* b, const joint* j);
  bool out_q, x_q;
  double a, b, b_of_h;
} MAPS[] = {[LB_CHANGE_LIFT] = {make_lift, true, false, 1, 0, 0},
            [LB_CHANGE_PROJECT] = {make_project, false, true, 1, 0, 0},
            [LB_CHANGE_RATE] = {make_rate, true, true, 0, 1, 0},
            [LB_CHANGE_ADVANCE] = {make_advance, false, false, 1, 0, 1}};

// A link's share: where its coordinates are, how many, and its matrices if it has a quaternion.
typedef struct part {
  int out, x, y, n, nx, ny;
  bool turns;
  blocks b;
} part;

// A face has its body's coordinates. Free particles come last, in place of the link after the last.
static void find_part(const struct map* f, const lb_model* m, lb_change_at at, int i, part* p) {
  const bool free = i == m->nlink;
  const int kind = free ? -1 : m->link.kind[i], turn = kind == LB_JOINT_FREE ? 3 : 0;
  const int q = free ? m->nq - 3 * m->particles.nfree : m->link.q[i];
  const int v = free ? m->nv - 3 * m->particles.nfree : m->link.v[i];
  const int n = free ? 3 * m->particles.nfree : lb_link_is_face(kind) ? 0 : m->link.nv[i];
  p->turns = kind == LB_JOINT_SPHERICAL || kind == LB_JOINT_FREE;
  p->out = f->out_q ? q : v;
  p->x = f->x_q ? q : v;
  p->y = v;
  p->n = n + (p->turns && f->out_q);
  p->nx = n + (p->turns && f->x_q);
  p->ny = n;
  if (p->turns) {
    memset(&p->b, 0, sizeof p->b);
    f->make(&p->b, &(joint){at.q ? at.q + q : NULL, at.v ? at.v + v : NULL, turn, at.h});
  }
}

void lb_change_pass(lb_change map, const lb_model* m, lb_change_at at, double* out, const double* x,
                    const double* y) {
  const struct map* f = &MAPS[map];
  const double share = f->b + f->b_of_h * at.h;
  part p;
  for (int i = 0; i <= m->nlink; i++) {
    find_part(f, m, at, i, &p);
    for (int k = 0; k < p.n; k++) {
      double sum = p.turns ? lb_dot(p.nx, p.b.A[k], x + p.x) : f->a * x[p.x + k];
      if (y) {
        sum += p.turns ? lb_dot(p.ny, p.b.B[k], y + p.y) : share * y[p.y + k];
      }
      out[p.out + k] = sum;
    }
  }
}

void lb_change_return(lb_change map, const lb_model* m, lb_change_at at, double* x, double* y,
                      const double* by) {
  const struct map* f = &MAPS[map];
  const double share = f->b + f->b_of_h * at.h;
  part p;
  for (int i = 0; i <= m->nlink; i++) {
    find_part(f, m, at, i, &p);
    for (int k = 0; k < p.n; k++) {
      const double o = by[p.out + k];
      if (p.turns) {
        lb_add(p.nx, x + p.x, o, p.b.A[k]);
      } else {
        x[p.x + k] += f->a * o;
      }
      if (y && p.turns) {
        lb_add(p.ny, y + p.y, o, p.b.B[k]);
      } else if (y) {
        y[p.y + k] += share * o;
      }
    }
  }
}
