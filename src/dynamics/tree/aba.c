// Articulated-body algorithm: forward dynamics in time linear in the number of links.
// [Featherstone 2008, ch. 7], in the world's axes with ordinary accelerations (state.h). Joints
// whose motion is prescribed pass their inertia on whole (hybrid dynamics, ibid. ch. 9).
#include "dynamics/tree/aba.h"

#include "dynamics/force/particles.h"
#include "dynamics/joint/joint_elastic.h"
#include "dynamics/tree/kinematics.h"

typedef struct aba_job {
  const lb_model* m;
  lb_work* w;
  double* qdd;       // in: of driven links when hybrid; out: of the others
  const double* tau; // [nv]
  bool hybrid;       // links under a position motor keep their qdd, and external forces act
} aba_job;

// A rigid link's inertia and bias force, (1) and (2) of state.h with al = a = 0.
static void start_link(const lb_link* l, lb_state* s, bool forced) {
  const lb_v4 h = s->h;
  const lb_v4 w = s->w;
  s->IA.G = (lb_m3){{0, -h[2], h[1], 0}, {h[2], 0, -h[0], 0}, {-h[1], h[0], 0, 0}}; // -[h]
  s->IA.C = (lb_m3){{l->m, 0, 0, 0}, {0, l->m, 0, 0}, {0, 0, l->m, 0}};
  s->IA.n = lb_v4_cross(w, lb_m3_apply(s->IA.A, w));
  s->IA.f = lb_v4_cross(w, lb_v4_cross(w, h));
  if (forced) {
    s->IA.n -= s->xn;
    s->IA.f -= s->xf;
  }
}

// A link whose joint acceleration is known and part of c already.
static void articulate_driven(lb_articulated* out, const lb_state* s) {
  *out = s->IA;
  out->n += lb_m3_apply(s->IA.A, s->c_al) + lb_m3_apply_transposed(s->IA.G, s->c_a);
  out->f += lb_m3_apply(s->IA.G, s->c_al) + lb_m3_apply(s->IA.C, s->c_a);
}

static void articulate(const aba_job* job, const lb_link* l, lb_state* s, lb_articulated* out) {
  if (job->hybrid && l->driven) {
    articulate_driven(out, s);
  } else if (l->kind == LB_JOINT_REVOLUTE) {
    revolute_articulate(out, s, job->tau + l->v, job->m->dof.armature + l->v);
  } else {
    LB_JOINT[l->kind]->articulate(out, s, job->tau + l->v, job->m->dof.armature + l->v);
  }
}

static void accelerate(const aba_job* job, const lb_link* l, lb_state* s, const lb_state* p) {
  s->al = p->al + s->c_al;
  s->a = p->a + lb_v4_cross(p->al, s->r) + s->c_a;
  if (job->hybrid && l->driven) {
    return;
  }
  if (l->kind == LB_JOINT_REVOLUTE) {
    revolute_solve(s, job->qdd + l->v);
  } else {
    LB_JOINT[l->kind]->solve(s, job->qdd + l->v);
  }
}

static void solve(void* context, int first, int last) {
  const aba_job* job = context;
  const lb_link* link = job->m->link.packed;
  lb_state* state = job->w->state;
  for (int i = first; i < last; i++) {
    const lb_link* l = &link[i];
    lb_state* s = &state[i];
    lb_link_weigh(job->m, job->w, i);
    start_link(l, s, job->hybrid);
  }
  for (int i = last - 1; i >= first; i--) {
    const lb_link* l = &link[i];
    lb_articulated felt;
    articulate(job, l, &state[i], &felt);
    if (l->parent != LB_WORLD) {
      lb_articulated_shift_add(&state[l->parent].IA, &felt, state[i].r);
    }
  }
  for (int i = first; i < last; i++) {
    accelerate(job, &link[i], &state[i], &state[link[i].parent]);
  }
}

void lb_aba_solve(const lb_model* m, lb_data* d, double* qdd, const double* tau, bool hybrid) {
  aba_job job = {m, d->work, qdd, tau, hybrid};
  lb_for_trees(m, d, solve, &job);
}

void lb_aba(const lb_model* m, lb_data* d, double* qdd, const double* q, const double* qd,
            const double* tau) {
  if (lb_model_has_dense_mass(m)) {
    lb_elastic_accelerations(m, d, qdd, q, qd, tau);
    lb_particles_accelerate(m, qdd, tau);
    return;
  }
  lb_kinematics(m, d, q, qd);
  lb_aba_solve(m, d, qdd, tau, false);
  lb_particles_accelerate(m, qdd, tau);
}
