// Muscles: from points and surfaces of bodies to those of links, and from constants to curves.
#include <math.h>
#include <string.h>

#include "math/muscle/hill.h"
#include "model/build/build.h"

static lb_status refuse(lb_build* b, const lb_scene_muscle* from, const char* why) {
  return lb_error_add(b->err, LB_INVALID, from->place, "muscle '%s' %s", from->name, why);
}

// --- Hill-type muscles ---

// Curves that muscles of one shape share.
typedef struct curve_set {
  bool thelen;
  lb_thelen_shape of_thelen;
  lb_millard_shape of_millard;
  lb_hill_curves curves;
  struct curve_set* next;
} curve_set;

static bool is_shared(const curve_set* a, const curve_set* b) {
  return a->thelen == b->thelen && memcmp(&a->of_thelen, &b->of_thelen, sizeof a->of_thelen) == 0 &&
         memcmp(&a->of_millard, &b->of_millard, sizeof a->of_millard) == 0;
}

static lb_status make_curves(lb_build* b, curve_set* set, const lb_scene_muscle* from) {
  const char* what = NULL;
  if (set->thelen) {
    lb_thelen_curves(&set->curves, &set->of_thelen);
    return set->of_thelen.eccentric > 1 ? LB_OK
                                        : refuse(b, from, "has a 'lengthening' of 1 or less");
  }
  if (lb_millard_curves(&set->curves, &set->of_millard, &what)) {
    return LB_OK;
  }
  return lb_error_add(b->err, LB_INVALID, from->place,
                      "muscle '%s' has no %s curve: its numbers of 'shape' do not fit together",
                      from->name, what);
}

static lb_status find_curves(lb_build* b, curve_set** sets, lb_hill* h,
                             const lb_scene_muscle* from) {
  const lb_scene_hill_shape* shape = &from->hill.shape;
  // speeds of fibres come of forces, unless these are coordinates with mass
  const bool inverts = lb_hill_has_fiber(h) && lb_build_count_tendons(from) == 0;
  const bool invertible = h->kind == LB_HILL_MILLARD && h->damping <= 0 && inverts;
  curve_set* set = LB_TAKE(b->arena, curve_set, 1);
  if (!set) {
    return LB_NO_MEMORY;
  }
  set->thelen = h->kind != LB_HILL_MILLARD;
  set->of_thelen = set->thelen ? lb_thelen_shape_of(shape) : lb_thelen_shape_default();
  set->of_millard =
      set->thelen ? lb_millard_shape_default(false) : lb_millard_shape_of(shape, invertible);
  for (const curve_set* s = *sets; s; s = s->next) {
    if (is_shared(s, set)) {
      h->curves = &s->curves;
      return LB_OK;
    }
  }
  set->next = *sets;
  *sets = set;
  h->curves = &set->curves;
  return make_curves(b, set, from);
}

static lb_status make_hill(lb_build* b, curve_set** sets, const lb_scene_muscle* muscle,
                           lb_hill* h) {
  const lb_scene_hill* from = &muscle->hill;
  *h = lb_hill_default(from->model, from->force, from->fiber, from->slack);
  h->rigid = !from->elastic;
  h->width = sin(from->pennation);
  h->speed = from->speed;
  h->damping = isnan(from->damping) ? h->damping : from->damping;
  h->rise = from->activation > 0 ? from->activation : h->rise;
  h->fall = from->deactivation > 0 ? from->deactivation : h->fall;
  return find_curves(b, sets, h, muscle);
}

static lb_status build_hill(lb_build* b, curve_set** sets, lb_model_muscle* to,
                            const lb_scene_muscle* from) {
  lb_hill* h = LB_TAKE(b->arena, lb_hill, 1);
  const lb_scene_muscle_start* start = &from->start;
  if (!h) {
    return LB_NO_MEMORY;
  }
  to->hill = h;
  to->x = b->m->nx;
  to->start[0] = start->activation > 0 ? start->activation : (double)NAN;
  to->start[1] = start->fiber > 0 ? start->fiber : (double)NAN;
  b->m->nx += 2;
  const lb_status status = make_hill(b, sets, from, h);
  if (status == LB_OK && lb_build_count_tendons(from) > 0) {
    lb_hill* fiber = LB_COPY(b->arena, h, 1);
    if (!fiber) {
      return LB_NO_MEMORY;
    }
    fiber->rigid = true; // its ends are where the tendons are stretched to
    to->hill = fiber;
    to->series = h;
  }
  return status == LB_OK && start->fiber > 0 && start->fiber < lb_hill_shortest(h)
             ? refuse(b, from, "has a fibre that is too short at the start")
             : status;
}

// --- excitations ---

static void build_excitation(lb_build* b, lb_model_muscle* to, const lb_scene_muscle* from) {
  const lb_scene_excitation* e = &from->excitation;
  to->excitation = lb_build_profile(b, &e->profile);
  to->constant = from->hill.model == LB_HILL_NONE;
  to->q = to->v = -1;
  if (e->joint < 0 || b->scene->joint[e->joint].loop) { // still to be split: only poses count
    return;
  }
  const int link = b->joint_link[b->scene->joint[e->joint].child];
  to->q = b->m->link.q[link] + e->coordinate;
  to->v = b->m->link.v[link] + e->coordinate;
  to->to = e->to;
  to->gain = e->gain;
  to->rate_gain = e->rate_gain;
}

// A muscle is drawn as a spindle: its belly is where its mass is, or its fibres in the middle.
static void shape_tube(lb_model_tube* tube, int muscle, const lb_scene_muscle* from) {
  const lb_scene_hill* h = &from->hill;
  const bool fibres = h->model != LB_HILL_NONE && !(from->mass.amount > 0);
  const double part = fibres ? fmax(0.4, h->fiber / (h->fiber + h->slack)) : 1;
  tube->muscle = muscle;
  tube->belly[0] = fibres ? (1 - part) / 2 : from->mass.belly[0];
  tube->belly[1] = fibres ? (1 + part) / 2 : from->mass.belly[1];
}

lb_status lb_build_muscles(lb_build* b) {
  enum { FEW = 20, FINE = 8 }; // muscles that are drawn with so many lines between points
  const lb_scene* s = b->scene;
  lb_model* m = b->m;
  const int straight = s->nmuscle <= FEW ? FINE : 1;
  curve_set* sets = NULL;
  m->muscle.item = LB_TAKE(b->arena, lb_model_muscle, s->nmuscle);
  lb_status status = m->muscle.item ? LB_OK : LB_NO_MEMORY;
  for (int i = 0; i < s->nmuscle && status == LB_OK; i++) {
    const lb_scene_muscle* from = &s->muscle[i];
    lb_model_muscle* to = &m->muscle.item[m->muscle.count++];
    to->name = lb_build_text(b, from->name);
    to->place = lb_build_place(b, from->place);
    to->tension = from->tension;
    to->x = -1;
    if (from->hill.model != LB_HILL_NONE) {
      status = build_hill(b, &sets, to, from);
    }
    status = status == LB_OK ? lb_build_path(b, "muscle", from, straight, b->tendon[i], &to->path)
                             : status;
    m->muscle.ninertial += from->mass.amount > 0;
    if (status == LB_OK) {
      lb_build_tube(m, to->path, from->radius, from->material);
      shape_tube(&m->look.tube[m->look.ntube - 1], i, from);
    }
    build_excitation(b, to, from);
  }
  return status;
}
