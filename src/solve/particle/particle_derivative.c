#include "solve/particle/particle_derivative.h"

#include <cblas.h>
#undef I // complex.h comes along
#include <string.h>

#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force_point.h"
#include "elastic/fem/fem.h"
#include "elastic/fem/viscous.h"
#include "solve/step/step_matrix.h"

// --- making ---

static bool take_moves(lb_particle_derivative* T, lb_arena* arena) {
  const lb_model* m = T->N.m;
  for (int i = 0; i < m->nparticle; i++) {
    if (T->N.J[i]) {
      const size_t size = 3 * (size_t)T->N.chain[m->particle[i].link].count;
      double** const part[] = {&T->G[i], &T->P[i], &T->R[i]};
      double* block = LB_TAKE(arena, double, 3 * size);
      if (!block) {
        return false;
      }
      for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
        *part[k] = block + k * size;
      }
    }
  }
  return true;
}

static bool take_places(lb_particles* at, const lb_model* m, lb_arena* arena) {
  int most = 0;
  for (int i = 0; i < m->ndeformable; i++) {
    most = m->deformable[i].nparticle > most ? m->deformable[i].nparticle : most;
  }
  *at = (lb_particles){.x = LB_TAKE(arena, double, 3 * m->nparticle),
                       .xd = LB_TAKE(arena, double, 3 * m->nparticle),
                       .u = LB_TAKE(arena, double, 3 * most),
                       .g = LB_TAKE(arena, double, 3 * most)};
  return at->x && at->xd && at->u && at->g;
}

lb_status lb_particle_derivative_create(lb_particle_derivative* T, const lb_model* m,
                                        lb_arena* arena) {
  *T = (lb_particle_derivative){
      .G = LB_TAKE(arena, double*, m->nparticle),
      .P = LB_TAKE(arena, double*, m->nparticle),
      .R = LB_TAKE(arena, double*, m->nparticle),
      .Z = LB_TAKE(arena, double, 3 * (size_t)m->nfree * (size_t)m->ndense),
      .zd = LB_TAKE(arena, double, 3 * m->nparticle),
      .row = LB_TAKE(arena, double, m->ndense),
      .rate = LB_TAKE(arena, double, m->ndense),
      .out = LB_TAKE(arena, double, m->ndense)};
  const bool made =
      T->G && T->P && T->R && T->Z && T->zd && T->row && T->rate && T->out &&
      take_places(&T->at, m, arena) && lb_particle_matrix_create(&T->N, m, arena) == LB_OK &&
      lb_blocks_general_create(arena, &T->N.A, &T->A) == LB_OK && take_moves(T, arena);
  return made ? LB_OK : LB_NO_MEMORY;
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
  const size_t size = 3 * (size_t)m->nparticle * sizeof(double);
  memcpy(T->at.x, particles->x, size);
  memcpy(T->at.xd, particles->xd, size);
  lb_motion *S = D->work->lever[0], *psi = D->work->lever[1];
  for (int i = 0; i < m->nparticle; i++) {
    if (!T->N.J[i]) {
      continue;
    }
    const lb_particle_chain* c = &T->N.chain[m->particle[i].link];
    const lb_force_point p = point_of(d, &m->particle[i]);
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
    lb_step_row(T->out, T->N.m->tree, d, dt, T->row, T->rate);
    for (int k = 0; k < c->count; k++) {
      to[r * c->count + k] = T->out[c->v[k]];
    }
  }
}

static void find_moves(lb_particle_derivative* T, const lb_data* d, double dt) {
  const lb_model* m = T->N.m;
  for (int i = 0; i < m->nparticle; i++) {
    if (T->N.J[i]) {
      const lb_particle_chain* c = &T->N.chain[m->particle[i].link];
      move(T, d, dt, c, T->N.J[i], NULL, T->P[i]);
      move(T, d, dt, c, T->G[i], T->N.J[i], T->R[i]);
    }
  }
}

// --- filling ---

// Minus the derivatives of the force on a node by another's place and velocity.
typedef struct slope {
  lb_m3 K, C;
} slope;

static lb_m3 blend(const slope* s, double dt) { // C + dt K
  lb_m3 sum = s->C;
  lb_m3_add_scaled(&sum, dt, s->K);
  return sum;
}

static lb_v4 column(const double* J, int count, int k) {
  return lb_v4_make(J[k], J[count + k], J[2 * count + k]);
}

// How the force of a slope on b changes with the coordinate k of its chain.
static lb_v4 linearised(const lb_particle_derivative* T, const slope* s, int b, int count, int k) {
  return lb_m3_apply(s->K, column(T->P[b], count, k)) +
         lb_m3_apply(s->C, column(T->R[b], count, k));
}

