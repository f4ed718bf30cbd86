// Finding the valley. The sum of squares over Young's modulus has one for every whole swing that
// the simulated vibration may be ahead or behind at the end, and they lie the closer the longer the
// motion is. So the search begins with a short piece of the motion, where the valleys are wide,
// looks at moduli a fixed ratio apart, keeps the better ones with their neighbours half as far
// apart, takes twice as long a piece, and so on: a good modulus must fit at every length.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "design/fit/fit_markers.h"

enum {
  MOST = 3 * 6, // candidates: six that are kept and two neighbours of each
  LEAST = 3,    // at the start
  LEAST_KEPT = 2,
  MOST_LEVELS = 24
};

// Part of all the work that the search is.
static const double SHARE = 0.6;
// The first piece reaches this many swings of the softest body, held alone, beyond the first
// motion.
static const double FIRST_SWINGS = 1.5;
// Candidates are near enough when the end of the motion is this part of a swing apart between
// neighbours.
static const double NEAR_SWINGS = 0.3;
// Distance between the first candidates, as a change of the modulus' logarithm, where there is
// room.
static const double FIRST_APART = 0.4;
// Size of the first motion, over the largest.
static const double FIRST_MOTION = 0.02;

typedef struct search {
  lb_fit_session* s;
  const double* along; // [n] direction in the space of unknowns
  double low, high;    // range along it
  int count;
  double at[MOST];
  lb_fit_trial trial[MOST];
  double apart; // between neighbours
} search;

// Time at which the markers begin to move: before that, a longer piece adds no information.
static double first_motion(const lb_fit_session* s) {
  const lb_markers* m = s->markers;
  const size_t width = (size_t)s->width;
  double most = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < s->nsample; i++) {
      for (size_t k = 0; k < width; k++) {
        const double d = fabs(m->x[(size_t)i * width + k] - m->x[k]);
        if (pass == 0 && d > most) {
          most = d;
        } else if (pass == 1 && d > FIRST_MOTION * most) {
          return m->time[i];
        }
      }
    }
  }
  return m->time[0];
}

static double lowest_frequency(const lb_model* m) {
  double low = INFINITY;
  for (int e = 0; e < m->elastic.count; e++) {
    for (int k = 0; k < m->elastic.body[e].r && m->elastic.body[e].nnode > 0; k++) {
      low = fmin(low, m->elastic.body[e].frequency[k]);
    }
  }
  return isfinite(low) ? low : 1;
}

