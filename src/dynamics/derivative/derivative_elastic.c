// Elastic bodies in the derivatives of inverse dynamics: from the body's axes to the world's, from
// its origin to the tree's root. elastic/reduced/reduced_derivative.h has the equations.
#include "dynamics/derivative/derivative_elastic.h"

#include "dynamics/joint/joint_elastic.h"

void lb_elastic_weigh(lb_composite* c, lb_v4 at, const lb_state* s) {
  const lb_elastic* e = s->elastic;
  const lb_reduced* b = e->body;
  lb_v4 hd = lb_v4_zero();
  lb_m3 P = {0};
  for (int k = 0; k < b->r; k++) {
    hd += b->H[k] * e->etad[k];
    lb_m3_add_scaled(&P, e->etad[k], e->state.B[k]);
  }
  const lb_m3 Rt = lb_m3_transpose(s->R);
  const lb_inertia own = {.m = b->m,
                          .h = lb_m3_apply(s->R, e->state.h),
                          .I = lb_m3_congruence(s->R, e->state.I),
                          .p = lb_m3_apply(s->R, hd),
                          .P = lb_m3_mul(lb_m3_mul(s->R, P), Rt)};
  lb_composite_put(c, at, s, &own);
}

// A force in the body's axes about its origin, as one in the world's about O.
static lb_motion turn(const lb_state* s, lb_v4 at, lb_v4 n, lb_v4 f) {
  return lb_force_shift((lb_motion){lb_m3_apply(s->R, n), lb_m3_apply(s->R, f)}, at);
}

void lb_elastic_derive(lb_derivatives* D, const lb_state* s, const lb_link* l, lb_v4 at) {
  const lb_elastic* e = s->elastic;
  const size_t nv = (size_t)D->model->nv;
  const lb_m3 Rt = lb_m3_transpose(s->R);
  const lb_reduced_motion motion = {lb_m3_apply(Rt, s->w), lb_m3_apply(Rt, s->al),
                                    lb_m3_apply(Rt, s->a)};
  const size_t block = (size_t)l->v * nv + (size_t)l->v;
  lb_reduced_slope* own = D->work->own;
  const lb_v4 v = lb_m3_apply(Rt, s->v);
  if (e->curved) {
    lb_curved_derive(e->curved, motion, v, e->eta, e->etad, e->etadd, own, D->tau_q + block,
                     D->tau_qd + block, (int)nv);
  } else {
    lb_reduced_derive(e->body, &e->state, motion, v, e->etad, e->etadd, own);
    lb_reduced_derive_own(e->body, motion, D->tau_q + block, D->tau_qd + block, (int)nv);
  }
  for (int k = 0; k < l->nv; k++) {
    lb_slope* sum = &D->work->slope[l->v + k];
    sum->u = lb_motion_add(sum->u, turn(s, at, own[k].un, own[k].uf));
    sum->b += lb_m3_apply(s->R, own[k].b);
    sum->g = lb_motion_add(sum->g, turn(s, at, own[k].gn, own[k].gf));
    sum->gd = lb_motion_add(sum->gd, turn(s, at, own[k].dn, own[k].df));
    for (int j = 0; j < l->nv; j++) {
      D->M[block + (size_t)k * nv + (size_t)j] += e->body->M[k * l->nv + j];
    }
  }
}
