#include "solve/implicit/free_momentum.h"

#include <math.h>

#include "dynamics/contact/contact_set.h"
#include "dynamics/force/force.h"
#include "dynamics/joint/joint.h"
#include "dynamics/joint/joint_elastic.h"
#include "dynamics/tree/kinematics.h"
#include "geom/mesh/disjoint_sets.h"
#include "math/linear/ldl.h"

// Momentum of a mechanism, and where it is.
typedef struct momentum {
  double mass;
  lb_v4 c;    // centre of mass
  lb_v4 P, L; // L about c
  lb_m3 I;    // inertia about c
} momentum;

typedef struct mechanism {
  int body;             // the link of a free body by itself, or -1
  momentum before, now; // when the step begins, and when it ends
  lb_quat q;            // of a body when the step begins
  bool touched;         // something else acts on it in this step
  lb_v4 move;           // of all of it [m]
  lb_v4 turn, speed;    // change of its velocities, at c
} mechanism;

struct lb_free_momentum {
  const lb_model* m;
  int count;
  mechanism* of; // [count]
  int* number;   // [nlink] mechanism of a link, or -1
};

// --- which ones ---

// Links that act on each other, as disjoint sets, and those on which something else acts.
typedef struct search {
  const lb_model* m;
  int* set;     // [nlink]
  bool* held;   // [nlink]
  bool* joined; // [nlink] of roots of sets: some of its links are on joints
} search;

// Something between two links, of which one may be the world.
static void connect(search* s, int a, int b) {
  if (a != LB_WORLD && b != LB_WORLD) {
    lb_sets_join(s->set, a, b);
  } else if (a != LB_WORLD || b != LB_WORLD) {
    s->held[a != LB_WORLD ? a : b] = true;
  }
}

static int link_of_body(const lb_model* m, int body) {
  return body == LB_WORLD ? LB_WORLD : m->body.link[body];
}

static bool is_root(const lb_model* m, int link) {
  return m->link.parent[link] == LB_WORLD;
}

// A root flies freely: a free joint without springs, dampers, friction, limits or a motor.
static bool flies(const lb_model* m, int link) {
  bool free = m->link.kind[link] == LB_JOINT_FREE && !m->link.driven[link];
  for (int v = m->link.v[link]; free && v < m->link.v[link] + m->link.nv[link]; v++) {
    free = !lb_spring_acts(m, v) && m->dof.damping[v] == 0 && m->dof.armature[v] == 0 &&
           m->dof.friction[v] == 0 && m->dof.limit_stiffness[v] == 0;
  }
  return free;
}

// Elastic bodies and their faces, but for those that stand for mechanisms.
static bool is_bent(const lb_link* l) {
  const lb_reduced* b = l->reduced;
  return (lb_link_is_elastic(l->kind) && !(b->nface > 0 && b->face[0].twist)) ||
         (lb_link_is_face(l->kind) && l->kind != LB_LINK_EFFECTOR);
}

static void connect_links(search* s) {
  const lb_model* m = s->m;
  for (int i = 0; i < m->nlink; i++) {
    s->held[i] = (is_root(m, i) && !flies(m, i)) || is_bent(&m->link.packed[i]);
    if (!is_root(m, i)) {
      lb_sets_join(s->set, i, m->link.parent[i]);
    }
  }
  for (int i = 0; i < m->nmotor; i++) {
    const int link = m->motor.joint[i] >= 0 ? m->joint.link[m->motor.joint[i]] : -1;
    if (link >= 0 && is_root(m, link)) {
      s->held[link] = true;
    }
  }
}

// A coupling acts on the world where it has coordinates of roots.
static void connect_coupling(search* s, const lb_model_coupling* c) {
  const lb_model_term* term = &s->m->constraint.term[c->first];
  for (int k = 0; k < c->count; k++) {
    const int link = lb_contacts_link_of(s->m, term[k].v);
    connect(s, lb_contacts_link_of(s->m, term[0].v), link);
    s->held[link] |= is_root(s->m, link);
  }
}

static void connect_constraints(search* s) {
  const lb_model_constraints* c = &s->m->constraint;
  for (int i = 0; i < c->npair; i++) {
    connect(s, link_of_body(s->m, c->item[i].body[0]), link_of_body(s->m, c->item[i].body[1]));
  }
  for (int i = 0; i < c->ncoupling; i++) {
    connect_coupling(s, &c->coupling[i]);
  }
}

