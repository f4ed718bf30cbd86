// Newton's matrix by blocks, for characters that are taken apart (`coordinates: maximal`): every
// part moves freely and is held by rows alone, so that with the multipliers' corrections mu
//
//   [W J'] (dv)   (r - J'lambda )
//   [E 0 ] (mu) = (rate + gap/dt)
//
// has blocks of parts that are joined, and no others. Positions are eliminated (implicit.c), W and
// E are exact: the derivatives of the residual and of the rows by v. The pattern is symmetric; W is
// but for gyroscopic terms and those of rotations.
//
// A part and the joint that holds it to the next part on its way to the world make one block: the
// joint's rows are independent of each other on a part that is free, so it can be eliminated, and
// along chains and trees nothing fills up. (Parts that hang on the world by a joint that needs its
// coordinates have none.) Joints that close loops, and couplings, make the last block; of these,
// redundant constraints are left out.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/state.h"
#include "math/linear/block_lu.h"
#include "math/linear/dense.h"
#include "model/use/initial_pose.h"
#include "solve/implicit/anderson.h"
#include "solve/implicit/implicit.h"
#include "solve/step/step_matrix.h"

enum {
  JOINT_ROWS = 6,
  MOST = 1200 // coordinates; derivatives are kept as whole matrices, seven times this squared
};

typedef struct part {
  lb_step_links links;
  int v, nv;
} part;

// Rows of one joint or coupling: where they are in the matrix.
typedef struct holder {
  int block; // the part that it holds, or one of its own
  int row;   // in it
} holder;

typedef struct blocks {
  lb_block_lu A;
  part* part;             // [ntree]
  int* tree;              // [1 + nlink] of each link, tree[-1] the world's: -1
  holder* loop;           // [nloop]
  holder* coupling;       // [nrelation]
  bool* joined;           // [ntree][ntree] parts whose coordinates meet in W
  int* place;             // [rows] of each row among the unknowns
  int* filled;            // [nloop] rows of each so far
  double *J, *E;          // [rows][nv]
  double *gap_q, *rate_q; // [rows][nv]
  double *lambda, *held;  // [rows]
  double* mu;             // [rows]
  double* x;              // [unknowns]
  double* tangent;        // [most r][most r]
  lb_anderson secants;
  lb_derivatives* derivatives;
} blocks;

static bool is_free(const lb_model* m, int tree) {
  return m->link_kind[m->tree_link[tree]] == LB_JOINT_FREE;
}

bool lb_implicit_blocks_fit(const lb_model* m) {
  int free = 0;
  for (int t = 0; t < m->ntree; t++) {
    free += is_free(m, t);
  }
  return 2 * free > m->ntree && m->ntree > 1 && m->nloop > 0 && m->nv <= MOST &&
         m->nparticle == 0 && lb_constraints_unilateral(m) < 0;
}

// --- the pattern ---

typedef struct pattern {
  int count; // of pairs
  lb_sparse_pair* pair;
  int blocks;
  int* size;
} pattern;

static void join(blocks* own, pattern* p, int ntree, int i, int j) {
  if (i >= 0 && j >= 0 && i != j) {
    p->pair[p->count++] = (lb_sparse_pair){i, j};
    if (i < ntree && j < ntree) {
      own->joined[i * ntree + j] = own->joined[j * ntree + i] = true;
    }
  }
}

static void list_parts(const lb_model* m, blocks* own, pattern* p) {
  own->tree[-1] = -1;
  for (int t = 0; t < m->ntree; t++) {
    const lb_step_links links = {m->tree_link[t], m->tree_link[t + 1]};
    const int v = m->link_v[links.from];
    const int end = t + 1 < m->ntree ? m->link_v[links.to] : m->nv;
    own->part[t] = (part){links, v, end - v};
    own->joined[t * m->ntree + t] = true;
    p->size[t] = end - v;
    for (int i = links.from; i < links.to; i++) {
      own->tree[i] = t;
    }
  }
  p->blocks = m->ntree;
}

static void loop_ends(const lb_model* m, const blocks* own, int i, int tree[2]) {
  const lb_scene_joint* j = &m->loop[i];
  const int body[2] = {j->parent, j->child}, face[2] = {j->face, j->child_face};
  const lb_transform X[2] = {j->in_parent, j->in_child};
  for (int side = 0; side < 2; side++) {
    tree[side] = own->tree[lb_model_anchor(m, body[side], face[side], X[side]).link];
  }
}

