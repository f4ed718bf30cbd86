// What sticks to a carrier that moves. Rows hold velocities v + w x r over a step, r from the place
// P of a link's centre of mass when the step begins. Points of the link go along arcs meanwhile,
// and prescribed motions go from place to place. So at the end of the step a point is beside where
// its row thinks by
//
//   F(r) = D + T x r + N r,   N = exp(h w) - 1 - h w x                                     (1)
//
// where D and T are what the pose is beside P + h v and exp(h w) R: those of prescribed motions, of
// joints, and of gaps that are closed. All is of second order, and what sticks would creep by the
// sum of it. So rows of what sticks ask
//
//   w = e.(va - vb) + e.(Fa - Fb)/h                                                        (2)
//
// with D and T of the step before, turned along with the link. What is left of a step is the change
// of F from one to the next, and the sum of changes does not grow. F is a link's and no point's:
// rows do not contradict each other, wherever a body is held. Normals have it, too. Else a body
// would lag behind what lifts it and be caught up with in turn, and way along a normal that turns
// is creep.
//
// D and T are of second order in the step: h times the change of velocity in it, and h^2 times how
// the way bends. What is more was moved by hand, from outside, and has no velocity.
//
// N is that of the turning that both links have in common, by which they stay as they are to each
// other: what rolls on the ground has none. Only a pair that stuck a step before is held so, and
// impacts know none of it. Nor do runs that are differentiated: their steps have no step before.
#include <math.h>

#include "dynamics/contact/contact_inside.h"
#include "dynamics/tree/kinematics.h"
#include "math/space/se3.h"

static const double TURNS = 1e-7;  // turning in a step that counts
static const double NONE = 1e-7;   // of D and T that need no reason, over the size of 1 m, and 1
static const double SLIDES = 1e-7; // way in a step of a point that slides, over the smaller size
static const double INSIDE = 1 - 1e-7; // friction of a point that sticks, over its limit

static double square(lb_v4 x) {
  return lb_v4_dot(x, x);
}

// The smaller size of a point's colliders; a flat mesh has none.
static double size_of(const lb_contacts* C, const lb_touch* t) {
  const double a = C->collider[t->collider[0]].size, b = C->collider[t->collider[1]].size;
  return fmin(a, b) > 0 ? fmin(a, b) : fmax(a, b);
}

static lb_m3 turn_by(lb_v4 x) {
  return lb_m3_from(lb_so3_exp(lb_v4_vec3(x)));
}

// --- links ---

// Links that bend, and what they carry, have velocities beside their own.
static bool bends(const lb_model* m) {
  bool any = false;
  for (int i = 0; i < m->nlink; i++) {
    any |= lb_link_is_elastic(m->link.kind[i]) || lb_link_is_face(m->link.kind[i]);
  }
  return any;
}

bool lb_contacts_take_lags(lb_contacts* C) {
  const lb_model* m = C->m;
  const int nshape = bends(m) ? 0 : m->contact.nshape;
  lb_link_lag* link = lb_arena_take_array(&C->arena, (size_t)m->nlink + 1, sizeof *link, LB_ALIGN);
  if (!link) {
    return false;
  }
  C->lags.link = link + 1;
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    link[i + 1].centre = l->m > 0 ? l->h / l->m : lb_v4_zero();
  }
  for (int i = 0; i < nshape; i++) {
    const lb_collider_state* c = &C->collider[i];
    const bool free = c->group >= 0 && C->group[c->group].link >= 0;
    link[c->link + 1].carries = c->link != LB_WORLD && !free;
    C->lags.carriers |= link[c->link + 1].carries;
  }
  return true;
}

// Within `most` of its kind, or it is none.
static lb_v4 if_small(lb_v4 x, double most) {
  return square(x) < most * most ? x : lb_v4_zero();
}

// D and T of the step that ends here, of `last`, as they will be in one of h.
static void find_lag(lb_link_lag* to, const lb_state* s, lb_motion now, double last, double h) {
  const lb_v4 dv = now.v - to->before.v, dw = now.w - to->before.w;
  const double w = sqrt(square(now.w)), bend = last * w * sqrt(square(now.v));
  const double far = last * (sqrt(square(dv)) + bend),
               wide = last * (sqrt(square(dw)) + last * w * w);
  const lb_m3 E = turn_by(s->w * h), off = lb_m3_mul(s->R, lb_m3_transpose(to->turned));
  const double by = h * h / (last * last);
  to->move = lb_m3_apply(E, if_small(to->p - to->place, far + NONE)) * by;
  to->turn = lb_m3_apply(E, if_small(lb_m3_axial(off) * 0.5, wide + NONE)) * by;
}

