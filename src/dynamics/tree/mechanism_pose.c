#include "dynamics/tree/mechanism_pose.h"

#include <string.h>

#include "dynamics/force/force.h"
#include "dynamics/joint/joint.h"
#include "dynamics/joint/joint_elastic.h"
#include "dynamics/tree/state.h"
#include "math/curve/chart.h"
#include "math/linear/dense.h"

bool lb_mechanisms_create(lb_data* d, const lb_allocator* allocator) {
  const lb_model_mechanisms* all = &d->model->mechanism;
  const size_t size = (size_t)all->count * sizeof *d->work->mechanism;
  d->work->mechanism = all->count > 0 ? lb_allocate(allocator, size) : NULL;
  if (!d->work->mechanism) {
    return all->count == 0;
  }
  memset(d->work->mechanism, 0, size);
  bool ok = true;
  for (int i = 0; i < all->count && ok; i++) {
    ok = lb_data_create(all->item[i].whole, allocator, &d->work->mechanism[i], NULL) == LB_OK;
  }
  return ok;
}

void lb_mechanisms_release(lb_data* d) {
  for (int i = 0; d->work->mechanism && i < d->model->mechanism.count; i++) {
    lb_data_release(d->work->mechanism[i]);
  }
  lb_release(d->work->allocator, d->work->mechanism);
}

lb_mechanism_state lb_mechanism_amplitudes(const lb_model* m, const lb_data* d, int mechanism) {
  const int link = m->body.link[m->mechanism.item[mechanism].body];
  lb_curved_state* curved = d->work->state[link].elastic->curved;
  const lb_mechanism_state own = {d->q + m->link.q[link], d->qd + m->link.v[link]};
  if (!curved) {
    return own;
  }
  lb_curved_amplitudes(curved, curved->Q, curved->zdd, own.y, own.rate);
  return (lb_mechanism_state){curved->Q, curved->zdd};
}

void lb_mechanism_follow(const lb_model* m, lb_data* d, int mechanism) {
  const lb_model_mechanism* of = &m->mechanism.item[mechanism];
  const lb_model* whole = of->whole;
  lb_data* w = d->work->mechanism[mechanism];
  const lb_mechanism_state at = lb_mechanism_amplitudes(m, d, mechanism);
  memcpy(w->q, of->q, (size_t)whole->nq * sizeof *w->q);
  memset(w->qd, 0, (size_t)whole->nv * sizeof *w->qd);
  for (int k = 0; k < of->count; k++) {
    lb_add(whole->nv, w->qd, at.y[k], of->dq + (size_t)k * (size_t)whole->nv);
  }
  lb_advance(whole, w->q, w->qd, 1);
  memset(w->qd, 0, (size_t)whole->nv * sizeof *w->qd);
  for (int k = 0; k < of->count; k++) {
    lb_add(whole->nv, w->qd, at.rate[k], of->dq + (size_t)k * (size_t)whole->nv);
  }
  if (whole->constraint.count > 0) {
    lb_project(whole, w);
  }
}

int lb_mechanism_of(const lb_model* m, int body) {
  int found = -1;
  for (int i = 0; i < m->mechanism.count; i++) {
    found = m->mechanism.item[i].follows[body] ? i : found;
  }
  return found;
}

static lb_velocity link_velocity(const lb_model* m, const lb_data* d, int body) {
  const int link = body == LB_WORLD ? LB_WORLD : m->body.link[body];
  if (link == LB_WORLD) {
    return (lb_velocity){{0, 0, 0}, {0, 0, 0}};
  }
  const lb_state* s = &d->work->state[link];
  const lb_v4 arm = lb_m3_apply(s->R, lb_v4_from(m->body.in_link[body].p));
  return (lb_velocity){lb_v4_vec3(s->w), lb_v4_vec3(s->v + lb_v4_cross(s->w, arm))};
}

