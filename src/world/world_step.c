// A world's inputs, its steps and its states.
#include <math.h>
#include <string.h>

#include "dynamics/contact/contact_set.h"
#include "dynamics/force/command.h"
#include "dynamics/tree/state.h"
#include "model/use/motor_use.h"
#include "world/world_inside.h"

// --- motors ---

// One that prescribes a rotation has three numbers that no single one stands for.
static bool takes_commands(lb_world* w, int motor) {
  if (!lb_world_has(w, LB_PART_MOTOR, motor)) {
    return false;
  }
  if (motor < w->m->nmotor && w->m->motor.prescribed[motor] >= 0) {
    lb_error_add(&w->err, LB_INVALID, w->m->motor.place[motor],
                 "motor '%s' prescribes a rotation, which cannot be set by a number",
                 w->m->motor.name[motor]);
    return false;
  }
  return true;
}

static bool is_number(lb_world* w, double value, const char* what) {
  if (!isfinite(value)) {
    lb_error_add(&w->err, LB_INVALID, (lb_place){.file = w->m->file}, "a %s is not a finite number",
                 what);
  }
  return isfinite(value);
}

static void set(lb_world* w, int motor, double value, double velocity) {
  lb_world_touch(w);
  w->wish[motor] = (lb_wish){true, value, velocity};
  if (lb_motor_applies_force(w->m, motor)) {
    w->command[motor] = (lb_command){.set = true, .to = {value, 0}};
  }
}

void lb_world_set_motor(lb_world* w, int motor, double value) {
  if (takes_commands(w, motor) && is_number(w, value, "motor's value")) {
    set(w, motor, value, NAN);
  }
}

void lb_world_set_motion(lb_world* w, int motor, double position, double velocity) {
  if (takes_commands(w, motor) && is_number(w, position, "motor's position") &&
      is_number(w, velocity, "motor's velocity")) {
    set(w, motor, position, velocity);
  }
}

void lb_world_free_motor(lb_world* w, int motor) {
  if (takes_commands(w, motor)) {
    w->wish[motor].set = w->command[motor].set = false;
    lb_world_touch(w);
  }
}

// Prescribed motions go on from where they are.
static void begin_motions(lb_world* w, double h) {
  for (int i = 0; i < w->count[LB_PART_MOTOR]; i++) {
    lb_wish* wish = &w->wish[i];
    if (wish->set && !lb_motor_applies_force(w->m, i)) {
      double at[3];
      lb_motor_evaluate(w->m, w->d, i, at);
      const double mean = (wish->value - at[0]) / h;
      w->command[i] =
          (lb_command){.set = true,
                       .start = w->d->time,
                       .end = w->d->time + h,
                       .from = {at[0], at[1]},
                       .to = {wish->value, isnan(wish->velocity) ? mean : wish->velocity}};
    }
  }
}

// Motions stay where they came to, unless commanded otherwise.
static void end_motions(lb_world* w) {
  for (int i = 0; i < w->count[LB_PART_MOTOR]; i++) {
    w->wish[i].velocity = NAN;
  }
}

// --- forces ---

static bool make_room(lb_world* w) {
  const lb_allocator* allocator = w->arena.allocator;
  const int count = w->d->nexternal, capacity = count > 0 ? 2 * count : 8;
  if (count < w->capacity) {
    return true;
  }
  lb_external_force* more = lb_allocate(allocator, (size_t)capacity * sizeof *more);
  if (!more) {
    lb_error_add(&w->err, LB_NO_MEMORY, (lb_place){0}, "out of memory for an external force");
    return false;
  }
  if (count > 0) {
    memcpy(more, w->external, (size_t)count * sizeof *more);
  }
  lb_release(allocator, w->external);
  w->d->external = w->external = more;
  w->capacity = capacity;
  return true;
}

static void push(lb_world* w, int body, lb_vec3 force, lb_vec3 torque, lb_vec3 point) {
  const double sum = lb_vec3_norm(force) + lb_vec3_norm(torque) + lb_vec3_norm(point);
  if (lb_world_has(w, LB_PART_BODY, body) && !lb_world_follows(w, body) &&
      is_number(w, sum, "force") && make_room(w)) {
    w->external[w->d->nexternal++] =
        (lb_external_force){lb_model_anchor_of(w->m, body, point), force, torque};
    lb_world_touch(w);
  }
}

