// The nonlinear program of a collocation: objective, equations and all derivatives, node by node
// on several threads. Each node has a data of its own, so that nothing depends on their number.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "design/collocate/collocation.h"
#include "dynamics/force/muscle.h"

// Steps of differences of first derivatives, which are exact: of coordinates [rad or m], of their
// rates, and of others over their scales. Errors are of their square.
static const double STEP_Q = 2e-6, STEP_V = 1e-3, STEP = 2e-6;

typedef struct pass {
  lb_collocating* C;
  double* out;
  double factor;
  const double* lambda;
  int from, to; // nodes
  void (*node)(const struct pass* p, lb_collocation_worker* w, int node, double* z);
} pass;

static void run_nodes(void* context, int rank, int size) {
  const pass* p = context;
  lb_collocating* C = p->C;
  for (int i = p->from + rank; i < p->to; i += size) {
    p->node(p, &C->worker[rank], i, lb_node_of(C, C->Z, i));
  }
}

static void over_nodes(pass* p) {
  p->from = 0;
  p->to = p->C->nnode;
  lb_parallel_team(p->C->threads, run_nodes, p);
}

// The same for what takes long; false: somebody asked to stop.
static bool over_nodes_slowly(pass* p) {
  enum { AT_ONCE = 2 }; // of each thread
  lb_collocating* C = p->C;
  for (p->from = 0; p->from < C->nnode && !C->stopped; p->from = p->to) {
    const int next = p->from + AT_ONCE * C->threads;
    p->to = next < C->nnode ? next : C->nnode;
    lb_parallel_team(C->threads, run_nodes, p);
    C->stopped = !lb_progress_report(&C->progress, NAN, C->news);
  }
  return !C->stopped;
}

void lb_collocation_take(lb_collocating* C, const double* x) {
  for (int k = 0; k < C->n; k++) {
    C->Z[k] = C->scale[k] * x[k];
  }
}

static double time_of(const lb_collocating* C, int node) {
  return C->start + C->relative[node] * lb_duration_of(C, C->Z);
}

// --- objective ---

static void cost_node(const pass* p, lb_collocation_worker* w, int node, double* z) {
  p->C->cost[node] = lb_node_cost(p->C, w, node, z, lb_duration_of(p->C, p->C->Z), NULL);
}

bool lb_collocation_objective(void* of, const double* x, double* f) {
  lb_collocating* C = of;
  lb_collocation_take(C, x);
  over_nodes(&(pass){.C = C, .node = cost_node});
  double sum = C->T >= 0 ? C->set->time_weight * C->Z[C->T] : 0;
  for (int i = 0; i < C->nnode; i++) {
    sum += C->cost[i];
  }
  sum += lb_means_cost(C, NULL) + lb_rates_cost(C, NULL);
  *f = sum;
  return isfinite(sum);
}

static void slope_node(const pass* p, lb_collocation_worker* w, int node, double* z) {
  lb_collocating* C = p->C;
  double* out = lb_node_of(C, p->out, node);
  lb_node_cost(C, w, node, z, lb_duration_of(C, C->Z), out);
  C->cost[node] = C->T >= 0 ? lb_node_integrand(C, w, node, z) : 0;
}

bool lb_collocation_gradient(void* of, const double* x, double* df) {
  lb_collocating* C = of;
  lb_collocation_take(C, x);
  memset(df, 0, (size_t)C->n * sizeof *df);
  over_nodes(&(pass){.C = C, .out = df, .node = slope_node});
  if (C->T >= 0) {
    df[C->T] = C->set->time_weight;
    for (int i = 0; i < C->nnode; i++) {
      df[C->T] += C->cost[i];
    }
  }
  lb_means_cost(C, df);
  lb_rates_cost(C, df);
  for (int k = 0; k < C->n; k++) {
    df[k] *= C->scale[k];
  }
  return true;
}

// --- equations between nodes ---

