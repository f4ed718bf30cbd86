// Measured forces: force f and moment n along the axes of one body, at a point given in another, on
// a third. The world stands for any of the first two.
#include "dynamics/force/force_external.h"

#include "dynamics/force/force.h"

// A force at a moment, in the world's axes.
typedef struct push {
  int link, force_in, point_in; // or LB_WORLD
  lb_v4 f, n, at;
} push;

// Straight lines between the samples.
static bool value_at(const lb_scene_external* e, double t, double out[9]) {
  if (t < e->time[0] || t > e->time[e->nsample - 1]) {
    return false;
  }
  int i = 0;
  for (int high = e->nsample - 1; high - i > 1;) {
    const int middle = (i + high) / 2;
    if (e->time[middle] <= t) {
      i = middle;
    } else {
      high = middle;
    }
  }
  const double s = (t - e->time[i]) / (e->time[i + 1] - e->time[i]);
  const double* a = e->value + 9 * (size_t)i;
  for (int k = 0; k < 9; k++) {
    out[k] = (1 - s) * a[k] + s * a[k + 9];
  }
  return true;
}

static int link_of(const lb_model* m, int body) {
  return body == LB_WORLD ? LB_WORLD : m->body.link[body];
}

// From a body's frame, or the world, to the world.
static lb_v4 turned(const lb_model* m, const lb_work* w, int body, const double* x) {
  const lb_vec3 v = {x[0], x[1], x[2]};
  if (body == LB_WORLD) {
    return lb_v4_from(v);
  }
  const lb_v4 in_link = lb_v4_from(lb_quat_rotate(m->body.in_link[body].q, v));
  const int link = m->body.link[body];
  return link == LB_WORLD ? in_link : lb_m3_apply(w->state[link].R, in_link);
}

static lb_v4 place(const lb_model* m, const lb_work* w, int body, const double* x) {
  const lb_vec3 p = {x[0], x[1], x[2]};
  if (body == LB_WORLD) {
    return lb_v4_from(p);
  }
  const lb_v4 in_link = lb_v4_from(lb_transform_point(m->body.in_link[body], p));
  const int link = m->body.link[body];
  return link == LB_WORLD ? in_link : w->state[link].p + lb_m3_apply(w->state[link].R, in_link);
}

// False: there is none now, or on nothing that moves.
static bool find(const lb_model* m, const lb_work* w, const lb_scene_external* e, double t,
                 push* out) {
  double x[9];
  const int link = link_of(m, e->body);
  if (link == LB_WORLD || !value_at(e, t, x)) {
    return false;
  }
  *out = (push){link,
                link_of(m, e->force_in),
                link_of(m, e->point_in),
                turned(m, w, e->force_in, x),
                turned(m, w, e->force_in, x + 3),
                place(m, w, e->point_in, x + 6)};
  return true;
}

void lb_external_apply(const lb_model* m, lb_work* w, const lb_scene_external* e, double t) {
  push F;
  if (find(m, w, e, t, &F)) {
    lb_state* on = &w->state[F.link];
    on->xf += F.f;
    on->xn += F.n + lb_v4_cross(F.at - on->p, F.f);
  }
}

static int count(const lb_model* m) {
  return m->force.nexternal;
}

static void apply(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->force.nexternal; i++) {
    lb_external_apply(m, d->work, &m->force.external[i], d->time);
  }
}

// Arm from the origin of a link to a place; nothing for the world.
static lb_v4 arm(const lb_work* w, int link, lb_v4 at) {
  return link == LB_WORLD ? lb_v4_zero() : at - w->state[link].p;
}

// Seen from the body, which turns by w and whose point at the force moves by v, directions turn by
// w_f - w, w_f that of the body they are given in, and the force's place moves by v_p - v:
//
//   df = (w_f - w) x f,   dn = (w_f - w) x n + (v_p - v) x f
static void differentiate(lb_derivatives* D, lb_data* d, bool symmetric) {
  const lb_model* m = D->model;
  lb_motion **lever = D->work->lever, *S = lever[0], *change = lever[1];
  (void)symmetric;
  for (int i = 0; i < m->force.nexternal; i++) {
    push F;
    if (!find(m, d->work, &m->force.external[i], d->time, &F)) {
      continue;
    }
    lb_derive_point(D, S, NULL, F.link, arm(d->work, F.link, F.at));
    lb_derive_point(D, lever[2], NULL, F.force_in, arm(d->work, F.force_in, F.at));
    lb_derive_point(D, lever[3], NULL, F.point_in, arm(d->work, F.point_in, F.at));
    for (int k = 0; k < m->nv; k++) {
      const lb_v4 w = lever[2][k].w - S[k].w, v = lever[3][k].v - S[k].v;
      change[k] = (lb_motion){lb_v4_cross(w, F.n) + lb_v4_cross(v, F.f), lb_v4_cross(w, F.f)};
    }
    lb_derive_force(D, D->tau_q, S, change);
  }
}

const lb_force lb_force_external = {.name = "external force",
                                    .count = count,
                                    .apply = apply,
                                    .differentiate = differentiate,
                                    .on_links = true};
