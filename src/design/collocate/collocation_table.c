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
static void take_column(lb_collocating* C, const lb_numbers* t, int column, int number) {
  const size_t width = (size_t)t->ncolumn;
  const double first = t->value[0], last = t->value[(size_t)(t->nrow - 1) * width];
  int row = 0;
  for (int i = 0; i < C->nnode; i++) {
    const double time = first + C->relative[i] * (last - first);
    while (row < t->nrow - 2 && t->value[(size_t)(row + 1) * width] <= time) {
      row++;
    }
    const double *a = t->value + (size_t)row * width, *b = a + width;
    const double s = fmin(fmax((time - a[0]) / (b[0] - a[0]), 0), 1);
    lb_node_of(C, C->Z, i)[number] = (1 - s) * a[column] + s * b[column];
  }
}

lb_status lb_collocation_resume(lb_collocation* o, const char* path, lb_error* err) {
  lb_collocating* C = o->work;
  const lb_arena_mark mark = lb_arena_here(&C->arena);
  lb_numbers t;
  lb_status status = lb_numbers_read(path, "solution", &C->arena, &t, err);
  for (int k = 0; k < C->at.count && status == LB_OK; k++) {
    const lb_heading h = lb_collocation_heading(o, k);
    const int column = lb_numbers_column(&t, h.text);
    if (column < 0) {
      status = lb_error_add(err, LB_INVALID, (lb_place){path, 1, 1},
                            "there is no column '%s': the table is of another scene", h.text);
    } else {
      take_column(C, &t, column, k);
    }
  }
  if (status == LB_OK && C->T >= 0) {
    C->Z[C->T] = t.value[(size_t)(t.nrow - 1) * (size_t)t.ncolumn] - t.value[0];
  }
  C->warm = C->warm || status == LB_OK;
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
