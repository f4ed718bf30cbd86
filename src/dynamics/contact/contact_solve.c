// Impulses of a step's contacts. With the gap g at the start of a step of h, and velocities at its
// end, conditions are on
//
//   rigid:       w = n.v + g/h                      where g >= 0, else w = n.v             (1)
//   compliant:   w = n.v + c lambda + a kp g,       c = a/h, a = 1/(h kp + kd)             (2)
//   impact:      w = n.v - s                        s the speed of (6), either law         (3)
//   tangents:    w = t.(v + belts)                                                         (4)
//
// Velocities v of the world at the end of a step are those of coordinates in the pose of the end,
// J(q1) u = J(q0) u + h b with what velocities bring of accelerations, b. Arms from links' origins
// to the point stay as they are in the world: what rolls has the same place of contact. What has
// stuck before has its lag beside these (contact_lag.c).
//
// (2) is lambda/h = -(kp (g + h n.v) + kd n.v): spring and damper at the end of the step, [auto]
// eq.
// 3. Places change by another velocity where there are impacts or overlaps, for which
//
//   impact:      w = n.v - (g1 - g)/h
//   overlap:     w = n.v + B (g + S)/h, not less than n.v - PUSH, where g <= 0              (5)
//
// is solved again: overlaps are pushed apart without speed, to the small depth S. Gaps of what
// rests are never positive then, which would let it fall again: a gap of 40 um is a step's weight
// at 2 ms. Islands are left alone while no overlap is twice that. Impacts with restitution e happen
// within the step, at the time T of it. Velocities of steps v1 = v0 + h a, q1 = q0 + h v1 are those
// in the middle between places, so with the speeds s0 before the step and s0 + h a without contact
//
//   g = (s0 + a h/2) T + a T^2/2,   s = e (s0 + a h/2 + a T) - a (h/2 - T)                 (6)
//   g1 = e (s0 + a h/2 + a T) (h - T) - a (h - T)^2/2
//
// which is of second order, and keeps the heights of what bounces.
#include <math.h>
#include <string.h>

#include "dynamics/contact/contact_inside.h"
#include "math/contact/contact_fast.h"
#include "math/contact/contact_gauss_seidel.h"
#include "math/contact/contact_printed.h"
#include "math/contact/contact_reference.h"
#include "math/linear/dense.h"

static const double DEPTH = 2.5e-5; // S, over the smaller size
static const double WEDGED = 4;     // depths S, of overlaps that need more sweeps
static const double OVERLAP = 1e-7; // that is left alone where there are few rows [m]
static const double SHARE = 0.2;    // of an overlap that goes in a step: B
static const double PUSH = 1;       // the most by which it goes [m/s]
static const double EXACT = 1e-14;  // tolerance of steps that are differentiated, and of servos
                                    // and stops that yield alone in Newton's method
static const double CALM = 4;       // times what gravity adds in a step: nearly at rest
enum { FEW_ROWS = 36 };             // of a small problem

// (6); what would touch again within this many steps stays.
static const double RESTS = 2;

// Way of a step that what strikes contacts that yield may be below them already, by rounding or by
// turning. What pressed into them a step before is below by all of it, at least.
static const double BELOW = 0.1;

// What has pressed into contacts that yield goes on as their springs and dampers say.
static bool strikes(const lb_contacts* C, const lb_touch* t, double h) {
  return C->m->contact.set.law == LB_CONTACT_RIGID || t->gap + BELOW * h * t->closing > 0;
}

