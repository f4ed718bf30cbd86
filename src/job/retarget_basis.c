// Errors of the bases in which a search moves elastic bodies: measured with every node, or
// estimated with richer bases.
//
// Estimate. Let e be the distance of a motion in its bases from the one with every node, E that of
// a motion in richer bases, and d the distance between the two. Then e <= d + E. Where the richer
// bases halve the error at least, E <= e/2 and
//
//   e <= 2 d
//
// Both motions have the same steps, longer than those of the search, so that what steps do to a
// motion is in both. Richer bases are those of the mesh that a run with every node would have.
#include "job/retarget_basis.h"

#include <math.h>

enum { MORE_MODES = 6, MORE_DERIVATIVES = 3 };
static const double HALVED = 2;
static const double LONGEST_STEP = 4e-3; // [s]
static const double STEPS = 40;          // at least, in the slowest period that matters

// --- playing ---

// One of the two motions, before or after, by a model.
typedef struct motion {
  const lb_model* model;
  bool after;
  double step; // [s]; NAN: the job's
} motion;

static lb_status play(lb_job* j, const lb_retarget_result* r, motion m, lb_recording** run,
                      lb_replay* replay, lb_error* err) {
  lb_simulate_options o = lb_job_runs(j);
  o.duration = NAN;
  o.step = isnan(m.step) ? o.step : m.step;
  const lb_status status = lb_job_record(j, m.model, run, err);
  return status == LB_OK
             ? lb_replay_run(m.model, r->what, m.after && !r->unchanged ? r->curves : NULL,
                             r->target, &o, *run, NULL, replay, err)
             : status;
}

// The largest distance between tracked points of two runs.
static double distance_of(const lb_retarget* w, const lb_recording* a, const lb_recording* b) {
  const int n = a->nframe < b->nframe ? a->nframe : b->nframe;
  double most = 0;
  for (int f = 0; f < n; f++) {
    for (int i = 0; i < w->ntrack; i++) {
      const lb_retarget_track* t = &w->track[i];
      const lb_transform *A = &a->pose[(size_t)f * (size_t)a->model->nbody + (size_t)t->body],
                         *B = &b->pose[(size_t)f * (size_t)b->model->nbody + (size_t)t->body];
      most = fmax(most, lb_vec3_norm(lb_vec3_sub(lb_transform_point(*A, t->point),
                                                 lb_transform_point(*B, t->point))));
    }
  }
  return most;
}

// --- every node ---

lb_status lb_basis_verify(lb_job* j, lb_retarget_result* r, const lb_model* full,
                          lb_replay verified[2], lb_error* err) {
  lb_status status = LB_OK;
  verified[0].name = "before, verified";
  verified[1].name = "after, verified";
  for (int i = 1; i >= 0 && status == LB_OK; i--) { // the new one first
    lb_recording* run = NULL;
    status = play(j, r, (motion){full, i == 1, NAN}, &run, &verified[i], err);
    if (status == LB_OK) {
      *(i ? &r->is.basis : &r->was.basis) = distance_of(r->what, run, i ? r->after : r->before);
    }
    lb_recording_release(run);
  }
  if (status == LB_OK) {
    r->verified = verified;
    r->nverified = 2;
    lb_limiting_note(&r->limiting, LB_LIMITING_BASIS, r->is.all.rms / verified[1].all.rms);
  }
  return status;
}

// --- richer bases ---

static lb_scene_elastic enrich(const lb_scene_elastic* e) {
  lb_scene_elastic richer = *e;
  richer.modes += MORE_MODES;
  richer.derivatives += MORE_DERIVATIVES;
  if (e->fine[0] || e->fine[1] || e->fine[2]) {
    richer.along = e->fine[0];
    richer.across = e->fine[1];
    richer.around = e->fine[2];
  }
  return richer;
}

// The scene with richer bases. False: a basis is from a file, and has no more, or there is no
// memory.
static bool enrich_scene(lb_job* j, lb_scene* richer) {
  lb_scene_body* body = LB_COPY(&j->arena, j->scene.body, j->scene.nbody);
  bool all = body != NULL;
  for (int i = 0; all && i < j->scene.nbody; i++) {
    const lb_scene_elastic* e = body[i].elastic;
    if (e) {
      const lb_scene_elastic more = enrich(e);
      body[i].elastic = LB_COPY(&j->arena, &more, 1);
      all = !e->stored && body[i].elastic;
    }
    all = all && !body[i].reduced;
  }
  *richer = j->scene;
  richer->body = body;
  return all;
}

// Steps of both motions, a whole number of them in a frame.
static double choose_step(const lb_job* j, const lb_retarget* w) {
  const double h = isnan(j->o.step) ? j->model->solver.step : j->o.step;
  const double step = fmax(h, fmin(LONGEST_STEP, w->period / STEPS));
  const double every = j->model->record.every;
  return every / ceil(every / step * (1 - 1e-9));
}

// One of the two motions in both kinds of bases.
static lb_status estimate(lb_job* j, lb_retarget_result* r, const lb_model* richer, bool after,
                          lb_error* err) {
  const double step = choose_step(j, r->what);
  const lb_model* const model[] = {j->model, richer};
  lb_recording* run[2] = {NULL, NULL};
  lb_replay replay[2] = {{0}, {0}};
  lb_status status = LB_OK;
  for (int i = 0; i < 2 && status == LB_OK; i++) {
    replay[i].track = LB_TAKE(&j->arena, lb_deviation, r->what->ntrack);
    status = replay[i].track ? play(j, r, (motion){model[i], after, step}, &run[i], &replay[i], err)
                             : lb_job_no_memory(err);
  }
  if (status == LB_OK) {
    *(after ? &r->is.basis : &r->was.basis) = HALVED * distance_of(r->what, run[0], run[1]);
  }
  if (status == LB_OK && after) {
    lb_limiting_note(&r->limiting, LB_LIMITING_BASIS, replay[0].all.rms / replay[1].all.rms);
  }
  lb_recording_release(run[0]);
  lb_recording_release(run[1]);
  return status;
}

lb_status lb_basis_estimate(lb_job* j, lb_retarget_result* r, lb_error* err) {
  lb_scene scene;
  lb_model* richer = NULL;
  if (j->model->elastic.count == 0) {
    r->was.basis = r->is.basis = 0;
    return LB_OK;
  }
  if (!enrich_scene(j, &scene)) {
    return lb_arena_check(&j->arena, "retargeting", err);
  }
  lb_error own = lb_error_make(j->arena.allocator);
  lb_status status = lb_model_create(&scene, j->arena.allocator, &richer, &own);
  for (int i = 1; i >= 0 && status == LB_OK; i--) { // the new one first
    status = estimate(j, r, richer, i == 1, &own);
  }
  lb_model_release(richer);
  const bool stopped = status == LB_NO_MEMORY || status == LB_INTERRUPTED;
  if (stopped) {
    lb_error_append(err, &own);
  }
  lb_error_clear(&own);
  return stopped ? status : LB_OK; // what richer bases cannot play has no estimate
}
