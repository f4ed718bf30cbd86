// The problem of the points that were found: rows of J over the velocities of groups, and W^-1 J'.
#include <string.h>

#include "base/parallel.h"
#include "base/prefetch.h"
#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/contact/contact_inside.h"
#include "dynamics/contact/contact_surface.h"
#include "dynamics/tree/kinematics.h"
#include "math/contact/contact_fast.h"
#include "math/linear/dense.h"

// --- rows ---

// Directions of the rows of a point: normal, tangents; about the tangents; about the normal.
typedef struct way {
  int axis;
  bool turns;
} way;
static const way DIRECTIONS[LB_TOUCH_ROWS] = {{0, false}, {1, false}, {2, false},
                                              {1, true},  {2, true},  {0, true}};

static void add_row(const lb_contacts* C, lb_touch* t, int direction, lb_contact_kind kind,
                    double mu) {
  const int row = t->row + t->nrow++;
  C->row[row] = (lb_contact_row){.kind = kind, .group = {-1, -1}, .normal = t->row, .mu = mu};
  C->direction[row] = direction;
}

// A disc of two rows, or an interval for each where the cone is a pyramid.
static void add_disc(const lb_contacts* C, lb_touch* t, int direction, double mu) {
  const bool round = C->m->contact.set.cone == LB_CONE_ROUND;
  add_row(C, t, direction, round ? LB_CONTACT_SET_2 : LB_CONTACT_SET_1, mu);
  add_row(C, t, direction + 1, round ? LB_CONTACT_SECOND : LB_CONTACT_SET_1, mu);
}

static int count_rows(const lb_contact_surface* s) {
  return 1 + (s->friction > 0 ? 2 : 0) + (s->rolling > 0 ? 2 : 0) + (s->spinning > 0);
}

// Rows of a point from `first` on.
static void list_rows(const lb_contacts* C, lb_touch* t, int first) {
  const lb_contact_surface* s = &t->surface;
  t->row = first;
  t->nrow = 0;
  C->block[t - C->touch] = first;
  add_row(C, t, 0, LB_CONTACT_UNILATERAL, 0);
  if (s->friction > 0) {
    add_disc(C, t, 1, s->friction);
  }
  if (s->rolling > 0) {
    add_disc(C, t, 3, s->rolling);
  }
  if (s->spinning > 0) {
    add_row(C, t, 5, LB_CONTACT_SET_1, s->spinning);
  }
}

// --- J ---

static int enter_group(lb_contacts* C, int group) {
  lb_contact_group* g = &C->group[group];
  if (g->number < 0) {
    g->number = C->problem.ngroup++;
    C->used[g->number] = group;
    C->velocity[g->number + 1] = C->velocity[g->number] + g->width;
  }
  return g->number;
}

int lb_contacts_take_entry(lb_contacts* C, int row, int side, int group) {
  lb_contact_row* r = &C->row[row];
  const int at = C->problem.nentry, width = C->group[group].width;
  r->group[side] = enter_group(C, group);
  r->entry[side] = at;
  C->problem.nentry += width;
  memset(C->J + at, 0, (size_t)width * sizeof *C->J);
  return at;
}

void lb_contacts_list_entry(lb_contacts* C, int group, int at) {
  C->entries.item[C->entries.count] = (lb_contact_entry){at, C->group[group].first};
  C->group[group].first = C->entries.count++;
}

// A free body: velocities are its twist in its own axes.
static void fill_free(const lb_contacts* C, const lb_work* w, const lb_touch* t, int side,
                      int group, int at) {
  const lb_contact_group* g = &C->group[group];
  const lb_state* s = &w->state[g->link];
  const lb_v4 arm = lb_m3_apply_transposed(s->R, t->arm[side]);
  const double sign = side == 0 ? 1 : -1;
  const lb_free_scale scale = *g->scale;
  lb_v4 axis[3];
  for (int k = 0; k < 3; k++) {
    axis[k] = lb_m3_apply_transposed(s->R, t->axis[k]) * sign;
  }
  for (int i = t->row; i < t->row + t->nrow; i++, at += LB_FREE_WIDTH) {
    const way by = DIRECTIONS[C->direction[i]];
    const lb_v4 e = axis[by.axis];
    const lb_free_row J = by.turns ? lb_free_scale_row(&scale, e, lb_v4_zero())
                                   : lb_free_scale_row(&scale, lb_v4_cross(arm, e), e);
    C->row[i].entry[side] = at;
    memcpy(C->J + at, &J, sizeof J);
    if (C->entries.count > 0) { // else Z is J
      memcpy(C->Z + at, &J, sizeof J);
    }
  }
}

