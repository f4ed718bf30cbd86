// Bodies that nothing holds: most often a joint was forgotten.
#include <stdio.h>

#include "job/job_inside.h"
#include "job/job_text.h"
#include "model/use/model_extent.h"

// Bodies that something acts on or that somebody throws.
static void mark_forces(const lb_scene* s, bool* held) {
  for (int i = 0; i < s->nforce; i++) {
    for (int k = 0; k < s->force[i].npoint; k++) {
      held[1 + s->force[i].point[k].body] = true;
    }
  }
  for (int i = 0; i < s->nload; i++) {
    held[1 + s->load[i].body] = true;
  }
  for (int i = 0; i < s->nrope; i++) {
    for (int k = 0; k < s->rope[i].npoint; k++) {
      held[1 + (s->rope[i].point[k].free ? LB_WORLD : s->rope[i].point[k].body)] = true;
    }
  }
  for (int i = 0; i < s->ndeformable; i++) {
    for (int k = 0; k < s->deformable[i].nbody; k++) {
      held[1 + s->deformable[i].body[k]] = true;
    }
  }
}

static void mark_others(const lb_scene* s, bool* held) {
  for (int i = 0; i < s->njoint; i++) { // to what a tree stands on, and in loops
    held[1 + s->joint[i].child] = true;
    held[1 + s->joint[i].parent] = true;
  }
  for (int i = 0; i < s->nconstraint; i++) {
    const lb_scene_constraint* k = &s->constraint[i];
    held[1 + (k->kind == LB_CONSTRAINT_COUPLE ? LB_WORLD : k->body)] = true;
    held[1 + (k->other ? k->other->body : LB_WORLD)] = true;
  }
  for (int i = 0; i < s->nbody; i++) {
    held[1 + i] = held[1 + i] || s->body[i].named.place.line > 0;
  }
}

static bool bends_and_is_held(const lb_scene* s, const bool* held) {
  bool any = false;
  for (int i = 0; i < s->nbody && !any; i++) {
    any = s->body[i].elastic && s->body[i].elastic->solid && held[1 + i];
  }
  for (int i = 0; i < s->ndeformable && !any; i++) {
    any = s->deformable[i].form->solid && s->deformable[i].nbody > 0;
  }
  return any;
}

// Solid bodies, where something solid stays that they may land on: scenery, or bodies that are
// held, or what bends.
static void mark_solid(const lb_scene* s, bool* held) {
  bool lands = bends_and_is_held(s, held);
  for (int i = 0; i < s->nshape && !lands; i++) {
    const int body = s->shape[i].body;
    lands = s->shape[i].solid && (body == LB_WORLD || held[1 + body]);
  }
  for (int i = 0; i < s->nshape && lands && s->contacts.on; i++) {
    held[1 + s->shape[i].body] = held[1 + s->shape[i].body] || s->shape[i].solid;
  }
}

// What to land on is forgotten most often: scenery is not solid unless it says so.
static const char* landing_hint(const lb_scene* s) {
  bool floor = false;
  for (int i = 0; i < s->nshape; i++) {
    floor = floor || (s->shape[i].body == LB_WORLD && s->shape[i].solid);
  }
  return !s->contacts.on ? (floor ? ", add 'contacts: {}' to let it land on what is solid" : "")
         : floor         ? ", leave out 'solid: false' to let it land"
                         : ", give scenery 'solid: true' to land on";
}

// Names of up to MOST of them.
static void warn(lb_job* j, const bool* held) {
  enum { MOST = 5 };
  const lb_scene* s = &j->scene;
  char names[400] = "";
  int count = 0, first = -1;
  size_t used = 0;
  for (int i = 0; i < s->nbody; i++) {
    if (!held[1 + i] && count++ < MOST) {
      first = first < 0 ? i : first;
      used += (size_t)snprintf(names + used, sizeof names - used, "%s'%.64s'", used ? ", " : "",
                               s->body[i].name);
    }
  }
  if (count == 1) {
    lb_job_warn_at(j, s->body[first].place,
                   "nothing holds body %s: no joint, spring, ground or constraint names it, and it "
                   "falls (add a joint%s, or name its start under 'initial' if it is meant to fly)",
                   names, landing_hint(s));
  } else if (count > 1) {
    lb_job_warn_at(j, s->body[first].place,
                   "nothing holds %d bodies, which fall: %s%s (add joints%s, or name their starts "
                   "under 'initial' if they are meant to fly)",
                   count, names, count > MOST ? " ..." : "", landing_hint(s));
  }
}

// --- bodies that got lost ---

static lb_vec3 place(const lb_recording* r, int frame, int body) {
  return r->pose[(size_t)frame * (size_t)r->model->nbody + (size_t)body].p;
}

// Free bodies that end far below where everything began, while something else is still there.
static void warn_of_lost(lb_job* j, const bool* held) {
  static const double FAR = 20; // sizes
  const lb_recording* r = j->recording;
  const lb_model* m = r->model;
  const lb_extent start = r->nframe > 0 ? lb_model_extent(m, r->pose, r->q) : (lb_extent){0};
  for (int i = 0; i < m->njoint && start.size > 0; i++) {
    const int body = m->joint.body[i];
    if (m->joint.kind[i] != LB_JOINT_FREE) {
      continue;
    }
    const lb_vec3 way = lb_vec3_sub(place(r, r->nframe - 1, body), start.centre);
    const double down = lb_vec3_dot(way, m->gravity) / lb_vec3_norm(m->gravity);
    if (held[1 + body] && down > FAR * start.size && m->nbody > 1) {
      lb_job_warn_at(j, m->joint.place[i],
                     "'%s' fell out of the scene: it ends %.3g m below where all began",
                     m->joint.name[i], down);
    }
  }
}

void lb_job_warn_of_unheld(lb_job* j) {
  const lb_scene* s = &j->scene;
  bool* held = LB_TAKE(&j->arena, bool, s->nbody + 1);
  if (held && lb_vec3_norm(s->gravity) > 0) {
    mark_forces(s, held);
    mark_others(s, held);
    mark_solid(s, held);
    warn(j, held);
    if (j->recording) {
      warn_of_lost(j, held);
    }
  }
}
