// What must hold of ropes and deformables.
#include <math.h>
#include <string.h>

#include "scene/check/scene_check.h"

static bool is_finite(lb_vec3 v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool is_size(double x) {
  return x >= 0 && isfinite(x);
}

// Bodies that ropes and deformables can be fastened to.
static void check_body(lb_checker* c, const char* word, const char* name, lb_place place,
                       int body) {
  if (body < 0 || body >= c->s->nbody) {
    LB_SAY(c, place, "%s '%s' is fastened to body %d, which does not exist", word, name, body);
  } else if (c->s->body[body].elastic || c->s->body[body].reduced) {
    LB_SAY(c, place,
           "%s '%s' is fastened to body '%s', which is elastic (use a rigid body that a fixed "
           "joint puts on one of its faces)",
           word, name, c->s->body[body].name);
  }
}

static void check_rope(lb_checker* c, const lb_scene_rope* s) {
  enum { MOST_SEGMENTS = 100 * 1000 };
  if (s->npoint < 2) {
    LB_SAY(c, s->place, "strand '%s' runs through %d points; it needs 2 at least", s->name,
           s->npoint);
    return;
  }
  if (s->segments < s->npoint - 1 || s->segments > MOST_SEGMENTS) {
    LB_SAY(c, s->place,
           "strand '%s' has %d segments; it needs one at least between two points, %d in all, and "
           "may have %d at most",
           s->name, s->segments, s->npoint - 1, MOST_SEGMENTS);
  }
  for (int i = 0; i < s->npoint; i++) {
    if (!is_finite(s->point[i].at)) {
      LB_SAY(c, s->place, "strand '%s': point %d is not finite", s->name, i + 1);
    }
    if (!s->point[i].free && s->point[i].body != LB_WORLD) {
      check_body(c, "strand", s->name, s->place, s->point[i].body);
    }
  }
  if (!(s->mass > 0) || !is_size(s->mass) || !is_size(s->stiffness) || !is_size(s->damping) ||
      !is_size(s->drag) || !(s->slack > 0) || !is_size(s->slack) || !is_size(s->radius)) {
    LB_SAY(c, s->place,
           "strand '%s': its numbers must be finite, mass and slack positive, stiffness, damping, "
           "drag and radius 0 or more",
           s->name);
  }
  if (s->material >= c->s->nmaterial) {
    LB_SAY(c, s->place, "strand '%s': there is no material %d", s->name, s->material);
  }
}

// What was made elsewhere says all of it.
static void check_made_rope(lb_checker* c, const lb_scene_rope* s) {
  int sum = 0;
  bool good = true;
  for (int k = 0; s->share && k < s->npoint - 1; k++) {
    good = good && s->share[k] >= 1;
    sum += s->share[k];
  }
  for (int k = 0; s->length && k < s->segments; k++) {
    good = good && s->length[k] > 0 && is_size(s->length[k]);
  }
  for (int k = 0; s->start && k <= s->segments; k++) {
    good = good && is_finite(s->start[k]);
  }
  if (!good || (s->share && sum != s->segments)) {
    LB_SAY(c, s->place,
           "strand '%s': 'share' must have all segments, one or more for each way, 'length' be "
           "positive and 'start' finite",
           s->name);
  }
}

static void check_deformable(lb_checker* c, const lb_scene_deformable* s) {
  const lb_scene_body form = {.name = s->name, .elastic = s->form};
  lb_check_form(c, "soft", &form);
  const int count = s->form->nregion ? s->form->nregion : 1;
  for (int k = 0; k < count; k++) {
    const int i = s->form->nregion ? s->form->region_material[k] : s->form->material;
    const char* law = i >= 0 && i < c->s->nmaterial ? c->s->material[i].law : NULL;
    if (law && strcmp(law, "linear") == 0) {
      LB_SAY(c, s->place,
             "soft '%s': material '%s' has the law 'linear', which takes turning for strain "
             "(choose corotated)",
             s->name, c->s->material[i].name);
    }
  }
  for (int k = 0; k < s->nbody; k++) {
    check_body(c, "soft", s->name, s->place, s->body[k]);
    for (int i = 0; i < k; i++) {
      if (s->body[i] == s->body[k]) {
        LB_SAY(c, s->place, "soft '%s' is attached to body '%s' twice", s->name,
               c->s->body[s->body[k]].name);
      }
    }
  }
  if (!is_size(s->within) || !is_finite(s->pose.p)) {
    LB_SAY(c, s->place, "soft '%s': its numbers must be finite, and 'within' 0 or more", s->name);
  }
}

void lb_check_deformables(lb_checker* c) {
  const lb_scene* s = c->s;
  for (int i = 0; i < s->nrope; i++) {
    check_rope(c, &s->rope[i]);
    check_made_rope(c, &s->rope[i]);
  }
  for (int i = 0; i < s->ndeformable; i++) {
    check_deformable(c, &s->deformable[i]);
  }
  bool elastic = false;
  for (int i = 0; i < s->nbody; i++) {
    elastic = elastic || s->body[i].elastic || s->body[i].reduced;
  }
  if (s->nrope + s->ndeformable > 0 && elastic && s->solver.elastic == LB_SPACE_FULL) {
    LB_SAY(c, s->solver.place,
           "strands and flesh cannot be simulated beside all nodes of elastic bodies (let these "
           "move in a basis, 'elastic: reduced')");
  }
}
