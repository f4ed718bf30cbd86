// Words about contacts: what collides, what overlaps at the start, what was not solved, what was
// not kept.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geom/collide/collide.h"
#include "job/job_inside.h"
#include "job/job_text.h"
#include "model/use/colliding.h"
#include "model/use/meeting.h"

// Millimetres, and centimetres where these are many.
static lb_words depth_text(double depth) {
  lb_words out;
  snprintf(out.text, sizeof out.text, depth < 0.01 ? "%.3g mm" : "%.3g cm",
           depth * (depth < 0.01 ? 1e3 : 1e2));
  return out;
}

void lb_job_warn_of_overlaps(lb_job* j, const lb_overlaps* o) {
  const lb_model* m = j->model;
  char text[800] = "";
  size_t used = 0;
  for (int i = 0; i < o->nshown && used < sizeof text - 1; i++) {
    const lb_overlap* x = &o->deepest[i];
    used += (size_t)snprintf(text + used, sizeof text - used, "%s'%.64s' and '%.64s' by %s",
                             i ? ", " : "", lb_model_toucher(m, x->body[0]),
                             lb_model_toucher(m, x->body[1]), depth_text(x->depth).text);
  }
  if (o->count > 0) {
    lb_job_warn_at(j, m->contact.set.place,
                   "shapes overlap at the start and are pushed apart: %s%s (move them, or let them "
                   "pass through each other with 'pairs')",
                   text, o->count > o->nshown ? " ..." : "");
  }
}

// --- what collides ---

// Colliders that meet something.
typedef struct meeting_shapes {
  int moving, scenery;     // shapes and surfaces of bodies, ropes and deformables; of scenery
  bool each_other, ground; // bodies meet each other; and scenery
  double friction[2];      // the least and the most
  int nbody, last;         // bodies that meet something, and the last of them
  char name[200];          // the first of them
  size_t used;
} meeting_shapes;

static void meet(meeting_shapes* s, const lb_model* m, const lb_model_collider* x,
                 const lb_model_collider* y) {
  const lb_model_contacts* c = &m->contact;
  const bool grounded = x->body == LB_WORLD || y->body == LB_WORLD;
  const lb_model_meeting* meeting = &c->meeting[x->family * c->nfamily + y->family];
  const double mu = lb_surface_between(&meeting->surface, &x->surface, &y->surface).friction;
  s->ground |= grounded;
  s->each_other |= !grounded;
  s->friction[0] = fmin(s->friction[0], mu);
  s->friction[1] = fmax(s->friction[1], mu);
}

static void count_shape(meeting_shapes* s, const lb_model* m, int body) {
  enum { SHOWN = 4 };
  s->scenery += body == LB_WORLD;
  s->moving += body != LB_WORLD;
  if (body != LB_WORLD && body != s->last) {
    if (s->nbody++ < SHOWN) {
      const int n = snprintf(s->name + s->used, sizeof s->name - s->used, "%s%.40s",
                             s->nbody > 1 ? ", " : "", lb_model_toucher(m, body));
      s->used += n > 0 ? (size_t)n : 0;
    }
    s->last = body;
  }
}

static meeting_shapes find_meeting(const lb_model* m) {
  const lb_model_contacts* c = &m->contact;
  meeting_shapes s = {.friction = {INFINITY, 0}, .last = LB_WORLD};
  for (int i = 0; i < c->ncollider; i++) {
    bool meets = false;
    for (int k = 0; k < c->ncollider; k++) {
      if (k != i && lb_model_may_meet(c, &c->collider[i], &c->collider[k])) {
        meet(&s, m, &c->collider[i], &c->collider[k]);
        meets = true;
      }
    }
    if (meets) {
      count_shape(&s, m, c->collider[i].body);
    }
  }
  return s;
}

