// What retargeting is to do, in scenes from files and made by hand alike.
#include <math.h>

#include "scene/check/scene_check.h"

static bool is_weight(double w) {
  return w >= 0 && isfinite(w);
}

// --- weights ---

// The most that a factor on weights comes to during the motion. Keys count that it goes to or
// comes from between its start and its end.
static double largest_factor(const lb_profile_definition* w, double duration) {
  double most = w->count == 0;
  for (int k = 0; k < w->count; k++) {
    const bool keys = w->kind != LB_PROFILE_BSPLINE;
    const bool before = keys && k + 1 < w->count && w->time[k + 1] <= 0;
    const bool after = keys && k > 0 && w->time[k - 1] >= duration;
    most = before || after ? most : fmax(most, w->value[k]);
  }
  return most;
}

static void check_factor(lb_checker* c, const lb_scene_track* t) {
  const lb_profile_definition* w = &t->weight;
  const char* name = c->s->body[t->body].name;
  for (int k = 0; k < w->count; k++) {
    if (!is_weight(w->value[k])) {
      LB_SAY(c, t->place, "retarget of body '%s': factors on weights must be 0 or more", name);
      return;
    }
  }
  if (w->count > 1 && w->time[0] >= c->s->duration) {
    LB_SAY(c, t->place,
           "retarget of body '%s': the first of its 'keys' is at %g s, when the motion of %g s is "
           "over (move it, or lengthen 'duration')",
           name, w->time[0], c->s->duration);
  }
}

static void check_tracks(lb_checker* c, const lb_scene_retarget* r) {
  double all = 0;
  for (int i = 0; i < r->ntrack; i++) {
    const lb_scene_track* t = &r->track[i];
    if (t->body < 0 || t->body >= c->s->nbody) {
      LB_SAY(c, t->place, "retarget is to track body %d, which does not exist", t->body);
      return;
    }
    if (!is_weight(t->position) || !is_weight(t->orientation) || !isfinite(t->point.x) ||
        !isfinite(t->point.y) || !isfinite(t->point.z)) {
      LB_SAY(c, t->place, "retarget of body '%s': weights must be 0 or more, and points finite",
             c->s->body[t->body].name);
    }
    check_factor(c, t);
    all += largest_factor(&t->weight, c->s->duration) * (t->position + t->orientation);
  }
  if (r->ntrack > 0 && !(all > 0)) {
    LB_SAY(c, r->place,
           "retarget: all weights are zero, so that every motion is as good (give a "
           "body 'position' or 'orientation')");
  }
}

// --- what motors move ---

static bool can_change(const lb_scene* s, int motor) {
  const lb_scene_retarget* r = &s->retarget;
  bool named = r->nmotor == 0;
  for (int i = 0; i < r->nmotor; i++) {
    named = named || r->motor[i].motor == motor;
  }
  return named && s->motor[motor].drive == LB_DRIVE_POSITION &&
         !s->joint[s->motor[motor].joint].loop &&
         lb_joint_count_v(&s->joint[s->motor[motor].joint]) == 1;
}

// Rigidly part of the world?
static bool stands_still(const lb_checker* c, int body) {
  const lb_scene* s = c->s;
  while (body != LB_WORLD) {
    const int j = c->carrier[body];
    if (j < 0 || s->joint[j].kind != LB_JOINT_FIXED || s->body[body].elastic ||
        s->body[body].reduced) {
      return false;
    }
    body = s->joint[j].parent;
  }
  return true;
}

static int group_of(int* group, int body) {
  while (group[body] != body) {
    body = group[body] = group[group[body]];
  }
  return body;
}

// What a joint or a spring holds together moves together, except through what stands still.
static void join(const lb_checker* c, int* group, int a, int b) {
  if (!stands_still(c, a) && !stands_still(c, b)) {
    group[group_of(group, a)] = group_of(group, b);
  }
}