// Rows of links of a mechanism, both of them where a point is between two.
static void fill_general(lb_contacts* C, const lb_work* w, const lb_touch* t, int side, int group) {
  const lb_contact_group* g = &C->group[group];
  lb_constraint_row row[LB_TOUCH_ROWS];
  const size_t nv = (size_t)C->m->nv;
  for (int i = 0; i < t->nrow; i++) {
    const way by = DIRECTIONS[C->direction[t->row + i]];
    row[i] = (lb_constraint_row){.e = t->axis[by.axis], .turns = by.turns};
    for (int k = 0; k < g->nv; k++) {
      C->full[(size_t)i * nv + (size_t)g->v[k]] = 0;
    }
  }
  for (int k = 0; k < 2; k++) {
    const lb_collider_state* c = &C->collider[t->collider[k]];
    if (c->group != group) {
      continue;
    }
    if (c->surface) {
      lb_surface_add_rows(C, w, t, row, t->nrow, C->full, -1);
      continue;
    }
    for (int i = 0; i < t->nrow; i++) {
      row[i].at = w->state[c->link].p + t->arm[k];
    }
    lb_constraint_rows_add_link(C->m, w, row, t->nrow, C->full, c->link, k == 0 ? 1 : -1);
  }
  for (int i = 0; i < t->nrow; i++) {
    const int at = lb_contacts_take_entry(C, t->row + i, side, group);
    for (int k = 0; k < g->nv; k++) {
      C->J[at + k] = C->full[(size_t)i * nv + (size_t)g->v[k]];
    }
    lb_contacts_list_entry(C, group, at);
  }
}

// --- layout ---

static bool is_free(const lb_contacts* C, int group) {
  return group >= 0 && C->group[group].link >= 0;
}

static lb_touch_sides sides_of(const lb_contacts* C, const lb_touch* t) {
  const int first = C->lay.group[t->collider[0]], second = C->lay.group[t->collider[1]];
  return (lb_touch_sides){{first, second == first ? -1 : second}};
}

typedef struct range {
  int begin, end;
} range;

static range chunk_of(int chunk, int n) {
  const int end = (chunk + 1) * LB_TOUCH_CHUNK;
  return (range){chunk * LB_TOUCH_CHUNK, end < n ? end : n};
}

// Sides of some points, and the number of their rows.
static void count_chunk(void* context, int chunk) {
  const lb_touch_work* by = context;
  const lb_contacts* C = by->C;
  const range r = chunk_of(chunk, C->ntouch);
  lb_contact_count sum = {0, 0};
  for (int i = r.begin; i < r.end; i++) {
    const int n = count_rows(&C->touch[i].surface);
    const lb_touch_sides s = C->lay.sides[i] = sides_of(C, &C->touch[i]);
    sum.rows += n;
    for (int k = 0; k < 2; k++) {
      sum.numbers += s.group[k] >= 0 ? n * C->group[s.group[k]].width : 0;
    }
  }
  C->lay.count[chunk] = sum;
}

static void lay_chunk(void* context, int chunk) {
  const lb_touch_work* by = context;
  const lb_contacts* C = by->C;
  const range r = chunk_of(chunk, C->ntouch);
  for (int i = r.begin, row = C->lay.count[chunk].rows; i < r.end; i++) {
    lb_touch* t = &C->touch[i];
    list_rows(C, t, row);
    row += t->nrow;
    for (int k = 0; k < 2; k++) {
      const int group = C->lay.sides[i].group[k];
      for (int j = t->row; is_free(C, group) && j < row; j++) {
        C->row[j].group[k] = C->group[group].number;
      }
    }
  }
}

// The first row of each chunk; all that there are.
static lb_contact_count add_up(const lb_contacts* C, int chunks) {
  lb_contact_count all = {0, 0};
  for (int k = 0; k < chunks; k++) {
    const lb_contact_count own = C->lay.count[k];
    C->lay.count[k] = all;
    all.rows += own.rows;
    all.numbers += own.numbers;
  }
  return all;
}

// Groups with rows of points, in the order of these; whether one is a mechanism.
static bool enter_groups(lb_contacts* C) {
  bool any = false;
  for (int i = 0; i < C->ntouch; i++) {
    for (int k = 0; k < 2; k++) {
      const int group = C->lay.sides[i].group[k];
      if (group >= 0) {
        enter_group(C, group);
        any |= C->group[group].link < 0;
      }
    }
  }
  return any;
}