static int nstate(const lb_collocating* C) {
  return 2 * C->at.nv + C->at.nx;
}

// Number of a node that state s is, and the one that its slope is.
static int state_at(const lb_collocating* C, int s) {
  return C->at.q + s; // q, v, x come first
}
static int slope_at(const lb_collocating* C, int s) {
  return s < C->at.nv ? C->at.v + s : C->at.a + (s - C->at.nv); // a, then xd
}

static int first_node(const lb_collocating* C, int interval) {
  return interval * (C->scheme->nodes - 1);
}

static int defect_row(const lb_collocating* C, int interval, int row, int s) {
  return C->defect + (interval * C->scheme->rows + row) * nstate(C) + s;
}

// Correction of a state at the end of an interval: first one, or -1.
static int correction(const lb_collocating* C, int interval, int row, int s) {
  return row == 0 && s < 2 * C->at.nv && C->at.nl > 0
             ? C->slack + (2 * interval + (s >= C->at.nv)) * C->at.nl
             : -1;
}

static const double* normal(const lb_collocating* C, int interval, int s) {
  return C->J0 + (size_t)interval * (size_t)(C->at.nl * C->at.nv) + s % C->at.nv;
}

static double defect(const lb_collocating* C, int interval, int row, int s) {
  const lb_mesh_scheme* S = C->scheme;
  const double h = lb_duration_of(C, C->Z) / C->intervals;
  const int extra = correction(C, interval, row, s);
  double sum = 0;
  for (int p = 0; p < S->nodes; p++) {
    const double* z = lb_node_of(C, C->Z, first_node(C, interval) + p);
    sum += S->A[row][p] * z[state_at(C, s)] + h * S->B[row][p] * z[slope_at(C, s)];
  }
  for (int i = 0; extra >= 0 && i < C->at.nl; i++) {
    sum += normal(C, interval, s)[i * C->at.nv] * C->Z[extra + i];
  }
  return sum;
}

static void put_defect(const lb_collocating* C, lb_entries* e, int interval, int row, int s) {
  const lb_mesh_scheme* S = C->scheme;
  const int at = defect_row(C, interval, row, s), extra = correction(C, interval, row, s);
  const double h = lb_duration_of(C, C->Z) / C->intervals;
  double by_T = 0;
  for (int p = 0; p < S->nodes; p++) {
    const int z = (first_node(C, interval) + p) * C->at.count;
    if (S->A[row][p] != 0) {
      lb_entries_put(e, at, z + state_at(C, s), S->A[row][p]);
    }
    if (S->B[row][p] != 0) {
      lb_entries_put(e, at, z + slope_at(C, s), h * S->B[row][p]);
      by_T += S->B[row][p] / C->intervals * C->Z[z + slope_at(C, s)];
    }
  }
  for (int i = 0; extra >= 0 && i < C->at.nl; i++) {
    lb_entries_put(e, at, extra + i, normal(C, interval, s)[i * C->at.nv]);
  }
  if (C->T >= 0) {
    lb_entries_put(e, at, C->T, by_T);
  }
}

static void put_defects(const lb_collocating* C, lb_entries* e) {
  for (int k = 0; k < C->intervals; k++) {
    for (int r = 0; r < C->scheme->rows; r++) {
      for (int s = 0; s < nstate(C); s++) {
        put_defect(C, e, k, r, s);
      }
    }
  }
}

// --- equations at nodes, and the rest ---

static void row_node(const pass* p, lb_collocation_worker* w, int node, double* z) {
  lb_collocating* C = p->C;
  lb_node_residual(C, node, z, time_of(C, node), p->out + C->node_row[node]);
  for (int i = C->held_first[node]; i < C->held_first[node + 1]; i++) {
    const lb_node_goal* g = &C->held[i];
    double value[LB_GOAL_MOST];
    if (g->use == LB_GOAL_IS_EQUATION) {
      lb_node_must(C, w, node, g, z, value, NULL);
      for (int k = 0, n = 0; k < g->goal->count; k++) {
        if (g->goal->counts[k]) {
          p->out[g->row + n++] = value[k];
        }
      }
    }
  }
}

