// From a model and what its scene asks for to the numbers and equations of a program.
#include <math.h>
#include <string.h>

#include "design/collocate/collocation.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/tree/kinematics.h"
#include "math/muscle/hill.h"
#include "model/use/coordinate_name.h"
#include "model/use/model_path.h"

static const double FAR = 1e20; // no bound, for IPOPT

const lb_mesh_scheme lb_mesh_schemes[LB_SCHEME_COUNT] = {
    [LB_SCHEME_HERMITE_SIMPSON] = {.nodes = 3,
                                   .rows = 2,
                                   .at = {0, 0.5, 1},
                                   .A = {{-1, 0, 1}, {-0.5, 1, -0.5}},
                                   .B = {{-1. / 6, -4. / 6, -1. / 6}, {-1. / 8, 0, 1. / 8}},
                                   .weight = {1. / 6, 4. / 6, 1. / 6}},
    [LB_SCHEME_TRAPEZOID] = {.nodes = 2,
                             .rows = 1,
                             .at = {0, 1},
                             .A = {{-1, 1}},
                             .B = {{-0.5, -0.5}},
                             .weight = {0.5, 0.5}},
};

// --- numbers of a node ---

static int count_rows(lb_collocating* C) {
  lb_data* d = C->d[0];
  if (!d->work->constraints) {
    return 0;
  }
  lb_kinematics(C->m, d, d->q, d->qd);
  return lb_constraints_measure(C->m, d, LB_SET_BILATERAL).count;
}

static void place_numbers(lb_collocating* C) {
  lb_node_layout* L = &C->at;
  L->nv = C->m->nv;
  L->nl = count_rows(C);
  L->q = 0;
  L->v = L->nv;
  L->x = 2 * L->nv;
  L->a = L->x + L->nx;
  L->xd = L->a + L->nv;
  L->u = L->xd + L->nx;
  L->l = L->u + L->nu;
  L->count = L->l + L->nl;
  L->force = 0;
  L->state = L->nv;
  L->second = L->state + L->nx;
  L->rows = L->second + L->nl;
  L->gap = L->rows;
  L->rate = L->gap + L->nl;
  L->all = L->rate + L->nl;
}

// Activations and fibres that are states, and where muscles find theirs.
static bool take_muscles(lb_collocating* C) {
  const lb_model* m = C->m;
  const int n = m->muscle.count;
  C->state = LB_TAKE(&C->arena, lb_muscle_state, 2 * n);
  C->activation = LB_TAKE(&C->arena, int, n);
  C->fiber = LB_TAKE(&C->arena, int, n);
  C->driver = LB_TAKE(&C->arena, int, n);
  C->unmoved = LB_TAKE(&C->arena, bool, m->nv* n);
  if (lb_arena_status(&C->arena) != LB_OK) {
    return false;
  }
  memset(C->unmoved, true, (size_t)(m->nv * n) * sizeof *C->unmoved);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < m->muscle.item[i].path->nv; k++) {
      C->unmoved[m->muscle.item[i].path->v[k] * n + i] = false;
    }
  }
  for (int i = 0; i < n && !C->set->idle; i++) {
    const lb_hill* h = m->muscle.item[i].hill;
    if (h && !C->set->instant) {
      C->state[C->at.nx++] = (lb_muscle_state){i, false};
    }
    if (h && lb_hill_has_fiber(h)) {
      C->state[C->at.nx++] = (lb_muscle_state){i, true};
    }
  }
  return true;
}

// Where an interval is long beside the time constants of activations, drives in its middle
// would swing to and fro about those at its ends.
static void straighten(lb_collocating* C) {
  C->nstraight = 0;
  for (int k = 0; k < C->at.nx && C->scheme->nodes == 3; k++) {
    C->nstraight += !C->state[k].fiber;
  }
}

static void find_muscles(lb_collocating* C) {
  for (int i = 0; i < C->m->muscle.count; i++) {
    C->activation[i] = C->fiber[i] = C->driver[i] = -1;
  }
  for (int i = 0; i < C->at.nu; i++) {
    const lb_control* c = &C->out->control[i];
    if (c->kind == LB_CONTROL_MUSCLE) {
      C->driver[c->index] = i;
      C->activation[c->index] = C->at.u + i; // unless it is a state
    }
  }
  for (int k = 0; k < C->at.nx; k++) {
    (C->state[k].fiber ? C->fiber : C->activation)[C->state[k].muscle] = C->at.x + k;
  }
}

