// Operations on articulated inertias.
#pragma once
#include "dynamics/tree/state.h"

// The inertia of a joint with one coordinate as its parent feels it, bias c included. With U = IA
// S, D = S'U, u = tau - S'p (s->Un, s->Uf, 1/s->d, s->u):
//
//   (1)  Ia = IA - U U'/D
//   (2)  pa = p + IA c + U (u - U'c)/D
static inline void lb_articulated_project(lb_articulated* out, const lb_articulated* in,
                                          const lb_state* s) {
  const lb_v4 Un = s->Un;
  const lb_v4 Uf = s->Uf;
  out->A = in->A;
  out->G = in->G;
  out->C = in->C;
  lb_m3_add_outer(&out->A, -s->d, Un, Un);
  lb_m3_add_outer(&out->G, -s->d, Uf, Un);
  lb_m3_add_outer(&out->C, -s->d, Uf, Uf);
  const double k = s->d * (s->u - lb_v4_sum(Un * s->c_al + Uf * s->c_a));
  out->n = in->n + lb_m3_apply(in->A, s->c_al) + lb_m3_apply_transposed(in->G, s->c_a) + Un * k;
  out->f = in->f + lb_m3_apply(in->G, s->c_al) + lb_m3_apply(in->C, s->c_a) + Uf * k;
}

// Projection by joints that only turn, about two or three axes S: with s->Dinv = S D^-1 S' and
// s->Un a vector whose parts along S are u, both in the world's axes, U = (A, G).
static inline void lb_articulated_project_turn(lb_articulated* out, const lb_articulated* in,
                                               const lb_state* s) {
  const lb_m3 DA = lb_m3_mul(s->Dinv, in->A);
  const lb_m3 DG = lb_m3_mul(s->Dinv, lb_m3_transpose(in->G));
  const lb_m3 AA = lb_m3_mul(in->A, DA);
  const lb_m3 GA = lb_m3_mul(in->G, DA);
  const lb_m3 GG = lb_m3_mul(in->G, DG);
  out->A = (lb_m3){in->A.x - AA.x, in->A.y - AA.y, in->A.z - AA.z};
  out->G = (lb_m3){in->G.x - GA.x, in->G.y - GA.y, in->G.z - GA.z};
  out->C = (lb_m3){in->C.x - GG.x, in->C.y - GG.y, in->C.z - GG.z};
  const lb_v4 nc = lb_m3_apply(in->A, s->c_al) + lb_m3_apply_transposed(in->G, s->c_a);
  const lb_v4 fc = lb_m3_apply(in->G, s->c_al) + lb_m3_apply(in->C, s->c_a);
  const lb_v4 k = lb_m3_apply(s->Dinv, s->Un - nc);
  out->n = in->n + nc + lb_m3_apply(in->A, k);
  out->f = in->f + fc + lb_m3_apply(in->G, k);
}

// Such a joint's own angular acceleration, given al and a without it.
static inline lb_v4 lb_articulated_turn(const lb_state* s) {
  const lb_v4 felt = lb_m3_apply(s->IA.A, s->al) + lb_m3_apply_transposed(s->IA.G, s->a);
  return lb_m3_apply(s->Dinv, s->Un - felt);
}

// Add to `to` an inertia whose origin is r further on. Since a = a_p + al_p x r,
//
//   C' = C,  G' = G - K,  A' = A + H + H'   with K = C [r], H = [r](G - K/2),   n' = n + r x f.
static inline void lb_articulated_shift_add(lb_articulated* to, const lb_articulated* from,
                                            lb_v4 r) {
  const lb_m3 K = lb_m3_mul_cross(from->C, r);
  const lb_m3 half = {from->G.x - 0.5 * K.x, from->G.y - 0.5 * K.y, from->G.z - 0.5 * K.z};
  const lb_m3 H = lb_m3_cross_mul(r, half);
  const lb_m3 Ht = lb_m3_transpose(H);
  to->A.x += from->A.x + (H.x + Ht.x);
  to->A.y += from->A.y + (H.y + Ht.y);
  to->A.z += from->A.z + (H.z + Ht.z);
  to->G.x += from->G.x - K.x;
  to->G.y += from->G.y - K.y;
  to->G.z += from->G.z - K.z;
  lb_m3_add(&to->C, from->C);
  to->n += from->n + lb_v4_cross(r, from->f);
  to->f += from->f;
}

// Add a rigid inertia (m in d, h, I in IA.A) whose origin is r further on. With s = h + m r / 2,
//   I' = I - [r][s] - [s][r] = I + 2 (r.s) 1 - (r s' + s r').
static inline void lb_composite_add(lb_state* p, const lb_state* c) {
  const lb_v4 r = c->r;
  const double m = c->d;
  const lb_v4 s = c->h + r * (0.5 * m);
  const double d = 2 * lb_v4_dot(r, s);
  lb_m3 I = c->IA.A;
  I.x[0] += d;
  I.y[1] += d;
  I.z[2] += d;
  lb_m3_add_outer(&I, -1, r, s);
  lb_m3_add_outer(&I, -1, s, r);
  lb_m3_add(&p->IA.A, I);
  p->h += c->h + r * m;
  p->d += m;
}