static bool evaluate_constraints(lb_collocating* C, double* g) {
  over_nodes(&(pass){.C = C, .out = g, .node = row_node});
  for (int k = 0; k < C->intervals; k++) {
    for (int r = 0; r < C->scheme->rows; r++) {
      for (int s = 0; s < nstate(C); s++) {
        g[defect_row(C, k, r, s)] = defect(C, k, r, s);
      }
    }
  }
  for (int k = 0; k < C->intervals && C->nstraight > 0; k++) {
    const double* z = lb_node_of(C, C->Z, first_node(C, k));
    for (int s = 0, row = C->straight + k * C->nstraight; s < C->at.nx; s++) {
      const double* u = z + C->at.u + C->driver[C->state[s].muscle];
      if (!C->state[s].fiber) {
        g[row++] = u[C->at.count] - (u[0] + u[2 * C->at.count]) / 2;
      }
    }
  }
  const double* end = lb_node_of(C, C->Z, C->nnode - 1);
  for (int i = 0; i < C->nperiodic; i++) {
    const lb_periodic* p = &C->periodic[i];
    g[C->extra + i] = end[p->end] - p->sign * C->Z[p->begin];
  }
  lb_means_residual(C, g);
  bool finite = true;
  for (int i = 0; i < C->rows; i++) {
    finite &= isfinite(g[i]) != 0;
  }
  return finite;
}

bool lb_collocation_constraints(void* of, const double* x, double* g) {
  lb_collocation_take(of, x);
  return evaluate_constraints(of, g);
}

// Equations of a light model's dynamics are off by little wherever it is: they become parts of the
// largest force on their coordinate. Below `least` searches find no difference.
static void compare_with_forces(lb_collocating* C, double* g) {
  const double least = 100 * C->set->tolerance, most = 1; // N m, N
  for (int k = 0; k < C->at.nv; k++) {
    double size = 0;
    for (int i = 0; i < C->nnode; i++) {
      const double off = g[C->node_row[i] + C->at.force + k], acts = C->d[i]->work->tau[k];
      size = fmax(size, fmax(fabs(acts), fabs(acts + off)));
    }
    for (int i = 0; i < C->nnode; i++) {
      g[C->node_row[i] + C->at.force + k] /= fmin(size + least, most);
    }
  }
}

double lb_collocation_off(lb_collocating* C, double* g) {
  double off = evaluate_constraints(C, g) ? 0 : (double)INFINITY;
  compare_with_forces(C, g);
  for (int i = 0; i < C->rows; i++) {
    off = fmax(off, fabs(g[i]));
  }
  return off;
}

// Columns of goals that must hold: places and velocities.
static int must_entries(const lb_collocating* C, const lb_node_goal* g) {
  int rows = 0;
  for (int k = 0; k < g->goal->count; k++) {
    rows += g->goal->counts[k];
  }
  return g->use != LB_GOAL_IS_EQUATION ? 0 : rows * 2 * C->at.nv;
}

static void put_must(lb_collocating* C, lb_collocation_worker* w, int node, const double* z,
                     lb_entries* e) {
  for (int i = C->held_first[node]; i < C->held_first[node + 1]; i++) {
    const lb_node_goal* g = &C->held[i];
    double value[LB_GOAL_MOST];
    if (g->use != LB_GOAL_IS_EQUATION) {
      continue;
    }
    if (z) {
      lb_node_must(C, w, node, g, z, value, w->must);
    }
    for (int k = 0, n = 0; k < g->goal->count; k++) {
      for (int c = 0; g->goal->counts[k] && c < 2 * C->at.nv; c++) {
        lb_entries_put(e, g->row + n, node * C->at.count + C->at.q + c,
                       z ? w->must[k * C->at.count + C->at.q + c] : 0);
      }
      n += g->goal->counts[k];
    }
  }
}

