// Rotations over time. A profile of numbers that goes through v_0, v_1, ... or has them for control
// points depends on them linearly, so it is a sum of steps,
//
//   (1)  v(t) = v_0 + sum_i b_i(t) (v_i+1 - v_i)
//
// where b_i is the profile of the same kind and times through 0 up to value i and 1 from i + 1 on.
// Rotations take the same shares of the turns w_i = log(R_i' R_i+1) from each to the next, one
// after the other [Kim, Kim and Shin 1995]:
//
//   (2)  R(t) = R_0 exp(b_0(t) w_0) exp(b_1(t) w_1) ...
//
// which is where (1) is at the keys, as smooth as it, independent of the axes, and the same where
// all turns are about one axis. With E = exp(b w), R E has
//
//   (3)  angular velocity  E'u + b' w,   acceleration  E'a + (E'u) x b' w + b'' w
//
// in its own frame, where u and a are those of R.
//
// What lies far behind is done and what lies far ahead has not begun: to rounding for splines
// through keys, where the effect of one falls by a factor of at least 2 + sqrt 3 from key to key,
// whatever their times [the rows of slope_row() in time_profile.c, scaled by their diagonals, have
// a condition of at most 3].
#include "math/curve/rotation_profile.h"

#include <math.h>
#include <string.h>

enum { FAR = 32 }; // keys: (2 + sqrt 3)^-32 = 5e-19

// The shorter way round.
static lb_vec3 turn_between(lb_quat a, lb_quat b) {
  return lb_quat_log(lb_quat_mul(lb_quat_conjugate(a), b));
}

// Keys as they are given, or those of a repeated profile and copies of them on both sides, so that
// it goes through its seam like through any other key.
typedef struct keys {
  int count;
  double* time;
  lb_quat* value;
  int first, last; // key at which a period begins, and the next one
} keys;

static bool same(lb_quat a, lb_quat b) {
  return lb_vec3_norm(turn_between(a, b)) < 1e-12;
}

// Number of keys in a period; 0: its ends do not meet, or it does not repeat.
static int count_repeated(const lb_profile_definition* def, const lb_quat* rotation) {
  const int n = def->count;
  if (!(def->period > 0) || def->kind == LB_PROFILE_BSPLINE) {
    return 0;
  }
  const double left = def->time[0] + def->period - def->time[n - 1];
  const double rounding = 1e-12 * (fabs(def->time[0]) + def->period);
  return left > rounding                                                    ? n
         : left >= -rounding && n > 1 && same(rotation[0], rotation[n - 1]) ? n - 1
                                                                            : 0;
}

static bool make_keys(keys* k, lb_arena* arena, const lb_profile_definition* def,
                      const lb_quat* rotation, int more) {
  const bool spline = def->kind == LB_PROFILE_BSPLINE;
  const int again = count_repeated(def, rotation), copies = again > 0 ? more + 1 : 0;
  k->first = copies;
  k->last = copies + (again > 0 ? again : def->count - 1);
  k->count = again > 0 ? k->last + 1 + copies : def->count;
  k->time = LB_TAKE(arena, double, k->count);
  k->value = LB_TAKE(arena, lb_quat, k->count);
  for (int i = 0; k->time && k->value && i < k->count; i++) {
    const int e = i - copies, turns = again > 0 ? (int)floor((double)e / again) : 0;
    const int from = e - turns * again;
    k->value[i] = rotation[from];
    k->time[i] = spline && i > 1 ? 0 : def->time[from] + turns * def->period;
  }
  return k->time && k->value;
}

// The profile b_i of (1), in the arena until the caller resets it.
static lb_status make_step(lb_arena* arena, const lb_profile_definition* def, const keys* k, int i,
                           lb_profile** step) {
  double* value = LB_TAKE(arena, double, k->count);
  if (!value) {
    return LB_NO_MEMORY;
  }
  for (int j = 0; j < k->count; j++) {
    value[j] = j > i;
  }
  const lb_profile_definition one = {
      .kind = def->kind, .degree = def->degree, .count = k->count, .time = k->time, .value = value};
  return lb_profile_create(arena, &one, step);
}

// The number of the piece, and how far within, as a profile of straight lines.
static lb_status make_clock(lb_arena* arena, const double* time, int first, int last,
                            const lb_profile_definition* of, lb_profile** clock) {
  double* value = LB_TAKE(arena, double, last - first + 1);
  double* copy = LB_TAKE(arena, double, last - first + 1);
  if (!value || !copy) {
    return LB_NO_MEMORY;
  }
  for (int i = first; i <= last; i++) {
    value[i - first] = i;
    copy[i - first] = time[i];
  }
  const lb_profile_definition def = {
      .kind = LB_PROFILE_LINEAR, .count = last - first + 1, .time = copy, .value = value};
  if (lb_profile_create(arena, &def, clock) != LB_OK) {
    return LB_NO_MEMORY;
  }
  (*clock)->period = of->period; // and no way back from its end
  (*clock)->ahead = of->phase * of->period;
  return LB_OK;
}

static lb_status fill(lb_turning* T, lb_arena* arena, const lb_profile_definition* def,
                      const keys* k) {
  const int width = T->before + T->after + 1;
  for (int i = 0; i + 1 < k->count; i++) {
    const lb_arena_mark mark = lb_arena_here(arena);
    lb_profile* step = NULL;
    T->turn[i] = turn_between(k->value[i], k->value[i + 1]);
    if (make_step(arena, def, k, i, &step) != LB_OK) {
      return LB_NO_MEMORY;
    }
    for (int j = i - T->after; j <= i + T->before; j++) {
      if (j >= 0 && j < step->npiece) {
        memcpy(T->share[i * width + j - i + T->after], step->piece[j], sizeof *T->share);
      }
    }
    lb_arena_reset(arena, mark);
  }
  return LB_OK;
}

