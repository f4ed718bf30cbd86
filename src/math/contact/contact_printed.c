// The cone of a contact is the sum of its rays, lambda = G y with y >= 0: (1, +-mu, +-mu), so the
// program is one of least squares with unknowns that may not be negative.
#include "math/contact/contact_printed.h"

#include <string.h>

#include "math/linear/dense.h"
#include "math/linear/nonnegative.h"

enum { RAYS = 4 };

typedef struct ray {
  int row;         // first row; the tangents follow
  int nrow;        // 1: an equality row or a normal without friction
  double value[3]; // lambda of its rows
  bool unilateral;
} ray;

// Rows of the tangents behind a normal, with their coefficients; -1 where (1) does not know them.
static int tangents(const lb_contact_problem* p, int normal, int end, double* mu) {
  int count = 0;
  for (int r = normal + 1;
       r < end && p->row[r].kind != LB_CONTACT_UNILATERAL && p->row[r].kind != LB_CONTACT_EQUALITY;
       r++) {
    const bool second = p->row[r].kind == LB_CONTACT_SECOND;
    if (count == 2 || (!second && p->row[r].normal != normal)) {
      return -1;
    }
    mu[count++] = p->row[second ? r - 1 : r].mu;
  }
  return count;
}

// Rays of one block into `out`; how many, or -1.
static int block_rays(const lb_contact_problem* p, int block, ray* out) {
  const int end = p->block[block + 1];
  int count = 0;
  for (int r = p->block[block]; r < end;) {
    double mu[2] = {0, 0};
    if (p->row[r].kind == LB_CONTACT_EQUALITY) {
      out[count++] = (ray){r++, 1, {1, 0, 0}, false};
      continue;
    }
    const int n = p->row[r].kind == LB_CONTACT_UNILATERAL ? tangents(p, r, end, mu) : -1;
    if (n < 0) {
      return -1;
    }
    for (int k = 0; k < 1 << n; k++) {
      out[count++] = (ray){r, 1 + n, {1, k & 1 ? -mu[0] : mu[0], k & 2 ? -mu[1] : mu[1]}, true};
    }
    r += 1 + n;
  }
  return count;
}

static lb_status solve(const lb_contact_problem* p, lb_arena* scratch, double* lambda) {
  const int n = p->nrow;
  const size_t most = RAYS * (size_t)n;
  ray* rays = LB_TAKE(scratch, ray, most);
  double* AG = LB_TAKE(scratch, double, (most * (size_t)n));
  double* b = LB_TAKE(scratch, double, n);
  double* y = LB_TAKE(scratch, double, most);
  bool* unilateral = LB_TAKE(scratch, bool, most);
  if (lb_arena_status(scratch) != LB_OK) {
    return LB_NO_MEMORY;
  }
  int count = 0;
  for (int k = 0; k < p->nblock; k++) {
    const int more = block_rays(p, k, rays + count);
    if (more < 0) {
      return LB_INVALID;
    }
    count += more;
  }
  for (int r = 0; r < n; r++) {
    b[r] = -(lb_contact_row_velocity(p, r, p->u0) + p->row[r].b);
  }
  for (int k = 0; k < count; k++) {
    const ray* g = &rays[k];
    unilateral[k] = g->unilateral;
    for (int r = 0; r < n; r++) {
      double sum = 0;
      for (int i = 0; i < g->nrow; i++) {
        const int s = g->row + i;
        sum += g->value[i] * (lb_contact_coupling(p, r, s) + (r == s ? p->row[r].c : 0));
      }
      AG[(size_t)r + (size_t)k * (size_t)n] = sum;
    }
  }
  const lb_status status =
      lb_nonnegative_least_squares(scratch, n, count, AG, b, unilateral, 1e-12, y);
  if (status != LB_OK) {
    return status;
  }
  memset(lambda, 0, (size_t)n * sizeof *lambda);
  for (int k = 0; k < count; k++) {
    lb_add(rays[k].nrow, lambda + rays[k].row, y[k], rays[k].value);
  }
  return LB_OK;
}

lb_status lb_contact_printed(const lb_contact_problem* p, lb_arena* scratch, double* lambda,
                             double* u) {
  if (!lb_contact_valid(p)) {
    return LB_INVALID;
  }
  const lb_arena_mark mark = lb_arena_here(scratch);
  const lb_status status = p->nrow == 0 ? LB_OK : solve(p, scratch, lambda);
  lb_arena_reset(scratch, mark);
  if (status == LB_OK) {
    lb_contact_velocities(p, lambda, u);
  }
  return status;
}
