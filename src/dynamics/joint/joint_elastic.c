// Elastic bodies and their faces as links; see elastic/reduced/reduced.h for the equations.
#include "dynamics/joint/joint_elastic.h"

#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/joint/joint.h"
#include "elastic/full/full_body.h"
#include "elastic/reduced/reduced_derivative.h"

// --- the body: fixed to its carrier, its coordinates move nothing of its own frame ---

static void body_place(lb_state* s, const double* q, const double sc[2]) {
  (void)sc;
  lb_elastic* e = s->elastic;
  e->eta = q;
  if (e->curved) {
    lb_curved_place(e->curved, &e->state, q);
  } else {
    lb_reduced_weigh(e->body, &e->state, q);
  }
}

void lb_elastic_move(lb_state* s, const lb_state* p, const double* qd) {
  s->elastic->etad = qd;
  if (s->elastic->curved) {
    lb_curved_move(s->elastic->curved, qd);
  }
  s->w = p->w;
  s->c_al = lb_v4_zero();
  s->c_a = lb_v4_cross(p->w, lb_v4_cross(p->w, s->r));
}

void lb_elastic_accelerate(lb_v4* al, lb_v4* a, const lb_state* s, const double* qdd) {
  (void)al, (void)a;
  s->elastic->etadd = qdd;
}

static void body_inertia(lb_state* s, lb_v4* n, lb_v4* f) {
  const lb_elastic* e = s->elastic;
  const lb_m3 Rt = lb_m3_transpose(s->R);
  const lb_reduced_motion motion = {lb_m3_apply(Rt, s->w), lb_m3_apply(Rt, s->al),
                                    lb_m3_apply(Rt, s->a)};
  lb_v4 bn, bf;
  lb_reduced_inertia(e->body, &e->state, motion, e->etad, e->etadd, &bn, &bf, e->Q);
  if (e->curved) {
    lb_curved_add_inertia(e->curved, &bn, &bf, e->Q);
  }
  *n += lb_m3_apply(s->R, bn);
  *f += lb_m3_apply(s->R, bf);
}

void lb_elastic_project(double* tau, const lb_state* s, lb_v4 n, lb_v4 f) {
  (void)n, (void)f;
  for (int k = 0; k < s->elastic->body->r; k++) {
    tau[k] += s->elastic->Q[k];
  }
}

void lb_elastic_columns(lb_v4* S, const lb_state* s) {
  for (int k = 0; k < 2 * s->elastic->body->r; k++) {
    S[k] = lb_v4_zero();
  }
}

const lb_joint lb_joint_elastic = {
    .place = body_place,
    .move = lb_elastic_move,
    .move_origin = lb_joint_move_origin,
    .accelerate = lb_elastic_accelerate,
    .inertia = body_inertia,
    .project = lb_elastic_project,
    .columns = lb_elastic_columns,
    .integrable = true,
};

// --- a face: moves with its body's coordinates ---

static void face_place(lb_state* s, const double* q, const double sc[2]) {
  (void)sc;
  lb_elastic* e = s->elastic;
  lb_face_place(e->body, e->face, &e->at, q);
  lb_face_link_place(s);
}

void lb_face_link_place(lb_state* s) {
  const lb_elastic* e = s->elastic;
  const lb_m3 R = e->base->R;
  s->r = lb_m3_apply(R, e->at.x);
  s->R = lb_m3_mul(R, e->at.R);
}

static void face_move(lb_state* s, const lb_state* p, const double* qd) {
  lb_elastic* e = s->elastic;
  lb_face_move(e->body, e->face, &e->at, qd);
  lb_face_link_move(s, p);
}

// Motion of a face: a ball joint for the rotation, and for the centroid d/dt (R x) twice.
void lb_face_link_move(lb_state* s, const lb_state* p) {
  const lb_elastic* e = s->elastic;
  const lb_v4 w = lb_m3_apply(s->R, e->at.w);
  const lb_v4 v = lb_m3_apply(p->R, e->at.xd);
  s->w = p->w + w;
  s->c_al = lb_v4_cross(p->w, w) + lb_m3_apply(s->R, e->at.c_w);
  s->c_a = lb_v4_cross(p->w, lb_v4_cross(p->w, s->r) + 2 * v);
}

