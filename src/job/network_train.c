// Training of a network, from options to its file. What is needed to go on is kept beside it.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/npz.h"
#include "geom/mesh/file_load.h"
#include "geom/path/wrap_network.h"
#include "output/file/whole_file.h"

static const char FILE_NAME[] = "network.npz", STATE_NAME[] = "network.state";

enum { TESTS = 4000, CHECKS = 50 };
static const double KEEP_EVERY = 60; // [s]

lb_network_options lb_network_default(lb_network_form form) {
  const bool scaled = form == LB_FORM_SCALED;
  return (lb_network_options){.form = form,
                              .layers = scaled ? 3 : 6,
                              .width = scaled ? 48 : 256,
                              .samples = scaled ? 60000 : 30000,
                              .epochs = scaled ? 150 : 2000,
                              .batch = scaled ? 256 : 1000,
                              .rate = scaled ? 3e-3 : 1e-4,
                              .threshold = 0.01,
                              .weight = scaled ? 0.02 : 0,
                              .seed = 1,
                              .threads = 1,
                              .device = "cpu"};
}

typedef struct training {
  const lb_network_options* o;
  lb_arena arena;
  lb_wrap_network w;
  lb_train_data data, test;
  lb_train_options by;
  lb_train_state state;
  const lb_train_backend* backend;
  lb_trainer* trainer;
  int* order;
  lb_error* err;
} training;

static const lb_place NOWHERE = {0};

static lb_status no_memory(training* t) {
  return lb_error_add(t->err, LB_NO_MEMORY, NOWHERE, "out of memory for a training");
}

static lb_status check(const lb_network_options* o, lb_error* err) {
  const struct {
    const char* name;
    double value, least, most;
  } bound[] = {{"layers", o->layers, 1, LB_NETWORK_MOST_LAYERS - 1},
               {"width", o->width, 1, LB_NETWORK_MOST_WIDTH},
               {"samples", o->samples, 1, 1e7},
               {"epochs", o->epochs, 1, 1e7},
               {"batch", o->batch, 1, 1e6},
               {"rate", o->rate, 1e-12, 1},
               {"threshold", o->threshold, 0, 0.5}};
  lb_status status = LB_OK;
  for (size_t i = 0; i < sizeof bound / sizeof *bound; i++) {
    if (!(bound[i].value >= bound[i].least && bound[i].value <= bound[i].most)) {
      status = lb_error_add(err, LB_INVALID, NOWHERE, "%s must be between %g and %g, not %g",
                            bound[i].name, bound[i].least, bound[i].most, bound[i].value);
    }
  }
  return status;
}

// Options that the weights depend on; where it is computed is not among them.
static uint64_t key_of(const lb_network_options* o) {
  const double number[] = {(double)o->form, o->layers,    o->width,  o->samples,      o->epochs,
                           o->batch,        o->threshold, o->weight, (double)o->seed, o->rate};
  return lb_hash(LB_HASH_START, number, sizeof number);
}

// --- files ---

static lb_status write_bytes(training* t, const char* name, lb_status packed, lb_bytes* bytes) {
  return packed == LB_OK
             ? lb_file_write(t->o->out, name, lb_file_bytes, bytes, t->arena.allocator, t->err)
             : no_memory(t);
}

static lb_status save_network(training* t) {
  const lb_arena_mark mark = lb_arena_here(&t->arena);
  lb_wrap_network best = t->w;
  lb_bytes bytes = {0};
  best.net.weight = isfinite(t->state.best_loss) ? t->state.best : t->w.net.weight;
  const lb_status packed = lb_wrap_network_pack(&best, &t->arena, &bytes.data, &bytes.size);
  const lb_status status = write_bytes(t, FILE_NAME, packed, &bytes);
  lb_arena_reset(&t->arena, mark);
  return status;
}

static lb_status save_state(training* t) {
  const lb_arena_mark mark = lb_arena_here(&t->arena);
  const uint64_t key = key_of(t->o);
  const int at[] = {t->state.epoch, t->state.step, (int)(uint32_t)key, (int)(uint32_t)(key >> 32)};
  const int n = (int)lb_network_count(&t->w.net);
  const lb_npz_array part[] = {{"at", LB_NPZ_INT, 1, {4}, at, NULL},
                               {"loss", LB_NPZ_NUMBER, 1, {1}, &t->state.best_loss, NULL},
                               {"weight", LB_NPZ_NUMBER, 1, {n}, t->w.net.weight, NULL},
                               {"m", LB_NPZ_NUMBER, 1, {n}, t->state.m, NULL},
                               {"v", LB_NPZ_NUMBER, 1, {n}, t->state.v, NULL},
                               {"best", LB_NPZ_NUMBER, 1, {n}, t->state.best, NULL}};
  lb_bytes bytes = {0};
  const lb_status packed =
      lb_npz_pack(part, sizeof part / sizeof *part, &t->arena, &bytes.data, &bytes.size);
  const lb_status status = write_bytes(t, STATE_NAME, packed, &bytes);
  lb_arena_reset(&t->arena, mark);
  return status;
}

