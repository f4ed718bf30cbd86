#include "design/inverse/muscle_analysis.h"

#include <math.h>
#include <string.h>

#include "design/inverse/coupled_forces.h"
#include "design/inverse/muscle_static.h"
#include "dynamics/muscle/muscle_inertia.h"
#include "dynamics/tree/kinematics.h"

struct lb_analysis_work {
  lb_coupled coupled;
  lb_static* share; // NULL: no static optimisation
  double *M, *part; // [nv][nv]
  double* column;   // [nv]
};

static double* array(lb_arena* arena, bool wanted, int frames, size_t width) {
  return wanted ? LB_TAKE(arena, double, (size_t)frames* width) : NULL;
}

lb_status lb_analysis_create(const lb_model* m, int frames, int parts,
                             const lb_muscle_static_options* how, const lb_allocator* allocator,
                             lb_analysis** analysis, lb_error* err) {
  const size_t n = (size_t)m->muscle.count, nv = (size_t)m->nv;
  const bool statics = parts & LB_ANALYSE_STATIC, inertia = parts & LB_ANALYSE_INERTIA;
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_analysis* a = LB_TAKE(&arena, lb_analysis, 1);
  struct lb_analysis_work* w = LB_TAKE(&arena, struct lb_analysis_work, 1);
  if (a && w) {
    *w = (struct lb_analysis_work){.coupled = lb_coupled_create(&arena, m),
                                   .share = statics ? lb_static_create(&arena, m, how) : NULL,
                                   .M = array(&arena, inertia, 1, nv * nv),
                                   .part = array(&arena, inertia, 1, nv * nv),
                                   .column = array(&arena, inertia, 1, nv)};
    *a = (lb_analysis){.model = m,
                       .capacity = frames,
                       .time = array(&arena, true, frames, 1),
                       .length = array(&arena, true, frames, n),
                       .rate = array(&arena, true, frames, n),
                       .arm = array(&arena, true, frames, n * nv),
                       .moment = array(&arena, true, frames, nv),
                       .coupled = LB_TAKE(&arena, bool, nv),
                       .how = *how,
                       .activation = array(&arena, statics, frames, n),
                       .tension = array(&arena, statics, frames, n),
                       .reserve = array(&arena, statics, frames, nv),
                       .inertia = array(&arena, inertia, frames, (n + 1) * nv),
                       .work = w};
  }
  const lb_status status = lb_arena_check(&arena, "an analysis of muscles", err);
  if (status != LB_OK || !(a->storage = lb_arena_keep(&arena))) {
    lb_arena_release(&arena);
    return status != LB_OK ? status
                           : lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory");
  }
  *analysis = a;
  return LB_OK;
}

void lb_analysis_release(lb_analysis* a) {
  if (a) {
    lb_arena_release_kept(a->storage);
  }
}

// --- one frame ---

// P'MP: coordinates that others lead move along, and have no inertia of their own.
static void move_matrix(const lb_coupled* c, double* M, double* column) {
  const size_t nv = (size_t)c->nv;
  for (size_t i = 0; i < nv && c->rank > 0; i++) {
    lb_coupled_move(c, M + i * nv);
  }
  for (size_t k = 0; k < nv && c->rank > 0; k++) {
    for (size_t i = 0; i < nv; i++) {
      column[i] = M[i * nv + k];
    }
    lb_coupled_move(c, column);
    for (size_t i = 0; i < nv; i++) {
      M[i * nv + k] = column[i];
    }
  }
}

// Diagonals (P'J'MJP)_jj of each muscle's mass, and of everything.
static void weigh(lb_analysis* a, lb_data* d, double* out) {
  const lb_model* m = a->model;
  const size_t nv = (size_t)m->nv;
  lb_crba(m, d, a->work->M, d->q);
  lb_fill_columns(m, d->work);
  for (int i = 0; i <= m->muscle.count; i++, out += nv) {
    double* M = i < m->muscle.count ? a->work->part : a->work->M;
    if (i < m->muscle.count) {
      memset(a->work->part, 0, nv * nv * sizeof *a->work->part);
      lb_muscle_weigh(m, d->work, i, a->work->part, d->q);
    }
    move_matrix(&a->work->coupled, M, a->work->column);
    for (size_t k = 0; k < nv; k++) {
      out[k] = M[k * (nv + 1)];
    }
  }
}

void lb_analysis_put(lb_analysis* a, lb_data* d, const double* torque) {
  const lb_model* m = a->model;
  const size_t n = (size_t)m->muscle.count, nv = (size_t)m->nv, f = (size_t)a->nframe;
  double *length = a->length + f * n, *rate = a->rate + f * n, *arm = a->arm + f * n * nv,
         *moment = a->moment + f * nv;
  const lb_coupled* c = &a->work->coupled;
  a->time[f] = d->time;
  lb_muscle_paths(m, d, length, rate, arm);
  memcpy(moment, torque, nv * sizeof *moment);
  lb_coupled_find(&a->work->coupled, d);
  lb_coupled_move(c, moment);
  for (size_t i = 0; i < n; i++) {
    lb_coupled_move(c, arm + i * nv);
  }
  for (size_t k = 0; k < nv; k++) {
    a->coupled[k] = false;
  }
  for (int r = 0; r < c->rank; r++) {
    a->coupled[c->dependent[r]] = true;
  }
  if (a->inertia) {
    weigh(a, d, a->inertia + f * (n + 1) * nv);
  }
  if (a->work->share) {
    const lb_static_moment at = {length, rate, arm, moment, f ? d->time - a->time[f - 1] : 0};
    a->residual = fmax(a->residual, lb_static_solve(a->work->share, &at, a->activation + f * n,
                                                    a->tension + f * n, a->reserve + f * nv));
    a->unsettled = lb_static_unsettled(a->work->share);
  }
  a->nframe++;
}

// --- which inertia matters ---

// The largest part of a diagonal entry, over frames and coordinates, that the muscles left out
// (and muscle `also`) would take along.
static double lost(const lb_analysis* a, const bool* needed, int also) {
  const size_t n = (size_t)a->model->muscle.count, nv = (size_t)a->model->nv;
  double most = 0;
  for (size_t f = 0; f < (size_t)a->nframe; f++) {
    const double* of = a->inertia + f * (n + 1) * nv;
    for (size_t k = 0; k < nv; k++) {
      double sum = 0;
      for (size_t i = 0; i < n; i++) {
        sum += !needed[i] || (int)i == also ? of[i * nv + k] : 0;
      }
      most = fmax(most, of[n * nv + k] > 0 ? sum / of[n * nv + k] : 0);
    }
  }
  return most;
}

int lb_analysis_needed(const lb_analysis* a, double part, bool* needed) {
  const int n = a->model->muscle.count;
  int count = n;
  memset(needed, true, (size_t)n * sizeof *needed);
  for (;;) {
    int least = -1;
    double best = part;
    for (int i = 0; i < n; i++) {
      const double would = needed[i] ? lost(a, needed, i) : INFINITY;
      if (would <= best) {
        best = would;
        least = i;
      }
    }
    if (least < 0) {
      return count;
    }
    needed[least] = false;
    count--;
  }
}
