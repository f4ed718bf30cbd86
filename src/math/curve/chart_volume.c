// Distance of a chart from its singularities, where its numbers move the frame alike.
//
// The volume that the columns of S span, each of length one, is 1 where they are at right angles
// and 0 where one of them is a sum of others. Of three turns in a row it is the sine of the angle
// by which the third axis is off the first, or |cos q_2| where the three are different: near a
// singular place, how far the middle angle is from it.
//
// What shifts can do is taken out of the turns first, and only then are these given length one: so
// a free body far from the origin is as far from its singular place as one that is there. What
// turns move by levers counts in parts of the longest one.
#include <math.h>

#include "math/curve/chart.h"

enum { N = LB_CHART_MOST, ROWS = 6 + N };

typedef struct column {
  double x[ROWS]; // turn, shift, and what numbers weigh by themselves
} column;

static double dot(const column* a, const column* b) {
  double sum = 0;
  for (int i = 0; i < ROWS; i++) {
    sum += a->x[i] * b->x[i];
  }
  return sum;
}

static void scale(column* c, double by) {
  for (int i = 0; i < ROWS; i++) {
    c->x[i] *= by;
  }
}

// Component of a column at right angles to these, which are orthonormal.
static void take_out(column* c, const column* along, int count) {
  for (int k = 0; k < count; k++) {
    const double s = dot(c, &along[k]);
    for (int i = 0; i < ROWS; i++) {
      c->x[i] -= s * along[k].x[i];
    }
  }
}

static double length(const column* c) {
  return sqrt(dot(c, c));
}

static double shift_of(const column* c) {
  return sqrt(c->x[3] * c->x[3] + c->x[4] * c->x[4] + c->x[5] * c->x[5]);
}

static column column_of(lb_motion a) {
  return (column){{a.w[0], a.w[1], a.w[2], a.v[0], a.v[1], a.v[2]}};
}

// Span of the columns `done`, by Gram and Schmidt, with a factor of their volume for each.
typedef struct span {
  column done[N];
  int count;
  double volume;
} span;

static void extend(span* s, column c) {
  const double before = length(&c);
  if (before == 0) {
    return; // it moves nothing, alone
  }
  scale(&c, 1 / before);
  take_out(&c, s->done, s->count);
  const double left = length(&c);
  s->volume *= left;
  if (left > 0) {
    scale(&c, 1 / left);
    s->done[s->count++] = c;
  }
}

static bool turns(const lb_chart_at* at, int k) {
  return lb_v4_dot(at->S[k].w, at->S[k].w) > 0;
}

static span span_shifts(const lb_chart_at* at, int n) {
  span s = {.volume = 1};
  for (int k = 0; k < n; k++) {
    if (!turns(at, k)) {
      extend(&s, column_of(at->S[k]));
    }
  }
  return s;
}

// A motion without what shifts can do of it; what rounding leaves of that is nothing.
static column without_shifts(const span* shifts, lb_motion a) {
  static const double ROUNDING = 1e-9;
  column c = column_of(a);
  const double before = shift_of(&c);
  take_out(&c, shifts->done, shifts->count);
  const bool none = shift_of(&c) <= ROUNDING * before;
  for (int i = 3; i < 6 && none; i++) {
    c.x[i] = 0;
  }
  return c;
}

// The longest lever of turns, or 1 where there is none.
static double find_lever(const span* shifts, const lb_chart_at* at, int n) {
  double most = 0;
  for (int k = 0; k < n; k++) {
    const column c = without_shifts(shifts, at->S[k]);
    most = turns(at, k) ? fmax(most, shift_of(&c)) : most;
  }
  return most > 0 ? most : 1;
}

static void divide_shift(column* c, double lever) {
  for (int i = 3; i < 6; i++) {
    c->x[i] /= lever;
  }
}

double lb_chart_volume(const lb_chart_at* at, int n, const double* own) {
  const span shifts = span_shifts(at, n);
  const double lever = find_lever(&shifts, at, n);
  span s = {.volume = shifts.volume};
  for (int k = 0; k < n; k++) {
    if (turns(at, k)) {
      column c = without_shifts(&shifts, at->S[k]);
      divide_shift(&c, lever);
      c.x[6 + k] = own[k];
      extend(&s, c);
    }
  }
  return s.volume;
}

// The axis of the largest of some turns, of length one.
static lb_v4 find_axis(const lb_chart_at* at, int n, const double* dq) {
  lb_v4 most = lb_v4_zero();
  for (int k = 0; k < n; k++) {
    const lb_v4 turn = at->S[k].w * dq[k];
    most = lb_v4_dot(turn, turn) > lb_v4_dot(most, most) ? turn : most;
  }
  const double size = sqrt(lb_v4_dot(most, most));
  return size > 0 ? most / size : most;
}

double lb_chart_pace(const lb_chart_at* at, int n, const double* dq) {
  const span shifts = span_shifts(at, n);
  const lb_v4 axis = find_axis(at, n, dq);
  lb_motion across = at->V;
  across.w -= axis * lb_v4_dot(axis, across.w);
  column c = without_shifts(&shifts, across);
  divide_shift(&c, find_lever(&shifts, at, n));
  return length(&c);
}

// sum |w_k dq_k|^2 - |sum w_k dq_k|^2 is what turns about different axes take from each other.
double lb_chart_idle_turn(const lb_chart_at* at, int n, const double* dq) {
  double each = 0;
  lb_v4 all = lb_v4_zero();
  for (int k = 0; k < n; k++) {
    const lb_v4 turn = at->S[k].w * dq[k];
    each += lb_v4_dot(turn, turn);
    all += turn;
  }
  return sqrt(fmax(0, each - lb_v4_dot(all, all)));
}