// Walk from the world and what hangs on it, and from every part that nothing joins to that, over
// joints to parts not yet reached: each gets the rows of the joint by which it was.
static void hold_parts(const lb_model* m, blocks* own, pattern* p, bool* reached) {
  for (int t = 0; t < m->ntree; t++) {
    reached[t] = !is_free(m, t);
  }
  for (int start = -1; start < m->ntree; start++) {
    if (start >= 0) {
      reached[start] = true;
    }
    for (int i = 0; i < m->nloop; i++) {
      int tree[2];
      loop_ends(m, own, i, tree);
      const bool here[2] = {tree[0] < 0 || reached[tree[0]], tree[1] < 0 || reached[tree[1]]};
      if (own->loop[i].block < 0 && here[0] != here[1]) {
        const int t = tree[here[0] ? 1 : 0];
        own->loop[i] = (holder){t, p->size[t]};
        p->size[t] += JOINT_ROWS;
        reached[t] = true;
        i = -1; // other joints may go on from there
      }
    }
  }
}

// In the last block, which there is as soon as something is in it.
static holder hold_late(pattern* p, int ntree, int rows) {
  const holder h = {ntree, p->size[ntree]};
  p->size[ntree] += rows;
  p->blocks = ntree + 1;
  return h;
}

static void join_loops(const lb_model* m, blocks* own, pattern* p) {
  for (int i = 0; i < m->nloop; i++) {
    int tree[2];
    loop_ends(m, own, i, tree);
    if (own->loop[i].block < 0) {
      own->loop[i] = hold_late(p, m->ntree, JOINT_ROWS);
    }
    join(own, p, m->ntree, tree[0], tree[1]);
    join(own, p, m->ntree, own->loop[i].block, tree[0]);
    join(own, p, m->ntree, own->loop[i].block, tree[1]);
  }
}

static int part_of_v(const lb_model* m, const blocks* own, int v) {
  int t = 0;
  while (t + 1 < m->ntree && own->part[t + 1].v <= v) {
    t++;
  }
  return t;
}

static void join_couplings(const lb_model* m, blocks* own, pattern* p) {
  for (int i = 0; i < m->ncoupling; i++) {
    own->coupling[i] = hold_late(p, m->ntree, 1);
    for (int k = m->coupling[i].first; k < m->coupling[i].first + m->coupling[i].count; k++) {
      join(own, p, m->ntree, own->coupling[i].block, part_of_v(m, own, m->term[k].v));
    }
  }
}

static void join_lines(const lb_model* m, blocks* own, pattern* p) {
  for (int i = 0; i < m->nspring; i++) {
    join(own, p, m->ntree, own->tree[m->spring_end[2 * i].link],
         own->tree[m->spring_end[2 * i + 1].link]);
  }
  for (int i = 0; i < m->ncable; i++) {
    for (int a = m->cable_first[i]; a < m->cable_first[i + 1]; a++) {
      for (int b = m->cable_first[i]; b < a; b++) {
        join(own, p, m->ntree, own->tree[m->cable_point[a].link],
             own->tree[m->cable_point[b].link]);
      }
    }
  }
}

static int count_pairs(const lb_model* m) {
  int count = 3 * m->nloop + m->nspring;
  for (int i = 0; i < m->ncoupling; i++) {
    count += m->coupling[i].count;
  }
  for (int i = 0; i < m->ncable; i++) {
    const int points = m->cable_first[i + 1] - m->cable_first[i];
    count += points * (points - 1) / 2;
  }
  return count;
}

static lb_status find_pattern(const lb_model* m, blocks* own, lb_arena* arena) {
  pattern p = {.pair = LB_TAKE(arena, lb_sparse_pair, count_pairs(m)),
               .size = LB_TAKE(arena, int, m->ntree + 1)};
  bool* reached = LB_TAKE(arena, bool, m->ntree);
  if (!p.pair || !p.size || !reached) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < m->nloop; i++) {
    own->loop[i].block = -1;
  }
  list_parts(m, own, &p);
  hold_parts(m, own, &p, reached);
  join_loops(m, own, &p);
  join_couplings(m, own, &p);
  join_lines(m, own, &p);
  return lb_block_lu_create(arena, p.blocks, p.size, p.blocks > m->ntree, p.count, p.pair, &own->A);
}

// --- making ---