void lb_face_link_move_origin(lb_state* s, const lb_state* p, const double* qd) {
  (void)qd;
  s->v = p->v + lb_v4_cross(p->w, s->r) + lb_m3_apply(p->R, s->elastic->at.xd);
}

static void face_accelerate(lb_v4* al, lb_v4* a, const lb_state* s, const double* qdd) {
  const lb_elastic* e = s->elastic;
  lb_v4 turn = lb_v4_zero(), shift = lb_v4_zero();
  for (int k = 0; k < e->body->r; k++) {
    turn += e->at.G[k] * qdd[k];
    shift += e->face->W[k] * qdd[k];
  }
  *al += lb_m3_apply(s->R, turn);
  *a += lb_m3_apply(e->base->R, shift);
}

static void face_project(double* tau, const lb_state* s, lb_v4 n, lb_v4 f) {
  const lb_elastic* e = s->elastic;
  const lb_v4 turn = lb_m3_apply_transposed(s->R, n);
  const lb_v4 shift = lb_m3_apply_transposed(e->base->R, f);
  for (int k = 0; k < e->body->r; k++) {
    tau[k] += lb_v4_sum(e->at.G[k] * turn + e->face->W[k] * shift);
  }
}

static void face_columns(lb_v4* S, const lb_state* s) {
  const lb_elastic* e = s->elastic;
  for (int k = 0; k < e->body->r; k++) {
    S[2 * k] = lb_m3_apply(s->R, e->at.G[k]);
    S[2 * k + 1] = lb_m3_apply(e->base->R, e->face->W[k]);
  }
}

// In the world's axes with g = R G_k and y the velocity W etad of the centroid in the body, T along
// k turns by dw_k and moves by -g x (W_i etad_i); see docs/derivatives.md.
static void face_bend(lb_motion* rate, lb_motion* curve, const lb_state* s, const double* qd,
                      const double* qdd) {
  lb_elastic* e = s->elastic;
  const int r = e->body->r;
  lb_v4 shift = lb_v4_zero();
  for (int k = 0; k < r; k++) {
    shift += e->face->W[k] * qdd[k];
  }
  lb_face_move(e->body, e->face, &e->at, qd); // it may be asked about other velocities
  const lb_v4 xd = lb_m3_apply(e->base->R, e->at.xd);
  const lb_v4 xdd = lb_m3_apply(e->base->R, shift);
  const lb_v4 w = lb_m3_apply(s->R, e->at.w);
  lb_face_derive(e->body, e->face, &e->at, qd, qdd, e->dw, e->dwd);
  for (int k = 0; k < r; k++) {
    const lb_v4 g = lb_m3_apply(s->R, e->at.G[k]);
    const lb_v4 dw = lb_m3_apply(s->R, e->dw[k]);
    rate[k] = (lb_motion){dw, -lb_v4_cross(g, xd)};
    curve[k] =
        (lb_motion){lb_m3_apply(s->R, e->dwd[k]),
                    lb_v4_cross(w, lb_v4_cross(g, xd)) - lb_v4_cross(dw, xd) - lb_v4_cross(g, xdd)};
  }
}

static void face_bend_force(double* K, int stride, const lb_state* s, lb_v4 n, lb_v4 f) {
  const lb_elastic* e = s->elastic;
  const lb_v4 pull = lb_m3_apply_transposed(e->base->R, f);
  lb_face_derive_moment(e->body, e->face, &e->at, lb_m3_apply_transposed(s->R, n), K, stride);
  for (int i = 0; i < e->body->r; i++) {
    // -(g_k x W_i).f = g_k.(f x W_i)
    const lb_v4 arm = lb_m3_apply_transposed(e->at.R, lb_v4_cross(pull, e->face->W[i]));
    for (int k = 0; k < e->body->r; k++) {
      K[i * stride + k] += lb_v4_dot(arm, e->at.G[k]);
    }
  }
}

