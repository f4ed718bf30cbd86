// The table of forces, and the laws.
#include "dynamics/force.h"

#include <string.h>

#include "dynamics/derivative.h"
#include "dynamics/kinematics.h"
#include "model/pose.h"

static const lb_force* const FORCES[] = {&lb_force_joint,    &lb_force_spring,  &lb_force_load,
                                         &lb_force_motor,    &lb_force_elastic, &lb_force_loop,
                                         &lb_force_friction, &lb_force_limit};
enum { NFORCE = sizeof FORCES / sizeof *FORCES };

static void apply(const lb_model* m, lb_data* d, bool all) {
  lb_work* w = d->work;
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

void lb_forces_differentiate_outer(lb_derivatives* D, lb_data* d) {
  for (int i = 0; i < NFORCE; i++) {
    if (FORCES[i]->differentiate && FORCES[i] != &lb_force_elastic &&
        FORCES[i]->count(D->model) > 0) {
      FORCES[i]->differentiate(D, d);
    }
  }
}

void lb_forces_differentiate(lb_derivatives* D, lb_data* d) {
  lb_forces_differentiate_outer(D, d);
  lb_force_elastic.differentiate(D, d);
}

// --- springs and dampers on the joints' own coordinates ---

static int joint_count(const lb_model* m) {
  return m->njoint;
}

static void joint_apply(const lb_model* m, lb_data* d) {
  double* tau = d->work->tau;
  for (int i = 0; i < m->nlink && m->nstiff > 0; i++) {
    lb_joint_spring(m, i, tau, d->q);
  }
  for (int k = 0; k < m->nv; k++) {
    tau[k] -= m->damping[k] * d->qd[k];
  }
}

static double joint_energy(const lb_model* m, lb_data* d) {
  double sum = 0;
  for (int i = 0; i < m->nlink; i++) {
    sum += lb_joint_energy(m, i, d->q);
  }
  return sum;
}

static void joint_differentiate(lb_derivatives* D, lb_data* d) {
  const lb_model* m = D->model;
  const size_t nv = (size_t)m->nv;
  for (int i = 0; i < m->nlink; i++) {
    lb_joint_stiffen(m, i, D->tau_q, d->q);
  }
  for (size_t k = 0; k < nv; k++) {
    D->tau_qd[k * (nv + 1)] += m->damping[k];
  }
}

const lb_force lb_force_joint = {"joint spring and damper", joint_count, joint_apply, joint_energy,
                                 joint_differentiate,       false};

// --- points of bodies ---

typedef struct point {
  lb_v4 at;       // in the world
  lb_v4 velocity; // of the material point
  lb_state* link; // NULL: of the world
  int index;      // of the link, or LB_WORLD
  lb_v4 arm;      // from the link's origin
} point;

static point find_point(lb_work* w, const lb_anchor* anchor) {
  point p = {.at = lb_v4_from(anchor->X.p), .index = anchor->link};
  if (anchor->link != LB_WORLD) {
    p.link = &w->state[anchor->link];
    p.arm = lb_m3_apply(p.link->R, p.at);
    p.at = p.link->p + p.arm;
    p.velocity = p.link->v + lb_v4_cross(p.link->w, p.arm);
  }
  return p;
}

static void push(point p, lb_v4 force) {
  if (p.link) {
    p.link->xf += force;
    p.link->xn += lb_v4_cross(p.at - p.link->p, force);
  }
}

// --- springs between points ---
//
//   f = (k (l - l0) + d ldot) e,  e from the first point to the second, on the first; -f on the
//   second

static int spring_count(const lb_model* m) {
  return m->nspring;
}

typedef struct pull {
  point a, b;
  lb_v4 e; // zero for a spring of no length, whose direction is not defined: it pulls nowhere
  double length, force;
} pull;

static pull find_pull(const lb_model* m, lb_work* w, int i) {
  const lb_scene_spring* s = &m->spring[i];
  pull p = {.a = find_point(w, &m->spring_end[2 * i]),
            .b = find_point(w, &m->spring_end[2 * i + 1])};
  const lb_v4 along = p.b.at - p.a.at;
  p.length = sqrt(lb_v4_dot(along, along));
  if (p.length > 0) {
    p.e = along / p.length;
    p.force = s->stiffness * (p.length - s->length) +
              s->damping * lb_v4_dot(p.e, p.b.velocity - p.a.velocity);
  }
  return p;
}

static void spring_apply(const lb_model* m, lb_data* d) {
  lb_move_origins(m, d->work, d->qd);
  for (int i = 0; i < m->nspring; i++) {
    const pull p = find_pull(m, d->work, i);
    push(p.a, p.e * p.force);
    push(p.b, -(p.e * p.force));
  }
}

// The change of f with one coordinate: with the change x of the way from one point to the other and
// xd of their relative velocity y,
//   de = (x - e e.x) / l,   df = de (k (l - l0) + d ldot) + e (k e.x + d (de.y + e.xd))
static lb_v4 spring_change(const lb_scene_spring* s, const pull* p, lb_v4 x, lb_v4 xd) {
  const double stretch = lb_v4_dot(p->e, x);
  const lb_v4 de = (x - p->e * stretch) / p->length;
  const double rate = lb_v4_dot(de, p->b.velocity - p->a.velocity) + lb_v4_dot(p->e, xd);
  return de * p->force + p->e * (s->stiffness * stretch + s->damping * rate);
}

// What one end moves with a coordinate: its velocity turns along and gains psi.
static lb_v4 velocity_change(lb_motion S, lb_motion psi, lb_v4 velocity) {
  return psi.v + lb_v4_cross(S.w, velocity);
}

static void differentiate_spring(lb_derivatives* D, const lb_scene_spring* s, const pull* p) {
  const lb_derivation* W = D->work;
  lb_motion *Sa = W->lever[0], *Sb = W->lever[1], *Pa = W->lever[2], *Pb = W->lever[3];
  lb_motion *on_a = W->lever[4], *on_b = W->lever[5];
  const lb_v4 f = p->e * p->force;
  lb_derive_point(D, Sa, Pa, p->a.index, p->a.arm);
  lb_derive_point(D, Sb, Pb, p->b.index, p->b.arm);
  for (int k = 0; k < D->model->nv; k++) {
    const lb_v4 xd =
        velocity_change(Sb[k], Pb[k], p->b.velocity) - velocity_change(Sa[k], Pa[k], p->a.velocity);
    const lb_v4 df = spring_change(s, p, Sb[k].v - Sa[k].v, xd);
    on_a[k] = (lb_motion){lb_v4_zero(), df - lb_v4_cross(Sa[k].w, f)};
    on_b[k] = (lb_motion){lb_v4_zero(), lb_v4_cross(Sb[k].w, f) - df};
  }
  lb_derive_push(D, D->tau_q, Sa, on_a);
  lb_derive_push(D, D->tau_q, Sb, on_b);
  for (int k = 0; k < D->model->nv; k++) {
    on_a[k].v = p->e * (s->damping * lb_v4_dot(p->e, Sb[k].v - Sa[k].v));
    on_b[k].v = -on_a[k].v;
  }
  lb_derive_push(D, D->tau_qd, Sa, on_a);
  lb_derive_push(D, D->tau_qd, Sb, on_b);
}

static void spring_differentiate(lb_derivatives* D, lb_data* d) {
  const lb_model* m = D->model;
  for (int i = 0; i < m->nspring; i++) {
    const pull p = find_pull(m, d->work, i);
    if (p.length > 0) {
      differentiate_spring(D, &m->spring[i], &p);
    }
  }
}

static double spring_energy(const lb_model* m, lb_data* d) {
  double sum = 0;
  for (int i = 0; i < m->nspring; i++) {
    const lb_scene_spring* s = &m->spring[i];
    const lb_v4 along = find_point(d->work, &m->spring_end[2 * i + 1]).at -
                        find_point(d->work, &m->spring_end[2 * i]).at;
    const double stretch = sqrt(lb_v4_dot(along, along)) - s->length;
    sum += 0.5 * s->stiffness * stretch * stretch;
  }
  return sum;
}

const lb_force lb_force_spring = {"spring",      spring_count,         spring_apply,
                                  spring_energy, spring_differentiate, true};

// --- loads ---

static int load_count(const lb_model* m) {
  return m->nload;
}

// From the axes of what it acts on to the world's.
static lb_v4 turn(const lb_work* w, const lb_anchor* at, lb_vec3 v) {
  return lb_m3_apply(w->state[at->link].R, lb_v4_from(lb_quat_rotate(at->X.q, v)));
}

static double load_scale(const lb_model* m, const lb_data* d, int i) {
  double scale[3] = {1, 0, 0};
  if (m->load_profile[i]) {
    lb_profile_evaluate(m->load_profile[i], d->time, scale);
  }
  return scale[0];
}

static void load_apply(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->nload; i++) {
    const lb_scene_load* load = &m->load[i];
    const double scale = load_scale(m, d, i);
    const lb_anchor* at = &m->load_at[i];
    const point p = find_point(d->work, at);
    if (p.link) {
      const lb_v4 f = load->follows ? turn(d->work, at, load->force) : lb_v4_from(load->force);
      const lb_v4 n = load->follows ? turn(d->work, at, load->torque) : lb_v4_from(load->torque);
      push(p, f * scale);
      p.link->xn += n * scale;
    }
  }
}

