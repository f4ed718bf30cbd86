// Where a search begins: on the motion that is given, or on a straight way from the start to what
// must hold at the end. Torques are those that the guess needs; muscles are a little active, with
// fibres in equilibrium.
#include <math.h>
#include <string.h>

#include "design/collocate/collocation.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/force.h"
#include "dynamics/force/muscle.h"
#include "math/curve/hermite.h"
#include "math/muscle/hill.h"

static const double LITTLE = 0.1; // activation of a guess

// --- samples at nodes ---

static void sample_motion(lb_collocating* C, const lb_inverse_motion* x) {
  const int nv = C->at.nv;
  for (int i = 0; i < C->nnode; i++) {
    double s;
    const int k = lb_sample_before(x->n, x->time, C->start + C->relative[i] * C->out->duration, &s);
    for (int j = 0; j < nv; j++) {
      const size_t a = (size_t)(k * nv + j), b = a + (size_t)nv, to = (size_t)(i * nv + j);
      const double first[3] = {x->q[a], x->qd[a], x->qdd[a]},
                   last[3] = {x->q[b], x->qd[b], x->qdd[b]};
      double out[3];
      lb_hermite5(s, x->time[k + 1] - x->time[k], first, last, out);
      C->q_ref[to] = out[0];
      C->v_ref[to] = out[1];
      C->a_ref[to] = out[2];
    }
  }
}

static lb_status take_motion(lb_collocating* C, const lb_collocate_inputs* in, lb_error* err) {
  const size_t size = (size_t)(C->nnode * C->at.nv);
  lb_inverse_motion x;
  lb_status status =
      lb_inverse_prepare(&C->arena, C->m, in->motion, in->cutoff, in->opensim, &x, err);
  C->q_ref = LB_TAKE(&C->arena, double, 3 * size);
  C->q_weight = LB_TAKE(&C->arena, double, C->at.nv);
  if (status != LB_OK || lb_arena_status(&C->arena) != LB_OK) {
    return status != LB_OK ? status : lb_arena_check(&C->arena, "collocation", err);
  }
  C->v_ref = C->q_ref + size;
  C->a_ref = C->v_ref + size;
  for (int k = 0; k < C->at.nv; k++) {
    C->q_weight[k] = in->markers ? 0 : 1; // it is a guess then
  }
  sample_motion(C, &x);
  C->out->q_ref = C->q_ref;
  return LB_OK;
}

static lb_status take_markers(lb_collocating* C, const lb_collocate_inputs* in, lb_error* err) {
  const lb_markers* M = in->markers;
  const size_t width = 3 * (size_t)M->nmarker;
  C->marker_ref = LB_TAKE(&C->arena, double, (size_t)C->nnode* width);
  C->marker_at = LB_TAKE(&C->arena, lb_anchor, M->nmarker);
  if (lb_arena_status(&C->arena) != LB_OK) {
    return lb_arena_check(&C->arena, "collocation", err);
  }
  for (int i = 0; i < M->nmarker; i++) {
    C->marker_at[i] = lb_model_anchor_of(C->m, M->marker[i].body, M->marker[i].at);
  }
  for (int i = 0; i < C->nnode; i++) {
    double s;
    const double t = C->start + C->relative[i] * C->out->duration;
    const size_t k = (size_t)lb_sample_before(M->nsample, M->time, t, &s);
    for (size_t j = 0; j < width; j++) {
      const double a = M->x[k * width + j], b = M->x[(k + 1) * width + j];
      C->marker_ref[(size_t)i * width + j] = s == 0 ? a : s == 1 ? b : (1 - s) * a + s * b;
    }
  }
  C->markers = M;
  return LB_OK;
}

// --- the guess ---

// What travels goes as far as mean velocities say: by the movement of their points along it.
static void guess_travel(lb_collocating* C, double* end) {
  const lb_node_layout* L = &C->at;
  lb_collocation_worker* w = C->worker;
  double x[LB_GOAL_MOST];
  for (int i = 0; i < C->nmean; i++) {
    const lb_mean* m = &C->mean[i];
    double along = 0;
    lb_node_must(C, w, 0, &m->place, C->Z, x, w->must);
    const double* by = w->must + m->axis * L->count + L->q;
    for (int k = 0; k < L->nv; k++) {
      along += C->sign[L->q + k] == 0 ? by[k] * by[k] : 0;
    }
    for (int k = 0; k < L->nv && along > 0; k++) {
      if (C->sign[L->q + k] == 0) {
        end[L->q + k] += m->speed * lb_duration_of(C, C->Z) * by[k] / along;
      }
    }
  }
}

