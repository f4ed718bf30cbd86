// Impacts add no energy. Newton's law, by which a point leaves at e times the speed at which it
// came, may do so where friction acts beside it. With velocities w- of rows without impulses and w+
// with them, impulses do the work
//
//   D = sum lambda (w- + w+)/2 + sum_bounces lambda_n a (h/2 - T)                          (1)
//
// on what moves, relative to belts and motors; the second part is that of (6) of contact_solve.c,
// whose impacts happen at the time T and not in the middle of the step. Servos do work of their
// own: their rows do not count. Without bounces, D <= 0: every row has lambda w+ <= 0, and then
// D = lambda.w+ - lambda'A lambda/2. Let lambda0 be these impulses, and lambda1 Newton's. Between
// both
//
//   lambda = lambda0 + s (lambda1 - lambda0),   0 <= s <= 1                                (2)
//
// surfaces do not meet and friction is within its cones, since these are convex. D is a quadratic
// of s, so an island of which D(1) > 0 takes the s with D(s) = 0.
#include <math.h>
#include <string.h>

#include "dynamics/contact/contact_inside.h"
#include "math/linear/dense.h"

// Work that counts, over the sum of its parts' sizes.
static const double ROUNDING = 1e-14;

static int island_of(const int* islands, int block) {
  return islands ? islands[block] : 0;
}

static double bounce_of(const lb_contacts* C, int block) {
  return block < C->ntouch ? C->touch[block].bounce : 0;
}

// Servos do work, and stops that yield give back what they store.
static bool counts(const lb_contacts* C, int block) {
  const lb_contact_row* r = &C->row[C->block[block]];
  return block < C->ntouch || (r->kind == LB_CONTACT_UNILATERAL && r->c == 0);
}

// w of a row, as it would be without the bounce.
static double velocity_of(const lb_contacts* C, int row, double bounce, double lambda,
                          const double* u) {
  const lb_contact_row* r = &C->row[row];
  return lb_contact_row_velocity(&C->problem, row, u) + r->c * lambda + r->b + bounce;
}

// Work of Newton's impulses on each island with a bounce; which of them adds energy.
static bool find_growth(lb_contacts* C, const int* islands) {
  lb_impact_work* work = C->impacts.work;
  const int n = C->problem.nblock;
  bool any = false;
  for (int i = 0; i < n; i++) {
    work[i] = (lb_impact_work){.share = 1};
  }
  for (int i = 0; i < C->ntouch; i++) {
    work[island_of(islands, i)].bounces |= C->touch[i].bounce > 0;
  }
  for (int i = 0; i < n; i++) {
    lb_impact_work* to = &work[island_of(islands, i)];
    for (int r = C->block[i]; to->bounces && counts(C, i) && r < C->block[i + 1]; r++) {
      const bool normal = r == C->block[i];
      const double bounce = normal ? bounce_of(C, i) : 0, lambda = C->lambda[r];
      const double before = velocity_of(C, r, bounce, 0, C->u0);
      const double after = velocity_of(C, r, bounce, lambda, C->u);
      const double late = bounce > 0 ? C->touch[i].late : 0;
      to->sum += lambda * (0.5 * (before + after) + late);
      to->size += fabs(lambda) * (fabs(before) + fabs(after));
    }
  }
  for (int i = 0; i < n; i++) {
    work[i].grows = work[i].sum > ROUNDING * work[i].size;
    any |= work[i].grows;
  }
  return any;
}

// Islands that gain energy ask for no bounce, or for theirs again.
static void ask_bounces(lb_contacts* C, const int* islands, double h, bool on) {
  for (int i = 0; i < C->ntouch; i++) {
    lb_touch* t = &C->touch[i];
    if (t->bounce > 0 && C->impacts.work[island_of(islands, i)].grows) {
      const double change = t->bounce + lb_contacts_asked_at_rest(C, t, h);
      C->row[t->row].b += on ? -change : change;
    }
  }
}