static bool take(const lb_model* m, blocks* own, lb_arena* arena) {
  const size_t rows = (size_t)lb_constraints_most(m), nv = (size_t)m->nv;
  const size_t trees = (size_t)m->ntree;
  size_t most = 0;
  for (int i = 0; i < m->nlink; i++) {
    const size_t n = m->link[i].reduced ? (size_t)m->link[i].nv : 0;
    most = n > most ? n : most;
  }
  int* tree = LB_TAKE(arena, int, m->nlink + 1);
  *own = (blocks){.part = LB_TAKE(arena, part, trees),
                  .tree = tree ? tree + 1 : NULL,
                  .loop = LB_TAKE(arena, holder, m->nloop),
                  .coupling = LB_TAKE(arena, holder, m->ncoupling),
                  .joined = LB_TAKE(arena, bool, trees* trees),
                  .place = LB_TAKE(arena, int, rows),
                  .filled = LB_TAKE(arena, int, m->nloop),
                  .J = LB_TAKE(arena, double, rows* nv),
                  .E = LB_TAKE(arena, double, rows* nv),
                  .gap_q = LB_TAKE(arena, double, rows* nv),
                  .rate_q = LB_TAKE(arena, double, rows* nv),
                  .lambda = LB_TAKE(arena, double, rows),
                  .held = LB_TAKE(arena, double, rows),
                  .mu = LB_TAKE(arena, double, rows),
                  .tangent = LB_TAKE(arena, double, most* most)};
  return own->part && own->tree && own->loop && own->coupling && own->joined && own->place &&
         own->filled && own->J && own->E && own->gap_q && own->rate_q && own->lambda && own->held &&
         own->mu && own->tangent;
}

static lb_status create(lb_stepper* st, lb_error* err) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  blocks* own = step->own = LB_TAKE(&st->arena, blocks, 1);
  if (!own || !take(m, own, &st->arena) || find_pattern(m, own, &st->arena) != LB_OK ||
      lb_anderson_create(&own->secants, m->nv, &st->arena) != LB_OK ||
      !(own->x = LB_TAKE(&st->arena, double, own->A.first[own->A.n]))) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the stepper");
  }
  return lb_derivatives_create(m, st->arena.allocator, &own->derivatives, err);
}

static void release(lb_stepper* st) {
  const lb_implicit* step = st->own;
  const blocks* own = step->own;
  lb_derivatives_release(own->derivatives);
}

// --- filling ---

// Where each row belongs.
static void place_rows(const lb_model* m, blocks* own, const lb_data* d, int count) {
  memset(own->filled, 0, (size_t)m->nloop * sizeof *own->filled);
  for (int i = 0; i < count; i++) {
    const lb_constraint_row row = lb_constraints_row(d, i);
    const holder h = row.coupling >= 0 ? own->coupling[row.coupling] : own->loop[row.loop];
    const int more = row.coupling >= 0 ? 0 : own->filled[row.loop]++;
    own->place[i] = own->A.first[h.block] + h.row + more;
  }
}

// A row's share of the matrix that is a part's.
static void put_row(const lb_model* m, blocks* own, int row, int block, int t) {
  const lb_block_lu* A = &own->A;
  const int at = own->place[row] - A->first[block];
  double* down = lb_block_lu_at(A, block, t) + at;
  double* across = lb_block_lu_at(A, t, block) + at * A->size[t];
  const size_t from = (size_t)row * (size_t)m->nv + (size_t)own->part[t].v;
  for (int k = 0; k < own->part[t].nv; k++) {
    down[k * A->size[block]] = own->E[from + (size_t)k];
    across[k] = own->J[from + (size_t)k];
  }
}

static void put_rows(const lb_model* m, blocks* own, const lb_data* d, int count) {
  for (int i = 0; i < count; i++) {
    const lb_constraint_row row = lb_constraints_row(d, i);
    const bool loop = row.coupling < 0;
    const int block = loop ? own->loop[row.loop].block : own->coupling[row.coupling].block;
    *(lb_block_lu_at(&own->A, block, block) +
      (own->place[i] - own->A.first[block]) * (own->A.size[block] + 1)) = 0;
    for (int side = 0; side < 2 && loop; side++) {
      const int t = own->tree[lb_loop_end_of(d, row.loop, side).link];
      if (t >= 0) {
        put_row(m, own, i, block, t);
      }
    }
    for (int k = 0; !loop && k < m->coupling[row.coupling].count; k++) {
      const int v = m->term[m->coupling[row.coupling].first + k].v;
      put_row(m, own, i, block, part_of_v(m, own, v));
    }
  }
}

// Room for rows that a joint does not have: their multipliers are zero. In the last block zeros do
// as well.
static void put_ones(blocks* own, int ntree) {
  const lb_block_lu* A = &own->A;
  for (int b = 0; b < ntree; b++) {
    for (int k = own->part[b].nv; k < A->size[b]; k++) {
      lb_block_lu_at(A, b, b)[k * (A->size[b] + 1)] = 1;
    }
  }
}

