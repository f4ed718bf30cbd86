// Stable neo-Hookean material (Smith, de Goes and Kim 2018).
//
//   psi = mu/2 (Ic - 3) + la/2 (J - al)^2 - mu/2 log(Ic + 1) - rest,   al = 1 + 3 mu / (4 la)
//   P   = mu (1 - a) F + la (J - al) C,   a = 1 / (Ic + 1)
//
// with Ic = F : F, J = det F and C = dJ/dF = cof F. With b = F : dF, da = -2 a^2 b and dJ = C : dF,
//
//   dP  = mu (1 - a) dF + 2 mu a^2 b F + la (C : dF) C + la (J - al) dC
//   d2P = 2 mu a^2 (b2 dF1 + b1 dF2 + (dF1 : dF2) F) - 8 mu a^3 b1 b2 F
//       + la ((C : dF1) dC2 + (C : dF2) dC1 + (dC1 : dF2) C + (J - al) d2C)
//
// cof is quadratic in F, so dC = cof'(F, dF) and d2C = cof'(dF1, dF2) with one bilinear form. The
// parameters are not Lame's: mu = 4/3 mu_L and la = la_L + 5/6 mu_L make the tangent at F = 1 that
// of linear elasticity.
#include "elastic/fem/material.h"

static lb_material_constants constants(double mu_lame, double la_lame) {
  const double mu = 4.0 / 3 * mu_lame, la = la_lame + 5.0 / 6 * mu_lame;
  const double over = 3 * mu / (4 * la);
  return (lb_material_constants){mu, la, 1 + over, la / 2 * over * over - mu / 2 * log(4)};
}

// J - al and C.
static inline lb_lanes volume(const lb_material_constants* c, lb_lanes C[9], const lb_lanes F[9]) {
  lb_lanes_cofactor(C, F, F); // twice the cofactor
  for (int k = 0; k < 9; k++) {
    C[k] *= lb_lanes_set(0.5);
  }
  return (F[0] * C[0] + F[1] * C[1] + F[2] * C[2]) - lb_lanes_set(c->al);
}

static inline lb_lanes shrink(const lb_lanes F[9]) { // a
  return lb_lanes_set(1) / (lb_lanes_dot9(F, F) + lb_lanes_set(1));
}

static void energy(const lb_material_constants* c, lb_lanes* psi, const lb_lanes F[9]) {
  lb_lanes C[9];
  const lb_lanes over = volume(c, C, F), Ic = lb_lanes_dot9(F, F);
  lb_lanes logs;
  for (int l = 0; l < LB_LANES; l++) {
    logs[l] = log1p(Ic[l]);
  }
  *psi = 0.5 * c->mu * (Ic - 3 - logs) + 0.5 * c->la * over * over - c->rest;
}

static void stress(const lb_material_constants* c, lb_lanes P[9], const lb_lanes F[9]) {
  lb_lanes C[9];
  const lb_lanes pull = c->la * volume(c, C, F), shear = c->mu * (1 - shrink(F));
  for (int k = 0; k < 9; k++) {
    P[k] = shear * F[k] + pull * C[k];
  }
}

static void differential(const lb_material_constants* c, lb_lanes dP[9], const lb_lanes F[9],
                         const lb_lanes dF[9]) {
  lb_lanes C[9], dC[9];
  const lb_lanes over = volume(c, C, F), a = shrink(F);
  lb_lanes_cofactor(dC, F, dF);
  const lb_lanes along_F = 2 * c->mu * a * a * lb_lanes_dot9(F, dF);
  const lb_lanes along_C = c->la * lb_lanes_dot9(C, dF);
  for (int k = 0; k < 9; k++) {
    dP[k] = c->mu * (1 - a) * dF[k] + along_F * F[k] + along_C * C[k] + c->la * over * dC[k];
  }
}

