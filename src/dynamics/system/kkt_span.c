// Joints given by constraints as joints of a tree: the null-space method on a spanning tree.
//
// In maximal coordinates bodies move freely and are held by the constraints of joints. Of these the
// KKT system (kkt.h) would eliminate six velocities and five multipliers each. Instead bodies hang
// on each other as in the scene's tree. A joint's rows B act on body i and, the other
// way, on its parent p,
//
//   B'(V_i - X V_p) = c                                                               (1)
//
// With G and S such that B'G = 1 and B'S = 0, (1) says V_i = X V_p + G c + S y, y the velocities
// that the joint leaves. The motion V0 with all y zero is found on the way out. What is left is the
// KKT system of the tree in y with right-hand sides
//
//   P_i = F_i - I_i V0_i,   c_r - J_r V0                                              (2)
//
// of links and of the other constraints r; F is b of the bodies' velocities, which are those of
// their own axes. Its solution gives V, and what the joints exert follows on the way in:
//
//   B_i mu_i = F_i - I_i V_i - (what other constraints exert) + (the same of what hangs on i)   (3)
//
// and with that mu = G'B mu. The constraints of a joint are forces and moments along directions at
// right angles, all at one point, so G is these directions and S what is left of three and three.
// Springs of such a joint are a part of D, S'(F F'/compliance) S with their direction F.
#include <math.h>
#include <string.h>

#include "dynamics/system/kkt_inside.h"

enum { FREE_V = 6, JOINT_SPRINGS = 3 };

// --- the tree ---

// Put a link and what carries it, as far as they are not there yet, at the end of the sequence,
// whose other end is scratch.
static int place(lb_kkt* K, int placed, int link) {
  int last = K->m->nlink;
  for (int i = link; i != LB_WORLD && K->link[i].root < 0; i = K->link[i].parent) {
    K->sequence[--last] = i;
    K->link[i].root = 0; // it is on its way
  }
  for (; last < K->m->nlink; last++) {
    const int i = K->sequence[last], parent = K->link[i].parent;
    K->link[i].root = parent == LB_WORLD ? i : K->link[parent].root;
    K->sequence[placed++] = i;
  }
  return placed;
}

// Joints of the scene's tree given by constraints now: the body is frame b's.
static int span_of(const lb_kkt* K, const lb_data* d, int loop) {
  const int i = d->work->constraints->frame[2 * loop + 1].link;
  return K->m->constraint.loop[loop].cut.taken_apart && i != LB_WORLD &&
                 K->m->link.packed[i].kind == LB_JOINT_FREE
             ? i
             : -1;
}

static void hang_links(lb_kkt* K) {
  const lb_model* m = K->m;
  const lb_kkt_span* s = &K->span;
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    K->link[i] =
        (lb_kkt_link){.parent = l->parent, .root = -1, .nv = l->driven ? 0 : l->nv, .loop = -1};
  }
  for (int i = 0; i < m->constraint.nloop && s->count > 0; i++) {
    if (s->link[i] >= 0) {
      K->link[s->link[i]].loop = i;
      K->link[s->link[i]].parent = s->parent[i];
    }
  }
  for (int i = 0, placed = 0; i < m->nlink; i++) {
    placed = place(K, placed, i);
  }
}

bool lb_kkt_span_create(lb_kkt* K, const lb_data* d, bool spans) {
  const lb_model* m = K->m;
  lb_kkt_span* s = &K->span;
  for (int i = 0; i < m->constraint.nloop && spans; i++) {
    s->count += span_of(K, d, i) >= 0;
  }
  if (s->count > 0) {
    s->link = LB_TAKE(&K->arena, int, m->constraint.nloop);
    s->parent = LB_TAKE(&K->arena, int, m->constraint.nloop);
    s->row = LB_TAKE(&K->arena, int, (size_t)m->nlink* FREE_V);
    s->place = LB_TAKE(&K->arena, int, (size_t)m->nlink* FREE_V);
    s->B = LB_TAKE(&K->arena, lb_motion, (size_t)m->nlink * FREE_V);
    s->S = LB_TAKE(&K->arena, lb_motion, m->link.ncolumn);
    s->G = LB_TAKE(&K->arena, lb_motion, (size_t)m->nlink * FREE_V);
    s->I = LB_TAKE(&K->arena, lb_kkt_inertia, m->nlink);
    s->spring = LB_TAKE(&K->arena, lb_kkt_spring, (size_t)m->nlink * JOINT_SPRINGS);
    s->V = LB_TAKE(&K->arena, lb_motion, m->nlink);
    s->F = LB_TAKE(&K->arena, lb_motion, m->nlink);
  }
  if (lb_arena_status(&K->arena) != LB_OK) {
    return false;
  }
  for (int i = 0; i < m->constraint.nloop && s->count > 0; i++) {
    s->link[i] = span_of(K, d, i);
    s->parent[i] = d->work->constraints->frame[2 * i].link;
  }
  hang_links(K);
  return true;
}

