#include "math/network/train.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/random.h"
#include "math/linear/blas_thread.h"

enum { COLUMNS = 256 }; // of a part of a batch

bool lb_train_data_make(lb_train_data* data, int count, int ninput, int noutput, bool slopes,
                        lb_arena* arena) {
  const size_t n = (size_t)count, along = slopes ? (size_t)ninput + 1 : 1;
  *data = (lb_train_data){count,
                          ninput,
                          noutput,
                          slopes ? ninput : 0,
                          .x = LB_TAKE(arena, double, n*(size_t)ninput),
                          .gain = LB_TAKE(arena, double, n* along),
                          .target = LB_TAKE(arena, double, n*(size_t)noutput* along)};
  return !arena->failed;
}

bool lb_train_state_make(lb_train_state* s, const lb_network* net, lb_arena* arena) {
  const size_t n = lb_network_count(net);
  *s = (lb_train_state){.m = LB_TAKE(arena, double, n),
                        .v = LB_TAKE(arena, double, n),
                        .best = LB_TAKE(arena, double, n),
                        .best_loss = INFINITY};
  return !arena->failed;
}

// --- loss of a part of a batch ---

// Samples order[from ...] as columns, with unit vectors for directions.
static void gather(lb_network_pass* p, const lb_train_data* data, const int* order) {
  const int columns = p->n * (1 + p->ndir);
  for (int i = 0; i < data->ninput; i++) {
    double* row = p->a[0] + (size_t)i * (size_t)columns;
    for (int j = 0; j < p->n; j++) {
      row[j] = data->x[(size_t)order[j] * (size_t)data->ninput + (size_t)i];
    }
    for (int j = p->n; j < columns; j++) {
      row[j] = j / p->n - 1 == i;
    }
  }
}

// Losses of the outputs, summed, and their adjoints times a scale.
static lb_train_loss judge(const lb_train_data* data, lb_network_pass* p, int nlayer,
                           const int* order, double weight, double scale) {
  const int columns = p->n * (1 + p->ndir), along = 1 + p->ndir;
  lb_train_loss sum = {0};
  for (int k = 0; k < data->noutput; k++) {
    const double* y = p->a[nlayer] + (size_t)k * (size_t)columns;
    double* bar = p->bar[nlayer % 2] + (size_t)k * (size_t)columns;
    for (int j = 0; j < p->n; j++) {
      const double* g = data->gain + (size_t)order[j] * (size_t)along;
      const double* t =
          data->target + ((size_t)order[j] * (size_t)data->noutput + (size_t)k) * (size_t)along;
      const double off = g[0] * y[j] - t[0];
      sum.position += off * off;
      bar[j] = 2 * scale * off * g[0];
      for (int d = 1; d <= p->ndir; d++) {
        const double slope = g[0] * y[d * p->n + j] + g[d] * y[j] - t[d];
        sum.slope += slope * slope;
        bar[j] += 2 * scale * weight * slope * g[d];
        bar[d * p->n + j] = 2 * scale * weight * slope * g[0];
      }
    }
  }
  return sum;
}

// --- parts in parallel ---

typedef struct batch {
  const lb_network* net;
  const lb_train_data* data;
  const int* order; // [count]; NULL: as they are
  int count, part;  // samples, and of a part
  double weight, scale;
  lb_network_pass* pass; // [nparts] at a time
  lb_train_loss* loss;   // of each
  double* gradient;      // of each, after each other; NULL: none
  int* index;            // of each part
} batch;

static void do_part(void* context, int i) {
  LB_ONE_BLAS_THREAD;
  batch* b = context;
  lb_network_pass* p = &b->pass[i];
  int* index = b->index + (size_t)i * (size_t)b->part;
  const int from = i * b->part;
  p->n = b->count - from < b->part ? b->count - from : b->part;
  p->ndir = b->data->ndir;
  for (int j = 0; j < p->n; j++) {
    index[j] = b->order[from + j];
  }
  gather(p, b->data, index);
  lb_network_forward(b->net, p);
  b->loss[i] = judge(b->data, p, b->net->nlayer, index, b->weight, b->scale);
  if (b->gradient) {
    double* g = b->gradient + (size_t)i * lb_network_count(b->net);
    memset(g, 0, lb_network_count(b->net) * sizeof *g);
    lb_network_backward(b->net, p, g);
  }
}

