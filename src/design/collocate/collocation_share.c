// Activations of a guess on a motion that is given: those of static optimisation at its nodes, as
// if tendons were stiff and activations could change at once.
#include <math.h>
#include <string.h>

#include "design/collocate/collocation.h"
#include "design/inverse/coupled_forces.h"
#include "design/inverse/muscle_static.h"
#include "dynamics/force/muscle.h"

typedef struct sharing {
  lb_static* s;
  lb_coupled coupled;
  double *length, *rate, *arm, *activation, *tension, *reserve, *r;
} sharing;

static bool take(lb_collocating* C, sharing* S) {
  const size_t n = (size_t)C->m->muscle.count, nv = (size_t)C->at.nv;
  lb_muscle_static_options how = lb_muscle_static_default();
  how.passive = true;
  how.least = 0.05; // away from bounds
  *S = (sharing){.s = lb_static_create(&C->arena, C->m, &how),
                 .coupled = lb_coupled_create(&C->arena, C->m),
                 .length = LB_TAKE(&C->arena, double, n),
                 .rate = LB_TAKE(&C->arena, double, n),
                 .arm = LB_TAKE(&C->arena, double, n* nv),
                 .activation = LB_TAKE(&C->arena, double, n),
                 .tension = LB_TAKE(&C->arena, double, n),
                 .reserve = LB_TAKE(&C->arena, double, nv),
                 .r = LB_TAKE(&C->arena, double, C->at.all)};
  return lb_arena_status(&C->arena) == LB_OK;
}

// Joint forces that the motion needs without muscles, to r.
static void find_wanted(lb_collocating* C, int node, double* z, double* r) {
  lb_muscles* all = C->d[node]->work->muscles;
  all->idle = true;
  lb_node_residual(C, node, z, C->start + C->relative[node] * lb_duration_of(C, C->Z), r);
  all->idle = false;
}

static void share_node(lb_collocating* C, sharing* S, int node) {
  const lb_model* m = C->m;
  double* z = lb_node_of(C, C->Z, node);
  find_wanted(C, node, z, S->r);
  lb_muscle_paths(m, C->d[node], S->length, S->rate, S->arm);
  lb_coupled_find(&S->coupled, C->d[node]);
  lb_coupled_move(&S->coupled, S->r + C->at.force);
  for (int i = 0; i < m->muscle.count; i++) {
    lb_coupled_move(&S->coupled, S->arm + i * C->at.nv);
  }
  const lb_static_moment at = {S->length, S->rate, S->arm, S->r + C->at.force, 0};
  lb_static_solve(S->s, &at, S->activation, S->tension, S->reserve);
  for (int i = 0; i < m->muscle.count; i++) {
    z[C->at.u + C->driver[i]] = S->activation[i];
  }
}

lb_status lb_collocation_share(lb_collocating* C, lb_error* err) {
  const lb_arena_mark mark = lb_arena_here(&C->arena);
  sharing S;
  const bool enough = take(C, &S);
  for (int i = 0; i < C->nnode && enough; i++) {
    share_node(C, &S, i);
  }
  const lb_status status = lb_arena_check(&C->arena, "collocation", err);
  lb_arena_reset(&C->arena, mark);
  return status;
}