static int node_entries(const lb_collocating* C, int node) {
  return C->mesh[node] ? C->nentry_mesh : C->nentry;
}

static void jacobian_node(const pass* p, lb_collocation_worker* w, int node, double* z) {
  lb_collocating* C = p->C;
  double* to = p->out + C->node_entry[node];
  const int count = node_entries(C, node);
  lb_node_jacobian(C, w, node, z, time_of(C, node));
  for (int k = 0; k < count; k++) {
    to[k] = w->J[(size_t)C->entry_row[k] * (size_t)C->at.count + (size_t)C->entry_column[k]];
  }
  lb_entries e = {.value = to + count};
  put_must(C, w, node, z, &e);
}

// u_m = (u_0 + u_1)/2
static void put_straight(const lb_collocating* C, lb_entries* e) {
  static const double WEIGHT[3] = {-0.5, 1, -0.5};
  for (int k = 0, row = C->straight; C->nstraight > 0 && k < C->intervals; k++) {
    for (int s = 0; s < C->at.nx; s++) {
      for (int p = 0; !C->state[s].fiber && p < 3; p++) {
        const int u = C->at.u + C->driver[C->state[s].muscle];
        lb_entries_put(e, row, (first_node(C, k) + p) * C->at.count + u, WEIGHT[p]);
      }
      row += !C->state[s].fiber;
    }
  }
}

static void put_rest(const lb_collocating* C, lb_entries* e) {
  put_defects(C, e);
  put_straight(C, e);
  for (int i = 0; i < C->nperiodic; i++) {
    const lb_periodic* p = &C->periodic[i];
    lb_entries_put(e, C->extra + i, (C->nnode - 1) * C->at.count + p->end, 1);
    lb_entries_put(e, C->extra + i, p->begin, -p->sign);
  }
}

bool lb_collocation_jacobian(void* of, const double* x, double* values) {
  lb_collocating* C = of;
  lb_collocation_take(C, x);
  over_nodes(&(pass){.C = C, .out = values, .node = jacobian_node});
  lb_entries e = {.value = values + C->node_entry[C->nnode]};
  put_rest(C, &e);
  lb_means_put(C, &e, true);
  for (int k = 0; k < C->pattern.count; k++) {
    values[k] *= C->scale[C->pattern.column[k]];
  }
  return true;
}

// --- Hessian ---

// Gradient of a node's part of the Lagrangian by its numbers, to `by`.
static void lagrangian(const pass* p, lb_collocation_worker* w, int node, const double* z,
                       double* by) {
  lb_collocating* C = p->C;
  const int count = C->at.count, rows = C->mesh[node] ? C->at.all : C->at.rows;
  const double* lambda = p->lambda + C->node_row[node];
  lb_node_cost(C, w, node, z, lb_duration_of(C, C->Z), by);
  for (int k = 0; k < count; k++) {
    by[k] *= p->factor;
  }
  lb_node_jacobian(C, w, node, z, time_of(C, node));
  for (int r = 0; r < rows; r++) {
    for (int k = 0; k < count && lambda[r] != 0; k++) {
      by[k] += lambda[r] * w->J[(size_t)r * (size_t)count + (size_t)k];
    }
  }
  lb_means_slope(C, w, node, z, p->lambda, by);
  for (int i = C->held_first[node]; i < C->held_first[node + 1]; i++) {
    const lb_node_goal* g = &C->held[i];
    double value[LB_GOAL_MOST];
    if (g->use != LB_GOAL_IS_EQUATION) {
      continue;
    }
    lb_node_must(C, w, node, g, z, value, w->must);
    for (int r = 0, n = 0; r < g->goal->count; r++) {
      for (int k = 0; g->goal->counts[r] && k < count; k++) {
        by[k] += p->lambda[g->row + n] * w->must[r * count + k];
      }
      n += g->goal->counts[r];
    }
  }
}