// --- the joints ---

// Rows of a spanned link's joint that are there.
static int count_rows(const lb_kkt* K, int link) {
  return FREE_V - K->link[link].nv;
}

// Force of a constraint on the link that it holds.
static lb_motion force_on(const lb_kkt_row* r, int link) {
  return r->force[r->link[0] == link ? 0 : 1];
}

// Directions at right angles to `count` of them, which are so to each other: how many.
static int complement(lb_v4 out[3], const lb_v4* e, int count) {
  const lb_v4 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int n = 0;
  if (count == 0) {
    memcpy(out, axis, sizeof axis);
    return 3;
  }
  if (count == 1) {
    const double x = fabs(e[0][0]), y = fabs(e[0][1]), z = fabs(e[0][2]);
    const lb_v4 a = lb_v4_cross(e[0], axis[x <= y && x <= z ? 0 : y <= z ? 1 : 2]);
    out[n++] = a / sqrt(lb_v4_dot(a, a));
  }
  if (count < 3) {
    const lb_v4 a = lb_v4_cross(e[0], count == 1 ? out[0] : e[1]);
    out[n++] = a / sqrt(lb_v4_dot(a, a));
  }
  return n;
}

// A motion along e, or about it through the joint's centre, `arm` from the link's origin.
static lb_motion motion_of(lb_v4 e, bool turns, lb_v4 arm) {
  return turns ? (lb_motion){e, lb_v4_cross(arm, e)} : (lb_motion){lb_v4_zero(), e};
}

// S and G of (1), from the constraints that were listed; false: they leave other unknowns than
// before.
static bool read_joint(lb_kkt* K, const lb_data* d, int i) {
  lb_kkt_link* l = &K->link[i];
  const lb_v4 arm = l->centre - d->work->state[i].p;
  lb_v4 e[2][3], left[3];
  int count[2] = {0, 0}, nv = 0;
  for (int k = 0; k < l->rows; k++) {
    const lb_kkt_row* row = &K->row[K->span.row[FREE_V * i + k]];
    const lb_motion F = force_on(row, i);
    const bool turns = lb_v4_dot(F.v, F.v) == 0;
    const lb_v4 along = turns ? F.w : F.v;
    const lb_motion G = motion_of(along / lb_v4_dot(along, along), turns, arm);
    e[turns][count[turns]++] = along;
    K->span.G[FREE_V * i + k] = lb_motion_shift(G, l->at);
    K->span.B[FREE_V * i + k] = lb_force_shift(F, l->at);
    K->span.place[FREE_V * i + k] = row->place;
  }
  lb_motion* S = K->span.S + K->m->link.packed[i].column;
  for (int turns = 0; turns < 2; turns++) {
    const int n = complement(left, e[turns], count[turns]);
    for (int k = 0; k < n; k++) {
      S[nv++] = motion_of(left[k], turns, arm);
    }
  }
  const bool same = l->nv == nv;
  l->nv = nv;
  return same;
}

int lb_kkt_span_list(lb_kkt* K, const lb_constraint_row* row) {
  const bool can = K->span.count > 0 && row->constraint < K->m->constraint.nloop;
  const int i = can ? K->span.link[row->constraint] : -1;
  if (i >= 0) {
    K->link[i].centre = row->at;
    K->span.row[FREE_V * i + K->link[i].rows++] = row->number;
  }
  return i;
}

