#include "dynamics/force/channel.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/constraint/constraint_pair.h"
#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/force/force.h"
#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "model/use/motor_use.h"

void lb_channel_put(lb_channel_walk* w, const char* name, lb_channel_kind kind, double value,
                    const char* what, ...) {
  if (w->channel) {
    lb_channel* c = &w->channel[w->count];
    va_list args;
    va_start(args, what);
    *c = (lb_channel){.name = name, .kind = kind, .body = -1};
    vsnprintf(c->what, sizeof c->what, what, args);
    va_end(args);
  }
  if (w->value) {
    w->value[w->count] = value;
  }
  w->count++;
}

void lb_channel_put_vector(lb_channel_walk* w, const char* name, int body, const char* part,
                           lb_v4 force) {
  const int first = w->count;
  for (int i = 0; i < 3; i++) {
    lb_channel_put(w, name, LB_CHANNEL_CONTACT, force[i], "%.64s%sf%c", part ? part : "",
                   part ? "." : "", 'x' + i);
  }
  if (w->channel) {
    w->channel[first].body = body;
  }
}

// --- along coordinates of joints ---

// What a force adds to tau, in the scratch of inverse dynamics.
static const double* added(lb_channel_walk* w, const lb_force* force) {
  lb_work* work = w->d->work;
  double* tau = work->tau;
  work->tau = work->bias;
  memset(work->tau, 0, (size_t)w->m->nv * sizeof *tau);
  force->apply(w->m, w->d);
  work->tau = tau;
  return work->bias;
}

static void put_coordinate(lb_channel_walk* w, int joint, int k, const char* what, double value) {
  const lb_model* m = w->m;
  const lb_channel_kind kind = m->dof.counts[m->joint.v[joint] + k] == LB_COORDINATE_ANGLE
                                   ? LB_CHANNEL_JOINT_TORQUE
                                   : LB_CHANNEL_JOINT_FORCE;
  if (m->joint.nv[joint] > 1) {
    lb_channel_put(w, m->joint.name[joint], kind, value, "%s%d", what, k);
  } else {
    lb_channel_put(w, m->joint.name[joint], kind, value, "%s", what);
  }
}

void lb_channel_put_joints(lb_channel_walk* w, const lb_force* force, const char* what,
                           bool (*acts)(const lb_model* m, int v)) {
  const lb_model* m = w->m;
  const double* tau = w->value ? added(w, force) : NULL;
  for (int i = 0; i < m->njoint; i++) {
    const int n = LB_JOINT[m->joint.kind[i]]->flow[LB_FLOW_RATE] ? 3 : 1;
    const int v = m->joint.v[i], nv = m->joint.kind[i] < LB_JOINT_COUNT ? m->joint.nv[i] : 0;
    for (int k = 0; k < nv; k += n) {
      bool any = false; // velocities that resist together
      for (int j = k; j < k + n; j++) {
        any = any || acts(m, v + j);
      }
      for (int j = k; j < k + n && any; j++) {
        put_coordinate(w, i, j, what, tau ? tau[v + j] : 0);
      }
    }
  }
}

// --- motors ---

static double speed_of(const lb_channel_walk* w, int motor) {
  const lb_model* m = w->m;
  if (m->motor.v[motor] >= 0) {
    return w->d->qd[m->motor.v[motor]];
  }
  lb_pair P;
  lb_constraint_row row[3];
  lb_constraint_pair(&P, w->d, m->motor.loop[motor]);
  lb_loop_free_rows(m, &P, m->motor.loop[motor], row);
  return row[0].rate;
}

static void put_motors(lb_channel_walk* w) {
  const lb_model* m = w->m;
  for (int i = 0; i < m->nmotor; i++) {
    const bool linear = lb_motor_is_linear(m, i);
    const double force = w->value ? w->d->motor_force[i] : 0, speed = w->value ? speed_of(w, i) : 0;
    lb_channel_put(w, m->motor.name[i], linear ? LB_CHANNEL_MOTOR_FORCE : LB_CHANNEL_MOTOR_TORQUE,
                   force, "force");
    lb_channel_put(w, m->motor.name[i], linear ? LB_CHANNEL_MOTOR_SPEED : LB_CHANNEL_MOTOR_SPIN,
                   speed, "speed");
    lb_channel_put(w, m->motor.name[i], LB_CHANNEL_POWER, force * speed, "power");
  }
}

// --- constraints ---

// Forces of floors, rods and prescribed points on the second body, along the world's axes. Those of
// joints are reactions. Points of one constraint follow each other, and share its name.
static void put_constraints(lb_channel_walk* w) {
  const lb_model* m = w->m;
  const lb_model_constraint* item = m->constraint.item;
  const int end = m->constraint.npair - lb_motors_count_turns(m);
  lb_v4 sum = lb_v4_zero();
  for (int i = m->constraint.nloop; i < end; i++) {
    sum += w->value ? lb_loop_wrench(m, w->d, i).v : lb_v4_zero();
    if (i + 1 == end || item[i + 1].name != item[i].name) {
      lb_channel_put_vector(w, item[i].name, item[i].body[1], NULL, sum);
      sum = lb_v4_zero();
    }
  }
}

// --- stress ---

// Names alone: values come from the coordinates that are shown (solve/run/frames.c).
static void put_stress(lb_channel_walk* w) {
  for (int i = 0; i < w->m->elastic.count; i++) {
    const lb_model_elastic* e = &w->m->elastic.body[i];
    if (e->stress) {
      lb_channel_put(w, w->m->body.name[e->body], LB_CHANNEL_STRESS, 0, "stress");
    }
  }
}

int lb_channels(const lb_model* m, lb_data* d, lb_channel* channel, double* value) {
  lb_channel_walk w = {.m = m, .d = d, .channel = channel, .value = value};
  if (value) {
    lb_move_origins(m, d->work, d->qd);
  }
  put_motors(&w);
  lb_forces_measure(&w);
  put_constraints(&w);
  put_stress(&w);
  return w.count;
}
