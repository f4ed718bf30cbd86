// St. Venant-Kirchhoff: linear in Green's strain E = (F'F - I) / 2.
//
//   psi = mu E : E + la/2 tr(E)^2,   P = F S,   S = 2 mu E + la tr(E) I
//   dP  = dF S + F dS,               dE = sym(F' dF)
//   d2P = dF1 dS2 + dF2 dS1 + F d2S, d2E = sym(dF1' dF2)
//
// where dS and d2S are S of dE and d2E, for S is linear in E. It softens under strong compression
// and does not resist inversion.
#include "elastic/fem/material.h"

// S of a symmetric strain.
static void respond(const lb_material_constants* c, lb_lanes S[9], const lb_lanes E[9]) {
  const lb_lanes pressure = c->la * lb_lanes_trace(E);
  for (int k = 0; k < 9; k++) {
    S[k] = 2 * c->mu * E[k];
  }
  for (int k = 0; k < 9; k += 4) {
    S[k] += pressure;
  }
}

// sym(A'B)
static void strain(lb_lanes E[9], const lb_lanes A[9], const lb_lanes B[9]) {
  lb_lanes X[9];
  lb_lanes_mul_tn(X, A, B);
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) {
      E[i + 3 * j] = 0.5 * (X[i + 3 * j] + X[j + 3 * i]);
    }
  }
}

static void green(lb_lanes E[9], const lb_lanes F[9]) {
  strain(E, F, F);
  for (int k = 0; k < 9; k++) {
    E[k] = 0.5 * (E[k] - (k % 4 == 0 ? 1 : 0));
  }
}

static void energy(const lb_material_constants* c, lb_lanes* psi, const lb_lanes F[9]) {
  lb_lanes E[9], S[9];
  green(E, F);
  respond(c, S, E);
  *psi = 0.5 * lb_lanes_dot9(E, S);
}

static void stress(const lb_material_constants* c, lb_lanes P[9], const lb_lanes F[9]) {
  lb_lanes E[9], S[9];
  green(E, F);
  respond(c, S, E);
  lb_lanes_mul(P, F, S);
}

static void differential(const lb_material_constants* c, lb_lanes dP[9], const lb_lanes F[9],
                         const lb_lanes dF[9]) {
  lb_lanes E[9], S[9], X[9];
  green(E, F);
  respond(c, S, E);
  lb_lanes_mul(dP, dF, S);
  strain(E, F, dF);
  respond(c, S, E);
  lb_lanes_mul(X, F, S);
  for (int k = 0; k < 9; k++) {
    dP[k] += X[k];
  }
}

static void second(const lb_material_constants* c, lb_lanes d2P[9], const lb_lanes F[9],
                   const lb_lanes dF1[9], const lb_lanes dF2[9]) {
  const lb_lanes* left[3] = {dF1, dF2, F};
  const lb_lanes* right[3][2] = {{F, dF2}, {F, dF1}, {dF1, dF2}};
  for (int k = 0; k < 9; k++) {
    d2P[k] = lb_lanes_set(0);
  }
  for (int t = 0; t < 3; t++) {
    lb_lanes E[9], S[9], X[9];
    strain(E, right[t][0], right[t][1]);
    respond(c, S, E);
    lb_lanes_mul(X, left[t], S);
    for (int k = 0; k < 9; k++) {
      d2P[k] += X[k];
    }
  }
}

const lb_material_functions lb_st_venant = {.name = "st-venant-kirchhoff",
                                            .energy = energy,
                                            .stress = stress,
                                            .differential = differential,
                                            .second = second};