// --- controls ---

void lb_collocation_add_control(lb_collocating* C, lb_control c, double effort) {
  C->out->control[C->at.nu] = c;
  C->effort[C->at.nu++] = effort;
}

// Bounds and weight that the scene gives it.
static void limit_control(lb_collocating* C, lb_owner owner) {
  lb_control* c = &C->out->control[C->at.nu - 1];
  for (int i = 0; i < C->set->ncontrol; i++) {
    const lb_scene_control* s = &C->set->control[i];
    if (s->owner == owner && strcmp(s->name, c->name) == 0) {
      c->least = fmax(c->least, s->least);
      c->most = fmin(c->most, s->most);
      C->effort[C->at.nu - 1] *= s->weight;
    }
  }
}

static lb_status take_controls(lb_collocating* C, lb_error* err) {
  const lb_model* m = C->m;
  const lb_scene_effort* e = &C->set->effort;
  const int most = m->nmotor + m->muscle.count + 2 * m->nv;
  C->out->control = LB_TAKE(&C->arena, lb_control, most);
  C->effort = LB_TAKE(&C->arena, double, most);
  if (lb_arena_status(&C->arena) != LB_OK) {
    return lb_arena_check(&C->arena, "collocation", err);
  }
  for (int i = 0; i < m->nmotor; i++) {
    lb_collocation_add_control(
        C, (lb_control){m->motor.name[i], LB_CONTROL_MOTOR, i, -INFINITY, INFINITY}, e->motors);
    limit_control(C, LB_OWNER_MOTOR);
  }
  for (int i = 0; i < m->muscle.count && !C->set->idle; i++) {
    const lb_model_muscle* mu = &m->muscle.item[i];
    const double least = mu->hill ? mu->hill->least : 0;
    lb_collocation_add_control(C, (lb_control){mu->name, LB_CONTROL_MUSCLE, i, least, 1},
                               e->muscles);
    limit_control(C, LB_OWNER_MUSCLE);
  }
  for (int v = 0; v < m->nv && C->set->reserve > 0; v++) {
    lb_collocation_add_control(C,
                               (lb_control){C->out->coordinate[v], LB_CONTROL_RESERVE, v,
                                            -C->set->reserve, C->set->reserve},
                               e->reserves);
  }
  const lb_status status = C->ease & LB_EASE_TORQUES ? lb_collocation_take_torques(C, err) : LB_OK;
  C->out->ncontrol = C->at.nu;
  return status;
}

// --- the mesh ---

static bool take_mesh(lb_collocating* C) {
  const lb_mesh_scheme* S = C->scheme;
  C->relative = LB_TAKE(&C->arena, double, C->nnode);
  C->quadrature = LB_TAKE(&C->arena, double, C->nnode);
  C->mesh = LB_TAKE(&C->arena, bool, C->nnode);
  C->node_entry = LB_TAKE(&C->arena, int, C->nnode + 1);
  C->node_row = LB_TAKE(&C->arena, int, C->nnode);
  C->cost = LB_TAKE(&C->arena, double, C->nnode);
  if (lb_arena_status(&C->arena) != LB_OK) {
    return false;
  }
  for (int k = 0; k < C->intervals; k++) {
    for (int p = 0; p < S->nodes; p++) {
      const int i = k * (S->nodes - 1) + p;
      C->relative[i] = (k + S->at[p]) / C->intervals;
      C->quadrature[i] += S->weight[p] / C->intervals;
      C->mesh[i] = p == 0 || p == S->nodes - 1;
    }
  }
  C->relative[C->nnode - 1] = 1;
  return true;
}

static void place_equations(lb_collocating* C) {
  const int nstate = 2 * C->at.nv + C->at.nx;
  int row = 0;
  for (int i = 0; i < C->nnode; i++) {
    C->node_row[i] = row;
    row += C->mesh[i] ? C->at.all : C->at.rows;
  }
  C->defect = row;
  row += C->intervals * C->scheme->rows * nstate;
  for (int i = 0; i < C->nheld; i++) {
    if (C->held[i].use == LB_GOAL_IS_EQUATION) {
      C->held[i].row = row;
      for (int k = 0; k < C->held[i].goal->count; k++) {
        row += C->held[i].goal->counts[k];
      }
    }
  }
  C->straight = row;
  row += C->intervals * C->nstraight;
  C->extra = row;
  row += C->nperiodic;
  C->slack = C->nnode * C->at.count;
  C->n = C->slack + 2 * C->at.nl * C->intervals;
  for (int i = 0; i < C->nmean; i++) {
    C->mean[i].row = row++;
    C->mean[i].d = C->n++;
  }
  C->rows = row;
  C->T = isfinite(C->set->time[0]) && C->set->time[0] < C->set->time[1] ? C->n++ : -1;
}

