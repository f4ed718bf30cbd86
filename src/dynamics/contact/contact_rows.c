// The problem of the points that were found: rows of J over the velocities of groups, and W^-1 J'.
#include <string.h>

#include "base/parallel.h"
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

static lb_contact_row* add_row(lb_contacts* C, lb_touch* t, int direction, lb_contact_kind kind,
                               double mu) {
  lb_contact_row* r = &C->row[C->problem.nrow++];
  *r = (lb_contact_row){.kind = kind, .group = {-1, -1}, .normal = t->row, .mu = mu};
  C->direction[C->problem.nrow - 1] = direction;
  t->nrow++;
  return r;
}

// A disc of two rows, or an interval for each where the cone is a pyramid.
static void add_disc(lb_contacts* C, lb_touch* t, int direction, double mu) {
  const bool round = C->m->contact.set.cone == LB_CONE_ROUND;
  add_row(C, t, direction, round ? LB_CONTACT_SET_2 : LB_CONTACT_SET_1, mu);
  add_row(C, t, direction + 1, round ? LB_CONTACT_SECOND : LB_CONTACT_SET_1, mu);
}

static void list_rows(lb_contacts* C, lb_touch* t) {
  const lb_contact_surface* s = &t->surface;
  t->row = C->problem.nrow;
  t->nrow = 0;
  C->block[C->problem.nblock++] = t->row;
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

// Rows of a free body, whose places and numbers come with lay_numbers and fill_free.
static void lay_free(lb_contacts* C, const lb_touch* t, int side, int group) {
  const int number = enter_group(C, group);
  for (int i = t->row; i < t->row + t->nrow; i++) {
    C->row[i].group[side] = number;
  }
}

// A free body: velocities are its twist in its own axes.
static void fill_free(const lb_contacts* C, const lb_work* w, const lb_touch* t, int side,
                      int group) {
  const lb_contact_group* g = &C->group[group];
  const lb_state* s = &w->state[g->link];
  const lb_v4 arm = lb_m3_apply_transposed(s->R, t->arm[side]);
  const double sign = side == 0 ? 1 : -1;
  const lb_free_scale scale = *g->scale;
  lb_v4 axis[3];
  for (int k = 0; k < 3; k++) {
    axis[k] = lb_m3_apply_transposed(s->R, t->axis[k]) * sign;
  }
  for (int i = t->row; i < t->row + t->nrow; i++) {
    const way by = DIRECTIONS[C->direction[i]];
    const lb_v4 e = axis[by.axis];
    const lb_free_row J = by.turns ? lb_free_scale_row(&scale, e, lb_v4_zero())
                                   : lb_free_scale_row(&scale, lb_v4_cross(arm, e), e);
    memcpy(C->J + C->row[i].entry[side], &J, sizeof J);
    if (C->entries.count > 0) { // else Z is J
      memcpy(C->Z + C->row[i].entry[side], &J, sizeof J);
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

// Groups that a point acts on, the second -1 where it is the first.
typedef struct sides {
  int group[2];
} sides;

static sides sides_of(const lb_contacts* C, const lb_touch* t) {
  const int first = C->collider[t->collider[0]].group, second = C->collider[t->collider[1]].group;
  return (sides){{first, second == first ? -1 : second}};
}

// Rows of a point; those of mechanisms have their numbers, too.
static void lay_touch(lb_contacts* C, const lb_work* w, lb_touch* t) {
  const sides s = sides_of(C, t);
  list_rows(C, t);
  for (int k = 0; k < 2; k++) {
    if (s.group[k] >= 0 && C->group[s.group[k]].link >= 0) {
      lay_free(C, t, k, s.group[k]);
    } else if (s.group[k] >= 0) {
      fill_general(C, w, t, k, s.group[k]);
    }
  }
}

// Places of the numbers of free bodies, in the order in which points are swept.
static void lay_numbers(lb_contacts* C, const int* order) {
  for (int k = 0; k < C->problem.nblock; k++) {
    const lb_touch* t = order[k] < C->ntouch ? &C->touch[order[k]] : NULL;
    for (int side = 0; t && side < 2; side++) {
      const int number = C->row[t->row].group[side];
      const bool free = number >= 0 && C->group[C->used[number]].link >= 0;
      for (int i = t->row; free && i < t->row + t->nrow; i++) {
        C->row[i].entry[side] = C->problem.nentry;
        C->problem.nentry += LB_FREE_WIDTH;
      }
    }
  }
}

// Numbers of free bodies, and impulses of the step before, as far as the points are the same.
static void fill_touch(const lb_touch_work* by, lb_touch* t) {
  const lb_contacts* C = by->C;
  const sides s = sides_of(C, t);
  for (int k = 0; k < 2; k++) {
    if (s.group[k] >= 0 && C->group[s.group[k]].link >= 0) {
      fill_free(C, by->d->work, t, k, s.group[k]);
    }
  }
  for (int i = t->row; i < t->row + t->nrow; i++) {
    const way to = DIRECTIONS[C->direction[i]];
    C->lambda[i] = lb_v4_dot(t->axis[to.axis], to.turns ? t->twist : t->impulse);
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

// --- the problem ---

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

void lb_contacts_gather(lb_contacts* C, const double* v) {
  memset(C->u0, 0, (size_t)C->velocity[C->problem.ngroup] * sizeof *C->u0);
  for (int i = 0; i < C->problem.ngroup; i++) {
    lb_group_gather(&C->group[C->used[i]], v, C->u0 + C->velocity[i]);
  }
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

// --- all points ---

enum { CHUNK = 64, FEW = 256 }; // points of a task, and those that one thread does as fast

static void work_chunk(void* context, int chunk) {
  const lb_touch_work* by = context;
  const lb_contacts* C = by->C;
  const int end = (chunk + 1) * CHUNK < C->ntouch ? (chunk + 1) * CHUNK : C->ntouch;
  for (int i = chunk * CHUNK; i < end; i++) {
    by->work(by, &C->touch[i]);
  }
}

void lb_contacts_each(const lb_touch_work* by) {
  lb_touch_work work = *by;
  const int n = by->C->ntouch;
  lb_parallel_for(n < FEW ? 1 : by->d->threads, (n + CHUNK - 1) / CHUNK, work_chunk, &work);
}

bool lb_contacts_build(lb_contacts* C, lb_data* d, lb_contact_system W, double h) {
  begin(C);
  lb_surface_enter(C);
  if (!lb_contacts_reserve_rows(C)) {
    return false;
  }
  lay_out(C);
  lb_fill_columns(C->m, d->work);
  for (int i = 0; i < C->ntouch; i++) {
    lay_touch(C, d->work, &C->touch[i]);
  }
  if (!W.at_end) {
    lb_contacts_add_servos(C, d, h);
    lb_contacts_add_constraints(C, d, h);
  }
  C->block[C->problem.nblock] = C->problem.nrow;
  C->problem.Z = C->entries.count > 0 ? C->Z : C->J;
  if (!lb_contacts_reserve_solver(C, d->threads)) {
    return false;
  }
  lay_numbers(C, lb_contact_solver_arrange(C->solver, &C->problem));
  lb_contacts_each(&(lb_touch_work){.C = C, .d = d, .h = h, .work = fill_touch});
  solve_entries(C, W);
  lb_contacts_gather(C, d->qd);
  return true;
}
