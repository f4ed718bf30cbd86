#include "solve/particle/particle_derivative.h"

#include <cblas.h>
#undef I // complex.h comes along
#include <string.h>

#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force_point.h"
#include "model/use/model_derive.h"
#include "solve/step/step_matrix.h"

// --- making ---

static void take_moves(lb_particle_derivative* T, lb_arena* arena) {
  const lb_model* m = T->N.m;
  for (int i = 0; i < m->particles.nparticle; i++) {
    if (T->N.J[i]) {
      const size_t size = 3 * (size_t)T->N.chain[m->particles.particle[i].link].count;
      T->G[i] = LB_TAKE(arena, double, size);
      T->P[i] = LB_TAKE(arena, double, size);
      T->R[i] = LB_TAKE(arena, double, size);
    }
  }
}

static lb_particles take_places(const lb_model* m, lb_arena* arena) {
  int most = 0;
  for (int i = 0; i < m->particles.ndeformable; i++) {
    most =
        m->particles.deformable[i].nparticle > most ? m->particles.deformable[i].nparticle : most;
  }
  return (lb_particles){.x = LB_TAKE(arena, double, 3 * m->particles.nparticle),
                        .xd = LB_TAKE(arena, double, 3 * m->particles.nparticle),
                        .u = LB_TAKE(arena, double, 3 * most),
                        .g = LB_TAKE(arena, double, 3 * most)};
}

lb_status lb_particle_derivative_create(lb_particle_derivative* T, const lb_model* m,
                                        lb_arena* arena) {
  *T = (lb_particle_derivative){
      .tree = lb_model_without_particles(m, arena),
      .G = LB_TAKE(arena, double*, m->particles.nparticle),
      .P = LB_TAKE(arena, double*, m->particles.nparticle),
      .R = LB_TAKE(arena, double*, m->particles.nparticle),
      .Z = LB_TAKE(arena, double, 3 * (size_t)m->particles.nfree * (size_t)m->ndense),
      .at = take_places(m, arena),
      .zd = LB_TAKE(arena, double, 3 * m->particles.nparticle),
      .row = LB_TAKE(arena, double, m->ndense),
      .rate = LB_TAKE(arena, double, m->ndense),
      .out = LB_TAKE(arena, double, m->ndense)};
  lb_status status = lb_particle_matrix_create(&T->N, m, arena);
  if (status == LB_OK) {
    status = lb_blocks_general_create(arena, &T->N.A, &T->A);
  }
  if (status == LB_OK) {
    take_moves(T, arena);
  }
  return status == LB_OK ? lb_arena_status(arena) : status;
}

// --- the state ---

static lb_force_point point_of(lb_data* d, const lb_model_particle* particle) {
  const lb_anchor at = {particle->link, {lb_quat_identity(), particle->at}};
  return lb_force_point_find(d->work, &at);
}

// The motion of a fastened node by the coordinates of its chain, [3][count].
static void put_column(double* J, const lb_particle_chain* c, int k, lb_v4 move) {
  for (int r = 0; r < 3; r++) {
    J[r * c->count + k] = move[r];
  }
}

void lb_particle_derivative_take(lb_particle_derivative* T, lb_derivatives* D, lb_data* d) {
  const lb_model* m = T->N.m;
  const lb_particles* particles = d->work->particles;
  const size_t size = 3 * (size_t)m->particles.nparticle * sizeof(double);
  memcpy(T->at.x, particles->x, size);
  memcpy(T->at.xd, particles->xd, size);
  lb_motion *S = D->work->lever[0], *psi = D->work->lever[1];
  for (int i = 0; i < m->particles.nparticle; i++) {
    if (!T->N.J[i]) {
      continue;
    }
    const lb_particle_chain* c = &T->N.chain[m->particles.particle[i].link];
    const lb_force_point p = point_of(d, &m->particles.particle[i]);
    lb_derive_point(D, S, psi, p.index, p.arm);
    for (int k = 0; k < c->count; k++) {
      const lb_motion* move = &S[c->v[k]];
      put_column(T->N.J[i], c, k, move->v);
      put_column(T->G[i], c, k, lb_force_point_gain(*move, psi[c->v[k]], p.velocity));
    }
  }
  lb_particles_differentiate_turning(D, d, m);
}