const lb_joint lb_joint_face = {
    .place = face_place,
    .move = face_move,
    .move_origin = lb_face_link_move_origin,
    .accelerate = face_accelerate,
    .project = face_project,
    .columns = face_columns,
    .integrable = true,
    .bend = face_bend,
    .bend_force = face_bend_force,
};

// --- memory ---

static lb_elastic* lay_out_link(lb_carver* c, lb_elastic* e, const lb_link* l) {
  const bool face = lb_link_is_face(l->kind), full = l->reduced->full;
  const size_t r = (size_t)l->reduced->r;
  const size_t nodes = full && !face ? r : 0, shapes = full || face ? 0 : r,
               traces = !full && face && l->kind != LB_LINK_EFFECTOR ? r : 0;
  lb_elastic made = {.body = l->reduced, .face = face ? &l->reduced->face[l->face] : NULL};
  made.Q = lb_carve(c, face ? 0 : r, sizeof(double));
  made.field = lb_carve(c, nodes, sizeof(double));
  made.state.B = lb_carve(c, shapes, sizeof(lb_m3));
  made.state.C = lb_carve(c, shapes, sizeof(lb_v4));
  made.at.G = lb_carve(c, traces, sizeof(lb_v4));
  made.dw = lb_carve(c, traces, sizeof(lb_v4));
  made.dwd = lb_carve(c, traces, sizeof(lb_v4));
  made.effector = l->kind == LB_LINK_EFFECTOR ? lb_effector_lay_out(c, l->reduced) : NULL;
  made.curved = face ? NULL : lb_curved_lay_out(c, l->reduced);
  if (c->base) {
    *e = made;
    e->body = e->curved ? &e->curved->here : e->body;
  }
  return e;
}

void lb_elastic_lay_out(lb_carver* c, const lb_model* m, lb_work* w) {
  if (m->elastic.count == 0) {
    return;
  }
  const size_t nd = (size_t)m->ndense;
  w->elastic = lb_carve(c, (size_t)m->elastic.count + (size_t)m->elastic.nface, sizeof *w->elastic);
  w->M = lb_carve(c, nd * nd, sizeof(double));
  int scratch = 0;
  for (int i = 0; i < m->nlink; i++) {
    const int wanted =
        m->link.packed[i].reduced ? lb_reduced_scratch(m->link.packed[i].reduced) : 0;
    scratch = wanted > scratch ? wanted : scratch;
  }
  w->scratch = lb_carve(c, (size_t)scratch, sizeof(double));
  int count = 0;
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    if (l->reduced) {
      lb_elastic* e = lay_out_link(c, w->elastic ? &w->elastic[count] : NULL, l);
      if (c->base) {
        w->state[i].elastic = e;
        e->base = lb_link_is_face(l->kind) ? &w->state[l->parent] : NULL;
      }
      count++;
    }
  }
}

// --- energy ---

double lb_elastic_gravity(const lb_model* m, const lb_work* w) {
  const lb_v4 g = lb_v4_from(m->gravity);
  double sum = 0;
  for (int i = 0; i < m->nlink; i++) {
    lb_state* s = &w->state[i];
    if (lb_link_is_elastic(m->link.packed[i].kind)) {
      if (s->elastic->body->full) {
        lb_full_state_weigh(s);
      }
      sum -= lb_v4_dot(g, s->p * s->elastic->body->m + lb_m3_apply(s->R, s->elastic->state.h));
    }
  }
  return sum;
}

double lb_elastic_kinetic(const lb_model* m, const lb_work* w) {
  double sum = 0;
  for (int i = 0; i < m->nlink; i++) {
    const lb_state* s = &w->state[i];
    const lb_elastic* e = lb_link_is_elastic(m->link.packed[i].kind) ? s->elastic : NULL;
    if (e && e->body->full) {
      sum += lb_full_state_kinetic(s);
    } else if (e) {
      sum += lb_reduced_kinetic(e->body, &e->state, lb_m3_apply_transposed(s->R, s->v),
                                lb_m3_apply_transposed(s->R, s->w), e->etad);
    }
  }
  return sum;
}

