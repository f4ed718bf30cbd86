// A model's state and scratch, in one block.
#include <math.h>
#include <string.h>

#include "base/carve.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/contact/contact_set.h"
#include "dynamics/force/muscle.h"
#include "dynamics/force/particles.h"
#include "dynamics/joint/joint_chart.h"
#include "dynamics/joint/joint_elastic.h"
#include "dynamics/system/kkt.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/mechanism_pose.h"
#include "model/use/motor_use.h"

static lb_data* lay_out(lb_carver* c, const lb_model* m) {
  const size_t nq = (size_t)m->nq;
  const size_t nv = (size_t)m->nv;
  const size_t nhinge = (size_t)m->link.nhinge;
  lb_data* d = lb_carve(c, 1, sizeof *d);
  lb_work* w = lb_carve(c, 1, sizeof *w);
  lb_data data = {.model = m, .threads = 1, .work = w};
  lb_work work = {.data = d};
  data.q = lb_carve(c, nq, sizeof(double));
  data.qd = lb_carve(c, nv, sizeof(double));
  data.x = lb_carve(c, (size_t)m->nx, sizeof(double));
  data.tau = lb_carve(c, nv, sizeof(double));
  data.qdd = lb_carve(c, nv, sizeof(double));
  data.motor_force = lb_carve(c, (size_t)m->nmotor + (size_t)m->mechanism.nmotor, sizeof(double));
  data.coupling_force = lb_carve(c, (size_t)m->constraint.ncoupling, sizeof(double));
  data.pose = lb_carve(c, (size_t)m->nbody, sizeof(lb_transform));
  work.state = lb_carve(c, (size_t)m->nlink + 1, sizeof(lb_state));
  work.angle = lb_carve(c, nhinge, sizeof(double));
  work.sine = lb_carve(c, nhinge, sizeof(double));
  work.cosine = lb_carve(c, nhinge, sizeof(double));
  work.tau = lb_carve(c, nv, sizeof(double));
  work.bias = lb_carve(c, nv, sizeof(double));
  work.S = lb_carve(c, 2 * (size_t)m->link.ncolumn, sizeof(lb_v4));
  work.spread = lb_carve(c, 6 * nv, sizeof(double));
  work.constraints = lb_constraints_lay_out(c, m);
  work.particles = lb_particles_lay_out(c, m);
  work.muscles = lb_muscles_lay_out(c, m);
  if (c->base) {
    work.state++; // state[-1] is the world
  }
  lb_elastic_lay_out(c, m, &work);
  lb_general_lay_out(c, m, &work);
  if (lb_model_has_dense_mass(m) && !m->elastic.count) {
    work.M = lb_carve(c, (size_t)m->ndense * (size_t)m->ndense, sizeof(double));
  }
  if (d) {
    *d = data;
    *w = work;
  }
  return d;
}

// One for steps, and one for what is observed between them.
static bool take_systems(lb_data* d, const lb_allocator* allocator) {
  lb_constraints* L = d->work->constraints;
  L->kkt = lb_kkt_create(d->model, d, allocator);
  L->observer = L->kkt ? lb_kkt_create(d->model, d, allocator) : NULL;
  return L->observer;
}

lb_status lb_data_create(const lb_model* model, const lb_allocator* allocator, lb_data** data,
                         lb_error* err) {
  lb_carver c = {0};
  lay_out(&c, model);
  c.base = lb_allocate(allocator, c.used);
  if (!c.base) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the state of '%s'",
                        model->name);
  }
  memset(c.base, 0, c.used);
  c.used = 0;
  lb_data* d = lay_out(&c, model);
  d->work->allocator = allocator;
  d->work->state[-1] = (lb_state){.R = lb_m3_identity(), .a = -lb_v4_from(model->gravity)};
  lb_data_reset(d);
  if (lb_kkt_fits(model) && !take_systems(d, allocator)) {
    lb_data_release(d);
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0},
                        "out of memory for the constraints of '%s'", model->name);
  }
  if (model->contact.ncollider + lb_bounded_rows(model) > 0 &&
      !(d->work->contacts = lb_contacts_create(model, allocator))) {
    lb_data_release(d);
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the contacts of '%s'",
                        model->name);
  }
  if (!lb_mechanisms_create(d, allocator)) {
    lb_data_release(d);
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0},
                        "out of memory for the mechanisms of '%s'", model->name);
  }
  *data = d;
  return LB_OK;
}

void lb_data_release(lb_data* data) {
  if (data) {
    if (data->work->constraints) {
      lb_kkt_release(data->work->constraints->kkt);
      lb_kkt_release(data->work->constraints->observer);
    }
    lb_contacts_release(data->work->contacts);
    lb_mechanisms_release(data);
    lb_release(data->work->allocator, data);
  }
}

void lb_data_reset(lb_data* data) {
  const lb_model* m = data->model;
  data->time = 0;
  if (data->work->contacts) {
    lb_contacts_forget(data->work->contacts);
  }
  memcpy(data->q, m->start.q, (size_t)m->nq * sizeof *data->q);
  memcpy(data->qd, m->start.qd, (size_t)m->nv * sizeof *data->qd);
  lb_muscles_start(data);
  memset(data->tau, 0, (size_t)m->nv * sizeof *data->tau);
  memset(data->qdd, 0, (size_t)m->nv * sizeof *data->qdd);
}
