// Muscles: from points and surfaces of bodies to those of links, and from constants to curves.
#include <math.h>

#include "math/muscle/hill.h"
#include "model/build/build.h"

static lb_status refuse(lb_build* b, const lb_scene_muscle* from, const char* why) {
  return lb_error_add(b->err, LB_INVALID, from->place, "muscle '%s' %s", from->name, why);
}

// --- Hill-type muscles ---

// Curves that muscles of a model share, by kind; the last are invertible ones.
typedef struct curve_sets {
  lb_hill_curves* of[LB_HILL_COUNT + 1];
} curve_sets;

static const lb_hill_curves* find_curves(lb_build* b, curve_sets* sets, const lb_hill* h) {
  const bool invertible = h->kind == LB_HILL_MILLARD && h->damping <= 0 && lb_hill_has_fiber(h);
  lb_hill_curves** set = &sets->of[invertible ? LB_HILL_COUNT : (int)h->kind];
  if (*set || !(*set = LB_TAKE(b->arena, lb_hill_curves, 1))) {
    return *set;
  }
  if (h->kind == LB_HILL_THELEN) {
    const lb_thelen_shape shape = lb_thelen_shape_default();
    lb_thelen_curves(*set, &shape);
  } else {
    const lb_millard_shape shape = lb_millard_shape_default(invertible);
    lb_millard_curves(*set, &shape, NULL);
  }
  return *set;
}

static lb_hill* make_hill(lb_build* b, curve_sets* sets, const lb_scene_hill* from) {
  lb_hill* h = LB_TAKE(b->arena, lb_hill, 1);
  if (!h) {
    return NULL;
  }
  *h = lb_hill_default(from->model, from->force, from->fiber, from->slack);
  h->rigid = !from->elastic;
  h->width = sin(from->pennation);
  h->speed = from->speed;
  h->damping = isnan(from->damping) ? h->damping : from->damping;
  h->rise = from->activation > 0 ? from->activation : h->rise;
  h->fall = from->deactivation > 0 ? from->deactivation : h->fall;
  h->curves = find_curves(b, sets, h);
  return h->curves ? h : NULL;
}

// --- excitations ---

static lb_status build_excitation(lb_build* b, lb_model_muscle* to, const lb_scene_muscle* from) {
  const lb_scene_excitation* e = &from->excitation;
  to->excitation = lb_build_profile(b, &e->profile);
  to->constant = from->hill.model == LB_HILL_NONE;
  to->q = to->v = -1;
  if (e->joint < 0) {
    return LB_OK;
  }
  const lb_scene_joint* j = &b->scene->joint[e->joint];
  if (j->loop) {
    return refuse(b, from,
                  "has feedback of a joint that closes a loop, which has no coordinate "
                  "(take another joint, or reduced coordinates)");
  }
  const int link = b->joint_link[j->child];
  to->q = b->m->link.q[link] + e->coordinate;
  to->v = b->m->link.v[link] + e->coordinate;
  to->to = e->to;
  to->gain = e->gain;
  to->rate_gain = e->rate_gain;
  return LB_OK;
}

lb_status lb_build_muscles(lb_build* b) {
  const lb_scene* s = b->scene;
  lb_model* m = b->m;
  curve_sets sets = {0};
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
      to->hill = make_hill(b, &sets, &from->hill);
      to->x = m->nx;
      m->nx += 2;
      status = to->hill ? LB_OK : LB_NO_MEMORY;
    }
    status = status == LB_OK ? lb_build_path(b, from, &to->path) : status;
    m->muscle.ninertial += from->mass.amount > 0;
    status = status == LB_OK ? build_excitation(b, to, from) : status;
  }
  return status;
}