// int rho (v + w x x + xd) and int rho x x (v + w x x + xd)
void lb_elastic_momentum(const lb_state* s, lb_v4* linear, lb_v4* angular) {
  const lb_elastic* e = s->elastic;
  const lb_reduced* b = e->body;
  const lb_v4 v = lb_m3_apply_transposed(s->R, s->v);
  const lb_v4 spin = lb_m3_apply_transposed(s->R, s->w);
  lb_v4 P, L;
  if (b->full) {
    lb_full_momentum(b->full, v, spin, e->eta, e->etad, &P, &L, e->field, e->Q);
  } else {
    P = v * b->m + lb_v4_cross(spin, e->state.h);
    L = lb_m3_apply(e->state.I, spin) + lb_v4_cross(e->state.h, v);
    for (int k = 0; k < b->r; k++) {
      P += b->H[k] * e->etad[k];
      L += e->state.C[k] * e->etad[k];
    }
  }
  *linear += lb_m3_apply(s->R, P);
  *angular += lb_m3_apply(s->R, L);
}

// --- internal forces ---

static int body_count(const lb_model* m) {
  return m->elastic.count;
}

// Elastic force and Rayleigh damping (alpha M + beta K(eta)) etad.
static void apply(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    if (lb_link_is_elastic(l->kind)) {
      lb_reduced_add_forces(l->reduced, d->work->tau + l->v, d->q + l->q, d->qd + l->v,
                            d->work->scratch);
    }
  }
}

static double energy(const lb_model* m, lb_data* d) {
  double sum = 0;
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    if (lb_link_is_elastic(l->kind)) {
      const lb_reduced_force* force = &l->reduced->internal;
      sum += l->reduced->full ? lb_fem_energy(l->reduced->full->fem, d->q + l->q)
                              : force->energy(force->context, d->q + l->q, d->work->scratch);
    }
  }
  return sum;
}

static void differentiate(lb_derivatives* D, lb_data* d, bool symmetric) {
  const lb_model* m = D->model;
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    const size_t at = (size_t)l->v * ((size_t)m->nv + 1);
    double *K = D->tau_q + at, *C = D->tau_qd + at;
    if (!lb_link_is_elastic(l->kind) || l->reduced->full) {
      continue;
    }
    lb_reduced_derive_forces(l->reduced, K, C, m->nv, d->q + l->q, symmetric ? NULL : d->qd + l->v,
                             D->work->block, d->work->scratch);
  }
}

const lb_force lb_force_elastic = {.name = "elastic body",
                                   .count = body_count,
                                   .apply = apply,
                                   .energy = energy,
                                   .differentiate = differentiate,
                                   .stiff = true,
                                   .internal = true};

// --- inversion ---

static double link_volume(const lb_link* l, const double* q, lb_vec3* at) {
  if (l->reduced->full) {
    const lb_fem* fem = l->reduced->full->fem;
    int elem = 0;
    const double volume = lb_fem_least_volume(fem, q, &elem);
    *at = lb_fem_elem_middle(fem, elem);
    return volume;
  }
  const lb_reduced_force* force = &l->reduced->internal;
  return force->least_volume ? force->least_volume(force->context, q, at) : INFINITY;
}

lb_squeeze lb_least_volume(const lb_model* m, const lb_data* d) {
  lb_squeeze least = {.body = -1, .volume = INFINITY};
  for (int i = 0; m->elastic.count > 0 && i < m->nbody; i++) {
    const int link = m->body.link[i];
    lb_vec3 at = {0, 0, 0};
    if (link != LB_WORLD && lb_link_is_elastic(m->link.kind[link])) {
      const double volume = link_volume(&m->link.packed[link], d->q + m->link.q[link], &at);
      if (least.body < 0 || !(volume >= least.volume)) {
        least = (lb_squeeze){i, volume, at};
      }
    }
  }
  return least;
}