// "rigid, friction 0.5; 12 shapes of feet, trunk and 3 more bodies meet each other and 1 of
// scenery"
void lb_job_add_what_collides(lb_job* j) {
  const lb_model* m = j->model;
  const lb_scene_contacts* set = &m->contact.set;
  if (!set->on) {
    return;
  }
  const meeting_shapes s = find_meeting(m);
  char law[100] = "rigid", friction[60], more[40] = "", what[60] = "each other";
  if (set->law == LB_CONTACT_COMPLIANT) {
    snprintf(law, sizeof law, "compliant (%.3g N/m, %.3g N s/m)", set->stiffness, set->damping);
  }
  if (set->solver != LB_CONTACT_FAST) {
    const size_t n = strlen(law);
    snprintf(law + n, sizeof law - n, ", solver: %s", lb_contact_method_name(set->solver));
  }
  if (s.moving == 0) {
    lb_job_figure(j, "contacts", "%s; nothing can meet anything", law);
    return;
  }
  int n = snprintf(friction, sizeof friction, "%.3g", s.friction[0]);
  if (s.friction[0] < s.friction[1]) {
    snprintf(friction + n, sizeof friction - (size_t)n, " to %.3g", s.friction[1]);
  }
  const int shown = s.nbody < 4 ? s.nbody : 4;
  if (s.nbody > shown) {
    snprintf(more, sizeof more, " and %d more", s.nbody - shown);
  }
  if (s.ground) {
    snprintf(what, sizeof what, "%s%d of scenery", s.each_other ? "each other and " : "",
             s.scenery);
  }
  lb_job_figure(j, "contacts", "%s, friction %s%s; %d %s of %s%s %s %s", law, friction,
                set->friction == LB_FRICTION_VISCOUS ? ", which creeps" : "", s.moving,
                s.moving == 1 ? "shape" : "shapes", s.name, more, s.moving == 1 ? "meets" : "meet",
                what);
}

// At least the longest lever arm against rolling or spinning of any two shapes.
static double bound_of_arms(const lb_model_contacts* c) {
  double own = 0, said = 0;
  for (int i = 0; i < c->nshape; i++) {
    const lb_contact_surface* s = &c->collider[i].surface;
    own = fmax(own, fmax(s->rolling, s->spinning));
  }
  for (int i = 0; i < c->nfamily * c->nfamily; i++) {
    const lb_contact_surface* s = &c->meeting[i].surface;
    said = fmax(said, fmax(s->rolling, s->spinning));
  }
  return fmax(2 * own, said);
}

// The longest lever arm against rolling or spinning of a shape on something that it may meet.
static double longest_arm(const lb_model_contacts* c, const lb_model_collider* x) {
  double arm = 0;
  for (int i = 0; i < c->nshape; i++) {
    const lb_model_collider* y = &c->collider[i];
    if (y != x && lb_model_may_meet(c, x, y)) {
      const lb_model_meeting* meeting = &c->meeting[x->family * c->nfamily + y->family];
      const lb_contact_surface s = lb_surface_between(&meeting->surface, &x->surface, &y->surface);
      arm = fmax(arm, fmax(s.rolling, s.spinning));
    }
  }
  return arm;
}

void lb_job_warn_of_lever_arms(lb_job* j) {
  const lb_model_contacts* c = &j->model->contact;
  const double most = bound_of_arms(c); // mostly less than any radius: pairs are many
  for (int i = 0; i < c->nshape; i++) {
    const lb_model_collider* x = &c->collider[i];
    const lb_collider_type type = x->geometry->type;
    const bool rolls = type == LB_COLLIDER_SPHERE || type == LB_COLLIDER_CAPSULE ||
                       type == LB_COLLIDER_CYLINDER || type == LB_COLLIDER_ELLIPSOID;
    const double arm = rolls && x->body != LB_WORLD && most > x->size ? longest_arm(c, x) : 0;
    if (arm > x->size) {
      lb_job_warn_at(j, x->place,
                     "'%.64s' has a lever arm of %s against rolling or spinning, more than its "
                     "radius of %s: it will hardly roll (is that in mm? arms of two materials add "
                     "up)",
                     lb_model_toucher(j->model, x->body), depth_text(arm).text,
                     depth_text(x->size).text);
      return; // the first will do
    }
  }
}

