// The table of forces, and the simplest of them: those on points, loads, motors.
#include "dynamics/force/force.h"

#include <string.h>

#include "base/assert.h"
#include "dynamics/force/command.h"
#include "dynamics/force/force_point.h"
#include "dynamics/joint/joint_chart.h"
#include "dynamics/tree/kinematics.h"
#include "model/use/initial_pose.h"
#include "model/use/motor_use.h"

static const lb_force* const FORCES[] = {
    &lb_force_joint,   &lb_force_points,     &lb_force_drag,        &lb_force_load,
    &lb_force_motor,   &lb_force_elastic,    &lb_force_loop,        &lb_force_friction,
    &lb_force_limit,   &lb_force_free_rotor, &lb_force_particles,   &lb_force_compliant,
    &lb_force_contact, &lb_force_servo,      &lb_force_inner_motor, &lb_force_muscle,
    &lb_force_external};
enum { NFORCE = sizeof FORCES / sizeof *FORCES };

static void apply(const lb_model* m, lb_data* d, bool all) {
  lb_work* w = d->work;
  LB_ASSERT(w->stages & LB_POSED);
  w->stages |= LB_LINK_FORCES | (all ? LB_FORCED : 0);
  memcpy(w->tau, d->tau, (size_t)m->nv * sizeof *w->tau);
  for (int i = 0; i < m->nlink; i++) {
    w->state[i].xn = w->state[i].xf = lb_v4_zero();
  }
  for (int i = 0; i < NFORCE; i++) {
    if ((all || FORCES[i]->on_links) && FORCES[i]->count(m) > 0) {
      FORCES[i]->apply(m, d);
    }
  }
}

void lb_forces_apply(const lb_model* m, lb_data* d) {
  apply(m, d, true);
}

void lb_update(const lb_model* m, lb_data* d, int stages) {
  lb_kinematics(m, d, d->q, d->qd);
  if (stages & LB_ORIGINS) {
    lb_move_origins(m, d->work, d->qd);
  }
  if (stages & LB_FORCED) {
    lb_forces_apply(m, d);
  }
}

void lb_forces_apply_to_links(const lb_model* m, lb_data* d) {
  apply(m, d, false);
}

double lb_forces_energy(const lb_model* m, lb_data* d) {
  double sum = 0;
  for (int i = 0; i < NFORCE; i++) {
    if (FORCES[i]->energy && FORCES[i]->count(m) > 0) {
      sum += FORCES[i]->energy(m, d);
    }
  }
  return sum;
}

void lb_forces_measure(lb_channel_walk* w) {
  for (int i = 0; i < NFORCE; i++) {
    if (FORCES[i]->measure && FORCES[i]->count(w->m) > 0) {
      FORCES[i]->measure(w);
    }
  }
}

static bool has_members(const lb_model* m, int i) {
  return FORCES[i]->count(m) > 0;
}

void lb_forces_differentiate_outer(lb_derivatives* D, lb_data* d) {
  for (int i = 0; i < NFORCE; i++) {
    if (FORCES[i]->differentiate && !FORCES[i]->internal && has_members(D->model, i)) {
      FORCES[i]->differentiate(D, d, false);
    }
  }
}

void lb_forces_differentiate(lb_derivatives* D, lb_data* d) {
  lb_forces_differentiate_outer(D, d);
  lb_force_elastic.differentiate(D, d, false);
}

void lb_forces_stiffen(lb_derivatives* D, lb_data* d) {
  const size_t size = (size_t)D->model->nv * (size_t)D->model->nv * sizeof(double);
  memset(D->tau_qd, 0, size);
  memset(D->tau_q, 0, size);
  for (int i = 0; i < NFORCE; i++) {
    if (FORCES[i]->stiff && has_members(D->model, i)) {
      FORCES[i]->differentiate(D, d, true);
    }
  }
}

lb_motion lb_derive_motion(const lb_derivatives* D, const lb_force_point* p, const double* mu) {
  lb_motion *S = D->work->points, sum = lb_motion_zero();
  lb_derive_point(D, S, NULL, p->index, p->arm);
  for (int k = 0; k < D->model->nv; k++) {
    sum = lb_motion_add(sum, lb_motion_scale(mu[k], S[k]));
  }
  return sum;
}