// A += s d2J / dF dF, the entries i >= j: d2J / dF_ip dF_jq = eps_ijk eps_pqr F_kr
static inline void add_curvature(lb_lanes A[81], lb_lanes s, const lb_lanes F[9]) {
  for (int p = 0; p < 3; p++) {
    for (int q = 0; q < p; q++) {
      const int r = 3 - p - q;
      const double turn = (p - q + 3) % 3 == 1 ? -1 : 1; // eps_pqr, by columns p > q
      for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        A[(i + 3 * p) + 9 * (j + 3 * q)] += turn * s * F[k + 3 * r];
        A[(j + 3 * p) + 9 * (i + 3 * q)] -= turn * s * F[k + 3 * r];
      }
    }
  }
}

// Tangent dP/dF, all nine directions. Along the unit matrix of (i, j) the cofactor's change has in
// column j + 1 and j + 2 a unit vector's cross product with a column of F: [f]x blocks, two of
// them.
static void tangent(const lb_material_constants* c, lb_lanes A[81], const lb_lanes F[9]) {
  lb_lanes C[9];
  const lb_lanes over = volume(c, C, F), a = shrink(F);
  const lb_lanes diagonal = c->mu * (1 - a), along = 2 * c->mu * a * a, pull = c->la * over;
  for (int j = 0; j < 9; j++) {
    const lb_lanes f = along * F[j], g = c->la * C[j];
    for (int i = j; i < 9; i++) {
      A[i + 9 * j] = f * F[i] + g * C[i];
    }
    A[10 * j] += diagonal;
  }
  add_curvature(A, pull, F);
}

// Each factor of the tangent in turn; a changes by da.
static void tangent_along(const lb_material_constants* c, lb_lanes A[81], const lb_lanes F[9],
                          const lb_lanes dF[9]) {
  lb_lanes C[9], dC[9];
  const lb_lanes over = volume(c, C, F), a = shrink(F);
  lb_lanes_cofactor(dC, F, dF);
  const lb_lanes da = -2 * a * a * lb_lanes_dot9(F, dF);
  const lb_lanes along = 2 * c->mu * a * a, dalong = 4 * c->mu * a * da;
  const lb_lanes dpull = c->la * lb_lanes_dot9(C, dF);
  for (int j = 0; j < 9; j++) {
    const lb_lanes f = dalong * F[j] + along * dF[j], df = along * F[j];
    const lb_lanes g = c->la * dC[j], dg = c->la * C[j];
    for (int i = j; i < 9; i++) {
      A[i + 9 * j] = f * F[i] + df * dF[i] + g * C[i] + dg * dC[i];
    }
    A[10 * j] -= c->mu * da;
  }
  add_curvature(A, dpull, F);
  add_curvature(A, c->la * over, dF);
}

static void second(const lb_material_constants* c, lb_lanes d2P[9], const lb_lanes F[9],
                   const lb_lanes dF1[9], const lb_lanes dF2[9]) {
  lb_lanes C[9], dC1[9], dC2[9], d2C[9];
  const lb_lanes over = volume(c, C, F), a = shrink(F);
  lb_lanes_cofactor(dC1, F, dF1);
  lb_lanes_cofactor(dC2, F, dF2);
  lb_lanes_cofactor(d2C, dF1, dF2);
  const lb_lanes b1 = lb_lanes_dot9(F, dF1), b2 = lb_lanes_dot9(F, dF2);
  const lb_lanes s = 2 * c->mu * a * a;
  const lb_lanes f = s * lb_lanes_dot9(dF1, dF2) - 4 * s * a * b1 * b2;
  const lb_lanes j1 = lb_lanes_dot9(C, dF1), j2 = lb_lanes_dot9(C, dF2);
  const lb_lanes j12 = lb_lanes_dot9(dC1, dF2);
  for (int k = 0; k < 9; k++) {
    d2P[k] = s * (b2 * dF1[k] + b1 * dF2[k]) + f * F[k] +
             c->la * (j1 * dC2[k] + j2 * dC1[k] + j12 * C[k] + over * d2C[k]);
  }
}

const lb_material_functions lb_neo_hookean = {"neo-hookean", constants, energy, stress,
                                              differential,  tangent,   second, tangent_along};
