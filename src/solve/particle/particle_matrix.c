#include "solve/particle/particle_matrix.h"

#include <cblas.h>
#undef I // complex.h comes along
#include <string.h>

#include "dynamics/force/particles.h"
#include "dynamics/tree/kinematics.h"
#include "elastic/fem/fem.h"
#include "elastic/fem/viscous.h"

// --- making ---

enum { VISCOUS = 10 }; // pairs of nodes of an element that is damped

// Pairs of nodes that act on each other.
static int count_pairs(const lb_model* m) {
  int count = m->nsegment;
  for (int i = 0; i < m->ndeformable; i++) {
    count += m->deformable[i].fem->M.row[m->deformable[i].nparticle] +
             VISCOUS * m->deformable[i].viscous->nelem;
  }
  return count;
}

typedef void visit(void* context, int a, int b);

// All of them in the order in which blocks are added later, nodes with themselves, too.
static void visit_pairs(const lb_model* m, visit* tell, void* context) {
  for (int k = 0; k < m->nsegment; k++) {
    tell(context, m->segment[k].particle[0], m->segment[k].particle[1]);
  }
  for (int i = 0; i < m->ndeformable; i++) {
    const lb_sparse* M = &m->deformable[i].fem->M;
    const int first = m->deformable[i].first_particle;
    for (int a = 0; a < M->n; a++) {
      for (int k = M->row[a]; k < M->row[a + 1]; k++) {
        tell(context, first + a, first + M->col[k]);
      }
    }
    const lb_viscous* v = m->deformable[i].viscous;
    for (int e = 0; e < v->nelem; e++) {
      for (int a = 0; a < 4; a++) {
        for (int b = 0; b <= a; b++) {
          tell(context, first + v->elem[e].node[a], first + v->elem[e].node[b]);
        }
      }
    }
  }
}

typedef struct listing {
  lb_particle_matrix* N;
  lb_sparse_pair* pair;
  int count;
} listing;

static void list_pair(void* context, int a, int b) {
  listing* l = context;
  const int i = l->N->free[a], j = l->N->free[b];
  if (i >= 0 && j >= 0) {
    l->pair[l->count++] = (lb_sparse_pair){i, j};
  }
}

static void place_pair(void* context, int a, int b) {
  listing* l = context;
  const int i = l->N->free[a], j = l->N->free[b];
  l->N->at[l->count++] =
      i >= 0 && j >= 0 ? lb_blocks_find(&l->N->A, i, j) : (lb_block_place){-1, false};
}

static lb_status make_pattern(lb_particle_matrix* N, lb_arena* arena) {
  const int n = count_pairs(N->m);
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  N->at = LB_TAKE(arena, lb_block_place, n);
  listing l = {N, LB_TAKE(&scratch, lb_sparse_pair, n), 0};
  lb_status status = N->at && l.pair ? LB_OK : LB_NO_MEMORY;
  if (status == LB_OK) {
    visit_pairs(N->m, list_pair, &l);
    status = lb_blocks_create(arena, N->m->nfree, l.count, l.pair, &N->A);
  }
  if (status == LB_OK) {
    l.count = 0;
    visit_pairs(N->m, place_pair, &l);
  }
  lb_arena_release(&scratch);
  return status;
}

// An elastic body's coordinates move its faces, which are links themselves, and not its frame.
static bool moves_frame(const lb_model* m, int link) {
  return m->link[link].kind != LB_LINK_ELASTIC;
}

static bool make_chain(lb_particle_matrix* N, int link, lb_arena* arena) {
  const lb_model* m = N->m;
  lb_particle_chain* c = &N->chain[link];
  for (int i = link; i != LB_WORLD; i = m->link_parent[i]) {
    c->count += moves_frame(m, i) ? m->link[i].nv : 0;
  }
  c->v = LB_TAKE(arena, int, c->count);
  int count = 0;
  for (int i = link; c->v && i != LB_WORLD; i = m->link_parent[i]) {
    for (int k = 0; k < m->link[i].nv && moves_frame(m, i); k++) {
      c->v[count++] = m->link[i].v + k;
    }
  }
  return c->v;
}

