// math: dense networks, and their training.
#include "math/network/train.h"
#include "test.h"

enum { INPUTS = 3, OUTPUTS = 2, SAMPLES = 300 };

// Samples of a smooth function with its derivatives and a gain that is not one.
static void fill(lb_train_data* d, uint64_t seed) {
  lb_random r = {seed};
  const int along = 1 + d->ndir;
  for (int i = 0; i < d->count; i++) {
    double* x = d->x + i * INPUTS;
    for (int k = 0; k < INPUTS; k++) {
      x[k] = lb_random_between(&r, -1, 1);
    }
    double* g = d->gain + i * along;
    g[0] = 1 + 0.5 * x[0];
    for (int k = 0; k < OUTPUTS; k++) {
      double* t = d->target + (i * OUTPUTS + k) * along;
      const double u = x[0] + (k + 1) * x[1] - x[2];
      t[0] = sin(u);
      if (d->ndir > 0) {
        g[1] = 0.5;
        t[1] = cos(u);
        t[2] = (k + 1) * cos(u);
        t[3] = -cos(u);
      }
    }
  }
}

typedef struct fixture {
  lb_arena arena;
  lb_network net;
  lb_train_data data;
  lb_train_state state;
} fixture;

static void make(fixture* f, int layers, int width, int samples, bool slopes) {
  lb_arena_init(&f->arena, NULL);
  assert_true(lb_network_make(&f->net, INPUTS, layers, width, OUTPUTS, &f->arena));
  assert_true(lb_train_data_make(&f->data, samples, INPUTS, OUTPUTS, slopes, &f->arena));
  assert_true(lb_train_state_make(&f->state, &f->net, &f->arena));
  lb_network_start(&f->net, 3);
  fill(&f->data, 99);
}

static void check_gradient(bool slopes, double weight) {
  fixture f;
  make(&f, 3, 7, SAMPLES, slopes);
  const lb_train_options o = {.weight = weight, .threads = 1};
  const int n = (int)lb_network_count(&f.net);
  assert_int_equal(n, 7 * 4 + 2 * 7 * 8 + 2 * 8);
  double* g = LB_TAKE(&f.arena, double, n);
  lb_train_gradient(&f.net, &f.data, &o, g, NULL);
  for (int i = 0; i < n; i++) {
    static const double H = 1e-3, C[] = {0.8, -0.2, 4. / 105, -1. / 280};
    const double kept = f.net.weight[i];
    double difference = 0;
    for (int k = 1; k <= 4; k++) {
      f.net.weight[i] = kept + k * H;
      const double above = lb_train_evaluate(&f.net, &f.data, &o, NULL).all;
      f.net.weight[i] = kept - k * H;
      difference += C[k - 1] * (above - lb_train_evaluate(&f.net, &f.data, &o, NULL).all) / H;
    }
    f.net.weight[i] = kept;
    assert_near(g[i], difference, 1e-9);
  }
  lb_arena_release(&f.arena);
}

static void gradient_of_the_loss_equals_its_differences(void** state) {
  (void)state;
  check_gradient(false, 0);
}

static void gradient_with_slopes_equals_its_differences(void** state) {
  (void)state;
  check_gradient(true, 0.3);
}

static void derivatives_of_the_output_equal_its_differences(void** state) {
  (void)state;
  fixture f;
  make(&f, 2, 9, 1, true);
  static const double H = 1e-3;
  lb_network_pass p, q;
  assert_true(lb_network_pass_make(&p, &f.net, 1 + INPUTS, &f.arena));
  assert_true(lb_network_pass_make(&q, &f.net, 1, &f.arena));
  p.n = q.n = 1;
  p.ndir = INPUTS;
  q.ndir = 0;
  for (int i = 0; i < INPUTS; i++) {
    for (int j = 0; j <= INPUTS; j++) {
      p.a[0][i * (1 + INPUTS) + j] = j == 0 ? 0.3 * (i + 1) : j - 1 == i;
    }
  }
  lb_network_forward(&f.net, &p);
  for (int d = 0; d < INPUTS; d++) {
    double y[4][OUTPUTS];
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < INPUTS; i++) {
        q.a[0][i] = 0.3 * (i + 1) + (i == d ? H * (s < 2 ? s - 2 : s - 1) : 0);
      }
      lb_network_forward(&f.net, &q);
      memcpy(y[s], q.a[f.net.nlayer], sizeof y[s]);
    }
    for (int k = 0; k < OUTPUTS; k++) {
      const double slope = (y[0][k] - 8 * y[1][k] + 8 * y[2][k] - y[3][k]) / (12 * H);
      assert_near(p.a[f.net.nlayer][k * (1 + INPUTS) + 1 + d], slope, 1e-10);
    }
  }
  lb_arena_release(&f.arena);
}