static void find_bounce(const lb_contacts* C, lb_touch* t, double h) {
  const double e = t->surface.restitution;
  const lb_touch* as = lb_contacts_as(C, t);
  const bool known = as != t;
  t->bounce = t->late = t->place = 0;
  if (e == 0 || (known && as->bounce == 0)) {
    return;
  }
  const double free = -lb_contact_row_velocity(&C->problem, t->row, C->u0) - C->row[t->row].b;
  const double a = (free - t->closing) / h;
  const double s0 = t->closing + 0.5 * a * h, g = fmax(0, as->gap);
  // of a model a little different to first order: its gap may differ by more than a step's way
  const double more = as->gap > 0 ? t->gap - as->gap : 0;
  double T = 0, slope = 0;
  if (!known && (!(s0 > 0) || g > h * s0 + 0.5 * a * h * h || !strikes(C, t, h))) {
    return;
  }
  for (int i = 0; i < 3; i++) {
    const double speed = s0 + 0.5 * a * T;
    T = fmin(h, g / speed);
    slope = T < h ? (1 - 0.5 * a * T * slope) / speed : 0;
  }
  const double out = e * (s0 + a * T), left = h - T, later = slope * more;
  if (known || out > 0.5 * RESTS * h * fabs(a)) {
    t->late = a * (0.5 * h - T - later);
    t->bounce = out + e * a * later - t->late;
    t->place = (out * left - 0.5 * a * left * left - g) / h +
               ((a * left * (1 + e) - out) * later - more) / h;
  }
}

bool lb_contacts_bounce(const lb_model* m) {
  const lb_model_contacts* c = &m->contact;
  bool any = false;
  for (int i = 0; i < c->ncollider && !any; i++) {
    any = c->collider[i].surface.restitution > 0;
  }
  for (int i = 0; i < c->nfamily * c->nfamily && !any; i++) {
    any = c->meeting[i].surface.restitution > 0;
  }
  return any;
}

// Acceleration by which turning brings a point on: w^2 r at most.
static double turning(const lb_contacts* C, const lb_touch* t) {
  double a = 0;
  for (int i = 0; i < 2; i++) {
    const lb_v4 w = C->collider[t->collider[i]].w, r = t->arm[i];
    a += lb_v4_dot(w, w) * sqrt(lb_v4_dot(r, r));
  }
  return a;
}

bool lb_contacts_may_bounce(const lb_contacts* C, double h) {
  const double a = lb_vec3_norm(C->m->gravity);
  bool any = false;
  for (int i = 0; i < C->ntouch && !any; i++) {
    const lb_touch* t = &C->touch[i];
    const double closing = t->closing + h * (a + turning(C, t));
    any = t->surface.restitution * closing > 0.5 * RESTS * h * a && t->gap <= h * closing &&
          strikes(C, t, h);
  }
  return any;
}

// --- conditions ---

static double compliance_of(const lb_scene_contacts* set, double h) {
  return 1 / (h * set->stiffness + set->damping);
}

// Springs and dampers, but for what strikes and bounces: that leaves with its restitution.
static bool yields(const lb_contacts* C, const lb_touch* t) {
  return C->m->contact.set.law == LB_CONTACT_COMPLIANT && t->bounce == 0;
}

double lb_contacts_asked_at_rest(const lb_contacts* C, const lb_touch* t, double h) {
  const lb_scene_contacts* set = &C->m->contact.set;
  return lb_contacts_as(C, t)->gap > 0 ? t->gap / h
         : yields(C, t)                ? compliance_of(set, h) * set->stiffness * t->gap
                                       : 0;
}

static void ask_normal(const lb_contacts* C, lb_contact_row* r, const lb_touch* t, double h) {
  const lb_scene_contacts* set = &C->m->contact.set;
  r->c = yields(C, t) ? compliance_of(set, h) / h : 0;
  r->b += lb_contacts_as(C, t)->bounce > 0 ? -t->bounce : lb_contacts_asked_at_rest(C, t, h);
}

static lb_v4 belt_of(const lb_contacts* C, const lb_data* d, int collider) {
  if (!C->belts) {
    return lb_v4_zero();
  }
  const lb_model_collider* c = &C->m->contact.collider[collider];
  return lb_m3_apply(d->work->state[c->link].R, lb_v4_from(c->belt));
}

