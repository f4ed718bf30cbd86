#include "elastic/reduced/projected_mass.h"

static void apply_mass(const void* context, double* y, const double* x) {
  lb_fem_mass_apply(context, y, x);
}

static void apply_damping(const void* context, double* y, const double* x) {
  lb_fem_damping_apply(context, y, x);
}

lb_status lb_projected_weigh(const lb_projected* p, int nface, const lb_basis_face* face,
                             lb_arena* arena, lb_reduced* reduced) {
  const lb_reduced_input in = {.nnode = p->fem->nnode,
                               .r = p->basis->r,
                               .X = &p->fem->node[0].x,
                               .Phi = p->basis->Phi,
                               .apply_mass = apply_mass,
                               .context = p->fem,
                               .nface = nface,
                               .face = face,
                               .apply_damping =
                                   p->fem->C.value == p->fem->M.value ? NULL : apply_damping};
  const lb_status status = lb_reduced_create(reduced, &in, arena);
  if (status == LB_OK) {
    reduced->alpha = p->fem->alpha;
    reduced->beta = p->fem->beta;
  }
  return status;
}