int lb_switching_find(const lb_model* m, lb_data* d, lb_switching* out) {
  int n = lb_general_switching(m, d, out);
  for (int i = 0; i < NFORCE; i++) {
    if (FORCES[i]->switching && has_members(m, i)) {
      n += FORCES[i]->switching(m, d, out ? out + n : NULL);
    }
  }
  return n;
}

// True where a force couples velocities of a joint: a ball's linear spring acts on each by itself;
// that of a free joint turns with it. Friction and limits couple them, where they count.
static bool pulls_together(const lb_model* m, bool limits) {
  bool any = false;
  for (int i = 0; i < m->nlink; i++) {
    const bool moves = m->link.nv[i] > 3;
    const int end = lb_joint_together(m, i) > 1 ? m->link.v[i] + m->link.nv[i] : 0;
    for (int v = m->link.v[i]; v < end; v++) {
      any |= lb_force_curve_bends(&m->dof.force_curve[v]) ||
             (moves && (m->dof.stiffness[v] > 0 || m->dof.damping[v] > 0)) ||
             (limits && (m->dof.friction[v] > 0 || m->dof.limit_stiffness[v] > 0));
    }
  }
  return any;
}

bool lb_resistance_is_diagonal(const lb_model* m) {
  return !pulls_together(m, true);
}

bool lb_forces_are_on_joints(const lb_model* m) {
  bool others = false;
  for (int i = 0; i < NFORCE; i++) {
    others |= FORCES[i]->stiff && !FORCES[i]->on_joints && has_members(m, i);
  }
  return !others && lb_resistance_is_diagonal(m);
}

bool lb_forces_are_diagonal(const lb_model* m) {
  bool others = pulls_together(m, false);
  for (int i = 0; i < NFORCE; i++) {
    others = others || (FORCES[i]->stiff && !FORCES[i]->on_diagonal && has_members(m, i));
  }
  return !others && m->elastic.count == 0 && m->constraint.count == 0 &&
         m->particles.nparticle == 0;
}

bool lb_forces_change_by_joints(const lb_model* m) {
  bool others = false;
  for (int i = 0; i < NFORCE; i++) {
    others = others || (FORCES[i]->differentiate && !FORCES[i]->in_tree && has_members(m, i));
  }
  return !others;
}

// --- forces on points ---

const lb_force_type* const LB_FORCE_TYPE[LB_FORCE_KINDS] = {
#define TYPE_OF(code, name, section, about) [code] = &lb_##name##_force,
    LB_FORCE_LIST(TYPE_OF)};

static int point_count(const lb_model* m) {
  return m->force.count;
}

static void point_apply(const lb_model* m, lb_data* d) {
  lb_move_origins(m, d->work, d->qd);
  for (int i = 0; i < m->force.count; i++) {
    const lb_model_force* f = &m->force.item[i];
    LB_FORCE_TYPE[f->set.kind]->apply(f, d->work);
  }
}

static double point_energy(const lb_model* m, lb_data* d) {
  double sum = 0;
  for (int i = 0; i < m->force.count; i++) {
    const lb_model_force* f = &m->force.item[i];
    sum += LB_FORCE_TYPE[f->set.kind]->energy(f, d->work);
  }
  return sum;
}

static void point_measure(lb_channel_walk* w) {
  for (int i = 0; i < w->m->force.count; i++) {
    const lb_model_force* f = &w->m->force.item[i];
    LB_FORCE_TYPE[f->set.kind]->measure(f, w);
  }
}

static void point_differentiate(lb_derivatives* D, lb_data* d, bool symmetric) {
  for (int i = 0; i < D->model->force.count; i++) {
    const lb_model_force* f = &D->model->force.item[i];
    LB_FORCE_TYPE[f->set.kind]->differentiate(D, d->work, f, symmetric);
  }
}

static int point_switching(const lb_model* m, lb_data* d, lb_switching* out) {
  int n = 0;
  if (out) {
    lb_move_origins(m, d->work, d->qd);
  }
  for (int i = 0; i < m->force.count; i++) {
    const lb_model_force* f = &m->force.item[i];
    const lb_force_type* type = LB_FORCE_TYPE[f->set.kind];
    n += type->switching ? type->switching(f, d ? d->work : NULL, out ? out + n : NULL) : 0;
  }
  return n;
}

double lb_force_by_number(const lb_derivatives* D, lb_data* d, int i, lb_spring_number number,
                          const double* mu) {
  const lb_model_force* f = &D->model->force.item[i];
  return LB_FORCE_TYPE[f->set.kind]->by_number(D, d->work, f, number, mu);
}

