// Exponentials of links' twists, as many at a time as a register has lanes.
//
//   (1)  X = X0 exp(xi),   xi = (w, v) = sum of y_k times the link's twists
//
// With x = |w|^2 the rotation is the quaternion (c0(x/4), c1(x/4) w / 2), and the displacement is
// v + c2 w x v + c3 w x (w x v) with c2 = c1(x/4)^2 / 2. Series in x are summed up to turns of 3
// rad; beyond, a link is done by itself. By joints the same holds between a link and its parent,
// where joints have constant twists along the link's axes; then links are put together from the
// base outward, and nothing parts.
#include "fork/fork_links.h"

#include <string.h>

#include "base/parallel.h"
#include "elastic/fem/lanes.h"
#include "fork/fork_chart.h"

typedef lb_lanes lanes;

bool lb_fork_joints_are_simple(const lb_fork* f) {
  bool simple = true;
  for (int i = 0; i < f->nlink; i++) {
    const int kind = f->model->link.kind[i];
    simple &= i == f->base_link || kind == LB_JOINT_REVOLUTE || kind == LB_JOINT_PRISMATIC ||
              kind == LB_JOINT_SPHERICAL || kind == LB_JOINT_TRANSLATIONAL ||
              kind == LB_JOINT_HELICAL;
  }
  return simple;
}

// --- tables ---

// Twist of link i less its parent's, along the link's own axes.
static double relative(const lb_fork* f, const double* follow, int i, size_t r, size_t k) {
  const size_t count = (size_t)f->count;
  const int p = f->model->link.parent[i];
  const double* own = follow + (6 * (size_t)i + r) * count;
  if (p == LB_WORLD) {
    return own[k];
  }
  const lb_transform X = lb_transform_mul(lb_transform_inverse(f->link[p]), f->link[i]);
  double up[6], here[6];
  for (size_t c = 0; c < 6; c++) {
    up[c] = follow[(6 * (size_t)p + c) * count + k];
  }
  const lb_twist t = lb_fork_twist(up);
  const lb_quat back = lb_quat_conjugate(X.q);
  lb_fork_put(here, (lb_twist){lb_quat_rotate(back, t.w),
                               lb_quat_rotate(back, lb_vec3_add(t.v, lb_vec3_cross(t.w, X.p)))});
  return own[k] - here[r];
}

bool lb_fork_links_take(lb_fork_links_table* t, lb_arena* arena, const lb_fork* f,
                        const double* follow, const lb_transform* pose, bool joints) {
  const size_t count = (size_t)f->count, L = LB_LANES;
  const size_t batches = ((size_t)f->nlink + L - 1) / L;
  t->nlink = f->nlink;
  t->count = f->count;
  t->batches = (int)batches;
  t->parent = joints ? f->model->link.parent : NULL;
  t->twist = LB_TAKE(arena, double, batches * 6 * count * L);
  t->pose = LB_TAKE(arena, double, batches * 7 * L);
  for (int i = 0; t->twist && t->pose && i < f->nlink; i++) {
    const size_t batch = (size_t)i / L, lane = (size_t)i % L;
    const int p = f->model->link.parent[i];
    const lb_transform X = joints && p != LB_WORLD
                               ? lb_transform_mul(lb_transform_inverse(pose[p]), pose[i])
                               : pose[i];
    const double seven[7] = {X.q.w, X.q.x, X.q.y, X.q.z, X.p.x, X.p.y, X.p.z};
    for (size_t r = 0; r < 6; r++) {
      for (size_t k = 0; k < count; k++) {
        t->twist[((batch * 6 + r) * count + k) * L + lane] =
            joints ? relative(f, follow, i, r, k) : follow[(6 * (size_t)i + r) * count + k];
      }
    }
    for (size_t r = 0; r < 7; r++) {
      t->pose[(batch * 7 + r) * L + lane] = seven[r];
    }
  }
  return t->twist && t->pose;
}

// --- the exponential ---

static inline lanes load(const double* x) {
  lanes y;
  memcpy(&y, x, sizeof y);
  return y;
}

// c_n = 1/n! (1 - x/((n+1)(n+2)) (1 - x/((n+3)(n+4)) (1 - ...))) for turns up to 3 rad, of which
// c_n has x, or x / 4.
#define SERIES(n, terms)                                                                           \
  static inline lanes series_##n(lanes x) {                                                        \
    lanes sum = lb_lanes_set(1);                                                                   \
    _Pragma("GCC unroll 16") for (int k = (terms)-1; k > 0; k--) {                                 \
      sum = 1 - (x * (1.0 / (((n) + 2 * k - 1) * ((n) + 2 * k)))) * sum;                           \
    }                                                                                              \
    return sum;                                                                                    \
  }
SERIES(0, 11) // the first term left out is below 1e-17 of the sum
SERIES(1, 11)
SERIES(3, 14)