// Where a training stopped: among its epochs, with all their steps.
static bool is_place(const training* t, int epoch, int step) {
  return epoch >= 0 && epoch <= t->o->epochs &&
         step == (int64_t)epoch * lb_train_steps(&t->data, &t->by);
}

static bool are_finite(const double* x, int count) {
  bool all = true;
  for (int i = 0; i < count && all; i++) {
    all = isfinite(x[i]);
  }
  return all;
}

static lb_status take_state(training* t, const lb_npz* npz) {
  const lb_place file = {.file = npz->name};
  const uint64_t key = key_of(t->o);
  const int count = (int)lb_network_count(&t->w.net);
  int nat[] = {4}, one[] = {1};
  const int* at = lb_npz_get(npz, "at", LB_NPZ_INT, 1, nat, t->err);
  const double* loss = at ? lb_npz_get(npz, "loss", LB_NPZ_NUMBER, 1, one, t->err) : NULL;
  if (!loss) {
    return LB_INVALID;
  }
  if (at[2] != (int)(uint32_t)key || at[3] != (int)(uint32_t)(key >> 32)) {
    return lb_error_add(t->err, LB_INVALID, file,
                        "this training was begun with other options (leave --resume away to begin "
                        "anew)");
  }
  if (!is_place(t, at[0], at[1]) || !(*loss >= 0)) {
    return lb_error_add(t->err, LB_INVALID, file,
                        "no training stops at epoch %d of %d, step %d, with a loss of %g", at[0],
                        t->o->epochs, at[1], *loss);
  }
  const struct {
    const char* name;
    double* to;
  } array[] = {
      {"weight", t->w.net.weight}, {"m", t->state.m}, {"v", t->state.v}, {"best", t->state.best}};
  for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
    int n[] = {count};
    const double* from = lb_npz_get(npz, array[i].name, LB_NPZ_NUMBER, 1, n, t->err);
    if (!from) {
      return LB_INVALID;
    }
    if (!are_finite(from, count)) {
      return lb_error_add(t->err, LB_INVALID, file, "'%s' has numbers that are not finite",
                          array[i].name);
    }
    memcpy(array[i].to, from, (size_t)count * sizeof *from);
  }
  t->state.epoch = at[0];
  t->state.step = at[1];
  t->state.best_loss = *loss;
  return LB_OK;
}

static lb_status load_state(training* t) {
  char path[4200], *text;
  size_t size;
  lb_npz npz;
  snprintf(path, sizeof path, "%s/%s", t->o->out, STATE_NAME);
  lb_status status = lb_load(path, "training to resume", NOWHERE, &t->arena, &text, &size, t->err);
  status = status == LB_OK ? lb_npz_parse(text, size, path, &t->arena, &npz, t->err) : status;
  return status == LB_OK ? take_state(t, &npz) : status;
}

// --- the run ---

static lb_status begin(training* t) {
  const lb_network_options* o = t->o;
  const int in = lb_network_form_inputs(o->form), out = lb_network_form_outputs(o->form);
  const bool slopes = o->form == LB_FORM_SCALED;
  const char* why = NULL;
  t->backend = lb_train_backend_find(o->device, &why);
  if (!t->backend) {
    return lb_error_add(t->err, LB_INVALID, NOWHERE, "device '%s' %s", o->device, why);
  }
  t->w = (lb_wrap_network){.form = o->form};
  t->order = LB_TAKE(&t->arena, int, o->samples);
  if (!t->order || !lb_network_make(&t->w.net, in, o->layers, o->width, out, &t->arena) ||
      !lb_train_data_make(&t->data, o->samples, in, out, slopes, &t->arena) ||
      !lb_train_data_make(&t->test, TESTS, in, out, slopes, &t->arena) ||
      !lb_train_state_make(&t->state, &t->w.net, &t->arena)) {
    return no_memory(t);
  }
  t->by = (lb_train_options){.epochs = o->epochs,
                             .batch = o->batch,
                             .rate = o->rate,
                             .decay = slopes,
                             .weight = o->weight,
                             .seed = o->seed,
                             .threads = o->threads};
  lb_network_start(&t->w.net, o->seed);
  lb_wrap_network_samples(o->form, o->threshold, 2 * o->seed, &t->data);
  lb_wrap_network_samples(o->form, 0, 2 * o->seed + 1, &t->test);
  lb_status status = o->resume ? load_state(t) : LB_OK;
  if (status == LB_OK) {
    t->trainer = t->backend->create(&t->w.net, &t->state, &t->data, &t->by, t->arena.allocator);
    status = t->trainer ? LB_OK
                        : lb_error_add(t->err, LB_FAILED, NOWHERE,
                                       "device '%s' cannot be used, or has no memory", o->device);
  }
  return status;
}

