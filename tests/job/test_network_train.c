// job: training of networks, from options to a file.
#include <unistd.h>

#include "base/npz.h"
#include "limber/network.h"
#include "output/file/whole_file.h"
#include "test.h"

static lb_network_options tiny(const char* out) {
  lb_network_options o = lb_network_default(LB_FORM_SCALED);
  o.layers = 2;
  o.width = 8;
  o.samples = 700;
  o.epochs = 12;
  o.batch = 100;
  o.out = out;
  return o;
}

typedef struct bytes {
  char data[60000];
  size_t size;
} bytes;

static bytes content(const char* dir, const char* name) {
  bytes b = {.size = 0};
  char path[300];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE* f = fopen(path, "rb");
  if (f) {
    b.size = fread(b.data, 1, sizeof b.data, f);
    fclose(f);
  }
  return b;
}

static void assert_same(const bytes* a, const bytes* b) {
  assert_true(a->size > 0);
  assert_int_equal(a->size, b->size);
  assert_memory_equal(a->data, b->data, a->size);
}

static bool stop(void* context, double fraction, const char* what) {
  (void)what;
  return fraction < *(double*)context;
}

static void a_training_is_the_same_each_time_and_when_it_is_resumed(void** state) {
  (void)state;
  lb_network_report report;
  lb_network_options o = tiny("train-once");
  assert_int_equal(lb_network_train(&o, NULL, &report, NULL), LB_OK);
  assert_int_equal(report.epochs, 12);
  assert_true(report.position > 0 && report.slope > 0);
  const bytes once = content("train-once", "network.npz");
  o = tiny("train-twice");
  o.threads = 3;
  assert_int_equal(lb_network_train(&o, NULL, &report, NULL), LB_OK);
  const bytes twice = content("train-twice", "network.npz");
  assert_same(&once, &twice);

  double until = 0.5;
  o = tiny("train-parts");
  o.progress = (lb_progress){stop, &until};
  assert_int_equal(lb_network_train(&o, NULL, &report, NULL), LB_INTERRUPTED);
  assert_int_equal(report.epochs, 6);
  assert_true(content("train-parts", "network.npz").size > 0); // the best so far
  assert_true(content("train-parts", "network.state").size > 0);
  until = 2;
  o.resume = true;
  assert_int_equal(lb_network_train(&o, NULL, &report, NULL), LB_OK);
  const bytes parts = content("train-parts", "network.npz");
  assert_same(&once, &parts);
  assert_int_equal(content("train-parts", "network.state").size, 0); // it is done
}

static void refuse(const lb_network_options* o, const char* words) {
  lb_network_report report;
  lb_error err = lb_error_make(NULL);
  assert_int_not_equal(lb_network_train(o, NULL, &report, &err), LB_OK);
  assert_true(err.count > 0);
  if (!strstr(err.message[0].text, words)) {
    fail_msg("'%s' does not say '%s'", err.message[0].text, words);
  }
  lb_error_clear(&err);
}

static void what_cannot_be_trained_is_refused(void** state) {
  (void)state;
  lb_network_options o = tiny("train-bad");
  o.width = 0;
  refuse(&o, "width must be between 1 and 512");
  o = tiny("train-bad");
  o.device = "abacus";
  refuse(&o, "device 'abacus' is not known");
  o = tiny("train-bad");
  o.resume = true;
  refuse(&o, "network.state");
  double until = 0.3;
  o = tiny("train-other");
  o.progress = (lb_progress){stop, &until};
  lb_network_report report;
  assert_int_equal(lb_network_train(&o, NULL, &report, NULL), LB_INTERRUPTED);
  o.resume = true;
  o.width = 9;
  refuse(&o, "other options");
}

// A state as it was kept, with one array changed.
static void change(const char* name, int at, double to) {
  lb_arena arena;
  lb_npz npz;
  lb_bytes out = {0};
  lb_arena_init(&arena, NULL);
  const bytes was = content("train-other", "network.state");
  assert_int_equal(lb_npz_parse(was.data, was.size, "state", &arena, &npz, NULL), LB_OK);
  const lb_npz_array* a = lb_npz_find(&npz, name);
  assert_non_null(a);
  if (a->type == LB_NPZ_INT) {
    ((int*)a->data)[at] = (int)to;
  } else {
    ((double*)a->data)[at] = to;
  }
  assert_int_equal(lb_npz_pack(npz.array, npz.count, &arena, &out.data, &out.size), LB_OK);
  assert_int_equal(lb_file_write("train-changed", "network.state", lb_file_bytes, &out, NULL, NULL),
                   LB_OK);
  lb_arena_release(&arena);
}

static void states_that_no_training_keeps_are_refused(void** state) {
  (void)state;
  static const struct {
    const char* name;
    int at;
    double to;
    const char* words;
  } CASES[] = {{"at", 0, -1, "no training stops at epoch -1 of 12"},
               {"at", 0, 13, "no training stops at epoch 13 of 12"},
               {"at", 1, 29, "step 29"},
               {"loss", 0, NAN, "with a loss of"},
               {"weight", 3, NAN, "'weight' has numbers that are not finite"},
               {"m", 0, INFINITY, "'m' has numbers that are not finite"},
               {"best", 1, -INFINITY, "'best' has numbers that are not finite"}};
  double until = 0.3;
  lb_network_report report;
  lb_network_options o = tiny("train-other");
  o.progress = (lb_progress){stop, &until};
  assert_int_equal(lb_network_train(&o, NULL, &report, NULL), LB_INTERRUPTED);
  o.out = "train-changed";
  assert_int_equal(lb_network_train(&o, NULL, &report, NULL), LB_INTERRUPTED);
  o.resume = true;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    lb_error err = lb_error_make(NULL);
    change(CASES[i].name, CASES[i].at, CASES[i].to);
    refuse(&o, CASES[i].words);
    assert_int_equal(lb_network_train(&o, NULL, &report, &err), LB_INVALID);
    assert_string_equal(err.message[0].place.file, "train-changed/network.state");
    lb_error_clear(&err);
  }
}

static void the_authors_form_trains_too(void** state) {
  (void)state;
  lb_network_options o = lb_network_default(LB_FORM_POINTS);
  lb_network_report report;
  o.layers = 2;
  o.width = 16;
  o.samples = 500;
  o.epochs = 3;
  o.out = "train-points";
  assert_int_equal(lb_network_train(&o, NULL, &report, NULL), LB_OK);
  assert_int_equal(report.weights, 16 * 9 + 16 * 17 + 3 * 17);
  assert_true(isnan(report.slope));
}

int main(void) {
  char folder[] = "/tmp/limber-train-XXXXXX";
  if (!mkdtemp(folder) || chdir(folder) != 0) {
    return 1;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_training_is_the_same_each_time_and_when_it_is_resumed),
      cmocka_unit_test(what_cannot_be_trained_is_refused),
      cmocka_unit_test(states_that_no_training_keeps_are_refused),
      cmocka_unit_test(the_authors_form_trains_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
