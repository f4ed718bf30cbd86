// Motion within a step. Points are found at the pose that a step begins with, out to where bodies
// come at the speed that they begin with. Two things go wrong with bodies that are fast against
// their size:
//
// A pair that is far apart has the normal of its nearest points there, and would stop at a plane
// across it that it only passes. So its way is followed (lb_collide_impact). A pair that does not
// meet is left out. One that meets has the normal of where it does: with the time T of that, and
// the speed c at which points close there,
//
//   gap = c T + what is left of it at T                                                   (1)
//
// A body that turns by much within a step may turn its points away while its middle goes through.
// So the ball within it has a point of its own, beside one or two:
//
//   gap = n.(c - n r - x),   c the middle, r the half width, x a point of the other surface    (2)
//
// It is nearer to the middle than other points, and idle where these do.
//
// A body that is struck, or pushed hard, goes farther than was searched. So its speed after the
// solution counts, pairs are searched again out to there, and all is solved again. Pairs that were
// left out and meet by the new velocities take part then.
#include <math.h>

#include "dynamics/contact/contact_inside.h"
#include "dynamics/tree/kinematics.h"
#include "math/space/se3.h"

// Way of a body that is short against its half width. Overlaps of this much are pushed apart on the
// right side.
static const double LEAP = 0.2;
// Distance at which two meet, over the smaller size.
static const double MEETS = 1e-4;
// Overlap in the end by which a normal was the wrong one, over the same.
static const double WRONG = 0.25;
// Feature of a ball within.
static const uint64_t INNER = (uint64_t)5 << 60;
// Cosine of an angle between normals that are as good as the same.
static const double ALIKE = 0.999;

// --- ways ---

static lb_collide_motion motion_of(const lb_collider_state* c, lb_v4 v, lb_v4 w) {
  return (lb_collide_motion){{lb_quat_from_matrix(c->at.R), c->at.p}, lb_v4_vec3(v), lb_v4_vec3(w)};
}

static lb_placed placed_at(const lb_collider_state* c, lb_v4 v, lb_v4 w, double t) {
  return (lb_placed){c->at.c, lb_mat3_mul(lb_so3_exp(lb_v4_vec3(w * t)), c->at.R),
                     lb_vec3_add(c->at.p, lb_v4_vec3(v * t))};
}

// The smaller size; a flat mesh has none.
static double size_of(const lb_collider_state* a, const lb_collider_state* b) {
  const double least = fmin(a->size, b->size);
  return least > 0 ? least : fmax(a->size, b->size);
}

// Whether all points are farther apart than what lies flat has them.
static bool is_apart(const lb_manifold* m, int n, double flat) {
  bool apart = n > 0;
  for (int i = 0; i < n && apart; i++) {
    for (int k = 0; k < m[i].npoint && apart; k++) {
      apart = m[i].point[k].distance > flat;
    }
  }
  return apart;
}

// Velocity at the end of a step without contact, of a free body: places change by that.
static lb_v4 falling(const lb_contacts* C, const lb_collider_state* c, double h) {
  const bool free = c->group >= 0 && C->group[c->group].link >= 0;
  return free ? c->v + lb_v4_from(C->m->gravity) * h : c->v;
}

// --- pairs that are far apart ---

// Whether points come together by their velocities along the normal.
static bool closes(const lb_contacts* C, const lb_collider_pair* p, const lb_manifold* m, int n,
                   double h) {
  const lb_collider_state *a = &C->collider[p->a], *b = &C->collider[p->b];
  const lb_v4 va = falling(C, a, h), vb = falling(C, b, h);
  bool any = false;
  for (int i = 0; i < n && !any; i++) {
    for (int k = 0; k < m[i].npoint && !any; k++) {
      const lb_v4 at = lb_v4_from(m[i].point[k].position);
      const lb_v4 v = va + lb_v4_cross(a->w, at - lb_v4_from(a->at.p)) - vb -
                      lb_v4_cross(b->w, at - lb_v4_from(b->at.p));
      any = lb_v4_dot(lb_v4_from(m[i].normal), v) * h + m[i].point[k].distance < 0;
    }
  }
  return any;
}

// Half width of a collider whose frame is in its middle: the radius of the ball within
// it. 0: of others, and of what does not move.
static double inner_radius(const lb_collider_state* c) {
  const lb_collider_type type = c->at.c->type;
  const bool centred = type == LB_COLLIDER_BOX || type == LB_COLLIDER_CAPSULE ||
                       type == LB_COLLIDER_CYLINDER || type == LB_COLLIDER_ELLIPSOID;
  return centred && c->group >= 0 ? c->at.c->size : 0;
}

