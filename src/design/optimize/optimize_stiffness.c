// Goals on the stiffness of mechanisms at their effectors. They are about an equilibrium and not
// about a run:
//
//   k = 1 / u'C u,   P = weight ln(k / k*)^2
//
// with the compliance C of an effector and the direction u of a force or moment on it; principal
// stiffnesses are those of the eigenvectors of a block of C. For small deviations the logarithm is
// the part by which k is off, and twice as stiff counts as much as half as stiff. A motion aside,
// a'C u / u'C u, should be zero. The derivative of C by each number is that of fork_statics.h.
#include <math.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "fork/fork_parts.h"
#include "fork/fork_statics.h"
#include "math/linear/dense.h"

static const double NUDGE = 2e-4;  // part of a number by which it is changed
static const double RIGID = 1e-12; // part of the largest compliance below which there is none

static const lb_scene_stiffness* what_of(const lb_optimizing* o, int goal) {
  return o->goal[goal].type->still ? &o->goal[goal].g->stiffness : NULL;
}

static bool same_equilibrium(const lb_scene_stiffness* a, const lb_scene_stiffness* b) {
  return a && b && a->fork == b->fork && a->model == b->model;
}

// Is it the first goal that is about its equilibrium?
static bool is_first(const lb_optimizing* o, int goal) {
  bool first = what_of(o, goal) != NULL;
  for (int i = 0; i < goal; i++) {
    first &= !same_equilibrium(what_of(o, i), what_of(o, goal));
  }
  return first;
}

static const lb_scene_fork* fork_in(const lb_optimizing* o, const lb_played* m, int fork) {
  return &(m->remade.shown ? &m->remade.scene : &o->slid)->fork[fork];
}

static lb_status find_statics(lb_optimizing* o, const lb_played* m, int goal, lb_fork_statics** s,
                              lb_error* err) {
  const lb_scene_stiffness* what = what_of(o, goal);
  return lb_fork_statics_create(m->model, fork_in(o, m, what->fork), what->model, o->allocator, s,
                                err);
}

// --- what a goal says ---

// Directions that a goal is about: compliance is w'C u.
typedef struct directions {
  int count;
  double u[3][6], w[3][6];
  double c[3]; // of w = u
} directions;

static void put(double six[6], bool turns, lb_vec3 v) {
  const int at = turns ? 0 : 3;
  memset(six, 0, 6 * sizeof *six);
  six[at] = v.x;
  six[at + 1] = v.y;
  six[at + 2] = v.z;
}

static double form(const double w[6], const double C[36], const double u[6]) {
  double sum = 0;
  for (int i = 0; i < 6; i++) {
    sum += w[i] * lb_dot(6, C + 6 * (size_t)i, u);
  }
  return sum;
}

static directions look_along(const lb_scene_goal* g, const lb_fork* f, const double C[36]) {
  const lb_scene_stiffness* of = &g->stiffness;
  const lb_fork_axes axes = lb_fork_principal(f, g->index, of->turns);
  directions d = {.count = g->count};
  for (int i = 0; i < g->count; i++) {
    put(d.u[i], of->turns, g->count == 3 ? axes.axis[i] : of->along);
    put(d.w[i], of->turns, of->aside ? of->across : of->along);
    d.c[i] = form(d.u[i], C, d.u[i]);
  }
  return d;
}

static lb_status check_moves(const lb_scene_goal* g, const lb_fork* f, const directions* d,
                             lb_error* err) {
  const double most = lb_fork_principal(f, g->index, g->stiffness.turns).compliance[0];
  for (int i = 0; i < d->count; i++) {
    if (g->counts[i] && !(d->c[i] > RIGID * most)) {
      return lb_error_add(err, LB_FAILED, g->place,
                          "goal '%s': effector '%s' does not give way there: it is rigid along "
                          "its %s %d (ask for another direction)",
                          g->name, f->what->effector[g->index].name,
                          d->count == 1 ? "direction" : "principal direction", i + 1);
    }
  }
  return LB_OK;
}

