// Linear elasticity: P = mu (G + G') + la tr(G) I with G = F - I the displacement's gradient. Right
// for small displacements; a rotation strains it.
#include "elastic/fem/material.h"

static void differential(const lb_material_constants* c, lb_lanes dP[9], const lb_lanes F[9],
                         const lb_lanes dF[9]) {
  (void)F;
  const lb_lanes pressure = c->la * lb_lanes_trace(dF);
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) {
      dP[i + 3 * j] = c->mu * (dF[i + 3 * j] + dF[j + 3 * i]);
    }
    dP[4 * j] += pressure;
  }
}

static void gradient(lb_lanes G[9], const lb_lanes F[9]) {
  for (int k = 0; k < 9; k++) {
    G[k] = F[k] - (k % 4 == 0 ? 1 : 0);
  }
}

static void stress(const lb_material_constants* c, lb_lanes P[9], const lb_lanes F[9]) {
  lb_lanes G[9];
  gradient(G, F);
  differential(c, P, F, G);
}

static void energy(const lb_material_constants* c, lb_lanes* psi, const lb_lanes F[9]) {
  lb_lanes G[9], P[9];
  gradient(G, F);
  differential(c, P, F, G);
  *psi = 0.5 * lb_lanes_dot9(G, P);
}

static void second(const lb_material_constants* c, lb_lanes d2P[9], const lb_lanes F[9],
                   const lb_lanes dF1[9], const lb_lanes dF2[9]) {
  (void)c, (void)F, (void)dF1, (void)dF2;
  for (int k = 0; k < 9; k++) {
    d2P[k] = lb_lanes_set(0);
  }
}

const lb_material_functions lb_linear = {.name = "linear",
                                         .energy = energy,
                                         .stress = stress,
                                         .differential = differential,
                                         .second = second};
