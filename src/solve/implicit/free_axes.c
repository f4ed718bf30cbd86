#include "solve/implicit/free_axes.h"

#include "dynamics/joint/joint.h"
#include "dynamics/tree/kinematics.h"
#include "math/linear/ldl.h"

// (1) and (2) of state.h with what velocities bring, in the link's axes.
void lb_free_axes_remove_links(const lb_model* m, const lb_data* d, int first, int last,
                               double* r) {
  for (int i = first; i < last; i++) {
    if (lb_link_turns_free(m, i)) {
      const lb_state* s = &d->work->state[i];
      const lb_link* l = &m->link.packed[i];
      const lb_v4 w = lb_m3_apply_transposed(s->R, s->w), a = lb_m3_apply_transposed(s->R, s->c_a);
      const lb_v4 n = lb_v4_cross(l->h, a) + lb_v4_cross(w, lb_m3_apply(l->I0, w));
      const lb_v4 f = a * l->m + lb_v4_cross(w, lb_v4_cross(w, l->h));
      lb_v4_add_to(r + l->v, -n);
      lb_v4_add_to(r + l->v + 3, -f);
    }
  }
}

void lb_free_axes_remove(const lb_model* m, const lb_data* d, double* r) {
  lb_free_axes_remove_links(m, d, 0, m->nlink, r);
}

static lb_v4 centre(const lb_link* l) {
  return l->m > 0 ? l->h / l->m : lb_v4_zero();
}

static lb_m3 turn_of(const double* q) {
  return lb_m3_rotation((lb_quat){q[3], q[4], q[5], q[6]});
}

static void place_link(const lb_link* l, const double* q0, const double* move, double h,
                       double* q) {
  const lb_v4 c = centre(l), w = lb_v4_load(move + l->v), v = lb_v4_load(move + l->v + 3);
  const lb_m3 R0 = turn_of(q0 + l->q), R1 = turn_of(q + l->q);
  const lb_v4 p = lb_v4_load(q0 + l->q) + lb_m3_apply(R0, c + (v + lb_v4_cross(w, c)) * h);
  lb_v4_store(q + l->q, p - lb_m3_apply(R1, c));
}

// Inertia about the centre of mass: I0 + m [c]^2.
static lb_m3 inertia_at_centre(const lb_link* l, lb_v4 c) {
  lb_m3 I = l->I0;
  lb_m3_add_scaled(&I, -l->m * lb_v4_dot(c, c), lb_m3_identity());
  lb_m3_add_outer(&I, l->m, c, c);
  return I;
}

static void turn_link(const lb_link* l, const double* q0, const double* q1, double* qd) {
  const lb_v4 c = centre(l), w = lb_v4_load(qd + l->v), v = lb_v4_load(qd + l->v + 3);
  const lb_m3 E = lb_m3_mul(lb_m3_transpose(turn_of(q1 + l->q)), turn_of(q0 + l->q));
  const lb_m3 I = inertia_at_centre(l, c);
  double D[9], w1[3];
  lb_m3_store(D, 3, I);
  lb_ldl_factor(3, D, 3);
  lb_v4_store(w1, lb_m3_apply(E, lb_m3_apply(I, w)));
  lb_ldl_solve(3, D, 3, w1);
  const lb_v4 at = lb_m3_apply(E, v + lb_v4_cross(w, c));
  lb_v4_store(qd + l->v, lb_v4_load(w1));
  lb_v4_store(qd + l->v + 3, at - lb_v4_cross(lb_v4_load(w1), c));
}

void lb_free_axes_turn(const lb_model* m, const double* q0, const double* q1, double* v) {
  for (int i = 0; i < m->nlink; i++) {
    if (lb_link_turns_free(m, i)) {
      turn_link(&m->link.packed[i], q0, q1, v);
    }
  }
}

typedef struct end_job {
  const lb_model* m;
  lb_data* d;
  const double *q0, *move;
  double h;
} end_job;

static void end_links(void* context, int first, int last) {
  const end_job* job = context;
  lb_advance_links(job->m, first, last, job->d->q, job->move, job->h);
  for (int i = first; i < last; i++) {
    if (lb_link_turns_free(job->m, i)) {
      place_link(&job->m->link.packed[i], job->q0, job->move, job->h, job->d->q);
      turn_link(&job->m->link.packed[i], job->q0, job->d->q, job->d->qd);
    }
  }
}

void lb_free_axes_end(const lb_model* m, lb_data* d, const double* q0, const double* move,
                      double h) {
  end_job job = {m, d, q0, move, h};
  lb_for_trees(m, d, end_links, &job);
  lb_advance_particles(m, d->q, move, h);
}
