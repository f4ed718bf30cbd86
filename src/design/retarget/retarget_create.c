// From the scene's words to numbers for a model.
#include <math.h>
#include <string.h>

#include "design/retarget/curve_limits.h"
#include "limber/recording.h"
#include "math/curve/time_profile.h"
#include "model/use/motor_use.h"

// A place outlives the scene it is from.
static void keep_place(lb_arena* arena, lb_place* to, lb_place from) {
  *to = from;
  to->file = from.file ? lb_arena_text(arena, from.file, strlen(from.file)) : NULL;
}

static void fill_motors(lb_retarget* r, lb_arena* arena, const lb_model* m,
                        const lb_scene_retarget* what) {
  const double most = (double)INFINITY;
  const int count = what->nmotor > 0 ? what->nmotor : m->nmotor;
  r->motor = LB_TAKE(arena, int, count);
  r->limit = LB_TAKE(arena, lb_retarget_limit, count);
  r->limit_place = LB_TAKE(arena, lb_place, count);
  if (lb_arena_status(arena) != LB_OK) {
    return;
  }
  for (int i = 0; i < what->nmotor; i++) {
    const lb_scene_motor_limit* l = &what->motor[i];
    r->motor[r->nmotor] = l->motor;
    keep_place(arena, &r->limit_place[r->nmotor], l->place);
    r->limit[r->nmotor++] =
        (lb_retarget_limit){{l->angle[0], l->angle[1]}, l->speed, l->acceleration, l->torque};
  }
  for (int i = 0; i < m->nmotor && what->nmotor == 0; i++) {
    if (lb_motor_prescribes(m, i)) {
      r->motor[r->nmotor] = i;
      r->limit[r->nmotor++] = (lb_retarget_limit){{-most, most}, most, most, most};
    }
  }
}

static void fill_tracks(lb_retarget* r, lb_arena* arena, const lb_model* m,
                        const lb_scene_retarget* what) {
  r->track = LB_TAKE(arena, lb_retarget_track, what->ntrack);
  for (int i = 0; i < what->ntrack && r->track; i++) {
    const lb_scene_track* t = &what->track[i];
    r->track[i] = (lb_retarget_track){.body = t->body,
                                      .point = t->has_point ? t->point : m->body.mass[t->body].com,
                                      .position = t->position,
                                      .orientation = t->orientation};
    if (t->weight.count > 0) {
      lb_profile_create(arena, &t->weight, &r->track[i].weight);
    }
  }
  r->ntrack = what->ntrack;
}

static lb_status check(const lb_model* m, const lb_scene_retarget* what, const lb_retarget* r,
                       lb_error* err) {
  const lb_place place = what->place.file ? what->place : (lb_place){m->file, 0, 0};
  if (what->ntrack == 0) {
    return lb_error_add(err, LB_INVALID, place,
                        "'retarget' names no body that should follow its target (add 'bodies')");
  }
  if (r->nmotor == 0) {
    return lb_error_add(err, LB_INVALID, place,
                        "there is no motor whose curve could be changed: one that drives the "
                        "position of a joint with one coordinate, which closes no loop");
  }
  if (m->particles.nparticle > 0) {
    return lb_error_add(
        err, LB_INVALID, place,
        "retargeting keeps how every coordinate of a step follows from every one before it, and "
        "ropes and deformables have too many for that (take them out, or use 'limber optimize')");
  }
  if (m->ndense < m->nv) {
    return lb_error_add(err, LB_INVALID, place, "retargeting needs bodies in a basis");
  }
  return LB_OK;
}

lb_status lb_retarget_create(const lb_model* model, const lb_scene_retarget* what,
                             const lb_allocator* allocator, lb_retarget** retarget, lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_retarget* r = LB_TAKE(&arena, lb_retarget, 1);
  lb_status status = LB_NO_MEMORY;
  if (r) {
    *r = (lb_retarget){.spacing = what->spacing,
                       .closeness = what->closeness,
                       .smoothness = what->smoothness,
                       .tolerance = what->tolerance,
                       .iterations = what->iterations,
                       .robust = what->robust};
    keep_place(&arena, &r->spacing_place, what->spacing_place);
    fill_motors(r, &arena, model, what);
    fill_tracks(r, &arena, model, what);
    r->storage = lb_arena_keep(&arena);
  }
  status = lb_arena_check(&arena, "retargeting", err);
  status = status == LB_OK ? check(model, what, r, err) : status;
  status = status == LB_OK ? lb_spacing_choose(model, r, allocator, err) : status;
  if (status == LB_OK) {
    *retarget = r;
  } else {
    lb_arena_release(&arena);
  }
  return status;
}

void lb_retarget_release(lb_retarget* retarget) {
  if (retarget) {
    lb_arena_release_kept(retarget->storage);
  }
}

lb_status lb_retarget_check(const lb_model* model, const lb_retarget* retarget,
                            const lb_curves* curves, const lb_retarget_options* options,
                            lb_error* err) {
  const double step = isnan(options->step) ? model->solver.step : options->step;
  if (step > curves->spacing) {
    return lb_error_add(err, LB_INVALID, retarget->spacing_place,
                        "retarget: steps of %g s are longer than the %g s between control points "
                        "(take a smaller step, or make 'spacing' larger)",
                        step, curves->spacing);
  }
  return lb_limits_check(model, retarget, curves, err);
}

// --- targets of a recorded motion ---

lb_status lb_targets_create(const lb_recording* rest, const lb_retarget* retarget,
                            const lb_allocator* allocator, lb_targets** targets, lb_error* err) {
  const lb_model* m = rest->model;
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_targets* t = LB_TAKE(&arena, lb_targets, 1);
  const size_t ntrack = (size_t)retarget->ntrack;
  lb_transform* pose = LB_TAKE(&arena, lb_transform, (size_t)rest->nframe * ntrack);
  double* q0 = LB_COPY(&arena, rest->q, m->nq);
  double* lever = LB_TAKE(&arena, double, retarget->nmotor);
  void* kept = lb_arena_keep(&arena);
  if (lb_arena_check(&arena, "targets", err) != LB_OK) {
    lb_arena_release(&arena);
    return LB_NO_MEMORY;
  }
  for (int f = 0; f < rest->nframe; f++) {
    for (size_t i = 0; i < ntrack; i++) {
      pose[(size_t)f * ntrack + i] =
          rest->pose[(size_t)f * (size_t)m->nbody + (size_t)retarget->track[i].body];
    }
  }
  *t = (lb_targets){.ntrack = retarget->ntrack,
                    .nframe = rest->nframe,
                    .every = rest->nframe > 1 ? rest->time[1] - rest->time[0] : 1,
                    .pose = pose,
                    .q0 = q0,
                    .lever = lever,
                    .storage = kept};
  const lb_status status = lb_levers_find(rest, retarget, allocator, lever, err);
  if (status != LB_OK) {
    lb_arena_release_kept(kept);
    return status;
  }
  *targets = t;
  return LB_OK;
}

void lb_targets_release(lb_targets* targets) {
  if (targets) {
    lb_arena_release_kept(targets->storage);
  }
}