// x + s n
static lb_vec3 along(lb_vec3 x, double s, lb_vec3 n) {
  return lb_vec3_add(x, lb_vec3_scale(s, n));
}

// Whether a collider's surface that is nearest to a point looks along n to it: a surface that ends
// beside the point does not stop it.
static bool faces(const lb_placed* c, lb_vec3 x, lb_vec3 n) {
  static const double LEAST = 0.9; // cosine
  lb_vec3 out;
  lb_collider_point(c->c, lb_mat3_apply(lb_mat3_transpose(c->R), lb_vec3_sub(x, c->p)), &out);
  return lb_vec3_dot(lb_mat3_apply(c->R, out), n) > LEAST;
}

// (2) of both sides; colliders at a and b.
static void add_inner(const lb_contacts* C, const lb_collider_pair* p, const lb_placed* a,
                      const lb_placed* b, double h, lb_manifold* m) {
  const double way = h * (C->collider[p->a].speed + C->collider[p->b].speed);
  const double radius[2] = {inner_radius(&C->collider[p->a]), inner_radius(&C->collider[p->b])};
  const lb_vec3 n = m->normal, first = m->point[0].position, middle[2] = {a->p, b->p};
  const double half = 0.5 * m->point[0].distance;
  const bool few = m->npoint > 0 && m->npoint <= 2;
  for (int k = 0; k < 2 && few; k++) {
    const double sign = k == 0 ? 1 : -1;
    if (radius[k] > 0 && way > LEAP * radius[k] &&
        faces(k == 0 ? b : a, middle[k], lb_vec3_scale(sign, n))) {
      const lb_vec3 own = along(middle[k], -sign * radius[k], n);
      const lb_vec3 other = along(first, -sign * half, n);
      const double gap = sign * lb_vec3_dot(n, lb_vec3_sub(own, other));
      m->point[m->npoint++] =
          (lb_contact_point){along(own, -sign * 0.5 * gap, n), gap, INNER + (uint64_t)k};
    }
  }
}

// The manifold of where two convex colliders meet, at the time of that.
static void meet_there(const lb_contacts* C, lb_collider_pair* p, const lb_impact* hit, double h,
                       lb_manifold* out) {
  const lb_collider_state *a = &C->collider[p->a], *b = &C->collider[p->b];
  const lb_placed at = placed_at(a, falling(C, a, h), a->w, hit->time),
                  bt = placed_at(b, falling(C, b, h), b->w, hit->time);
  lb_manifold there;
  if (lb_collide(&at, &bt, 10 * MEETS * size_of(a, b), NULL, &there, 1).nmanifold == 1) {
    add_inner(C, p, &at, &bt, h, &there);
    *out = there;
    p->time = hit->time;
  }
}

// Manifolds of a pair that is apart; how many are left.
static int follow(lb_contacts* C, lb_collider_pair* p, double h, lb_manifold* out, int n) {
  const lb_collider_state *a = &C->collider[p->a], *b = &C->collider[p->b];
  const lb_collide_motion x = motion_of(a, falling(C, a, h), a->w),
                          y = motion_of(b, falling(C, b, h), b->w);
  const lb_impact hit = lb_collide_impact(a->at.c, &x, b->at.c, &y, h, MEETS * size_of(a, b));
  if (!hit.hit && hit.at.outcome == LB_COLLIDE_DONE) {
    p->left_out = 1;
  } else if (hit.hit && a->convex && b->convex && !C->isolated &&
             lb_vec3_dot(hit.at.normal, out->normal) < ALIKE) {
    meet_there(C, p, &hit, h, out);
  }
  if (p->left_out || p->time > 0) {
    atomic_fetch_add(&C->near.followed, 1);
  }
  return p->left_out ? 0 : n;
}

int lb_contacts_follow(lb_contacts* C, lb_collider_pair* p, double h, lb_manifold* out, int n) {
  const lb_collider_state *a = &C->collider[p->a], *b = &C->collider[p->b];
  const double size = size_of(a, b);
  if (!(h * (a->speed + b->speed) > LEAP * size) || a->surface || b->surface) {
    return n;
  }
  const bool apart = !p->held && is_apart(out, n, LB_TOUCH_FLAT * size);
  const int left = apart && closes(C, p, out, n, h) ? follow(C, p, h, out, n) : n;
  for (int i = 0; i < left && !(p->time > 0) && !C->isolated; i++) {
    add_inner(C, p, &a->at, &b->at, h, &out[i]);
  }
  return left;
}