static bool make_nodes(lb_particle_matrix* N, lb_arena* arena) {
  const lb_model* m = N->m;
  int free = 0;
  for (int i = 0; i < m->nparticle; i++) {
    const int link = m->particle[i].link;
    N->free[i] = link == LB_PARTICLE_FREE ? free++ : -1;
    if (link >= 0) {
      if (!N->chain[link].v && !make_chain(N, link, arena)) {
        return false;
      }
      N->J[i] = LB_TAKE(arena, double, 3 * N->chain[link].count);
      if (!N->J[i]) {
        return false;
      }
    }
  }
  return true;
}

lb_status lb_particle_matrix_create(lb_particle_matrix* N, const lb_model* m, lb_arena* arena) {
  const size_t nfree = (size_t)m->nfree;
  *N = (lb_particle_matrix){.m = m,
                            .nd = m->ndense,
                            .free = LB_TAKE(arena, int, m->nparticle),
                            .chain = LB_TAKE(arena, lb_particle_chain, m->nlink),
                            .J = LB_TAKE(arena, double*, m->nparticle),
                            .K = LB_TAKE(arena, lb_sparse, m->ndeformable),
                            .B = LB_TAKE(arena, double, 3 * nfree * (size_t)m->ndense),
                            .x = LB_TAKE(arena, double, 3 * nfree),
                            .held = LB_TAKE(arena, double, (size_t)m->ndense*(size_t)m->ndense),
                            .z = LB_TAKE(arena, double, 3 * m->nparticle),
                            .y = LB_TAKE(arena, double, 3 * m->nparticle)};
  if (!N->free || !N->chain || !N->J || !N->K || !N->B || !N->x || !N->held || !N->z || !N->y ||
      !make_nodes(N, arena)) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < m->ndeformable; i++) {
    const lb_status status = lb_fem_matrix(m->deformable[i].fem, arena, &N->K[i]);
    if (status != LB_OK) {
      return status;
    }
  }
  return make_pattern(N, arena);
}

// --- filling ---

// How the coordinates move a fastened node; the links' directions are in place.
static void find_jacobian(lb_particle_matrix* N, const lb_data* d, int particle) {
  const lb_model* m = N->m;
  const lb_work* w = d->work;
  const int count = N->chain[m->particle[particle].link].count;
  const lb_v4 at = lb_v4_load(w->particles->x + 3 * particle);
  double* J = N->J[particle];
  for (int i = m->particle[particle].link; i != LB_WORLD; i = m->link_parent[i]) {
    const lb_link* l = &m->link[i];
    const lb_v4 arm = at - w->state[i].p;
    for (int k = 0; k < l->nv && moves_frame(m, i); k++, J++) {
      const lb_v4* S = w->S + 2 * (l->column + k);
      const lb_v4 move = S[1] + lb_v4_cross(S[0], arm);
      J[0] = move[0];
      J[count] = move[1];
      J[2 * count] = move[2];
    }
  }
}

static void find_jacobians(lb_particle_matrix* N, lb_data* d) {
  lb_fill_columns(N->m, d->work);
  for (int i = 0; i < N->m->nparticle; i++) {
    if (N->J[i]) {
      find_jacobian(N, d, i);
    }
  }
}

// B's rows of free particle a += block J_b.
static void add_border(lb_particle_matrix* N, int a, int b, lb_m3 block) {
  const lb_particle_chain* c = &N->chain[N->m->particle[b].link];
  const double* J = N->J[b];
  double* row = N->B + 3 * (size_t)N->A.place[N->free[a]] * (size_t)N->nd;
  for (int k = 0; k < c->count; k++) {
    const lb_v4 y = lb_m3_apply(block, lb_v4_make(J[k], J[c->count + k], J[2 * c->count + k]));
    for (int i = 0; i < 3 && !N->m->v_driven[c->v[k]]; i++) {
      row[i * N->nd + c->v[k]] += y[i];
    }
  }
}

