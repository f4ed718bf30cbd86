// Blocks of one colour share no group, so a team sweeps each colour together and meets in between.
// Sums are added in portions of fixed size.
#include "math/contact/contact_crew.h"

#include <string.h>

enum {
  SPLIT = 24,  // blocks of a colour that one thread does as fast
  TERMS = 512, // rows whose terms are added in one go
  LANES = 8
};

void lb_contact_directions_carve(lb_contact_directions* d, lb_carver* c, int rows, int velocities) {
  d->before = lb_carve(c, (size_t)rows, sizeof(double));
  d->toward = lb_carve(c, (size_t)rows, sizeof(double));
  d->part = lb_carve(c, (size_t)(rows / TERMS + 1), sizeof(double));
  d->u_before = lb_carve(c, (size_t)velocities, sizeof(double));
  d->u_toward = lb_carve(c, (size_t)velocities, sizeof(double));
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

// --- shares of threads ---

typedef struct range {
  int begin, end;
} range;

static range share(const lb_contact_crew* c, int begin, int end) {
  const long n = end - begin;
  return (range){begin + (int)(n * c->rank / c->size), begin + (int)(n * (c->rank + 1) / c->size)};
}

static range groups_of(const lb_contact_crew* c) {
  const int* first = c->islands->first_group + c->island;
  return share(c, first[0], first[1]);
}

static range rows_of(const lb_contact_crew* c) {
  const int* first = c->sweeper->first_row;
  return share(c, first[c->begin], first[c->end]);
}

// What this thread tells the others before they meet. The next one has another place, for some may
// still read this one.
static lb_contact_told* tell(lb_contact_crew* c) {
  c->turn = !c->turn;
  return c->shared->told[c->turn];
}

// The largest of all threads' numbers. They meet.
static double largest(lb_contact_crew* c, double mine) {
  lb_contact_told* told = tell(c);
  told[c->rank].change = mine;
  lb_crew_meet(c);
  for (int i = 0; i < c->size; i++) {
    mine = larger(told[i].change, mine);
  }
  return mine;
}

// --- colours ---

// Whether a colour is for one thread. Several of them in a row need no meeting in between.
static bool is_alone(const lb_contact_crew* c, int k) {
  const lb_contact_islands* g = c->islands;
  return g->serial[k] || g->colour[k + 1] - g->colour[k] < SPLIT;
}

// This thread's blocks of a colour, whole runs. Colours list their blocks by number, so a thread
// mostly has the same bodies in each.
static range part_of(const lb_contact_crew* c, int k) {
  const range all = {c->islands->colour[k], c->islands->colour[k + 1]};
  if (is_alone(c, k)) {
    return (range){all.begin, c->rank == 0 ? all.end : all.begin};
  }
  const range r = share(c, all.begin, all.end);
  return (range){r.begin > all.begin ? lb_contact_islands_run(c->islands, r.begin, all.end)
                                     : r.begin,
                 lb_contact_islands_run(c->islands, r.end, all.end)};
}

double lb_crew_share(const lb_contact_crew* c, lb_crew_pass* pass) {
  const int* first = c->islands->first_colour + c->island;
  double most = 0;
  if (c->size == 1) {
    return pass(c, c->begin, c->end);
  }
  for (int k = first[0]; k < first[1]; k++) {
    const range r = part_of(c, k);
    most = r.begin < r.end ? larger(pass(c, r.begin, r.end), most) : most;
  }
  return most;
}

double lb_crew_largest(lb_contact_crew* c, lb_crew_pass* pass) {
  return largest(c, lb_crew_share(c, pass));
}

// One pass over the island, as one thread alone would do it; the largest of what `pass` says.
static double by_colours(lb_contact_crew* c, lb_crew_pass* pass) {
  const int* first = c->islands->first_colour + c->island;
  double most = 0;
  if (c->size == 1) {
    return pass(c, c->begin, c->end);
  }
  for (int k = first[0]; k < first[1]; k++) {
    const range r = part_of(c, k);
    most = r.begin < r.end ? larger(pass(c, r.begin, r.end), most) : most;
    if (k + 1 < first[1] && !(is_alone(c, k) && is_alone(c, k + 1))) {
      lb_crew_meet(c);
    }
  }
  return largest(c, most);
}

// --- velocities and residual ---

static double add_impulses(const lb_contact_crew* c, int begin, int end) {
  lb_contact_sweeper_add(c->sweeper, begin, end);
  return 0;
}

void lb_crew_refresh(lb_contact_crew* c) {
  lb_contact_sweeper* w = c->sweeper;
  const lb_contact_problem* p = w->problem;
  const range mine = groups_of(c);
  for (int k = mine.begin; k < mine.end; k++) {
    const int g = c->islands->group[k], at = p->velocity[g];
    memcpy(w->u + at, p->u0 + at, (size_t)lb_contact_width(p, g) * sizeof *w->u);
  }
  lb_crew_meet(c);
  by_colours(c, add_impulses);
}

static void add_measure(lb_contact_measure* all, const lb_contact_measure* m) {
  lb_contact_measure_add(all, m->residual, m->scale, 0);
  all->rounding = larger(m->rounding, all->rounding);
}

static double measure(const lb_contact_crew* c, int begin, int end) {
  const lb_contact_measure m = lb_contact_sweeper_measure(c->sweeper, begin, end);
  add_measure(&c->shared->told[c->turn][c->rank].measure, &m);
  return 0;
}

lb_contact_measure lb_crew_measure(lb_contact_crew* c) {
  lb_contact_told* told = tell(c);
  lb_contact_measure all = {0, 0, 0};
  told[c->rank].measure = all;
  lb_crew_share(c, measure);
  lb_crew_meet(c);
  for (int i = 0; i < c->size; i++) {
    add_measure(&all, &told[i].measure);
  }
  return all;
}

void lb_crew_give_velocities(const lb_contact_crew* c) {
  const lb_contact_problem* p = c->sweeper->problem;
  const range mine = groups_of(c);
  for (int k = mine.begin; k < mine.end; k++) {
    const int g = c->islands->group[k], at = p->velocity[g];
    memcpy(c->u + at, c->sweeper->u + at, (size_t)lb_contact_width(p, g) * sizeof *c->u);
  }
}

// --- sweeps ---

static double sweep(const lb_contact_crew* c, int begin, int end) {
  return lb_contact_sweep(c->sweeper, begin, end, c->close);
}

double lb_crew_sweep(lb_contact_crew* c) {
  c->nsweep++;
  return by_colours(c, sweep);
}

// --- nonsmooth conjugate directions                        [Silcowitz-Hansen and others 2010]
//
//   (1)  g_k = lambda_k - sweep(lambda_k),  beta = |g_k|^2 / |g_k-1|^2
//   (2)  lambda_k+1 = sweep(lambda_k) + beta p_k-1,  p_k = beta p_k-1 - g_k
//
// with beta zero where it is above one. Lengths are energies, |g|^2 = sum A_rr g_r^2.

void lb_crew_begin(lb_contact_crew* c) {
  const lb_contact_sweeper* w = c->sweeper;
  const lb_contact_directions* d = c->directions;
  const range r = rows_of(c), groups = groups_of(c);
  memcpy(d->before + r.begin, w->lambda + r.begin, (size_t)(r.end - r.begin) * sizeof(double));
  for (int k = groups.begin; k < groups.end; k++) {
    const int g = c->islands->group[k], at = w->problem->velocity[g];
    memcpy(d->u_before + at, w->u + at, (size_t)lb_contact_width(w->problem, g) * sizeof(double));
  }
  c->last = 0;
  lb_crew_meet(c);
}

// Terms of the squared length of the last sweep's change, from `first` on, in eight sums.
static double some_terms(const lb_contact_crew* c, int first) {
  const lb_contact_sweeper* w = c->sweeper;
  const double *lambda = w->lambda + first, *before = c->directions->before + first;
  const double* own = w->own + first;
  const int left = w->first_row[c->end] - first, n = left < TERMS ? left : TERMS;
  double sum[LANES] = {0};
  int i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (int k = 0; k < LANES; k++) {
      const double g = lambda[i + k] - before[i + k];
      sum[k] += g * g * own[i + k];
    }
  }
  for (; i < n; i++) {
    const double g = lambda[i] - before[i];
    sum[i % LANES] += g * g * own[i];
  }
  return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

// All of them, in an order that does not depend on threads.
static double squared_change(const lb_contact_crew* c) {
  const lb_contact_sweeper* w = c->sweeper;
  double* part = c->directions->part;
  const int first = w->first_row[c->begin];
  const int n = (w->first_row[c->end] - first + TERMS - 1) / TERMS;
  const range mine = share(c, 0, n);
  double sum = 0;
  for (int k = mine.begin; k < mine.end && c->size > 1; k++) {
    part[k] = some_terms(c, first + k * TERMS);
  }
  lb_crew_meet(c);
  for (int k = 0; k < n; k++) {
    sum += c->size > 1 ? part[k] : some_terms(c, first + k * TERMS);
  }
  return sum;
}

// x of (2), with p, and x before the next sweep; the same for velocities, which are linear in it.
static void add_direction(int n, double beta, double* restrict x, double* restrict p,
                          double* restrict before) {
  for (int i = 0; i < n; i++) {
    const double g = x[i] - before[i], momentum = beta > 0 ? beta * p[i] : 0;
    x[i] += momentum;
    before[i] = x[i];
    p[i] = momentum + g;
  }
}

void lb_crew_accelerate(lb_contact_crew* c) {
  const lb_contact_sweeper* w = c->sweeper;
  const lb_contact_directions* d = c->directions;
  const double square = squared_change(c), ratio = square / c->last;
  const double beta = c->last > 0 && ratio <= 1 ? ratio : 0;
  const range r = rows_of(c), groups = groups_of(c);
  c->last = square;
  add_direction(r.end - r.begin, beta, w->lambda + r.begin, d->toward + r.begin,
                d->before + r.begin);
  for (int k = groups.begin; k < groups.end; k++) {
    const int g = c->islands->group[k], at = w->problem->velocity[g];
    add_direction(lb_contact_width(w->problem, g), beta, w->u + at, d->u_toward + at,
                  d->u_before + at);
  }
  lb_crew_meet(c);
}