void lb_contacts_set_later(const lb_contacts* C, lb_touch* t, double time, double h) {
  lb_v4 begins = lb_v4_zero(), comes = lb_v4_zero(); // velocities of a over b there
  for (int k = 0; k < 2; k++) {
    const lb_collider_state* c = &C->collider[t->collider[k]];
    const double sign = k == 0 ? 1 : -1;
    const lb_v4 own = lb_v4_from(c->at.p), v = falling(C, c, h), moved = own + v * time;
    const lb_mat3 R = lb_so3_exp(lb_v4_vec3(c->w * time));
    const lb_v4 turns = lb_v4_cross(c->w, t->at - moved);
    t->arm[k] = t->at - moved - lb_v4_from(lb_mat3_apply(R, lb_v4_vec3(c->origin - own)));
    begins += (c->v + turns) * sign;
    comes += (v + turns) * sign;
  }
  t->closing = -lb_v4_dot(t->axis[0], begins);
  t->gap += fmax(0, -lb_v4_dot(t->axis[0], comes)) * time;
}

// --- bodies that are struck ---

// Velocity of a collider's origin and its turning, as links have them.
static lb_motion move_of(const lb_contacts* C, const lb_data* d, int i) {
  const lb_collider_state* c = &C->collider[i];
  if (c->link == LB_WORLD) {
    return lb_motion_zero();
  }
  const lb_state* s = &d->work->state[c->link];
  return (lb_motion){s->w, s->v + lb_v4_cross(s->w, lb_v4_from(c->at.p) - c->origin)};
}

static double length(lb_v4 x) {
  return sqrt(lb_v4_dot(x, x));
}

// A bound on the speed of a free body's points, which is quick.
static double bound_of(const lb_contacts* C, const lb_collider_state* c, const double* move) {
  const double* v = move + C->group[c->group].start;
  const double turning = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  return sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]) +
         turning * (length(lb_v4_from(c->at.p) - c->origin) + c->radius);
}

// Whether some collider may go too far: those of mechanisms may.
static bool may_leap(const lb_contacts* C, const double* move, double h) {
  bool any = atomic_load(&C->near.followed) > 0;
  for (int i = 0; i < C->m->contact.nshape && !any; i++) {
    const lb_collider_state* c = &C->collider[i];
    if (c->group >= 0) {
      any = C->group[c->group].link < 0 ||
            h * (bound_of(C, c, move) - c->speed) > LEAP * c->at.c->size;
    }
  }
  return any;
}

// How much faster a collider is than it was searched with, where it goes too far; else 0.
static double faster(const lb_contacts* C, const lb_data* d, int i, double h) {
  const lb_collider_state* c = &C->collider[i];
  const lb_motion v = move_of(C, d, i);
  const double more = length(v.v) + c->radius * length(v.w) - c->speed;
  return c->group >= 0 && h * more > LEAP * c->at.c->size ? more : 0;
}

// Whether a pair that was followed has to be taken as it was found: it meets after all.
static bool came_otherwise(const lb_contacts* C, const lb_data* d, const lb_collider_pair* p,
                           double h) {
  const lb_collider_state *a = &C->collider[p->a], *b = &C->collider[p->b];
  const lb_motion va = move_of(C, d, p->a), vb = move_of(C, d, p->b);
  if (p->left_out) {
    const lb_collide_motion x = motion_of(a, va.v, va.w), y = motion_of(b, vb.v, vb.w);
    return lb_collide_impact(a->at.c, &x, b->at.c, &y, h, MEETS * size_of(a, b)).hit;
  }
  const lb_placed at = placed_at(a, va.v, va.w, h), bt = placed_at(b, vb.v, vb.w, h);
  return p->time > 0 && lb_separate(&at, &bt).distance < -WRONG * size_of(a, b);
}

bool lb_contacts_struck(lb_contacts* C, lb_data* d, const double* move, double h, bool last) {
  double most = 0;
  bool any = false;
  if (C->sets.kept || !may_leap(C, move, h)) {
    return false;
  }
  lb_move_origins(C->m, d->work, move);
  for (int i = 0; i < C->m->contact.nshape; i++) {
    const double more = faster(C, d, i, h);
    most = fmax(most, more);
    C->collider[i].more = more;
  }
  for (int i = 0; i < C->pairs.count && atomic_load(&C->near.followed) > 0; i++) {
    lb_collider_pair* p = &C->pairs.item[i];
    const bool other = (p->left_out || p->time > 0) && came_otherwise(C, d, p, h);
    p->held = p->held || other;
    any |= other;
  }
  if (last && (any || most > 0)) { // what is left of it is said
    C->report.status = LB_CONTACT_NOT_SOLVED;
    C->report.measure.residual = fmax(C->report.measure.residual, most);
  }
  return any || most > 0;
}
