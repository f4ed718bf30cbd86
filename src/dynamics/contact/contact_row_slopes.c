// Derivatives of rows: (1) of contact_slopes.h, and what rows ask for.
#include <string.h>

#include "dynamics/contact/contact_slopes_inside.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/dense.h"
#include "model/use/link.h"
#include "model/use/motor_use.h"

// --- fields ---

// A field of motions at a link's origin, and its change by coordinate k or, by_rate, by velocity k.
typedef struct field {
  bool accelerates; // what velocities bring of accelerations, else velocities
  bool by_rate;
} field;

static lb_motion value_of(const lb_data* d, field f, int link) {
  if (link == LB_WORLD) {
    return lb_motion_zero();
  }
  const lb_state* s = &d->work->state[link];
  return f.accelerates ? (lb_motion){s->al, s->a} : (lb_motion){s->w, s->v};
}

static lb_motion change_of(const lb_contact_slopes* S, const lb_data* d, field f, int side,
                           int link, int k) {
  const lb_motion move = S->column[side][0][k], psi = S->column[side][1][k];
  if (link == LB_WORLD) {
    return lb_motion_zero();
  }
  const lb_state* s = &d->work->state[link];
  if (f.by_rate) {
    const lb_motion sig = S->column[side][3][k];
    return f.accelerates ? (lb_motion){sig.w + lb_v4_cross(move.w, s->w),
                                       sig.v + lb_v4_cross(move.w, s->v) * 2}
                         : move;
  }
  const lb_motion x = value_of(d, f, link), chi = S->column[side][2][k];
  const lb_motion turned = {lb_v4_cross(move.w, x.w), lb_v4_cross(move.w, x.v)};
  return lb_motion_add(turned, f.accelerates ? (lb_motion){chi.w + lb_v4_cross(psi.w, s->w),
                                                           chi.v + lb_v4_cross(psi.w, s->v) * 2}
                                             : psi);
}

static void find_columns(lb_contact_slopes* S, const lb_derivatives* D, const lb_touch* t) {
  const lb_derivation* W = D->work;
  for (int side = 0; side < 2; side++) {
    const lb_motion* const from[] = {W->S, W->psi, W->chi, W->sig};
    for (int k = 0; k < 4; k++) {
      lb_derive_columns(D, S->column[side][k], from[k], lb_slopes_link(S, t, side), lb_v4_zero());
    }
  }
}

// Turning at a link that is its own frame's brings no acceleration (free_axes.h).
static bool counts(const lb_contact_slopes* S, field f, int link) {
  return link != LB_WORLD && !(f.accelerates && lb_link_turns_free(S->m, link));
}

// X of a row, and its change by k, both at the point: (1).
typedef struct relative {
  lb_motion x, change;
} relative;

static relative find_relative(const lb_contact_slopes* S, const lb_data* d, const lb_touch* t,
                              const lb_point_slopes* p, field f, int k) {
  relative r = {lb_motion_zero(), lb_motion_zero()};
  for (int side = 0; side < 2; side++) {
    const int link = lb_slopes_link(S, t, side);
    const double sign = side == 0 ? 1 : -1;
    if (!counts(S, f, link)) {
      continue;
    }
    const lb_motion x = value_of(d, f, link), c = change_of(S, d, f, side, link, k);
    const lb_v4 arm = t->arm[side];
    lb_v4 v = c.v + lb_v4_cross(c.w, arm);
    if (!f.by_rate) {
      v += lb_v4_cross(x.w, p->at[k] - S->column[side][0][k].v);
    }
    r.x = lb_motion_add(r.x, (lb_motion){x.w * sign, (x.v + lb_v4_cross(x.w, arm)) * sign});
    r.change = lb_motion_add(r.change, (lb_motion){c.w * sign, v * sign});
  }
  return r;
}

static double row_change(const lb_touch* t, const lb_point_slopes* p, int direction, relative r,
                         bool by_rate, int k) {
  const int axis = lb_slopes_axis(direction);
  const bool turns = direction >= 3;
  const double along = lb_v4_dot(t->axis[axis], turns ? r.change.w : r.change.v);
  return by_rate ? along : along + lb_v4_dot(p->axis[axis][k], turns ? r.x.w : r.x.v);
}

