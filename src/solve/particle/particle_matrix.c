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
  int count = m->particles.nsegment;
  for (int i = 0; i < m->particles.ndeformable; i++) {
    count += m->particles.deformable[i].fem->M.row[m->particles.deformable[i].nparticle] +
             VISCOUS * m->particles.deformable[i].viscous->nelem;
  }
  return count;
}

typedef void visit(void* context, int a, int b);

// All of them in the order in which blocks are added later, nodes with themselves, too.
static void visit_pairs(const lb_model* m, visit* visitor, void* context) {
  for (int k = 0; k < m->particles.nsegment; k++) {
    visitor(context, m->particles.segment[k].particle[0], m->particles.segment[k].particle[1]);
  }
  for (int i = 0; i < m->particles.ndeformable; i++) {
    const lb_sparse* M = &m->particles.deformable[i].fem->M;
    const int first = m->particles.deformable[i].first_particle;
    for (int a = 0; a < M->n; a++) {
      for (int k = M->row[a]; k < M->row[a + 1]; k++) {
        visitor(context, first + a, first + M->col[k]);
      }
    }
    const lb_viscous* v = m->particles.deformable[i].viscous;
    for (int e = 0; e < v->nelem; e++) {
      for (int a = 0; a < 4; a++) {
        for (int b = 0; b <= a; b++) {
          visitor(context, first + v->elem[e].node[a], first + v->elem[e].node[b]);
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
    status = lb_blocks_create(arena, N->m->particles.nfree, l.count, l.pair, &N->A);
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
  return m->link.packed[link].kind != LB_LINK_ELASTIC;
}

static void make_chain(lb_particle_matrix* N, int link, lb_arena* arena) {
  const lb_model* m = N->m;
  lb_particle_chain* c = &N->chain[link];
  for (int i = link; i != LB_WORLD; i = m->link.parent[i]) {
    c->count += moves_frame(m, i) ? m->link.packed[i].nv : 0;
  }
  c->v = LB_TAKE(arena, int, c->count);
  int count = 0;
  for (int i = link; c->v && i != LB_WORLD; i = m->link.parent[i]) {
    for (int k = 0; k < m->link.packed[i].nv && moves_frame(m, i); k++) {
      c->v[count++] = m->link.packed[i].v + k;
    }
  }
}

static void make_particles(lb_particle_matrix* N, lb_arena* arena) {
  const lb_model* m = N->m;
  int free = 0;
  for (int i = 0; i < m->particles.nparticle; i++) {
    const int link = m->particles.particle[i].link;
    N->free[i] = link == LB_PARTICLE_FREE ? free++ : -1;
    if (link >= 0 && !N->chain[link].v) {
      make_chain(N, link, arena);
    }
    N->J[i] = link >= 0 ? LB_TAKE(arena, double, 3 * N->chain[link].count) : NULL;
  }
}

lb_status lb_particle_matrix_create(lb_particle_matrix* N, const lb_model* m, lb_arena* arena) {
  const size_t nfree = (size_t)m->particles.nfree;
  *N = (lb_particle_matrix){.m = m,
                            .nd = m->ndense,
                            .free = LB_TAKE(arena, int, m->particles.nparticle),
                            .chain = LB_TAKE(arena, lb_particle_chain, m->nlink),
                            .J = LB_TAKE(arena, double*, m->particles.nparticle),
                            .K = LB_TAKE(arena, lb_sparse, m->particles.ndeformable),
                            .B = LB_TAKE(arena, double, 3 * nfree * (size_t)m->ndense),
                            .x = LB_TAKE(arena, double, 3 * nfree),
                            .held = LB_TAKE(arena, double, (size_t)m->ndense*(size_t)m->ndense),
                            .z = LB_TAKE(arena, double, 3 * m->particles.nparticle),
                            .y = LB_TAKE(arena, double, 3 * m->particles.nparticle)};
  lb_status status = lb_arena_status(arena);
  if (status == LB_OK) {
    make_particles(N, arena);
    status = lb_arena_status(arena);
  }
  for (int i = 0; i < m->particles.ndeformable && status == LB_OK; i++) {
    status = lb_fem_matrix(m->particles.deformable[i].fem, arena, &N->K[i]);
  }
  return status == LB_OK ? make_pattern(N, arena) : status;
}

// --- filling ---

// Jacobian of a fastened node; the links' directions are in place.
static void find_jacobian(lb_particle_matrix* N, const lb_data* d, int particle) {
  const lb_model* m = N->m;
  const lb_work* w = d->work;
  const int count = N->chain[m->particles.particle[particle].link].count;
  const lb_v4 at = lb_v4_load(w->particles->x + 3 * particle);
  double* J = N->J[particle];
  for (int i = m->particles.particle[particle].link; i != LB_WORLD; i = m->link.parent[i]) {
    const lb_link* l = &m->link.packed[i];
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
  for (int i = 0; i < N->m->particles.nparticle; i++) {
    if (N->J[i]) {
      find_jacobian(N, d, i);
    }
  }
}

// Minus the derivatives of the force on a particle by another's place and velocity.
typedef struct slope {
  lb_m3 K, C;
} slope;

static lb_m3 blend(lb_particle_share share, const slope* s) { // c C + s K
  lb_m3 sum = {s->C.x * share.damping, s->C.y * share.damping, s->C.z * share.damping};
  lb_m3_add_scaled(&sum, share.stiffness, s->K);
  return sum;
}

static lb_v4 column(const double* J, int count, int k) {
  return lb_v4_make(J[k], J[count + k], J[2 * count + k]);
}

// Derivative of the force of a slope by b, by coordinate k of b's chain.
static lb_v4 linearised(const lb_particle_filling* f, const slope* s, int b, int count, int k) {
  return lb_m3_apply(s->K, column(f->P[b], count, k)) * f->p +
         lb_m3_apply(s->C, column(f->R[b], count, k)) * f->r;
}

// Rows of free particle a in B by fastened b, and columns of a in the rows of b's links: `ab` is of
// the force on a, `ba` of that on b.
static void add_border(lb_particle_matrix* N, const lb_particle_filling* f, int a, int b,
                       const slope* ab, const slope* ba) {
  const lb_particle_chain* c = &N->chain[N->m->particles.particle[b].link];
  const size_t first = 3 * (size_t)N->A.place[N->free[a]] * (size_t)N->nd;
  const lb_m3 back = blend(f->share, ba);
  for (int k = 0; k < c->count; k++) {
    const lb_v4 y = linearised(f, ab, b, c->count, k);
    const lb_v4 z = f->Z ? lb_m3_apply_transposed(back, column(N->J[b], c->count, k)) : y;
    for (size_t i = 0; i < 3 && !N->m->dof.driven[c->v[k]]; i++) {
      const size_t at = first + i * (size_t)N->nd + (size_t)c->v[k];
      N->B[at] += y[i];
      if (f->Z) {
        f->Z[at] += z[i];
      }
    }
  }
}

// W += J_a'(K P_b + C R_b)
static void add_fastened(lb_particle_matrix* N, const lb_particle_filling* f, int a, int b,
                         const slope* ab) {
  const lb_particle_chain *ca = &N->chain[N->m->particles.particle[a].link],
                          *cb = &N->chain[N->m->particles.particle[b].link];
  const bool* driven = N->m->dof.driven;
  for (int j = 0; j < cb->count; j++) {
    const lb_v4 y = linearised(f, ab, b, cb->count, j);
    for (int i = 0; i < ca->count && !driven[cb->v[j]]; i++) {
      if (!driven[ca->v[i]]) {
        f->W[ca->v[i] * N->nd + cb->v[j]] += lb_v4_dot(column(N->J[a], ca->count, i), y);
      }
    }
  }
}

static void add_free(lb_particle_matrix* N, const lb_particle_filling* f, lb_block_place place,
                     lb_m3 ab, lb_m3 ba) {
  if (f->A) {
    lb_blocks_general_add(f->A, place, ab, ba);
  } else {
    lb_blocks_add(&N->A, place, ab);
  }
}

// Coupling blocks of particles a and b, b to a and a to b; `place` is that of free ones.
static void add_pair(lb_particle_matrix* N, const lb_particle_filling* f, lb_block_place place,
                     int a, int b, const slope* ab, const slope* ba) {
  const int link_a = N->m->particles.particle[a].link, link_b = N->m->particles.particle[b].link;
  if (place.at >= 0) {
    add_free(N, f, place, blend(f->share, ab), blend(f->share, ba));
  } else if (link_a == LB_PARTICLE_FREE && link_b >= 0) {
    add_border(N, f, a, b, ab, ba);
  } else if (link_b == LB_PARTICLE_FREE && link_a >= 0) {
    add_border(N, f, b, a, ba, ab);
  } else if (link_a >= 0 && link_b >= 0) {
    add_fastened(N, f, a, b, ab);
    if (a != b) {
      add_fastened(N, f, b, a, ba);
    }
  }
}

static lb_block_place own_place(const lb_particle_matrix* N, int a) {
  const int i = N->free[a];
  return (lb_block_place){i >= 0 ? N->A.column[N->A.place[i]] : -1, false};
}

static lb_m3 scaled_identity(double s) {
  return (lb_m3){lb_v4_make(s, 0, 0), lb_v4_make(0, s, 0), lb_v4_make(0, 0, s)};
}

static lb_m3 negative(lb_m3 A) {
  return (lb_m3){-A.x, -A.y, -A.z};
}

static void fill_own(lb_particle_matrix* N, const lb_particle_filling* f) {
  for (int i = 0; i < N->m->particles.nparticle; i++) {
    const lb_model_particle* particle = &N->m->particles.particle[i];
    const slope drag = {.C = scaled_identity(particle->drag)};
    add_pair(N, f, own_place(N, i), i, i, &drag, &drag);
    if (particle->link == LB_PARTICLE_FREE) {
      const lb_m3 mass = scaled_identity(f->share.mass * particle->mass);
      add_free(N, f, own_place(N, i), mass, mass);
    }
  }
}

static const lb_block_place* fill_segments(lb_particle_matrix* N, const lb_particle_filling* f) {
  for (int k = 0; k < N->m->particles.nsegment; k++) {
    const lb_model_segment* s = &N->m->particles.segment[k];
    const lb_segment_slope by = lb_segment_differentiate(s, f->at->x, f->at->xd, !f->A);
    const slope own = {by.place, by.velocity};
    const slope other = {negative(by.place), negative(by.velocity)};
    for (int i = 0; i < 2; i++) {
      add_pair(N, f, own_place(N, s->particle[i]), s->particle[i], s->particle[i], &own, &own);
    }
    add_pair(N, f, N->at[k], s->particle[0], s->particle[1], &other, &other);
  }
  return N->at + N->m->particles.nsegment;
}

// The block of nodes a and M.col[entry] <= a of a deformable's K, M that of its mesh.
static lb_m3 find_block(const lb_particle_matrix* N, int deformable, int a, int entry) {
  const lb_sparse *K = &N->K[deformable], *M = &N->m->particles.deformable[deformable].fem->M;
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

static const lb_block_place* fill_deformable(lb_particle_matrix* N, const lb_particle_filling* f,
                                             int which, const lb_block_place* at) {
  const lb_model_deformable* deformable = &N->m->particles.deformable[which];
  const lb_sparse* M = &deformable->fem->M;
  const int first = deformable->first_particle;
  lb_particles_displace(f->at, deformable);
  lb_fem_tangent(deformable->fem, &N->K[which], f->at->u);
  for (int a = 0; a < M->n; a++) {
    for (int k = M->row[a]; k < M->row[a + 1]; k++, at++) {
      const slope ab = {.K = find_block(N, which, a, k)};
      const slope ba = {.K = lb_m3_transpose(ab.K)};
      add_pair(N, f, *at, first + a, first + M->col[k], &ab, &ba);
    }
  }
  return at;
}

static const lb_block_place* fill_viscous(lb_particle_matrix* N, const lb_particle_filling* f,
                                          int which, const lb_block_place* at) {
  const lb_model_deformable* deformable = &N->m->particles.deformable[which];
  const size_t first = (size_t)deformable->first_particle;
  for (int i = 0; i < deformable->viscous->nelem; i++) {
    const lb_viscous_element* e = &deformable->viscous->elem[i];
    const lb_m3 F = lb_viscous_gradient(e, f->at->x + 3 * first);
    const lb_m3 Fd = f->A ? lb_viscous_gradient(e, f->at->xd + 3 * first) : F;
    for (int a = 0; a < 4; a++) {
      for (int b = 0; b <= a; b++, at++) {
        slope ab = {.C = lb_viscous_block(e, F, a, b)}, ba = {.C = lb_m3_transpose(ab.C)};
        if (f->A) {
          ab.K = lb_viscous_block_by_place(e, F, Fd, a, b);
          ba.K = lb_viscous_block_by_place(e, F, Fd, b, a);
        }
        add_pair(N, f, *at, (int)first + e->node[a], (int)first + e->node[b], &ab, &ba);
      }
    }
  }
  return at;
}

void lb_particle_matrix_fill_by(lb_particle_matrix* N, const lb_particle_filling* f) {
  memset(N->B, 0, 3 * (size_t)N->m->particles.nfree * (size_t)N->nd * sizeof *N->B);
  fill_own(N, f);
  const lb_block_place* at = fill_segments(N, f);
  for (int i = 0; i < N->m->particles.ndeformable; i++) {
    at = fill_viscous(N, f, i, fill_deformable(N, f, i, at));
  }
}

void lb_particle_matrix_fill(lb_particle_matrix* N, lb_data* d, lb_particle_share share,
                             double* W) {
  lb_blocks_zero(&N->A);
  find_jacobians(N, d);
  lb_particle_matrix_fill_by(N, &(lb_particle_filling){.share = share,
                                                       .at = d->work->particles,
                                                       .P = N->J,
                                                       .R = N->J,
                                                       .p = share.stiffness,
                                                       .r = share.damping,
                                                       .W = W});
}

// --- solving ---

bool lb_particle_matrix_eliminate(lb_particle_matrix* N, double* W) {
  if (!lb_blocks_factor(&N->A)) {
    return false;
  }
  const int n = 3 * N->m->particles.nfree, nd = N->nd;
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
      return true;
    }
    memcpy(W, N->held, size);
  }
  return false;
}

// The free particles' part of b [nv] to x in the order of elimination, or back.
static void sort(lb_particle_matrix* N, double* b, bool back) {
  const int first = N->m->nv - 3 * N->m->particles.nfree;
  for (int i = 0; i < N->m->particles.nfree; i++) {
    double *to = N->x + 3 * N->A.place[i], *from = b + first + 3 * i;
    memcpy(back ? from : to, back ? to : from, 3 * sizeof *b);
  }
}

void lb_particle_matrix_before_by(lb_particle_matrix* N, const lb_blocks_general* A,
                                  bool transposed, const double* border, double* b) {
  const int n = 3 * N->m->particles.nfree;
  sort(N, b, false);
  if (A) {
    lb_blocks_general_forward(A, transposed, 1, N->x);
  } else {
    lb_blocks_forward(&N->A, 1, N->x);
  }
  if (N->nd > 0 && n > 0) {
    cblas_dgemv(CblasColMajor, CblasNoTrans, N->nd, n, -1, border, N->nd, N->x, 1, 1, b, 1);
  }
  sort(N, b, true);
}

void lb_particle_matrix_after_by(lb_particle_matrix* N, const lb_blocks_general* A, bool transposed,
                                 const double* border, double* b) {
  const int n = 3 * N->m->particles.nfree;
  sort(N, b, false);
  if (N->nd > 0 && n > 0) {
    cblas_dgemv(CblasColMajor, CblasTrans, N->nd, n, -1, border, N->nd, b, 1, 1, N->x, 1);
  }
  if (A) {
    lb_blocks_general_backward(A, transposed, 1, N->x);
  } else {
    lb_blocks_backward(&N->A, 1, N->x);
  }
  sort(N, b, true);
}

void lb_particle_matrix_before(lb_particle_matrix* N, double* b) {
  lb_particle_matrix_before_by(N, NULL, false, N->B, b);
}

void lb_particle_matrix_after(lb_particle_matrix* N, double* b) {
  lb_particle_matrix_after_by(N, NULL, false, N->B, b);
}

// --- products ---

void lb_particle_matrix_spread_fastened(const lb_particle_matrix* N, double* const* J, double* z,
                                        const double* v) {
  for (int i = 0; i < N->m->particles.nparticle; i++) {
    const lb_particle_chain* c = J[i] ? &N->chain[N->m->particles.particle[i].link] : NULL;
    for (int k = 0; c && k < 3; k++) {
      for (int j = 0; j < c->count; j++) {
        z[3 * i + k] += J[i][k * c->count + j] * v[c->v[j]];
      }
    }
  }
}

void lb_particle_matrix_spread(const lb_particle_matrix* N, double* const* J, double* z,
                               const double* v) {
  for (int i = 0; i < N->m->particles.nparticle; i++) {
    const lb_model_particle* particle = &N->m->particles.particle[i];
    for (int k = 0; k < 3; k++) {
      z[3 * i + k] = particle->link == LB_PARTICLE_FREE ? v[particle->v + k] : 0;
    }
  }
  lb_particle_matrix_spread_fastened(N, J, z, v);
}

void lb_particle_matrix_gather_fastened(const lb_particle_matrix* N, double* const* J, double* r,
                                        double s, const double* y) {
  for (int i = 0; i < N->m->particles.nparticle; i++) {
    const lb_particle_chain* c = J[i] ? &N->chain[N->m->particles.particle[i].link] : NULL;
    for (int k = 0; c && k < 3; k++) {
      for (int j = 0; j < c->count; j++) {
        r[c->v[j]] += s * J[i][k * c->count + j] * y[3 * i + k];
      }
    }
  }
}

void lb_particle_matrix_gather(const lb_particle_matrix* N, double* const* J, double* r, double s,
                               const double* y) {
  for (int i = 0; i < N->m->particles.nparticle; i++) {
    const lb_model_particle* particle = &N->m->particles.particle[i];
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
