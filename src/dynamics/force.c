// The table of forces, and the laws.
#include "dynamics/force.h"

#include <string.h>

#include "dynamics/kinematics.h"
#include "model/pose.h"

static const lb_force* const FORCES[] = {&lb_force_joint, &lb_force_spring,  &lb_force_load,
                                         &lb_force_motor, &lb_force_elastic, &lb_force_loop};
enum { NFORCE = sizeof FORCES / sizeof *FORCES };

void lb_forces_apply(const lb_model* m, lb_data* d) {
  lb_work* w = d->work;
  memcpy(w->tau, d->tau, (size_t)m->nv * sizeof *w->tau);
  for (int i = 0; i < m->nlink; i++) {
    w->state[i].xn = w->state[i].xf = lb_v4_zero();
  }
  for (int i = 0; i < NFORCE; i++) {
    if (FORCES[i]->count(m) > 0) {
      FORCES[i]->apply(m, d);
    }
  }
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

// --- springs and dampers on the joints' own coordinates ---

static int joint_count(const lb_model* m) {
  return m->njoint;
}

static void joint_apply(const lb_model* m, lb_data* d) {
  double* tau = d->work->tau;
  for (int i = 0; i < m->nlink; i++) {
    const int v = m->link_v[i];
    const int q = m->link_q[i];
    if (m->stiffness[v] > 0) {
      LB_JOINT[m->link_kind[i]]->spring(tau + v, d->q + q, m->rest + q, m->stiffness + v);
    }
  }
  for (int k = 0; k < m->nv; k++) {
    tau[k] -= m->damping[k] * d->qd[k];
  }
}

static double joint_energy(const lb_model* m, lb_data* d) {
  double sum = 0;
  for (int i = 0; i < m->nlink; i++) {
    const int v = m->link_v[i];
    const int q = m->link_q[i];
    sum += LB_JOINT[m->link_kind[i]]->energy(d->q + q, m->rest + q, m->stiffness + v);
  }
  return sum;
}

const lb_force lb_force_joint = {"joint spring and damper", joint_count, joint_apply, joint_energy};

// --- points of bodies ---

typedef struct point {
  lb_v4 at;       // in the world
  lb_v4 velocity; // of the material point
  lb_state* link; // NULL: of the world
} point;

static point find_point(lb_work* w, const lb_anchor* anchor) {
  point p = {.at = lb_v4_from(anchor->X.p)};
  if (anchor->link != LB_WORLD) {
    p.link = &w->state[anchor->link];
    const lb_v4 arm = lb_m3_apply(p.link->R, p.at);
    p.at = p.link->p + arm;
    p.velocity = p.link->v + lb_v4_cross(p.link->w, arm);
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

static void spring_apply(const lb_model* m, lb_data* d) {
  lb_move_origins(m, d->work, d->qd);
  for (int i = 0; i < m->nspring; i++) {
    const lb_scene_spring* s = &m->spring[i];
    const point a = find_point(d->work, &m->spring_end[2 * i]);
    const point b = find_point(d->work, &m->spring_end[2 * i + 1]);
    const lb_v4 along = b.at - a.at;
    const double length = sqrt(lb_v4_dot(along, along));
    if (length > 0) { // the direction of a spring of no length is not defined: it pulls nowhere
      const lb_v4 e = along / length;
      const double rate = lb_v4_dot(e, b.velocity - a.velocity);
      const lb_v4 f = e * (s->stiffness * (length - s->length) + s->damping * rate);
      push(a, f);
      push(b, -f);
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

const lb_force lb_force_spring = {"spring", spring_count, spring_apply, spring_energy};

// --- loads ---

static int load_count(const lb_model* m) {
  return m->nload;
}

// From the axes of what it acts on to the world's.
static lb_v4 turn(const lb_work* w, const lb_anchor* at, lb_vec3 v) {
  return lb_m3_apply(w->state[at->link].R, lb_v4_from(lb_quat_rotate(at->X.q, v)));
}

static void load_apply(const lb_model* m, lb_data* d) {
  for (int i = 0; i < m->nload; i++) {
    const lb_scene_load* load = &m->load[i];
    double scale[3] = {1, 0, 0};
    if (m->load_profile[i]) {
      lb_profile_evaluate(m->load_profile[i], d->time, scale);
    }
    const lb_anchor* at = &m->load_at[i];
    const point p = find_point(d->work, at);
    if (p.link) {
      const lb_v4 f = load->follows ? turn(d->work, at, load->force) : lb_v4_from(load->force);
      const lb_v4 n = load->follows ? turn(d->work, at, load->torque) : lb_v4_from(load->torque);
      push(p, f * scale[0]);
      p.link->xn += n * scale[0];
    }
  }
}

const lb_force lb_force_load = {"load", load_count, load_apply, NULL};

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

const lb_force lb_force_motor = {"motor", motor_count, motor_apply, NULL};
