// Levers: how far tracked bodies go with each motor when nothing swings. Regularisers are weighed
// by them, so that a curve's change counts by what it does to the character, in the units of the
// deviation, whatever the motor's unit and the character's size.
//
// The lever of a motor is the mean, over some moments of the motion, of
//
//   sum over tracks  w ( position |dp|^2 + orientation |du|^2 ) / e^2
//
// where p and u are place and rotation of a tracked body in equilibrium, and e is a small change of
// the motor's coordinate.
#include <math.h>
#include <string.h>

#include "design/retarget/retarget_search.h"
#include "limber/simulate.h"
#include "math/curve/time_profile.h"

enum { MOMENTS = 9 };
static const double SMALL = 1e-3; // [rad] or [m] on either side
// Of the largest lever, a tenth of the way: a motor that hardly moves tracked bodies shakes them
// all the same, and would be free to do so wildly.
static const double LEAST = 1e-2;

// Two characters, whose motor is a little before and a little behind.
typedef struct lever_pair {
  lb_model* model[2];
  lb_data* data[2];
} lever_pair;

static lb_status open_pair(lever_pair* pair, const lb_model* m, const lb_retarget* w, int motor,
                           lb_curves* c, lb_error* err) {
  lb_status status = LB_OK;
  *pair = (lever_pair){0};
  for (int side = 0; side < 2 && status == LB_OK; side++) {
    double* control = c->control + (size_t)motor * (size_t)c->ncontrol;
    const double by = side == 0 ? -SMALL : 2 * SMALL;
    for (int k = 0; k < c->ncontrol; k++) {
      control[k] += by;
    }
    status = lb_model_play(m, w, c, NULL, c->allocator, &pair->model[side], err);
    status = status == LB_OK
                 ? lb_data_create(pair->model[side], c->allocator, &pair->data[side], err)
                 : status;
    for (int k = 0; side == 1 && k < c->ncontrol; k++) {
      control[k] -= SMALL;
    }
  }
  return status;
}

static void close_pair(lever_pair* pair) {
  for (int side = 0; side < 2; side++) {
    lb_data_release(pair->data[side]);
    lb_model_release(pair->model[side]);
  }
}

// Both at rest near a frame; false where one of them finds none.
static bool rest_at(lever_pair* pair, const lb_recording* rest, int frame) {
  for (int side = 0; side < 2; side++) {
    lb_data* d = pair->data[side];
    const size_t nq = (size_t)rest->model->nq;
    memcpy(d->q, rest->q + (size_t)frame * nq, nq * sizeof *d->q);
    d->time = rest->time[frame];
    if (lb_equilibrium(pair->model[side], d, NULL) != LB_OK) {
      return false;
    }
    lb_poses(pair->model[side], d);
  }
  return true;
}

static double lever_of_track(const lever_pair* pair, const lb_retarget_track* t, double time) {
  const lb_transform a = pair->data[0]->pose[t->body], b = pair->data[1]->pose[t->body];
  const lb_vec3 dp = lb_vec3_sub(lb_transform_point(b, t->point), lb_transform_point(a, t->point));
  const lb_quat turn = lb_quat_mul(lb_quat_conjugate(a.q), b.q);
  const double du = 4 * (turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
  double factor[3] = {1, 0, 0};
  if (t->weight) {
    lb_profile_evaluate(t->weight, time, factor);
  }
  return factor[0] * (t->position * lb_vec3_dot(dp, dp) + t->orientation * du) /
         (4 * SMALL * SMALL);
}

static double lever_of_motor(lever_pair* pair, const lb_recording* rest, const lb_retarget* w) {
  double sum = 0;
  int count = 0;
  for (int k = 0; k < MOMENTS; k++) {
    const int frame = (int)((long)k * (rest->nframe - 1) / (MOMENTS - 1));
    if (!rest_at(pair, rest, frame)) {
      continue;
    }
    count++;
    for (int i = 0; i < w->ntrack; i++) {
      sum += lever_of_track(pair, &w->track[i], rest->time[frame]);
    }
  }
  return count > 0 ? sum / count : 0;
}

lb_status lb_levers_find(const lb_recording* rest, const lb_retarget* w,
                         const lb_allocator* allocator, double* lever, lb_error* err) {
  lb_curves* c = NULL;
  double most = 0;
  lb_status status = lb_curves_fit(rest->model, w, allocator, &c, err);
  for (int i = 0; i < w->nmotor && status == LB_OK; i++) {
    lever_pair pair;
    status = open_pair(&pair, rest->model, w, i, c, err);
    lever[i] = status == LB_OK ? lever_of_motor(&pair, rest, w) : 0;
    most = fmax(most, lever[i]);
    close_pair(&pair);
  }
  for (int i = 0; i < w->nmotor; i++) {
    lever[i] = most > 0 ? fmax(lever[i], LEAST * most) : 1;
  }
  lb_curves_release(c);
  return status;
}
