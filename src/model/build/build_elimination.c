// Couplings of fixed ratio, solved for a coordinate each: [red] eq. 4.84, qd = P u. Rows C qd = 0
// are brought to [1, -P] by elimination, R C, with the largest factor that a row has left as its
// pivot. What changes with time or has to do with coordinates that motors prescribe stays a
// constraint, and so does all where something is unilateral; what is redundant is none, since
// nothing of it would be left but rounding.
#include <math.h>
#include <string.h>

#include "elastic/reduced/reduced.h"
#include "math/linear/dense.h"
#include "model/build/build.h"
#include "model/use/link.h"

static const double REPEATS = 1e-9; // remainder of a redundant row

typedef struct work {
  lb_model* m;
  int n, count;  // velocities; couplings that may be eliminated
  int* coupling; // [count]
  int width;     // n + count
  double* C;     // [count][width] rows of [C R]: equations, and how they were combined
  int* pivot;    // [count] or -1
  int* q;        // [n] coordinates whose rates the velocities are, of those in couplings
} work;

static double* row_of(const work* w, int i) {
  return w->C + (size_t)i * (size_t)w->width;
}

static bool is_fixed_ratio(const lb_model* m, const lb_model_coupling* r) {
  bool fixed = !r->path && r->motor < 0 && r->compliance.stiffness == 0 && !r->bends;
  for (int i = r->first; i < r->first + r->count; i++) {
    fixed = fixed && !m->dof.driven[m->constraint.term[i].v];
  }
  return fixed;
}

static void fill(work* w) {
  const lb_model* m = w->m;
  for (int i = 0; i < w->count; i++) {
    const lb_model_coupling* r = &m->constraint.coupling[w->coupling[i]];
    for (int k = r->first; k < r->first + r->count; k++) {
      row_of(w, i)[m->constraint.term[k].v] += r->sign * m->constraint.term[k].factor;
      w->q[m->constraint.term[k].v] = m->constraint.term[k].q;
    }
    row_of(w, i)[w->n + i] = 1;
    w->pivot[i] = -1;
  }
}

static void eliminate(work* w) {
  for (int i = 0; i < w->count; i++) {
    double* row = row_of(w, i);
    int at = 0;
    for (int k = 1; k < w->n; k++) {
      at = fabs(row[k]) > fabs(row[at]) ? k : at;
    }
    if (!(fabs(row[at]) > REPEATS)) {
      continue;
    }
    const double scale = 1 / row[at];
    w->pivot[i] = at;
    for (int k = 0; k < w->width; k++) {
      row[k] *= scale;
    }
    for (int j = 0; j < w->count; j++) {
      const double f = j != i ? row_of(w, j)[at] : 0;
      if (f != 0) {
        lb_add(w->width, row_of(w, j), -f, row);
        row_of(w, j)[at] = 0;
      }
    }
  }
}

// True where a coupling follows from the eliminated ones.
static bool is_said(const work* w, const lb_model_coupling* r, double* row) {
  const lb_model* m = w->m;
  memset(row, 0, (size_t)w->n * sizeof *row);
  for (int k = r->first; k < r->first + r->count; k++) {
    row[m->constraint.term[k].v] += m->constraint.term[k].factor;
  }
  for (int i = 0; i < w->count; i++) {
    if (w->pivot[i] >= 0) {
      lb_add(w->n, row, -row[w->pivot[i]], row_of(w, i));
    }
  }
  bool said = true;
  for (int k = 0; k < w->n; k++) {
    said = said && fabs(row[k]) <= REPEATS;
  }
  return said;
}

static void mark(const work* w, double* row) {
  for (int i = 0; i < w->m->constraint.ncoupling; i++) {
    lb_model_coupling* r = &w->m->constraint.coupling[i];
    r->eliminated = r->compliance.stiffness == 0 && !r->bends && is_said(w, r, row);
  }
}

