// Recursive Newton-Euler algorithm: inverse dynamics in time linear in the number of links.
// [Featherstone 2008, ch. 5]; (1)-(4) of state.h on the way out, moments handed to the parent on
// the way in.
#include "dynamics/tree/rnea.h"

#include <string.h>

#include "base/assert.h"
#include "dynamics/force/particles.h"
#include "dynamics/muscle/muscle_inertia.h"
#include "dynamics/tree/kinematics.h"

typedef struct rnea_job {
  const lb_model* m;
  lb_work* w;
  double* tau;
  const double *q, *qd, *qdd;
  bool forced; // external forces act
  bool moved;  // poses and velocities are in place
} rnea_job;

static void accelerate_link(const rnea_job* job, int i) {
  const lb_link* l = &job->m->link.packed[i];
  lb_state* s = &job->w->state[i];
  const lb_state* p = &job->w->state[l->parent];
  s->al = p->al + s->c_al;
  s->a = p->a + lb_v4_cross(p->al, s->r) + s->c_a;
  if (l->kind == LB_JOINT_REVOLUTE) {
    revolute_accelerate(&s->al, &s->a, s, job->qdd + l->v);
  } else {
    LB_JOINT[l->kind]->accelerate(&s->al, &s->a, s, job->qdd + l->v);
  }
  const lb_v4 w = s->w;
  s->IA.n = lb_m3_apply(s->IA.A, s->al) + lb_v4_cross(s->h, s->a) +
            lb_v4_cross(w, lb_m3_apply(s->IA.A, w));
  s->IA.f = s->a * l->m + lb_v4_cross(s->al, s->h) + lb_v4_cross(w, lb_v4_cross(w, s->h));
  if (LB_JOINT[l->kind]->inertia) {
    LB_JOINT[l->kind]->inertia(s, &s->IA.n, &s->IA.f);
  }
  if (job->forced) {
    s->IA.n -= s->xn;
    s->IA.f -= s->xf;
  }
}

static void project_link(const rnea_job* job, int i) {
  const lb_link* l = &job->m->link.packed[i];
  lb_state* s = &job->w->state[i];
  if (l->kind == LB_JOINT_REVOLUTE) {
    revolute_project(job->tau + l->v, s, s->IA.n, s->IA.f);
  } else {
    LB_JOINT[l->kind]->project(job->tau + l->v, s, s->IA.n, s->IA.f);
  }
  if (l->parent != LB_WORLD) {
    lb_articulated* to = &job->w->state[l->parent].IA;
    to->n += s->IA.n + lb_v4_cross(s->r, s->IA.f);
    to->f += s->IA.f;
  }
}

static void outward(void* context, int first, int last) {
  const rnea_job* job = context;
  for (int i = first; i < last; i++) {
    if (!job->moved) {
      lb_link_place(job->m, job->w, i, job->q);
      lb_link_move(job->m, job->w, i, job->qd);
    }
    lb_link_weigh(job->m, job->w, i);
    accelerate_link(job, i);
  }
}

static void inward(void* context, int first, int last) {
  const rnea_job* job = context;
  for (int i = last - 1; i >= first; i--) {
    project_link(job, i);
  }
}

static void inverse(void* context, int first, int last) {
  outward(context, first, last);
  inward(context, first, last);
}

// Muscles with mass join links of all trees.
static void inverse_joined(const lb_model* m, lb_data* d, rnea_job* job) {
  LB_ASSERT(job->qd);
  lb_for_trees(m, d, outward, job);
  lb_move_origins(m, d->work, job->qd);
  lb_muscles_inverse(m, d->work, job->tau, job->q, job->qd, job->qdd);
  lb_for_trees(m, d, inward, job);
}

static void run(const lb_model* m, lb_data* d, rnea_job job) {
  const int stages = d->work->stages;
  LB_ASSERT(!job.moved || stages & LB_POSED);
  if (!job.moved) {
    lb_place_hinges(m, d->work, job.q);
    d->work->stages = LB_POSED | (stages & (LB_LINK_FORCES | LB_FORCED));
  }
  memset(job.tau, 0, (size_t)m->nv * sizeof *job.tau);
  if (m->muscle.ninertial > 0) {
    inverse_joined(m, d, &job);
  } else {
    lb_for_trees(m, d, inverse, &job);
  }
  for (int k = 0; k < m->nv; k++) {
    job.tau[k] += m->dof.armature[k] * job.qdd[k];
  }
  lb_particles_add_weight(m, job.tau);
}

void lb_rnea(const lb_model* m, lb_data* d, double* tau, const double* q, const double* qd,
             const double* qdd) {
  run(m, d, (rnea_job){m, d->work, tau, q, qd, qdd, .forced = false});
}

void lb_rnea_forced(const lb_model* m, lb_data* d, double* tau, const double* q, const double* qd,
                    const double* qdd) {
  run(m, d, (rnea_job){m, d->work, tau, q, qd, qdd, .forced = true});
}

void lb_rnea_moved(const lb_model* m, lb_data* d, double* tau, const double* qdd) {
  run(m, d, (rnea_job){m, d->work, tau, d->q, d->qd, qdd, .forced = true, .moved = true});
}

void lb_rnea_again(const lb_model* m, lb_data* d, double* tau, const double* qdd) {
  run(m, d, (rnea_job){m, d->work, tau, NULL, NULL, qdd, .forced = false, .moved = true});
}