static void put_parts(const lb_model* m, blocks* own, const lb_data* d, double dt) {
  const lb_block_lu* A = &own->A;
  for (int i = 0; i < m->ntree; i++) {
    for (int j = 0; j < m->ntree; j++) {
      if (own->joined[i * m->ntree + j]) {
        lb_step_matrix_of(lb_block_lu_at(A, i, j), 1, (size_t)A->size[i], own->derivatives, d, dt,
                          own->part[i].links, own->part[j].links);
      }
    }
    lb_step_add_internal(lb_block_lu_at(A, i, i), (size_t)A->size[i], m, own->part[i].links, d->q,
                         d->qd, dt, own->tangent, d->work->scratch);
  }
}

// Derivatives of the residual and of the rows, at the state that it was found at.
static int differentiate(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  const lb_implicit* step = st->own;
  blocks* own = step->own;
  lb_derivatives* D = own->derivatives;
  const int count = lb_constraints_linearise(m, d).count;
  const double baumgarte = step->inner ? 0 : 1 / dt;
  lb_constraints_apply_multipliers(m, d, own->lambda);
  lb_derive(D, d, d->q, d->qd, d->qdd, true);
  lb_forces_differentiate_outer(D, d);
  lb_constraints_differentiate(D, d, own->lambda);
  lb_constraints_differentiate_rows(D, d, own->gap_q, own->rate_q, own->J);
  lb_add(count * m->nv, own->rate_q, baumgarte, own->gap_q);
  for (int i = 0; i < count; i++) {
    const size_t at = (size_t)i * (size_t)m->nv;
    lb_step_row(own->E + at, m, d, dt, own->rate_q + at, own->J + at);
    lb_step_clear_driven(m, own->J + at);
  }
  return count;
}

static bool make(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  blocks* own = step->own;
  step->speed = sqrt(2 * lb_kinetic_energy(m, d));
  lb_implicit_residual(st, d, dt);
  const int count = differentiate(st, d, dt);
  place_rows(m, own, d, count);
  lb_block_lu_zero(&own->A);
  put_parts(m, own, d, dt);
  put_ones(own, m->ntree);
  put_rows(m, own, d, count);
  lb_anderson_forget(&own->secants);
  step->dt = lb_block_lu_factor(&own->A) ? dt : 0;
  return step->dt > 0;
}

// --- correcting ---

static void gather(const lb_model* m, blocks* own, const double* r, const lb_constraint_rows* rows,
                   double baumgarte) {
  memset(own->x, 0, (size_t)own->A.first[own->A.n] * sizeof *own->x);
  for (int t = 0; t < m->ntree; t++) {
    memcpy(own->x + own->A.first[t], r + own->part[t].v, (size_t)own->part[t].nv * sizeof *r);
  }
  for (int i = 0; i < rows->count; i++) {
    own->x[own->place[i]] = rows->rate[i] + baumgarte * rows->gap[i];
  }
}

static void scatter(const lb_model* m, blocks* own, double* dv, int count) {
  for (int t = 0; t < m->ntree; t++) {
    memcpy(dv + own->part[t].v, own->x + own->A.first[t], (size_t)own->part[t].nv * sizeof *dv);
  }
  for (int i = 0; i < count; i++) {
    own->mu[i] = own->x[own->place[i]];
  }
}

static double correct(lb_stepper* st, lb_data* d, double dt) {
  const lb_model* m = st->m;
  lb_implicit* step = st->own;
  blocks* own = step->own;
  const lb_constraint_rows rows = lb_constraints_measure(m, d);
  lb_constraints_add_forces(m, d, own->lambda, -1, step->r);
  gather(m, own, step->r, &rows, step->inner ? 0 : 1 / dt);
  lb_block_lu_solve(&own->A, own->x);
  scatter(m, own, step->dv, rows.count);
  lb_add(rows.count, own->lambda, 1, own->mu);
  lb_constraints_add_forces(m, d, own->mu, -1, step->r);
  step->news = lb_anderson_correct(&own->secants, d->qd, step->dv, step->r);
  return sqrt(fabs(dt * lb_dot(m->nv, step->dv, step->r))); // r = W dv, and W ~ M/dt
}

static void hold(lb_stepper* st, bool back) {
  const lb_implicit* step = st->own;
  blocks* own = step->own;
  const size_t size = (size_t)lb_constraints_most(st->m) * sizeof *own->lambda;
  memcpy(back ? own->lambda : own->held, back ? own->held : own->lambda, size);
  lb_anderson_restart(&own->secants);
}

static double* multipliers(const lb_stepper* st) {
  const lb_implicit* step = st->own;
  const blocks* own = step->own;
  return own->lambda;
}

const lb_implicit_algebra lb_implicit_blocks = {create,  release,     make,  make,     correct,
                                                hold,    NULL,        1e-10, INFINITY, 4,
                                                INT_MAX, multipliers, false};
