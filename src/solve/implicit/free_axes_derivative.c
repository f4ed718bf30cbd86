// Derivatives of free_axes.c.
#include "dynamics/joint/joint.h"
#include "math/linear/dense.h"
#include "math/linear/ldl.h"
#include "math/space/mat3.h"
#include "math/space/se3.h"
#include "solve/implicit/free_axes.h"

// Derivative by v0 of the forces that lb_free_axes_remove takes out, with a = w x v:
//   n = h x a + w x I w,   f = m a + w x (w x h)
void lb_free_axes_remove_slopes(const lb_model* m, const double* v0, double* C) {
  const size_t nv = (size_t)m->nv;
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    for (int k = 0; lb_link_turns_free(m, i) && k < 6; k++) {
      const lb_v4 w = lb_v4_load(v0 + l->v), v = lb_v4_load(v0 + l->v + 3);
      const lb_v4 dw = k < 3 ? lb_v4_unit(k) : lb_v4_zero();
      const lb_v4 dv = k < 3 ? lb_v4_zero() : lb_v4_unit(k - 3);
      const lb_v4 da = lb_v4_cross(dw, v) + lb_v4_cross(w, dv);
      const lb_v4 n = lb_v4_cross(l->h, da) + lb_v4_cross(dw, lb_m3_apply(l->I0, w)) +
                      lb_v4_cross(w, lb_m3_apply(l->I0, dw));
      const lb_v4 f =
          da * l->m + lb_v4_cross(dw, lb_v4_cross(w, l->h)) + lb_v4_cross(w, lb_v4_cross(dw, l->h));
      for (size_t c = 0; c < 3; c++) {
        C[((size_t)l->v + c) * nv + (size_t)l->v + (size_t)k] -= n[c];
        C[((size_t)l->v + 3 + c) * nv + (size_t)l->v + (size_t)k] -= f[c];
      }
    }
  }
}

typedef struct twist {
  lb_v4 w, v;
} twist;

static twist twist_of(const double* x) {
  return (twist){lb_v4_load(x), lb_v4_load(x + 3)};
}

static lb_v4 apply3(lb_mat3 A, lb_v4 x) {
  return lb_v4_from(lb_mat3_apply(A, lb_v4_vec3(x)));
}

// Changes of place and velocity of a free body by those of its place at the start, of `move` and of
// u: with E = exp(-h w), w that of `move`, the centre of mass c and Jr the right Jacobian,
//
//   t1 = E t0 + h Jr dw,   s1 = E (s0 + t0 x (c + h (v + w x c)) + h (dv + dw x c)) - t1 x c
//   w1 = I^-1 E I w,   dE x = -(h Jr dw) x E x,   v1 = E (v + w x c) - w1 x c
//
// the last line with u for its own w and v.
static void turn_column(const lb_link* l, double h, twist move, twist u, const double x[18],
                        double y[12]) {
  const lb_v4 c = l->m > 0 ? l->h / l->m : lb_v4_zero();
  const lb_vec3 by = lb_v4_vec3(move.w * h);
  const lb_mat3 E = lb_mat3_transpose(lb_quat_matrix(lb_quat_exp(by)));
  const twist at = twist_of(x), dm = twist_of(x + 6), du = twist_of(x + 12);
  const lb_v4 turned = apply3(lb_so3_jacobian(LB_RIGHT, by), dm.w) * h;
  const lb_v4 t1 = apply3(E, at.w) + turned;
  const lb_v4 arm = c + (move.v + lb_v4_cross(move.w, c)) * h;
  const lb_v4 s1 = apply3(E, at.v + lb_v4_cross(at.w, arm) + (dm.v + lb_v4_cross(dm.w, c)) * h) -
                   lb_v4_cross(t1, c);
  lb_m3 I = l->I0;
  lb_m3_add_scaled(&I, -l->m * lb_v4_dot(c, c), lb_m3_identity());
  lb_m3_add_outer(&I, l->m, c, c);
  const lb_v4 spin = apply3(E, lb_m3_apply(I, u.w));
  const lb_v4 spun = apply3(E, lb_m3_apply(I, du.w)) - lb_v4_cross(turned, spin);
  double D[9], w1[3];
  lb_m3_store(D, 3, I);
  lb_ldl_factor(3, D, 3);
  lb_v4_store(w1, spun);
  lb_ldl_solve(3, D, 3, w1);
  const lb_v4 v = apply3(E, u.v + lb_v4_cross(u.w, c));
  const lb_v4 dv = apply3(E, du.v + lb_v4_cross(du.w, c)) - lb_v4_cross(turned, v);
  lb_v4_store(y, t1);
  lb_v4_store(y + 3, s1);
  lb_v4_store(y + 6, lb_v4_load(w1));
  lb_v4_store(y + 9, dv - lb_v4_cross(lb_v4_load(w1), c));
}

void lb_free_axes_differentiate(const lb_model* m, const double* move, const double* u, double h,
                                lb_free_axes_slopes* out) {
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    for (int k = 0; lb_link_turns_free(m, i) && k < 18; k++) {
      double x[18] = {0}, y[12];
      x[k] = 1;
      turn_column(l, h, twist_of(move + l->v), twist_of(u + l->v), x, y);
      for (int j = 0; j < 12; j++) {
        out[i].by[j][k] = y[j];
      }
    }
  }
}

void lb_free_axes_pass(const lb_model* m, const lb_free_axes_slopes* S,
                       const lb_free_axes_change* x, double* q, double* v) {
  for (int i = 0; i < m->nlink; i++) {
    const int at = m->link.v[i];
    for (int j = 0; lb_link_turns_free(m, i) && j < 12; j++) {
      const double* row = S[i].by[j];
      (j < 6 ? q + at + j : v + at + j - 6)[0] = lb_dot(6, row, x->q + at) +
                                                 lb_dot(6, row + 6, x->move + at) +
                                                 lb_dot(6, row + 12, x->u + at);
    }
  }
}

void lb_free_axes_return(const lb_model* m, const lb_free_axes_slopes* S,
                         const lb_free_axes_change* x, double* q, double* v) {
  for (int i = 0; i < m->nlink; i++) {
    const int at = m->link.v[i];
    for (int j = 0; lb_link_turns_free(m, i) && j < 12; j++) {
      double* by = j < 6 ? q + at + j : v + at + j - 6;
      const double* row = S[i].by[j];
      lb_add(6, x->q + at, *by, row);
      lb_add(6, x->move + at, *by, row + 6);
      lb_add(6, x->u + at, *by, row + 12);
      *by = 0;
    }
  }
}