// Accelerations of links that velocities bring, in the world: those of (3) and (4) of state.h.
// Where poses are those of the end already there is nothing to add.
static void find_bias(lb_contacts* C, const lb_data* d, bool at_end) {
  C->bias[-1] = lb_motion_zero();
  C->biased = false;
  for (int i = 0; i < C->m->nlink; i++) {
    const lb_state* s = &d->work->state[i];
    const lb_motion p = C->bias[C->m->link.parent[i]];
    const bool none = at_end || lb_link_turns_free(C->m, i); // its axes turn when the step is over
    C->biased |= !none;
    C->bias[i] =
        none ? lb_motion_zero() : (lb_motion){p.w + s->c_al, p.v + lb_v4_cross(p.w, s->r) + s->c_a};
  }
}

static lb_motion bias_of(const lb_contacts* C, const lb_touch* t, int side) {
  if (!C->biased) {
    return lb_motion_zero();
  }
  const lb_motion a = C->bias[C->collider[t->collider[side]].link];
  return (lb_motion){a.w, a.v + lb_v4_cross(a.w, t->arm[side])};
}

static double depth_of(const lb_contacts* C, const lb_touch* t) {
  const lb_collider_state* c = C->collider;
  const double depth = DEPTH * fmin(c[t->collider[0]].size, c[t->collider[1]].size);
  // few rows are solved to the end
  const int rows = C->sets.kept ? C->sets.of->problem.nrow : C->problem.nrow;
  return rows <= FEW_ROWS ? fmin(0.5 * OVERLAP, depth) : depth;
}

static unsigned char marks_of(const lb_contacts* C, const lb_touch* t) {
  const bool overlaps = t->gap < 0 && t->gap < -WEDGED * depth_of(C, t);
  return (unsigned char)((t->exact ? LB_CONTACT_STARTS_EXACTLY : 0) |
                         (overlaps ? LB_CONTACT_OVERLAPS : 0));
}

void lb_contacts_ask(const lb_touch_work* by, lb_touch* t) {
  const lb_contacts* C = by->C;
  const lb_data* d = by->d;
  const double h = by->h;
  const lb_scene_contacts* set = &C->m->contact.set;
  const lb_v4 belt = belt_of(C, d, t->collider[0]) - belt_of(C, d, t->collider[1]);
  const double creep = set->friction == LB_FRICTION_VISCOUS ? 1 / (h * set->friction_damping) : 0;
  const lb_motion a = bias_of(C, t, 0), b = bias_of(C, t, 1);
  const lb_v4 moved = (a.v - b.v) * h + t->lag / h, turned = (a.w - b.w) * h;
  C->row[t->row].b = lb_v4_dot(t->axis[0], moved);
  find_bounce(C, t, h);
  ask_normal(C, &C->row[t->row], t, h);
  C->marks[t - C->touch] = marks_of(C, t);
  C->impacts.point[t - C->touch] = t->bounce > 0;
  C->places.sunk[t - C->touch] =
      t->bounce > 0 || (set->law == LB_CONTACT_RIGID && t->gap < 0 && t->gap < -2 * depth_of(C, t));
  for (int i = t->row + 1; i < t->row + t->nrow; i++) {
    const int k = C->direction[i];
    C->row[i].c = k < 3 ? creep : 0;
    C->row[i].b =
        k < 3 ? lb_v4_dot(t->axis[k], belt + moved) : lb_v4_dot(t->axis[k < 5 ? k - 2 : 0], turned);
  }
}

// Islands of (5); false: there are none.
static bool find_deep(lb_contacts* C, const int* island) {
  bool any = false;
  if (C->sets.kept) {
    return C->sets.of->places.twice;
  }
  for (int i = 0; i < C->ntouch; i++) {
    C->places.deep[i] = false;
  }
  for (int i = 0; i < C->ntouch; i++) {
    if (C->places.sunk[i]) {
      C->places.deep[island ? island[i] : 0] = any = true;
    }
  }
  return any;
}

