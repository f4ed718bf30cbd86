// The size of a subject, by OpenSim's ScaleTool: distances between markers of a trial over those of
// the model as it stands, then muscles whose fibres and tendons are as much longer as their paths.
#include <math.h>
#include <string.h>

#include "dynamics/force/muscle.h"
#include "job/job_inside.h"
#include "job/job_text.h"
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
    const double is = measured(S, a, b);
    if (isnan(is)) {
      lb_error_add(
          S->err, LB_INVALID, m->place,
          "measurement '%.60s': markers '%.60s' and '%.60s' are never seen together in the "
          "<time_range> of the trial, whose samples go from %g to %g s",
          m->name, m->pair[i][0], m->pair[i][1], S->markers->time[0],
          S->markers->time[S->markers->nsample - 1]);
      return NAN;
    }
    const double was = lb_vec3_norm(lb_vec3_sub(placed(S, a), placed(S, b)));
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

// --- factors by the markers of each body ---

// Of two markers on one body, at least: nearer ones say more about skin than about bones [m].
static const double NEAREST = 0.05;

// Distances between the markers of a body in the trial over those in the model, all together; NAN:
// there are none. Those of one body do not depend on the pose.
static double ratio_inside(const scaling* S, int body, int* npair) {
  const lb_markers* m = S->markers;
  double is = 0, was = 0;
  *npair = 0;
  for (int a = 0; a < m->nmarker; a++) {
    for (int b = a + 1; b < m->nmarker; b++) {
      const double model = lb_vec3_norm(lb_vec3_sub(m->marker[a].at, m->marker[b].at)),
                   trial = measured(S, a, b);
      if (m->marker[a].body == body && m->marker[b].body == body && model >= NEAREST && trial > 0) {
        is += trial;
        was += model;
        ++*npair;
      }
    }
  }
  return *npair ? is / was : (double)NAN;
}

static int carrier(const lb_scene* s, int body) {
  for (int i = 0; i < s->njoint; i++) {
    if (!s->joint[i].loop && s->joint[i].child == body) {
      return s->joint[i].parent;
    }
  }
  return LB_WORLD;
}

// The first body that was measured, from one towards the world, or -1.
static int measured_before(const scaling* S, const double* ratio, int body) {
  for (int n = 0; n < S->j->scene.nbody && body != LB_WORLD; n++) {
    body = carrier(&S->j->scene, body);
    if (body != LB_WORLD && !isnan(ratio[body])) {
      return body;
    }
  }
  return -1;
}

static void tell_unmeasured(const scaling* S, const double* ratio) {
  for (int b = 0; b < S->j->scene.nbody; b++) {
    const int as = isnan(ratio[b]) ? measured_before(S, ratio, b) : b;
    if (as < 0) {
      lb_job_figure(S->j, "", "%s was not measured, nor what carries it: it keeps its size",
                    S->j->scene.body[b].name);
    } else if (as != b) {
      lb_job_figure(S->j, "", "%s was not measured: as %s", S->j->scene.body[b].name,
                    S->j->scene.body[as].name);
    }
  }
}

static lb_status measure_bodies(scaling* S) {
  const lb_scene* s = &S->j->scene;
  double* ratio = LB_TAKE(&S->j->arena, double, s->nbody);
  int count = 0;
  if (!ratio) {
    return lb_job_no_memory(S->err);
  }
  for (int b = 0; b < s->nbody; b++) {
    int npair = 0;
    ratio[b] = ratio_inside(S, b, &npair);
    if (npair) {
      lb_job_figure(S->j, count++ ? "" : "scale", "%s: %.4f, by %s", s->body[b].name, ratio[b],
                    lb_text_count(npair, "pair").text);
    }
  }
  if (!count) {
    return lb_error_add(S->err, LB_INVALID, (lb_place){S->markers->file, 0, 0},
                        "no body of the model has two markers in this trial, %g cm apart or more",
                        100 * NEAREST);
  }
  for (int b = 0; b < s->nbody; b++) {
    const int as = isnan(ratio[b]) ? measured_before(S, ratio, b) : b;
    const double by = as < 0 ? 1 : ratio[as];
    S->factor[b] = lb_vec3_make(by, by, by);
  }
  tell_unmeasured(S, ratio);
  return LB_OK;
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
  lb_status status = j->o.still ? measure_bodies(S) : find_factors(S);
  if (status != LB_OK) {
    return status;
  }
  const lb_scene_scaling how = {S->factor, S->how.mass, S->how.preserve};
  return lb_scene_scale(&j->scene, &how, &j->arena) ? stretch_muscles(S) : lb_job_no_memory(S->err);
}

static lb_status read_how(scaling* S) {
  S->how = (lb_osim_scaling){
      .markers = {.path = S->j->o.still}, .begin = -INFINITY, .end = INFINITY, .mass = NAN};
  if (!S->j->o.scale) {
    return LB_OK;
  }
  lb_status status = lb_osim_scale_read(S->j->o.scale, &S->j->arena, &S->how, S->err);
  status =
      status == LB_OK ? lb_job_check_file(&S->how.markers, "table of markers", S->err) : status;
  return status == LB_OK ? lb_job_check_file(&S->how.placing.markers, "table of markers", S->err)
                         : status;
}

lb_status lb_job_scale(lb_job* j, lb_error* err) {
  scaling S = {.j = j, .err = err};
  lb_model* before = NULL;
  if (!j->o.scale && !j->o.still) {
    return LB_OK;
  }
  if (j->o.scale && j->o.still) {
    return lb_error_add(err, LB_INVALID, (lb_place){0},
                        "--scale and --standing both say how large bodies are (take one)");
  }
  lb_status status = read_how(&S);
  if (status == LB_OK && S.how.markers.path) {
    status = lb_job_read_markers(j, S.how.markers.path, false, &S.markers, err);
  }
  for (int i = 0; i < S.how.nnote && status == LB_OK; i++) {
    lb_job_warn_at(j, S.how.note[i].place, "%s", S.how.note[i].text);
  }
  status = status == LB_OK ? lb_model_create(&j->scene, j->arena.allocator, &before, err) : status;
  status = status == LB_OK ? lb_data_create(before, j->arena.allocator, &S.d, err) : status;
  status = status == LB_OK ? scale(&S, before) : status;
  if (status == LB_OK && S.how.placing.markers.path) {
    status = lb_job_place_markers(j, &S.how.placing, err);
  }
  lb_data_release(S.d);
  lb_model_release(before);
  lb_markers_release(S.markers);
  return status;
}