// Pieces of a spline are those between its knots.
static lb_status make_clock_of(lb_turning* T, lb_arena* arena, const lb_profile_definition* def,
                               const keys* k) {
  lb_profile* step = NULL;
  if (def->kind != LB_PROFILE_BSPLINE) {
    return make_clock(arena, k->time, k->first, k->last, def, &T->clock);
  }
  return make_step(arena, def, k, 0, &step) == LB_OK
             ? make_clock(arena, step->time, 0, step->npiece, def, &T->clock)
             : LB_NO_MEMORY;
}

lb_status lb_turning_create(lb_arena* arena, const lb_profile_definition* def,
                            const lb_quat* rotation, lb_turning** turning) {
  lb_turning* T = LB_TAKE(arena, lb_turning, 1);
  keys k;
  if (!T) {
    return LB_NO_MEMORY;
  }
  T->before = def->kind == LB_PROFILE_CUBIC ? FAR : 0;
  T->after = def->kind == LB_PROFILE_BSPLINE ? def->degree - 1 : T->before;
  if (!make_keys(&k, arena, def, rotation, T->before)) {
    return LB_NO_MEMORY;
  }
  const size_t turns = (size_t)k.count - 1, width = (size_t)T->before + (size_t)T->after + 1;
  T->nkey = k.count;
  T->key = k.value;
  T->turn = LB_TAKE(arena, lb_vec3, turns);
  T->share = lb_arena_take_array(arena, turns * width, sizeof *T->share, _Alignof(double));
  if (!T->turn || !T->share || make_clock_of(T, arena, def, &k) != LB_OK ||
      fill(T, arena, def, &k) != LB_OK) {
    return LB_NO_MEMORY;
  }
  *turning = T;
  return LB_OK;
}

// (3), with how far the turn is, and its rates.
static lb_turn turn_on(lb_turn r, lb_vec3 turn, const double b[3]) {
  const lb_quat E = lb_quat_exp(lb_vec3_scale(b[0], turn)), back = lb_quat_conjugate(E);
  const lb_vec3 u = lb_quat_rotate(back, r.w), rate = lb_vec3_scale(b[1], turn);
  const lb_vec3 gain = lb_vec3_add(lb_vec3_cross(u, rate), lb_vec3_scale(b[2], turn));
  return (lb_turn){lb_quat_mul(r.q, E), lb_vec3_add(u, rate),
                   lb_vec3_add(lb_quat_rotate(back, r.al), gain)};
}

// (2) in a piece, where s of it is over at this rate.
static lb_turn at(const lb_turning* T, int piece, double s, double rate) {
  const int width = T->before + T->after + 1;
  const int from = piece > T->before ? piece - T->before : 0;
  lb_turn r = {.q = T->key[from]};
  for (int i = from; i <= piece + T->after && i + 1 < T->nkey; i++) {
    double b[3];
    lb_profile_piece(T->share[i * width + piece - i + T->after], s, rate, b);
    r = turn_on(r, T->turn[i], b);
  }
  return r;
}

static int first_piece(const lb_turning* T) {
  return (int)T->clock->piece[0][0];
}

lb_turn lb_turning_evaluate(const lb_turning* T, double t) {
  double x[3];
  lb_profile_evaluate(T->clock, t, x);
  const int last = first_piece(T) + T->clock->npiece - 1;
  const int piece = (int)x[0] < last ? (int)x[0] : last;
  return at(T, piece, x[0] - piece, x[1]);
}

// --- jumps ---

// The i-th piece of the clock at its end, or at its start.
static lb_turn piece_end(const lb_turning* T, int i, int end) {
  const double* time = T->clock->time;
  return at(T, first_piece(T) + i, end, 1 / (time[i + 1] - time[i]));
}

// Rotations that differ, or angular velocities, over the fastest that a turn can be.
static bool differ(const lb_turning* T, lb_turn a, lb_turn b) {
  double most = 0;
  for (int i = 0; i < T->clock->npiece; i++) {
    const int turn = first_piece(T) + i;
    const double length = T->clock->time[i + 1] - T->clock->time[i];
    most = fmax(most, turn + 1 < T->nkey ? lb_vec3_norm(T->turn[turn]) / length : 0);
  }
  return lb_vec3_norm(turn_between(a.q, b.q)) > 1e-9 ||
         lb_vec3_norm(lb_vec3_sub(a.w, b.w)) > 1e-9 * most;
}

// A jump at one of the clock's own times, when it first comes; else INFINITY.
static double jump_at(const lb_turning* T, double time, lb_turn before, lb_turn after) {
  return differ(T, before, after) ? lb_profile_after(T->clock, time, 0) : (double)INFINITY;
}

double lb_turning_jump(const lb_turning* T, double until) {
  const lb_profile* c = T->clock;
  const int last = c->npiece - 1;
  const bool again = c->period > 0;
  const double begin = c->time[0], end = c->time[last + 1];
  const lb_turn start = piece_end(T, 0, 0), final = piece_end(T, last, 1);
  const lb_turn rest = {.q = final.q}; // after the last piece, if the period is not over
  const lb_turn seam = again && !(end < begin + c->period) ? final : rest;
  double first = jump_at(T, begin, again ? seam : (lb_turn){.q = start.q}, start);
  first = fmin(first, jump_at(T, end, final, seam));
  for (int i = 1; i <= last; i++) {
    first = fmin(first, jump_at(T, c->time[i], piece_end(T, i - 1, 1), piece_end(T, i, 0)));
  }
  return first < until ? first : NAN;
}
