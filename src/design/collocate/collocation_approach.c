// Easier searches, whose motion is where the search itself begins when no motion is given.
//
// By torques: muscles pull one way, and none of them carries a body on a guess that falls, so that
// searches by muscles stall there. Torques on the coordinates that muscles move find a motion from
// the same guess in a small program. Muscles then share these out (collocation_share.c).
//
// On soft grounds: a stiff ground throws a guess that is a little too low, and has no force, and so
// no slope, where it is a little too high. Which way a search takes from there hangs on its
// rounding. A ground that is ten times softer is felt from farther off.
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

// The same model on grounds that give way SOFTER times as easily. Depth grows with force^(1/e) for
// a force k s^e, by 4.6 for e = 3/2: what is smooth over a depth or a speed grows about as much.
static const lb_model* on_soft_grounds(lb_collocating* C) {
  static const double SOFTER = 10, WIDER = 5;
  lb_model* m = LB_TAKE(&C->arena, lb_model, 1);
  lb_model_force* item = LB_TAKE(&C->arena, lb_model_force, C->m->force.count);
  if (!m || !item) {
    return NULL;
  }
  *m = *C->m;
  m->force.item = item;
  for (int i = 0; i < m->force.count; i++) {
    item[i] = C->m->force.item[i];
    lb_scene_force* set = &item[i].set;
    if (set->kind == LB_FORCE_GROUND) {
      set->stiffness /= SOFTER;
      set->smooth *= WIDER;
      set->slip *= WIDER;
    }
  }
  return m;
}

typedef struct easier {
  lb_collocation_ease ease;
  const char* stage;
  const lb_model* m;
  lb_scene scene;
} easier;

static easier by_torques(const lb_collocating* C) {
  static const double SMOOTH = 0.1; // [s] muscles rise and fall within about that
  easier e = {C->ease | LB_EASE_TORQUES, " by torques", C->m, *C->scene};
  e.scene.collocate.idle = true;
  e.scene.collocate.effort.smooth = fmax(e.scene.collocate.effort.smooth, SMOOTH);
  return e;
}

static easier by_soft_grounds(lb_collocating* C) {
  static const double COARSE = 1e-3;
  const bool torques = (C->ease & LB_EASE_TORQUES) != 0;
  easier e = {C->ease | LB_EASE_GROUNDS,
              torques ? " by torques on soft grounds" : " on soft grounds", on_soft_grounds(C),
              *C->scene};
  e.scene.collocate.tolerance = fmax(e.scene.collocate.tolerance, COARSE);
  return e;
}

// Its motion, and how it acts where C has the same actors.
static lb_status take_over(lb_collocating* from, lb_collocating* to, lb_error* err) {
  copy_motion(from, to);
  if (from->ease == (to->ease | LB_EASE_GROUNDS)) {
    memcpy(to->Z, from->Z, (size_t)to->n * sizeof *to->Z);
    return LB_OK;
  }
  copy_controls(from, to);
  return lb_collocation_guess_actors(to, true, err);
}

// The status is that of C's own numbers; an easier search that was interrupted says so.
static lb_status search_easier(lb_collocating* C, const easier* e, lb_error* err) {
  lb_collocate_inputs in = lb_collocate_default();
  in.threads = C->threads;
  in.progress = C->progress;
  lb_collocation* o;
  lb_status status =
      lb_collocation_create_for(e->m, &e->scene, &in, e->ease, C->arena.allocator, &o, err);
  if (status != LB_OK) {
    return status;
  }
  lb_collocating* easy = o->work;
  easy->stage = e->stage;
  copy_motion(C, easy); // of a table, maybe
  status = lb_collocation_guess_actors(easy, false, err);
  status = status == LB_OK ? lb_collocation_solve(o, err) : status;
  const bool useful = o->end != LB_COLLOCATE_INFEASIBLE && o->end != LB_COLLOCATE_FAILED;
  C->out->before += o->before + o->iterations;
  if (useful && (status == LB_OK || status == LB_INTERRUPTED)) {
    const lb_status taken = take_over(easy, C, err);
    status = status == LB_OK ? taken : status;
    C->near = status == LB_OK;
  }
  lb_collocation_release(o);
  return status;
}

static bool has_grounds(const lb_model* m) {
  for (int i = 0; i < m->force.count; i++) {
    if (m->force.item[i].set.kind == LB_FORCE_GROUND) {
      return true;
    }
  }
  return false;
}

lb_status lb_collocation_approach(lb_collocating* C, lb_error* err) {
  if (C->q_ref || C->markers || C->near || C->warm) {
    return LB_OK; // something is known of the motion
  }
  easier e;
  if (C->m->muscle.count > 0 && !C->set->idle) {
    e = by_torques(C);
  } else if (has_grounds(C->m) && !(C->ease & LB_EASE_GROUNDS)) {
    e = by_soft_grounds(C);
  } else {
    return LB_OK;
  }
  return e.m ? search_easier(C, &e, err) : lb_arena_check(&C->arena, "collocation", err);
}