// --- blocks that are not zero ---

typedef struct block {
  int row, rows, column, columns;
  bool diagonal;
} block;

static int list_blocks(const block* b, int count, int* row, int* column) {
  int n = 0;
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < b[k].rows; i++) {
      for (int j = 0; j < b[k].columns; j++) {
        if (!b[k].diagonal || i == j) {
          if (row) {
            row[n] = b[k].row + i;
            column[n] = b[k].column + j;
          }
          n++;
        }
      }
    }
  }
  return n;
}

// Columns of a node's Jacobian by activations, fibres and controls, and rows of states.
static int list_sparse(const lb_collocating* C, int* row, int* column) {
  const lb_node_layout* L = &C->at;
  const lb_model* m = C->m;
  int n = 0;
#define PUT(r, c) (row ? (void)(row[n] = (r), column[n] = (c)) : (void)0, n++)
  for (int i = 0; i < m->muscle.count && !C->set->idle; i++) {
    const lb_model_path* path = m->muscle.item[i].path;
    for (int k = 0; k < path->nv; k++) {
      PUT(L->force + path->v[k], C->activation[i]);
      if (C->fiber[i] >= 0) {
        PUT(L->force + path->v[k], C->fiber[i]);
        PUT(L->state + (C->fiber[i] - L->x), L->q + path->v[k]);
      }
    }
  }
  for (int k = 0; k < L->nx; k++) {
    const lb_muscle_state* s = &C->state[k];
    PUT(L->state + k, L->xd + k);
    PUT(L->state + k, C->activation[s->muscle]);
    PUT(L->state + k, s->fiber ? L->x + k : L->u + C->driver[s->muscle]);
  }
  for (int i = 0; i < L->nu; i++) {
    const lb_control* c = &C->out->control[i];
    if (c->kind != LB_CONTROL_MUSCLE) {
      PUT(L->force + (c->kind == LB_CONTROL_MOTOR ? m->motor.v[c->index] : c->index), L->u + i);
    }
  }
#undef PUT
  return n;
}

static bool take_entries(lb_collocating* C) {
  const lb_node_layout* L = &C->at;
  const block every[] = {{L->force, L->nv, L->q, 2 * L->nv, false},
                         {L->force, L->nv, L->a, L->nv, false},
                         {L->force, L->nv, L->l, L->nl, false},
                         {L->second, L->nl, L->q, 2 * L->nv, false},
                         {L->second, L->nl, L->a, L->nv, false}};
  const block more[] = {{L->gap, L->nl, L->q, L->nv, false},
                        {L->rate, L->nl, L->q, 2 * L->nv, false}};
  enum { EVERY = sizeof every / sizeof *every, MORE = sizeof more / sizeof *more };
  const int dense = list_blocks(every, EVERY, NULL, NULL);
  C->nentry = dense + list_sparse(C, NULL, NULL);
  C->nentry_mesh = C->nentry + list_blocks(more, MORE, NULL, NULL);
  C->entry_row = LB_TAKE(&C->arena, int, C->nentry_mesh);
  C->entry_column = LB_TAKE(&C->arena, int, C->nentry_mesh);
  if (lb_arena_status(&C->arena) != LB_OK) {
    return false;
  }
  list_blocks(every, EVERY, C->entry_row, C->entry_column);
  list_sparse(C, C->entry_row + dense, C->entry_column + dense);
  list_blocks(more, MORE, C->entry_row + C->nentry, C->entry_column + C->nentry);
  return true;
}