// A force on one point has its counterpart in the world.
static void connect_forces(search* s) {
  const lb_model* m = s->m;
  for (int i = 0; i < m->force.count; i++) {
    const lb_model_force* f = &m->force.item[i];
    for (int k = 0; k < f->set.npoint; k++) {
      connect(s, f->at[k].link, f->set.npoint > 1 ? f->at[(k + 1) % f->set.npoint].link : LB_WORLD);
    }
  }
  for (int i = 0; i < m->force.ndrag; i++) {
    connect(s, m->force.drag[i].at.link, LB_WORLD);
  }
  for (int i = 0; i < m->force.nload; i++) {
    connect(s, m->force.load_at[i].link, LB_WORLD);
  }
  for (int i = 0; i < m->force.nexternal; i++) {
    connect(s, m->body.link[m->force.external[i].body], LB_WORLD);
  }
}

// Inertia of a ball or a cube about its origin: however it is turned, the same velocity has the
// same momentum and energy.
static bool is_isotropic(const lb_link* l) {
  static const double ROUNDING = 1e-12;
  double I[9], off = lb_v4_dot(l->h, l->h) / l->m;
  lb_m3_store(I, 3, l->I0);
  for (int k = 0; k < 9; k++) {
    off = fmax(off, fabs(I[k] - (k % 4 == 0 ? I[0] : 0)));
  }
  return off <= ROUNDING * I[0];
}

// Free bodies of a mechanism turn exactly by themselves (free_axes.h), so that one of these alone
// has nothing to be corrected, unless gaps between them are closed after the step. The root of a
// set is its lowest number.
static void number_mechanisms(lb_free_momentum* F, const search* s) {
  const lb_model* m = F->m;
  int* size = F->number; // of the root's set, until it has a number
  for (int i = 0; i < m->nlink; i++) {
    const int root = lb_sets_root(s->set, i);
    s->held[root] |= s->held[i];
    s->joined[root] |= !lb_link_turns_free(m, i);
    size[i] = 0;
    size[root]++;
  }
  for (int i = 0; i < m->nlink; i++) {
    const int root = lb_sets_root(s->set, i);
    const bool alone = i == root && size[i] == 1;
    const bool turns = alone ? s->joined[i] || !is_isotropic(&m->link.packed[i])
                             : s->joined[i] || m->constraint.count > 0;
    const bool flies = i == root && !s->held[i] && turns;
    if (flies) {
      F->of[F->count].body = alone ? i : -1;
    }
    F->number[i] = i != root ? F->number[root] : flies ? F->count++ : -1;
  }
}

lb_free_momentum* lb_free_momentum_create(const lb_model* m, lb_arena* arena) {
  lb_free_momentum* F = LB_TAKE(arena, lb_free_momentum, 1);
  search s = {m, LB_TAKE(arena, int, m->nlink), LB_TAKE(arena, bool, m->nlink),
              LB_TAKE(arena, bool, m->nlink)};
  int* number = LB_TAKE(arena, int, m->nlink);
  mechanism* of = lb_arena_take_array(arena, (size_t)m->nlink, sizeof *of, LB_ALIGN);
  if (lb_arena_status(arena) != LB_OK) {
    return NULL;
  }
  *F = (lb_free_momentum){.m = m, .of = of, .number = number};
  lb_sets_begin(m->nlink, s.set);
  connect_links(&s);
  connect_constraints(&s);
  connect_forces(&s);
  number_mechanisms(F, &s);
  F->count = m->particles.nparticle > 0 ? 0 : F->count; // they pull at links
  return F;
}

// --- momentum ---

// Mass of a link, h and inertia in its state, and its momentum about its origin. That of the motion
// inside of a mechanism comes on top.
static double weigh(const lb_model* m, const lb_data* d, int i, lb_motion* p) {
  const lb_link* l = &m->link.packed[i];
  lb_state* s = &d->work->state[i];
  const bool bends = l->kind == LB_LINK_ELASTIC;
  *p = lb_motion_zero();
  lb_link_weigh(m, d->work, i);
  if (bends) {
    s->h = lb_m3_apply(s->R, s->elastic->state.h);
    s->IA.A = lb_m3_congruence(s->R, s->elastic->state.I);
    lb_elastic_momentum(s, &p->v, &p->w);
  } else {
    p->v = s->v * l->m + lb_v4_cross(s->w, s->h);
    p->w = lb_m3_apply(s->IA.A, s->w) + lb_v4_cross(s->h, s->v);
  }
  return bends ? l->reduced->m : l->m;
}