// W += J_a'block J_b
static void add_fastened(lb_particle_matrix* N, int a, int b, lb_m3 block, double* W) {
  const lb_particle_chain *ca = &N->chain[N->m->particle[a].link],
                          *cb = &N->chain[N->m->particle[b].link];
  const double *Ja = N->J[a], *Jb = N->J[b];
  const bool* driven = N->m->v_driven;
  for (int j = 0; j < cb->count; j++) {
    const lb_v4 y = lb_m3_apply(block, lb_v4_make(Jb[j], Jb[cb->count + j], Jb[2 * cb->count + j]));
    for (int i = 0; i < ca->count && !driven[cb->v[j]]; i++) {
      if (!driven[ca->v[i]]) {
        W[ca->v[i] * N->nd + cb->v[j]] +=
            Ja[i] * y[0] + Ja[ca->count + i] * y[1] + Ja[2 * ca->count + i] * y[2];
      }
    }
  }
}

// A block of the matrix over all nodes, and its transpose unless a is b; `place` is that of free
// ones.
static void add_block(lb_particle_matrix* N, lb_block_place place, int a, int b, lb_m3 block,
                      double* W) {
  const int link_a = N->m->particle[a].link, link_b = N->m->particle[b].link;
  if (place.at >= 0) {
    lb_blocks_add(&N->A, place, block);
  } else if (link_a == LB_PARTICLE_FREE && link_b >= 0) {
    add_border(N, a, b, block);
  } else if (link_b == LB_PARTICLE_FREE && link_a >= 0) {
    add_border(N, b, a, lb_m3_transpose(block));
  } else if (link_a >= 0 && link_b >= 0) {
    add_fastened(N, a, b, block, W);
    if (a != b) {
      add_fastened(N, b, a, lb_m3_transpose(block), W);
    }
  }
}

static void add_own(lb_particle_matrix* N, int a, lb_m3 block, double* W) {
  const int i = N->free[a];
  if (i >= 0) {
    lb_blocks_add(&N->A, (lb_block_place){N->A.column[N->A.place[i]], false}, block);
  } else if (N->m->particle[a].link >= 0) {
    add_fastened(N, a, a, block, W);
  }
}

static lb_m3 scaled_identity(double s) {
  return (lb_m3){lb_v4_make(s, 0, 0), lb_v4_make(0, s, 0), lb_v4_make(0, 0, s)};
}

static void fill_segments(lb_particle_matrix* N, const lb_data* d, lb_particle_share share,
                          double* W) {
  const lb_model* m = N->m;
  const lb_particles* particles = d->work->particles;
  for (int k = 0; k < m->nsegment; k++) {
    const lb_model_segment* s = &m->segment[k];
    const lb_segment_state now = lb_segment_look(s, particles->x, particles->xd);
    const double across = share.stiffness * now.across;
    const double along = share.stiffness * now.along + share.damping * now.damping;
    lb_m3 block = scaled_identity(across);
    lb_m3_add_outer(&block, along - across, now.n, now.n);
    const lb_m3 minus = {-block.x, -block.y, -block.z};
    add_own(N, s->particle[0], block, W);
    add_own(N, s->particle[1], block, W);
    add_block(N, N->at[k], s->particle[0], s->particle[1], minus, W);
  }
}

lb_m3 lb_particle_matrix_block(const lb_particle_matrix* N, int deformable, int a, int entry) {
  const lb_sparse *K = &N->K[deformable], *M = &N->m->deformable[deformable].fem->M;
  const bool diagonal = M->col[entry] == a;
  const int before = 3 * (entry - M->row[a]);
  double x[3][3];
  for (int i = 0; i < 3; i++) {
    const double* row = &K->value[K->row[3 * a + i] + before];
    for (int j = 0; j < (diagonal ? i + 1 : 3); j++) {
      x[i][j] = row[j];
      if (diagonal) {
        x[j][i] = row[j];
      }
    }
  }
  return (lb_m3){lb_v4_make(x[0][0], x[1][0], x[2][0]), lb_v4_make(x[0][1], x[1][1], x[2][1]),
                 lb_v4_make(x[0][2], x[1][2], x[2][2])};
}