// Rows of free particle a in B by fastened b, and columns of a in the rows of b's links: `ab` is of
// the force on a, `ba` of that on b.
static void add_border(lb_particle_derivative* T, int a, int b, const slope* ab, const slope* ba,
                       double dt) {
  const lb_particle_matrix* N = &T->N;
  const lb_particle_chain* c = &N->chain[N->m->particle[b].link];
  const size_t first = 3 * (size_t)N->A.place[N->free[a]] * (size_t)N->nd;
  const lb_m3 back = blend(ba, dt);
  for (int k = 0; k < c->count; k++) {
    if (!N->m->v_driven[c->v[k]]) {
      const lb_v4 y = linearised(T, ab, b, c->count, k);
      const lb_v4 z = lb_m3_apply_transposed(back, column(N->J[b], c->count, k));
      for (size_t r = 0; r < 3; r++) {
        const size_t at = first + r * (size_t)N->nd + (size_t)c->v[k];
        N->B[at] += y[r];
        T->Z[at] += z[r];
      }
    }
  }
}

// W += J_a'(K J_b Q + C (J_b + G_b Q))
static void add_fastened(const lb_particle_derivative* T, int a, int b, const slope* ab,
                         double* W) {
  const lb_particle_matrix* N = &T->N;
  const lb_particle_chain *ca = &N->chain[N->m->particle[a].link],
                          *cb = &N->chain[N->m->particle[b].link];
  const bool* driven = N->m->v_driven;
  for (int j = 0; j < cb->count; j++) {
    const lb_v4 y = linearised(T, ab, b, cb->count, j);
    for (int i = 0; i < ca->count && !driven[cb->v[j]]; i++) {
      if (!driven[ca->v[i]]) {
        W[ca->v[i] * N->nd + cb->v[j]] += lb_v4_dot(column(N->J[a], ca->count, i), y);
      }
    }
  }
}

// What nodes a and b do to each other; `place` is that of free ones.
static void add_pair(lb_particle_derivative* T, lb_block_place place, int a, int b, const slope* ab,
                     const slope* ba, double dt, double* W) {
  const int link_a = T->N.m->particle[a].link, link_b = T->N.m->particle[b].link;
  if (place.at >= 0) {
    lb_blocks_general_add(&T->A, place, blend(ab, dt), blend(ba, dt));
  } else if (link_a == LB_PARTICLE_FREE && link_b >= 0) {
    add_border(T, a, b, ab, ba, dt);
  } else if (link_b == LB_PARTICLE_FREE && link_a >= 0) {
    add_border(T, b, a, ba, ab, dt);
  } else if (link_a >= 0 && link_b >= 0) {
    add_fastened(T, a, b, ab, W);
    if (a != b) {
      add_fastened(T, b, a, ba, W);
    }
  }
}

static void add_own(lb_particle_derivative* T, int a, const slope* s, double dt, double* W) {
  const int i = T->N.free[a];
  const int at = i >= 0 ? T->N.A.column[T->N.A.place[i]] : -1;
  add_pair(T, (lb_block_place){at, false}, a, a, s, s, dt, W);
}

static lb_m3 times_identity(double s) {
  return (lb_m3){lb_v4_make(s, 0, 0), lb_v4_make(0, s, 0), lb_v4_make(0, 0, s)};
}

static lb_m3 negative(lb_m3 A) {
  return (lb_m3){-A.x, -A.y, -A.z};
}

static void fill_segments(lb_particle_derivative* T, double dt, double* W) {
  const lb_model* m = T->N.m;
  for (int k = 0; k < m->nsegment; k++) {
    const lb_model_segment* s = &m->segment[k];
    const lb_segment_slope by = lb_segment_differentiate(s, T->at.x, T->at.xd);
    const slope own = {by.place, by.velocity};
    const slope other = {negative(by.place), negative(by.velocity)};
    add_own(T, s->particle[0], &own, dt, W);
    add_own(T, s->particle[1], &own, dt, W);
    add_pair(T, T->N.at[k], s->particle[0], s->particle[1], &other, &other, dt, W);
  }
}

static const lb_block_place* fill_deformable(lb_particle_derivative* T, int which,
                                             const lb_block_place* at, double dt, double* W) {
  const lb_model_deformable* deformable = &T->N.m->deformable[which];
  const lb_sparse* M = &deformable->fem->M;
  const int first = deformable->first_particle;
  lb_particles_displace(&T->at, deformable);
  lb_fem_tangent(deformable->fem, &T->N.K[which], T->at.u);
  for (int a = 0; a < M->n; a++) {
    for (int k = M->row[a]; k < M->row[a + 1]; k++, at++) {
      const slope ab = {.K = lb_particle_matrix_block(&T->N, which, a, k)};
      const slope ba = {.K = lb_m3_transpose(ab.K)};
      add_pair(T, *at, first + a, first + M->col[k], &ab, &ba, dt, W);
    }
  }
  return at;
}