// What is less in velocity does not show [m/s].
static const double MUCH = 1e-5;

static bool left_some(const lb_contact_figures* c) {
  static const double MANY = 0.01; // of the steps
  return (double)c->unsolved > MANY * (double)c->steps && c->residual > MUCH;
}

void lb_job_add_contacts(lb_job* j) {
  const lb_contact_figures* c = &j->summary.contact;
  const char* points = c->points == 1 ? "point" : "points";
  if (c->steps > 0 && left_some(c)) {
    lb_job_figure(j, "contacts",
                  "up to %d %s; %ld of %ld steps ended with up to %.2g m/s left of a condition, "
                  "where the next went on",
                  c->points, points, c->unsolved, c->steps, c->residual);
  } else if (c->steps > 0) {
    lb_job_figure(j, "contacts", "up to %d %s, solved", c->points, points);
  }
}

// What a motor drives exactly gives way to nothing, and goes through what does not, either. Soft
// contacts need no motor. Impacts overlap for a few steps.
static void warn_of_depth(lb_job* j) {
  enum { FEW = 20 };
  static const char* const REMEDY[] = {
      [LB_CONTACT_RIGID] = "a motor or a path may force them, which 'drive: servo' with a 'limit' "
                           "does not; or take shorter steps",
      [LB_CONTACT_COMPLIANT] = "raise 'stiffness' of contacts, which yield"};
  const lb_contact_figures* c = &j->summary.contact;
  if (c->deep > FEW && j->summary.overlaps.count == 0) {
    lb_job_warn(j, "'%.64s' and '%.64s' went into each other, by %s at t = %.4g s (%s)",
                lb_model_toucher(j->model, c->sunk_in[0]),
                lb_model_toucher(j->model, c->sunk_in[1]), depth_text(c->depth).text, c->sunk_at,
                REMEDY[j->model->contact.set.law]);
  }
}

// A motor that is followed exactly takes what that needs, however much: blows of what strikes it,
// and starts at once. Those of rotations cannot give way.
static void warn_of_peaks(lb_job* j) {
  static const double MUCH_MORE = 25; // than the rms
  const lb_model* m = j->model;
  lb_motor_figures worst = {0};
  int which = -1;
  for (int i = 0; i < m->nmotor && m->contact.set.on; i++) {
    const lb_motor_figures f = lb_recording_motor(j->recording, i);
    const bool exact = m->motor.drive[i] == LB_DRIVE_POSITION && m->motor.prescribed[i] < 0;
    if (exact && fabs(f.force.peak) > fmax(MUCH_MORE * f.force.rms, fabs(worst.force.peak))) {
      worst = f;
      which = i;
    }
  }
  if (which >= 0) {
    lb_job_warn_at(j, m->motor.place[which],
                   "motor '%.64s' peaks at %.3g %s, %.0f times its rms: driven exactly it takes "
                   "whatever strikes, or starts at once ('drive: servo' with a 'limit' gives way)",
                   m->motor.name[which], fabs(worst.force.peak),
                   lb_channel_unit(worst.force_channel->kind),
                   fabs(worst.force.peak) / worst.force.rms);
  }
}

void lb_job_warn_of_contacts(lb_job* j) {
  static const double FAR = 1e-3; // by which places are wrong after a step, at most [m]
  const lb_contact_figures* c = &j->summary.contact;
  if (left_some(c) && c->residual * j->summary.step > FAR) {
    lb_job_warn(j,
                "contacts were not solved to the tolerance in %ld of %ld steps with contact, by up "
                "to %.2g m/s (take shorter steps, contacts that are softer by 'law: compliant', or "
                "'solver: reference' where there are few)",
                c->unsolved, c->steps, c->residual);
  }
  warn_of_depth(j);
  warn_of_peaks(j);
  const double end = lb_recording_contacts_end(j->recording);
  if (!isnan(end)) {
    lb_job_warn(j,
                "contacts.csv ends before t = %.4g s: it has room for %d points (record fewer "
                "frames with 'record: {every: ...}')",
                end, LB_CONTACTS_KEPT);
  }
}