// to = v + q dq/dv of the step, [3][count of the chain]; NULL for zero
static void move(lb_particle_derivative* T, const lb_data* d, double dt, const lb_particle_chain* c,
                 const double* q, const double* v, double* to) {
  const size_t size = (size_t)T->N.nd * sizeof(double);
  for (int r = 0; r < 3; r++) {
    memset(T->row, 0, size);
    memset(T->rate, 0, size);
    for (int k = 0; k < c->count; k++) {
      T->row[c->v[k]] = q[r * c->count + k];
      T->rate[c->v[k]] = v ? v[r * c->count + k] : 0;
    }
    lb_step_row(T->out, T->tree, d, dt, T->row, T->rate);
    for (int k = 0; k < c->count; k++) {
      to[r * c->count + k] = T->out[c->v[k]];
    }
  }
}

static void find_moves(lb_particle_derivative* T, const lb_data* d, double dt) {
  const lb_model* m = T->N.m;
  for (int i = 0; i < m->particles.nparticle; i++) {
    if (T->N.J[i]) {
      const lb_particle_chain* c = &T->N.chain[m->particles.particle[i].link];
      move(T, d, dt, c, T->N.J[i], NULL, T->P[i]);
      move(T, d, dt, c, T->G[i], T->N.J[i], T->R[i]);
    }
  }
}

// --- solving ---

bool lb_particle_derivative_factor(lb_particle_derivative* T, const lb_data* d, double dt,
                                   double* W) {
  const lb_particle_matrix* N = &T->N;
  const int n = 3 * N->m->particles.nfree, nd = N->nd;
  lb_blocks_general_zero(&T->A);
  memset(T->Z, 0, (size_t)n * (size_t)nd * sizeof *T->Z);
  find_moves(T, d, dt);
  lb_particle_matrix_fill_by(&T->N, &(lb_particle_filling){.share = {1 / dt, 1, dt},
                                                           .at = &T->at,
                                                           .P = T->P,
                                                           .R = T->R,
                                                           .p = 1,
                                                           .r = 1,
                                                           .A = &T->A,
                                                           .Z = T->Z,
                                                           .W = W});
  if (!lb_blocks_general_factor(&T->A)) {
    return false;
  }
  lb_blocks_general_forward(&T->A, false, nd, N->B);
  lb_blocks_general_forward(&T->A, true, nd, T->Z);
  if (n > 0 && nd > 0) { // W by rows is W' by columns: W' -= Y'Z
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, nd, nd, n, -1, N->B, nd, T->Z, nd, 1, W,
                nd);
  }
  return true;
}

void lb_particle_derivative_before(lb_particle_derivative* T, bool transposed, double* b) {
  lb_particle_matrix_before_by(&T->N, &T->A, transposed, transposed ? T->N.B : T->Z, b);
}

void lb_particle_derivative_after(lb_particle_derivative* T, bool transposed, double* b) {
  lb_particle_matrix_after_by(&T->N, &T->A, transposed, transposed ? T->Z : T->N.B, b);
}

// --- products ---

void lb_particle_derivative_add(lb_particle_derivative* T, double* y, double s, const double* q,
                                const double* v) {
  lb_particle_matrix* N = &T->N;
  lb_particle_matrix_spread(N, N->J, N->z, q);
  lb_particle_matrix_spread(N, N->J, T->zd, v);
  lb_particle_matrix_spread_fastened(N, T->G, T->zd, q);
  lb_particles_change(N->m, &T->at, N->y, N->z, T->zd);
  lb_particle_matrix_gather(N, N->J, y, s, N->y);
}

void lb_particle_derivative_add_back(lb_particle_derivative* T, double* q, double* v, double s,
                                     const double* mu) {
  lb_particle_matrix* N = &T->N;
  lb_particle_matrix_spread(N, N->J, N->y, mu);
  lb_particles_change_back(N->m, &T->at, N->z, T->zd, N->y);
  lb_particle_matrix_gather(N, N->J, q, s, N->z);
  lb_particle_matrix_gather(N, N->J, v, s, T->zd);
  lb_particle_matrix_gather_fastened(N, T->G, q, s, T->zd);
}

const double* lb_particle_derivative_spread(lb_particle_derivative* T, const double* v) {
  lb_particle_matrix_spread(&T->N, T->N.J, T->N.z, v);
  return T->N.z;
}
