// Free joint: position in the parent's frame, then a unit quaternion; the velocity is the relative
// twist (w_r, v_r) in the link's frame, S = (R, 0; 0, R). Nothing holds the link, so its parent
// feels only the force put on the joint, and its acceleration follows from its own articulated
// inertia alone.
//
// Rotors, A = (j 1, m 1) alike in all axes, do hold it. In the world's axes S = 1, so with
// D = IA + A, p and c the biases and b = tau - p - IA c, the parent feels
//
//   (1)  Ia = IA - IA D^-1 IA = A - A D^-1 A,   pa = p + IA c + IA D^-1 b = tau - A D^-1 b
//
// and D (a + x) = tau - p + A a gives the joint's acceleration x where a is that without it. Their
// energy is (j |w_r|^2 + m |v_r|^2)/2; v_r is counted along axes that turn, for which m takes
// d/dt (R v_r) = R (vdot_r + w_r x v_r): the latter is a force on the coordinates.
#include <string.h>

#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/joint/joint.h"
#include "math/linear/ldl.h"

static void place(lb_state* s, const double* q, const double sc[2]) {
  (void)sc;
  s->r += lb_m3_apply(s->R, lb_v4_load(q));
  s->R = lb_m3_mul(s->R, lb_m3_rotation((lb_quat){q[3], q[4], q[5], q[6]}));
}

// r' = w_p x r + R v_r, and d/dt (R v_r) = R vdot_r + w x R v_r.
static void move(lb_state* s, const lb_state* p, const double* qd) {
  const lb_v4 w = lb_m3_apply(s->R, lb_v4_load(qd));
  const lb_v4 v = lb_m3_apply(s->R, lb_v4_load(qd + 3));
  s->w = p->w + w;
  s->c_al = lb_v4_cross(p->w, w);
  s->c_a = lb_v4_cross(p->w, lb_v4_cross(p->w, s->r) + v) + lb_v4_cross(s->w, v);
}

static void move_origin(lb_state* s, const lb_state* p, const double* qd) {
  s->v = p->v + lb_v4_cross(p->w, s->r) + lb_m3_apply(s->R, lb_v4_load(qd + 3));
}

static void accelerate(lb_v4* al, lb_v4* a, const lb_state* s, const double* qdd) {
  *al += lb_m3_apply(s->R, lb_v4_load(qdd));
  *a += lb_m3_apply(s->R, lb_v4_load(qdd + 3));
}

// D of (1), factored; the rotors are s->u and s->d.
static void factor(const lb_state* s, double D[36]) {
  lb_m3_store(D, 6, s->IA.A);
  lb_m3_store(D + 18, 6, s->IA.G);
  lb_m3_store(D + 21, 6, s->IA.C);
  for (int k = 0; k < 6; k++) {
    D[7 * k] += k < 3 ? s->u : s->d;
  }
  lb_ldl_factor(6, D, 6);
}

// A column of A - A D^-1 A, as what a unit acceleration k takes.
static lb_motion rotor_column(const lb_state* s, const double D[36], int k) {
  const double own = k < 3 ? s->u : s->d;
  double x[6] = {0};
  x[k] = own;
  lb_ldl_solve(6, D, 6, x);
  lb_motion F = {lb_v4_load(x) * -s->u, lb_v4_load(x + 3) * -s->d};
  (k < 3 ? &F.w : &F.v)[0][k % 3] += own;
  return F;
}