static bool batch_make(batch* b, const lb_network* net, const lb_train_data* data, int most,
                       bool gradient, lb_arena* arena) {
  const int part = COLUMNS / (1 + data->ndir), n = (most + part - 1) / part;
  *b = (batch){.net = net,
               .data = data,
               .part = part,
               .pass = LB_TAKE(arena, lb_network_pass, n),
               .loss = LB_TAKE(arena, lb_train_loss, n),
               .index = LB_TAKE(arena, int, (size_t)n*(size_t)part)};
  if (gradient) {
    b->gradient = LB_TAKE(arena, double, (size_t)n* lb_network_count(net));
  }
  for (int i = 0; i < n && !arena->failed; i++) {
    lb_network_pass_make(&b->pass[i], net, COLUMNS, arena);
  }
  return !arena->failed;
}

// Losses of samples order[0 ... count), summed over parts in their order.
static lb_train_loss batch_run(batch* b, const int* order, int count, int threads) {
  const int n = (count + b->part - 1) / b->part;
  b->order = order;
  b->count = count;
  lb_parallel_for(threads, n, do_part, b);
  lb_train_loss sum = {0};
  for (int i = 0; i < n; i++) {
    sum.position += b->loss[i].position;
    sum.slope += b->loss[i].slope;
  }
  return sum;
}

// Gradients of parts, added into the first; numbers in slices.
typedef struct sum_context {
  double* gradient;
  size_t count;
  int parts;
} sum_context;

enum { SLICE = 4096 };

static void add_slice(void* context, int slice) {
  const sum_context* s = context;
  const size_t from = (size_t)slice * SLICE, to = from + SLICE < s->count ? from + SLICE : s->count;
  for (int i = 1; i < s->parts; i++) {
    const double* g = s->gradient + (size_t)i * s->count;
    for (size_t k = from; k < to; k++) {
      s->gradient[k] += g[k];
    }
  }
}

static void add_parts(const batch* b, int threads) {
  const size_t n = lb_network_count(b->net);
  sum_context s = {b->gradient, n, (b->count + b->part - 1) / b->part};
  lb_parallel_for(threads, (int)((n + SLICE - 1) / SLICE), add_slice, &s);
}

// --- whole data sets ---

enum { AT_ONCE = 4096 };

static lb_train_loss over_all(const lb_network* net, const lb_train_data* data,
                              const lb_train_options* o, double* gradient,
                              const lb_allocator* allocator) {
  LB_ONE_BLAS_THREAD;
  lb_arena arena;
  batch b;
  lb_arena_init(&arena, allocator);
  lb_train_loss sum = {.all = NAN};
  int* order = LB_TAKE(&arena, int, AT_ONCE);
  if (order && batch_make(&b, net, data, AT_ONCE, gradient != NULL, &arena)) {
    b.weight = o->weight;
    b.scale = 1.0 / data->count;
    for (int from = 0; from < data->count; from += AT_ONCE) {
      const int n = data->count - from < AT_ONCE ? data->count - from : AT_ONCE;
      for (int j = 0; j < n; j++) {
        order[j] = from + j;
      }
      const lb_train_loss part = batch_run(&b, order, n, o->threads);
      sum.position += part.position / data->count;
      sum.slope += part.slope / data->count;
      if (gradient) {
        add_parts(&b, o->threads);
        for (size_t k = 0; k < lb_network_count(net); k++) {
          gradient[k] += b.gradient[k];
        }
      }
    }
    sum.all = sum.position + o->weight * sum.slope;
  }
  lb_arena_release(&arena);
  return sum;
}

lb_train_loss lb_train_evaluate(const lb_network* net, const lb_train_data* data,
                                const lb_train_options* o, const lb_allocator* allocator) {
  return over_all(net, data, o, NULL, allocator);
}

