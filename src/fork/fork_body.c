// With x the place of a point of body b in the base, and c its centre of mass, its displacement by
// coordinate k is that of its centre and a linear map,
//
//   (1)  Phi_k(x) = u_k + W_k (x - c)
//
// in which W_k = [w_k] with the angular velocity w_k. With mass m and second moments S about c, its
// integrals (elastic/reduced/reduced.h) are
//
//   (2)  int rho Phi_k         = m u_k
//   (3)  int rho Phi_k x'      = m u_k c' + W_k S
//   (4)  int rho Phi_k Phi_l'  = m u_k u_l' + W_k S W_l'
//
// Springs have the energy f0.y + y'K0 y/2. Let f and K1 be the force and stiffness by which the
// scene acts on y at y = 0 without them: gravity, loads, springs on effectors, and the forces b of
// the model's equilibrium. Then
//
//   (5)  f0 = f,   K0 = K - K1,   D0 = D - D1
//
// so that y = 0 is the equilibrium under b, and small motions about it are those of the fork.
#include "fork/fork_body.h"

#include <string.h>

#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/state.h"
#include "fork/fork_inside.h"
#include "limber/derivative.h"
#include "math/linear/dense.h"

// --- springs ---

typedef struct springs {
  int r;
  double *f0, *K0;
} springs;

static void force(const void* context, double* f, double* Kv, const double* eta, const double* v,
                  double* scratch) {
  const springs* s = context;
  (void)scratch;
  for (int i = 0; i < s->r; i++) {
    const double* row = s->K0 + (size_t)i * (size_t)s->r;
    f[i] = s->f0[i] + lb_dot(s->r, row, eta);
    if (Kv) {
      Kv[i] = lb_dot(s->r, row, v);
    }
  }
}

static double energy(const void* context, const double* eta, double* scratch) {
  const springs* s = context;
  double sum = lb_dot(s->r, s->f0, eta);
  (void)scratch;
  for (int i = 0; i < s->r; i++) {
    sum += 0.5 * eta[i] * lb_dot(s->r, s->K0 + (size_t)i * (size_t)s->r, eta);
  }
  return sum;
}

static void blend(const void* context, double* A, lb_blend of, const double* eta, const double* v,
                  double* scratch) {
  const springs* s = context;
  (void)eta, (void)v, (void)scratch;
  for (int i = 0; i < s->r * s->r; i++) {
    A[i] = (of.K + of.D) * s->K0[i];
  }
}

static void blend_product(const void* context, double* y, lb_blend of, const double* eta,
                          const double* v, const double* x, double* scratch) {
  const springs* s = context;
  (void)eta, (void)v, (void)scratch;
  for (int i = 0; i < s->r; i++) {
    y[i] = (of.K + of.D) * lb_dot(s->r, s->K0 + (size_t)i * (size_t)s->r, x);
  }
}

static bool take_springs(lb_reduced* b, lb_arena* arena) {
  springs* s = LB_TAKE(arena, springs, 1);
  if (!s) {
    return false;
  }
  *s = (springs){b->r, LB_TAKE(arena, double, b->r), LB_TAKE(arena, double, b->r * b->r)};
  b->internal = (lb_reduced_force){.force = force,
                                   .energy = energy,
                                   .context = s,
                                   .blend = blend,
                                   .blend_product = blend_product};
  b->alpha = 1;
  b->C = LB_TAKE(arena, double, b->r * b->r);
  return lb_arena_status(arena) == LB_OK;
}

// --- masses ---

static lb_v4 turn(lb_quat q, lb_vec3 v) {
  return lb_v4_from(lb_quat_rotate(q, v));
}

static lb_m3 second_moments(lb_mass mass, lb_quat q) {
  const lb_sym3 I = mass.inertia;
  const double half = 0.5 * (I.xx + I.yy + I.zz);
  const lb_m3 S = {lb_v4_make(half - I.xx, -I.xy, -I.xz), lb_v4_make(-I.xy, half - I.yy, -I.yz),
                   lb_v4_make(-I.xz, -I.yz, half - I.zz)};
  return lb_m3_congruence(lb_m3_rotation(q), S);
}