// How far off each of its numbers is, and with dC how that changes.
static double find_miss(const lb_scene_goal* g, const directions* d, int i, const double C[36]) {
  return !g->counts[i]        ? 0
         : g->stiffness.aside ? form(d->w[i], C, d->u[i]) / d->c[i]
                              : -log(d->c[i] * g->value[i]);
}

static double change_miss(const lb_scene_goal* g, const directions* d, int i, const double C[36],
                          const double dC[36]) {
  const double dc = form(d->u[i], dC, d->u[i]) / d->c[i];
  return !g->counts[i]        ? 0
         : g->stiffness.aside ? form(d->w[i], dC, d->u[i]) / d->c[i] - find_miss(g, d, i, C) * dc
                              : -dc;
}

// --- what they are worth ---

static lb_status look(const lb_scene_goal* g, const lb_fork* f, double* goal, lb_error* err) {
  double C[36];
  lb_fork_compliance(f, g->index, g->index, C);
  const directions d = look_along(g, f, C);
  const lb_status status = check_moves(g, f, &d, err);
  for (int i = 0; i < d.count && status == LB_OK; i++) {
    const double miss = find_miss(g, &d, i, C);
    *goal += g->weight * miss * miss;
  }
  return status;
}

lb_status lb_stiffness_look(lb_optimizing* o, const lb_played* m, double* goal, lb_error* err) {
  lb_status status = LB_OK;
  for (int i = 0; i < o->ngoal && status == LB_OK; i++) {
    lb_fork_statics* s = NULL;
    if (!is_first(o, i)) {
      continue;
    }
    status = find_statics(o, m, i, &s, err);
    for (int k = i; k < o->ngoal && status == LB_OK; k++) {
      if (same_equilibrium(what_of(o, k), what_of(o, i))) {
        status = look(o->goal[k].g, lb_fork_statics_at(s), &goal[k], err);
      }
    }
    lb_fork_statics_release(s);
  }
  return status;
}

// --- gradients ---

// Models with one number a little elsewhere.
typedef struct beside {
  double* x; // [nvalue]
  lb_arena arena[LB_FORK_BESIDE];
  lb_played m[LB_FORK_BESIDE];
  double h;
} beside;

static void end(beside* b) {
  for (int i = 0; i < LB_FORK_BESIDE; i++) {
    lb_played_end(&b->m[i]);
    lb_arena_release(&b->arena[i]);
  }
}

static lb_status begin(lb_optimizing* o, beside* b, const double* x, int number, lb_error* err) {
  const double scale = 0.1 * fmin(o->public.scale[number], 1);
  lb_status status = LB_OK;
  b->h = NUDGE * fmax(fabs(x[number]), scale);
  for (int i = 0; i < LB_FORK_BESIDE; i++) {
    lb_arena_init(&b->arena[i], o->allocator);
    b->m[i] = (lb_played){0};
  }
  for (int i = 0; i < LB_FORK_BESIDE && status == LB_OK; i++) {
    memcpy(b->x, x, (size_t)o->public.nvalue * sizeof *x);
    b->x[number] += LB_FORK_BESIDE_AT[i] * b->h;
    status = lb_optimizing_play(o, b->x, &b->arena[i], &b->m[i], err);
  }
  return status;
}

static double pull(const lb_scene_goal* g, const lb_fork* f, const double* dC) {
  double C[36], sum = 0;
  lb_fork_compliance(f, g->index, g->index, C);
  const directions d = look_along(g, f, C);
  for (int i = 0; i < d.count; i++) {
    sum += 2 * g->weight * find_miss(g, &d, i, C) *
           change_miss(g, &d, i, C, dC + 36 * (size_t)g->index);
  }
  return sum;
}

// Gradient of all goals about one equilibrium by one number.
static lb_status pull_all(lb_optimizing* o, int first, lb_fork_statics* s, const beside* b,
                          double* dC, double* gradient, lb_error* err) {
  lb_fork_beside at[LB_FORK_BESIDE];
  for (int i = 0; i < LB_FORK_BESIDE; i++) {
    at[i] = (lb_fork_beside){b->m[i].model, fork_in(o, &b->m[i], what_of(o, first)->fork)};
  }
  const lb_status status = lb_fork_statics_differentiate(s, at, b->h, dC, err);
  for (int k = first; k < o->ngoal && status == LB_OK; k++) {
    if (same_equilibrium(what_of(o, k), what_of(o, first))) {
      *gradient += pull(o->goal[k].g, lb_fork_statics_at(s), dC);
    }
  }
  return status;
}