static void fill_deformable(lb_particle_matrix* N, lb_data* d, int which, const lb_block_place* at,
                            lb_particle_share share, double* W) {
  const lb_model_deformable* deformable = &N->m->deformable[which];
  const lb_sparse* M = &deformable->fem->M;
  lb_particles_displace(d->work->particles, deformable);
  lb_fem_tangent_viscous(deformable->fem, &N->K[which], share.stiffness, 0, d->work->particles->u);
  for (int a = 0; a < M->n; a++) {
    for (int k = M->row[a]; k < M->row[a + 1]; k++) {
      add_block(N, at[k], deformable->first_particle + a, deformable->first_particle + M->col[k],
                lb_particle_matrix_block(N, which, a, k), W);
    }
  }
}

static void fill_viscous(lb_particle_matrix* N, const lb_data* d, int which,
                         const lb_block_place* at, double damping, double* W) {
  const lb_model_deformable* deformable = &N->m->deformable[which];
  const int first = deformable->first_particle;
  const double* x = d->work->particles->x + 3 * first;
  for (int i = 0; i < deformable->viscous->nelem; i++) {
    const lb_viscous_element* e = &deformable->viscous->elem[i];
    const lb_m3 F = lb_viscous_gradient(e, x);
    for (int a = 0; a < 4; a++) {
      for (int b = 0; b <= a; b++, at++) {
        const lb_m3 B = lb_viscous_block(e, F, a, b);
        add_block(N, *at, first + e->node[a], first + e->node[b],
                  (lb_m3){B.x * damping, B.y * damping, B.z * damping}, W);
      }
    }
  }
}

void lb_particle_matrix_fill(lb_particle_matrix* N, lb_data* d, lb_particle_share share,
                             double* W) {
  const lb_model* m = N->m;
  lb_blocks_zero(&N->A);
  memset(N->B, 0, 3 * (size_t)m->nfree * (size_t)N->nd * sizeof *N->B);
  find_jacobians(N, d);
  for (int i = 0; i < m->nparticle; i++) {
    const double mass =
        m->particle[i].link == LB_PARTICLE_FREE ? share.mass * m->particle[i].mass : 0;
    add_own(N, i, scaled_identity(mass + share.damping * m->particle[i].drag), W);
  }
  fill_segments(N, d, share, W);
  const lb_block_place* at = N->at + m->nsegment;
  for (int i = 0; i < m->ndeformable; i++) {
    fill_deformable(N, d, i, at, share, W);
    at += m->deformable[i].fem->M.row[m->deformable[i].nparticle];
    fill_viscous(N, d, i, at, share.damping, W);
    at += VISCOUS * m->deformable[i].viscous->nelem;
  }
}

// --- solving ---

bool lb_particle_matrix_eliminate(lb_particle_matrix* N, double* W) {
  if (!lb_blocks_factor(&N->A)) {
    return false;
  }
  const int n = 3 * N->m->nfree, nd = N->nd;
  lb_blocks_forward(&N->A, nd, N->B);
  if (n > 0 && nd > 0) { // B by rows is B' by columns
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, nd, nd, n, -1, N->B, nd, N->B, nd, 1, W,
                nd);
  }
  return true;
}

bool lb_particle_matrix_reduce(lb_particle_matrix* N, lb_data* d, double dt, double* W) {
  enum { MOST_TRIES = 12 };
  const size_t size = (size_t)N->nd * (size_t)N->nd * sizeof *W;
  memcpy(N->held, W, size);
  lb_particles_move(N->m, d, d->q, d->qd);
  lb_particle_share share = {1 / dt, 1, dt};
  for (int i = 0; i < MOST_TRIES; i++, share.mass *= 4) {
    lb_particle_matrix_fill(N, d, share, W);
    if (lb_particle_matrix_eliminate(N, W)) {
      N->heavier = share.mass * dt;
      return true;
    }
    memcpy(W, N->held, size);
  }
  return false;
}