// (5), where `islands` is NULL for all of them in one.
static void ask_place(const lb_touch_work* by, lb_touch* t) {
  const lb_contacts* C = by->C;
  const int i = (int)(t - C->touch);
  const lb_touch* as = lb_contacts_as(C, t);
  double* b = &C->row[t->row].b;
  t->pushed = as != t ? as->pushed
                      : t->bounce == 0 && C->m->contact.set.law == LB_CONTACT_RIGID &&
                            t->gap <= 0 && C->places.deep[by->islands ? by->islands[i] : 0];
  if (as->bounce > 0) {
    *b += t->bounce - lb_contacts_held_place(C, t, by->h);
  } else if (t->pushed) {
    const double w = SHARE * (t->gap + depth_of(C, t)) / by->h;
    *b += w > -PUSH ? w : -PUSH;
  }
}

// False: nothing differs.
static bool ask_places(lb_contacts* C, const lb_data* d, const int* islands, double h) {
  if (!find_deep(C, islands)) {
    return false;
  }
  lb_contacts_each(&(lb_touch_work){.C = C, .d = d, .h = h, .islands = islands, .work = ask_place});
  return true;
}

// --- solving ---

// Servos and stops that yield may be stiff, so that in Newton's method of a step little velocity is
// much force: problems with them are solved to rounding where the solver's own method of Newton
// does that.
static bool finishes(const lb_contacts* C) {
  enum { SOME_ROWS = 96 };
  return C->system.at_end && C->problem.nrow > C->block[C->ntouch] && C->problem.nrow <= SOME_ROWS;
}

// What of a problem has changed since it was solved last: all, or b; and whether less will do.
typedef enum how { AFRESH, AGAIN, BRIEFLY } how;

// Newton's method, which asks again and again, does not converge on half solutions.
static lb_contact_report solve_fast(lb_contacts* C, const lb_data* d, how by) {
  const bool at_end = C->system.at_end, soft = C->m->contact.ncollider > C->m->contact.nshape;
  const bool again = by != AFRESH && !at_end; // there the velocities have changed since, too
  const bool brief = by == BRIEFLY && !at_end;
  lb_contact_options options = brief            ? lb_contact_options_brief()
                               : at_end || soft ? lb_contact_options_default()
                                                : lb_contact_options_step();
  if (C->isolated) {
    options = lb_contact_options_default();
    options.tolerance = EXACT;
    options.threads = d->threads;
    options.arranged = true;
    return lb_contact_solve(C->solver, &C->problem, &options, C->lambda, C->u);
  }
  options.calm = CALM * C->duration * lb_vec3_norm(C->m->gravity);
  options.tolerance = finishes(C) ? EXACT : C->m->contact.set.tolerance;
  options.threads = d->threads;
  options.vouched = options.arranged = true;
  options.marks = C->marks;
  return again ? lb_contact_solve_again(C->solver, &options, C->lambda, C->u)
               : lb_contact_solve(C->solver, &C->problem, &options, C->lambda, C->u);
}

// Nothing acts where a method found nothing, and the residual says what that is worth.
static lb_contact_report solve_nothing(lb_contacts* C) {
  lb_contact_report report = {.status = LB_CONTACT_NOT_SOLVED};
  memset(C->lambda, 0, (size_t)C->problem.nrow * sizeof *C->lambda);
  memcpy(C->u, C->u0, (size_t)C->velocity[C->problem.ngroup] * sizeof *C->u);
  report.measure = lb_contact_residual(&C->problem, C->lambda, C->u);
  return report;
}

static lb_contact_report solve_reference(lb_contacts* C, const lb_data* d, how by) {
  lb_contact_report report;
  (void)d, (void)by;
  if (lb_contact_reference(&C->problem, &C->scratch, C->lambda, C->u, &report) != LB_OK) {
    report = solve_nothing(C);
  }
  lb_arena_release(&C->scratch);
  return report;
}

// What comes out is no solution, and its residual says how far from one.
static lb_contact_report solve_printed(lb_contacts* C, const lb_data* d, how by) {
  lb_contact_report report = {.status = LB_CONTACT_NOT_SOLVED};
  (void)d;
  (void)by;
  if (lb_contact_printed(&C->problem, &C->scratch, C->lambda, C->u) == LB_OK) {
    report.measure = lb_contact_residual(&C->problem, C->lambda, C->u);
  } else {
    report = solve_nothing(C);
  }
  lb_arena_release(&C->scratch);
  return report;
}