// (1), where there are rotors.
static void feel_rotors(lb_articulated* out, const lb_state* s) {
  const lb_articulated* I = &s->IA;
  double D[36], x[6];
  factor(s, D);
  lb_v4_store(x, s->Un - I->n - lb_m3_apply(I->A, s->c_al) - lb_m3_apply_transposed(I->G, s->c_a));
  lb_v4_store(x + 3, s->Uf - I->f - lb_m3_apply(I->G, s->c_al) - lb_m3_apply(I->C, s->c_a));
  lb_ldl_solve(6, D, 6, x);
  out->n -= lb_v4_load(x) * s->u;
  out->f -= lb_v4_load(x + 3) * s->d;
  lb_v4* const A[] = {&out->A.x, &out->A.y, &out->A.z};
  lb_v4* const G[] = {&out->G.x, &out->G.y, &out->G.z};
  lb_v4* const C[] = {&out->C.x, &out->C.y, &out->C.z};
  for (int k = 0; k < 3; k++) {
    const lb_motion turned = rotor_column(s, D, k);
    *A[k] = turned.w;
    *G[k] = turned.v;
    *C[k] = rotor_column(s, D, 3 + k).v;
  }
}

static void articulate(lb_articulated* out, lb_state* s, const double* tau,
                       const double* armature) {
  *out = (lb_articulated){.n = lb_m3_apply(s->R, lb_v4_load(tau)),
                          .f = lb_m3_apply(s->R, lb_v4_load(tau + 3))};
  s->Un = out->n;
  s->Uf = out->f;
  s->u = armature[0];
  s->d = armature[3];
  if (s->u > 0 || s->d > 0) {
    feel_rotors(out, s);
  }
}

static void solve(lb_state* s, double* qdd) {
  double D[36], x[6];
  factor(s, D);
  lb_v4_store(x, s->Un - s->IA.n + s->al * s->u);
  lb_v4_store(x + 3, s->Uf - s->IA.f + s->a * s->d);
  lb_ldl_solve(6, D, 6, x);
  const lb_v4 al = lb_v4_load(x);
  const lb_v4 a = lb_v4_load(x + 3);
  lb_v4_store(qdd, lb_m3_apply_transposed(s->R, al - s->al));
  lb_v4_store(qdd + 3, lb_m3_apply_transposed(s->R, a - s->a));
  s->al = al;
  s->a = a;
}

static void project(double* tau, const lb_state* s, lb_v4 n, lb_v4 f) {
  lb_v4_add_to(tau, lb_m3_apply_transposed(s->R, n));
  lb_v4_add_to(tau + 3, lb_m3_apply_transposed(s->R, f));
}

static void columns(lb_v4* S, const lb_state* s) {
  const lb_v4 axis[3] = {s->R.x, s->R.y, s->R.z};
  for (int i = 0; i < 3; i++) {
    S[2 * i] = S[6 + 2 * i + 1] = axis[i];
    S[2 * i + 1] = S[6 + 2 * i] = lb_v4_zero();
  }
}

static lb_m3 rotation(const double* q) {
  return lb_m3_rotation((lb_quat){q[3], q[4], q[5], q[6]});
}

// base + h R(q) v; base NULL: nothing.
static void carry(double* to, const double* base, const double* q, const double* qd, double h) {
  const lb_v4 v = lb_m3_apply(rotation(q), lb_v4_load(qd + 3));
  lb_v4_store(to, (base ? lb_v4_load(base) : lb_v4_zero()) + v * h);
}

static void rate(double* dq, const double* q, const double* qd, double h) {
  carry(dq, NULL, q, qd, 1);
  lb_quat_rate(dq + 3, q + 3, qd, h);
}

static void advance(double* q, const double* from, const double* qd, double h) {
  carry(q, from, from, qd, h);
  lb_quat_advance(q + 3, from + 3, qd, h);
}

static void reach(double* q, const double* from, const double* qd, double h) {
  lb_quat_advance(q + 3, from + 3, qd, h);
  carry(q, from, q, qd, h);
}

// A small change of place is counted in the link's frame: p = from + h R v changes by
// R'dp = R'dfrom + h (dv + turn x v).
static void put_reach(double Q[36], lb_m3 turn, lb_m3 along, const double* v, double h) {
  memset(Q, 0, 36 * sizeof *Q);
  lb_m3_store(Q, 6, turn);
  lb_m3_store(Q + 18, 6, lb_m3_cross_mul(lb_v4_load(v) * -h, turn));
  lb_m3_store(Q + 21, 6, along);
}