// Springs of a spanned link's joint.
static void read_springs(lb_kkt* K, int i) {
  lb_kkt_link* l = &K->link[i];
  l->springs = 0;
  for (int k = 0; k < JOINT_SPRINGS && K->nrow > K->nconstraint; k++) {
    const lb_kkt_row* r = &K->row[K->nconstraint + JOINT_SPRINGS * l->loop + k];
    if (r->present) {
      K->span.spring[JOINT_SPRINGS * i + l->springs++] =
          (lb_kkt_spring){lb_force_shift(force_on(r, i), l->at), 1 / r->compliance, r->wish};
    }
  }
}

bool lb_kkt_span_read(lb_kkt* K, const lb_data* d) {
  bool same = true;
  for (int i = 0; i < K->m->nlink; i++) {
    if (K->link[i].loop >= 0) {
      same = read_joint(K, d, i) && same;
      read_springs(K, i);
    }
  }
  return same;
}

// --- springs ---

void lb_kkt_span_stiffen(const lb_kkt* K, int link, double* D) {
  const lb_kkt_link* l = &K->link[link];
  const lb_motion* S = K->span.S + K->m->link.packed[link].column;
  for (int k = 0; k < l->springs; k++) {
    const lb_kkt_spring* spring = &K->span.spring[JOINT_SPRINGS * link + k];
    const lb_motion F = lb_force_shift(spring->force, -l->at);
    for (int i = 0; i < l->nv; i++) {
      for (int j = 0; j < l->nv; j++) {
        D[i * LB_JOINT_MOST_V + j] +=
            lb_motion_dot(F, S[i]) * lb_motion_dot(F, S[j]) * spring->stiffness;
      }
    }
  }
}

// Force of a link's springs for a relative motion.
static lb_motion pull_of(const lb_kkt* K, int link, lb_motion relative) {
  lb_motion F = lb_motion_zero();
  for (int k = 0; k < K->link[link].springs; k++) {
    const lb_kkt_spring* s = &K->span.spring[JOINT_SPRINGS * link + k];
    const double stretch = lb_motion_dot(s->force, relative) - (K->homogeneous ? 0 : s->wish);
    lb_add_scaled(&F, -stretch * s->stiffness, s->force);
  }
  return F;
}

// --- solving ---

// I V at the root's origin.
static lb_motion momentum(const lb_kkt* K, int link, lb_motion V) {
  const lb_v4 at = K->link[link].at;
  const lb_kkt_inertia* B = &K->span.I[link];
  const lb_motion own = lb_motion_shift(V, -at);
  const lb_motion P = {lb_m3_apply(B->I, own.w) + lb_v4_cross(B->h, own.v),
                       own.v * B->m - lb_v4_cross(B->h, own.w)};
  return lb_force_shift(P, at);
}

// F of a spanned link from b, whose coordinates are velocities along its own axes, and zero in its
// place.
static lb_motion take_force(const lb_kkt* K, int link, double* b) {
  const lb_motion own = {lb_v4_load(b), lb_v4_load(b + 3)};
  memset(b, 0, FREE_V * sizeof *b);
  return lb_force_shift(lb_motion_turn(K->link[link].R, own), K->link[link].at);
}

// Right-hand side of y, by springs, for a motion G c of the joint.
static void push_springs(const lb_kkt* K, int link, lb_motion moved, double* y) {
  const lb_motion F = pull_of(K, link, moved), *S = K->S + K->m->link.packed[link].column;
  for (int k = 0; k < K->link[link].nv; k++) {
    y[k] += lb_motion_dot(F, S[k]);
  }
}