typedef enum direction { ACTIVATIONS, FIBERS, RATES, CONTROLS, GROUPS } direction;

// Numbers that are moved together: muscles do not see each other, nor do controls.
static double group_step(const lb_collocating* C, direction g, int k) {
  const lb_node_layout* L = &C->at;
  const bool state = k >= L->x && k < L->a;
  const bool in = g == CONTROLS ? k >= L->u && k < L->l
                  : g == RATES  ? k >= L->xd && k < L->u
                                : state && C->state[k - L->x].fiber == (g == FIBERS);
  return in ? STEP * C->scale[k] : 0;
}

static void difference(const pass* p, lb_collocation_worker* w, int node, const double* z,
                       const double* step, double* column) {
  const int count = p->C->at.count;
  for (int sign = 1; sign >= -1; sign -= 2) {
    for (int k = 0; k < count; k++) {
      w->z[k] = z[k] + sign * step[k];
    }
    lagrangian(p, w, node, w->z, sign > 0 ? column : w->by);
  }
  for (int k = 0; k < count; k++) {
    column[k] -= w->by[k];
  }
}

// Paths that coordinate k does not move pull in the same way on both sides of a difference along it
// or along its rate; -1: none is left out.
static void leave_out(const lb_collocating* C, int node, int k) {
  if (C->m->muscle.count > 0) {
    C->d[node]->work->muscles->left_out = k >= 0 ? C->unmoved + k * C->m->muscle.count : NULL;
  }
}

static void bend_node(const pass* p, lb_collocation_worker* w, int node, double* z) {
  lb_collocating* C = p->C;
  const lb_node_layout* L = &C->at;
  double *to = p->out + (size_t)node * (size_t)C->nbend, *step = w->to;
  memset(to, 0, (size_t)C->nbend * sizeof *to);
  const int single = 2 * L->nv;
  for (int g = 0; g < single + GROUPS; g++) {
    bool any = false;
    for (int k = 0; k < L->count; k++) {
      step[k] = g >= single     ? group_step(C, (direction)(g - single), k)
                : k == L->q + g ? (g < L->nv ? STEP_Q : STEP_V)
                                : 0;
      any |= step[k] > 0;
    }
    if (!any) {
      continue;
    }
    leave_out(C, node, g < single ? g % L->nv : -1);
    difference(p, w, node, z, step, w->column);
    for (int e = 0; e < C->nbend; e++) {
      const double s = step[C->bend_column[e]];
      if (s > 0) {
        to[e] = w->column[C->bend_row[e]] / (2 * s);
      }
    }
  }
  leave_out(C, node, -1);
}

// The duration multiplies slopes in (3), and the objective.
static void stretch_node(const pass* p, lb_collocation_worker* w, int node, double* z) {
  lb_collocating* C = p->C;
  const lb_mesh_scheme* S = C->scheme;
  const int per = S->nodes - 1;
  double* to = p->out + (size_t)C->nnode * (size_t)C->nbend + (size_t)node * (size_t)C->at.count;
  const double T = lb_duration_of(C, C->Z);
  // of the cost, the part that grows with the duration, by its numbers
  lb_node_cost(C, w, node, z, T + 1, to);
  lb_node_cost(C, w, node, z, T, w->by);
  for (int k = 0; k < C->at.count; k++) {
    to[k] = p->factor * (to[k] - w->by[k]);
  }
  for (int k = node / per - (node % per == 0); k <= node / per; k++) {
    const int place = node - first_node(C, k);
    for (int r = 0; r < S->rows && k >= 0 && k < C->intervals; r++) {
      for (int s = 0; s < nstate(C); s++) {
        to[slope_at(C, s)] += p->lambda[defect_row(C, k, r, s)] * S->B[r][place] / C->intervals;
      }
    }
  }
}

