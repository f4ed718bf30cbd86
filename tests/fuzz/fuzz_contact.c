// Fuzzes the contact solvers: bytes become groups, rows and blocks that may make no sense. Solvers
// must refuse what is not valid, end, and report a residual that is true.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "math/contact/contact_fast.h"
#include "math/contact/contact_printed.h"
#include "math/contact/contact_reference.h"

enum { GROUPS = 6, ROWS = 36, BLOCKS = 18, WIDTH = 8, ENTRIES = 2 * ROWS * WIDTH };

typedef struct bytes {
  const uint8_t* data;
  size_t left;
  bool wild; // numbers may be infinite or none
} bytes;

static int next(bytes* b) {
  if (b->left == 0) {
    return 0;
  }
  b->left--;
  return *b->data++;
}

// Numbers from a table of awkward ones, or plain ones.
static double number(bytes* b) {
  static const double AWKWARD[] = {0, 1, -1, 1e-12, 1e12, 1e-300, 1e300, -0.0, INFINITY, NAN};
  const int k = next(b);
  return k < (b->wild ? 20 : 16) ? AWKWARD[k / 2] : (k - 138) / 32.0;
}

typedef struct problem {
  int velocity[GROUPS + 1];
  double u0[GROUPS * WIDTH], J[ENTRIES], Z[ENTRIES];
  lb_contact_row row[ROWS];
  int block[BLOCKS + 1];
} problem;

static lb_contact_problem make(problem* q, bytes* b) {
  const int flaws = next(b) % 4; // 0: a problem that makes sense but for its numbers
  const int ngroup = next(b) % (GROUPS + 1), nblock = next(b) % (BLOCKS + 1);
  int nrow = 0;
  b->wild = flaws == 1;
  memset(q, 0, sizeof *q);
  for (int g = 0; g < ngroup; g++) {
    q->velocity[g + 1] = q->velocity[g] + (flaws == 3 ? next(b) % 9 : next(b) % 2 ? 8 : 4);
  }
  int kept = 0;
  for (int k = 0; k < nblock; k++) {
    const int size = 1 + next(b) % (flaws == 2 ? 7 : 6);
    const int group[2] = {ngroup ? next(b) % (ngroup + 1) - 1 : -1,
                          ngroup ? next(b) % (ngroup + 1) - 1 : -1};
    if (nrow + size > ROWS || (flaws < 3 && group[0] >= 0 && group[0] == group[1])) {
      break;
    }
    for (int i = 0; i < size; i++) {
      static const lb_contact_kind POINT[] = {LB_CONTACT_UNILATERAL, LB_CONTACT_SET_2,
                                              LB_CONTACT_SECOND,     LB_CONTACT_SET_2,
                                              LB_CONTACT_SECOND,     LB_CONTACT_SET_1};
      lb_contact_row* r = &q->row[nrow + i];
      const int kind = next(b);
      r->kind = flaws >= 2 ? (lb_contact_kind)(kind % 5) : POINT[i];
      if (flaws < 2 && r->kind == LB_CONTACT_SET_2 && i + 1 == size) {
        r->kind = LB_CONTACT_SET_1;
      }
      r->normal = kind % 7 == 0 ? -1 : flaws == 3 ? kind % ROWS - 1 : nrow;
      r->mu = fabs(number(b));
      r->c = fabs(number(b));
      r->b = number(b);
      for (int s = 0; s < 2; s++) {
        r->group[s] = flaws == 3 ? next(b) % (GROUPS + 2) - 1 : group[s];
        r->entry[s] = flaws == 3 ? next(b) * 8 - 16 : (2 * (nrow + i) + s) * WIDTH;
      }
    }
    nrow += size;
    q->block[++kept] = nrow;
  }
  for (int i = 0; i < GROUPS * WIDTH; i++) {
    q->u0[i] = number(b);
  }
  for (int i = 0; i < ENTRIES; i++) {
    q->J[i] = number(b);
    q->Z[i] = next(b) % 8 ? q->J[i] : number(b); // mostly W = 1
  }
  return (lb_contact_problem){.ngroup = ngroup,
                              .velocity = q->velocity,
                              .u0 = q->u0,
                              .nrow = nrow,
                              .row = q->row,
                              .nentry = ENTRIES,
                              .J = q->J,
                              .Z = q->Z,
                              .nblock = kept,
                              .block = q->block};
}

// A report of success must be true.
static void judge(const lb_contact_problem* p, lb_contact_report report, double tolerance,
                  const double* lambda) {
  double u[GROUPS * WIDTH];
  if (report.status != LB_CONTACT_SOLVED) {
    return;
  }
  const lb_contact_measure m = lb_contact_residual(p, lambda, u);
  if (!(m.residual <= 2 * tolerance * m.scale + 2 * m.rounding)) {
    abort();
  }
}

static void run_fast(const lb_contact_problem* p, const double* start) {
  double lambda[ROWS], u[GROUPS * WIDTH];
  lb_contact_solver* solver;
  lb_contact_options options = lb_contact_options_default();
  options.sweeps = 200;
  memcpy(lambda, start, sizeof lambda);
  if (lb_contact_solver_create(NULL, &solver) != LB_OK) {
    return;
  }
  if (lb_contact_valid(p)) {
    const lb_contact_sizes sizes = lb_contact_sizes_of(p);
    if (lb_contact_solver_reserve(solver, &sizes) != LB_OK) {
      abort();
    }
  }
  judge(p, lb_contact_solve(solver, p, &options, lambda, u), options.tolerance, lambda);
  lb_contact_solver_release(solver);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static problem q; // too large for the stack, and made anew each time
  bytes b = {data, size, false};
  double start[ROWS] = {0}, lambda[ROWS], u[GROUPS * WIDTH];
  lb_contact_report report;
  const lb_contact_problem p = make(&q, &b);
  for (int i = 0; i < ROWS; i++) {
    start[i] = lambda[i] = number(&b);
  }
  run_fast(&p, start);
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  if (p.nrow <= 12 && lb_contact_reference(&p, &arena, lambda, u, &report) == LB_OK) {
    judge(&p, report, LB_CONTACT_REFERENCE_TOLERANCE, lambda);
  }
  lb_contact_printed(&p, &arena, lambda, u);
  lb_arena_release(&arena);
  return 0;
}