// Every tracked body must hang together with a joint whose motor may change.
static void check_reach(lb_checker* c, const lb_scene_retarget* r) {
  const lb_scene* s = c->s;
  const lb_arena_mark mark = lb_arena_here(c->scratch);
  int* group = LB_TAKE(c->scratch, int, s->nbody);
  bool* moved = LB_TAKE(c->scratch, bool, s->nbody);
  c->no_memory = c->no_memory || !group || !moved;
  if (c->no_memory) {
    return;
  }
  for (int i = 0; i < s->nbody; i++) {
    group[i] = i;
  }
  for (int i = 0; i < s->njoint; i++) {
    join(c, group, s->joint[i].parent, s->joint[i].child);
  }
  for (int i = 0; i < s->nspring; i++) {
    join(c, group, s->spring[i].body[0], s->spring[i].body[1]);
  }
  for (int i = 0; i < s->ncable; i++) {
    for (int k = 1; k < s->cable[i].npoint; k++) {
      join(c, group, s->cable[i].point[k - 1].body, s->cable[i].point[k].body);
    }
  }
  bool any = false;
  for (int i = 0; i < s->nmotor; i++) {
    if (can_change(s, i)) {
      any = moved[group_of(group, s->joint[s->motor[i].joint].child)] = true;
    }
  }
  for (int i = 0; i < r->ntrack && any; i++) {
    const int body = r->track[i].body;
    if (stands_still(c, body) || !moved[group_of(group, body)]) {
      LB_SAY(c, r->track[i].place,
             "retarget of body '%s': no motor that may change moves it (take this entry away, or "
             "add the motor to 'motors')",
             s->body[body].name);
    }
  }
  lb_arena_reset(c->scratch, mark);
}

// --- curves ---

static void check_spacing(lb_checker* c, const lb_scene_retarget* r) {
  enum { LEAST_SPANS = 4 }; // three control points stay at each end, and one must be free
  const double longest = c->s->duration / LEAST_SPANS;
  if (r->spacing > longest) {
    LB_SAY(c, r->spacing_place,
           "retarget: the motion of %g s is too short for control points %g s apart (make "
           "'spacing' %g s or less)",
           c->s->duration, r->spacing, longest);
  } else if (r->spacing < c->s->solver.step) {
    LB_SAY(c, r->spacing_place,
           "retarget: control points %g s apart are closer than the solver's steps of %g s (make "
           "'spacing' larger, or the solver's 'step' smaller)",
           r->spacing, c->s->solver.step);
  }
}

void lb_check_retarget(lb_checker* c) {
  const lb_scene_retarget* r = &c->s->retarget;
  check_tracks(c, r);
  for (int i = 0; i < r->nmotor; i++) {
    const lb_scene_motor_limit* m = &r->motor[i];
    if (m->motor < 0 || m->motor >= c->s->nmotor) {
      LB_SAY(c, m->place, "retarget is to change motor %d, which does not exist", m->motor);
    } else if (!(m->angle[0] < m->angle[1]) || !(m->speed > 0) || !(m->acceleration > 0) ||
               !(m->torque > 0)) {
      LB_SAY(c, m->place, "retarget of motor '%s': limits must be more than nothing",
             c->s->motor[m->motor].name);
    }
  }
  if (!(r->spacing > 0) || !is_weight(r->closeness) || !is_weight(r->smoothness) ||
      !(r->tolerance > 0) || r->iterations < 1) {
    LB_SAY(c, r->place,
           "retarget: 'spacing', 'tolerance' and 'iterations' must be more than 0, "
           "'closeness' and 'smoothness' 0 or more");
  } else if (!(r->robust >= 0 && r->robust <= 0.5)) {
    LB_SAY(c, r->place,
           "retarget: 'robust' is the part by which stiffness and masses may be off, such as 0.05: "
           "%g is more than a half",
           r->robust);
  } else if (r->ntrack > 0) {
    check_spacing(c, r);
  }
  if (c->report->status == LB_OK) { // else what is wrong may be the cause
    check_reach(c, r);
  }
}
