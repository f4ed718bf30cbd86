// A scene with reduced bodies, run beside the full one: how far apart they come.
#include <math.h>
#include <string.h>

#include "limber/simulate.h"
#include "model/use/link.h"
#include "solve/reduce/reduction_run.h"

// --- faces ---

// A face's mean displacement from all nodes, and in a basis, at one frame.
typedef struct face_track {
  const lb_full_run* full;
  int elastic; // of the full run
  lb_basis_face face;
  const lb_recording* recording;
  const lb_reduced* body;
  int which, q;
} face_track;

static lb_vec3 from_nodes(const face_track* t, int frame) {
  const double* u = t->full->u[t->elastic] + (size_t)frame * (size_t)t->full->ndof[t->elastic];
  lb_v4 sum = lb_v4_zero();
  double total = 0;
  for (int i = 0; i < t->face.count; i++) {
    sum += lb_v4_load(u + 3 * (size_t)t->face.node[i]) * t->face.weight[i];
    total += t->face.weight[i];
  }
  return lb_v4_vec3(sum / total);
}

static lb_vec3 from_basis(const face_track* t, int frame) {
  const double* eta =
      t->recording->q + (size_t)frame * (size_t)t->recording->model->nq + (size_t)t->q;
  lb_v4 sum = lb_v4_zero();
  for (int k = 0; k < t->body->r; k++) {
    sum += t->body->face[t->which].W[k] * eta[k];
  }
  return lb_v4_vec3(sum);
}

typedef struct face_error {
  double worst, rms, amplitude; // [m]
} face_error;

// The amplitude is the largest distance from the mean place: what sags under its weight does not
// vibrate.
static face_error compare_face(const face_track* t) {
  const int n = t->full->nframe;
  lb_vec3 mean = {0, 0, 0};
  for (int f = 0; f < n; f++) {
    mean = lb_vec3_add(mean, lb_vec3_scale(1.0 / n, from_nodes(t, f)));
  }
  face_error e = {0};
  for (int f = 0; f < n; f++) {
    const lb_vec3 exact = from_nodes(t, f);
    const double gap = lb_vec3_norm(lb_vec3_sub(from_basis(t, f), exact));
    e.amplitude = fmax(e.amplitude, lb_vec3_norm(lb_vec3_sub(exact, mean)));
    e.worst = fmax(e.worst, gap);
    e.rms += gap * gap / n;
  }
  e.rms = sqrt(e.rms);
  return e;
}

// The worst face of an elastic body, over its amplitude.
static void compare_elastic(const lb_stored* faces, const lb_full_run* full, int i,
                            const lb_recording* r, lb_reduce_replay* replay, double* error,
                            double* rms) {
  const lb_model* m = r->model;
  face_track t = {.full = full, .elastic = i, .recording = r};
  t.body = m->link.packed[m->body.link[full->elastic[i]]].reduced;
  t.q = m->elastic.body[i].q;
  *error = *rms = 0;
  for (t.which = 0; t.which < faces->ncarry; t.which++) {
    t.face = lb_stored_face(faces, t.which + 1);
    const face_error e = compare_face(&t);
    const double relative = e.amplitude > 0 ? e.worst / e.amplitude : 0;
    *error = fmax(*error, relative);
    *rms = fmax(*rms, e.amplitude > 0 ? e.rms / e.amplitude : 0);
    if (relative > replay->face_error) {
      replay->face_error = relative;
      replay->face_amplitude = e.amplitude;
    }
    replay->face_rms = fmax(replay->face_rms, *rms);
  }
}

static double compare_bodies(const lb_full_run* full, const lb_recording* r) {
  double most = 0;
  for (size_t i = 0; i < (size_t)full->nframe * (size_t)full->nbody; i++) {
    most = fmax(most, lb_vec3_norm(lb_vec3_sub(full->pose[i].p, r->pose[i].p)));
  }
  return most;
}

static lb_status compare(const lb_replayer* p, const lb_recording* r, lb_reduce_replay* replay,
                         double* error, double* rms, lb_error* err) {
  const lb_full_run* full = p->full;
  bool same = r->nframe == full->nframe;
  for (int f = 0; same && f < r->nframe; f++) {
    same = fabs(r->time[f] - full->time[f]) < 1e-9;
  }
  if (!same) {
    return lb_error_add(err, LB_INVALID, (lb_place){0},
                        "the full run has %d frames up to %g s, its replay %d up to %g s: read it "
                        "with the step that it was made with",
                        full->nframe, full->time[full->nframe - 1], r->nframe,
                        r->time[r->nframe - 1]);
  }
  for (int i = 0; i < full->nelastic; i++) {
    compare_elastic(p->faces[full->elastic[i]], full, i, r, replay, &error[i], &rms[i]);
    replay->coordinates += r->model->elastic.body[i].r;
  }
  replay->body_error = compare_bodies(full, r);
  return LB_OK;
}

// --- the run ---

static void fail(lb_reduce_replay* replay, int nelastic, double* error, double* rms) {
  replay->failed = true;
  replay->face_error = replay->face_rms = replay->body_error = INFINITY;
  for (int i = 0; i < nelastic; i++) {
    error[i] = rms[i] = INFINITY;
  }
}

static lb_status simulate(const lb_replayer* p, const lb_model* m, lb_reduce_replay* replay,
                          double* error, double* rms, lb_error* err) {
  const lb_full_run* full = p->full;
  lb_recording* recording = NULL;
  lb_summary summary;
  lb_simulate_options options = lb_simulate_default();
  options.duration = full->time[full->nframe - 1];
  options.step = p->options->step;
  options.progress = p->options->progress;
  lb_error why = lb_error_make(err ? err->allocator : NULL);
  lb_status status = lb_recording_create(m, full->nframe, NULL, &recording, err);
  if (status == LB_OK) {
    status = lb_simulate(m, &options, recording, &summary, &why);
    replay->steps_per_second = (double)summary.steps / summary.wall_seconds;
    if (status == LB_OK) {
      status = compare(p, recording, replay, error, rms, err);
    } else if (status == LB_FAILED) { // a result, too
      fail(replay, full->nelastic, error, rms);
      status = LB_OK;
    } else {
      lb_error_add(err, status, (lb_place){0}, "%s",
                   why.count ? why.message[0].text : lb_status_text(status));
    }
  }
  lb_error_clear(&why);
  lb_recording_release(recording);
  return status;
}

lb_status lb_replay(const lb_replayer* p, const lb_stored* const* stored, lb_arena* arena,
                    lb_reduce_replay* replay, double* error, double* rms, lb_error* err) {
  const lb_scene* scene = p->scene;
  lb_scene again = *scene;
  lb_model* model = NULL;
  again.body = LB_TAKE(arena, lb_scene_body, scene->nbody);
  lb_scene_elastic* elastic = LB_TAKE(arena, lb_scene_elastic, scene->nbody);
  if (!again.body || !elastic) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "no memory to replay the scene");
  }
  memcpy(again.body, scene->body, (size_t)scene->nbody * sizeof *again.body);
  for (int i = 0; i < scene->nbody; i++) {
    if (scene->body[i].elastic) {
      elastic[i] = *scene->body[i].elastic;
      elastic[i].stored = stored ? stored[i] : NULL;
      again.body[i].elastic = &elastic[i];
    }
  }
  again.solver.elastic = LB_SPACE_REDUCED;
  again.record.every = p->full->time[1] - p->full->time[0];
  lb_status status = lb_model_create(&again, arena->allocator, &model, err);
  if (status == LB_OK) {
    status = simulate(p, model, replay, error, rms, err);
    lb_model_release(model);
  }
  return status;
}