void lb_fork_body_add(lb_reduced* b, const lb_fork_mover* v) {
  b->m += v->m;
  b->h0 += v->c * v->m;
  lb_m3_add(&b->E0, v->S);
  lb_m3_add_outer(&b->E0, v->m, v->c, v->c);
  for (int k = 0; k < b->r; k++) {
    const lb_m3 WS = lb_m3_mul(v->field[k].W, v->S);
    b->H[k] += v->field[k].u * v->m;
    lb_m3_add(&b->B0[k], WS);
    lb_m3_add_outer(&b->B0[k], v->m, v->field[k].u, v->c);
    for (int l = 0; l < b->r; l++) {
      lb_m3* B1 = &b->B1[k * b->r + l];
      lb_m3_add(B1, lb_m3_mul(WS, lb_m3_transpose(v->field[l].W)));
      lb_m3_add_outer(B1, v->m, v->field[k].u, v->field[l].u);
    }
  }
}

lb_fork_mover lb_fork_mover_of(const lb_model* m, int body, lb_transform X) {
  return (lb_fork_mover){.m = m->body.mass[body].mass,
                         .c = lb_v4_from(lb_transform_point(X, m->body.mass[body].com)),
                         .S = second_moments(m->body.mass[body], X.q)};
}

// Velocities of all bodies' centres by coordinate k: move[body * r + k].
void lb_fork_body_velocities(const lb_fork* f, lb_data* d, lb_quat axes, lb_motion* move) {
  const lb_model* m = f->model;
  for (int k = 0; k < f->count; k++) {
    memcpy(d->qd, f->dq + (size_t)k * (size_t)f->nv, (size_t)f->nv * sizeof *d->qd);
    lb_update(m, d, LB_ORIGINS);
    for (int i = 0; i < m->nbody; i++) {
      const int link = m->body.link[i];
      if (link == LB_WORLD) {
        continue;
      }
      const lb_state* s = &d->work->state[link];
      const lb_vec3 centre = lb_transform_point(m->body.in_link[i], m->body.mass[i].com);
      const lb_v4 v = s->v + lb_v4_cross(s->w, lb_m3_apply(s->R, lb_v4_from(centre)));
      move[(size_t)i * (size_t)f->count + (size_t)k] =
          (lb_motion){turn(axes, lb_v4_vec3(s->w)), turn(axes, lb_v4_vec3(v))};
    }
  }
  memset(d->qd, 0, (size_t)f->nv * sizeof *d->qd);
}

static bool weigh(lb_reduced* b, const lb_fork* f, lb_data* d, const bool* has,
                  lb_transform to_base, lb_arena* arena) {
  const lb_model* m = f->model;
  const lb_arena_mark mark = lb_arena_here(arena);
  lb_motion* move = LB_TAKE(arena, lb_motion, m->nbody * b->r);
  lb_fork_field* field = LB_TAKE(arena, lb_fork_field, b->r);
  if (!move || !field) {
    return false;
  }
  lb_fork_body_velocities(f, d, to_base.q, move);
  lb_poses(m, d);
  for (int i = 0; i < m->nbody; i++) {
    lb_fork_mover v = lb_fork_mover_of(m, i, lb_transform_mul(to_base, d->pose[i]));
    for (int k = 0; k < b->r; k++) {
      const lb_motion by = move[(size_t)i * (size_t)b->r + (size_t)k];
      field[k] = (lb_fork_field){by.v, lb_m3_cross_mul(by.w, lb_m3_identity())};
    }
    v.field = field;
    if (has[i]) {
      lb_fork_body_add(b, &v);
    }
  }
  lb_arena_reset(arena, mark);
  return true;
}

// --- the body ---

static bool add_effectors(lb_reduced* b, const lb_fork* f, lb_transform to_base, lb_arena* arena) {
  const size_t n = 6 * (size_t)f->neffector;
  for (int e = 0; e < f->neffector; e++) {
    lb_face* face = &b->face[e];
    face->rest = lb_transform_mul(to_base, f->pose[e]);
    face->x0 = lb_v4_from(face->rest.p);
    face->twist = LB_TAKE(arena, lb_motion, b->r);
    for (int k = 0; face->twist && k < b->r; k++) {
      const double* xi = f->shape + (size_t)k * n + 6 * (size_t)e;
      face->twist[k] = (lb_motion){lb_v4_load(xi), lb_v4_load(xi + 3)};
    }
  }
  return lb_arena_status(arena) == LB_OK;
}