void lb_kkt_span_begin(lb_kkt* K, double* b) {
  const lb_kkt_span* s = &K->span;
  for (int n = 0; n < K->m->nlink; n++) {
    const int i = K->sequence[n];
    const lb_kkt_link* l = &K->link[i];
    lb_motion own = lb_motion_zero();
    s->F[i] = own;
    if (l->loop >= 0) {
      for (int k = FREE_V * i; k < FREE_V * i + count_rows(K, i); k++) {
        lb_add_scaled(&own, K->z[s->row[k]], s->G[k]);
      }
      s->F[i] = take_force(K, i, b + K->m->link.packed[i].v);
      if (l->springs > 0) {
        push_springs(K, i, own, b + K->m->link.packed[i].v);
      }
    }
    s->V[i] = l->parent == LB_WORLD ? own : lb_motion_add(s->V[l->parent], own);
    K->P[i] = s->F[i];
    lb_add_scaled(&K->P[i], -1, momentum(K, i, s->V[i]));
  }
  for (int n = 0; n < K->nlisted; n++) {
    const lb_kkt_row* r = &K->row[K->listed[n]];
    for (int side = 0; side < 2; side++) {
      const int link = r->link[side];
      K->z[K->listed[n]] -= link == LB_WORLD ? 0 : lb_motion_dot(r->force[side], s->V[link]);
    }
  }
}

// V of a spanned link as its coordinates.
static void give_velocity(const lb_kkt* K, int link, double* x) {
  const lb_motion V = lb_motion_shift(K->P[link], -K->link[link].at);
  lb_v4_store(x, lb_m3_apply_transposed(K->link[link].R, V.w));
  lb_v4_store(x + 3, lb_m3_apply_transposed(K->link[link].R, V.v));
}

// (3) for the constraints of a spanned link's joint, less what its springs exert.
static void find_multipliers(lb_kkt* K, int link) {
  const int parent = K->link[link].parent;
  lb_motion relative = K->P[link];
  if (parent != LB_WORLD) {
    lb_add_scaled(&relative, -1, K->P[parent]);
  }
  const lb_motion f = lb_motion_add(K->span.F[link], pull_of(K, link, relative));
  for (int k = FREE_V * link; k < FREE_V * link + count_rows(K, link); k++) {
    K->z[K->span.row[k]] = lb_motion_dot(K->span.G[k], f);
  }
}

void lb_kkt_span_end(lb_kkt* K, double* b) {
  const lb_kkt_span* s = &K->span;
  const int nlink = K->m->nlink;
  for (int i = 0; i < nlink; i++) {
    lb_add_scaled(&K->P[i], 1, s->V[i]);
    lb_add_scaled(&s->F[i], -1, momentum(K, i, K->P[i]));
    if (K->link[i].loop >= 0) {
      give_velocity(K, i, b + K->m->link.packed[i].v);
    }
  }
  for (int n = 0; n < K->nlisted; n++) {
    const lb_kkt_row* r = &K->row[K->listed[n]];
    for (int side = 0; side < 2; side++) {
      if (r->link[side] != LB_WORLD) {
        lb_add_scaled(&s->F[r->link[side]], -K->z[K->listed[n]], r->force[side]);
      }
    }
  }
  for (int n = nlink - 1; n >= 0; n--) {
    const int i = K->sequence[n], parent = K->link[i].parent;
    if (K->link[i].loop >= 0) {
      find_multipliers(K, i);
    }
    if (parent != LB_WORLD) {
      lb_add_scaled(&s->F[parent], 1, s->F[i]);
    }
  }
}

void lb_kkt_span_push(lb_kkt* K, const double* mu, double scale) {
  for (int i = 0; i < K->m->nlink; i++) {
    lb_motion F = lb_motion_zero();
    for (int k = FREE_V * i; k < FREE_V * i + K->link[i].rows; k++) {
      lb_add_scaled(&F, scale * mu[K->span.place[k]], K->span.B[k]);
    }
    lb_add_scaled(&K->P[i], 1, F);
    if (K->link[i].loop >= 0 && K->link[i].parent != LB_WORLD) {
      lb_add_scaled(&K->P[K->link[i].parent], -1, F);
    }
  }
}

void lb_kkt_span_gather(const lb_kkt* K, int link, double* out) {
  const lb_motion F = lb_force_shift(K->P[link], -K->link[link].at);
  const lb_v4 n = lb_m3_apply_transposed(K->link[link].R, F.w);
  const lb_v4 f = lb_m3_apply_transposed(K->link[link].R, F.v);
  for (int k = 0; k < 3; k++) {
    out[K->m->link.packed[link].v + k] += n[k];
    out[K->m->link.packed[link].v + 3 + k] += f[k];
  }
}
