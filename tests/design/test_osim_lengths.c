// Lengths of muscles of a gait model along a walk, against those that OpenSim 4.4.1 computed: paths
// through fixed, moving and conditional points over joints whose functions are splines.
#include <sys/stat.h>

#include "dynamics/force/force.h"
#include "dynamics/muscle/path.h"
#include "limber/inverse.h"
#include "scene/table/number_table.h"
#include "test.h"

static const char* shared(char* path, size_t size, const char* rest) {
  const char* root = getenv("LIMBER_SHARED");
  struct stat status;
  snprintf(path, size, "%s/data/osim/opensim-core/OpenSim/%s", root ? root : "", rest);
  return root && stat(path, &status) == 0 ? path : NULL;
}

// The column "/forceset/NAME|length".
static int find_length(const lb_numbers* n, const char* muscle) {
  char name[200];
  snprintf(name, sizeof name, "/forceset/%s|length", muscle);
  return lb_numbers_column(n, name);
}

static void lengths_along_a_walk_are_those_of_opensim(void** state) {
  (void)state;
  char model[1000], motion[1000], lengths[1000];
  if (!shared(model, sizeof model, "Moco/Test/walk_gait1018_subject01.osim") ||
      !shared(motion, sizeof motion, "Moco/Test/walk_gait1018_state_reference.mot") ||
      !shared(lengths, sizeof lengths,
              "Tests/Wrapping/std_testGeometryPathWrapping_walk_gait1018_muscle_lengths.sto")) {
    skip();
  }
  lb_scene s = {0};
  lb_model* m = NULL;
  lb_data* d = NULL;
  lb_joint_motion* x = NULL;
  lb_numbers n;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  assert_int_equal(lb_scene_read(model, NULL, &s, NULL), LB_OK);
  assert_int_equal(lb_model_create(&s, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_joint_motion_read(motion, m, NULL, &x, NULL), LB_OK);
  assert_int_equal(lb_numbers_read(lengths, "table", &arena, &n, NULL), LB_OK);
  assert_int_equal(m->muscle.count, 18);
  assert_int_equal(x->nsample, 151);
  assert_int_equal(n.nrow, 151);
  double most = 0;
  lb_path* p = LB_TAKE(&arena, lb_path, 1);
  for (int i = 0; i < x->nsample; i++) {
    memcpy(d->q, x->q + (size_t)i * (size_t)m->nq, (size_t)m->nq * sizeof *d->q);
    lb_update(m, d, LB_ORIGINS);
    for (int k = 0; k < m->muscle.count; k++) {
      const int column = find_length(&n, m->muscle.item[k].name);
      assert_true(column > 0);
      lb_path_find(p, m->muscle.item[k].path, d->work, d->q, d->qd);
      const double off = fabs(p->length - n.value[(size_t)i * (size_t)n.ncolumn + (size_t)column]);
      if (off > 1e-6) {
        print_error("%s at %g s: off by %g m\n", m->muscle.item[k].name, x->time[i], off);
      }
      most = fmax(most, off);
    }
  }
  print_message("largest difference of 18 muscles over 151 rows: %g m\n", most);
  assert_true(most < 1e-6);
  lb_joint_motion_release(x);
  lb_arena_release(&arena);
  lb_data_release(d);
  lb_model_release(m);
  lb_scene_release(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lengths_along_a_walk_are_those_of_opensim),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
