#include "math/contact/contact_problem.h"

#include <math.h>
#include <string.h>

#include "math/linear/dense.h"

// --- validity ---

static bool all_finite(int n, const double* x) {
  enum { LANES = 8 };
  double sum[LANES] = {0};
  for (int i = 0; i < n; i++) {
    sum[i % LANES] += x[i] * 0; // NaN where one is not finite
  }
  bool finite = true;
  for (int i = 0; i < LANES; i++) {
    finite = finite && sum[i] == 0;
  }
  return finite;
}

static bool valid_groups(const lb_contact_problem* p) {
  if (p->ngroup < 0 || p->nrow < 0 || p->nblock < 0 || p->nentry < 0 || p->velocity[0] != 0) {
    return false;
  }
  for (int g = 0; g < p->ngroup; g++) {
    const int width = lb_contact_width(p, g);
    if (width < 0 || width % 4 != 0) {
      return false;
    }
  }
  return all_finite(lb_contact_nvelocity(p), p->u0);
}

static bool valid_sides(const lb_contact_problem* p, const lb_contact_row* r) {
  for (int s = 0; s < 2; s++) {
    const int g = r->group[s];
    if (g < -1 || g >= p->ngroup) {
      return false;
    }
    if (g >= 0 && (r->entry[s] < 0 || r->entry[s] > p->nentry - lb_contact_width(p, g))) {
      return false;
    }
  }
  return r->group[0] < 0 || r->group[0] != r->group[1];
}

static bool is_set(lb_contact_kind kind) {
  return kind == LB_CONTACT_SET_1 || kind == LB_CONTACT_SET_2;
}

static bool valid_row(const lb_contact_problem* p, int r, int first, int end) {
  const lb_contact_row* row = &p->row[r];
  const bool second = r > first && p->row[r - 1].kind == LB_CONTACT_SET_2;
  if (row->kind > LB_CONTACT_SECOND || (row->kind == LB_CONTACT_SECOND) != second ||
      (row->kind == LB_CONTACT_SET_2 && r + 1 == end)) {
    return false;
  }
  const int *group = row->group, *others = p->row[first].group;
  if (!(row->c >= 0 && isfinite(row->c)) || !isfinite(row->b) || !valid_sides(p, row) ||
      group[0] != others[0] || group[1] != others[1]) {
    return false;
  }
  if (!is_set(row->kind)) {
    return true;
  }
  const int n = row->normal;
  return row->mu >= 0 && isfinite(row->mu) && n >= -1 && n < p->nrow &&
         (n < 0 || (n >= first && n < r && p->row[n].kind == LB_CONTACT_UNILATERAL));
}

bool lb_contact_valid(const lb_contact_problem* p) {
  return lb_contact_sound(p) && all_finite(p->nentry, p->J) && all_finite(p->nentry, p->Z);
}

bool lb_contact_sound(const lb_contact_problem* p) {
  if (!valid_groups(p) || p->block[0] != 0 || p->block[p->nblock] != p->nrow) {
    return false;
  }
  for (int k = 0; k < p->nblock; k++) {
    const int first = p->block[k], end = p->block[k + 1];
    if (end <= first || end - first > LB_CONTACT_BLOCK_MOST) {
      return false;
    }
    for (int r = first; r < end; r++) {
      if (!valid_row(p, r, first, end)) {
        return false;
      }
    }
  }
  return true;
}

// --- velocities ---

void lb_contact_velocities(const lb_contact_problem* p, const double* lambda, double* u) {
  memcpy(u, p->u0, (size_t)lb_contact_nvelocity(p) * sizeof *u);
  for (int r = 0; r < p->nrow; r++) {
    const lb_contact_row* row = &p->row[r];
    for (int s = 0; s < 2; s++) {
      const int g = row->group[s];
      if (g >= 0) {
        lb_add(lb_contact_width(p, g), u + p->velocity[g], lambda[r], p->Z + row->entry[s]);
      }
    }
  }
}

