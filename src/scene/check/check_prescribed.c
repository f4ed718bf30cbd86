// The same thing prescribed twice, and not alike: no motion does both. What is prescribed twice and
// alike does no harm. What merely works against each other, through bodies and joints, shows when a
// run starts.
#include <math.h>

#include "math/curve/time_profile.h"
#include "scene/check/scene_check.h"

enum { LOOKS = 256 }; // at paths, over the scene's time

// Prescribed function of time: a position or a velocity.
typedef struct wish {
  const lb_profile* path; // NULL: a place that stays
  double value;
  bool velocity_level;
  double scale; // on all of it
} wish;

static bool make_wish(lb_checker* c, const lb_profile_definition* path, wish* w) {
  lb_profile* made = NULL;
  if (path->count == 0) {
    return true;
  }
  if (!lb_profile_holds(path)) {
    return false; // reported, or for the reader to report
  }
  if (lb_profile_create(c->scratch, path, &made) != LB_OK) {
    c->no_memory = true;
    return false;
  }
  w->path = made;
  return true;
}

// At a time: of places, or of their rates.
static double look_up(const wish* w, double time, bool velocity_level) {
  double value[3] = {w->value, 0, 0};
  if (w->path) {
    lb_profile_evaluate(w->path, time, value);
  }
  return w->scale * value[velocity_level && !w->velocity_level];
}

// The time at which they differ most, or NAN. One that gives rates says nothing of places.
static double differ_at(const wish* a, const wish* b, double duration, double got[2]) {
  const bool velocity_level = a->velocity_level || b->velocity_level;
  double at = NAN, most = 0;
  for (int i = 0; i <= LOOKS; i++) {
    const double time = duration * i / LOOKS;
    const double x = look_up(a, time, velocity_level), y = look_up(b, time, velocity_level);
    if (fabs(x - y) > most + 1e-9 * (1 + fabs(x) + fabs(y))) {
      most = fabs(x - y);
      at = time;
      got[0] = x;
      got[1] = y;
    }
  }
  return at;
}

// The factor from a's sum of terms to b's; 0: they are of other coordinates.
static double find_factor(const lb_scene_constraint* a, const lb_scene_constraint* b) {
  double factor = 0;
  for (int i = 0; i < a->nterm && a->nterm == b->nterm; i++) {
    double found = 0;
    for (int j = 0; j < b->nterm; j++) {
      if (a->term[i].joint == b->term[j].joint && a->term[i].coordinate == b->term[j].coordinate) {
        const bool bends = a->term[i].curve.count > 0 || b->term[j].curve.count > 0;
        found = bends ? 0 : b->term[j].factor / a->term[i].factor;
      }
    }
    if (found == 0 || !isfinite(found) || (i > 0 && fabs(found - factor) > 1e-9 * fabs(factor))) {
      return 0;
    }
    factor = found;
  }
  return factor;
}

static bool compare(lb_checker* c, const lb_scene_constraint* a, const lb_scene_constraint* b,
                    const wish* wa, const wish* wb) {
  double got[2] = {0, 0};
  const double time = differ_at(wa, wb, c->s->duration, got);
  if (!isnan(time)) {
    const bool velocity_level = wa->velocity_level || wb->velocity_level;
    LB_SAY(c, b->place,
           "constraint '%s' prescribes what constraint '%s' does, and not the same: at t = %g s %s "
           "%g, not %g (take one of them away)",
           b->name, a->name, time, velocity_level ? "a rate of" : "it is", got[1], got[0]);
  }
  return !isnan(time);
}

static bool compare_couples(lb_checker* c, const lb_scene_constraint* a,
                            const lb_scene_constraint* b) {
  const double factor = find_factor(a, b);
  wish wa = {.value = a->least, .velocity_level = a->velocity_level[0], .scale = 1};
  wish wb = {.value = b->least, .velocity_level = b->velocity_level[0], .scale = 1 / factor};
  return factor != 0 && a->least == a->most && b->least == b->most &&
         make_wish(c, &a->path[0], &wa) && make_wish(c, &b->path[0], &wb) &&
         compare(c, a, b, &wa, &wb);
}

// Position of a point that stays where it starts is not known here.
static bool compare_points(lb_checker* c, const lb_scene_constraint* a,
                           const lb_scene_constraint* b) {
  if (a->npoint < 1 || b->npoint < 1 || a->body != b->body ||
      lb_vec3_norm(lb_vec3_sub(a->point[0], b->point[0])) > 0) {
    return false;
  }
  for (int i = 0; i < 3; i++) {
    wish wa = {.velocity_level = a->velocity_level[i], .scale = 1},
         wb = {.velocity_level = b->velocity_level[i], .scale = 1};
    if (a->along[i] && b->along[i] && a->path[i].count > 0 && b->path[i].count > 0 &&
        make_wish(c, &a->path[i], &wa) && make_wish(c, &b->path[i], &wb) &&
        compare(c, a, b, &wa, &wb)) {
      return true;
    }
  }
  return false;
}

typedef bool comparison(lb_checker* c, const lb_scene_constraint* a, const lb_scene_constraint* b);

static comparison* const COMPARE[LB_CONSTRAINT_COUNT] = {
    [LB_CONSTRAINT_COUPLE] = compare_couples,
    [LB_CONSTRAINT_FOLLOW] = compare_points,
};

// A constraint is reported once.
void lb_check_prescribed(lb_checker* c) {
  const lb_scene* s = c->s;
  for (int j = 0; j < s->nconstraint; j++) {
    const lb_scene_constraint* b = &s->constraint[j];
    bool told = false;
    for (int i = 0; i < j && !told; i++) {
      const lb_arena_mark mark = lb_arena_here(c->scratch);
      const lb_scene_constraint* a = &s->constraint[i];
      const bool yields = a->compliance[0].stiffness > 0 || b->compliance[0].stiffness > 0;
      told = a->kind == b->kind && !yields && COMPARE[a->kind] && COMPARE[a->kind](c, a, b);
      lb_arena_reset(c->scratch, mark);
    }
  }
}