// A link by its own exponential, link exp(twist y) ([fork] eq. 8), and its velocity by that.
static void follow_alone(const lb_model* m, const lb_data* d, int mechanism, int link,
                         lb_chart_at* at) {
  const lb_model_mechanism* of = &m->mechanism.item[mechanism];
  const lb_mechanism_state y = lb_mechanism_amplitudes(m, d, mechanism);
  double xi[6], xid[6], c[LB_STUMPFF_COUNT];
  for (int r = 0; r < 6; r++) {
    const double* row = of->twist + (size_t)(6 * link + r) * (size_t)of->count;
    xi[r] = lb_dot(of->count, row, y.y);
    xid[r] = lb_dot(of->count, row, y.rate);
  }
  lb_chart_twist(at, c, xi, xid, LB_CHART_PLACE);
  lb_chart_twist(at, c, xi, xid, LB_CHART_MOVE);
}

static lb_transform pose_alone(const lb_model* m, const lb_data* d, int mechanism, int body) {
  const lb_model_mechanism* of = &m->mechanism.item[mechanism];
  const int link = of->whole->body.link[body];
  lb_chart_at at;
  follow_alone(m, d, mechanism, link, &at);
  const lb_transform X = {lb_quat_from_matrix(lb_m3_mat3(at.R)), lb_v4_vec3(at.p)};
  return lb_transform_mul(lb_transform_mul(of->link[link], X), of->whole->body.in_link[body]);
}

static lb_velocity velocity_alone(const lb_model* m, const lb_data* d, int mechanism, int body) {
  const lb_model_mechanism* of = &m->mechanism.item[mechanism];
  const int link = of->whole->body.link[body];
  lb_chart_at at;
  follow_alone(m, d, mechanism, link, &at);
  const lb_v4 arm = lb_v4_from(of->whole->body.in_link[body].p);
  const lb_v4 w = lb_m3_apply(at.R, at.V.w);
  const lb_v4 v = lb_m3_apply(at.R, at.V.v + lb_v4_cross(at.V.w, arm));
  return (lb_velocity){lb_quat_rotate(of->link[link].q, lb_v4_vec3(w)),
                       lb_quat_rotate(of->link[link].q, lb_v4_vec3(v))};
}

static lb_transform moved_by_base(const lb_model_mechanism* of, const lb_data* d) {
  return of->base == LB_WORLD ? lb_transform_identity()
                              : lb_transform_mul(d->pose[of->base], of->from);
}

lb_velocity lb_mechanism_velocity(const lb_model* m, lb_data* d, int body) {
  const int i = lb_mechanism_of(m, body);
  const lb_model_mechanism* of = &m->mechanism.item[i];
  lb_data* w = d->work->mechanism[i];
  lb_mechanism_follow(m, d, i);
  lb_update(of->whole, w, LB_ORIGINS);
  const lb_velocity own =
      of->twist ? velocity_alone(m, d, i, body) : link_velocity(of->whole, w, body);
  if (of->base == LB_WORLD) {
    return own;
  }
  const lb_quat turn = moved_by_base(of, d).q;
  const lb_velocity base = link_velocity(m, d, of->base);
  const lb_velocity carried = lb_velocity_at(base, d->pose[of->base].p, d->pose[body].p);
  return (lb_velocity){lb_vec3_add(carried.w, lb_quat_rotate(turn, own.w)),
                       lb_vec3_add(carried.v, lb_quat_rotate(turn, own.v))};
}

void lb_mechanisms_pose(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->mechanism.count; i++) {
    const lb_model_mechanism* of = &m->mechanism.item[i];
    lb_data* w = d->work->mechanism[i];
    lb_mechanism_follow(m, d, i);
    lb_poses(of->whole, w);
    const lb_transform moved = moved_by_base(of, d);
    for (int k = 0; k < m->nbody; k++) {
      if (of->follows[k]) {
        d->pose[k] = lb_transform_mul(moved, of->twist ? pose_alone(m, d, i, k) : w->pose[k]);
      }
    }
  }
}