// Rows of points of mechanisms have their numbers at once.
static void fill_mechanisms(lb_contacts* C, const lb_work* w) {
  for (int i = 0; i < C->ntouch; i++) {
    for (int k = 0; k < 2; k++) {
      const int group = C->lay.sides[i].group[k];
      if (group >= 0 && !is_free(C, group)) {
        fill_general(C, w, &C->touch[i], k, group);
      }
    }
  }
}

// Places of the numbers of free bodies, in the order in which points are swept.
static void lay_numbers(lb_contacts* C, const int* order) {
  for (int k = 0; k < C->problem.nblock; k++) {
    const int i = order[k];
    if (i < C->ntouch) {
      const int* group = C->lay.sides[i].group;
      const int sides = is_free(C, group[0]) + is_free(C, group[1]);
      C->lay.at[i] = C->problem.nentry;
      C->problem.nentry += sides * (C->block[i + 1] - C->block[i]) * LB_FREE_WIDTH;
    }
  }
}

// Numbers of free bodies, and impulses of the step before, as far as the points are the same.
static void fill_touch(const lb_touch_work* by, lb_touch* t) {
  const lb_contacts* C = by->C;
  const int* group = C->lay.sides[t - C->touch].group;
  int at = C->lay.at[t - C->touch];
  for (int k = 0; k < 2; k++) {
    if (is_free(C, group[k])) {
      fill_free(C, by->d->work, t, k, group[k], at);
      at += t->nrow * LB_FREE_WIDTH;
    }
  }
  for (int i = t->row; i < t->row + t->nrow; i++) {
    const way to = DIRECTIONS[C->direction[i]];
    C->lambda[i] = lb_v4_dot(t->axis[to.axis], to.turns ? t->twist : t->impulse);
  }
  if (by->asks) {
    lb_contacts_ask(by, t);
  }
}

// --- Z ---

// W does not couple groups: one solve is for an entry of each. Motors do not give way.
static bool gather_entries(lb_contacts* C) {
  bool any = false;
  memset(C->right, 0, (size_t)C->m->nv * sizeof *C->right);
  for (int i = 0; i < C->problem.ngroup; i++) {
    const lb_contact_group* g = &C->group[C->used[i]];
    for (int k = 0; C->entries.next[i] >= 0 && k < g->nv; k++) {
      const int v = g->v[k];
      C->right[v] = C->m->dof.driven[v] ? 0 : C->J[C->entries.item[C->entries.next[i]].at + k];
    }
    any |= C->entries.next[i] >= 0;
  }
  return any;
}

static void spread_entries(lb_contacts* C) {
  for (int i = 0; i < C->problem.ngroup; i++) {
    const lb_contact_group* g = &C->group[C->used[i]];
    if (C->entries.next[i] >= 0) {
      double* Z = C->Z + C->entries.item[C->entries.next[i]].at;
      memset(Z, 0, (size_t)g->width * sizeof *Z);
      for (int k = 0; k < g->nv; k++) {
        Z[k] = C->m->dof.driven[g->v[k]] ? 0 : C->right[g->v[k]];
      }
      C->entries.next[i] = C->entries.item[C->entries.next[i]].next;
    }
  }
}

static void solve_entries(lb_contacts* C, lb_contact_system W) {
  for (int i = 0; i < C->problem.ngroup; i++) {
    C->entries.next[i] = C->group[C->used[i]].first;
  }
  while (gather_entries(C)) {
    W.solve(W.context, C->right);
    spread_entries(C);
  }
}

// --- velocities ---

static void begin(lb_contacts* C) {
  for (int i = 0; i < C->problem.ngroup; i++) {
    C->group[C->used[i]].number = C->group[C->used[i]].first = -1;
  }
  C->entries.count = 0;
  C->problem = (lb_contact_problem){.velocity = C->velocity, .u0 = C->u0};
}

// Arrays may have grown.
static void lay_out(lb_contacts* C) {
  C->problem.row = C->row;
  C->problem.J = C->J;
  C->problem.block = C->block;
}

static void gather_group(const lb_group_work* by, int i) {
  const lb_contacts* C = by->C;
  const lb_contact_group* g = &C->group[C->used[i]];
  memset(C->u0 + C->velocity[i], 0, (size_t)g->width * sizeof *C->u0);
  lb_group_gather(g, by->v, C->u0 + C->velocity[i]);
}

