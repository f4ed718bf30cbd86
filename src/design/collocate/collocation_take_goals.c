// Goals of a scene, put to the nodes of the mesh. Their times are parts of the scene's duration.
#include <math.h>
#include <string.h>

#include "design/collocate/collocation.h"

static lb_status refuse(const lb_scene_goal* g, lb_error* err, const char* why) {
  return lb_error_add(err, LB_INVALID, g->place, "collocate, goal '%s': %s", g->name, why);
}

static int control_of(const lb_collocating* C, lb_control_kind kind, const char* name) {
  for (int i = 0; i < C->at.nu; i++) {
    if (C->out->control[i].kind == kind && strcmp(C->out->control[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

// The force of a motor, and the activation of a muscle where it has one.
static lb_status find_control(const lb_collocating* C, const lb_scene_goal* g, lb_control_kind kind,
                              const char* name, lb_node_goal* to, lb_error* err) {
  const int u = control_of(C, kind, name);
  if (u < 0) {
    return refuse(g, err,
                  kind == LB_CONTROL_MUSCLE
                      ? "the muscle is idle (take the goal away, or let 'muscles' be active)"
                      : "the motor is no control of it (take the goal away)");
  }
  const int state = kind == LB_CONTROL_MUSCLE ? C->activation[C->out->control[u].index] : -1;
  to->first = state >= 0 ? state : C->at.u + u;
  return LB_OK;
}

// Which number of a node it is about, or which point.
static lb_status find_subject(const lb_collocating* C, const lb_scene_goal* g, lb_node_goal* to,
                              lb_error* err) {
  const lb_model* m = C->m;
  if (g->kind > LB_GOAL_MUSCLE) {
    return refuse(g, err, "it is no goal of a motion (take it away, or use 'limber optimize')");
  }
  if (g->kind == LB_GOAL_POINT) {
    to->at = lb_model_anchor_of(m, g->index, g->at);
  } else if (g->kind == LB_GOAL_JOINT) {
    const int j = lb_model_joint(m, C->scene->joint[g->index].name);
    if (j < 0) {
      return refuse(g, err,
                    "the joint closes a loop and has no coordinates (name another joint, "
                    "or a point)");
    }
    to->first = (g->rate ? C->at.v : C->at.q) + m->joint.v[j];
  } else if (g->kind == LB_GOAL_MOTOR) {
    return find_control(C, g, LB_CONTROL_MOTOR, C->scene->motor[g->index].name, to, err);
  } else {
    return find_control(C, g, LB_CONTROL_MUSCLE, C->scene->muscle[g->index].name, to, err);
  }
  return LB_OK;
}

static int nearest(const lb_collocating* C, double relative) {
  int best = 0;
  for (int i = 0; i < C->nnode; i++) {
    if (C->mesh[i] && fabs(C->relative[i] - relative) < fabs(C->relative[best] - relative)) {
      best = i;
    }
  }
  return best;
}

static void put(lb_collocating* C, const lb_node_goal* g, int node) {
  if (C->held) {
    C->held[C->nheld] = *g;
    C->held[C->nheld].node = node;
  }
  C->nheld++;
}

static void put_all(lb_collocating* C, lb_node_goal* g) {
  static const double NEAR = 1e-9;
  const lb_scene_goal* s = g->goal;
  const double whole = C->scene->duration;
  g->weight = s->weight;
  for (int k = 0; k < s->npath; k++) {
    memcpy(g->value, &s->path[k], sizeof s->path[k]);
    put(C, g, nearest(C, s->when[k] / whole));
  }
  if (s->npath > 0) {
    return;
  }
  memcpy(g->value, s->value, sizeof g->value);
  if (s->from == s->to) {
    put(C, g, nearest(C, s->to / whole));
    return;
  }
  g->integral = true;
  for (int i = 0; i < C->nnode; i++) {
    if (C->relative[i] >= s->from / whole - NEAR && C->relative[i] <= s->to / whole + NEAR) {
      g->weight = s->weight * C->quadrature[i];
      put(C, g, i);
    }
  }
}

static lb_status put_goals(lb_collocating* C, lb_error* err) {
  const lb_scene_collocate* set = C->set;
  C->nheld = 0;
  for (int i = 0; i < set->ngoal + set->nmust; i++) {
    const bool must = i >= set->ngoal;
    const lb_scene_goal* s = must ? &set->must[i - set->ngoal] : &set->goal[i];
    lb_node_goal g = {.goal = s};
    if (s->mean || ((C->ease & LB_EASE_TORQUES) && s->kind == LB_GOAL_MUSCLE)) {
      continue; // collocation_mean.c; there are none of these
    }
    const lb_status status = find_subject(C, s, &g, err);
    if (status != LB_OK) {
      return status;
    }
    g.use = !must                      ? LB_GOAL_IS_COST
            : s->kind == LB_GOAL_POINT ? LB_GOAL_IS_EQUATION
                                       : LB_GOAL_IS_BOUND;
    put_all(C, &g);
  }
  return LB_OK;
}

// By nodes; those of one stay in their order.
static void sort(lb_collocating* C) {
  for (int i = 1; i < C->nheld; i++) {
    const lb_node_goal g = C->held[i];
    int k = i;
    for (; k > 0 && C->held[k - 1].node > g.node; k--) {
      C->held[k] = C->held[k - 1];
    }
    C->held[k] = g;
  }
  for (int i = 0; i < C->nheld; i++) {
    C->held_first[C->held[i].node + 1]++;
  }
  for (int i = 0; i < C->nnode; i++) {
    C->held_first[i + 1] += C->held_first[i];
  }
}

lb_status lb_collocation_take_goals(lb_collocating* C, lb_error* err) {
  const lb_status status = put_goals(C, err); // how many
  if (status != LB_OK) {
    return status;
  }
  C->held = LB_TAKE(&C->arena, lb_node_goal, C->nheld);
  C->held_first = LB_TAKE(&C->arena, int, C->nnode + 1);
  if (lb_arena_status(&C->arena) != LB_OK) {
    return lb_arena_check(&C->arena, "goals of a collocation", err);
  }
  put_goals(C, err);
  sort(C);
  return LB_OK;
}
