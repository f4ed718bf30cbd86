// Buckling under the weight. A target is made of equilibria. Beyond the load at which elastic
// bodies buckle it is a bent branch, which may jump from one side to another where no motor can
// take it.
//
// Linear buckling analysis: with a part s of the weight, stiffness is K + s G to first order,
// motors held, and the square of the lowest frequency falls in proportion to s. It vanishes at the
// critical load; with all of the weight
//
//   w^2 = w0^2 + (ws^2 - w0^2) / s
//
// where w0 is without weight and ws with the part s of it. Below zero: it buckles.
#include <math.h>
#include <string.h>

#include "design/retarget/retarget_search.h"
#include "limber/shaping.h"
#include "limber/simulate.h"
#include "model/use/model_derive.h"

enum { MOMENTS = 9 };
static const double PART = 0.02; // of the weight

// The lowest mode with a part of the weight.
typedef struct lowest {
  lb_model* model;
  lb_data* data;
  double square; // of its frequency
  int count;     // modes there are
} lowest;

static lb_status open_lowest(lowest* l, const lb_recording* rest, double part, lb_error* err) {
  *l = (lowest){.model = lb_model_derive_apart(rest->model, rest->allocator)};
  if (!l->model) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for targets");
  }
  l->model->gravity = lb_vec3_scale(part, l->model->gravity);
  return lb_data_create(l->model, rest->allocator, &l->data, err);
}

static void close_lowest(lowest* l) {
  lb_data_release(l->data);
  lb_model_release(l->model);
}

static void straighten(const lb_model* m, double* q) {
  for (int i = 0; i < m->nlink; i++) {
    if (m->link.kind[i] == LB_LINK_ELASTIC) {
      memset(q + m->link.q[i], 0, (size_t)m->link.nv[i] * sizeof *q);
    }
  }
}

// At a frame; without an equilibrium there, no mode is counted.
static lb_status look(lowest* l, const lb_recording* rest, int frame) {
  const size_t nq = (size_t)rest->model->nq;
  lb_vibration mode = {0};
  memcpy(l->data->q, rest->q + (size_t)frame * nq, nq * sizeof *l->data->q);
  straighten(rest->model, l->data->q);
  l->data->time = rest->time[frame];
  lb_status status = lb_equilibrium(l->model, l->data, NULL);
  status =
      status == LB_OK ? lb_modes_of_model(l->model, l->data, 1, &mode, &l->count, NULL) : status;
  l->square = mode.frequency * mode.frequency;
  l->count = status == LB_OK ? l->count : 0;
  return status == LB_NO_MEMORY ? status : LB_OK;
}

lb_status lb_target_buckles(const lb_recording* rest, bool* buckles, lb_error* err) {
  lowest none, some;
  lb_status status = open_lowest(&none, rest, 0, err);
  const lb_status other = open_lowest(&some, rest, PART, err);
  status = status == LB_OK ? other : status;
  *buckles = false;
  for (int k = 0; k < MOMENTS && status == LB_OK && !*buckles; k++) {
    const int frame = (int)((long)k * (rest->nframe - 1) / (MOMENTS - 1));
    status = look(&none, rest, frame);
    status = status == LB_OK ? look(&some, rest, frame) : status;
    // what the weight alone holds, a pendulum, has more modes with it
    *buckles = status == LB_OK && none.count > 0 && none.count == some.count &&
               none.square + (some.square - none.square) / PART < 0;
  }
  close_lowest(&none);
  close_lowest(&some);
  return status;
}