const lb_force lb_force_points = {.name = "force on points",
                                  .count = point_count,
                                  .apply = point_apply,
                                  .energy = point_energy,
                                  .differentiate = point_differentiate,
                                  .switching = point_switching,
                                  .measure = point_measure,
                                  .on_links = true,
                                  .stiff = true};

// --- loads and external forces ---

// External forces of callers come with the state, so that no model is without any.
static int load_count(const lb_model* m) {
  return m->force.nload + 1;
}

int lb_loads_count(const lb_model* m, const lb_data* d) {
  return m->force.nload + d->nexternal;
}

// From the axes of what it acts on to the world's.
static lb_v4 turn(const lb_work* w, const lb_anchor* at, lb_vec3 v) {
  return lb_m3_apply(w->state[at->link].R, lb_v4_from(lb_quat_rotate(at->X.q, v)));
}

static double load_scale(const lb_model* m, const lb_data* d, int i) {
  double scale[3] = {1, 0, 0};
  if (m->force.load_profile[i]) {
    lb_profile_evaluate(m->force.load_profile[i], d->time, scale);
  }
  return scale[0];
}

// Moment and force in the world of a load of the scene that acts on something that moves.
static lb_motion scene_load(const lb_model* m, const lb_data* d, int i) {
  const lb_scene_load* load = &m->force.load[i];
  const lb_anchor* at = &m->force.load_at[i];
  const double scale = load_scale(m, d, i);
  const lb_v4 f = load->follows ? turn(d->work, at, load->force) : lb_v4_from(load->force);
  const lb_v4 n = load->follows ? turn(d->work, at, load->torque) : lb_v4_from(load->torque);
  return (lb_motion){n * scale, f * scale};
}

// Loads of the scene, then external forces: where one acts; false: on nothing that moves.
static bool load_find(const lb_model* m, const lb_data* d, int i, lb_force_point* p,
                      lb_motion* load) {
  const lb_external_force* push = i < m->force.nload ? NULL : &d->external[i - m->force.nload];
  *p = lb_force_point_find(d->work, push ? &push->at : &m->force.load_at[i]);
  if (!p->link) {
    return false;
  }
  *load =
      push ? (lb_motion){lb_v4_from(push->torque), lb_v4_from(push->force)} : scene_load(m, d, i);
  return true;
}

static void load_apply(const lb_model* m, lb_data* d) {
  for (int i = 0; i < lb_loads_count(m, d); i++) {
    lb_force_point p;
    lb_motion load;
    if (load_find(m, d, i, &p, &load)) {
      lb_force_point_apply(&p, load.v);
      p.link->xn += load.w;
    }
  }
}

bool lb_load_stays(const lb_model* m, const lb_data* d, int i, lb_force_point* p, lb_motion* load) {
  const bool follows = i < m->force.nload && m->force.load[i].follows;
  return !follows && load_find(m, d, i, p, load);
}

static void load_differentiate(lb_derivatives* D, lb_data* d, bool symmetric) {
  (void)symmetric;
  const lb_model* m = D->model;
  lb_motion *S = D->work->lever[0], *change = D->work->lever[1];
  for (int i = 0; i < lb_loads_count(m, d); i++) {
    lb_force_point p;
    lb_motion load;
    if (!lb_load_stays(m, d, i, &p, &load)) {
      continue;
    }
    lb_derive_point(D, S, NULL, p.index, p.arm);
    for (int k = 0; k < m->nv; k++) {
      change[k] = (lb_motion){-lb_v4_cross(S[k].w, load.w), -lb_v4_cross(S[k].w, load.v)};
    }
    lb_derive_force(D, D->tau_q, S, change);
  }
}

const lb_force lb_force_load = {.name = "load",
                                .count = load_count,
                                .apply = load_apply,
                                .differentiate = load_differentiate,
                                .on_links = true,
                                .in_tree = true};

// --- motors that apply forces ---

static int motor_count(const lb_model* m) {
  return m->nmotor;
}

static void motor_apply(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->nmotor; i++) {
    if (lb_motor_applies_force(m, i) && m->motor.v[i] >= 0) {
      double value[3];
      lb_motor_evaluate(m, d, i, value);
      d->motor_force[i] = value[0];
      d->work->tau[m->motor.v[i]] += value[0];
    }
  }
}

const lb_force lb_force_motor = {.name = "motor", .count = motor_count, .apply = motor_apply};
