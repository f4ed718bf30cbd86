// Numbers of all nodes as a table: to keep them, and to begin with them again on this mesh or
// another one.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "design/collocate/collocation.h"
#include "scene/table/number_table.h"

int lb_collocation_width(const lb_collocation* o) {
  return o->work->at.count;
}

double lb_collocation_number(const lb_collocation* o, int node, int number) {
  return lb_node_of(o->work, o->work->Z, node)[number];
}

// Kinds of numbers, in their order in a node.
lb_heading lb_collocation_heading(const lb_collocation* o, int number) {
  const lb_collocating* C = o->work;
  const lb_node_layout* L = &C->at;
  lb_heading h = {{0}};
  const struct {
    int first, end;
    const char* what;
  } kind[] = {{L->q, L->v, "q"},
              {L->v, L->x, "qd"},
              {L->x, L->a, ""},
              {L->a, L->xd, "qdd"},
              {L->xd, L->u, "rate"},
              {L->u, L->l, "control"},
              {L->l, L->count, "multiplier"}};
  for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
    const int k = number - kind[i].first;
    if (number < kind[i].first || number >= kind[i].end) {
      continue;
    }
    const lb_muscle_state* s = &C->state[i == 2 || i == 4 ? k : 0];
    if (i == 2 || i == 4) {
      snprintf(h.text, sizeof h.text, "%s.%s%s%s", C->m->muscle.item[s->muscle].name,
               s->fiber ? "fiber" : "activation", i == 4 ? "." : "", kind[i].what);
    } else if (i == 5) {
      snprintf(h.text, sizeof h.text, "%s.%s", o->control[k].name, kind[i].what);
    } else if (i == 6) {
      snprintf(h.text, sizeof h.text, "%s.%d", kind[i].what, k);
    } else {
      snprintf(h.text, sizeof h.text, "%s.%s", o->coordinate[k], kind[i].what);
    }
  }
  return h;
}

// Straight lines between rows, over the part of the time that has passed.
static void take_column(lb_collocating* C, int rows, const double* time, const double* value,
                        int number) {
  int row = 0;
  for (int i = 0; i < C->nnode; i++) {
    const double t = time[0] + C->relative[i] * (time[rows - 1] - time[0]);
    while (row < rows - 2 && time[row + 1] <= t) {
      row++;
    }
    const double s = fmin(fmax((t - time[row]) / (time[row + 1] - time[row]), 0), 1);
    lb_node_of(C, C->Z, i)[number] = (1 - s) * value[row] + s * value[row + 1];
  }
}

// Times and then all numbers, [1 + count][nrow], or whether some are missing: what acts may be
// other than in the table, but not what moves.
static lb_status take_table(const lb_collocation* o, const lb_numbers* t, double* to, bool* missing,
                            lb_error* err) {
  const lb_node_layout* L = &o->work->at;
  lb_status status = lb_numbers_take(t, 0, to, 1, err);
  for (int k = 0; k < L->count && status == LB_OK; k++) {
    const lb_heading h = lb_collocation_heading(o, k);
    const int column = lb_numbers_column(t, h.text);
    const bool acts = (k >= L->x && k < L->a) || (k >= L->xd && k < L->l);
    if (column >= 0) {
      status = lb_numbers_take(t, column, to + (size_t)(k + 1) * (size_t)t->nrow, 1, err);
    } else if (acts) {
      *missing = true;
    } else {
      status = lb_error_add(err, LB_INVALID, (lb_place){t->file, 1, 1},
                            "there is no column '%s': the table is of another scene", h.text);
    }
  }
  return status;
}

// How near the table is to a solution. One that was interrupted on this mesh may be far from any:
// then the search begins as it would without, from its motion. `before` is what equations were off.
static void judge(lb_collocating* C, double before, double* g, bool same, bool missing) {
  static const double SOLVED = 1e-2, NEAR = 0.1;
  const double off = same ? lb_collocation_off(C, g) : 0;
  C->warm = !missing && off <= SOLVED;
  C->near = off <= SOLVED || (isfinite(off) && off <= NEAR * before);
}

lb_status lb_collocation_resume(lb_collocation* o, const char* path, lb_error* err) {
  lb_collocating* C = o->work;
  const lb_arena_mark mark = lb_arena_here(&C->arena);
  lb_numbers t;
  lb_status status = lb_numbers_read(path, "solution", &C->arena, &t, err);
  const size_t rows = status == LB_OK ? (size_t)t.nrow : 0;
  double* all = LB_TAKE(&C->arena, double, ((size_t)C->at.count + 1) * rows);
  double* g = LB_TAKE(&C->arena, double, C->rows);
  status = status == LB_OK ? lb_arena_check(&C->arena, "a solution", err) : status;
  const double before = status == LB_OK ? lb_collocation_off(C, g) : 0;
  bool missing = false;
  status = status == LB_OK ? take_table(o, &t, all, &missing, err) : status;
  for (int k = 0; k < C->at.count && status == LB_OK; k++) {
    take_column(C, t.nrow, all, all + (size_t)(k + 1) * rows, k);
  }
  if (status == LB_OK && C->T >= 0) {
    C->Z[C->T] = all[rows - 1] - all[0];
  }
  if (status == LB_OK && missing) {
    status = lb_collocation_guess_actors(C, true, err);
  }
  if (status == LB_OK) {
    judge(C, before, g, t.nrow == C->nnode && !missing, missing);
  }
  lb_arena_reset(&C->arena, mark);
  return status;
}

// Straight lines between nodes.
lb_control_use lb_collocation_use(const lb_collocation* o, int control) {
  lb_control_use use = {0};
  double sum = 0, before = 0;
  for (int i = 0; i < o->nnode; i++) {
    const double u = o->u[(size_t)i * (size_t)o->ncontrol + (size_t)control];
    const double h = i > 0 ? o->time[i] - o->time[i - 1] : 0;
    sum += h / 3 * (u * u + u * before + before * before);
    before = u;
    if (fabs(u) > fabs(use.peak)) {
      use.peak = u;
      use.time = o->time[i];
    }
  }
  const double whole = o->nnode > 1 ? o->time[o->nnode - 1] - o->time[0] : 0;
  use.rms = whole > 0 ? sqrt(sum / whole) : fabs(use.peak);
  return use;
}
