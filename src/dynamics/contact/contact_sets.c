// Steps of a model that is a little different, with the active sets of another one's step: who
// sticks, slips and is open there, bounces, or overlaps. Solutions are then smooth in what differs,
// however little a contact bears and however small its gap is. With the impulses lambda of the
// other step, its w and the w' of this one under the same impulses,
//
//   lambda' = lambda + dlambda,   dlambda of a change w' - w of what rows ask for   (1)
//
// which is exact to first order (contact_derivative.h).
#include <math.h>
#include <string.h>

#include "dynamics/contact/contact_inside.h"
#include "math/contact/contact_derivative.h"

void lb_contacts_keep_sets(lb_contacts* C, lb_contacts* of) {
  C->sets.of = of;
  C->sets.kept = false;
}

// --- points ---

static bool has_same_rows(const lb_contact_surface* a, const lb_contact_surface* b) {
  return (a->friction > 0) == (b->friction > 0) && (a->rolling > 0) == (b->rolling > 0) &&
         (a->spinning > 0) == (b->spinning > 0);
}

static bool is_same(const lb_touch* a, const lb_touch* b) {
  return a->collider[0] == b->collider[0] && a->collider[1] == b->collider[1] && a->id == b->id &&
         has_same_rows(&a->surface, &b->surface);
}

// The same point of the other step, where both have about the same order; -1: there is none.
static int find_same(const lb_contacts* of, const lb_touch* t, int from) {
  for (int k = 0; k < of->ntouch; k++) {
    const int i = (from + k) % of->ntouch;
    if (is_same(&of->touch[i], t)) {
      return i;
    }
  }
  return -1;
}

static int count_loads(const lb_contacts* C) {
  int n = 0;
  for (int i = 0; i < C->ntouch; i++) {
    n += lb_v4_dot(C->touch[i].impulse, C->touch[i].impulse) > 0;
  }
  return n;
}

void lb_contacts_match(lb_contacts* C) {
  const lb_contacts* of = C->sets.of;
  int loads = 0;
  C->sets.kept = false;
  for (int i = 0, from = 0; of && i < C->ntouch; i++) {
    const int k = C->sets.same[i] = find_same(of, &C->touch[i], from);
    from = k >= 0 ? k + 1 : from;
    loads += k >= 0 && lb_v4_dot(of->touch[k].impulse, of->touch[k].impulse) > 0;
  }
  // what bears there has to be here, too; where nothing was near there is no problem to keep to
  C->sets.kept = of && of->problem.nrow > 0 && loads == count_loads(of);
}

const lb_touch* lb_contacts_as(const lb_contacts* C, const lb_touch* t) {
  const int k = C->sets.kept ? C->sets.same[t - C->touch] : -1;
  return k >= 0 ? &C->sets.of->touch[k] : t;
}

// --- solving ---

// Rows of the other problem, -1 for those that it has not; false: others are beside the points.
static bool map_rows(const lb_contacts* C, int* map) {
  const lb_contacts* of = C->sets.of;
  const int first = C->block[C->ntouch], others = of->block[of->ntouch];
  for (int i = 0; i < C->ntouch; i++) {
    const lb_touch* t = &C->touch[i];
    for (int k = 0; k < t->nrow; k++) {
      map[t->row + k] = C->sets.same[i] < 0 ? -1 : of->touch[C->sets.same[i]].row + k;
    }
  }
  for (int i = first; i < C->problem.nrow; i++) {
    map[i] = others + i - first;
  }
  return C->problem.nrow - first == of->problem.nrow - others;
}

static double asked(const lb_contact_problem* p, int row, double lambda, const double* u) {
  return lb_contact_row_velocity(p, row, u) + p->row[row].c * lambda + p->row[row].b;
}

// Impulses of the other step, here; and how what rows ask for, and their friction, differ there.
static void compare(lb_contacts* C, const int* map, const double* lambda, const double* u,
                    lb_contact_change* change) {
  const lb_contact_problem* of = &C->sets.of->problem;
  for (int i = 0; i < C->problem.nrow; i++) {
    C->lambda[i] = map[i] >= 0 ? lambda[map[i]] : 0;
  }
  lb_contact_velocities(&C->problem, C->lambda, C->u);
  for (int i = 0; i < C->problem.nrow; i++) {
    const int k = map[i];
    if (k >= 0) {
      change->w0[k] = asked(&C->problem, i, lambda[k], C->u) - asked(of, k, lambda[k], u);
      change->mu[k] = C->row[i].mu - of->row[k].mu;
    }
  }
}

bool lb_contacts_solve_kept(lb_contacts* C, bool places) {
  lb_contacts* of = C->sets.of;
  const size_t rows = (size_t)of->problem.nrow, nu = (size_t)of->velocity[of->problem.ngroup];
  const double* lambda = lb_contacts_choose(of, places);
  int* map = LB_TAKE(&C->scratch, int, C->problem.nrow);
  double* d = LB_TAKE(&C->scratch, double, 3 * rows);
  double* u = lb_arena_take_array(&C->scratch, nu, sizeof *u, LB_ALIGN);
  bool ok = lb_arena_status(&C->scratch) == LB_OK && map_rows(C, map);
  if (ok) {
    lb_contact_change change = {.w0 = d, .mu = d + rows};
    memset(d, 0, 3 * rows * sizeof *d);
    lb_contact_velocities(&of->problem, lambda, u);
    compare(C, map, lambda, u, &change);
    ok = lb_contact_tangent(&of->problem, &C->scratch, lambda, &change, d + 2 * rows, u) == LB_OK;
  }
  for (int i = 0; ok && i < C->problem.nrow; i++) {
    C->lambda[i] += map[i] >= 0 ? d[2 * rows + (size_t)map[i]] : 0;
  }
  if (ok) {
    lb_contact_velocities(&C->problem, C->lambda, C->u);
    C->report = (lb_contact_report){.status = LB_CONTACT_SOLVED};
  }
  lb_arena_release(&C->scratch);
  return ok;
}