// Lower triangle of a node's Hessian. Inverse dynamics are linear in accelerations, forces in
// controls; muscles do not see each other.
static bool bends(const lb_collocating* C, int row, int column) {
  const lb_node_layout* L = &C->at;
  const bool q = column < L->v, v = column >= L->v && column < L->x;
  const bool slope = row >= L->xd && row < L->u;
  if (q) {
    return !slope;
  }
  if (v) {
    return row < L->a || (row >= L->u && row < L->l);
  }
  if (column >= L->x && column < L->a) { // a muscle's own
    const int muscle = C->state[column - L->x].muscle;
    return row < L->a ? C->state[row - L->x].muscle == muscle
           : slope    ? C->state[row - L->xd].fiber && C->state[row - L->xd].muscle == muscle
                      : row == L->u + C->driver[muscle];
  }
  if (column >= L->xd && column < L->u && row != column) { // speeds beside instant activations
    const lb_muscle_state* s = &C->state[column - L->xd];
    return s->fiber && row == C->activation[s->muscle];
  }
  return row == column && row >= L->xd && row < L->l;
}

static int list_bends(const lb_collocating* C, int* row, int* column) {
  int n = 0;
  for (int r = 0; r < C->at.count; r++) {
    for (int c = 0; c <= r; c++) {
      if (bends(C, r, c)) {
        if (row) {
          row[n] = r;
          column[n] = c;
        }
        n++;
      }
    }
  }
  return n;
}

static bool take_bends(lb_collocating* C) {
  C->nbend = list_bends(C, NULL, NULL);
  C->bend_row = LB_TAKE(&C->arena, int, C->nbend);
  C->bend_column = LB_TAKE(&C->arena, int, C->nbend);
  if (lb_arena_status(&C->arena) != LB_OK) {
    return false;
  }
  list_bends(C, C->bend_row, C->bend_column);
  return true;
}

// --- bounds ---

static void bound(lb_collocating* C, int k, double least, double most) {
  C->lower[k] = fmax(C->lower[k], least / C->scale[k]);
  C->upper[k] = fmin(C->upper[k], most / C->scale[k]);
}

// Hard limits of single coordinates.
static void bound_limits(lb_collocating* C, int node) {
  const lb_model* m = C->m;
  for (int i = 0; i < m->constraint.ncoupling; i++) {
    const lb_model_coupling* c = &m->constraint.coupling[i];
    const lb_model_term* t = &m->constraint.term[c->first];
    if (c->unilateral) {
      const double at = c->value / t->factor;
      const bool below = c->sign * t->factor > 0; // at least
      bound(C, node * C->at.count + C->at.q + t->v, below ? at : -FAR, below ? FAR : at);
    }
  }
}

// Ranges that coordinates are meant for bound a motion that is found. One that is given may leave
// them, and so may the start that a scene says.
static void bound_ranges(lb_collocating* C, int node) {
  const lb_model* m = C->m;
  const bool given = C->q_ref || C->markers || (node == 0 && !C->free_start);
  for (int v = 0; v < m->nv && !given; v++) {
    if (m->dof.limit_stiffness[v] == 0) {
      bound(C, node * C->at.count + C->at.q + v, fmax(m->dof.lower[v], -FAR),
            fmin(m->dof.upper[v], FAR));
    }
  }
}

static void bound_node(lb_collocating* C, int node) {
  const lb_node_layout* L = &C->at;
  const int z = node * L->count;
  bound_limits(C, node);
  bound_ranges(C, node);
  for (int i = 0; i < L->nu; i++) {
    const lb_control* c = &C->out->control[i];
    bound(C, z + L->u + i, isfinite(c->least) ? c->least : -FAR, isfinite(c->most) ? c->most : FAR);
  }
  for (int k = 0; k < L->nx; k++) {
    const lb_hill* h = C->m->muscle.item[C->state[k].muscle].hill;
    if (!C->state[k].fiber) {
      bound(C, z + L->x + k, h->least, 1);
    }
  }
}

// The scene's start, and fibres in equilibrium where they do not come back to their start. Muscles
// that start as the scene says have been excited as they are for long: no force comes for free.
static void bound_start(lb_collocating* C) {
  const lb_node_layout* L = &C->at;
  for (int k = 0; k < L->nv; k++) {
    const bool travels = C->sign[L->q + k] == 0 && !C->q_ref;
    if (!C->free_start || travels) {
      bound(C, L->q + k, C->m->start.q[k], C->m->start.q[k]);
    }
    if (!C->free_start) {
      bound(C, L->v + k, C->m->start.qd[k], C->m->start.qd[k]);
    }
  }
  for (int i = 0; i < C->nmean; i++) {
    if (C->mean[i].must) {
      bound(C, C->mean[i].d, 0, 0);
    }
  }
  for (int k = 0; k < L->nx && !C->set->periodic; k++) {
    if (C->state[k].fiber || !C->free_start) {
      bound(C, L->xd + k, 0, 0);
    }
  }
}

