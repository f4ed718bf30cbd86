// A model's state and scratch, in one block.
#include <stdint.h>
#include <string.h>

#include "dynamics/kinematics.h"

// Pieces of the block, each on a cache line. Called twice: to measure with base NULL, then to hand
// out.
typedef struct carver {
  char* base;
  size_t used;
} carver;

static void* carve(carver* c, size_t count, size_t size) {
  void* piece = c->base ? c->base + c->used : NULL;
  c->used += (count * size + LB_ALIGN - 1) / LB_ALIGN * LB_ALIGN;
  return piece;
}

static lb_data* lay_out(carver* c, const lb_model* m) {
  const size_t nq = (size_t)m->nq;
  const size_t nv = (size_t)m->nv;
  const size_t nhinge = (size_t)m->nhinge;
  lb_data* d = carve(c, 1, sizeof *d);
  lb_work* w = carve(c, 1, sizeof *w);
  lb_data data = {.model = m, .threads = 1, .work = w};
  lb_work work = {0};
  data.q = carve(c, nq, sizeof(double));
  data.qd = carve(c, nv, sizeof(double));
  data.tau = carve(c, nv, sizeof(double));
  data.qdd = carve(c, nv, sizeof(double));
  data.motor_force = carve(c, (size_t)m->nmotor, sizeof(double));
  data.pose = carve(c, (size_t)m->nbody, sizeof(lb_transform));
  work.state = carve(c, (size_t)m->nlink + 1, sizeof(lb_state));
  work.angle = carve(c, nhinge, sizeof(double));
  work.sine = carve(c, nhinge, sizeof(double));
  work.cosine = carve(c, nhinge, sizeof(double));
  work.tau = carve(c, nv, sizeof(double));
  work.qdd = carve(c, nv, sizeof(double));
  work.S = carve(c, 2 * nv, sizeof(lb_v4));
  work.spread = carve(c, 6 * nv, sizeof(double));
  if (d) {
    work.state++; // state[-1] is the world
    *d = data;
    *w = work;
  }
  return d;
}

lb_status lb_data_create(const lb_model* model, const lb_allocator* allocator, lb_data** data,
                         lb_error* err) {
  carver c = {0};
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
  *data = d;
  return LB_OK;
}

void lb_data_release(lb_data* data) {
  if (data) {
    lb_release(data->work->allocator, data);
  }
}

void lb_data_reset(lb_data* data) {
  const lb_model* m = data->model;
  data->time = 0;
  memcpy(data->q, m->q0, (size_t)m->nq * sizeof *data->q);
  memcpy(data->qd, m->qd0, (size_t)m->nv * sizeof *data->qd);
  memset(data->tau, 0, (size_t)m->nv * sizeof *data->tau);
  memset(data->qdd, 0, (size_t)m->nv * sizeof *data->qdd);
}
