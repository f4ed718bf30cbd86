// A motion by torques, where a search by muscles begins. Muscles pull one way, and none of them
// carries a body on a guess that falls: from there searches by muscles stall. Torques find a motion
// from the same guess in a small program. So where no motion is given, torques on the coordinates
// that muscles move take their place first. Muscles then share these out (collocation_share.c).
#include <math.h>
#include <string.h>

#include "design/collocate/collocation.h"
#include "design/inverse/muscle_static.h"
#include "math/muscle/hill.h"

static double largest_force(const lb_model_muscle* mu) {
  return mu->hill ? mu->hill->force : mu->tension;
}

// Squared torques of muscles on coordinates at the start, summed over the half of them that pulls
// in one direction, about; 0 where muscles do not move one.
static lb_status find_strength(lb_collocating* C, double* strength, lb_error* err) {
  static const double LEAST_ARM = 0.01; // [m] where a path passes through a joint at the start
  const lb_model* m = C->m;
  const size_t n = (size_t)m->muscle.count, nv = (size_t)m->nv;
  const lb_arena_mark mark = lb_arena_here(&C->arena);
  double* length = LB_TAKE(&C->arena, double, (2 + nv) * n);
  if (!length) {
    return lb_arena_check(&C->arena, "collocation", err);
  }
  double* arm = length + 2 * n;
  lb_muscle_paths(m, C->d[0], length, length + n, arm);
  for (size_t v = 0; v < nv; v++) {
    strength[v] = 0;
    for (size_t i = 0; i < n; i++) {
      const double torque =
          fmax(fabs(arm[i * nv + v]), LEAST_ARM) * largest_force(&m->muscle.item[i]);
      strength[v] += C->unmoved[v * n + i] ? 0 : torque * torque / 2;
    }
  }
  lb_arena_reset(&C->arena, mark);
  return LB_OK;
}

// A torque costs twice what muscles would that share it out: min sum a_i^2 with
// sum a_i torque_i = u is u^2/(sum torque_i^2), and muscles of two joints work against each other.
lb_status lb_collocation_take_torques(lb_collocating* C, lb_error* err) {
  static const double PRICE = 2;
  double* strength = LB_TAKE(&C->arena, double, C->m->nv);
  const lb_status status =
      strength ? find_strength(C, strength, err) : lb_arena_check(&C->arena, "collocation", err);
  for (int v = 0; v < C->m->nv && status == LB_OK; v++) {
    if (strength[v] > 0) {
      lb_collocation_add_control(
          C, (lb_control){C->out->coordinate[v], LB_CONTROL_RESERVE, v, -INFINITY, INFINITY},
          PRICE * C->set->effort.muscles / strength[v]);
    }
  }
  return status;
}

static void copy_part(lb_collocating* from, lb_collocating* to, int node, int first, int first_to,
                      int count) {
  memcpy(lb_node_of(to, to->Z, node) + first_to, lb_node_of(from, from->Z, node) + first,
         (size_t)count * sizeof(double));
}

static void copy_motion(lb_collocating* from, lb_collocating* to) {
  const lb_node_layout *A = &from->at, *B = &to->at;
  for (int i = 0; i < to->nnode; i++) {
    copy_part(from, to, i, A->q, B->q, 2 * A->nv);
    copy_part(from, to, i, A->a, B->a, A->nv);
    copy_part(from, to, i, A->l, B->l, A->nl);
  }
  memcpy(to->Z + to->slack, from->Z + from->slack,
         (size_t)(to->n - to->slack) * sizeof *to->Z); // corrections, means, and the duration
}

// What motors and reserves do.
static void copy_controls(lb_collocating* from, lb_collocating* to) {
  const lb_node_layout *A = &from->at, *B = &to->at;
  const int motors = to->m->nmotor, muscles = to->m->muscle.count;
  for (int i = 0; i < to->nnode; i++) {
    copy_part(from, to, i, A->u, B->u, motors);
    copy_part(from, to, i, A->u + motors, B->u + motors + muscles, B->nu - motors - muscles);
  }
}

lb_status lb_collocation_approach(lb_collocating* C, lb_error* err) {
  static const double SMOOTH = 0.1; // [s] muscles rise and fall within about that
  lb_scene scene = *C->scene;
  lb_scene_collocate* set = &scene.collocate;
  set->idle = true;
  set->effort.smooth = fmax(set->effort.smooth, SMOOTH);
  lb_collocate_inputs in = lb_collocate_default();
  in.threads = C->threads;
  in.progress = C->progress;
  lb_collocation* by_torques;
  lb_status status =
      lb_collocation_create_for(C->m, &scene, &in, true, C->arena.allocator, &by_torques, err);
  if (status != LB_OK) {
    return status;
  }
  copy_motion(C, by_torques->work); // of a table, maybe
  status = lb_collocation_guess_actors(by_torques->work, false, err);
  status = status == LB_OK ? lb_collocation_solve(by_torques, err) : status;
  const bool useful =
      by_torques->end != LB_COLLOCATE_INFEASIBLE && by_torques->end != LB_COLLOCATE_FAILED;
  C->out->before = by_torques->iterations;
  if (useful && (status == LB_OK || status == LB_INTERRUPTED)) {
    copy_motion(by_torques->work, C);
    copy_controls(by_torques->work, C);
    const lb_status shared = lb_collocation_guess_actors(C, true, err);
    status = status == LB_OK ? shared : status;
    C->near = status == LB_OK;
  }
  lb_collocation_release(by_torques);
  return status;
}
