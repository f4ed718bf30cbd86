// The size of a subject, by OpenSim's ScaleTool: distances between markers of a trial over those of
// the model as it stands, then muscles whose fibres and tendons are as much longer as their paths.
#include <math.h>
#include <string.h>

#include "dynamics/force/muscle.h"
#include "job/job_inside.h"
#include "limber/fit.h"
#include "scene/check/scene_scale.h"
#include "scene/opensim/osim_scale.h"

typedef struct scaling {
  lb_job* j;
  lb_osim_scaling how;
  lb_markers* markers;
  lb_data* d;      // of the model as it was
  lb_vec3* factor; // [nbody]
  double* length;  // [nmuscle] as it was
  lb_error* err;
} scaling;

// --- distances ---

static int find_marker(const lb_markers* m, const char* name) {
  for (int i = 0; i < m->nmarker; i++) {
    if (strcmp(m->marker[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

// Mean over the samples of the trial in which both are seen; NAN: there are none.
static double measured(const scaling* S, int a, int b) {
  const lb_markers* m = S->markers;
  double sum = 0;
  int count = 0;
  for (int i = 0; i < m->nsample; i++) {
    const double *x = m->x + 3 * ((size_t)i * (size_t)m->nmarker + (size_t)a),
                 *y = m->x + 3 * ((size_t)i * (size_t)m->nmarker + (size_t)b);
    const double d = hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
    if (isfinite(d) && m->time[i] >= S->how.begin - 1e-6 && m->time[i] <= S->how.end + 1e-6) {
      sum += d;
      count++;
    }
  }
  return count ? sum / count : (double)NAN;
}

static lb_vec3 placed(const scaling* S, int marker) {
  const lb_scene_marker* m = &S->markers->marker[marker];
  return m->body == LB_WORLD ? m->at : lb_transform_point(S->d->pose[m->body], m->at);
}

// Mean ratio of the pairs of a measurement; NAN after a complaint.
static double ratio_of(const scaling* S, const lb_osim_measurement* m) {
  double sum = 0;
  for (int i = 0; i < m->npair; i++) {
    const int a = find_marker(S->markers, m->pair[i][0]),
              b = find_marker(S->markers, m->pair[i][1]);
    if (a < 0 || b < 0) {
      lb_error_add(S->err, LB_INVALID, m->place,
                   "measurement '%.60s': marker '%.60s' is not in both the model and the trial",
                   m->name, m->pair[i][a < 0 ? 0 : 1]);
      return NAN;
    }
    const double is = measured(S, a, b),
                 was = lb_vec3_norm(lb_vec3_sub(placed(S, a), placed(S, b)));
    if (!(is > 0 && was > 0)) {
      lb_error_add(S->err, LB_INVALID, m->place,
                   "measurement '%.60s': markers '%.60s' and '%.60s' have no distance", m->name,
                   m->pair[i][0], m->pair[i][1]);
      return NAN;
    }
    sum += is / was / m->npair;
  }
  return sum;
}

// --- factors ---

static int find_body(const scaling* S, const char* name, lb_place place) {
  for (int i = 0; i < S->j->scene.nbody; i++) {
    if (strcmp(S->j->scene.body[i].name, name) == 0) {
      return i;
    }
  }
  lb_error_add(S->err, LB_INVALID, place, "the model has no body '%.60s'", name);
  return -1;
}

static lb_status find_factors(scaling* S) {
  lb_status status = LB_OK;
  for (int i = 0; i < S->how.nmeasurement; i++) {
    const lb_osim_measurement* m = &S->how.measurement[i];
    const double ratio = ratio_of(S, m);
    for (int k = 0; k < m->nbody; k++) {
      const int b = find_body(S, m->body[k], m->place);
      if (b < 0 || isnan(ratio)) {
        status = LB_INVALID;
        continue;
      }
      double* f[] = {&S->factor[b].x, &S->factor[b].y, &S->factor[b].z};
      for (int axis = 0; axis < 3; axis++) {
        *f[axis] = m->along[k][axis] ? ratio : *f[axis];
      }
    }
    if (!isnan(ratio)) {
      lb_job_figure(S->j, "scale", "%s: %.4f", m->name, ratio);
    }
  }
  for (int i = 0; i < S->how.nfactor; i++) {
    const int b = find_body(S, S->how.factor[i].body, S->how.factor[i].place);
    if (b < 0) {
      status = LB_INVALID;
    } else {
      S->factor[b] = S->how.factor[i].scale;
    }
  }
  return status;
}

// --- muscles ---

static lb_status measure_muscles(const lb_model* m, lb_data* d, double* length) {
  if (m->muscle.count) {
    lb_muscles_update(m, d);
  }
  for (int i = 0; i < m->muscle.count; i++) {
    length[i] = d->work->muscles->now[i].length;
  }
  return LB_OK;
}

static lb_status stretch_muscles(scaling* S) {
  lb_model* m = NULL;
  lb_data* d = NULL;
  double* now = LB_TAKE(&S->j->arena, double, S->j->scene.nmuscle);
  lb_status status = now ? lb_model_create(&S->j->scene, S->j->arena.allocator, &m, S->err)
                         : lb_job_no_memory(S->err);
  status = status == LB_OK ? lb_data_create(m, S->j->arena.allocator, &d, S->err) : status;
  status = status == LB_OK ? measure_muscles(m, d, now) : status;
  for (int i = 0; i < S->j->scene.nmuscle && status == LB_OK; i++) {
    const double by = S->length[i] > 0 ? now[i] / S->length[i] : 1;
    S->j->scene.muscle[i].hill.fiber *= by;
    S->j->scene.muscle[i].hill.slack *= by;
  }
  lb_data_release(d);
  lb_model_release(m);
  return status;
}

// --- the whole ---

static lb_status scale(scaling* S, lb_model* before) {
  lb_job* j = S->j;
  S->factor = LB_TAKE(&j->arena, lb_vec3, j->scene.nbody);
  S->length = LB_TAKE(&j->arena, double, j->scene.nmuscle);
  if (!S->factor || !S->length) {
    return lb_job_no_memory(S->err);
  }
  for (int i = 0; i < j->scene.nbody; i++) {
    S->factor[i] = lb_vec3_make(1, 1, 1);
  }
  lb_poses(before, S->d);
  measure_muscles(before, S->d, S->length);
  lb_status status = find_factors(S);
  if (status != LB_OK) {
    return status;
  }
  const lb_scene_scaling how = {S->factor, S->how.mass, S->how.preserve};
  return lb_scene_scale(&j->scene, &how, &j->arena) ? stretch_muscles(S) : lb_job_no_memory(S->err);
}

lb_status lb_job_scale(lb_job* j, lb_error* err) {
  scaling S = {.j = j, .err = err};
  lb_model* before = NULL;
  if (!j->o.scale) {
    return LB_OK;
  }
  lb_status status = lb_osim_scale_read(j->o.scale, &j->arena, &S.how, err);
  if (status == LB_OK && S.how.markers) {
    status = lb_markers_read(S.how.markers, &j->scene, false, j->arena.allocator, &S.markers, err);
  }
  for (int i = 0; i < S.how.nnote && status == LB_OK; i++) {
    lb_job_warn_at(j, S.how.note[i].place, "%s", S.how.note[i].text);
  }
  status = status == LB_OK ? lb_model_create(&j->scene, j->arena.allocator, &before, err) : status;
  status = status == LB_OK ? lb_data_create(before, j->arena.allocator, &S.d, err) : status;
  status = status == LB_OK ? scale(&S, before) : status;
  lb_data_release(S.d);
  lb_model_release(before);
  lb_markers_release(S.markers);
  return status;
}
