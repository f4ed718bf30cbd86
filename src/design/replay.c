// Playing curves on a character, as it is and as it may turn out to be.
#include <math.h>
#include <stddef.h>

#include "base/arena.h"
#include "limber/shaping.h"

// Where everything rests at the start.
static lb_status find_start(lb_data* d, lb_error* err) {
  const lb_status status = lb_assemble(d->model, d, err);
  return status == LB_OK ? lb_rest(d->model, d, err) : status;
}

static lb_status play_into(const lb_model* m, const lb_retarget* w, const lb_curves* c,
                           const lb_simulate_options* options, lb_recording* r, lb_summary* summary,
                           lb_error* err) {
  lb_data* d = NULL;
  lb_model* played = NULL;
  lb_status status = lb_data_create(m->full ? m->full : m, r->allocator, &d, err);
  if (status == LB_OK) {
    status = find_start(d, err);
  }
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

lb_status lb_targets_rest(const lb_model* m, const lb_retarget* w,
                          const lb_simulate_options* options, lb_recording* recording,
                          lb_targets** targets, lb_error* err) {
  lb_recording* dense = NULL;
  lb_model often = *m; // the same, with frames at least every EVERY
  often.record.every = m->record.every / ceil(m->record.every / EVERY * (1 - 1e-12));
  lb_status status = lb_rest_motion(m, options, recording, err);
  if (status == LB_OK) {
    status = lb_recording_create(m, 2 * recording->nframe, recording->allocator, &dense, err);
  }
  if (status == LB_OK) {
    status = lb_rest_motion(&often, options, dense, err);
  }
  if (status == LB_OK) {
    trim(dense);
    status = lb_targets_create(dense, w, recording->allocator, targets, err);
  }
  lb_recording_release(dense);
  return status;
}

// --- perturbations ---

static const struct {
  const char *name, *words;
  double stiffness, damping, mass, lag; // factors, and seconds
} OTHERS[LB_PERTURBATION_COUNT] = {
    {"stiffness -5 %", "Young's moduli", 0.95, 1, 1, 0},
    {"stiffness +5 %", "Young's moduli", 1.05, 1, 1, 0},
    {"damping -50 %", "of all materials", 1, 0.5, 1, 0},
    {"damping +50 %", "of all materials", 1, 1.5, 1, 0},
    {"mass -5 %", "of everything", 1, 1, 0.95, 0},
    {"mass +5 %", "of everything", 1, 1, 1.05, 0},
    {"lag 3 ms", "motors follow late", 1, 1, 1, 3e-3},
    {"lag 10 ms", "motors follow late", 1, 1, 1, 10e-3},
};

static lb_status vary(int i, const lb_model* m, lb_arena* arena, lb_model** out, lb_error* err) {
  lb_material_change* material = LB_TAKE(arena, lb_material_change, m->nmaterial);
  lb_mass_change* mass = LB_TAKE(arena, lb_mass_change, m->nbody);
  lb_variation v = {.material = material, .mass = mass};
  if (!material || !mass) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a variation");
  }
  const bool elastic = OTHERS[i].stiffness != 1 || OTHERS[i].damping != 1;
  for (int k = 0; k < m->nmaterial && elastic; k++) {
    bool used = false;
    for (int e = 0; e < m->nelastic; e++) {
      used = used || (m->elastic[e].material == k && m->elastic[e].nregion == 0);
    }
    if (used) {
      const lb_scene_material* s = &m->material[k];
      material[v.nmaterial++] = (lb_material_change){k, s->young * OTHERS[i].stiffness,
                                                     s->damping_mass * OTHERS[i].damping,
                                                     s->damping_stiffness * OTHERS[i].damping};
    }
  }
  for (int b = 0; b < m->nbody && OTHERS[i].mass != 1; b++) {
    mass[v.nmass++] = (lb_mass_change){b, OTHERS[i].mass};
  }
  return lb_model_vary(m, &v, arena->allocator, out, err);
}

lb_status lb_replay_perturbed(int i, const lb_model* m, const lb_retarget* w,
                              const lb_curves* curves, const lb_recording* target,
                              const lb_simulate_options* options, lb_replay* replay,
                              lb_error* err) {
  lb_arena arena;
  lb_model* other = NULL;
  lb_curves* lagged = NULL;
  lb_arena_init(&arena, target->allocator);
  replay->name = OTHERS[i].name;
  replay->words = OTHERS[i].words;
  lb_status status = vary(i, m, &arena, &other, err);
  if (status == LB_OK && OTHERS[i].lag > 0) {
    status = lb_curves_lag(curves, OTHERS[i].lag, target->allocator, &lagged, err);
  }
  if (status == LB_OK) {
    status =
        lb_replay_run(other, w, lagged ? lagged : curves, target, options, NULL, NULL, replay, err);
  }
  lb_curves_release(lagged);
  lb_model_release(other);
  lb_arena_release(&arena);
  return status;
}