static int compare_places(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static lb_status evaluate(search* q, double until, double share) {
  lb_fit_session* s = q->s;
  lb_fit_trial* trial[MOST];
  for (int i = 0; i < q->count; i++) {
    trial[i] = &q->trial[i];
    for (int k = 0; k < s->n; k++) {
      trial[i]->x[k] = fmin(fmax(s->best.x[k] + q->along[k] * q->at[i], s->u[k].low), s->u[k].high);
    }
    trial[i]->offsets = true;
    trial[i]->until = until;
  }
  return lb_fit_try(s, q->count, trial, share);
}

static int best_of(const search* q) {
  int best = 0;
  for (int i = 1; i < q->count; i++) {
    best = q->trial[i].cost < q->trial[best].cost ? i : best;
  }
  return best;
}

// The `kept` best and their neighbours at half the distance, each place once.
static void refine(search* q, int kept) {
  double at[MOST];
  int n = 0;
  kept = kept < q->count ? kept : q->count;
  q->apart /= 2;
  for (int k = 0; k < kept; k++) {
    const int best = best_of(q);
    for (int side = -1; side <= 1; side++) {
      at[n++] = fmin(fmax(q->at[best] + side * q->apart, q->low), q->high);
    }
    q->trial[best].cost = (double)INFINITY;
  }
  qsort(at, (size_t)n, sizeof *at, compare_places);
  q->count = 0;
  for (int i = 0; i < n; i++) {
    if (q->count == 0 || at[i] > q->at[q->count - 1] + 0.1 * q->apart) {
      q->at[q->count++] = at[i];
    }
  }
}

// Lengths of the pieces: from the first motion on, doubled until all is there.
static double piece(const lb_fit_session* s, double begin, double first, int level) {
  const double end = begin + ldexp(first, level);
  return end < s->end ? end : s->end;
}

static void spread(search* q) {
  const double room = (q->high - q->low) / FIRST_APART;
  q->count = room > MOST - 1 ? MOST : room < LEAST - 1 ? LEAST : 1 + (int)ceil(room);
  q->apart = (q->high - q->low) / (q->count - 1);
  for (int i = 0; i < q->count; i++) {
    q->at[i] = q->low + i * q->apart;
  }
}

static lb_status scan(search* q) {
  lb_fit_session* s = q->s;
  const double f = lowest_frequency(s->model);
  const double begin = first_motion(s), first = FIRST_SWINGS / f;
  const double whole = fmax(s->end - begin, first);
  if (0.25 * (q->high - q->low) * f * exp(0.5 * q->high) * whole < NEAR_SWINGS) {
    return LB_OK; // all of the range is one valley
  }
  const int levels = (int)fmax(0, ceil(log2(whole / first)));
  spread(q);
  lb_status status = LB_OK;
  for (int level = 0; level < MOST_LEVELS && status == LB_OK; level++) {
    status = evaluate(q, piece(s, begin, first, level), SHARE / (levels + 2));
    if (status != LB_OK) {
      break;
    }
    const int best = best_of(q);
    const double swings = f * exp(0.5 * q->at[best]) * whole;
    if (level >= levels && 0.5 * q->apart * swings < NEAR_SWINGS) {
      if (q->trial[best].cost < s->best.cost) {
        lb_fit_trial_copy(s, &s->best, &q->trial[best]);
      }
      break;
    }
    const int kept = MOST / 3 - level;
    refine(q, kept > LEAST_KEPT ? kept : LEAST_KEPT);
  }
  return status;
}

// Range of Young's moduli along a direction.
static void find_range(search* q) {
  const lb_fit_session* s = q->s;
  q->low = -INFINITY;
  q->high = INFINITY;
  for (int k = 0; k < s->nmaterial; k++) {
    if (q->along[k] > 0) {
      q->low = fmax(q->low, s->u[k].low - s->best.x[k]);
      q->high = fmin(q->high, s->u[k].high - s->best.x[k]);
    }
  }
}

static lb_status search_along(search* q) {
  find_range(q);
  return q->high > q->low && isfinite(q->high) && isfinite(q->low) ? scan(q) : LB_OK;
}

// All moduli by one factor first, then, where there are several, one after the other.
static lb_status search_all(search* q, double* along) {
  const lb_fit_session* s = q->s;
  int youngs = 0;
  for (int k = 0; k < s->nmaterial; k++) {
    along[k] = s->u[k].has[LB_FIT_YOUNG];
    youngs += s->u[k].has[LB_FIT_YOUNG];
  }
  lb_status status = search_along(q);
  for (int k = 0; k < s->nmaterial && youngs > 1 && status == LB_OK; k++) {
    if (s->u[k].has[LB_FIT_YOUNG]) {
      memset(along, 0, (size_t)s->n * sizeof *along);
      along[k] = 1;
      status = search_along(q);
    }
  }
  return status;
}

lb_status lb_fit_search(lb_fit_session* s) {
  const lb_arena_mark mark = lb_arena_here(&s->arena);
  double* along = LB_TAKE(&s->arena, double, s->n);
  search q = {.s = s, .along = along};
  lb_status status = along ? LB_OK : LB_NO_MEMORY;
  for (int i = 0; i < MOST && status == LB_OK; i++) {
    status = lb_fit_trial_create(s, &q.trial[i], false);
  }
  if (status == LB_OK) {
    status = search_all(&q, along);
  }
  lb_arena_reset(&s->arena, mark);
  return status;
}
