// Playing curves on a character, as it is and as it may turn out to be.
#include <math.h>
#include <stddef.h>

#include "design/retarget/retarget_search.h"
#include "limber/shaping.h"
#include "model/use/model_derive.h"

lb_status lb_start_at_rest(const lb_model* m, const lb_allocator* allocator, lb_data** out,
                           lb_error* err) {
  lb_data* d = NULL;
  lb_status status = lb_data_create(m, allocator, &d, err);
  status = status == LB_OK ? lb_assemble(m, d, err) : status;
  status = status == LB_OK ? lb_equilibrium(m, d, err) : status;
  *out = d;
  return status;
}

static lb_status play_into(const lb_model* m, const lb_retarget* w, const lb_curves* c,
                           const lb_simulate_options* options, lb_recording* r, lb_summary* summary,
                           lb_error* err) {
  lb_data* d = NULL;
  lb_model* played = NULL;
  lb_status status = lb_start_at_rest(lb_model_simulated(m), r->allocator, &d, err);
  if (status == LB_OK) {
    status = lb_model_play(m, w, c, d->q, r->allocator, &played, err);
  }
  if (status == LB_OK) {
    status = lb_simulate(played, options, r, summary, err);
  }
  lb_model_release(played);
  lb_data_release(d);
  return status;
}

lb_status lb_replay_run(const lb_model* m, const lb_retarget* w, const lb_curves* c,
                        const lb_recording* target, const lb_simulate_options* options,
                        lb_recording* recording, lb_summary* summary, lb_replay* replay,
                        lb_error* err) {
  lb_recording* r = recording;
  lb_summary figures;
  lb_status status = LB_OK;
  if (!r) {
    status = lb_recording_create(m, target->nframe, target->allocator, &r, err);
  }
  if (status == LB_OK) {
    status = play_into(m, w, c, options, r, summary ? summary : &figures, err);
  }
  if (r && r->nframe > 0) { // what was done before it was stopped counts too
    lb_deviation_find(target->model, w, target, r, replay->track, &replay->all);
  }
  if (!recording) {
    lb_recording_release(r);
  }
  return status;
}

// --- targets ---

static const double EVERY = 5e-3; // [s] between targets, at most

// The last frame may be nearer than the others, which targets must not be.
static void trim(lb_recording* r) {
  const int n = r->nframe;
  if (n > 2) {
    const double every = r->time[1] - r->time[0];
    r->nframe -= r->time[n - 1] - r->time[n - 2] < (1 - 1e-6) * every;
  }
}

lb_status lb_targets_quasistatic(const lb_model* m, const lb_retarget* w,
                                 const lb_simulate_options* options, lb_recording* recording,
                                 lb_targets** targets, lb_error* err) {
  lb_recording* dense = NULL;
  lb_model* often = lb_model_derive_apart(m, recording->allocator); // frames every EVERY or less
  if (!often) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for targets");
  }
  often->record.every = m->record.every / ceil(m->record.every / EVERY * (1 - 1e-12));
  lb_status status = lb_quasistatic_motion(m, options, recording, err);
  if (status == LB_OK) {
    status = lb_recording_create(m, 2 * recording->nframe, recording->allocator, &dense, err);
  }
  if (status == LB_OK) {
    status = lb_quasistatic_motion(often, options, dense, err);
  }
  if (status == LB_OK) {
    trim(dense);
    status = lb_targets_create(dense, w, recording->allocator, targets, err);
  }
  lb_recording_release(dense);
  lb_model_release(often);
  return status;
}

// --- perturbations ---

static const struct {
  const char *name, *words;
  lb_factors factors;
  double lag; // [s]
} OTHERS[LB_PERTURBATION_COUNT] = {
    {"stiffness -5 %", "Young's moduli", {0.95, 1, 1}, 0},
    {"stiffness +5 %", "Young's moduli", {1.05, 1, 1}, 0},
    {"damping -50 %", "of all materials", {1, 0.5, 1}, 0},
    {"damping +50 %", "of all materials", {1, 1.5, 1}, 0},
    {"mass -5 %", "of everything", {1, 1, 0.95}, 0},
    {"mass +5 %", "of everything", {1, 1, 1.05}, 0},
    {"lag 3 ms", "motors follow late", {1, 1, 1}, 3e-3},
    {"lag 10 ms", "motors follow late", {1, 1, 1}, 10e-3},
};

lb_status lb_replay_perturbed(int i, const lb_model* m, const lb_retarget* w,
                              const lb_curves* curves, const lb_recording* target,
                              const lb_simulate_options* options, lb_replay* replay,
                              lb_error* err) {
  lb_model* other = NULL;
  lb_curves* lagged = NULL;
  replay->name = OTHERS[i].name;
  replay->words = OTHERS[i].words;
  lb_status status = lb_vary(m, &OTHERS[i].factors, target->allocator, &other, err);
  if (status == LB_OK && OTHERS[i].lag > 0) {
    status = lb_curves_lag(curves, OTHERS[i].lag, target->allocator, &lagged, err);
  }
  if (status == LB_OK) {
    status =
        lb_replay_run(other, w, lagged ? lagged : curves, target, options, NULL, NULL, replay, err);
  }
  lb_curves_release(lagged);
  lb_model_release(other);
  return status;
}
