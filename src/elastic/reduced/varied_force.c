// V is linear in Young's modulus as long as Poisson's ratio stays, and force, tangent and energy
// are its derivatives.
#include "elastic/reduced/varied_force.h"

#include "elastic/full/full_body.h"

// Every integral over the body is linear in its density.
static lb_status scale_mass(lb_reduced* b, double factor, lb_arena* arena) {
  const int r = b->r;
  const lb_reduced old = *b;
  b->H = LB_TAKE(arena, lb_v4, r);
  b->B0 = LB_TAKE(arena, lb_m3, r);
  b->B1 = LB_TAKE(arena, lb_m3, r * r);
  b->M = LB_TAKE(arena, double, r* r);
  b->C = old.C ? LB_TAKE(arena, double, r* r) : NULL;
  if (lb_arena_status(arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  b->m *= factor;
  b->h0 *= factor;
  b->E0 = lb_m3_scale(factor, old.E0);
  for (int k = 0; k < r; k++) {
    b->H[k] = old.H[k] * factor;
    b->B0[k] = lb_m3_scale(factor, old.B0[k]);
  }
  for (int k = 0; k < r * r; k++) {
    b->B1[k] = lb_m3_scale(factor, old.B1[k]);
    b->M[k] = factor * old.M[k];
    if (old.C) {
      b->C[k] = factor * old.C[k];
    }
  }
  return LB_OK;
}

static lb_status scale_nodes(lb_reduced* b, int nregion, const double* factor, lb_arena* arena) {
  lb_full* full = LB_COPY(arena, b->full, 1);
  const lb_fem* fem = lb_fem_scaled(b->full->fem, nregion, factor, arena);
  if (!full || !fem) {
    return LB_NO_MEMORY;
  }
  full->fem = fem;
  b->full = full;
  return LB_OK;
}

lb_status lb_reduced_scale_regions(const lb_reduced* from, int nregion, const double* factor,
                                   lb_arena* arena, lb_reduced* scaled) {
  lb_reduced made = *from;
  const lb_reduced_force* internal = &from->internal;
  const lb_status status =
      made.full ? scale_nodes(&made, nregion, factor, arena)
                : internal->scale(internal->context, nregion, factor, arena, &made.internal);
  if (status == LB_OK) {
    *scaled = made;
  }
  return status;
}

lb_status lb_reduced_scale(const lb_reduced* from, double stiffness, double mass, lb_arena* arena,
                           lb_reduced* scaled) {
  lb_reduced made = *from;
  lb_status status =
      stiffness != 1 ? lb_reduced_scale_regions(from, 1, &stiffness, arena, &made) : LB_OK;
  if (status == LB_OK && mass != 1) {
    status = scale_mass(&made, mass, arena);
  }
  if (status == LB_OK) {
    *scaled = made;
  }
  return status;
}