void lb_world_push(lb_world* w, int body, lb_vec3 force, lb_vec3 point) {
  push(w, body, force, (lb_vec3){0, 0, 0}, point);
}

void lb_world_twist(lb_world* w, int body, lb_vec3 torque) {
  push(w, body, (lb_vec3){0, 0, 0}, torque, (lb_vec3){0, 0, 0});
}

// A joint with coordinates of its own.
static bool has_moving(lb_world* w, int joint) {
  if (lb_world_has(w, LB_PART_JOINT, joint) && joint >= w->m->njoint) {
    lb_error_add(&w->err, LB_INVALID, (lb_place){.file = w->m->file},
                 "joint '%s' closes a loop: it has no coordinates of its own",
                 lb_world_name(w, LB_PART_JOINT, joint));
  }
  return w->err.status == LB_OK;
}

// Numbers that a joint of this world takes in place of those in `to`; NULL: none.
static void take(lb_world* w, double* to, const double* from, int count) {
  for (int k = 0; from && k < count; k++) {
    if (is_number(w, from[k], "joint's number")) {
      to[k] = from[k];
    }
  }
}

void lb_world_set_tau(lb_world* w, int joint, const double* tau) {
  if (has_moving(w, joint)) {
    take(w, w->d->tau + w->m->joint.v[joint], tau, w->m->joint.nv[joint]);
    lb_world_touch(w);
  }
}

void lb_world_place(lb_world* w, int joint, const double* q, const double* qd) {
  if (has_moving(w, joint)) {
    take(w, w->d->q + w->m->joint.q[joint], q, w->m->joint.nq[joint]);
    take(w, w->d->qd + w->m->joint.v[joint], qd, w->m->joint.nv[joint]);
    if (w->d->work->contacts) {
      lb_contacts_forget_places(w->d->work->contacts);
    }
    lb_world_touch(w);
  }
}

// --- steps ---

lb_status lb_world_step(lb_world* w, double h) {
  h = h == 0 ? w->m->solver.step : h;
  if (w->err.status == LB_OK && !(h > 0 && isfinite(h))) {
    lb_error_add(&w->err, LB_INVALID, (lb_place){.file = w->m->file}, "a step of %g s is none", h);
  }
  if (w->err.status == LB_OK) {
    begin_motions(w, h);
    lb_world_touch(w);
    lb_stepper_step(w->stepper, w->d, h, &w->err);
    w->d->nexternal = 0;
    end_motions(w);
  }
  return w->err.status;
}

// --- states ---

// Motors as numbers.
enum { PER_MOTOR = sizeof(lb_wish) / sizeof(double) + sizeof(lb_command) / sizeof(double) };

size_t lb_world_state_size(const lb_world* w) {
  return lb_stepper_state_size(w->stepper) + PER_MOTOR * (size_t)w->count[LB_PART_MOTOR];
}

void lb_world_save(lb_world* w, double* state) {
  double* to = state + lb_stepper_state_size(w->stepper);
  const size_t wishes = (size_t)w->count[LB_PART_MOTOR] * sizeof *w->wish;
  lb_stepper_save(w->stepper, w->d, state);
  memcpy(to, w->wish, wishes);
  memcpy(to + wishes / sizeof *to, w->command,
         (size_t)w->count[LB_PART_MOTOR] * sizeof *w->command);
}

void lb_world_restore(lb_world* w, const double* state) {
  const double* from = state + lb_stepper_state_size(w->stepper);
  const size_t wishes = (size_t)w->count[LB_PART_MOTOR] * sizeof *w->wish;
  lb_stepper_load(w->stepper, w->d, state);
  memcpy(w->wish, from, wishes);
  memcpy(w->command, from + wishes / sizeof *from,
         (size_t)w->count[LB_PART_MOTOR] * sizeof *w->command);
  w->d->nexternal = 0;
  lb_world_touch(w);
}
