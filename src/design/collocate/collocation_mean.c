// Mean velocities of points: equations between two nodes, with a number of their own for what they
// are off by (lb_mean).
#include <math.h>
#include <string.h>

#include "design/collocate/collocation.h"

static const lb_scene_goal PLACE = {.kind = LB_GOAL_POINT, .count = 3};

static int nearest(const lb_collocating* C, double relative) {
  int best = 0;
  for (int i = 0; i < C->nnode; i++) {
    if (C->mesh[i] && fabs(C->relative[i] - relative) < fabs(C->relative[best] - relative)) {
      best = i;
    }
  }
  return best;
}

static lb_status take(lb_collocating* C, const lb_scene_goal* s, bool must, lb_error* err) {
  const double whole = C->scene->duration;
  const int first = nearest(C, s->from / whole), last = nearest(C, s->to / whole);
  if (first == last) {
    return lb_error_add(err, LB_INVALID, s->place,
                        "collocate, goal '%s': its time is within one interval of the mesh (let it "
                        "be longer, or take more 'intervals')",
                        s->name);
  }
  for (int k = 0; k < 3; k++) {
    if (s->counts[k]) {
      C->mean[C->nmean++] =
          (lb_mean){.place = {.goal = &PLACE, .at = lb_model_anchor_of(C->m, s->index, s->at)},
                    .first = first,
                    .last = last,
                    .axis = k,
                    .speed = s->value[k],
                    .span = C->relative[last] - C->relative[first],
                    .weight = s->weight,
                    .must = must};
    }
  }
  return LB_OK;
}

lb_status lb_collocation_take_means(lb_collocating* C, lb_error* err) {
  const lb_scene_collocate* set = C->set;
  C->mean = lb_arena_take_array(&C->arena, 3 * (size_t)(set->ngoal + set->nmust), sizeof *C->mean,
                                LB_ALIGN);
  lb_status status = lb_arena_check(&C->arena, "collocation", err);
  for (int i = 0; i < set->ngoal + set->nmust && status == LB_OK; i++) {
    const bool must = i >= set->ngoal;
    const lb_scene_goal* s = must ? &set->must[i - set->ngoal] : &set->goal[i];
    if (s->mean) {
      status = take(C, s, must, err);
    }
  }
  return status;
}

static double target(const lb_collocating* C, const lb_mean* g) {
  return (g->speed + C->Z[g->d]) * g->span;
}

static double place(lb_collocating* C, const lb_mean* g, int node) {
  double x[LB_GOAL_MOST];
  lb_node_must(C, &C->worker[0], node, &g->place, lb_node_of(C, C->Z, node), x, NULL);
  return x[g->axis];
}

void lb_means_residual(lb_collocating* C, double* g) {
  for (int i = 0; i < C->nmean; i++) {
    const lb_mean* m = &C->mean[i];
    g[m->row] =
        place(C, m, m->last) - place(C, m, m->first) - target(C, m) * lb_duration_of(C, C->Z);
  }
}

double lb_means_cost(const lb_collocating* C, double* df) {
  double sum = 0;
  for (int i = 0; i < C->nmean; i++) {
    const lb_mean* m = &C->mean[i];
    const double d = C->Z[m->d], weight = m->must ? 0 : m->weight;
    sum += weight * d * d;
    if (df) {
      df[m->d] += 2 * weight * d;
    }
  }
  return sum;
}

void lb_means_put(lb_collocating* C, lb_entries* e, bool values) {
  lb_collocation_worker* w = C->worker;
  double x[LB_GOAL_MOST];
  for (int i = 0; i < C->nmean; i++) {
    const lb_mean* m = &C->mean[i];
    const int node[2] = {m->first, m->last};
    for (int k = 0; k < 2; k++) {
      if (values) {
        lb_node_must(C, w, node[k], &m->place, lb_node_of(C, C->Z, node[k]), x, w->must);
      }
      for (int c = 0; c < C->at.nv; c++) {
        const double by = values ? w->must[m->axis * C->at.count + C->at.q + c] : 0;
        lb_entries_put(e, m->row, node[k] * C->at.count + C->at.q + c, k ? by : -by);
      }
    }
    lb_entries_put(e, m->row, m->d, values ? -m->span * lb_duration_of(C, C->Z) : 0);
    if (C->T >= 0) {
      lb_entries_put(e, m->row, C->T, values ? -target(C, m) : 0);
    }
  }
}

void lb_means_bend(const lb_collocating* C, lb_entries* e, double factor, const double* lambda) {
  for (int i = 0; i < C->nmean; i++) {
    const lb_mean* m = &C->mean[i];
    lb_entries_put(e, m->d, m->d, m->must ? 0 : 2 * factor * m->weight);
    if (C->T >= 0) {
      lb_entries_put(e, C->T, m->d, lambda ? -m->span * lambda[m->row] : 0);
    }
  }
}

void lb_means_slope(lb_collocating* C, lb_collocation_worker* w, int node, const double* z,
                    const double* lambda, double* by) {
  double x[LB_GOAL_MOST];
  for (int i = 0; i < C->nmean; i++) {
    const lb_mean* m = &C->mean[i];
    const double sign = (node == m->last) - (node == m->first);
    if (sign == 0) {
      continue;
    }
    lb_node_must(C, w, node, &m->place, z, x, w->must);
    for (int k = 0; k < C->at.count; k++) {
      by[k] += sign * lambda[m->row] * w->must[m->axis * C->at.count + k];
    }
  }
}