static lb_contact_report solve_gauss_seidel(lb_contacts* C, const lb_data* d, how by) {
  enum { SWEEPS = 100 };
  lb_contact_report report = {.status = LB_CONTACT_NOT_SOLVED, .iterations = SWEEPS};
  (void)d, (void)by;
  if (lb_contact_gauss_seidel(&C->problem, SWEEPS, C->lambda, C->u)) {
    report.measure = lb_contact_residual(&C->problem, C->lambda, C->u);
    const bool holds = lb_contact_holds(report.measure, C->m->contact.set.tolerance);
    report.status = holds ? LB_CONTACT_SOLVED : LB_CONTACT_NOT_SOLVED;
  }
  return report;
}

static lb_contact_report solve(lb_contacts* C, const lb_data* d, how by) {
  static lb_contact_report (*const METHODS[])(lb_contacts*, const lb_data*, how) = {
      [LB_CONTACT_FAST] = solve_fast,
      [LB_CONTACT_REFERENCE] = solve_reference,
      [LB_CONTACT_AS_PRINTED] = solve_printed,
      [LB_CONTACT_GAUSS_SEIDEL] = solve_gauss_seidel};
  return METHODS[C->m->contact.set.solver](C, d, by);
}

static lb_contact_report solve_again(lb_contacts* C, const lb_data* d) {
  return solve(C, d, AGAIN);
}

const int* lb_contacts_islands(const lb_contacts* C) {
  const bool fast = C->m->contact.set.solver == LB_CONTACT_FAST;
  return fast ? lb_contact_solver_islands(C->solver) : NULL;
}

// Stops that are far away do not count for what is near enough.
static lb_contact_report solve_first(lb_contacts* C, const lb_data* d) {
  if (C->beside.most == 0 || C->isolated) {
    return solve(C, d, AFRESH);
  }
  lb_contacts_cut_far(C);
  const lb_contact_report report = solve(C, d, AFRESH);
  return lb_contacts_cut_too_much(C) ? solve(C, d, AFRESH) : report;
}

// Impulses, and velocities in u, under which no impact adds energy.
static void solve_all(lb_contacts* C, const lb_data* d, double h) {
  if (C->sets.kept && lb_contacts_solve_kept(C, false)) {
    C->impacts.held = false;
    return;
  }
  C->sets.kept = false;
  C->report = solve_first(C, d);
  lb_contacts_keep_energy(C, d, h, solve_again);
}

// Particles that no point acts on follow: v += W^-1 J'(lambda - from), NULL for none before.
static void spread_particles(lb_contacts* C, double* v, const double* from) {
  const lb_model* m = C->m;
  memset(C->right, 0, (size_t)m->nv * sizeof *C->right);
  for (int i = 0; i < 2 * C->problem.nrow; i++) {
    const lb_contact_row* r = &C->row[i / 2];
    const int number = r->group[i % 2];
    const lb_contact_group* g = number >= 0 ? &C->group[C->used[number]] : NULL;
    const double by = C->lambda[i / 2] - (from ? from[i / 2] : 0);
    for (int k = 0; g && g->most > g->nlinked && k < g->nv; k++) {
      C->right[g->v[k]] += m->dof.driven[g->v[k]] ? 0 : by * C->J[r->entry[i % 2] + k];
    }
  }
  C->system.solve(C->system.context, C->right);
  lb_add(m->nv - m->ndense, v + m->ndense, 1, C->right + m->ndense);
}

static void spread_group(const lb_group_work* by, int i) {
  const lb_contacts* C = by->C;
  lb_group_spread(&C->group[C->used[i]], C->u + C->velocity[i], by->v);
}

// Velocities under the impulses, of those in v under the impulses `from`.
static void spread(lb_contacts* C, const lb_data* d, double* v, const double* from) {
  if (C->m->particles.nfree > 0) {
    spread_particles(C, v, from);
  }
  lb_contacts_each_group(&(lb_group_work){C, v, spread_group}, d->threads);
}