void lb_contacts_gather(lb_contacts* C, const lb_data* d) {
  lb_contacts_each_group(&(lb_group_work){C, d->qd, gather_group}, d->threads);
}

void lb_contacts_take_away(lb_contacts* C) {
  for (int i = 0; i < C->problem.nrow; i++) {
    const lb_contact_row* r = &C->row[i];
    for (int k = 0; k < 2; k++) {
      if (r->group[k] >= 0) {
        lb_add(lb_contact_width(&C->problem, r->group[k]), C->u0 + C->velocity[r->group[k]],
               -C->lambda[i], C->problem.Z + r->entry[k]);
      }
    }
  }
}

// --- all points, and all groups ---

enum { FEW = 4 * LB_TOUCH_CHUNK }; // that one thread does as fast

static void by_chunks(lb_touch_work* by, void (*work)(void* context, int chunk)) {
  const int n = by->C->ntouch;
  lb_parallel_for(n < FEW ? 1 : by->d->threads, (n + LB_TOUCH_CHUNK - 1) / LB_TOUCH_CHUNK, work,
                  by);
}

// Numbers of points lie in the order of sweeps: those of one that comes soon are asked for.
static void work_chunk(void* context, int chunk) {
  enum { AHEAD = 4, NUMBERS = 6 * LB_FREE_WIDTH };
  const lb_touch_work* by = context;
  const lb_contacts* C = by->C;
  const range r = chunk_of(chunk, C->ntouch);
  for (int i = r.begin; i < r.end; i++) {
    const int next = i + AHEAD < r.end ? i + AHEAD : i;
    lb_prefetch(C->J + C->lay.at[next], NUMBERS * sizeof *C->J);
    by->work(by, &C->touch[i]);
  }
}

void lb_contacts_each(const lb_touch_work* by) {
  lb_touch_work work = *by;
  by_chunks(&work, work_chunk);
}

static void group_chunk(void* context, int chunk) {
  const lb_group_work* by = context;
  const range r = chunk_of(chunk, by->C->problem.ngroup);
  for (int i = r.begin; i < r.end; i++) {
    by->work(by, i);
  }
}

void lb_contacts_each_group(const lb_group_work* by, int threads) {
  lb_group_work work = *by;
  const int n = by->C->problem.ngroup;
  lb_parallel_for(n < FEW ? 1 : threads, (n + LB_TOUCH_CHUNK - 1) / LB_TOUCH_CHUNK, group_chunk,
                  &work);
}

// --- the problem ---

// Rows of points and their places; false: there is no memory.
static bool lay_touches(lb_contacts* C, lb_data* d) {
  lb_touch_work by = {.C = C, .d = d};
  by_chunks(&by, count_chunk);
  const lb_contact_count all = add_up(C, (C->ntouch + LB_TOUCH_CHUNK - 1) / LB_TOUCH_CHUNK);
  if (!lb_contacts_reserve_rows(C, all.rows + C->beside.most,
                                all.numbers + C->beside.most * C->widest)) {
    return false;
  }
  lay_out(C);
  const bool any = enter_groups(C);
  by_chunks(&by, lay_chunk);
  C->problem.nrow = all.rows;
  C->problem.nblock = C->ntouch;
  if (any || C->beside.most > 0 || C->isolated) {
    lb_fill_columns(C->m, d->work);
  }
  if (any) {
    fill_mechanisms(C, d->work);
  }
  return true;
}

bool lb_contacts_build(lb_contacts* C, lb_data* d, lb_contact_system W, double h) {
  begin(C);
  lb_surface_enter(C);
  if (!lay_touches(C, d)) {
    return false;
  }
  lb_contacts_add_bounded(C, d, h);
  if (!W.at_end) {
    lb_contacts_add_constraints(C, d, h);
  }
  C->block[C->problem.nblock] = C->problem.nrow;
  for (int i = C->ntouch; i < C->problem.nblock; i++) {
    C->marks[i] = 0;
  }
  C->problem.Z = C->entries.count > 0 ? C->Z : C->J;
  if (!lb_contacts_reserve_solver(C, d->threads)) {
    return false;
  }
  lay_numbers(C, lb_contact_solver_arrange(C->solver, &C->problem));
  lb_contacts_gather(C, d);
  lb_contacts_each(&(lb_touch_work){.C = C, .d = d, .h = h, .asks = !W.at_end, .work = fill_touch});
  solve_entries(C, W);
  return true;
}