// Coordinates of joints that must be something are bounds, not equations.
static void bound_goals(lb_collocating* C) {
  const lb_node_layout* L = &C->at;
  for (int i = 0; i < C->nheld; i++) {
    const lb_node_goal* g = &C->held[i];
    for (int k = 0; k < g->goal->count && g->use == LB_GOAL_IS_BOUND; k++) {
      if (g->goal->counts[k]) {
        bound(C, g->node * L->count + g->first + k, g->value[k], g->value[k]);
      }
    }
  }
}

void lb_collocation_bound(lb_collocating* C) {
  for (int k = 0; k < C->n; k++) {
    C->lower[k] = -FAR;
    C->upper[k] = FAR;
  }
  for (int i = 0; i < C->nnode; i++) {
    bound_node(C, i);
  }
  bound_start(C);
  bound_goals(C);
  if (C->T >= 0) {
    bound(C, C->T, C->set->time[0], C->set->time[1]);
  }
}

// --- all of it ---

static lb_status take_workers(lb_collocating* C, lb_error* err) {
  const size_t nv = (size_t)C->at.nv, count = (size_t)C->at.count;
  C->worker = LB_TAKE(&C->arena, lb_collocation_worker, C->threads);
  for (int i = 0; i < C->threads && lb_arena_status(&C->arena) == LB_OK; i++) {
    lb_collocation_worker* w = &C->worker[i];
    w->J = LB_TAKE(&C->arena, double, (size_t)C->at.all* count);
    w->z = LB_TAKE(&C->arena, double, 4 * count);
    w->to = w->z + count, w->by = w->to + count, w->column = w->by + count;
    w->must = LB_TAKE(&C->arena, double, LB_GOAL_MOST* count);
    w->arm = LB_TAKE(&C->arena, double, nv);
    w->rows = LB_TAKE(&C->arena, double, 3 * (size_t)C->at.nl * nv);
    w->S = lb_arena_take_array(&C->arena, nv, sizeof *w->S, LB_ALIGN);
    w->change = lb_arena_take_array(&C->arena, nv, sizeof *w->change, LB_ALIGN);
    const lb_status status = lb_derivatives_create(C->m, C->arena.allocator, &w->D, err);
    if (status != LB_OK) {
      return status;
    }
  }
  return lb_arena_check(&C->arena, "collocation", err);
}

static bool take_arrays(lb_collocating* C) {
  const size_t n = (size_t)C->n;
  double** const arrays[] = {&C->lower, &C->upper, &C->scale, &C->Z};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    *arrays[i] = LB_TAKE(&C->arena, double, n);
  }
  C->g_lower = LB_TAKE(&C->arena, double, C->rows);
  C->g_upper = LB_TAKE(&C->arena, double, C->rows);
  C->Lambda = LB_TAKE(&C->arena, double, C->rows);
  C->J0 = LB_TAKE(&C->arena, double, (size_t)C->intervals*(size_t)(C->at.nl * C->at.nv));
  return lb_arena_status(&C->arena) == LB_OK;
}

lb_status lb_collocation_lay_out(lb_collocating* C, lb_error* err) {
  if (!take_muscles(C)) {
    return lb_arena_check(&C->arena, "collocation", err);
  }
  lb_status status = lb_coordinate_names(&C->arena, C->m, &C->out->coordinate, err);
  status = status == LB_OK ? take_controls(C, err) : status;
  if (status != LB_OK) {
    return status;
  }
  place_numbers(C);
  find_muscles(C);
  straighten(C);
  if (!take_mesh(C) || !take_entries(C) || !take_bends(C)) {
    return lb_arena_check(&C->arena, "collocation", err);
  }
  status = lb_collocation_list_periodic(C, err);
  status = status == LB_OK ? lb_collocation_take_goals(C, err) : status;
  status = status == LB_OK ? lb_collocation_take_means(C, err) : status;
  if (status != LB_OK) {
    return status;
  }
  place_equations(C);
  if (!take_arrays(C) || !lb_collocation_patterns(C)) {
    return lb_arena_check(&C->arena, "collocation", err);
  }
  return take_workers(C, err);
}