void lb_particle_matrix_sort(lb_particle_matrix* N, double* b, bool back) {
  const int first = N->m->nv - 3 * N->m->nfree;
  for (int i = 0; i < N->m->nfree; i++) {
    double *to = N->x + 3 * N->A.place[i], *from = b + first + 3 * i;
    memcpy(back ? from : to, back ? to : from, 3 * sizeof *b);
  }
}

void lb_particle_matrix_before(lb_particle_matrix* N, double* b) {
  lb_particle_matrix_sort(N, b, false);
  lb_blocks_forward(&N->A, 1, N->x);
  if (N->nd > 0 && N->m->nfree > 0) {
    cblas_dgemv(CblasColMajor, CblasNoTrans, N->nd, 3 * N->m->nfree, -1, N->B, N->nd, N->x, 1, 1, b,
                1);
  }
  lb_particle_matrix_sort(N, b, true);
}

void lb_particle_matrix_after(lb_particle_matrix* N, double* b) {
  lb_particle_matrix_sort(N, b, false);
  if (N->nd > 0 && N->m->nfree > 0) {
    cblas_dgemv(CblasColMajor, CblasTrans, N->nd, 3 * N->m->nfree, -1, N->B, N->nd, b, 1, 1, N->x,
                1);
  }
  lb_blocks_backward(&N->A, 1, N->x);
  lb_particle_matrix_sort(N, b, true);
}

// --- products ---

void lb_particle_matrix_spread_fastened(const lb_particle_matrix* N, double* const* J, double* z,
                                        const double* v) {
  for (int i = 0; i < N->m->nparticle; i++) {
    const lb_particle_chain* c = J[i] ? &N->chain[N->m->particle[i].link] : NULL;
    for (int k = 0; c && k < 3; k++) {
      for (int j = 0; j < c->count; j++) {
        z[3 * i + k] += J[i][k * c->count + j] * v[c->v[j]];
      }
    }
  }
}

void lb_particle_matrix_spread(const lb_particle_matrix* N, double* const* J, double* z,
                               const double* v) {
  for (int i = 0; i < N->m->nparticle; i++) {
    const lb_model_particle* particle = &N->m->particle[i];
    for (int k = 0; k < 3; k++) {
      z[3 * i + k] = particle->link == LB_PARTICLE_FREE ? v[particle->v + k] : 0;
    }
  }
  lb_particle_matrix_spread_fastened(N, J, z, v);
}

void lb_particle_matrix_gather_fastened(const lb_particle_matrix* N, double* const* J, double* r,
                                        double s, const double* y) {
  for (int i = 0; i < N->m->nparticle; i++) {
    const lb_particle_chain* c = J[i] ? &N->chain[N->m->particle[i].link] : NULL;
    for (int k = 0; c && k < 3; k++) {
      for (int j = 0; j < c->count; j++) {
        r[c->v[j]] += s * J[i][k * c->count + j] * y[3 * i + k];
      }
    }
  }
}

void lb_particle_matrix_gather(const lb_particle_matrix* N, double* const* J, double* r, double s,
                               const double* y) {
  for (int i = 0; i < N->m->nparticle; i++) {
    const lb_model_particle* particle = &N->m->particle[i];
    for (int k = 0; particle->link == LB_PARTICLE_FREE && k < 3; k++) {
      r[particle->v + k] += s * y[3 * i + k];
    }
  }
  lb_particle_matrix_gather_fastened(N, J, r, s, y);
}

void lb_particle_matrix_add_product(lb_particle_matrix* N, lb_data* d, lb_particle_share share,
                                    const double* v, double* r) {
  find_jacobians(N, d);
  lb_particle_matrix_spread(N, N->J, N->z, v);
  lb_particles_linearised(N->m, d->work->particles, N->y, share.stiffness, share.damping, N->z);
  lb_particle_matrix_gather(N, N->J, r, 1, N->y);
}
