#include "dynamics/tree/mass_solve.h"

#include <math.h>
#include <string.h>

#include "dynamics/joint/joint.h"

// Links about one point at most: the square of this is what rounding grows by.
enum { SEGMENT_MOST = 8 };

// A row of a panel, and the same anywhere in memory.
typedef double lanes __attribute__((vector_size(8 * LB_PANEL)));
typedef double loose __attribute__((vector_size(8 * LB_PANEL), aligned(8), may_alias));

// A motion or force for every column of a panel.
typedef struct many {
  lanes wx, wy, wz, vx, vy, vz;
} many;

typedef struct lb_mass_far {
  many side[LB_MASS_SIDES];
} lb_mass_far;

static inline lanes dot(const double a[6], const many* x) {
  return (x->wx * a[0] + x->wy * a[1] + x->wz * a[2]) +
         (x->vx * a[3] + x->vy * a[4] + x->vz * a[5]);
}
static inline void add(many* x, const double a[6], lanes s) {
  x->wx += s * a[0];
  x->wy += s * a[1];
  x->wz += s * a[2];
  x->vx += s * a[3];
  x->vy += s * a[4];
  x->vz += s * a[5];
}
static inline many add_shifted_force(const many* to, const many* p, const double r[3]) {
  return (many){to->wx + p->wx + (r[1] * p->vz - r[2] * p->vy),
                to->wy + p->wy + (r[2] * p->vx - r[0] * p->vz),
                to->wz + p->wz + (r[0] * p->vy - r[1] * p->vx),
                to->vx + p->vx,
                to->vy + p->vy,
                to->vz + p->vz};
}
static inline many shift_motion(const many* z, const double r[3]) {
  return (many){z->wx,
                z->wy,
                z->wz,
                z->vx + (z->wy * r[2] - z->wz * r[1]),
                z->vy + (z->wz * r[0] - z->wx * r[2]),
                z->vz + (z->wx * r[1] - z->wy * r[0])};
}

// --- structure ---

// True where link i continues the segment of the link before it, which has so many children.
static bool goes_on(const lb_model* m, const lb_mass_segment* s, int i, int children) {
  return m->link.packed[i].parent == i - 1 && children == 1 && s->nlink < SEGMENT_MOST &&
         m->link.packed[i].v == s->v + s->nv;
}

// The segment that ends with a link.
static int find_end(const lb_mass_segment* segment, int count, int link) {
  int k = link == LB_WORLD ? -1 : count - 1;
  while (k >= 0 && segment[k].link > link) {
    k--;
  }
  return k;
}

static int find_segments(lb_mass_segment* segment, int* children, const lb_model* m) {
  int count = 0;
  for (int i = 0; i < m->nlink; i++) {
    if (m->link.packed[i].parent != LB_WORLD) {
      children[m->link.packed[i].parent]++;
    }
  }
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    if (i == 0 || !goes_on(m, &segment[count - 1], i, children[i - 1])) {
      segment[count] =
          (lb_mass_segment){.link = i, .v = l->v, .parent = find_end(segment, count, l->parent)};
      count++;
    }
    segment[count - 1].nlink++;
    segment[count - 1].nv += l->nv;
  }
  return count;
}

lb_mass_factors lb_mass_factors_lay_out(lb_carver* c, const lb_model* m) {
  const size_t nv = (size_t)m->nv, nlink = (size_t)m->nlink;
  lb_mass_factors F = {.m = m,
                       .axis = lb_carve(c, nv, sizeof *F.axis),
                       .segment = lb_carve(c, nlink, sizeof *F.segment),
                       .reach = lb_carve(c, nlink, sizeof *F.reach),
                       .x = lb_carve(c, nv * LB_MASS_SIDES, sizeof(lanes)),
                       .far = lb_carve(c, nlink, sizeof *F.far)};
  F.nsegment = c->base ? find_segments(F.segment, (int*)F.far, m) : 0; // scratch, and zero yet
  return F;
}

// --- factors ---

