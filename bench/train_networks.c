// Networks of [red] 6.2.6 in the authors' form, trained for figures 6.7 to 6.11: layers 1 to 12 of
// 128 or 256, with samples dropped below thresholds of 1 to 20 %. Each is a file in FOLDER, and
// losses.csv has their convergence.
//
//   limber_train_networks FOLDER [cpu|cuda] [EPOCHS] [AT ONCE] [FIRST] [LAST]
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "networks.h"

enum { SAMPLES = 30000, TESTS = 4000, BATCH = 1000, POINTS = 200 };

typedef struct training {
  network_case of;
  double loss[POINTS], position; // over the epochs; off by, on samples that were not trained with
  int points;
} training;

static training all[NETWORK_CASES];
static atomic_int next, done;
static int count, epochs = 100;
static const char* folder;
static const lb_train_backend* by;

static void fail(const char* what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static void save(const lb_wrap_network* w, const network_case* c, lb_arena* arena) {
  char path[400], *bytes;
  size_t size;
  snprintf(path, sizeof path, "%s/%s.npz", folder, network_name(c).text);
  FILE* f = fopen(path, "wb");
  if (!f || lb_wrap_network_pack(w, arena, &bytes, &size) != LB_OK ||
      fwrite(bytes, 1, size, f) != size || fclose(f) != 0) {
    fail("cannot write a network");
  }
}

static void train(training* t) {
  const network_case* c = &t->of;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_wrap_network w = {.form = LB_FORM_POINTS};
  lb_train_data data, test;
  lb_train_state s;
  const lb_train_options o = {
      .epochs = epochs, .batch = BATCH, .rate = 1e-4, .seed = 1, .threads = 1};
  int* order = malloc(SAMPLES * sizeof *order);
  if (!lb_network_make(&w.net, 8, c->layers, c->width, 3, &arena) ||
      !lb_train_data_make(&data, SAMPLES, 8, 3, false, &arena) ||
      !lb_train_data_make(&test, TESTS, 8, 3, false, &arena) ||
      !lb_train_state_make(&s, &w.net, &arena)) {
    fail("out of memory");
  }
  lb_network_start(&w.net, o.seed);
  lb_wrap_network_samples(w.form, 0.01 * c->percent, 1, &data);
  lb_wrap_network_samples(w.form, 0, 2, &test);
  lb_trainer* trainer = by->create(&w.net, &s, &data, &o, NULL);
  if (!trainer) {
    fail("cannot begin");
  }
  for (int e = 0; e < epochs; e++) {
    const double loss = lb_train_epoch(by, trainer, &w.net, &s, &o, order, SAMPLES);
    if ((e + 1) % (epochs / POINTS > 0 ? epochs / POINTS : 1) == 0 && t->points < POINTS) {
      t->loss[t->points++] = loss;
    }
  }
  if (by->read && !by->read(trainer, &w.net, &s)) {
    fail("cannot read back");
  }
  t->position = sqrt(lb_train_evaluate(&w.net, &test, &o, NULL).position);
  save(&w, c, &arena);
  printf("%3d %-10s loss %.3g, off by %.3g\n", atomic_fetch_add(&done, 1) + 1, network_name(c).text,
         t->points ? t->loss[t->points - 1] : NAN, t->position);
  fflush(stdout);
  by->release(trainer);
  free(order);
  lb_arena_release(&arena);
}

// Each thread takes the next one; the largest come first.
static void* work(void* context) {
  (void)context;
  for (int i = atomic_fetch_add(&next, 1); i < count; i = atomic_fetch_add(&next, 1)) {
    train(&all[i]);
  }
  return NULL;
}

static void write_losses(void) {
  char path[400];
  snprintf(path, sizeof path, "%s/losses.csv", folder);
  FILE* f = fopen(path, "w");
  if (!f) {
    fail("cannot write losses.csv");
  }
  for (int i = 0; i < count; i++) {
    fprintf(f, "%s,%d,%g", network_name(&all[i].of).text, epochs, all[i].position);
    for (int k = 0; k < all[i].points; k++) {
      fprintf(f, ",%g", all[i].loss[k]);
    }
    fprintf(f, "\n");
  }
  fclose(f);
}

static int compare(const void* a, const void* b) {
  const network_case *x = &((const training*)a)->of, *y = &((const training*)b)->of;
  return y->layers * y->width - x->layers * x->width;
}

int main(int argc, char** argv) {
  const char* why = "";
  if (argc < 2 || !(by = lb_train_backend_find(argc > 2 ? argv[2] : "cpu", &why))) {
    fprintf(stderr,
            "limber_train_networks FOLDER [cpu|cuda] [EPOCHS] [AT ONCE] [FIRST] [LAST] %s\n", why);
    return 2;
  }
  folder = argv[1];
  epochs = argc > 3 ? atoi(argv[3]) : epochs;
  const int at_once = argc > 4 ? atoi(argv[4]) : 1, first = argc > 5 ? atoi(argv[5]) : 0;
  const int last = argc > 6 ? atoi(argv[6]) : NETWORK_CASES - 1;
  for (int i = first; i <= last && i < NETWORK_CASES; i++) {
    all[count++].of = network_case_of(i);
  }
  qsort(all, (size_t)count, sizeof *all, compare);
  pthread_t thread[64];
  for (int i = 0; i < at_once && i < 64; i++) {
    pthread_create(&thread[i], NULL, work, NULL);
  }
  for (int i = 0; i < at_once && i < 64; i++) {
    pthread_join(thread[i], NULL);
  }
  write_losses();
  return 0;
}
