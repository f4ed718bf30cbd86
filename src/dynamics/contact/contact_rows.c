// The problem of the points that were found: rows of J over the velocities of groups, and W^-1 J'.
#include <string.h>

#include "dynamics/constraint/constraint_rows.h"
#include "dynamics/contact/contact_inside.h"
#include "dynamics/contact/contact_surface.h"
#include "dynamics/tree/kinematics.h"
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
  C->entry[C->nentry] = (lb_contact_entry){at, C->group[group].first};
  C->group[group].first = C->nentry++;
}

// A free body: velocities are its twist in its own axes, of which M is constant.
static void fill_free(lb_contacts* C, const lb_work* w, const lb_touch* t, int side, int group) {
  const lb_contact_group* g = &C->group[group];
  const lb_state* s = &w->state[g->link];
  const lb_v4 arm = lb_m3_apply_transposed(s->R, t->arm[side]);
  const double sign = side == 0 ? 1 : -1;
  lb_v4 axis[3];
  for (int k = 0; k < 3; k++) {
    axis[k] = lb_m3_apply_transposed(s->R, t->axis[k]) * sign;
  }
  for (int i = t->row; i < t->row + t->nrow; i++) {
    const way by = DIRECTIONS[C->direction[i]];
    const int at = lb_contacts_take_entry(C, i, side, group);
    double *J = C->J + at, *Z = C->Z + at;
    lb_v4_store(J, by.turns ? axis[by.axis] : lb_v4_cross(arm, axis[by.axis]));
    lb_v4_store(J + 3, by.turns ? lb_v4_zero() : axis[by.axis]);
    lb_v4 low = lb_v4_zero(), high = lb_v4_zero();
    for (int k = 0; k < 6; k++) { // M^-1 is symmetric
      low += g->inverse[k][0] * J[k];
      high += g->inverse[k][1] * J[k];
    }
    memcpy(Z, &low, sizeof low);
    memcpy(Z + 4, &high, sizeof high);
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

static void fill_touch(lb_contacts* C, const lb_work* w, lb_touch* t) {
  const int group[2] = {C->collider[t->collider[0]].group, C->collider[t->collider[1]].group};
  for (int side = 0; side < 2; side++) {
    if (group[side] < 0 || (side == 1 && group[1] == group[0])) {
      continue;
    }
    if (C->group[group[side]].link >= 0) {
      fill_free(C, w, t, side, group[side]);
    } else {
      fill_general(C, w, t, side, group[side]);
    }
  }
}

// --- Z ---

// W does not couple groups: one solve is for an entry of each. Motors do not give way.
static bool gather_entries(lb_contacts* C) {
  bool any = false;
  memset(C->right, 0, (size_t)C->m->nv * sizeof *C->right);
  for (int i = 0; i < C->problem.ngroup; i++) {
    const lb_contact_group* g = &C->group[C->used[i]];
    for (int k = 0; C->next[i] >= 0 && k < g->nv; k++) {
      const int v = g->v[k];
      C->right[v] = C->m->dof.driven[v] ? 0 : C->J[C->entry[C->next[i]].at + k];
    }
    any |= C->next[i] >= 0;
  }
  return any;
}

static void spread_entries(lb_contacts* C) {
  for (int i = 0; i < C->problem.ngroup; i++) {
    const lb_contact_group* g = &C->group[C->used[i]];
    if (C->next[i] >= 0) {
      double* Z = C->Z + C->entry[C->next[i]].at;
      memset(Z, 0, (size_t)g->width * sizeof *Z);
      for (int k = 0; k < g->nv; k++) {
        Z[k] = C->m->dof.driven[g->v[k]] ? 0 : C->right[g->v[k]];
      }
      C->next[i] = C->entry[C->next[i]].next;
    }
  }
}

static void solve_entries(lb_contacts* C, lb_contact_system W) {
  for (int i = 0; i < C->problem.ngroup; i++) {
    C->next[i] = C->group[C->used[i]].first;
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
  C->nentry = 0;
  C->problem = (lb_contact_problem){.velocity = C->velocity, .u0 = C->u0};
}

// Arrays may have grown.
static void lay_out(lb_contacts* C) {
  C->problem.row = C->row;
  C->problem.J = C->J;
  C->problem.Z = C->Z;
  C->problem.block = C->block;
}

void lb_contacts_gather(lb_contacts* C, const double* v) {
  memset(C->u0, 0, (size_t)C->velocity[C->problem.ngroup] * sizeof *C->u0);
  for (int i = 0; i < C->problem.ngroup; i++) {
    const lb_contact_group* g = &C->group[C->used[i]];
    for (int k = 0; k < g->nv; k++) {
      C->u0[C->velocity[i] + k] = v[g->v[k]];
    }
  }
}

void lb_contacts_take_away(lb_contacts* C) {
  for (int i = 0; i < C->problem.nrow; i++) {
    const lb_contact_row* r = &C->row[i];
    for (int k = 0; k < 2; k++) {
      if (r->group[k] >= 0) {
        lb_add(lb_contact_width(&C->problem, r->group[k]), C->u0 + C->velocity[r->group[k]],
               -C->lambda[i], C->Z + r->entry[k]);
      }
    }
  }
}

// Impulses of the step before, as far as the points are the same.
static void warm(lb_contacts* C, const lb_touch* t) {
  for (int i = t->row; i < t->row + t->nrow; i++) {
    const way by = DIRECTIONS[C->direction[i]];
    C->lambda[i] = lb_v4_dot(t->axis[by.axis], by.turns ? t->twist : t->impulse);
  }
}

bool lb_contacts_build(lb_contacts* C, lb_data* d, lb_contact_system W, double h) {
  begin(C);
  lb_surface_enter(C);
  if (!lb_contacts_reserve_rows(C)) {
    return false;
  }
  lay_out(C);
  for (int i = 0; i < C->ntouch; i++) {
    list_rows(C, &C->touch[i]);
  }
  lb_fill_columns(C->m, d->work);
  for (int i = 0; i < C->ntouch; i++) {
    fill_touch(C, d->work, &C->touch[i]);
    warm(C, &C->touch[i]);
  }
  if (!W.at_end) {
    lb_contacts_add_servos(C, d, h);
    lb_contacts_add_constraints(C, d, h);
  }
  C->block[C->problem.nblock] = C->problem.nrow;
  solve_entries(C, W);
  lb_contacts_gather(C, d->qd);
  return lb_contacts_reserve_solver(C, d->threads);
}