// Add scale times the derivative of what the rows of a point see of a field, after lb_derive at its
// velocities; `normal`: of the first row alone.
static void add_field(lb_contact_slopes* S, const lb_data* d, int i, field f, double scale,
                      bool normal, double* W) {
  const lb_touch* t = &S->C->touch[i];
  const int rows = normal ? 1 : t->nrow;
  for (int k = 0; k < S->m->nv; k++) {
    const relative r = find_relative(S, d, t, &S->point[i], f, k);
    for (int a = 0; a < rows; a++) {
      const int row = t->row + a;
      W[(size_t)row * (size_t)S->m->nv + (size_t)k] +=
          scale * row_change(t, &S->point[i], S->C->direction[row], r, f.by_rate, k);
    }
  }
}

// Inverse dynamics at these velocities, without accelerations and gravity.
static void go_to(lb_contact_slopes* S, lb_data* d, lb_derivatives* D, const double* q,
                  const double* v) {
  const lb_v4 gravity = d->work->state[-1].a;
  d->work->state[-1].a = lb_v4_zero();
  memset(d->qdd, 0, (size_t)S->m->nv * sizeof *d->qdd);
  lb_derive(D, d, q, v, d->qdd, false);
  lb_move_origins(S->m, d->work, v);
  d->work->state[-1].a = gravity;
}

// --- rows ---

// Belts turn with their links.
static void add_belts(lb_contact_slopes* S, const lb_data* d, int i) {
  const lb_touch* t = &S->C->touch[i];
  for (int side = 0; side < 2; side++) {
    const lb_model_collider* c = &S->m->contact.collider[t->collider[side]];
    const lb_v4 belt = lb_m3_apply(d->work->state[c->link].R, lb_v4_from(c->belt));
    const double sign = side == 0 ? 1 : -1;
    for (int a = 1; a < t->nrow; a++) {
      const int row = t->row + a, direction = S->C->direction[row],
                axis = lb_slopes_axis(direction);
      for (int k = 0; k < S->m->nv && direction < 3; k++) {
        const lb_v4 turned = lb_v4_cross(S->column[side][0][k].w, belt);
        S->Wq[(size_t)row * (size_t)S->m->nv + (size_t)k] +=
            sign * (lb_v4_dot(S->point[i].axis[axis][k], belt) + lb_v4_dot(t->axis[axis], turned));
      }
    }
  }
}

static void take_end(lb_contact_slopes* S, const lb_data* d, const lb_derivatives* D) {
  for (int i = 0; i < S->C->ntouch; i++) {
    find_columns(S, D, &S->C->touch[i]);
    add_field(S, d, i, (field){false, false}, 1, false, S->Wq);
    add_belts(S, d, i);
  }
}

static void take_bias(lb_contact_slopes* S, const lb_data* d, const lb_derivatives* D) {
  for (int i = 0; i < S->C->ntouch; i++) {
    find_columns(S, D, &S->C->touch[i]);
    add_field(S, d, i, (field){true, false}, S->h, false, S->Wq);
    add_field(S, d, i, (field){true, true}, S->h, false, S->Wb);
  }
}

// What velocities bring of acceleration along a point's normal, after lb_derive.
static double bias_along(const lb_contact_slopes* S, const lb_data* d, const lb_touch* t) {
  lb_v4 a = lb_v4_zero();
  for (int side = 0; side < 2; side++) {
    const int link = lb_slopes_link(S, t, side);
    const field f = {true, false};
    const lb_motion x = counts(S, f, link) ? value_of(d, f, link) : lb_motion_zero();
    a += (x.v + lb_v4_cross(x.w, t->arm[side])) * (side == 0 ? 1 : -1);
  }
  return lb_v4_dot(t->axis[0], a);
}

bool lb_contact_slopes_bounces(const lb_contact_slopes* S) {
  bool any = false;
  for (int i = 0; S->nrow > 0 && i < S->C->ntouch; i++) {
    any |= S->C->touch[i].bounce > 0;
  }
  return any;
}

