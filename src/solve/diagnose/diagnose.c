#include "solve/diagnose/diagnose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/joint/joint.h"
#include "math/curve/chart.h"
#include "math/linear/dense.h"
#include "model/use/coordinate_name.h"
#include "model/use/initial_pose.h"
#include "solve/diagnose/diagnose_conflict.h"
#include "solve/step/stepper.h"

// --- what cannot hold ---

// Some of the parties as text: "motor 'm', motor 'n' and loop joint 'lo'".
enum { LIST_SIZE = 400, MOST_NAMES = 4 };

typedef struct list {
  char text[LIST_SIZE];
  int count;
} list;

static void append(list* l, const char* before, const char* kind, const char* name) {
  const size_t used = strlen(l->text);
  snprintf(l->text + used, sizeof l->text - used, "%s%s '%.70s'", before, kind, name);
}

// Points and limits of one constraint are parties of their own, under one name.
static bool is_named_before(const lb_conflict* C, const int* party, int count, int which) {
  const lb_constraint_title own = lb_conflict_title(C, which);
  for (int i = 0; i < count; i++) {
    const lb_constraint_title other = lb_conflict_title(C, party[i]);
    if (strcmp(own.name, other.name) == 0 && strcmp(own.kind, other.kind) == 0) {
      return true;
    }
  }
  return false;
}

// Parties of which `wanted` is true.
static list list_parties(const lb_conflict* C, bool (*wanted)(const lb_conflict* C, int party)) {
  list l = {.count = 0};
  int named[MOST_NAMES];
  for (int i = 0; i < C->count && l.count < MOST_NAMES; i++) {
    if (C->share[i] > 0 && wanted(C, i) && !is_named_before(C, named, l.count, i)) {
      named[l.count++] = i;
    }
  }
  for (int i = 0; i < l.count; i++) {
    const lb_constraint_title t = lb_conflict_title(C, named[i]);
    append(&l, i == 0 ? "" : i == l.count - 1 ? " and " : ", ", t.kind, t.name);
  }
  return l;
}

// Joints that maximal coordinates take apart take part in everything, and say little.
static bool is_other(const lb_conflict* C, int i) {
  const int main[] = {C->main};
  return !is_named_before(C, main, 1, i) && lb_conflict_rank(C, i) != LB_PARTY_JOINT;
}

static const char* likely_cause(const lb_conflict* C, bool start, char* text, size_t size) {
  const list prescribing = list_parties(C, lb_conflict_prescribes),
             other = list_parties(C, is_other);
  const bool prescribes = lb_conflict_rank(C, C->main) == LB_PARTY_CONSTRAINT;
  if (C->excess) {
    snprintf(text, size, "%s prescribe%s more than the joints leave free (let %s go)",
             prescribing.text, prescribing.count == 1 ? "s" : "",
             prescribing.count == 1 ? "some of it" : "one of them");
  } else if (other.count > 0) {
    snprintf(text, size, "perhaps %s %s it out of reach", other.text,
             other.count == 1 ? "moves" : "move");
  } else if (C->velocity_level) {
    snprintf(text, size, "perhaps motors or other constraints prescribe the same");
  } else if (prescribes) {
    snprintf(text, size, "perhaps its motion is prescribed out of reach");
  } else {
    snprintf(text, size, "check the lengths of its parts%s",
             start ? ", or start nearer to the closed pose" : "");
  }
  return text;
}

static lb_status report_conflict(const lb_conflict* C, const lb_data* d, bool start,
                                 lb_error* err) {
  char cause[2 * LIST_SIZE];
  const lb_constraint_title title = lb_conflict_title(C, C->main);
  const char* unit = C->velocity_level ? "metres or radians in a second" : "metres or radians";
  likely_cause(C, start, cause, sizeof cause);
  if (start) {
    return lb_error_add(
        err, LB_INVALID, title.place,
        "%s '%s' cannot %s: %.3g (%s) are left at the best pose found; %s", title.kind, title.name,
        lb_conflict_rank(C, C->main) == LB_PARTY_CONSTRAINT ? "hold at the start" : "be closed",
        C->share[C->main], unit, cause);
  }
  return lb_error_add(err, LB_FAILED, title.place,
                      "%s '%s' cannot hold any longer at t = %g s: %.3g (%s) are left at the best "
                      "pose found; %s",
                      title.kind, title.name, d->time, C->share[C->main], unit, cause);
}