static lb_status differentiate(lb_optimizing* o, const lb_played* m, lb_arena* arena,
                               lb_fork_statics** s, double* gradient, lb_error* err) {
  lb_status status = LB_OK;
  int most = 0;
  for (int i = 0; i < o->ngoal && status == LB_OK; i++) {
    if (is_first(o, i)) {
      const int n = o->slid.fork[what_of(o, i)->fork].neffector;
      most = n > most ? n : most;
      status = find_statics(o, m, i, &s[i], err);
    }
  }
  double* dC = LB_TAKE(arena, double, 36 * (size_t)most);
  beside b = {.x = LB_TAKE(arena, double, o->public.nvalue)};
  if (status == LB_OK && (!dC || !b.x)) {
    return lb_arena_check(arena, "a gradient", err);
  }
  for (int p = 0; p < o->public.nvalue && status == LB_OK; p++) {
    status = begin(o, &b, m->x, p, err);
    for (int i = 0; i < o->ngoal && status == LB_OK; i++) {
      status = s[i] ? pull_all(o, i, s[i], &b, dC, &gradient[p], err) : LB_OK;
    }
    end(&b);
  }
  return status;
}

// Numbers beside those of the run change the growths, too, which are the run's again afterwards.
lb_status lb_stiffness_pull(lb_optimizing* o, const lb_played* m, double* gradient, lb_error* err) {
  lb_arena arena;
  if (!lb_goals_still(o)) {
    return LB_OK;
  }
  lb_arena_init(&arena, o->allocator);
  lb_fork_statics** s = LB_TAKE(&arena, lb_fork_statics*, o->ngoal);
  lb_growth* growth = LB_COPY(&arena, o->growth, o->ngrowth);
  lb_status status = lb_arena_check(&arena, "a gradient", err);
  if (status == LB_OK) {
    status = differentiate(o, m, &arena, s, gradient, err);
    memcpy(o->growth, growth, (size_t)o->ngrowth * sizeof *growth);
    for (int i = 0; i < o->ngoal; i++) {
      lb_fork_statics_release(s[i]);
    }
  }
  lb_arena_release(&arena);
  return status;
}

// --- what has none ---

static lb_status refuse(const lb_scene_goal* g, const char* why, lb_error* err) {
  return lb_error_add(err, LB_INVALID, g->place, "goal '%s': %s", g->name, why);
}

static bool has_lengths(const lb_optimizing* o) {
  bool any = false;
  for (int i = 0; i < o->nblock; i++) {
    any |= o->block[i].type == &lb_parameter_length;
  }
  return any;
}

lb_status lb_stiffness_check(lb_optimizing* o, lb_error* err) {
  lb_status status = LB_OK;
  for (int i = 0; i < o->ngoal && status == LB_OK; i++) {
    const lb_scene_goal* g = o->goal[i].g;
    lb_arena arena;
    lb_fork_parts parts;
    if (g->kind != LB_GOAL_EFFECTOR) {
      continue;
    }
    lb_arena_init(&arena, o->allocator);
    const lb_scene_fork* fork = &o->given.fork[g->stiffness.fork];
    const bool found = lb_fork_find_parts(&o->given, fork, &arena, &parts, NULL) == LB_OK;
    status = o->model != o->tree
                 ? refuse(g,
                          "stiffness at effectors needs 'coordinates: reduced', and elastic "
                          "bodies in a basis",
                          err)
             : has_lengths(o)
                 ? refuse(g,
                          "effectors do not move along with bodies whose 'length' is a "
                          "parameter (give that as 'number')",
                          err)
             : found && lb_fork_has_others(&parts)
                 ? refuse(g,
                          "something moves beside the mechanism, whose equilibrium would depend "
                          "on it (put the mechanism into a scene of its own)",
                          err)
                 : LB_OK;
    lb_arena_release(&arena);
  }
  return status;
}