lb_train_loss lb_train_gradient(const lb_network* net, const lb_train_data* data,
                                const lb_train_options* o, double* gradient,
                                const lb_allocator* allocator) {
  return over_all(net, data, o, gradient, allocator);
}

void lb_train_shuffle(int* order, int count, uint64_t seed, int epoch) {
  const uint64_t own = lb_random_bits(seed, (uint64_t)epoch);
  for (int i = 0; i < count; i++) {
    order[i] = i;
  }
  for (int i = count - 1; i > 0; i--) {
    const int k = (int)(lb_random_bits(own, (uint64_t)i) % (uint64_t)(i + 1)), kept = order[i];
    order[i] = order[k];
    order[k] = kept;
  }
}

double lb_train_epoch(const lb_train_backend* by, lb_trainer* t, lb_network* net, lb_train_state* s,
                      const lb_train_options* o, int* order, int count) {
  lb_train_shuffle(order, count, o->seed, s->epoch);
  const double loss = by->epoch(t, net, s, order);
  s->epoch++;
  return loss;
}

// --- the CPU ---

struct lb_trainer {
  lb_arena arena;
  lb_train_options o;
  const lb_train_data* data;
  batch b;
};

static lb_trainer* create(const lb_network* net, const lb_train_state* s, const lb_train_data* data,
                          const lb_train_options* o, const lb_allocator* allocator) {
  (void)s; // read where it is
  lb_trainer* t = lb_allocate(allocator, sizeof *t);
  if (t) {
    *t = (lb_trainer){.o = *o, .data = data};
    lb_arena_init(&t->arena, allocator);
    if (!batch_make(&t->b, net, data, o->batch, true, &t->arena)) {
      lb_arena_release(&t->arena);
      lb_release(allocator, t);
      return NULL;
    }
  }
  return t;
}

typedef struct adam {
  double *w, *m, *v;
  const double* g;
  double rate;
  size_t count;
} adam;

static void adam_slice(void* context, int slice) {
  const adam* a = context;
  const size_t from = (size_t)slice * SLICE, to = from + SLICE < a->count ? from + SLICE : a->count;
  for (size_t k = from; k < to; k++) {
    a->m[k] = LB_ADAM_BETA1 * a->m[k] + (1 - LB_ADAM_BETA1) * a->g[k];
    a->v[k] = LB_ADAM_BETA2 * a->v[k] + (1 - LB_ADAM_BETA2) * a->g[k] * a->g[k];
    a->w[k] -= a->rate * a->m[k] / (sqrt(a->v[k]) + LB_ADAM_EPSILON);
  }
}

static double epoch(lb_trainer* t, lb_network* net, lb_train_state* s, const int* order) {
  LB_ONE_BLAS_THREAD;
  const lb_train_data* data = t->data;
  const size_t n = lb_network_count(net);
  const double all = (double)lb_train_steps(data, &t->o) * t->o.epochs;
  double sum = 0;
  t->b.net = net;
  t->b.weight = t->o.weight;
  for (int from = 0; from < data->count; from += t->o.batch) {
    const int count = data->count - from < t->o.batch ? data->count - from : t->o.batch;
    t->b.scale = 1.0 / count;
    const lb_train_loss loss = batch_run(&t->b, order + from, count, t->o.threads);
    sum += loss.position + t->o.weight * loss.slope;
    add_parts(&t->b, t->o.threads);
    adam a = {net->weight,
              s->m,
              s->v,
              t->b.gradient,
              lb_train_rate(t->o.rate, t->o.decay, s->step, all),
              n};
    lb_parallel_for(t->o.threads, (int)((n + SLICE - 1) / SLICE), adam_slice, &a);
    s->step++;
  }
  return sum / data->count;
}

static void release(lb_trainer* t) {
  if (t) {
    const lb_allocator* allocator = t->arena.allocator;
    lb_arena_release(&t->arena);
    lb_release(allocator, t);
  }
}

const lb_train_backend lb_train_cpu = {"cpu", create, epoch, NULL, release};