lb_status lb_diagnose_open(const lb_model* m, lb_data* d, bool start, lb_error* err) {
  lb_arena arena;
  lb_conflict C;
  lb_arena_init(&arena, d->work->allocator);
  lb_status status = lb_conflict_find(m, d, &arena, &C);
  status = status == LB_OK ? report_conflict(&C, d, start, err)
                           : lb_error_add(err, status, (lb_place){0},
                                          "out of memory for what cannot hold in '%s'", m->name);
  lb_arena_release(&arena);
  return status;
}

lb_status lb_diagnose_held(const lb_model* m, const lb_data* d, double until, lb_error* err) {
  int which = -1;
  if (lb_conflict_foresee(m, d, until, &which) != LB_OK) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0},
                        "out of memory for what cannot move in '%s'", m->name);
  }
  if (which < 0) {
    return LB_OK;
  }
  const lb_conflict C = {.m = m};
  const lb_constraint_title title = lb_conflict_title(&C, which);
  return lb_error_add(err, LB_INVALID, title.place,
                      "%s '%s' prescribes more than the joints leave free: they do not let that "
                      "move at all (let some of it go, or prescribe another body's motion)",
                      title.kind, title.name);
}

lb_status lb_diagnose_slack(const lb_model* m, int which, double gap, double time, lb_error* err) {
  const lb_model_constraint* constraint = &m->constraint.item[which];
  return lb_error_add(err, LB_FAILED, constraint->place,
                      "%s '%s' does not hold any longer at t = %g s: steps leave it open by %.3g "
                      "(metres or radians, of rates in a second), though it can be closed; take a "
                      "smaller step%s",
                      constraint->title, constraint->name, time, gap,
                      lb_constraints_velocity_level(m) >= 0 ? ", unless its rate cannot be kept up"
                                                            : "");
}

// Not far: springs that fail now are no matter of what is prescribed away later.
bool lb_is_out_of_reach(const lb_model* m, lb_data* d, double h) {
  static const double AHEAD[] = {1, 2, 4};
  const double time = d->time;
  if (lb_constraints_most(m) == 0) {
    return false;
  }
  lb_constraints_forget_redundant(d);
  for (size_t i = 0; i < sizeof AHEAD / sizeof *AHEAD; i++) {
    d->time = time + AHEAD[i] * h;
    lb_project(m, d);
    if (!(lb_constraint_gap(m, d, NULL) <= LB_CLOSED)) {
      return true;
    }
  }
  return false;
}

// --- what flew off ---

int lb_fastest(const lb_model* m, const lb_data* d, double h) {
  int fastest = 0;
  double most = 0;
  for (int k = 0; k < m->nv; k++) {
    const double change = h * fabs(d->qdd[k]);
    const double speed = fabs(d->qd[k]) + (isfinite(change) ? change : 0);
    if (speed > most) {
      fastest = k;
      most = speed;
    }
  }
  return fastest;
}

// The rope or deformable that has a node with velocity v.
static void name_node(const lb_model* m, int v, char* text, size_t size) {
  int node = 0;
  while (node < m->particles.nparticle &&
         !(m->particles.particle[node].link == LB_PARTICLE_FREE &&
           v >= m->particles.particle[node].v && v < m->particles.particle[node].v + 3)) {
    node++;
  }
  for (int s = 0; s < m->particles.nrope; s++) {
    if (node >= m->particles.rope[s].first_particle &&
        node < m->particles.rope[s].first_particle + m->particles.rope[s].nparticle) {
      snprintf(text, size, "rope '%.70s'", m->particles.rope[s].name);
    }
  }
  for (int s = 0; s < m->particles.ndeformable; s++) {
    if (node >= m->particles.deformable[s].first_particle &&
        node < m->particles.deformable[s].first_particle + m->particles.deformable[s].nparticle) {
      snprintf(text, size, "deformable '%.70s'", m->particles.deformable[s].name);
    }
  }
}

// True where a joint turns by a rotation vector.
static bool has_vector(const lb_chart* c) {
  bool found = false;
  for (int i = 0; i < c->nfactor; i++) {
    found = found || c->factor[i].type == &lb_factor_exponential;
  }
  return found;
}

// Something whose forces change fast.
static bool has_stiff_parts(const lb_model* m) {
  double damping = 0;
  for (int k = 0; k < m->nv; k++) {
    damping = fmax(damping, m->dof.damping[k]);
  }
  return damping > 0 || m->dof.nstiff + m->dof.nfriction + m->dof.nlimit + m->force.count +
                                m->force.ndrag + m->elastic.count + m->particles.nsegment +
                                m->particles.ndeformable >
                            0;
}

