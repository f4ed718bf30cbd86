#include "dynamics/tree/kinematics.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "math/space/sincos.h"

// Below this many links a second thread costs more than it brings.
enum { PARALLEL_LINKS = 500, PORTIONS = 32 };

void lb_place_hinges(const lb_model* m, lb_work* w, const double* q) {
  for (int i = 0; i < m->link.nhinge; i++) {
    w->angle[i] = q[m->link.hinge_q[i]];
  }
  lb_sincos(m->link.nhinge, w->angle, w->sine, w->cosine);
}

void lb_move_origins(const lb_model* m, lb_work* w, const double* qd) {
  LB_ASSERT(w->stages & LB_POSED);
  w->stages |= LB_ORIGINS;
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    LB_JOINT[l->kind]->move_origin(&w->state[i], &w->state[l->parent], qd + l->v);
  }
}

void lb_fill_columns(const lb_model* m, lb_work* w) {
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    LB_JOINT[l->kind]->columns(w->S + 2 * (size_t)l->column, &w->state[i]);
  }
}

typedef struct tree_job {
  const lb_model* m;
  void (*work)(void* context, int first, int last);
  void* context;
  int portion; // trees taken at once
} tree_job;

static void some_trees(void* context, int i) {
  const tree_job* job = context;
  const int first = i * job->portion, end = first + job->portion, most = job->m->link.ntree;
  job->work(job->context, job->m->link.tree[first], job->m->link.tree[end < most ? end : most]);
}

void lb_for_trees(const lb_model* m, lb_data* d, void (*work)(void* context, int first, int last),
                  void* context) {
  if (d->threads > 1 && m->nlink >= PARALLEL_LINKS && m->link.ntree > 1) {
    const int portion = (m->link.ntree + PORTIONS - 1) / PORTIONS;
    tree_job job = {m, work, context, portion};
    lb_parallel_for(d->threads, (m->link.ntree + portion - 1) / portion, some_trees, &job);
  } else {
    work(context, 0, m->nlink);
  }
}

typedef struct kinematics_job {
  const lb_model* m;
  lb_work* w;
  const double* q;
  const double* qd;
} kinematics_job;

static void kinematics(void* context, int first, int last) {
  const kinematics_job* job = context;
  for (int i = first; i < last; i++) {
    lb_link_place(job->m, job->w, i, job->q);
    lb_link_move(job->m, job->w, i, job->qd);
  }
}

void lb_kinematics(const lb_model* m, lb_data* d, const double* q, const double* qd) {
  kinematics_job job = {m, d->work, q, qd};
  d->work->stages = LB_POSED;
  lb_place_hinges(m, d->work, q);
  lb_for_trees(m, d, kinematics, &job);
}
