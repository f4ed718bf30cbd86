// OpenSim's Tug of War: a muscle of Millard's with an elastic tendon pulls at a block on a rail. It
// is in equilibrium along the file of OpenSim's test, and a run moves the block as it pulls.
#include <math.h>
#include <sys/stat.h>

#include "limber/limber.h"
#include "math/muscle/hill.h"
#include "model/use/model_path.h"
#include "scene/table/number_table.h"
#include "test.h"

#define FOLDER "/data/osim/opensim-core/Applications/Analyze/tests/resources/Tug_of_War_"

typedef struct tug {
  lb_scene s;
  lb_model* m;
  lb_data* d;
  const lb_hill* h;
} tug;

static const char* shared(char* path, size_t size, const char* rest) {
  const char* root = getenv("LIMBER_SHARED");
  struct stat status;
  snprintf(path, size, "%s" FOLDER "%s", root ? root : "", rest);
  return root && stat(path, &status) == 0 ? path : NULL;
}

static bool open_tug(tug* t) {
  char path[1000];
  *t = (tug){.m = NULL};
  if (!shared(path, sizeof path, "Millard_Iso.osim")) {
    return false;
  }
  assert_int_equal(lb_scene_read(path, NULL, &t->s, NULL), LB_OK);
  assert_int_equal(lb_model_create(&t->s, NULL, &t->m, NULL), LB_OK);
  assert_int_equal(lb_data_create(t->m, NULL, &t->d, NULL), LB_OK);
  assert_int_equal(t->m->nq, 1);
  assert_int_equal(t->m->muscle.count, 1);
  t->h = t->m->muscle.item[0].hill;
  return true;
}

static void close_tug(tug* t) {
  lb_data_release(t->d);
  lb_model_release(t->m);
  lb_scene_release(&t->s);
}

static double path_length(tug* t, double q) {
  t->d->q[0] = q;
  lb_poses(t->m, t->d);
  return lb_model_path_length(t->m->muscle.item[0].path, t->d->pose, t->d->q);
}

// f_se - (a f_l f_v + f_pe + damping v), over F_o: it has no pennation.
static double unbalance(const lb_hill* h, double a, double l, double v, double L) {
  const double tendon = LB_HILL_TYPE[h->kind]->tendon(h->curves, (L - l) / h->slack).y;
  return tendon - lb_hill_fiber_at(h, a, l / h->fiber, v / (h->speed * h->fiber)).f;
}

// Rows of OpenSim's own check, which asks for 1.5e-8 F_o and steps below a tenth of it.
static void the_muscle_is_in_equilibrium_in_every_row(void** state) {
  (void)state;
  char path[1000];
  tug t;
  lb_numbers n;
  lb_arena arena;
  if (!open_tug(&t) || !shared(path, sizeof path, "ConstantVelocity_RampActivation.sto")) {
    skip();
  }
  lb_arena_init(&arena, NULL);
  assert_int_equal(lb_numbers_read(path, "table", &arena, &n, NULL), LB_OK);
  assert_int_equal(n.nrow, 101);
  assert_int_equal(n.ncolumn, 3);
  const double F = t.h->force;
  double off = 0, jump = 0, last = NAN, most = 0;
  for (int i = 0; i < n.nrow; i++) {
    const double *row = n.value + 3 * (size_t)i, a = fmax(row[2], 0.01);
    const double L = path_length(&t, row[1]);
    const lb_hill_force f = lb_hill_force_ahead(t.h, a, t.h->fiber, 0, L, 0, t.h->fiber);
    off = fmax(off, fabs(unbalance(t.h, a, f.fiber, 0, L)));
    jump = i > 0 ? fmax(jump, fabs(f.force - last)) : jump;
    last = f.force;
    most = fmax(most, last);
  }
  print_message("equilibrium off by %.2g F, steps of %.2g F, up to %.4g N\n", off, jump / F, most);
  assert_below(off, 1e-8);
  assert_below(jump, 0.1 * F);
  assert_above(most, 0.5 * F);
  lb_arena_release(&arena);
  close_tug(&t);
}

// From full activation, which fades: the block gains the impulse of the tendon, and the fibre moves
// as it and the tendon pull alike. The first step finds the fibre's length.
static void run(double h, double* place, double* impulse_off, double* balance_off) {
  tug t;
  lb_stepper* stepper;
  assert_true(open_tug(&t));
  assert_int_equal(lb_assemble(t.m, t.d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(t.m, NULL, NULL, &stepper, NULL), LB_OK);
  const int n = (int)round(0.2 / h);
  double impulse = 0, pull = 0, first = 0, a[3] = {0}, l[3] = {0}, L[3] = {0};
  *balance_off = *impulse_off = 0;
  for (int i = 1; i <= n; i++) {
    assert_int_equal(lb_stepper_step(stepper, t.d, h, NULL), LB_OK);
    const double q = t.d->q[0], v = t.d->qd[0], e = 1e-5, before = pull;
    const double slope = (path_length(&t, q + e) - path_length(&t, q - e)) / (2 * e);
    L[2] = path_length(&t, q);
    a[2] = t.d->x[0];
    l[2] = t.d->x[1];
    pull = -slope * lb_hill_force_at(t.h, a[2], l[2], L[2], slope * v).force;
    first = i == 1 ? 20 * v : first;
    impulse += i > 1 ? 0.5 * h * (pull + before) : 0;
    *impulse_off = fmax(*impulse_off, fabs(20 * v - first - impulse));
    if (i > 2) {
      const double rate = (l[2] - l[0]) / (2 * h);
      *balance_off = fmax(*balance_off, fabs(unbalance(t.h, a[1], l[1], rate, L[1])));
    }
    for (int k = 0; k < 2; k++) {
      a[k] = a[k + 1];
      l[k] = l[k + 1];
      L[k] = L[k + 1];
    }
    *place = q;
  }
  assert_above(fabs(t.d->qd[0]), 0.5);
  lb_stepper_release(stepper);
  close_tug(&t);
}

static void a_run_moves_the_block_as_the_muscle_pulls(void** state) {
  (void)state;
  char path[1000];
  if (!shared(path, sizeof path, "Millard_Iso.osim")) {
    skip();
  }
  double place[2], impulse[2], balance[2];
  for (int k = 0; k < 2; k++) {
    run(k == 0 ? 1e-3 : 0.25e-3, &place[k], &impulse[k], &balance[k]);
    print_message("at %.6g m; impulse off by %.2g N s, fibre by %.2g F\n", place[k], impulse[k],
                  balance[k]);
  }
  assert_near(place[0], place[1], 2e-4);
  assert_below(impulse[1], 1e-3);
  assert_below(impulse[1], impulse[0] / 8); // of the second order
  assert_below(balance[1], 2e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_muscle_is_in_equilibrium_in_every_row),
      cmocka_unit_test(a_run_moves_the_block_as_the_muscle_pulls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
