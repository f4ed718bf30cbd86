// Derivatives of an elastic body's inertial forces and of the motion of its faces, in the body's
// own axes as in reduced.h.
#pragma once
#include "elastic/reduced/reduced.h"

// Derivatives of the force (n, f) at the body's origin by coordinate k, and of the coordinate's
// force by the frame's motion.
typedef struct lb_reduced_slope {
  lb_v4 un, uf; // dQ_k / d(al, a), and d(n, f) / d etadd_k
  lb_v4 b;      // 2 int rho xd x Phi_k, with xd the velocity in space
  lb_v4 gn, gf; // d(n, f) / d eta_k
  lb_v4 dn, df; // d(n, f) / d etad_k
} lb_reduced_slope;

// With Z = [al] + [w][w], xdd the acceleration in space and d the axial vector of A - A' (for
// A = a b' it is b x a):
//   gf = Z H_k
//   gn = int rho (Phi_k x xdd + x x Z Phi_k)
//      = H_k x a + d(Z B_k - B_k Z') + 2 d(Bd_k [w]) - d(Bdd_k)                              (1)
//   df = 2 w x H_k,   dn = 2 d([w] B_k)                                                      (2)
//   b  = 2 (v x H_k + B_k'w - tr(B_k) w + d(Bd_k))                                           (3)
// where Bd_k = int rho Phi_k etad'Phi', Bdd_k likewise. `v` is the velocity of the origin.
void lb_reduced_derive(const lb_reduced* b, const lb_reduced_state* s, lb_reduced_motion motion,
                       lb_v4 v, const double* etad, const double* etadd, lb_reduced_slope* out);

// Added to matrices by rows of `stride` numbers:
//   dQ_m / d eta_k  = int rho Phi_m.Z Phi_k = Z : B1_mk                                     (4)
//   dQ_m / d etad_k = 2 w.int rho Phi_k x Phi_m = 2 w.d(B1_mk)                               (5)
void lb_reduced_derive_own(const lb_reduced* b, lb_reduced_motion motion, double* Q_eta,
                           double* Q_etad, int stride);

// Derivatives of -lb_reduced_add_forces(), added to matrices by rows: K + beta N' and alpha C +
// beta K', see lb_blend. `scratch` has lb_reduced_scratch() numbers, `A` r * r. Without etad, K and
// alpha C + beta K': what linearly implicit steps take of them.
void lb_reduced_derive_forces(const lb_reduced* b, double* by_eta, double* by_etad, int stride,
                              const double* eta, const double* etad, double* A, double* scratch);

// x times the first plus y times the second of these alone, added to a matrix; and the first times
// a vector, added to `out`: for those who need no more.
void lb_reduced_blend_forces(const lb_reduced* b, double* to, int stride, double x, double y,
                             const double* eta, const double* etad, double* A, double* scratch);
void lb_reduced_stiffness_product(const lb_reduced* b, double* out, const double* eta,
                                  const double* etad, const double* v, double* scratch);

// Derivatives by eta_k of a moving face's angular velocity G etad and of its rate, c_w + G etadd,
// in the face's axes: dw, dwd [r].
//
// With A^ = R'A for each matrix A, L(A) = tr(A) 1 - A, Y = L(S) and the chain of (4) and (5) of
// reduced.h,
//   S_k = A^_k - [G_k] S                     change of the stretch
//   Y dG_l/deta_k = -L(A^_l) G_k - L(S_k) G_l                                                (6)
//   Y wd = d(A^dd) - L(A^d) w - L(Sd) w,  Sd = A^d - [w] S
//   Y dwd_k = -L(S_k) wd - L(A^dd) G_k + L([G_k] A^d) w - L(A^d) dw_k
//             + L([G_k] A^d + [dw_k] S + [w] S_k) w - L(Sd) dw_k                             (7)
// since d([g] A) = L(A) g.
void lb_face_derive(const lb_reduced* b, const lb_face* face, const lb_face_state* s,
                    const double* etad, const double* etadd, lb_v4* dw, lb_v4* dwd);

// K[m * stride + k] += n.dG_m/deta_k, from (6); n in the face's axes.
void lb_face_derive_moment(const lb_reduced* b, const lb_face* face, const lb_face_state* s,
                           lb_v4 n, double* K, int stride);