// The place from where it rests, along the link's axes: x = R'(p - p0), which turning by d changes
// by -d x x.
static lb_v4 shift_from(const double* rest, const double* q) {
  return lb_m3_apply_transposed(rotation(q), lb_v4_load(q) - lb_v4_load(rest));
}

static void stretch(double* x, const double* q, const double* rest) {
  lb_quat_stretch(x, q + 3, rest + 3);
  lb_v4_store(x + 3, shift_from(rest, q));
}

static void stretch_by(double* X, const double* q, const double* rest) {
  memset(X, 0, 36 * sizeof *X);
  lb_quat_stretch_by(X, 6, q + 3, rest + 3);
  lb_m3_store(X + 18, 6, lb_m3_cross_mul(shift_from(rest, q), lb_m3_identity()));
  lb_m3_store(X + 21, 6, lb_m3_identity());
}

static void reach_by_rate(double* Q, const double* qd, double h) {
  const lb_m3 along = {{h, 0, 0, 0}, {0, h, 0, 0}, {0, 0, h, 0}};
  put_reach(Q, lb_quat_advance_by_rate(qd, h), along, qd + 3, h);
}

static void reach_by_past(double* H, const double* q, lb_past past, const double* qd, double h) {
  const lb_m3 E = lb_m3_mul(lb_m3_transpose(rotation(q)), rotation(past.q));
  const lb_m3 along = {E.x * past.weight, E.y * past.weight, E.z * past.weight};
  const lb_past turn = {past.q + 3, past.other ? past.other + 3 : NULL, past.weight};
  put_reach(H, lb_quat_advance_by_past(turn, qd, h), along, qd + 3, h);
}

const lb_joint lb_joint_free = {
    .place = place,
    .move = move,
    .move_origin = move_origin,
    .accelerate = accelerate,
    .articulate = articulate,
    .solve = solve,
    .project = project,
    .columns = columns,
    .stretch = stretch,
    .stretch_by = stretch_by,
    .flow = {rate, advance, reach},
    .reach_by_rate = reach_by_rate,
    .reach_by_past = reach_by_past,
};

// --- rotors' force on the coordinates ---

static bool has_rotor(const lb_model* m, int link) {
  return m->link.kind[link] == LB_JOINT_FREE && m->dof.armature[m->link.v[link] + 3] > 0;
}

static int rotor_count(const lb_model* m) {
  int sum = 0;
  for (int i = 0; i < m->nlink; i++) {
    sum += has_rotor(m, i);
  }
  return sum;
}

static void rotor_apply(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->nlink; i++) {
    const int v = m->link.v[i];
    if (has_rotor(m, i)) {
      const lb_v4 turn = lb_v4_cross(lb_v4_load(d->qd + v), lb_v4_load(d->qd + v + 3));
      lb_v4_add_to(d->work->tau + v + 3, turn * -m->dof.armature[v + 3]);
    }
  }
}

// m w x v by w and by v: -m [v] and m [w].
static void rotor_differentiate(lb_derivatives* D, lb_data* d, bool symmetric) {
  const lb_model* m = D->model;
  (void)symmetric;
  for (int i = 0; i < m->nlink; i++) {
    const int v = m->link.v[i];
    if (has_rotor(m, i)) {
      double* to = D->tau_qd + (size_t)(v + 3) * (size_t)m->nv + v;
      const lb_m3 one = lb_m3_identity();
      const lb_v4 turn = lb_v4_load(d->qd + v), shift = lb_v4_load(d->qd + v + 3);
      lb_m3_add_to(to, m->nv, -m->dof.armature[v + 3], lb_m3_cross_mul(shift, one));
      lb_m3_add_to(to + 3, m->nv, m->dof.armature[v + 3], lb_m3_cross_mul(turn, one));
    }
  }
}

const lb_force lb_force_free_rotor = {.name = "rotor of a free joint",
                                      .count = rotor_count,
                                      .apply = rotor_apply,
                                      .differentiate = rotor_differentiate};