static bool set_axis(lb_mass_axis* a, lb_motion S, lb_motion U, double inverse, lb_v4 at) {
  const lb_motion here = lb_motion_shift(S, at);
  const lb_motion felt = lb_force_shift(lb_motion_scale(inverse, U), at);
  lb_v4_store(a->S, here.w);
  lb_v4_store(a->S + 3, here.v);
  lb_v4_store(a->U, felt.w);
  lb_v4_store(a->U + 3, felt.v);
  a->inverse = inverse;
  return inverse > 0 && inverse < INFINITY;
}

// A joint's coordinates one after the other: D of the last first, then A less U U'/D of it.
static bool take_joint(const lb_mass_factors* F, const lb_work* w, const lb_link* l,
                       const lb_state* s, lb_v4 at) {
  lb_m3 A = s->IA.A, G = s->IA.G, C = s->IA.C;
  lb_v4* S = w->S + 2 * (size_t)l->column;
  bool positive = true;
  LB_JOINT[l->kind]->columns(S, s);
  for (int k = l->nv - 1; k >= 0; k--) {
    const lb_motion dir = {S[2 * k], S[2 * k + 1]};
    const lb_motion U = {lb_m3_apply(A, dir.w) + lb_m3_apply_transposed(G, dir.v),
                         lb_m3_apply(G, dir.w) + lb_m3_apply(C, dir.v)};
    const double inverse = 1 / (lb_motion_dot(dir, U) + F->m->dof.armature[l->v + k]);
    positive = set_axis(&F->axis[l->v + k], dir, U, inverse, at) && positive;
    lb_m3_add_outer(&A, -inverse, U.w, U.w);
    lb_m3_add_outer(&G, -inverse, U.v, U.w);
    lb_m3_add_outer(&C, -inverse, U.v, U.v);
  }
  return positive;
}

bool lb_mass_factors_take(lb_mass_factors* F, const lb_work* w) {
  bool positive = true;
  for (int k = 0; k < F->nsegment; k++) {
    lb_mass_segment* g = &F->segment[k];
    const lb_v4 O = w->state[g->link].p;
    const lb_v4 from = g->parent < 0 ? O : w->state[F->segment[g->parent].link].p;
    lb_v4_store(g->r, O - from);
    for (int i = g->link; i < g->link + g->nlink; i++) {
      const lb_link* l = &F->m->link.packed[i];
      const lb_state* s = &w->state[i];
      const lb_v4 at = s->p - O;
      if (l->kind == LB_JOINT_REVOLUTE) { // as lb_aba_solve left it
        const lb_motion S = {s->R.z, lb_v4_zero()}, U = {s->Un, s->Uf};
        positive = set_axis(&F->axis[l->v], S, U, s->d, at) && positive;
      } else {
        positive = take_joint(F, w, l, s, at) && positive;
      }
    }
  }
  return positive;
}

// --- solving ---

typedef struct panel {
  const double* const* b;
  double* const* out;
  int v; // the first column
} panel;

// Row v of the identity's columns.
static inline lanes unit_row(const panel* P, int v) {
  static const double ONE[2 * LB_PANEL] = {[LB_PANEL - 1] = 1}, ZERO[LB_PANEL] = {0};
  const unsigned at = (unsigned)(v - P->v);
  return *(const loose*)(at < LB_PANEL ? ONE + (LB_PANEL - 1 - at) : ZERO);
}

static inline void reach_in(lanes* x, many* p, const lb_mass_axis* a, lanes b) {
  const lanes y = b - dot(a->S, p);
  *x = y * a->inverse;
  add(p, a->U, y);
}

static const lb_mass_far REST = {0};

// Forces that reached segment k so far.
static inline const lb_mass_far* forces(const lb_mass_factors* F, int k) {
  return F->reach[k] == LB_MASS_FORCES ? &F->far[k] : &REST;
}

// (1) for a segment.
static void go_in(const lb_mass_factors* F, const panel* P, int k) {
  const lb_mass_segment* g = &F->segment[k];
  const size_t nv = (size_t)F->m->nv;
  const lb_mass_far* from = forces(F, k);
  many p = from->side[0], q = from->side[1], t = from->side[2];
  for (int v = g->v + g->nv - 1; v >= g->v; v--) {
    const size_t at = (size_t)v * nv + (size_t)P->v;
    lanes* x = (lanes*)F->x + LB_MASS_SIDES * v;
    reach_in(&x[0], &p, &F->axis[v], -*(const loose*)(P->b[0] + at));
    reach_in(&x[1], &q, &F->axis[v], -*(const loose*)(P->b[1] + at));
    reach_in(&x[2], &t, &F->axis[v], unit_row(P, v));
  }
  if (g->parent >= 0) {
    const lb_mass_far* to = forces(F, g->parent);
    F->far[g->parent] = (lb_mass_far){{add_shifted_force(&to->side[0], &p, g->r),
                                       add_shifted_force(&to->side[1], &q, g->r),
                                       add_shifted_force(&to->side[2], &t, g->r)}};
    F->reach[g->parent] = LB_MASS_FORCES;
  }
}

