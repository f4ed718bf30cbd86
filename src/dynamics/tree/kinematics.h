// The way out along the tree: poses and velocities. Each works on links [first, last), whose
// parents outside that range are done already.
#pragma once
#include "dynamics/joint/joint.h"
#include "dynamics/joint/joint_revolute.h"

// Sines and cosines of all hinges; must come before lb_link_place.
void lb_place_hinges(const lb_model* m, lb_work* w, const double* q);

// R, r and p of one link.
static inline void lb_link_place(const lb_model* m, lb_work* w, int i, const double* q) {
  const lb_link* l = &m->link.packed[i];
  lb_state* s = &w->state[i];
  const lb_state* p = &w->state[l->parent];
  s->R = lb_m3_mul(p->R, l->R0);
  s->r = lb_m3_apply(p->R, l->p0);
  if (l->kind == LB_JOINT_REVOLUTE) {
    const double sc[2] = {w->sine[l->hinge], w->cosine[l->hinge]};
    revolute_place(s, NULL, sc);
  } else {
    LB_JOINT[l->kind]->place(s, q + l->q, NULL);
  }
  s->p = p->p + s->r;
}

// w and the bias accelerations of one link.
static inline void lb_link_move(const lb_model* m, lb_work* w, int i, const double* qd) {
  const lb_link* l = &m->link.packed[i];
  lb_state* s = &w->state[i];
  const lb_state* p = &w->state[l->parent];
  if (l->kind == LB_JOINT_REVOLUTE) {
    revolute_move(s, p, qd + l->v);
  } else {
    LB_JOINT[l->kind]->move(s, p, qd + l->v);
  }
}

// Inertia about the origin and first moment of one link, in the world's axes.
static inline void lb_link_weigh(const lb_model* m, lb_work* w, int i) {
  const lb_link* l = &m->link.packed[i];
  lb_state* s = &w->state[i];
  s->IA.A = lb_m3_congruence(s->R, l->I0);
  s->h = lb_m3_apply(s->R, l->h);
}

// Directions of all coordinates at their links' origins: the work's S.
void lb_fill_columns(const lb_model* m, lb_work* w);

// Velocities of the origins.
void lb_move_origins(const lb_model* m, lb_work* w, const double* qd);

// Work on every tree, on as many threads as the data allows when there is enough to do.
void lb_for_trees(const lb_model* m, lb_data* d, void (*work)(void* context, int first, int last),
                  void* context);

// Place and move every link.
void lb_kinematics(const lb_model* m, lb_data* d, const double* q, const double* qd);
