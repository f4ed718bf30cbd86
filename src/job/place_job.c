// Markers of a model where a standing trial has them, as OpenSim's MarkerPlacer puts them. The pose
// is the one that comes nearest to the trial's means; in it, markers that are not fixed go to the
// means.
#include <math.h>
#include <string.h>

#include "job/job_inside.h"
#include "job/job_text.h"
#include "limber/ik.h"
#include "scene/opensim/osim_scale.h"

typedef struct placing {
  lb_job* j;
  const lb_osim_placing* how;
  lb_markers* markers; // of the trial
  double* mean;        // [nmarker][3] NAN: it is not seen
  lb_model* m;
  lb_error* err;
} placing;

// --- the trial ---

static void average(const placing* P, int marker, double* mean) {
  static const double SLACK = 1e-6; // [s]
  const lb_markers* m = P->markers;
  double sum[3] = {0};
  int count = 0;
  for (int i = 0; i < m->nsample; i++) {
    const double* x = m->x + 3 * ((size_t)i * (size_t)m->nmarker + (size_t)marker);
    const bool inside = m->time[i] >= P->how->begin - SLACK && m->time[i] <= P->how->end + SLACK;
    if (inside && isfinite(x[0] + x[1] + x[2])) {
      count++;
      for (int k = 0; k < 3; k++) {
        sum[k] += x[k];
      }
    }
  }
  for (int k = 0; k < 3; k++) {
    mean[k] = count ? sum[k] / count : (double)NAN;
  }
}

static lb_status read_trial(placing* P) {
  lb_job* j = P->j;
  const lb_status status = lb_job_read_markers(j, P->how->markers.path, false, &P->markers, P->err);
  if (status != LB_OK) {
    return status;
  }
  P->mean = LB_TAKE(&j->arena, double, 3 * P->markers->nmarker);
  if (!P->mean) {
    return lb_job_no_memory(P->err);
  }
  int seen = 0;
  for (int i = 0; i < P->markers->nmarker; i++) {
    average(P, i, P->mean + 3 * (size_t)i);
    seen += isfinite(P->mean[3 * (size_t)i]);
  }
  return seen ? LB_OK
              : lb_error_add(P->err, LB_INVALID, (lb_place){P->markers->file, 0, 0},
                             "no marker of the model is seen between the times of <MarkerPlacer>");
}

// --- placing ---

// Place of a marker in its body; how far that is from where it was.
static double move(lb_scene_marker* to, const lb_data* d, const double* y) {
  const lb_transform X = d->pose[to->body];
  const lb_vec3 at = lb_transform_point(lb_transform_inverse(X), lb_vec3_make(y[0], y[1], y[2]));
  const double far = lb_vec3_norm(lb_vec3_sub(at, to->has_at ? to->at : lb_vec3_make(0, 0, 0)));
  to->at = at;
  to->has_at = true;
  return far;
}

static void move_all(const placing* P, const lb_data* d, double off) {
  const lb_scene* s = &P->j->scene;
  const char* farthest = "";
  double most = 0, sum = 0;
  int moved = 0, fixed = 0, unseen = 0;
  for (int i = 0; i < s->nmarker; i++) {
    lb_scene_marker* to = &s->marker[i];
    const double* y = NULL;
    for (int k = 0; k < P->markers->nmarker; k++) {
      y = strcmp(P->markers->marker[k].name, to->name) == 0 ? P->mean + 3 * (size_t)k : y;
    }
    if (to->fixed || to->body == LB_WORLD || !y || !isfinite(y[0])) {
      fixed += to->fixed;
      unseen += !to->fixed;
      continue;
    }
    const double far = move(to, d, y);
    sum += far * far;
    moved++;
    if (far > most) {
      most = far;
      farthest = to->name;
    }
  }
  lb_job_figure(P->j, "placed", "%s, by %.3g mm (rms) and at most %.3g mm: '%s'",
                lb_text_count(moved, "marker").text, moved ? 1e3 * sqrt(sum / moved) : 0,
                1e3 * most, farthest);
  lb_job_figure(P->j, "",
                "the standing pose was off by %.3g mm (rms) before; %d fixed, %d not seen",
                1e3 * off, fixed, unseen);
}

static lb_status pose_and_move(placing* P) {
  lb_job* j = P->j;
  double time[] = {P->markers->time[0]};
  lb_markers one = *P->markers;
  lb_ik* ik = NULL;
  lb_data* d = NULL;
  one.nsample = 1;
  one.time = time;
  one.x = P->mean;
  const lb_ik_options o = lb_ik_default();
  lb_status status = lb_inverse_kinematics(P->m, &one, &o, j->arena.allocator, &ik, P->err);
  status = status == LB_OK ? lb_data_create(P->m, j->arena.allocator, &d, P->err) : status;
  if (status == LB_OK) {
    memcpy(d->q, ik->motion.q, (size_t)P->m->nq * sizeof *d->q);
    lb_poses(P->m, d);
    move_all(P, d, ik->total);
  }
  lb_data_release(d);
  lb_ik_release(ik);
  return status;
}

lb_status lb_job_place_markers(lb_job* j, const lb_osim_placing* how, lb_error* err) {
  placing P = {.j = j, .how = how, .err = err};
  double* weight = LB_TAKE(&j->arena, double, j->scene.nmarker);
  if (!weight) {
    return lb_job_no_memory(err);
  }
  for (int i = 0; i < j->scene.nmarker; i++) {
    weight[i] = j->scene.marker[i].weight;
  }
  if (how->ntask > 0 && lb_job_weigh(j, how->ntask, how->task) == 0) {
    return lb_error_add(err, LB_INVALID, how->task[0].place,
                        "no task of <MarkerPlacer> is about a marker of '%s', with a weight",
                        j->scene.name);
  }
  lb_status status = read_trial(&P);
  status = status == LB_OK ? lb_model_create(&j->scene, j->arena.allocator, &P.m, err) : status;
  status = status == LB_OK ? pose_and_move(&P) : status;
  for (int i = 0; i < j->scene.nmarker; i++) {
    j->scene.marker[i].weight = weight[i];
  }
  lb_model_release(P.m);
  lb_markers_release(P.markers);
  return status;
}