// What the normal row of a point asks for by `closing` and `free`, (6) of contact_solve.c: both are
// minus what the row sees of velocities, the latter less what velocities bring.
static void take_bounces(lb_contact_slopes* S, lb_data* d, lb_derivatives* D, const double* q,
                         const lb_contact_moves* moves, const lb_asked_slopes* asked) {
  go_to(S, d, D, q, moves->bias);
  for (int i = 0; i < S->C->ntouch; i++) {
    find_columns(S, D, &S->C->touch[i]);
    add_field(S, d, i, (field){true, false}, -asked[i].free * S->h, true, S->Wq);
    add_field(S, d, i, (field){true, true}, -asked[i].free * S->h, true, S->Wb);
  }
  go_to(S, d, D, q, moves->start);
  for (int i = 0; i < S->C->ntouch; i++) {
    find_columns(S, D, &S->C->touch[i]);
    add_field(S, d, i, (field){false, false}, -asked[i].closing, true, S->Wq);
    lb_slopes_add_row(S, S->C->touch[i].row, -asked[i].closing,
                      lb_slopes_row(S, S->Wc, S->C->touch[i].row));
  }
  go_to(S, d, D, q, moves->free);
  for (int i = 0; i < S->C->ntouch; i++) {
    find_columns(S, D, &S->C->touch[i]);
    add_field(S, d, i, (field){false, false}, -asked[i].free, true, S->Wq);
    lb_slopes_add_row(S, S->C->touch[i].row, -asked[i].free,
                      lb_slopes_row(S, S->Wf, S->C->touch[i].row));
  }
}

static void take_servos(lb_contact_slopes* S) {
  const lb_model* m = S->m;
  for (int i = 0; i < lb_servos_as_rows(m); i++) {
    const lb_bounded_row* s = &S->C->beside.bounded[i];
    const lb_model_servo* by = &m->motor.servo[i];
    const bool exact = by->stiffness == 0 && by->damping == 0;
    const double a = exact ? 0 : 1 / (S->h * by->stiffness + by->damping);
    const double value = exact ? 1 / S->h : a * by->stiffness;
    lb_slopes_row(S, S->Wq, s->row)[lb_servo_v(m, i)] += value;
    S->motor[s->row] = (lb_row_motor){by->motor, -value, -a * by->damping};
  }
}

static void take_rows(lb_contact_slopes* S, lb_data* d, lb_derivatives* D, const double* q,
                      const lb_contact_moves* moves) {
  go_to(S, d, D, q, moves->end);
  take_end(S, d, D);
  go_to(S, d, D, q, moves->bias);
  take_bias(S, d, D);
  lb_asked_slopes* asked = LB_TAKE(&S->scratch, lb_asked_slopes, S->C->ntouch);
  for (int i = 0; i < S->C->ntouch && asked; i++) {
    const lb_touch* t = &S->C->touch[i];
    const double free = -lb_slopes_dot_row(S, t->row, moves->free) - S->h * bias_along(S, d, t);
    asked[i] = lb_contacts_asked_slopes(S->C, t, S->h, free, S->places);
    lb_add(S->m->nv, lb_slopes_row(S, S->Wq, t->row), asked[i].gap, S->point[i].gap);
  }
  if (asked && lb_contact_slopes_bounces(S)) {
    take_bounces(S, d, D, q, moves, asked);
  }
}

void lb_contact_slopes_choose(lb_contact_slopes* S, bool places) {
  const size_t size = (size_t)S->nrow * (size_t)S->m->nv;
  if (S->nrow > 0) {
    S->places = places && S->C->places.twice;
    S->lambda = lb_contacts_choose(S->C, S->places);
    S->Wq = S->W[S->places];
    S->Wb = S->Wq + size;
    S->Wc = S->Wb + size;
    S->Wf = S->Wc + size;
  }
}

void lb_contact_slopes_find_rows(lb_contact_slopes* S, lb_data* d, lb_derivatives* D, bool places,
                                 const lb_contact_moves* moves) {
  lb_contact_slopes_choose(S, places);
  for (int i = 0; i < S->nrow; i++) {
    S->motor[i].motor = -1;
  }
  if (S->nrow == 0) {
    return;
  }
  take_rows(S, d, D, d->q, moves);
  take_servos(S);
  lb_arena_reset(&S->scratch, (lb_arena_mark){0});
}

void lb_contact_slopes_add_constraints(lb_contact_slopes* S, const double* gap_q,
                                       const double* rate_q) {
  const size_t nv = (size_t)S->m->nv;
  for (int i = 0; S->nrow > 0 && i < S->C->beside.nexact; i++) {
    if (S->C->beside.exact[i] >= 0) {
      double* W = lb_slopes_row(S, S->Wq, S->C->beside.exact[i]);
      lb_add((int)nv, W, 1, rate_q + (size_t)i * nv);
      lb_add((int)nv, W, 1 / S->h, gap_q + (size_t)i * nv);
    }
  }
}