static void take_arrays(lb_elimination* g, lb_arena* arena, const work* w) {
  const int n = w->n, most = w->count;
  int terms = 0;
  for (int i = 0; i < most * n; i++) {
    terms += row_of(w, i / n)[i % n] != 0;
  }
  g->coupling = LB_TAKE(arena, int, most);
  g->held = LB_TAKE(arena, int, most);
  g->held_q = LB_TAKE(arena, int, most);
  g->offset = LB_TAKE(arena, double, most);
  g->first = LB_TAKE(arena, int, most + 1);
  g->R = LB_TAKE(arena, double, most* most);
  g->free = LB_TAKE(arena, int, n);
  g->from = LB_TAKE(arena, int, terms);
  g->from_q = LB_TAKE(arena, int, terms);
  g->factor = LB_TAKE(arena, double, terms);
}

// The couplings that hold a coordinate, and the velocities that are left.
static void keep_held(lb_elimination* g, const work* w, bool* held) {
  for (int i = 0; i < w->count; i++) {
    if (w->pivot[i] >= 0) {
      g->coupling[g->count] = w->coupling[i];
      g->held_q[g->count] = w->q[w->pivot[i]];
      g->held[g->count++] = w->pivot[i];
      held[w->pivot[i]] = true;
    }
  }
  for (int k = 0; k < w->n; k++) {
    if (!held[k]) {
      g->free[g->nfree++] = k;
    }
  }
}

// Row e of -P and of R, from row i of the elimination.
static void keep_row(lb_elimination* g, const work* w, int e, int i, const bool* held) {
  int at = g->first[e], c = 0;
  for (int k = 0; k < w->n; k++) {
    const double factor = row_of(w, i)[k];
    if (!held[k] && factor != 0) {
      g->from[at] = k;
      g->from_q[at] = w->q[k];
      g->factor[at++] = -factor;
    }
  }
  g->first[e + 1] = at;
  for (int k = 0; k < w->count; k++) {
    const lb_model_coupling* r = &w->m->constraint.coupling[w->coupling[k]];
    if (w->pivot[k] >= 0) {
      const double factor = row_of(w, i)[w->n + k];
      g->offset[e] += factor * r->sign * r->value;
      g->R[e * g->count + c++] = factor;
    }
  }
}

static lb_status keep(lb_build* b, const work* w) {
  lb_elimination* g = &b->m->constraint.elimination;
  bool* held = LB_TAKE(b->arena, bool, w->n);
  take_arrays(g, b->arena, w);
  if (lb_arena_status(b->arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  keep_held(g, w, held);
  for (int i = 0, e = 0; i < w->count; i++) {
    if (w->pivot[i] >= 0) {
      keep_row(g, w, e++, i, held);
    }
  }
  return LB_OK;
}

static bool pushes_unilateral(const lb_model* m) {
  bool any = false;
  for (int i = 0; i < m->constraint.count; i++) {
    any |= m->constraint.item[i].unilateral;
  }
  return any;
}

// Bodies with all their nodes, or such that stand for them.
static bool has_nodes(const lb_model* m) {
  bool any = m->nv > m->ndense;
  for (int i = 0; i < m->nlink; i++) {
    any |= m->link.packed[i].reduced && m->link.packed[i].reduced->traces;
  }
  return any;
}

lb_status lb_build_elimination(lb_build* b) {
  lb_model* m = b->m;
  const bool fit = m->particles.nparticle == 0 && !has_nodes(m) && !pushes_unilateral(m) &&
                   m->solver.closing == 0; // else they may start open
  work w = {.m = m, .n = m->nv, .coupling = LB_TAKE(b->arena, int, m->constraint.ncoupling)};
  if (!w.coupling) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < m->constraint.ncoupling && fit; i++) {
    if (is_fixed_ratio(m, &m->constraint.coupling[i])) {
      w.coupling[w.count++] = i;
    }
  }
  if (w.count == 0) {
    return LB_OK;
  }
  w.width = w.n + w.count;
  w.C = LB_TAKE(b->arena, double, (size_t)w.count*(size_t)w.width);
  w.pivot = LB_TAKE(b->arena, int, w.count);
  w.q = LB_TAKE(b->arena, int, w.n);
  double* row = LB_TAKE(b->arena, double, w.n);
  if (lb_arena_status(b->arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  fill(&w);
  eliminate(&w);
  mark(&w, row);
  return keep(b, &w);
}