double lb_contact_row_velocity(const lb_contact_problem* p, int r, const double* u) {
  const lb_contact_row* row = &p->row[r];
  double sum = 0;
  for (int s = 0; s < 2; s++) {
    const int g = row->group[s];
    if (g >= 0) {
      sum += lb_contact_dot(lb_contact_width(p, g), u + p->velocity[g], p->J + row->entry[s]);
    }
  }
  return sum;
}

double lb_contact_coupling(const lb_contact_problem* p, int r, int s) {
  const lb_contact_row *a = &p->row[r], *b = &p->row[s];
  double sum = 0;
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      const int g = a->group[i];
      if (g >= 0 && g == b->group[j]) {
        sum += lb_contact_dot(lb_contact_width(p, g), p->J + a->entry[i], p->Z + b->entry[j]);
      }
    }
  }
  return sum;
}

// --- residual ---

static double diagonal(const lb_contact_problem* p, int r) {
  return lb_contact_coupling(p, r, r) + p->row[r].c;
}

double lb_contact_step(const lb_contact_problem* p, int r) {
  const lb_contact_kind kind = p->row[r].kind;
  double a = diagonal(p, r);
  if (kind == LB_CONTACT_SET_2 || kind == LB_CONTACT_SECOND) {
    a = (a + diagonal(p, kind == LB_CONTACT_SET_2 ? r + 1 : r - 1)) / 2;
  }
  return a > 0 ? 1 / a : 1;
}

// e of a set of `size` rows, with the length of z = lambda - rho w cut to the radius. All of it
// over rho, in the units of w: squares of impulses vanish where a row yields very much.
static double set_violation(int size, const double* lambda, const double* w, double rho, double R) {
  const double l0 = lambda[0] / rho, l1 = size > 1 ? lambda[1] / rho : 0, most = R / rho;
  const double z0 = l0 - w[0], z1 = size > 1 ? l1 - w[1] : 0;
  const double length = sqrt(z0 * z0 + z1 * z1);
  if (length <= most) {
    return size > 1 ? sqrt(w[0] * w[0] + w[1] * w[1]) : fabs(w[0]);
  }
  const double e0 = l0 - most * (z0 / length), e1 = l1 - most * (z1 / length);
  return sqrt(e0 * e0 + e1 * e1);
}

double lb_contact_violation(const lb_contact_row* row, double rho, double normal,
                            const double* lambda, const double* w) {
  switch (row->kind) {
  case LB_CONTACT_EQUALITY:
    return fabs(w[0]);
  case LB_CONTACT_UNILATERAL:
    return fabs(fmin(w[0], lambda[0] / rho));
  case LB_CONTACT_SET_1:
  case LB_CONTACT_SET_2: {
    const double R = row->normal < 0 ? row->mu : row->mu * fmax(0, normal);
    return set_violation(row->kind == LB_CONTACT_SET_1 ? 1 : 2, lambda, w, rho, R);
  }
  default:
    return 0; // counted with the first row of its set
  }
}

lb_contact_measure lb_contact_residual(const lb_contact_problem* p, const double* lambda,
                                       double* u) {
  lb_contact_measure m = {0, 0, 0};
  lb_contact_velocities(p, lambda, u);
  for (int r = 0; r < p->nrow; r++) {
    const double rho = lb_contact_step(p, r);
    double w[2] = {0, 0};
    for (int i = 0; i < 1 + (p->row[r].kind == LB_CONTACT_SET_2); i++) {
      const lb_contact_row* row = &p->row[r + i];
      w[i] = lb_contact_row_velocity(p, r + i, u) + row->c * lambda[r + i] + row->b;
    }
    const int n = p->row[r].normal;
    const double normal = n < 0 ? 0 : lambda[n];
    lb_contact_measure_add(&m, lb_contact_violation(&p->row[r], rho, normal, lambda + r, w),
                           lb_contact_row_velocity(p, r, p->u0) + p->row[r].b, lambda[r] / rho);
  }
  return m;
}

bool lb_contact_holds(lb_contact_measure m, double tolerance) {
  return m.residual <= tolerance * m.scale || m.residual <= m.rounding;
}
