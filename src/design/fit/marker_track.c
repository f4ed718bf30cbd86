#include "design/fit/marker_track.h"

#include <math.h>
#include <string.h>

#include "dynamics/force/force.h"
#include "dynamics/force/force_point.h"
#include "dynamics/tree/kinematics.h"

void lb_track_find(const lb_model* m, const lb_scene_marker* marker, lb_track_point* point) {
  *point = (lb_track_point){marker->body, marker->at, -1, 0};
  for (int e = 0; e < m->elastic.count && marker->has_at; e++) {
    const lb_mesh* s = &m->elastic.body[e].surface;
    double best = INFINITY;
    for (int i = 0; i < s->nvertex && m->elastic.body[e].body == marker->body; i++) {
      const double d = lb_vec3_norm(lb_vec3_sub(s->vertex[i], marker->at));
      if (d < best) {
        best = d;
        point->elastic = e;
        point->vertex = i;
      }
    }
  }
}

// Displacement of the surface by an elastic body's coordinates, or its velocity by their
// velocities.
static lb_vec3 displacement(const lb_model* m, const lb_track_point* p, const double* eta) {
  const lb_model_elastic* e = &m->elastic.body[p->elastic];
  lb_vec3 x = {0};
  for (int k = 0; k < e->r; k++) {
    const double* phi = e->Phi + 3 * ((size_t)k * (size_t)e->surface.nvertex + (size_t)p->vertex);
    x = lb_vec3_add(x, lb_vec3_scale(eta[k], lb_vec3_make(phi[0], phi[1], phi[2])));
  }
  return x;
}

lb_vec3 lb_track_in_body(const lb_model* m, const double* q, const lb_track_point* p) {
  return p->elastic < 0 ? p->at
                        : lb_vec3_add(p->at, displacement(m, p, q + m->elastic.body[p->elastic].q));
}

void lb_track_add(lb_track* t, lb_data* d) {
  double* x = t->x + (size_t)t->count++ * 3 * (size_t)t->npoint;
  lb_poses(d->model, d);
  for (int i = 0; i < t->npoint; i++, x += 3) {
    const lb_track_point* p = &t->point[i];
    const lb_vec3 in = lb_track_in_body(d->model, d->q, p);
    const lb_vec3 at = p->body == LB_WORLD ? in : lb_transform_point(d->pose[p->body], in);
    x[0] = at.x;
    x[1] = at.y;
    x[2] = at.z;
  }
}

static lb_v4 velocity_of(lb_data* d, const lb_track_point* p) {
  const lb_model* m = d->model;
  if (p->body == LB_WORLD) {
    return lb_v4_zero();
  }
  const lb_transform X = m->body.in_link[p->body];
  const lb_vec3 at = lb_transform_point(X, lb_track_in_body(m, d->q, p));
  const lb_anchor anchor = {m->body.link[p->body], {lb_quat_identity(), at}};
  const lb_force_point point = lb_force_point_find(d->work, &anchor);
  lb_v4 v = point.link ? point.velocity : lb_v4_zero();
  if (p->elastic >= 0) {
    const lb_vec3 bends = displacement(m, p, d->qd + m->link.v[anchor.link]);
    v += lb_m3_apply(point.link->R, lb_v4_from(lb_quat_rotate(X.q, bends)));
  }
  return v;
}

void lb_track_add_velocities(lb_track* t, lb_data* d) {
  double* x = t->x + (size_t)t->count++ * 3 * (size_t)t->npoint;
  lb_update(d->model, d, LB_ORIGINS);
  for (int i = 0; i < t->npoint; i++) {
    lb_v4_store(x + 3 * i, velocity_of(d, &t->point[i]));
  }
}

// Lagrange's polynomials on the nodes -1, 0, 1, 2, and their derivatives.
static void cubic(double s, double w[4], double dw[4]) {
  w[0] = -s * (s - 1) * (s - 2) / 6;
  w[1] = (s + 1) * (s - 1) * (s - 2) / 2;
  w[2] = -(s + 1) * s * (s - 2) / 2;
  w[3] = (s + 1) * s * (s - 1) / 6;
  dw[0] = -(3 * s * s - 6 * s + 2) / 6;
  dw[1] = (3 * s * s - 4 * s - 1) / 2;
  dw[2] = -(3 * s * s - 2 * s - 2) / 2;
  dw[3] = (3 * s * s - 1) / 6;
}

void lb_track_read(const lb_track* t, double time, double* x, double* rate) {
  const size_t width = 3 * (size_t)t->npoint;
  const double last = (double)(t->count - 1);
  const double frame = fmin(fmax(time / t->h, 0), last);
  const bool inside = time >= 0 && time / t->h <= last;
  const int i = t->count < 4 ? 1 : (int)fmin(fmax(floor(frame), 1), last - 2);
  double w[4], dw[4];
  cubic(frame - i, w, dw);
  const double* at = t->x + (size_t)(i - 1) * width;
  for (size_t k = 0; k < width; k++) {
    x[k] =
        w[0] * at[k] + w[1] * at[k + width] + w[2] * at[k + 2 * width] + w[3] * at[k + 3 * width];
    if (rate) {
      const double slope = dw[0] * at[k] + dw[1] * at[k + width] + dw[2] * at[k + 2 * width] +
                           dw[3] * at[k + 3 * width];
      rate[k] = inside ? slope / t->h : 0;
    }
  }
}