// Entries before those of mean velocities: blocks of nodes, and the row of the duration.
static int bends_of_nodes(const lb_collocating* C) {
  return C->nnode * C->nbend + (C->T >= 0 ? C->nnode * C->at.count + 1 : 0);
}

bool lb_collocation_hessian(void* of, const double* x, double factor, const double* lambda,
                            double* values) {
  lb_collocating* C = of;
  lb_collocation_take(C, x);
  pass p = {.C = C, .out = values, .factor = factor, .lambda = lambda, .node = bend_node};
  if (!over_nodes_slowly(&p)) {
    return false;
  }
  if (C->T >= 0) {
    p.node = stretch_node;
    over_nodes(&p);
    values[bends_of_nodes(C) - 1] = 0;
  }
  lb_entries more = {.value = values + bends_of_nodes(C)};
  lb_means_bend(C, &more, factor, lambda);
  lb_rates_bend(C, &more, factor);
  for (int k = 0; k < C->curvature.count; k++) {
    values[k] *= C->scale[C->curvature.row[k]] * C->scale[C->curvature.column[k]];
  }
  return true;
}

double lb_collocation_effort_of_iteration(lb_collocating* C) {
  pass p = {.C = C, .factor = 1, .lambda = C->Lambda};
  p.out = C->values = LB_TAKE(&C->arena, double, C->nbend);
  if (!p.out) {
    return 0;
  }
  const double before = lb_clock();
  bend_node(&p, &C->worker[0], 0, C->Z);
  return (lb_clock() - before) * C->nnode / C->threads;
}

// --- patterns ---

static void put_node_places(lb_collocating* C, lb_entries* e, int node) {
  C->node_entry[node] = e->count;
  for (int k = 0; k < node_entries(C, node); k++) {
    lb_entries_put(e, C->node_row[node] + C->entry_row[k], node * C->at.count + C->entry_column[k],
                   0);
  }
  put_must(C, NULL, node, NULL, e);
}

static bool take_triplets(lb_collocating* C, lb_triplets* t) {
  t->row = LB_TAKE(&C->arena, int, t->count);
  t->column = LB_TAKE(&C->arena, int, t->count);
  return t->row && t->column;
}

bool lb_collocation_patterns(lb_collocating* C) {
  lb_entries e = {0};
  for (int i = 0; i < C->nnode; i++) {
    e.count += node_entries(C, i);
    for (int k = C->held_first[i]; k < C->held_first[i + 1]; k++) {
      e.count += must_entries(C, &C->held[k]);
    }
  }
  put_rest(C, &e);
  lb_means_put(C, &e, false);
  C->pattern.count = e.count;
  C->curvature.count = bends_of_nodes(C) + C->nmean * (C->T >= 0 ? 2 : 1) + lb_rates_count(C);
  if (!take_triplets(C, &C->pattern) || !take_triplets(C, &C->curvature)) {
    return false;
  }
  e = (lb_entries){.row = C->pattern.row, .column = C->pattern.column};
  for (int i = 0; i < C->nnode; i++) {
    put_node_places(C, &e, i);
  }
  C->node_entry[C->nnode] = e.count;
  put_rest(C, &e);
  lb_means_put(C, &e, false);
  e = (lb_entries){.row = C->curvature.row, .column = C->curvature.column};
  for (int i = 0; i < C->nnode; i++) {
    for (int k = 0; k < C->nbend; k++) {
      lb_entries_put(&e, i * C->at.count + C->bend_row[k], i * C->at.count + C->bend_column[k], 0);
    }
  }
  for (int k = 0; C->T >= 0 && k <= C->nnode * C->at.count; k++) {
    lb_entries_put(&e, C->T, k < C->nnode * C->at.count ? k : C->T, 0);
  }
  lb_means_bend(C, &e, 0, NULL);
  lb_rates_bend(C, &e, 0);
  return true;
}
