#include "math/contact/contact_gauss_seidel.h"

#include <math.h>
#include <string.h>

// u += Z_r by
static void push(const lb_contact_problem* p, int r, double by, double* u) {
  const lb_contact_row* row = &p->row[r];
  for (int k = 0; k < 2; k++) {
    if (row->group[k] >= 0) {
      double* to = u + p->velocity[row->group[k]];
      const double* Z = p->Z + row->entry[k];
      for (int i = 0; i < lb_contact_width(p, row->group[k]); i++) {
        to[i] += by * Z[i];
      }
    }
  }
}

static double project(const lb_contact_problem* p, int r, const double* lambda, double x) {
  const lb_contact_row* row = &p->row[r];
  if (row->kind == LB_CONTACT_EQUALITY) {
    return x;
  }
  if (row->kind == LB_CONTACT_UNILATERAL) {
    return fmax(0, x);
  }
  const lb_contact_row* set = row->kind == LB_CONTACT_SECOND ? row - 1 : row;
  const double R = set->normal >= 0 ? set->mu * lambda[set->normal] : set->mu;
  return fmin(fmax(x, -R), R);
}

static void sweep(const lb_contact_problem* p, double* lambda, double* u) {
  for (int r = 0; r < p->nrow; r++) {
    const double A = lb_contact_coupling(p, r, r) + p->row[r].c;
    const double w = lb_contact_row_velocity(p, r, u) + p->row[r].c * lambda[r] + p->row[r].b;
    const double to = project(p, r, lambda, A > 0 ? lambda[r] - w / A : lambda[r]);
    push(p, r, to - lambda[r], u);
    lambda[r] = to;
  }
}

bool lb_contact_gauss_seidel(const lb_contact_problem* p, int sweeps, double* lambda, double* u) {
  if (!lb_contact_valid(p)) {
    return false;
  }
  memset(lambda, 0, (size_t)p->nrow * sizeof *lambda);
  memcpy(u, p->u0, (size_t)lb_contact_nvelocity(p) * sizeof *u);
  for (int i = 0; i < sweeps; i++) {
    sweep(p, lambda, u);
  }
  lb_contact_velocities(p, lambda, u);
  return true;
}