// Angles about three axes run away where two of the axes fall together, rotation vectors at a full
// turn; other coordinates do so only where forces change too fast for the step.
static const char* likely_reason(const lb_stepper* st, const lb_data* d, int joint) {
  const lb_model* m = st->m;
  const lb_integrator by = st->solver.integrator;
  const int kind = joint >= 0 ? m->joint.kind[joint] : -1;
  const lb_chart* c = joint >= 0 ? m->link.chart[m->joint.link[joint]] : NULL;
  if (c && lb_chart_strain(c, d->q + m->joint.q[joint]) > LB_CHART_STRAINED) {
    return "its rotation vector may have come to a full turn, where it is singular (use a "
           "spherical joint)";
  }
  if (c && (kind == LB_JOINT_EULER || kind == LB_JOINT_FREE_3D) && !has_vector(c)) {
    return "its angles may have come to where two of their axes fall together (use a spherical "
           "joint, or another 'order')";
  }
  if (!has_stiff_parts(m)) {
    return "it moves too fast for this one";
  }
  return lb_stepper_type_of(by)->tableau
             ? "springs or dampers may be too stiff for this one (bdf2 and sdirk2 take more)"
             : "springs or dampers may be too stiff for this one";
}

static void name_motion(const lb_model* m, int joint, char* text, size_t size) {
  const lb_motion_title t = lb_model_motion(m, joint);
  if (t.joint) {
    snprintf(text, size, "joint '%.70s', which carries body '%.70s',", t.joint, t.body);
  } else {
    snprintf(text, size, "body '%.70s'", t.body);
  }
}

// A constraint that gives a rate says nothing of places, so that nothing shows when it leads to
// where there is no way on; but speeds grow without end there.
static void find_reason(const lb_stepper* st, const lb_data* d, int joint, char* text, size_t size,
                        lb_place* place) {
  const int velocity_level = lb_constraints_velocity_level(st->m);
  if (velocity_level < 0) {
    snprintf(text, size, "%s", likely_reason(st, d, joint));
    return;
  }
  const lb_model_constraint* t = &st->m->constraint.item[velocity_level];
  const bool other = has_stiff_parts(st->m);
  snprintf(text, size, "%s%s %s '%.70s' asks for a rate that cannot be kept up",
           other ? likely_reason(st, d, joint) : "perhaps", other ? "; or" : "", t->title, t->name);
  *place = t->place;
}

// Does a smaller step from where the last one began come to an end? Motion that ran away over many
// steps is taken to; that of recorded steps, which must not be repeated, too.
static bool smaller_helps(lb_stepper* st, lb_data* d, double h) {
  const lb_model* m = st->m;
  const double start = d->time;
  bool helps =
      st->runaway > 0 || st->watcher || memcmp(d->q, st->saved, sizeof *d->q * (size_t)m->nq) != 0;
  for (double part = 1e-2; part > 1e-7 && !helps; part *= 1e-2) {
    helps = st->type->step(st, d, part * h);
    for (int i = 0; i < m->nv && helps; i++) {
      helps = isfinite(d->qd[i]);
    }
    lb_stepper_restart(st, d);
    d->time = start;
  }
  return helps;
}

lb_status lb_diagnose_lost(lb_stepper* st, lb_data* d, double h, bool left, lb_error* err) {
  const lb_model* m = st->m;
  const lb_integrator by = st->solver.integrator;
  const bool adaptive = lb_integrator_method(by) == LB_METHOD_ADAPTIVE;
  const double time = left && st->runaway > 0 ? st->ran_from : d->time; // where it began
  char who[LIST_SIZE] = "everything", reason[2 * LIST_SIZE];
  lb_place place = {0};
  int v = st->runaway - 1;
  if (v < 0) {
    lb_stepper_observe(st, d); // accelerations, of a start from rest
    v = lb_fastest(m, d, h);
  }
  const int joint = lb_joint_of(m, v);
  if (joint >= 0) {
    name_motion(m, joint, who, sizeof who);
    place = m->joint.place[joint];
  } else {
    name_node(m, v, who, sizeof who);
  }
  const bool helps = adaptive || smaller_helps(st, d, h);
  const char* way = !helps     ? "smaller steps fail, too"
                    : adaptive ? "loosen the tolerance"
                    : left && lb_stepper_type_of(by)->tableau
                        ? "take a smaller step, or the adaptive integrator"
                        : "take a smaller step";
  find_reason(st, d, joint, reason, sizeof reason, &place);
  if (!helps) {
    snprintf(reason, sizeof reason, "check the units of masses, stiffnesses and lengths");
  }
  return left ? lb_error_add(err, LB_FAILED, place,
                             "the motion of %s left all bounds after t = %g s: %s; %s", who, time,
                             way, reason)
              : lb_error_add(err, LB_FAILED, place,
                             "no step small enough was found after t = %g s, where %s moves "
                             "fastest: %s; %s",
                             d->time, who, way, reason);
}