lb_status lb_fork_body_create(const lb_fork* f, lb_data* d, const bool* has, lb_transform to_base,
                              lb_arena* arena, lb_reduced** body) {
  lb_reduced* b = LB_TAKE(arena, lb_reduced, 1);
  if (!b || lb_reduced_take(b, f->count, f->neffector, arena) != LB_OK || !take_springs(b, arena) ||
      !add_effectors(b, f, to_base, arena) || !weigh(b, f, d, has, to_base, arena)) {
    return LB_NO_MEMORY;
  }
  memcpy(b->M, f->M, (size_t)b->r * (size_t)b->r * sizeof *b->M);
  *body = b;
  return LB_OK;
}

// --- (5) ---

// Forces b of the equilibrium, at the effectors' points.
static void apply_loads(const lb_fork* f, const lb_model* alone, lb_data* d,
                        lb_external_force* load) {
  const lb_scene_fork_model* of = f->what->nmodel ? &f->what->model[f->number] : NULL;
  for (int i = 0; of && i < of->nload; i++) {
    const lb_scene_effector* e = &f->what->effector[of->load[i].effector];
    load[i] = (lb_external_force){.at = lb_model_anchor_of(alone, e->body, e->at),
                                  .force = of->load[i].force};
  }
  d->external = load;
  d->nexternal = of ? of->nload : 0;
}

// Forces (5) on the coordinates, their stiffness and damping, where d is.
static lb_fork_balance take_balance(const lb_derivatives* D, int r) {
  lb_fork_balance to = {D->tau, D->tau_q, D->tau_qd};
  for (int i = 0; i < r; i++) {
    for (int k = 0; k < i; k++) { // the symmetric part
      double* const of[] = {D->tau_q, D->tau_qd};
      for (int n = 0; n < 2; n++) {
        double *a = of[n] + i * r + k, *b = of[n] + k * r + i;
        *a = *b = 0.5 * (*a + *b);
      }
    }
  }
  return to;
}

static void balance_one(lb_reduced* b, const lb_fork* f, lb_fork_balance of) {
  const springs* s = b->internal.context;
  for (int i = 0; i < b->r; i++) {
    s->f0[i] = -of.f[i];
  }
  for (int i = 0; i < b->r * b->r; i++) {
    s->K0[i] = f->K[i] - of.K[i];
    b->C[i] = f->D[i] - of.D[i];
  }
}

static void look(const lb_fork* f, const lb_model* alone, lb_data* d, lb_derivatives* D,
                 const double* y, lb_external_force* load) {
  apply_loads(f, alone, d, load);
  memset(d->qd, 0, (size_t)alone->nv * sizeof *d->qd);
  memset(d->qdd, 0, (size_t)alone->nv * sizeof *d->qdd);
  if (y) {
    memcpy(d->q, y, (size_t)alone->nv * sizeof *d->q);
  }
  lb_update(alone, d, LB_ORIGINS | LB_FORCED);
  lb_derive_forced(D, d);
}

static int most_loads(const lb_scene_fork* what) {
  int most = 0;
  for (int i = 0; i < what->nmodel; i++) {
    most = what->model[i].nload > most ? what->model[i].nload : most;
  }
  return most;
}

lb_status lb_fork_body_balance(lb_reduced* b, lb_fork* const* fork, const lb_fork_members* members,
                               const lb_model* alone, const lb_allocator* allocator,
                               lb_error* err) {
  lb_data* d = NULL;
  lb_derivatives* D = NULL;
  lb_arena scratch;
  lb_arena_init(&scratch, allocator);
  lb_external_force* load = LB_TAKE(&scratch, lb_external_force, most_loads(fork[0]->what));
  lb_status status = load ? lb_data_create(alone, allocator, &d, err) : lb_fork_no_memory(err);
  status = status == LB_OK ? lb_derivatives_create(alone, allocator, &D, err) : status;
  if (status == LB_OK && !members) {
    look(fork[0], alone, d, D, NULL, load);
    balance_one(b, fork[0], take_balance(D, b->r));
  }
  if (status == LB_OK && members) { // all with no forces yet of its own
    for (int i = 0; i < members->family->count; i++) {
      look(fork[i], alone, d, D, members->family->y + i * b->r, load);
      lb_fork_members_balance(members, i, take_balance(D, b->r));
    }
    lb_fork_members_finish(members);
  }
  lb_derivatives_release(D);
  lb_data_release(d);
  lb_arena_release(&scratch);
  return status;
}