static bool read_back(training* t) {
  return !t->backend->read || t->backend->read(t->trainer, &t->w.net, &t->state);
}

// Compare with the best so far.
static void judge(training* t) {
  const lb_train_loss loss = lb_train_evaluate(&t->w.net, &t->test, &t->by, t->arena.allocator);
  if (loss.all < t->state.best_loss) {
    t->state.best_loss = loss.all;
    memcpy(t->state.best, t->w.net.weight, lb_network_count(&t->w.net) * sizeof(double));
  }
}

static lb_status go(training* t) {
  const int every = t->o->epochs > CHECKS ? t->o->epochs / CHECKS : 1;
  double kept = lb_clock(), loss = NAN;
  lb_status status = LB_OK;
  while (t->state.epoch < t->o->epochs && status == LB_OK) {
    loss = lb_train_epoch(t->backend, t->trainer, &t->w.net, &t->state, &t->by, t->order,
                          t->data.count);
    if (!isfinite(loss)) {
      return lb_error_add(t->err, LB_FAILED, NOWHERE,
                          "the training diverged after %d epochs (choose a smaller --rate)",
                          t->state.epoch);
    }
    char what[80];
    snprintf(what, sizeof what, "training, loss %.2g", loss);
    const double fraction = (double)t->state.epoch / t->o->epochs;
    const bool stop = !lb_progress_report(&t->o->progress, fraction, what);
    const bool last = t->state.epoch == t->o->epochs;
    const bool keep = stop || last || lb_clock() - kept > KEEP_EVERY;
    if ((keep || t->state.epoch % every == 0) && !read_back(t)) {
      return lb_error_add(t->err, LB_FAILED, NOWHERE, "the device failed");
    }
    if (last || t->state.epoch % every == 0) {
      judge(t);
    }
    if (keep) {
      kept = lb_clock();
      status = last ? LB_OK : save_state(t);
      status = status == LB_OK ? save_network(t) : status;
      status = status == LB_OK && stop && !last ? LB_INTERRUPTED : status;
    }
  }
  return status;
}

static void report_on(training* t, lb_network_report* report, double seconds) {
  lb_network best = t->w.net;
  best.weight = isfinite(t->state.best_loss) ? t->state.best : best.weight;
  const lb_train_loss loss = lb_train_evaluate(&best, &t->test, &t->by, t->arena.allocator);
  *report = (lb_network_report){.epochs = t->state.epoch,
                                .weights = (int)lb_network_count(&best),
                                .position = sqrt(loss.position),
                                .slope = t->test.ndir > 0 ? sqrt(loss.slope) : NAN,
                                .seconds = seconds};
}

// A training that is done needs no state.
static void drop_state(const training* t) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%s", t->o->out, STATE_NAME);
  unlink(path);
}

lb_status lb_network_train(const lb_network_options* o, const lb_allocator* allocator,
                           lb_network_report* report, lb_error* err) {
  training t = {.o = o, .err = err};
  int lock = -1;
  const double start = lb_clock();
  lb_status status = check(o, err);
  if (status != LB_OK) {
    return status;
  }
  lb_arena_init(&t.arena, allocator);
  status = lb_folder_lock(o->out, allocator, &lock, err);
  status = status == LB_OK ? begin(&t) : status;
  status = status == LB_OK ? go(&t) : status;
  if (status == LB_OK) {
    drop_state(&t);
  }
  if (status == LB_OK || status == LB_INTERRUPTED) {
    report_on(&t, report, lb_clock() - start);
  }
  if (t.trainer) {
    t.backend->release(t.trainer);
  }
  lb_folder_release(lock);
  lb_arena_release(&t.arena);
  return status;
}
