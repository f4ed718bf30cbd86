// How far a chart is from where its numbers move the frame alike.
//
// The volume that the columns of S span, each of length one, is 1 where they are at right angles
// and 0 where one of them is a sum of others. Of three turns in a row it is the sine of the angle
// by which the third axis is off the first, or |cos q_2| where the three are different: near a
// singular place, how far the middle angle is from it.
//
// What shifts can do is taken out of the turns first, and only then are these given length one: so
// a lever, as a free body far from the origin has, does not count as nearness.
#include <math.h>

#include "math/chart.h"

enum { N = LB_CHART_MOST, ROWS = 6 + N };

typedef struct column {
  double x[ROWS];
} column;

static double dot(const column* a, const column* b) {
  double sum = 0;
  for (int i = 0; i < ROWS; i++) {
    sum += a->x[i] * b->x[i];
  }
  return sum;
}

// What of a column is not along these, which have length one and are at right angles.
static void take_out(column* c, const column* along, int count) {
  for (int k = 0; k < count; k++) {
    const double s = dot(c, &along[k]);
    for (int i = 0; i < ROWS; i++) {
      c->x[i] -= s * along[k].x[i];
    }
  }
}

static double scale_to_one(column* c) {
  const double length = sqrt(dot(c, c));
  for (int i = 0; i < ROWS && length > 0; i++) {
    c->x[i] /= length;
  }
  return length;
}

static bool turns(const lb_chart_at* at, int k) {
  return lb_v4_dot(at->S[k].w, at->S[k].w) > 0;
}

static column column_of(const lb_chart_at* at, int k, const double* own) {
  column c = {{0}};
  for (int i = 0; i < 3; i++) {
    c.x[i] = at->S[k].w[i];
    c.x[3 + i] = at->S[k].v[i];
  }
  c.x[6 + k] = own[k];
  return c;
}

// Gram and Schmidt's way, shifts first.
double lb_chart_volume(const lb_chart_at* at, int n, const double* own) {
  column done[N];
  int count = 0, shifts = 0;
  double volume = 1;
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < n; k++) {
      if (turns(at, k) != (pass == 1)) {
        continue;
      }
      column c = column_of(at, k, own);
      take_out(&c, done, shifts);
      if (scale_to_one(&c) == 0) {
        continue; // it moves nothing, alone
      }
      take_out(&c, done + shifts, count - shifts);
      volume *= scale_to_one(&c);
      done[count++] = c;
    }
    shifts = count;
  }
  return volume;
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