// D(s) = c + b s + a s^2 of each island that gains energy: c <= 0, and D(1) > 0.
static void find_quadratics(lb_contacts* C, const int* islands, double h) {
  lb_impact_work* work = C->impacts.work;
  for (int i = 0; i < C->problem.nblock; i++) {
    lb_impact_work* to = &work[island_of(islands, i)];
    for (int r = C->block[i]; to->grows && counts(C, i) && r < C->block[i + 1]; r++) {
      const bool jumps = r == C->block[i] && bounce_of(C, i) > 0;
      const double rest = jumps ? lb_contacts_asked_at_rest(C, &C->touch[i], h) : 0;
      const double l0 = C->lambda[r], dl = C->impacts.lambda[r] - l0;
      const double before = velocity_of(C, r, -rest, 0, C->u0);
      const double w0 = velocity_of(C, r, -rest, l0, C->u);
      const double dw = velocity_of(C, r, -rest, l0 + dl, C->impacts.u) - w0;
      const double s = 0.5 * (before + w0) + (jumps ? C->touch[i].late : 0);
      to->c += l0 * s;
      to->b += dl * s + 0.5 * l0 * dw;
      to->a += 0.5 * dl * dw;
    }
  }
}

// The larger root of D, at most 1. Where impulses do work without a bounce, which takes a solver
// that stopped early, the bounce adds nothing to it.
static double share_of(const lb_impact_work* w) {
  const double c = fmin(0, w->c), root = sqrt(fmax(0, w->b * w->b - 4 * w->a * c));
  const double s = w->b > 0 ? -2 * c / (w->b + root) : w->a > 0 ? (root - w->b) / (2 * w->a) : 1;
  return fmin(1, fmax(0, s));
}

// (2) of impulses and velocities.
static void mix(lb_contacts* C, const int* islands) {
  for (int i = 0; i < C->problem.nblock; i++) {
    const lb_impact_work* w = &C->impacts.work[island_of(islands, i)];
    if (!w->grows) {
      continue;
    }
    for (int r = C->block[i]; r < C->block[i + 1]; r++) {
      C->lambda[r] += w->share * (C->impacts.lambda[r] - C->lambda[r]);
      for (int k = 0; k < 2; k++) {
        if (C->row[r].group[k] >= 0) {
          C->impacts.share[C->row[r].group[k]] = w->share;
        }
      }
    }
  }
  for (int g = 0; g < C->problem.ngroup; g++) {
    for (int k = C->velocity[g]; k < C->velocity[g + 1]; k++) {
      C->u[k] += C->impacts.share[g] * (C->impacts.u[k] - C->u[k]);
    }
  }
}

double lb_contacts_held_place(const lb_contacts* C, const lb_touch* t, double h) {
  const int block = (int)(t - C->touch);
  const double stays = -fmax(0, t->gap) / h;
  const double share =
      C->impacts.held ? C->impacts.work[island_of(lb_contacts_islands(C), block)].share : 1;
  return share < 1 ? stays + share * (t->place - stays) : t->place;
}

static bool bounces(const lb_contacts* C) {
  bool any = false;
  for (int i = 0; i < C->ntouch && !any; i++) {
    any = C->impacts.point[i];
  }
  return any;
}

void lb_contacts_keep_energy(lb_contacts* C, const lb_data* d, double h,
                             lb_contact_report (*solve)(lb_contacts*, const lb_data*)) {
  const int* islands = lb_contacts_islands(C);
  C->impacts.held = bounces(C) && find_growth(C, islands);
  if (!C->impacts.held) {
    return;
  }
  memcpy(C->impacts.lambda, C->lambda, (size_t)C->problem.nrow * sizeof *C->lambda);
  memcpy(C->impacts.u, C->u, (size_t)C->velocity[C->problem.ngroup] * sizeof *C->u);
  ask_bounces(C, islands, h, false);
  const lb_contact_report report = solve(C, d);
  C->report.status = report.status == LB_CONTACT_SOLVED ? C->report.status : report.status;
  C->report.iterations += report.iterations;
  find_quadratics(C, islands, h);
  for (int i = 0; i < C->problem.nblock; i++) {
    C->impacts.work[i].share = share_of(&C->impacts.work[i]);
  }
  for (int g = 0; g < C->problem.ngroup; g++) {
    C->impacts.share[g] = 0; // others are as they were
  }
  mix(C, islands);
  ask_bounces(C, islands, h, true);
}