static void keep(const lb_touch_work* by, lb_touch* t) {
  const lb_contacts* C = by->C;
  t->impulse = t->twist = t->slip = lb_v4_zero();
  t->exact = C->m->contact.set.solver == LB_CONTACT_FAST && !C->sets.kept &&
             lb_contact_solver_exact(C->solver, (int)(t - C->touch));
  for (int i = t->row; i < t->row + t->nrow; i++) {
    const int k = C->direction[i];
    *(k < 3 ? &t->impulse : &t->twist) += t->axis[k < 3 ? k : k < 5 ? k - 2 : 0] * C->lambda[i];
  }
  for (int i = t->row; lb_touch_bears(t) && i < t->row + t->nrow; i++) {
    const int k = C->direction[i];
    if (k == 1 || k == 2) {
      t->slip += t->axis[k] * (lb_contact_row_velocity(&C->problem, i, C->u) + C->row[i].b);
    }
  }
  t->sticks = lb_touch_sticks(C, t);
}

bool lb_contacts_prepare(lb_contacts* C, lb_data* d, double h, lb_contact_system W) {
  C->report = (lb_contact_report){0};
  C->duration = h;
  C->system = W;
  if (!C->near.again || W.at_end) { // else links have other velocities meanwhile
    find_bias(C, d, W.at_end);
  }
  lb_contacts_match(C);
  if (!lb_contacts_build(C, d, W, h)) {
    return false;
  }
  if (W.at_end) { // else they have asked
    lb_contacts_take_away(C);
    lb_contacts_each(&(lb_touch_work){.C = C, .d = d, .h = h, .work = lb_contacts_ask});
  }
  return true;
}

static void keep_all(lb_contacts* C, const lb_data* d) {
  lb_contacts_each(&(lb_touch_work){.C = C, .d = d, .work = keep});
}

// sqrt(dlambda' A dlambda), from the change of velocities in u0.
static double size_of_change(lb_contacts* C) {
  double sum = 0;
  for (int i = 0; i < C->problem.nrow; i++) {
    sum += (C->lambda[i] - C->before[i]) * lb_contact_row_velocity(&C->problem, i, C->u0);
  }
  return sqrt(fabs(sum));
}

double lb_contacts_correct(lb_contacts* C, lb_data* d) {
  const size_t rows = (size_t)C->problem.nrow;
  lb_contacts_gather(C, d);
  lb_contacts_take_away(C);
  memcpy(C->before, C->lambda, rows * sizeof *C->lambda);
  lb_contacts_ask_bounded(C, C->duration);
  solve_all(C, d, C->duration);
  lb_contacts_gather(C, d);
  for (int i = 0; i < C->velocity[C->problem.ngroup]; i++) {
    C->u0[i] = C->u[i] - C->u0[i];
  }
  spread(C, d, d->qd, C->before);
  keep_all(C, d);
  lb_contacts_keep_bounded(C, d);
  return size_of_change(C);
}

void lb_contacts_place(lb_contacts* C, lb_data* d, double h, double* move) {
  memcpy(move, d->qd, (size_t)C->m->nv * sizeof *move);
  memcpy(C->before, C->lambda, (size_t)C->problem.nrow * sizeof *C->lambda);
  C->places.chosen = ask_places(C, d, lb_contacts_islands(C), h);
  C->places.twice = C->places.chosen;
  if (C->places.twice) {
    if (C->system.at_end) { // else u0 still has them
      lb_contacts_gather(C, d);
      lb_contacts_take_away(C);
    }
    if (!C->sets.kept || !lb_contacts_solve_kept(C, true)) {
      solve(C, d, BRIEFLY);
    }
    spread(C, d, move, C->before);
  }
  lb_contacts_expect(C, d, move, h);
}