// Coordinates that must be something at a node, and start and end else: straight lines between.
// Half a cycle ends as the start in the mirror.
static void guess_coordinates(lb_collocating* C) {
  const lb_node_layout* L = &C->at;
  double* end = lb_node_of(C, C->Z, C->nnode - 1);
  double* begin = lb_node_of(C, C->Z, 0);
  memcpy(begin + L->q, C->m->start.q, (size_t)L->nv * sizeof *begin);
  for (int k = 0; k < L->nv; k++) {
    end[L->q + k] = C->sign[L->q + k] == 0 ? begin[L->q + k] : lb_image_of(C, begin, L->q + k);
  }
  guess_travel(C, end);
  for (int i = 0; i < C->nheld; i++) {
    const lb_node_goal* g = &C->held[i];
    const bool joint = g->goal->kind == LB_GOAL_JOINT && !g->goal->rate;
    for (int k = 0; joint && g->node == C->nnode - 1 && k < g->goal->count; k++) {
      end[g->first + k] = g->value[k];
    }
  }
  const double T = lb_duration_of(C, C->Z);
  for (int i = 0; i < C->nnode; i++) {
    double* z = lb_node_of(C, C->Z, i);
    for (int k = 0; k < L->nv; k++) {
      const double from = C->Z[L->q + k], to = end[L->q + k];
      z[L->q + k] = from + C->relative[i] * (to - from);
      z[L->v + k] = (to - from) / T;
    }
  }
}

// Loops closed: from node to node the coordinates move as the straight lines do, and are then put
// where the constraints hold.
static void close_loops(lb_collocating* C) {
  const lb_node_layout* L = &C->at;
  const size_t size = (size_t)L->nv * sizeof(double);
  lb_data* d = C->d[0];
  double* line = C->worker[0].z; // the node before, as it was
  memcpy(d->q, C->Z + L->q, size);
  memcpy(line, C->Z + L->q, size);
  for (int i = 0; i < C->nnode; i++) {
    double* z = lb_node_of(C, C->Z, i);
    for (int k = 0; k < L->nv; k++) {
      d->q[k] += z[L->q + k] - line[k];
      line[k] = z[L->q + k];
    }
    memcpy(d->qd, z + L->v, size);
    lb_project_set(C->m, d, LB_SET_BILATERAL);
    memcpy(z + L->q, d->q, size);
    memcpy(z + L->v, d->qd, size);
  }
}

static void guess_reference(lb_collocating* C) {
  const lb_node_layout* L = &C->at;
  const size_t nv = (size_t)L->nv;
  for (int i = 0; i < C->nnode; i++) {
    double* z = lb_node_of(C, C->Z, i);
    memcpy(z + L->q, C->q_ref + (size_t)i * nv, nv * sizeof *z);
    memcpy(z + L->v, C->v_ref + (size_t)i * nv, nv * sizeof *z);
    memcpy(z + L->a, C->a_ref + (size_t)i * nv, nv * sizeof *z);
  }
}

// Muscles are as active as the motion needs them, or a little.
static lb_status guess_activations(lb_collocating* C, bool known, lb_error* err) {
  const int n = C->set->idle ? 0 : C->m->muscle.count;
  for (int k = 0; k < C->nnode * n; k++) {
    lb_node_of(C, C->Z, k / n)[C->at.u + C->driver[k % n]] = LITTLE;
  }
  return known && n > 0 ? lb_collocation_share(C, err) : LB_OK;
}

static void guess_muscles(lb_collocating* C, int node, double* z) {
  const lb_model* m = C->m;
  lb_data* d = C->d[node];
  for (int i = 0; i < m->muscle.count && !C->set->idle; i++) {
    const lb_control* c = &C->out->control[C->driver[i]];
    double* u = &z[C->at.u + C->driver[i]];
    const double a = *u = fmin(fmax(*u, c->least), c->most);
    if (m->muscle.item[i].x >= 0) {
      z[C->activation[i]] = a;
      d->x[m->muscle.item[i].x] = a;
      d->x[m->muscle.item[i].x + 1] = NAN;
    }
    C->excitation[node * m->muscle.count + i] = a;
  }
  memcpy(d->q, z + C->at.q, (size_t)m->nv * sizeof *z);
  memcpy(d->qd, z + C->at.v, (size_t)m->nv * sizeof *z);
  if (m->muscle.count > 0 && !C->set->idle) {
    lb_muscles_update(m, d); // sets fibres
  }
  for (int k = 0; k < C->at.nx; k++) {
    if (C->state[k].fiber) {
      z[C->at.x + k] = d->x[m->muscle.item[C->state[k].muscle].x + 1];
    }
  }
}

