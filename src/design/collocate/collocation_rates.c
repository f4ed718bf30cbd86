// Rates of controls: with a time tau, effort is the integral of
//
//   w (u^2 + tau^2 (du/dt)^2)
//
// so that controls that swing to and fro faster than within tau cost more than they gain. Controls
// are straight between nodes here. For nodes a part r of the duration T apart the second term is
//
//   f = w tau^2/r D^2 T^-p,   D = u_1 - u_0,   p = 1, or 2 where means count
#include <math.h>

#include "design/collocate/collocation.h"

typedef struct piece {
  int u[2]; // numbers of the program
  double D, by_D, by_T, by_DD, by_DT, by_TT, f;
} piece;

static piece find_piece(const lb_collocating* C, int node, int control) {
  const double tau = C->set->effort.smooth, T = lb_duration_of(C, C->Z);
  const double r = C->relative[node + 1] - C->relative[node];
  const int p = C->set->effort.mean ? 2 : 1, at = node * C->at.count + C->at.u + control;
  const double a = C->effort[control] * tau * tau / r * pow(T, -p);
  piece x = {.u = {at, at + C->at.count}};
  x.D = C->Z[x.u[1]] - C->Z[x.u[0]];
  x.f = a * x.D * x.D;
  x.by_D = 2 * a * x.D;
  x.by_DD = 2 * a;
  x.by_T = -p * x.f / T;
  x.by_DT = -p * x.by_D / T;
  x.by_TT = p * (p + 1) * x.f / (T * T);
  return x;
}

static int pieces(const lb_collocating* C) {
  return C->set->effort.smooth > 0 ? (C->nnode - 1) * C->at.nu : 0;
}

// Of controls that drive activations, rates of these count (collocation_goal.c).
static bool left_out(const lb_collocating* C, int i) {
  return lb_driven(C, i % C->at.nu) >= 0;
}

int lb_rates_count(const lb_collocating* C) {
  int n = 0;
  for (int i = 0; i < pieces(C); i++) {
    n += left_out(C, i) ? 0 : C->T >= 0 ? 6 : 3;
  }
  return n;
}

double lb_rates_cost(const lb_collocating* C, double* df) {
  double sum = 0;
  for (int i = 0; i < pieces(C); i++) {
    if (left_out(C, i)) {
      continue;
    }
    const piece x = find_piece(C, i / C->at.nu, i % C->at.nu);
    sum += x.f;
    if (df) {
      df[x.u[1]] += x.by_D;
      df[x.u[0]] -= x.by_D;
    }
    if (df && C->T >= 0) {
      df[C->T] += x.by_T;
    }
  }
  return sum;
}

void lb_rates_bend(const lb_collocating* C, lb_entries* e, double factor) {
  for (int i = 0; i < pieces(C); i++) {
    if (left_out(C, i)) {
      continue;
    }
    const piece x = find_piece(C, i / C->at.nu, i % C->at.nu);
    lb_entries_put(e, x.u[0], x.u[0], factor * x.by_DD);
    lb_entries_put(e, x.u[1], x.u[1], factor * x.by_DD);
    lb_entries_put(e, x.u[1], x.u[0], -factor * x.by_DD);
    if (C->T >= 0) {
      lb_entries_put(e, C->T, x.u[0], -factor * x.by_DT);
      lb_entries_put(e, C->T, x.u[1], factor * x.by_DT);
      lb_entries_put(e, C->T, C->T, factor * x.by_TT);
    }
  }
}
