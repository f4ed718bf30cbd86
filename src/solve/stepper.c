// One interface for all steppers: choose by name, guard each step.
#include "solve/stepper.h"

#include <math.h>
#include <string.h>

#include "dynamics/gear.h"
#include "dynamics/joint.h"
#include "dynamics/loop.h"

static const lb_stepper_type* const STEPPERS[LB_INTEGRATOR_COUNT] = {
    [LB_INTEGRATOR_EULER] = &lb_stepper_euler,
    [LB_INTEGRATOR_RK4] = &lb_stepper_rk4,
    [LB_INTEGRATOR_RK8] = &lb_stepper_rk8,
    [LB_INTEGRATOR_LINEAR_EULER] = &lb_stepper_linear_euler,
    [LB_INTEGRATOR_BDF1] = &lb_stepper_implicit,
    [LB_INTEGRATOR_BDF2] = &lb_stepper_implicit,
    [LB_INTEGRATOR_SDIRK2] = &lb_stepper_implicit,
    [LB_INTEGRATOR_ADAPTIVE] = &lb_stepper_adaptive,
};

void lb_slopes(const lb_model* m, lb_data* d, double* dq, double* qdd) {
  lb_forward(m, d);
  lb_rates(m, dq, d->q, d->qd);
  memcpy(qdd, d->qdd, (size_t)m->nv * sizeof *qdd);
}

static void save(lb_stepper* st, const lb_data* d) {
  memcpy(st->saved, d->q, (size_t)st->m->nq * sizeof *d->q);
  memcpy(st->saved + st->m->nq, d->qd, (size_t)st->m->nv * sizeof *d->qd);
}

void lb_stepper_restart(const lb_stepper* st, lb_data* d) {
  memcpy(d->q, st->saved, (size_t)st->m->nq * sizeof *d->q);
  memcpy(d->qd, st->saved + st->m->nq, (size_t)st->m->nv * sizeof *d->qd);
}

// The first joint whose state is not finite, or -1.
static int lost_joint(const lb_model* m, const lb_data* d) {
  for (int j = 0; j < m->njoint; j++) {
    for (int k = 0; k < m->joint_nq[j]; k++) {
      if (!isfinite(d->q[m->joint_q[j] + k])) {
        return j;
      }
    }
    for (int k = 0; k < m->joint_nv[j]; k++) {
      if (!isfinite(d->qd[m->joint_v[j] + k])) {
        return j;
      }
    }
  }
  return -1;
}

// Angles about three axes run away where two of the axes fall together; other coordinates do so
// only where forces change too fast for the step.
static const char* likely_reason(const lb_model* m, int joint) {
  static const char ANGLES[] = "its angles may have come to where two of their axes fall together "
                               "(use a spherical joint, or another 'order')";
  const int kind = m->joint_kind[joint];
  return kind == LB_JOINT_EULER || kind == LB_JOINT_FREE_3D
             ? ANGLES
             : "springs or dampers may be too stiff for this one (bdf2 and sdirk2 take more)";
}

// The strand or flesh of the first node whose state is not finite, or NULL; `word` is what it is.
static const char* lost_node(const lb_model* m, const lb_data* d, const char** word) {
  for (int i = 0; i < m->nnode; i++) {
    const lb_model_node* node = &m->node[i];
    bool lost = false;
    for (int k = 0; k < 3 && node->link == LB_NODE_FREE; k++) {
      lost = lost || !isfinite(d->q[node->q + k]) || !isfinite(d->qd[node->v + k]);
    }
    for (int s = 0; lost && s < m->nstrand; s++) {
      if (i < m->strand[s].first_node + m->strand[s].nnode) {
        *word = "strand";
        return m->strand[s].name;
      }
    }
    for (int s = 0; lost && s < m->nsoft; s++) {
      if (i < m->soft[s].first_node + m->soft[s].nnode) {
        *word = "soft";
        return m->soft[s].name;
      }
    }
  }
  return NULL;
}

lb_status lb_stepper_step(lb_stepper* st, lb_data* d, double h, lb_error* err) {
  const double start = d->time;
  if (!st->watched) {
    lb_rechart(st->m, d->q, d->qd); // steppers with a history see that it ends here
  }
  lb_gears_hold(st->m, d);
  save(st, d);
  const bool stepped = st->type->step(st, d, h);
  const int lost = lost_joint(st->m, d);
  const char* word = "";
  const char* loose = lost_node(st->m, d, &word);
  if (stepped && lost < 0 && !loose) {
    d->time = start + h;
    if (st->type->closes_loops) {
      lb_drive(st->m, d);
      lb_normalise(st->m, d->q);
    } else {
      lb_settle(st->m, d);
      if (st->watcher && st->solver.integrator != LB_INTEGRATOR_ADAPTIVE) { // which has told
        st->watcher(st->told, d, &(lb_step_past){.dt = h, .count = 1, .weight = {1}});
      }
    }
    return LB_OK;
  }
  lb_stepper_restart(st, d);
  d->time = start;
  if (lost >= 0) {
    return lb_error_add(
        err, LB_FAILED, (lb_place){0},
        "the motion of joint '%s', which carries body '%s', left all bounds after t = "
        "%g s: take a smaller "
        "step, or the adaptive integrator; %s",
        st->m->joint_name[lost], st->m->body_name[st->m->joint_body[lost]], start,
        likely_reason(st->m, lost));
  }
  if (loose) {
    return lb_error_add(
        err, LB_FAILED, (lb_place){0},
        "the motion of %s '%s' left all bounds after t = %g s: take a smaller step, "
        "or an implicit integrator (bdf2)",
        word, loose, start);
  }
  return lb_error_add(
      err, LB_FAILED, (lb_place){0},
      "no step small enough was found after t = %g s: %s or look for very stiff "
      "springs",
      start,
      st->solver.integrator == LB_INTEGRATOR_ADAPTIVE ? "loosen the tolerance,"
      : lb_loops_most_rows(st->m) > 0
          ? "perhaps a point, motor or loop is led out of reach; take a smaller step,"
          : "take a smaller step,");
}

lb_status lb_stepper_create(const lb_model* model, const lb_scene_solver* solver,
                            const lb_allocator* allocator, lb_stepper** stepper, lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_stepper* st = LB_TAKE(&arena, lb_stepper, 1);
  double* saved = LB_TAKE(&arena, double, model->nq + model->nv);
  if (!st || !saved) {
    lb_arena_release(&arena);
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the stepper");
  }
  st->m = model;
  st->solver = solver ? *solver : model->solver;
  st->type = STEPPERS[st->solver.integrator];
  st->saved = saved;
  st->arena = arena;
  const lb_status status = st->type->create(st, err);
  if (status != LB_OK) {
    arena = st->arena;
    lb_arena_release(&arena);
    return status;
  }
  *stepper = st;
  return LB_OK;
}

void lb_stepper_release(lb_stepper* st) {
  if (st) {
    if (st->type->release) {
      st->type->release(st);
    }
    lb_arena arena = st->arena;
    lb_arena_release(&arena);
  }
}

long lb_stepper_count(const lb_stepper* st) {
  return st->count;
}

void lb_stepper_observe(lb_stepper* st, lb_data* d) {
  if (st->type->observe) {
    st->type->observe(st, d);
  } else {
    lb_forward(st->m, d);
  }
}

void lb_stepper_watch(lb_stepper* st, lb_step_watcher* watcher, void* context) {
  st->watcher = watcher;
  st->told = context;
  st->watched = watcher != NULL;
}