// Rates of activations and fibres, from node to node.
static void guess_rates(lb_collocating* C) {
  const lb_node_layout* L = &C->at;
  const double T = lb_duration_of(C, C->Z);
  for (int i = 0; i < C->nnode; i++) {
    const int a = i > 0 ? i - 1 : i, b = i < C->nnode - 1 ? i + 1 : i;
    const double *from = lb_node_of(C, C->Z, a), *to = lb_node_of(C, C->Z, b);
    double* z = lb_node_of(C, C->Z, i);
    for (int k = 0; k < L->nx; k++) {
      z[L->xd + k] = (to[L->x + k] - from[L->x + k]) / ((C->relative[b] - C->relative[a]) * T);
    }
  }
}

// Motors and reserves take what is left; r [all] is scratch.
static void guess_torques(lb_collocating* C, int node, double* z, double* r) {
  lb_node_residual(C, node, z, C->start + C->relative[node] * lb_duration_of(C, C->Z), r);
  for (int i = 0; i < C->at.nu; i++) {
    const lb_control* c = &C->out->control[i];
    if (c->kind != LB_CONTROL_MUSCLE) {
      double* left =
          &r[C->at.force + (c->kind == LB_CONTROL_MOTOR ? C->m->motor.v[c->index] : c->index)];
      const double before = z[C->at.u + i];
      const double u = fmin(fmax(before + *left, c->least), c->most);
      z[C->at.u + i] = u;
      *left -= u - before;
    }
  }
}

// Sizes of numbers in the guess; fibres stretch by a tenth, and activations change within 0.1 s.
static double size_of(const lb_collocating* C, int k) {
  const lb_node_layout* L = &C->at;
  const bool state = k >= L->x && k < L->a, rate = k >= L->xd && k < L->u;
  if (state || rate) {
    const lb_muscle_state* s = &C->state[k - (state ? L->x : L->xd)];
    return (s->fiber ? 0.1 * C->m->muscle.item[s->muscle].hill->fiber : 1) * (rate ? 10 : 1);
  }
  double most = 1;
  for (int i = 0; i < C->nnode && k >= L->v; i++) {
    most = fmax(most, fabs(C->Z[i * L->count + k]));
  }
  return most;
}

static void find_scales(lb_collocating* C) {
  const lb_node_layout* L = &C->at;
  for (int k = 0; k < L->count; k++) {
    const double size = size_of(C, k);
    for (int i = 0; i < C->nnode; i++) {
      C->scale[i * L->count + k] = size;
    }
  }
  for (int k = C->slack; k < C->n; k++) {
    C->scale[k] = 1;
  }
}

static void take_normals(lb_collocating* C) {
  const lb_node_layout* L = &C->at;
  for (int k = 0; k < C->intervals && L->nl > 0; k++) {
    const int node = (k + 1) * (C->scheme->nodes - 1);
    const double* z = lb_node_of(C, C->Z, node);
    lb_data* d = C->d[node];
    memcpy(d->q, z + L->q, (size_t)L->nv * sizeof *z);
    memcpy(d->qd, z + L->v, (size_t)L->nv * sizeof *z);
    lb_update(C->m, d, LB_ORIGINS);
    const lb_constraint_rows rows = lb_constraints_linearise(C->m, d, LB_SET_BILATERAL);
    memcpy(C->J0 + (size_t)k * (size_t)(L->nl * L->nv), rows.J,
           (size_t)(L->nl * L->nv) * sizeof *C->J0);
  }
}

lb_status lb_collocation_guess_actors(lb_collocating* C, bool known, lb_error* err) {
  double* r = LB_TAKE(&C->arena, double, C->at.all);
  lb_status status =
      r ? guess_activations(C, known, err) : lb_arena_check(&C->arena, "collocation", err);
  for (int i = 0; i < C->nnode && status == LB_OK; i++) {
    double* z = lb_node_of(C, C->Z, i);
    guess_muscles(C, i, z);
    guess_torques(C, i, z, r);
  }
  guess_rates(C);
  return status;
}

lb_status lb_collocation_guess(lb_collocating* C, const lb_collocate_inputs* in, lb_error* err) {
  lb_status status = LB_OK;
  if (in->motion) {
    status = take_motion(C, in, err);
  }
  if (status == LB_OK && in->markers) {
    status = take_markers(C, in, err);
  }
  if (status != LB_OK) {
    return status;
  }
  if (C->T >= 0) {
    C->Z[C->T] = (C->set->time[0] + C->set->time[1]) / 2;
  }
  if (C->q_ref) {
    guess_reference(C);
  } else {
    guess_coordinates(C);
  }
  if (C->at.nl > 0) {
    close_loops(C);
  }
  status = lb_collocation_guess_actors(C, C->q_ref != NULL, err);
  find_scales(C);
  take_normals(C);
  return status;
}