// Shares of a link whose origin is at r from the centre of mass, with mass m, first moment h,
// inertia A and momentum (l, p) about the origin:
//
//   L += l + r x p,   I += A + (2 r.h + m r.r) 1 - r h' - h r' - m r r'
static void add_about_centre(momentum* to, const lb_state* s, double mass, lb_motion p) {
  const lb_v4 r = s->p - to->c;
  to->L += p.w + lb_v4_cross(r, p.v);
  lb_m3_add(&to->I, s->IA.A);
  lb_m3_add_scaled(&to->I, 2 * lb_v4_dot(r, s->h) + mass * lb_v4_dot(r, r), lb_m3_identity());
  lb_m3_add_outer(&to->I, -1, r, s->h);
  lb_m3_add_outer(&to->I, -1, s->h, r);
  lb_m3_add_outer(&to->I, -mass, r, r);
}

// Momentum and inertia of all mechanisms, at poses and velocities of d's work space.
static void measure(lb_free_momentum* F, const lb_data* d) {
  for (int k = 0; k < F->count; k++) {
    F->of[k].now = (momentum){0};
  }
  for (int i = 0; i < F->m->nlink; i++) {
    if (F->number[i] >= 0) {
      momentum* now = &F->of[F->number[i]].now;
      lb_motion p;
      const double mass = weigh(F->m, d, i, &p);
      const lb_state* s = &d->work->state[i];
      now->mass += mass;
      now->c += s->p * mass + s->h;
      now->P += p.v;
    }
  }
  for (int k = 0; k < F->count; k++) {
    F->of[k].now.c /= F->of[k].now.mass;
  }
  for (int i = 0; i < F->m->nlink; i++) {
    if (F->number[i] >= 0) {
      lb_motion p;
      const double mass = weigh(F->m, d, i, &p);
      add_about_centre(&F->of[F->number[i]].now, &d->work->state[i], mass, p);
    }
  }
}

// Of a free joint.
static lb_quat turn_of(const double* q) {
  return (lb_quat){q[3], q[4], q[5], q[6]};
}

void lb_free_momentum_begin(lb_free_momentum* F, const lb_data* d) {
  measure(F, d);
  for (int k = 0; k < F->count; k++) {
    mechanism* f = &F->of[k];
    const double* q = f->body >= 0 ? d->q + F->m->link.q[f->body] : NULL;
    f->before = f->now;
    f->q = q ? turn_of(q) : f->q;
  }
}

// --- correction ---

static void mark(lb_free_momentum* F, int link) {
  if (link != LB_WORLD && F->number[link] >= 0) {
    F->of[F->number[link]].touched = true;
  }
}

// Mechanisms that are pushed in this step, by contacts or by a caller.
static void find_touched(lb_free_momentum* F, const lb_data* d) {
  const lb_touch* touch = NULL;
  const lb_model* m = F->m;
  const int n = d->work->contacts ? lb_contacts_points(d->work->contacts, &touch) : 0;
  for (int k = 0; k < F->count; k++) {
    F->of[k].touched = !(F->of[k].now.mass > 0);
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 2 && lb_v4_dot(touch[i].impulse, touch[i].impulse) > 0; k++) {
      mark(F, lb_link_mover(m, m->contact.collider[touch[i].collider[k]].link));
    }
  }
  for (int i = 0; i < d->nexternal; i++) {
    mark(F, d->external[i].at.link);
  }
  for (int i = 0; i < m->nlink; i++) {
    for (int k = 0; k < m->link.nv[i] && is_root(m, i); k++) {
      if (d->tau[m->link.v[i] + k] != 0) {
        mark(F, i);
      }
    }
  }
}

// (1) and (2): the way by which all is to move, and the velocities at the centre of mass.
static void find_change(mechanism* f, lb_v4 gravity, double h) {
  const momentum *a = &f->before, *b = &f->now;
  const lb_v4 P = a->P + gravity * (h * a->mass), L = a->L - b->L;
  double I[9], turn[3];
  lb_m3_store(I, 3, b->I);
  lb_v4_store(turn, L);
  lb_ldl_factor(3, I, 3);
  lb_ldl_solve(3, I, 3, turn);
  f->move = a->c + P * (h / a->mass) - b->c;
  f->turn = lb_v4_load(turn);
  f->speed = (P - b->P) / a->mass;
}

static void change_root(const lb_link* l, const lb_state* s, const mechanism* f, lb_data* d) {
  const lb_v4 speed = f->speed + lb_v4_cross(f->turn, s->p - f->now.c);
  double* q = d->q + l->q;
  lb_v4_store(q, lb_v4_load(q) + f->move);
  lb_v4_add_to(d->qd + l->v, lb_m3_apply_transposed(s->R, f->turn));
  lb_v4_add_to(d->qd + l->v + 3, lb_m3_apply_transposed(s->R, speed));
}

// --- bodies ---