void lb_contacts_find_lags(lb_contacts* C, const lb_data* d, double h) {
  const double last = C->lags.h;
  C->lags.h = 0;
  for (int i = 0; i < C->m->nlink && C->m->contact.nshape > 0; i++) {
    const lb_state* s = &d->work->state[i];
    lb_link_lag* to = &C->lags.link[i];
    const lb_v4 c = lb_m3_apply(s->R, to->centre);
    to->p = s->p + c;
    if (!to->carries) {
      continue;
    }
    const lb_motion now = {s->w, s->v + lb_v4_cross(s->w, c)};
    to->R = s->R;
    to->move = to->turn = lb_v4_zero();
    if (last > 0 && to->expected) {
      find_lag(to, s, now, last, h);
    }
    to->before = now;
  }
}

// Velocities of a link at its origin by those of coordinates.
static lb_motion motion_of(const lb_contacts* C, const lb_work* w, int link, const double* v) {
  const lb_link* l = &C->m->link.packed[link];
  const lb_state* s = &w->state[link];
  const lb_motion p = C->lags.link[l->parent].motion;
  lb_motion x = {p.w, p.v + lb_v4_cross(p.w, s->r)};
  for (int k = 0; k < l->nv; k++) {
    const lb_v4* S = w->S + 2 * (size_t)(l->column + k);
    x.w += S[0] * v[l->v + k];
    x.v += S[1] * v[l->v + k];
  }
  return x;
}

// Links that something sticks to; false: there are none.
static bool find_stuck(lb_contacts* C) {
  bool any = false;
  for (int i = 0; i < C->m->nlink; i++) {
    C->lags.link[i].expected = false;
  }
  for (int i = 0; i < 2 * C->ntouch; i++) {
    const lb_touch* t = &C->touch[i / 2];
    lb_link_lag* l = &C->lags.link[C->collider[t->collider[i % 2]].link];
    l->expected = l->expected || (l->carries && t->sticks);
    any |= l->expected;
  }
  return any;
}

void lb_contacts_expect(lb_contacts* C, const lb_data* d, const double* v, double h) {
  C->lags.h = 0;
  if (!C->lags.carriers || C->isolated || !find_stuck(C)) {
    return;
  }
  lb_fill_columns(C->m, d->work);
  for (int i = 0; i < C->m->nlink; i++) {
    lb_link_lag* to = &C->lags.link[i];
    const lb_motion x = to->motion = motion_of(C, d->work, i, v);
    if (to->expected) {
      const lb_motion b = C->bias[i];
      const lb_v4 w = x.w + b.w * h, c = lb_m3_apply(to->R, to->centre);
      to->place = to->p + (x.v + b.v * h + lb_v4_cross(w, c)) * h;
      to->turned = lb_m3_mul(turn_by(w * h), to->R);
    }
  }
  C->lags.h = h;
}

// --- points ---

// What the turning of two links has in common: their mean where both are alike, to first order, and
// nothing where one does not turn or they turn across each other.
static lb_v4 common(lb_v4 a, lb_v4 b) {
  const double both = lb_v4_dot(a, b);
  return both > 0 ? (a + b) * (both / (square(a) + square(b))) : lb_v4_zero();
}

// N r
static lb_v4 bend(lb_v4 w, lb_v4 way, double h) {
  return lb_m3_apply(turn_by(w * h), way) - way - lb_v4_cross(w, way) * h;
}

static bool stuck_before(const lb_contacts* C, int first, int after) {
  bool any = false;
  for (int i = first; i < after; i++) {
    any |= C->touch[i].carried;
  }
  return any;
}

void lb_contacts_set_lags(const lb_contacts* C, int first, int after, double h) {
  const lb_touch* t = &C->touch[first];
  const lb_collider_state *ca = &C->collider[t->collider[0]], *cb = &C->collider[t->collider[1]];
  const lb_link_lag *a = &C->lags.link[ca->link], *b = &C->lags.link[cb->link];
  if (C->isolated || !stuck_before(C, first, after)) {
    return;
  }
  const lb_v4 w = common(ca->w, cb->w);
  const bool turns = square(w) * h * h > TURNS * TURNS;
  const lb_v4 both = a->move - b->move + (turns ? bend(w, b->p - a->p, h) : lb_v4_zero());
  for (int i = first; i < after; i++) {
    lb_touch* to = &C->touch[i];
    const lb_v4 F =
        both + lb_v4_cross(a->turn, to->at - a->p) - lb_v4_cross(b->turn, to->at - b->p);
    to->carried = true;
    to->lag = F;
  }
}

bool lb_touch_sticks(const lb_contacts* C, const lb_touch* t) {
  const double* lambda = C->lambda + t->row;
  if (t->bounce > 0 || !(t->surface.friction > 0) || !(lambda[0] > 0)) {
    return false;
  }
  const double x = fabs(lambda[1]), y = fabs(lambda[2]);
  const double pull = C->m->contact.set.cone == LB_CONE_ROUND ? sqrt(x * x + y * y) : fmax(x, y);
  // what begins to be carried has its lag to catch up with, and may slide for that
  const double slow = fmax(SLIDES * size_of(C, t), t->carried ? sqrt(square(t->lag)) : 0);
  const double slides = slow / C->duration;
  return pull < INSIDE * t->surface.friction * lambda[0] || square(t->slip) < slides * slides;
}
