// Elastic bodies with all their nodes as links, and their faces: joint_elastic.c with the
// displacements of the nodes for coordinates (elastic/full/full_body.h).
#include "elastic/full/full_body.h"

#include <string.h>

#include "dynamics/force/force.h"
#include "dynamics/joint/joint.h"
#include "dynamics/joint/joint_elastic.h"

static const lb_full* body_of(const lb_state* s) {
  return s->elastic->body->full;
}

static const lb_full_face* face_of(const lb_state* s) {
  return &body_of(s)->face[s->elastic->face - s->elastic->body->face];
}

// --- the body ---

static void body_place(lb_state* s, const double* q, const double sc[2]) {
  (void)sc;
  s->elastic->eta = q;
}

static void body_inertia(lb_state* s, lb_v4* n, lb_v4* f) {
  const lb_elastic* e = s->elastic;
  const lb_reduced_motion motion = {lb_m3_apply_transposed(s->R, s->w),
                                    lb_m3_apply_transposed(s->R, s->al),
                                    lb_m3_apply_transposed(s->R, s->a)};
  lb_v4 bn, bf;
  lb_full_inertia(body_of(s), motion, e->eta, e->etad, e->etadd, &bn, &bf, e->Q, e->field);
  *n += lb_m3_apply(s->R, bn);
  *f += lb_m3_apply(s->R, bf);
}

const lb_joint lb_joint_full = {
    .place = body_place,
    .move = lb_elastic_move,
    .move_origin = lb_joint_move_origin,
    .accelerate = lb_elastic_accelerate,
    .inertia = body_inertia,
    .project = lb_elastic_project,
    .columns = lb_elastic_columns,
};

// --- a face ---

static void face_place(lb_state* s, const double* q, const double sc[2]) {
  (void)sc;
  lb_elastic* e = s->elastic;
  lb_full_face_place(face_of(s), &e->at, q);
  lb_face_link_place(s);
}

static void face_move(lb_state* s, const lb_state* p, const double* qd) {
  lb_full_face_move(face_of(s), &s->elastic->at, qd);
  lb_face_link_move(s, p);
}

static void face_accelerate(lb_v4* al, lb_v4* a, const lb_state* s, const double* qdd) {
  lb_v4 turn, shift;
  lb_full_face_rates(face_of(s), &s->elastic->at, qdd, &turn, &shift);
  *al += lb_m3_apply(s->R, turn);
  *a += lb_m3_apply(s->elastic->base->R, shift);
}

static void face_project(double* tau, const lb_state* s, lb_v4 n, lb_v4 f) {
  lb_full_face_spread(face_of(s), &s->elastic->at, tau, lb_m3_apply_transposed(s->R, n),
                      lb_m3_apply_transposed(s->elastic->base->R, f));
}

// Only the face's own nodes move it.
static void face_columns(lb_v4* S, const lb_state* s) {
  const lb_full_face* face = face_of(s);
  const lb_elastic* e = s->elastic;
  memset(S, 0, 2 * (size_t)e->body->r * sizeof *S);
  for (int i = 0; i < face->count; i++) {
    const lb_v4 axes[3] = {e->base->R.x, e->base->R.y, e->base->R.z};
    const lb_m3 Rt = lb_m3_transpose(e->at.R);
    const lb_v4 local[3] = {Rt.x, Rt.y, Rt.z};
    for (int c = 0; c < 3; c++) {
      const lb_v4 turn = lb_m3_apply(e->at.Yinv, lb_v4_cross(face->arm[i], local[c]));
      lb_v4* column = S + 2 * (3 * (size_t)face->node[i] + (size_t)c);
      column[0] = lb_m3_apply(s->R, turn) * face->weight[i];
      column[1] = axes[c] * face->weight[i];
    }
  }
}

const lb_joint lb_joint_full_face = {
    .place = face_place,
    .move = face_move,
    .move_origin = lb_face_link_move_origin,
    .accelerate = face_accelerate,
    .project = face_project,
    .columns = face_columns,
};

// --- energy and forces ---

void lb_full_state_weigh(lb_state* s) {
  const lb_elastic* e = s->elastic;
  lb_reduced_state* own = &s->elastic->state;
  lb_full_weigh(body_of(s), &own->h, &own->I, e->eta, e->field, e->Q);
}

double lb_full_state_kinetic(const lb_state* s) {
  const lb_elastic* e = s->elastic;
  return lb_full_kinetic(body_of(s), lb_m3_apply_transposed(s->R, s->v),
                         lb_m3_apply_transposed(s->R, s->w), e->eta, e->etad, e->field, e->Q);
}