static inline void reach_out(double* out, many* z, const lb_mass_axis* a, lanes x) {
  x -= dot(a->U, z);
  add(z, a->S, x);
  *(loose*)out = x;
}

// (2)
static void go_out(const lb_mass_factors* F, const panel* P, int k) {
  const lb_mass_segment* g = &F->segment[k];
  const size_t nv = (size_t)F->m->nv;
  const lb_mass_far* from = g->parent >= 0 ? &F->far[g->parent] : &REST;
  many p = shift_motion(&from->side[0], g->r);
  many q = shift_motion(&from->side[1], g->r);
  many t = shift_motion(&from->side[2], g->r);
  for (int v = g->v; v < g->v + g->nv; v++) {
    const size_t at = (size_t)v * nv + (size_t)P->v;
    const lanes* x = (const lanes*)F->x + LB_MASS_SIDES * v;
    reach_out(P->out[0] + at, &p, &F->axis[v], x[0]);
    reach_out(P->out[1] + at, &q, &F->axis[v], x[1]);
    reach_out(P->out[2] + at, &t, &F->axis[v], x[2]);
  }
  F->far[k] = (lb_mass_far){{p, q, t}};
}

static void stay(const lb_mass_factors* F, const panel* P, int k) {
  const lb_mass_segment* g = &F->segment[k];
  for (int v = g->v; v < g->v + g->nv; v++) {
    const size_t at = (size_t)v * (size_t)F->m->nv + (size_t)P->v;
    for (int side = 0; side < LB_MASS_SIDES; side++) {
      *(loose*)(P->out[side] + at) = (lanes){0};
    }
  }
}

// Right-hand sides are zero but for what hangs on a column of the panel, and all that this hangs
// on.
static void find_sides(const lb_mass_factors* F, const panel* P) {
  for (int k = 0; k < F->nsegment; k++) {
    const lb_mass_segment* g = &F->segment[k];
    const bool own = g->v < P->v + LB_PANEL && g->v + g->nv > P->v;
    F->reach[k] = own || (g->parent >= 0 && F->reach[g->parent]) ? LB_MASS_SIDE : LB_MASS_NOTHING;
  }
}

static void go_in_all(const lb_mass_factors* F, const panel* P) {
  for (int k = F->nsegment - 1; k >= 0; k--) {
    const lb_mass_segment* g = &F->segment[k];
    if (F->reach[k]) {
      go_in(F, P, k);
    } else {
      memset((lanes*)F->x + LB_MASS_SIDES * g->v, 0, (size_t)g->nv * LB_MASS_SIDES * sizeof(lanes));
    }
  }
}

// A tree that no force reached stays as it is.
static void go_out_all(const lb_mass_factors* F, const panel* P) {
  for (int k = 0; k < F->nsegment; k++) {
    const lb_mass_segment* g = &F->segment[k];
    F->reach[k] = F->reach[g->parent >= 0 ? g->parent : k];
    if (F->reach[k]) {
      go_out(F, P, k);
    } else {
      stay(F, P, k);
    }
  }
}

// Panels from the last to the first, rows from the first to the last: what the last panel writes
// beyond the end of a row is written over.
void lb_mass_factors_solve(const lb_mass_factors* F, double* const out[LB_MASS_SIDES],
                           const double* const b[LB_MASS_SIDES - 1]) {
  for (int v = (F->m->nv - 1) / LB_PANEL * LB_PANEL; v >= 0; v -= LB_PANEL) {
    const panel P = {b, out, v};
    find_sides(F, &P);
    go_in_all(F, &P);
    go_out_all(F, &P);
  }
}