// I^-1 R'L along the axes of q, with the factors D of I.
static lb_v4 spin_along(const double D[9], lb_quat q, lb_v4 L) {
  double w[3];
  lb_v4_store(w, lb_v4_from(lb_quat_rotate(lb_quat_conjugate(q), lb_v4_vec3(L))));
  lb_ldl_solve(3, D, 3, w);
  return lb_v4_load(w);
}

// (3) by iteration, which gains a factor of h w every time. The step has turned the body by `way`.
static lb_quat turn_body(const double D[9], lb_quat start, lb_vec3 way, lb_v4 L, double h) {
  enum { ROUNDS = 12 };
  static const double ROUNDING = 1e-16; // [rad]
  const lb_v4 w0 = spin_along(D, start, L);
  lb_quat q = lb_quat_mul(start, lb_quat_exp(way));
  lb_v4 more = lb_v4_zero(), change = w0;
  for (int i = 0; i < ROUNDS && lb_v4_dot(change, change) > ROUNDING * ROUNDING; i++) {
    const lb_v4 last = more;
    more = (spin_along(D, q, L) - w0) * (0.5 * h);
    change = more - last;
    q = lb_quat_mul(start, lb_quat_exp(lb_vec3_add(way, lb_v4_vec3(more))));
  }
  return q;
}

// A body that is turned apart from others has another energy with its momentum as it was. More of
// it than before is taken away.
static lb_v4 calmed(lb_v4 w1, lb_v4 w0, lb_quat q1, lb_quat q0, lb_v4 L) {
  const lb_v4 at0 = lb_v4_from(lb_quat_rotate(q0, lb_v4_vec3(w0)));
  const lb_v4 at1 = lb_v4_from(lb_quat_rotate(q1, lb_v4_vec3(w1)));
  const double before = lb_v4_dot(at0, L), after = lb_v4_dot(at1, L);
  return after > before && before > 0 ? w1 * sqrt(before / after) : w1;
}

static void turn_alone(const lb_model* m, const mechanism* f, lb_data* d, double h) {
  const lb_link* l = &m->link.packed[f->body];
  const lb_m3 R0 = lb_m3_rotation(turn_of(d->q + l->q));
  const lb_vec3 way = lb_quat_log(lb_quat_mul(lb_quat_conjugate(f->q), turn_of(d->q + l->q)));
  double* q = d->q + l->q;
  double D[9];
  lb_m3_store(D, 3, lb_m3_mul(lb_m3_transpose(R0), lb_m3_mul(f->now.I, R0)));
  lb_ldl_factor(3, D, 3);
  const lb_quat to = turn_body(D, f->q, way, f->now.L, h);
  const lb_m3 R = lb_m3_rotation(to);
  const lb_v4 c = l->h / l->m, L = f->now.L;
  const lb_v4 w = calmed(spin_along(D, to, L), spin_along(D, f->q, L), to, f->q, L);
  lb_v4_store(q, f->now.c - lb_m3_apply(R, c));
  q[3] = to.w, q[4] = to.x, q[5] = to.y, q[6] = to.z;
  lb_v4_store(d->qd + l->v, w);
  lb_v4_store(d->qd + l->v + 3,
              lb_m3_apply_transposed(R, f->now.P / f->now.mass) - lb_v4_cross(w, c));
}

// A body that hardly turns within a step has no error to speak of, (h w)^2 of its energy.
static bool tumbles(const lb_model* m, const mechanism* f, const lb_data* d, double h) {
  static const double HARDLY = 1e-8;
  const lb_v4 w = lb_v4_load(d->qd + m->link.v[f->body]);
  return lb_v4_dot(w, w) * h * h > HARDLY * HARDLY;
}

void lb_free_momentum_keep(lb_free_momentum* F, lb_data* d, double h) {
  const lb_model* m = F->m;
  if (F->count == 0) {
    return;
  }
  lb_drive(m, d);
  lb_normalise(m, d->q);
  lb_kinematics(m, d, d->q, d->qd);
  lb_move_origins(m, d->work, d->qd);
  measure(F, d);
  find_touched(F, d);
  for (int k = 0; k < F->count; k++) {
    if (F->of[k].body >= 0 && d->work->contacts && tumbles(m, &F->of[k], d, h)) {
      turn_alone(m, &F->of[k], d, h);
    } else if (F->of[k].body < 0 && !F->of[k].touched) {
      find_change(&F->of[k], lb_v4_from(m->gravity), h);
    }
  }
  for (int i = 0; i < m->nlink; i++) {
    const mechanism* f = F->number[i] >= 0 ? &F->of[F->number[i]] : NULL;
    if (f && is_root(m, i) && f->body < 0 && !f->touched) {
      change_root(&m->link.packed[i], &d->work->state[i], f, d);
    }
  }
}