// A load in the world's axes stays while its link turns.
static void load_differentiate(lb_derivatives* D, lb_data* d) {
  const lb_model* m = D->model;
  lb_motion *S = D->work->lever[0], *change = D->work->lever[1];
  for (int i = 0; i < m->nload; i++) {
    const lb_scene_load* load = &m->load[i];
    const point p = find_point(d->work, &m->load_at[i]);
    if (load->follows || !p.link) {
      continue;
    }
    const double scale = load_scale(m, d, i);
    const lb_v4 f = lb_v4_from(load->force) * scale, n = lb_v4_from(load->torque) * scale;
    lb_derive_point(D, S, NULL, p.index, p.arm);
    for (int k = 0; k < m->nv; k++) {
      change[k] = (lb_motion){-lb_v4_cross(S[k].w, n), -lb_v4_cross(S[k].w, f)};
    }
    lb_derive_push(D, D->tau_q, S, change);
  }
}

const lb_force lb_force_load = {"load", load_count, load_apply, NULL, load_differentiate, true};

// --- motors that push ---

static int motor_count(const lb_model* m) {
  return m->nmotor;
}

static void motor_apply(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->nmotor; i++) {
    if (m->motor_drive[i] == LB_DRIVE_FORCE && m->motor_joint[i] >= 0) {
      double value[3];
      lb_profile_evaluate(m->motor_profile[i], d->time, value);
      d->motor_force[i] = value[0];
      d->work->tau[m->joint_v[m->motor_joint[i]]] += value[0];
    }
  }
}

const lb_force lb_force_motor = {"motor", motor_count, motor_apply, NULL, NULL, false};