static const lb_block_place* fill_viscous(lb_particle_derivative* T, int which,
                                          const lb_block_place* at, double dt, double* W) {
  const lb_model_deformable* deformable = &T->N.m->deformable[which];
  const int first = deformable->first_particle;
  for (int i = 0; i < deformable->viscous->nelem; i++) {
    const lb_viscous_element* e = &deformable->viscous->elem[i];
    const lb_m3 F = lb_viscous_gradient(e, T->at.x + 3 * (size_t)first);
    const lb_m3 Fd = lb_viscous_gradient(e, T->at.xd + 3 * (size_t)first);
    for (int a = 0; a < 4; a++) {
      for (int b = 0; b <= a; b++, at++) {
        const lb_m3 C = lb_viscous_block(e, F, a, b);
        const slope ab = {lb_viscous_block_by_place(e, F, Fd, a, b), C};
        const slope ba = {lb_viscous_block_by_place(e, F, Fd, b, a), lb_m3_transpose(C)};
        add_pair(T, *at, first + e->node[a], first + e->node[b], &ab, &ba, dt, W);
      }
    }
  }
  return at;
}

static void fill(lb_particle_derivative* T, const lb_data* d, double dt, double* W) {
  const lb_model* m = T->N.m;
  const size_t size = 3 * (size_t)m->nfree * (size_t)T->N.nd * sizeof(double);
  lb_blocks_general_zero(&T->A);
  memset(T->N.B, 0, size);
  memset(T->Z, 0, size);
  find_moves(T, d, dt);
  for (int i = 0; i < m->nparticle; i++) {
    const double mass = m->particle[i].link == LB_PARTICLE_FREE ? m->particle[i].mass / dt : 0;
    const slope own = {.C = times_identity(mass + m->particle[i].drag)};
    add_own(T, i, &own, dt, W);
  }
  fill_segments(T, dt, W);
  const lb_block_place* at = T->N.at + m->nsegment;
  for (int i = 0; i < m->ndeformable; i++) {
    at = fill_viscous(T, i, fill_deformable(T, i, at, dt, W), dt, W);
  }
}

// --- solving ---

bool lb_particle_derivative_factor(lb_particle_derivative* T, const lb_data* d, double dt,
                                   double* W) {
  const lb_particle_matrix* N = &T->N;
  const int n = 3 * N->m->nfree, nd = N->nd;
  fill(T, d, dt, W);
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
  lb_particle_matrix* N = &T->N;
  const int n = 3 * N->m->nfree;
  lb_particle_matrix_sort(N, b, false);
  lb_blocks_general_forward(&T->A, transposed, 1, N->x);
  if (N->nd > 0 && n > 0) {
    cblas_dgemv(CblasColMajor, CblasNoTrans, N->nd, n, -1, transposed ? N->B : T->Z, N->nd, N->x, 1,
                1, b, 1);
  }
  lb_particle_matrix_sort(N, b, true);
}

void lb_particle_derivative_after(lb_particle_derivative* T, bool transposed, double* b) {
  lb_particle_matrix* N = &T->N;
  const int n = 3 * N->m->nfree;
  lb_particle_matrix_sort(N, b, false);
  if (N->nd > 0 && n > 0) {
    cblas_dgemv(CblasColMajor, CblasTrans, N->nd, n, -1, transposed ? T->Z : N->B, N->nd, b, 1, 1,
                N->x, 1);
  }
  lb_blocks_general_backward(&T->A, transposed, 1, N->x);
  lb_particle_matrix_sort(N, b, true);
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

// What forces that move the nodes by N's y feel of the coordinates.
static void pull(lb_particle_derivative* T, double* q, double* v, double s) {
  lb_particle_matrix* N = &T->N;
  lb_particles_change_back(N->m, &T->at, N->z, T->zd, N->y);
  lb_particle_matrix_gather(N, N->J, q, s, N->z);
  lb_particle_matrix_gather(N, N->J, v, s, T->zd);
  lb_particle_matrix_gather_fastened(N, T->G, q, s, T->zd);
}

void lb_particle_derivative_add_back(lb_particle_derivative* T, double* q, double* v, double s,
                                     const double* mu) {
  lb_particle_matrix_spread(&T->N, T->N.J, T->N.y, mu);
  pull(T, q, v, s);
}

void lb_particle_derivative_add_row(lb_particle_derivative* T, double* q, double* v, double s,
                                    int k) {
  memset(T->row, 0, (size_t)T->N.nd * sizeof *T->row);
  memset(T->N.y, 0, 3 * (size_t)T->N.m->nparticle * sizeof *T->N.y);
  T->row[k] = 1;
  lb_particle_matrix_spread_fastened(&T->N, T->N.J, T->N.y, T->row);
  pull(T, q, v, s);
}

const double* lb_particle_derivative_spread(lb_particle_derivative* T, const double* v) {
  lb_particle_matrix_spread(&T->N, T->N.J, T->N.z, v);
  return T->N.z;
}