// Weights after some epochs, and where it is stopped in between.
static double train(fixture* f, int threads, int stop_after) {
  lb_train_options o = {.epochs = 120,
                        .batch = 128,
                        .rate = 5e-3,
                        .decay = true,
                        .weight = 0.1,
                        .seed = 7,
                        .threads = threads};
  int order[SAMPLES];
  double loss = 0;
  lb_trainer* t = lb_train_cpu.create(&f->net, &f->state, &f->data, &o, NULL);
  assert_non_null(t);
  for (int e = 0; e < o.epochs; e++) {
    if (e == stop_after) { // as another run would go on
      lb_train_cpu.release(t);
      t = lb_train_cpu.create(&f->net, &f->state, &f->data, &o, NULL);
    }
    loss = lb_train_epoch(&lb_train_cpu, t, &f->net, &f->state, &o, order, SAMPLES);
  }
  lb_train_cpu.release(t);
  return loss;
}

static void training_is_the_same_to_the_bit_for_any_threads_and_when_resumed(void** state) {
  (void)state;
  fixture a, b, c;
  make(&a, 2, 24, SAMPLES, true);
  make(&b, 2, 24, SAMPLES, true);
  make(&c, 2, 24, SAMPLES, true);
  const lb_train_options o = {.weight = 0.1, .threads = 1};
  const double before = lb_train_evaluate(&a.net, &a.data, &o, NULL).all;
  train(&a, 1, -1);
  train(&b, 3, -1);
  train(&c, 2, 11);
  const size_t bytes = lb_network_count(&a.net) * sizeof(double);
  assert_memory_equal(a.net.weight, b.net.weight, bytes);
  assert_memory_equal(a.net.weight, c.net.weight, bytes);
  assert_below(lb_train_evaluate(&a.net, &a.data, &o, NULL).all, 0.1 * before);
  lb_arena_release(&a.arena);
  lb_arena_release(&b.arena);
  lb_arena_release(&c.arena);
}

static void a_shuffle_has_every_sample_once(void** state) {
  (void)state;
  int order[SAMPLES], other[SAMPLES], seen[SAMPLES] = {0};
  lb_train_shuffle(order, SAMPLES, 1, 2);
  lb_train_shuffle(other, SAMPLES, 1, 3);
  assert_memory_not_equal(order, other, sizeof order);
  for (int i = 0; i < SAMPLES; i++) {
    assert_true(order[i] >= 0 && order[i] < SAMPLES && !seen[order[i]]++);
  }
}

static void backends_that_are_not_there_say_why(void** state) {
  (void)state;
  const char* why = NULL;
  assert_null(lb_train_backend_find("abacus", &why));
  assert_non_null(strstr(why, "not known"));
  assert_ptr_equal(lb_train_backend_find("cpu", &why), &lb_train_cpu);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradient_of_the_loss_equals_its_differences),
      cmocka_unit_test(gradient_with_slopes_equals_its_differences),
      cmocka_unit_test(derivatives_of_the_output_equal_its_differences),
      cmocka_unit_test(training_is_the_same_to_the_bit_for_any_threads_and_when_resumed),
      cmocka_unit_test(a_shuffle_has_every_sample_once),
      cmocka_unit_test(backends_that_are_not_there_say_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