bool lb_contacts_solve(lb_contacts* C, lb_data* d, double h, lb_contact_system W, double* move) {
  if (C->ntouch + C->beside.most == 0) {
    C->duration = h;
    C->problem.nrow = 0;
    C->places.twice = C->impacts.held = false;
    memcpy(move, d->qd, (size_t)C->m->nv * sizeof *move);
    return true;
  }
  if (!lb_contacts_prepare(C, d, h, W)) {
    return false;
  }
  for (int i = 0; C->isolated && i < C->problem.nrow; i++) {
    C->places.asked[i] = C->row[i].b;
  }
  solve_all(C, d, h);
  spread(C, d, d->qd, NULL);
  keep_all(C, d);
  lb_contacts_keep_bounded(C, d);
  lb_contacts_place(C, d, h, move);
  return true;
}

// --- derivatives ---

// A number with its derivatives by a point's gap, closing speed and that without contact.
typedef struct dual {
  double x, d[3];
} dual;

static dual dual_of(double x, int k) {
  return (dual){x, {k == 0, k == 1, k == 2}};
}

// s x + t y
static dual mix(double s, dual x, double t, dual y) {
  dual z = {s * x.x + t * y.x, {0}};
  for (int k = 0; k < 3; k++) {
    z.d[k] = s * x.d[k] + t * y.d[k];
  }
  return z;
}

static dual product(dual x, dual y) {
  dual z = {x.x * y.x, {0}};
  for (int k = 0; k < 3; k++) {
    z.d[k] = x.d[k] * y.x + x.x * y.d[k];
  }
  return z;
}

static dual quotient(dual x, dual y) {
  dual z = {x.x / y.x, {0}};
  for (int k = 0; k < 3; k++) {
    z.d[k] = (x.d[k] - z.x * y.d[k]) / y.x;
  }
  return z;
}

// (6) as find_bounce has it: -s, or -(g1 - g)/h.
static lb_asked_slopes bounce_slopes(const lb_touch* t, double free, double h, bool places) {
  const dual closing = dual_of(t->closing, 1), end = dual_of(free, 2), zero = {0};
  const dual a = mix(1 / h, end, -1 / h, closing), s0 = mix(1, closing, 0.5 * h, a);
  const dual g = t->gap > 0 ? dual_of(t->gap, 0) : zero, step = {h, {0}};
  dual T = zero;
  for (int i = 0; i < 3; i++) {
    T = quotient(g, mix(1, s0, 0.5, product(a, T)));
    T = T.x > h ? step : T;
  }
  const dual left = mix(1, step, -1, T);
  const dual out = mix(t->surface.restitution, s0, t->surface.restitution, product(a, T));
  const dual ends = mix(1, product(out, left), -0.5, product(a, product(left, left)));
  const dual s =
      places ? mix(1 / h, ends, -1 / h, g) : mix(1, out, -1, product(a, mix(0.5, step, -1, T)));
  return (lb_asked_slopes){-s.d[0], -s.d[1], -s.d[2]};
}

lb_asked_slopes lb_contacts_asked_slopes(const lb_contacts* C, const lb_touch* t, double h,
                                         double free, bool places) {
  const lb_scene_contacts* set = &C->m->contact.set;
  const double a = compliance_of(set, h);
  if (t->bounce > 0) {
    return bounce_slopes(t, free, h, places);
  }
  lb_asked_slopes s = {0};
  s.gap = t->gap > 0 ? 1 / h : set->law == LB_CONTACT_COMPLIANT ? a * set->stiffness : 0;
  if (places && t->pushed && SHARE * (t->gap + depth_of(C, t)) / h > -PUSH) {
    s.gap += SHARE / h;
  }
  return s;
}

const double* lb_contacts_choose(lb_contacts* C, bool places) {
  const double* lambda = places ? C->lambda : C->before;
  for (int i = 0; i < C->problem.nrow && C->places.twice; i++) { // `asked` has the other one's
    const double b = C->row[i].b;
    C->row[i].b = places == C->places.chosen ? b : C->places.asked[i];
    C->places.asked[i] = places == C->places.chosen ? C->places.asked[i] : b;
  }
  C->places.chosen = C->places.twice ? places : false;
  return lambda;
}