static inline void cross(lanes out[3], const lanes a[3], const lanes b[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

// X0 exp(xi) of a batch: q and p.
static inline void exponentiate(const double* pose, const lanes xi[6], lanes q[4], lanes p[3]) {
  const lanes *w = xi, *v = xi + 3;
  const lanes x = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
  const lanes c = series_0(0.25 * x), s = series_1(0.25 * x), c3 = series_3(x) * (1.0 / 6);
  const lanes c2 = 0.5 * s * s, half = 0.5 * s;
  lanes once[3], twice[3], move[3], a[7];
  cross(once, w, v);
  cross(twice, w, once);
  for (int k = 0; k < 7; k++) {
    a[k] = load(pose + k * LB_LANES);
  }
  for (int k = 0; k < 3; k++) {
    move[k] = v[k] + c2 * once[k] + c3 * twice[k];
  }
  const lanes b[3] = {half * w[0], half * w[1], half * w[2]};
  q[0] = a[0] * c - a[1] * b[0] - a[2] * b[1] - a[3] * b[2];
  q[1] = a[0] * b[0] + a[1] * c + a[2] * b[2] - a[3] * b[1];
  q[2] = a[0] * b[1] + a[2] * c + a[3] * b[0] - a[1] * b[2];
  q[3] = a[0] * b[2] + a[3] * c + a[1] * b[1] - a[2] * b[0];
  cross(once, a + 1, move); // p0 + R0 move = p0 + move + 2 u x (u x move + a0 move)
  for (int k = 0; k < 3; k++) {
    once[k] = 2 * (once[k] + a[0] * move[k]);
  }
  cross(twice, a + 1, once);
  for (int k = 0; k < 3; k++) {
    p[k] = a[4 + k] + move[k] + twice[k];
  }
}

static const double FAR = 9; // squared angle beyond which a link is done by itself

typedef struct placing {
  const lb_fork_links_table* t;
  const double* y;
  lb_transform* link;
} placing;

static void place_far(const lb_fork_links_table* t, const lanes xi[6], size_t batch, int lane,
                      lb_transform* link) {
  const double* at = t->pose + 7 * batch * LB_LANES + lane;
  const lb_transform X = {{at[0], at[LB_LANES], at[2 * LB_LANES], at[3 * LB_LANES]},
                          {at[4 * LB_LANES], at[5 * LB_LANES], at[6 * LB_LANES]}};
  const double six[6] = {xi[0][lane], xi[1][lane], xi[2][lane],
                         xi[3][lane], xi[4][lane], xi[5][lane]};
  *link = lb_transform_mul(X, lb_se3_exp(lb_fork_twist(six)));
}

static void place_batch(void* context, int i) {
  const placing* o = context;
  const lb_fork_links_table* t = o->t;
  const size_t count = (size_t)t->count, batch = (size_t)i;
  const double* twist = t->twist + batch * 6 * count * LB_LANES;
  lanes xi[6], q[4], p[3];
  for (size_t r = 0; r < 6; r++) {
    lanes sum = {0};
    for (size_t k = 0; k < count; k++) {
      sum += o->y[k] * load(twist + (r * count + k) * LB_LANES);
    }
    xi[r] = sum;
  }
  exponentiate(t->pose + 7 * batch * LB_LANES, xi, q, p);
  const lanes x = xi[0] * xi[0] + xi[1] * xi[1] + xi[2] * xi[2];
  const int left = t->nlink - i * LB_LANES, n = left < LB_LANES ? left : LB_LANES;
  for (int l = 0; l < n; l++) {
    lb_transform* to = o->link + batch * LB_LANES + l;
    *to = (lb_transform){{q[0][l], q[1][l], q[2][l], q[3][l]}, {p[0][l], p[1][l], p[2][l]}};
    if (x[l] > FAR) {
      place_far(t, xi, batch, l, to);
    }
  }
}

// A B in the same form, written out: the one before is still in registers.
static inline lb_transform join(lb_transform A, lb_transform B) {
  const lb_quat a = A.q, b = B.q;
  const double x = 2 * (a.y * B.p.z - a.z * B.p.y + a.w * B.p.x);
  const double y = 2 * (a.z * B.p.x - a.x * B.p.z + a.w * B.p.y);
  const double z = 2 * (a.x * B.p.y - a.y * B.p.x + a.w * B.p.z);
  return (lb_transform){{(a.w * b.w - a.x * b.x) - (a.y * b.y + a.z * b.z),
                         (a.w * b.x + a.x * b.w) + (a.y * b.z - a.z * b.y),
                         (a.w * b.y + a.y * b.w) + (a.z * b.x - a.x * b.z),
                         (a.w * b.z + a.z * b.w) + (a.x * b.y - a.y * b.x)},
                        {A.p.x + B.p.x + (a.y * z - a.z * y), A.p.y + B.p.y + (a.z * x - a.x * z),
                         A.p.z + B.p.z + (a.x * y - a.y * x)}};
}

void lb_fork_links_place(const lb_fork_links_table* t, const double* y, const lb_transform* base,
                         int threads, lb_transform* link) {
  placing o = {t, y, link};
  if (threads > 1) {
    lb_parallel_for(threads, t->batches, place_batch, &o);
  } else {
    for (int i = 0; i < t->batches; i++) {
      place_batch(&o, i);
    }
  }
  lb_transform last = lb_transform_identity();
  for (int i = 0; i < t->nlink && (base || t->parent); i++) {
    const int p = t->parent ? t->parent[i] : LB_WORLD;
    if (p != LB_WORLD) {
      link[i] = last = join(p == i - 1 ? last : link[p], link[i]);
    } else {
      link[i] = last = base ? join(*base, link[i]) : link[i];
    }
  }
}
