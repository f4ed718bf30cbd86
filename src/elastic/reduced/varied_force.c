// An internal force in front of another one. Whatever is behind it, V is linear in Young's modulus
// as long as Poisson's ratio stays, and force, tangent and energy are its derivatives.
#include "elastic/reduced/varied_force.h"

#include "elastic/full/full_body.h"

typedef struct scaled_force {
  lb_reduced_force law;
  int r;
  double factor;
} scaled_force;

static void scale(double* x, int n, double factor) {
  for (int i = 0; i < n; i++) {
    x[i] *= factor;
  }
}

static void force(const void* context, double* f, double* Kv, const double* eta, const double* v,
                  double* scratch) {
  const scaled_force* s = context;
  s->law.force(s->law.context, f, Kv, eta, v, scratch);
  scale(f, s->r, s->factor);
  if (Kv) {
    scale(Kv, s->r, s->factor);
  }
}

static void tangent(const void* context, double* K, const double* eta, double* scratch) {
  const scaled_force* s = context;
  s->law.tangent(s->law.context, K, eta, scratch);
  scale(K, s->r * s->r, s->factor);
}

static void viscous(const void* context, double* K, const double* eta, double* scratch) {
  const scaled_force* s = context;
  s->law.viscous(s->law.context, K, eta, scratch);
  scale(K, s->r * s->r, s->factor);
}

static void blend(const void* context, double* A, lb_blend of, const double* eta, const double* v,
                  double* scratch) {
  const scaled_force* s = context;
  s->law.blend(s->law.context, A, of, eta, v, scratch);
  scale(A, s->r * s->r, s->factor);
}

static void blend_product(const void* context, double* y, lb_blend of, const double* eta,
                          const double* v, const double* x, double* scratch) {
  const scaled_force* s = context;
  s->law.blend_product(s->law.context, y, of, eta, v, x, scratch);
  scale(y, s->r, s->factor);
}

// Volumes do not depend on forces.
static double least_volume(const void* context, const double* eta, lb_vec3* at) {
  const scaled_force* s = context;
  return s->law.least_volume(s->law.context, eta, at);
}

static double energy(const void* context, const double* eta, double* scratch) {
  const scaled_force* s = context;
  return s->factor * s->law.energy(s->law.context, eta, scratch);
}

static lb_status scale_force(lb_reduced* b, double factor, lb_arena* arena) {
  scaled_force* s = LB_TAKE(arena, scaled_force, 1);
  if (!s) {
    return LB_NO_MEMORY;
  }
  *s = (scaled_force){b->internal, b->r, factor};
  b->internal = (lb_reduced_force){.force = force,
                                   .tangent = tangent,
                                   .energy = energy,
                                   .scratch = s->law.scratch,
                                   .context = s,
                                   .viscous = s->law.viscous ? viscous : NULL,
                                   .least_volume = s->law.least_volume ? least_volume : NULL,
                                   .blend = s->law.blend ? blend : NULL,
                                   .blend_product = s->law.blend_product ? blend_product : NULL};
  return LB_OK;
}

static lb_m3 scaled_m3(lb_m3 A, double factor) {
  return (lb_m3){A.x * factor, A.y * factor, A.z * factor};
}

// Every integral over the body is linear in its density.
static lb_status scale_mass(lb_reduced* b, double factor, lb_arena* arena) {
  const int r = b->r;
  const lb_reduced old = *b;
  b->H = LB_TAKE(arena, lb_v4, r);
  b->B0 = LB_TAKE(arena, lb_m3, r);
  b->B1 = LB_TAKE(arena, lb_m3, r * r);
  b->M = LB_TAKE(arena, double, r* r);
  if (!b->H || !b->B0 || !b->B1 || !b->M) {
    return LB_NO_MEMORY;
  }
  b->m *= factor;
  b->h0 *= factor;
  b->E0 = scaled_m3(old.E0, factor);
  for (int k = 0; k < r; k++) {
    b->H[k] = old.H[k] * factor;
    b->B0[k] = scaled_m3(old.B0[k], factor);
  }
  for (int k = 0; k < r * r; k++) {
    b->B1[k] = scaled_m3(old.B1[k], factor);
    b->M[k] = factor * old.M[k];
    if (old.C) {
      b->C[k] = factor * old.C[k];
    }
  }
  return LB_OK;
}

// Ties are scaled where all regions are alike, and stay where they differ; without some of the
// regions they are none of the rest's.
static double tie_factor(int nregion, const double* factor) {
  bool alike = true, parts = false;
  for (int i = 0; i < nregion; i++) {
    alike = alike && factor[i] == factor[0];
    parts = parts || factor[i] == 0;
  }
  return alike ? factor[0] : !parts;
}

// Of a body with all its nodes the constants of its regions' materials, or of all of them alike.
static lb_status scale_nodes(lb_reduced* b, int nregion, const double* factor, lb_arena* arena) {
  const lb_fem* from = b->full->fem;
  lb_full* full = LB_TAKE(arena, lb_full, 1);
  lb_fem* fem = LB_TAKE(arena, lb_fem, 1);
  lb_material_constants* constants = LB_TAKE(arena, lb_material_constants, from->nregion);
  if (!full || !fem || !constants) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < from->nregion; i++) {
    constants[i] = lb_material_constants_scaled(from->constants[i], factor[nregion > 1 ? i : 0]);
  }
  *fem = *from;
  fem->constants = constants;
  fem->tie_factor *= tie_factor(nregion, factor);
  *full = *b->full;
  full->fem = fem;
  b->full = full;
  return LB_OK;
}

lb_status lb_reduced_scale(const lb_reduced* from, double stiffness, double mass, lb_arena* arena,
                           lb_reduced* scaled) {
  lb_reduced made = *from;
  lb_status status = LB_OK;
  if (stiffness != 1) {
    status =
        made.full ? scale_nodes(&made, 1, &stiffness, arena) : scale_force(&made, stiffness, arena);
  }
  if (status == LB_OK && mass != 1) {
    status = scale_mass(&made, mass, arena);
  }
  if (status == LB_OK) {
    *scaled = made;
  }
  return status;
}

lb_status lb_reduced_scale_regions(const lb_reduced* from, int nregion, const double* factor,
                                   lb_arena* arena, lb_reduced* scaled) {
  if (nregion == 1) {
    return lb_reduced_scale(from, factor[0], 1, arena, scaled);
  }
  lb_reduced made = *from;
  const lb_status status = made.full ? scale_nodes(&made, nregion, factor, arena)
                                     : from->internal.scale_regions(from->internal.context, factor,
                                                                    arena, &made.internal);
  if (status == LB_OK) {
    *scaled = made;
  }
  return status;
}
