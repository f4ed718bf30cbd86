// Two boxes: the fifteen possible separating axes, then one face cut to the other.
//
// The axis of the last step is tried first: boxes that were apart along it mostly still are. Face
// axes are preferred to edges, and the last axis to others that are as good, so that a box at rest
// keeps its patch.
#include <float.h>

#include "geom/collide/pair.h"

enum { FACES_A = 1, FACES_B = 4, EDGES = 7, AXES = 16 }; // numbers of axes, 0 being none
static const double EDGE_WORSE = 1e-3;                   // of the size: edges must beat faces by it
static const double KEEP = 5e-4;
static const double ALIKE = 1e-9;  // of the size: earlier axes are as good
static const double MISSED = 4e-3; // of the size: a patch as much too shallow is none
static const double SLANT = 1e-6;  // squared sine below which two edges count as parallel

typedef struct boxes {
  double a[3], b[3]; // half lengths
  double R[3][3];    // R[i][j]: component i of b's axis j, in the frame of a
  double Q[3][3];    // |R|
  double t[3];       // b's centre in the frame of a
  double brim;
  double rounding; // of separations: a grain on a world cannot tell axes apart that differ by less
} boxes;

// Separation along an axis: negative where the boxes overlap along it.
static double face_a(const boxes* x, int i) {
  return fabs(x->t[i]) - x->a[i] -
         (x->b[0] * x->Q[i][0] + x->b[1] * x->Q[i][1] + x->b[2] * x->Q[i][2]);
}
static double along_b(const boxes* x, int j) {
  return x->t[0] * x->R[0][j] + x->t[1] * x->R[1][j] + x->t[2] * x->R[2][j];
}
static double face_b(const boxes* x, int j) {
  return fabs(along_b(x, j)) - x->b[j] -
         (x->a[0] * x->Q[0][j] + x->a[1] * x->Q[1][j] + x->a[2] * x->Q[2][j]);
}

// Edge i of a and edge j of b: the axis e_i x R_j has the components -R[i2][j], R[i1][j] along i1
// and i2. The separation times the axis' length, whose square is returned with it.
static const int NEXT[3] = {1, 2, 0}, THIRD[3] = {2, 0, 1};

static inline double edge_raw(const boxes* x, int i, int j, double* square) {
  const int i1 = NEXT[i], i2 = THIRD[i], j1 = NEXT[j], j2 = THIRD[j];
  *square = x->R[i1][j] * x->R[i1][j] + x->R[i2][j] * x->R[i2][j];
  const double t = fabs(x->t[i2] * x->R[i1][j] - x->t[i1] * x->R[i2][j]);
  return t - (x->a[i1] * x->Q[i2][j] + x->a[i2] * x->Q[i1][j] + x->b[j1] * x->Q[i][j2] +
              x->b[j2] * x->Q[i][j1]);
}

static double edge(const boxes* x, int i, int j) {
  double square;
  const double raw = edge_raw(x, i, j, &square);
  return square < SLANT ? -INFINITY : raw / sqrt(square);
}

static double separation(const boxes* x, int axis) {
  return axis < FACES_B ? face_a(x, axis - FACES_A)
         : axis < EDGES ? face_b(x, axis - FACES_B)
                        : edge(x, (axis - EDGES) / 3, (axis - EDGES) % 3);
}

static void prepare(boxes* x, const lb_placed* a, const lb_placed* b) {
  const lb_mat3 T = lb_mat3_transpose(a->R), R = lb_mat3_mul(T, b->R);
  const lb_vec3 t = lb_mat3_apply(T, lb_vec3_sub(b->p, a->p)), ha = a->c->half, hb = b->c->half;
  *x = (boxes){.a = {ha.x, ha.y, ha.z},
               .b = {hb.x, hb.y, hb.z},
               .R = {{R.x.x, R.y.x, R.z.x}, {R.x.y, R.y.y, R.z.y}, {R.x.z, R.y.z, R.z.z}},
               .t = {t.x, t.y, t.z},
               .brim = LB_PATCH_BRIM * fmin(a->c->size, b->c->size),
               .rounding = 16 * DBL_EPSILON * (lb_vec3_norm(t) + a->c->size + b->c->size)};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      x->Q[i][j] = fabs(x->R[i][j]);
    }
  }
}

// The best axis so far.
typedef struct contest {
  double size, margin;
  double alike; // separations that differ by less
  int last;     // of the step before
  int axis;
  double score, separation;
  int face; // best one of the faces, and its separation
  double face_separation;
} contest;

// False: the axis separates by more than the margin.
static inline bool enter(contest* c, int axis, double s, double handicap) {
  const double worth = s - handicap + (axis == c->last ? KEEP * c->size : 0);
  if (worth > c->score + c->alike) {
    c->score = worth;
    c->axis = axis;
    c->separation = s;
    if (axis < EDGES) {
      c->face = axis;
      c->face_separation = s;
    }
  }
  return s <= c->margin;
}

static bool enter_edges(contest* c, const boxes* x) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double square;
      const double raw = edge_raw(x, i, j, &square);
      // an axis no longer than 1 makes overlap no smaller than this: most need no square root
      const bool hopeless = raw < 0 && raw + KEEP * c->size < c->score;
      if (!hopeless && square >= SLANT &&
          !enter(c, EDGES + 3 * i + j, raw / sqrt(square), EDGE_WORSE * c->size)) {
        c->axis = EDGES + 3 * i + j;
        return false;
      }
    }
  }
  return true;
}

// Axis of least overlap; false: one separates by more than the margin.
static bool best_axis(contest* c, const boxes* x) {
  for (int k = 0; k < 3; k++) {
    if (!enter(c, FACES_A + k, face_a(x, k), 0)) {
      c->axis = FACES_A + k;
      return false;
    }
    if (!enter(c, FACES_B + k, face_b(x, k), 0)) {
      c->axis = FACES_B + k;
      return false;
    }
  }
  return enter_edges(c, x);
}

// --- a face cut to a face ---

typedef struct vertex {
  double u[3]; // along the two sides of the reference face, and height above it
  uint64_t id;
} vertex;

// The part of a polygon with sign * u[axis] <= most, or beyond that by the brim, by side `cut` of
// the reference. Lines from within are cut at the side itself.
static int clip(const vertex* in, int n, int axis, double sign, double most, double brim,
                unsigned cut, vertex* out) {
  int m = 0;
  for (int k = 0; k < n; k++) {
    const vertex *p = &in[k], *q = &in[k + 1 < n ? k + 1 : 0];
    const double dp = most + brim - sign * p->u[axis], dq = most + brim - sign * q->u[axis];
    if (dp >= 0) {
      out[m++] = *p;
    }
    if ((dp >= 0) != (dq >= 0)) {
      const double by = fmax(dp, dq) > brim ? brim : 0, s = (dp - by) / (dp - dq);
      vertex v = {.id = lb_feature_mix(lb_feature_mix(p->id, q->id), cut)};
      for (int i = 0; i < 3; i++) {
        v.u[i] = p->u[i] + s * (q->u[i] - p->u[i]);
      }
      out[m++] = v;
    }
  }
  return m;
}

// The reference box `r` with face `axis` towards the incident box `o`, whose axis j has component
// i = R[i][j] and centre t in r's frame.
typedef struct facing {
  const double *r, *o;
  double R[3][3], t[3];
  int axis;
  double way;  // side of the face
  double brim; // how far beyond its edges counts
} facing;

// Corners of the incident face: that which looks most against the reference's.
static void incident(const facing* f, uint64_t code, vertex v[4]) {
  int j = 0;
  for (int k = 1; k < 3; k++) {
    j = fabs(f->R[f->axis][k]) > fabs(f->R[f->axis][j]) ? k : j;
  }
  const double side = f->way * f->R[f->axis][j] > 0 ? -1 : 1;
  const int j1 = (j + 1) % 3, j2 = (j + 2) % 3, u1 = (f->axis + 1) % 3, u2 = (f->axis + 2) % 3;
  const int order[3] = {u1, u2, f->axis};
  for (int k = 0; k < 4; k++) {
    const double s1 = k == 1 || k == 2 ? 1 : -1, s2 = k >= 2 ? 1 : -1;
    for (int i = 0; i < 3; i++) {
      const int c = order[i];
      v[k].u[i] = f->t[c] + side * f->o[j] * f->R[c][j] + s1 * f->o[j1] * f->R[c][j1] +
                  s2 * f->o[j2] * f->R[c][j2];
    }
    v[k].u[2] = f->way * v[k].u[2] - f->r[f->axis];
    v[k].id = code | (uint64_t)(k + 1);
  }
}

// Points midway between the incident face and the reference, in the reference's frame.
static void face_points(const facing* f, double margin, uint64_t code, lb_patch* patch) {
  vertex ring[2][12];
  const int u1 = (f->axis + 1) % 3, u2 = (f->axis + 2) % 3;
  const double w1 = f->r[u1], w2 = f->r[u2], brim = f->brim;
  incident(f, code, ring[0]);
  int n = clip(ring[0], 4, 0, 1, w1, brim, 1, ring[1]);
  n = clip(ring[1], n, 0, -1, w1, brim, 2, ring[0]);
  n = clip(ring[0], n, 1, 1, w2, brim, 3, ring[1]);
  n = clip(ring[1], n, 1, -1, w2, brim, 4, ring[0]);
  for (int k = 0; k < n; k++) {
    const double d = ring[0][k].u[2];
    if (d <= margin) {
      double x[3];
      x[u1] = ring[0][k].u[0];
      x[u2] = ring[0][k].u[1];
      x[f->axis] = f->way * (f->r[f->axis] + d / 2);
      patch->point[patch->n++] = (lb_contact_point){{x[0], x[1], x[2]}, d, ring[0][k].id};
    }
  }
}

static void cut_to_a(const boxes* x, int i, double margin, lb_patch* patch, lb_manifold* m) {
  facing f = {.r = x->a, .o = x->b, .axis = i, .way = x->t[i] < 0 ? -1 : 1, .brim = x->brim};
  for (int k = 0; k < 9; k++) {
    f.R[k / 3][k % 3] = x->R[k / 3][k % 3];
  }
  for (int k = 0; k < 3; k++) {
    f.t[k] = x->t[k];
  }
  face_points(&f, margin, (uint64_t)(16 + 2 * i + (f.way > 0)) << 32, patch);
  double n[3] = {0};
  n[i] = -f.way;
  m->face = 1;
  m->normal = lb_vec3_make(n[0], n[1], n[2]);
}

static lb_vec3 from_b(const boxes* x, lb_vec3 v, bool point) {
  const double p[3] = {v.x, v.y, v.z};
  double r[3];
  for (int i = 0; i < 3; i++) {
    r[i] = (point ? x->t[i] : 0) + x->R[i][0] * p[0] + x->R[i][1] * p[1] + x->R[i][2] * p[2];
  }
  return lb_vec3_make(r[0], r[1], r[2]);
}

static void cut_to_b(const boxes* x, int j, double margin, lb_patch* patch, lb_manifold* m) {
  facing f = {.r = x->b, .o = x->a, .axis = j, .way = along_b(x, j) > 0 ? -1 : 1, .brim = x->brim};
  for (int k = 0; k < 3; k++) {
    f.t[k] = -along_b(x, k);
    for (int i = 0; i < 3; i++) {
      f.R[k][i] = x->R[i][k];
    }
  }
  face_points(&f, margin, (uint64_t)(32 + 2 * j + (f.way > 0)) << 32, patch);
  for (int k = 0; k < patch->n; k++) {
    patch->point[k].position = from_b(x, patch->point[k].position, true);
  }
  double n[3] = {0};
  n[j] = f.way;
  m->face = 2;
  m->normal = from_b(x, lb_vec3_make(n[0], n[1], n[2]), false);
}

// Middle of box a's edge along i that lies farthest against n; bits of `code` say which one it is.
static lb_vec3 edge_of_a(const boxes* x, int i, const double n[3], unsigned* code) {
  double p[3];
  for (int k = 0; k < 3; k++) {
    p[k] = k == i ? 0 : n[k] > 0 ? -x->a[k] : x->a[k];
    *code = *code << 1 | (unsigned)(k != i && n[k] > 0);
  }
  return lb_vec3_make(p[0], p[1], p[2]);
}

// The same of box b, along n.
static lb_vec3 edge_of_b(const boxes* x, int j, const double n[3], unsigned* code) {
  double h[3];
  for (int k = 0; k < 3; k++) {
    const double along = n[0] * x->R[0][k] + n[1] * x->R[1][k] + n[2] * x->R[2][k];
    h[k] = k == j ? 0 : along > 0 ? x->b[k] : -x->b[k];
    *code = *code << 1 | (unsigned)(k != j && along > 0);
  }
  return from_b(x, lb_vec3_make(h[0], h[1], h[2]), true);
}

// Two edges cross: the point of a's that is nearest to b's. False: it is an end of one.
static bool cross_edges(const boxes* x, int i, int j, double s, lb_patch* patch, lb_manifold* m) {
  m->face = 0;
  const int i1 = NEXT[i], i2 = THIRD[i];
  double n[3];
  n[i] = 0, n[i1] = -x->R[i2][j], n[i2] = x->R[i1][j];
  const double way = n[i1] * x->t[i1] + n[i2] * x->t[i2] > 0 ? -1 : 1; // from b to a
  const double size = way / sqrt(n[i1] * n[i1] + n[i2] * n[i2]);
  for (int k = 0; k < 3; k++) {
    n[k] *= size;
  }
  unsigned code = 0;
  const lb_vec3 p = edge_of_a(x, i, n, &code), q = edge_of_b(x, j, n, &code);
  // the minimum of |p + alpha e_i - q - beta R_j|
  const lb_vec3 r = lb_vec3_sub(p, q), e = {i == 0, i == 1, i == 2};
  const lb_vec3 f = {x->R[0][j], x->R[1][j], x->R[2][j]};
  const double c = x->R[i][j];
  const double alpha = (c * lb_vec3_dot(r, f) - lb_vec3_dot(r, e)) / (1 - c * c);
  m->normal = lb_vec3_make(n[0], n[1], n[2]);
  const lb_vec3 at = lb_vec3_along(p, lb_clamp(alpha, -x->a[i], x->a[i]), e);
  patch->point[patch->n++] = (lb_contact_point){lb_vec3_along(at, -s / 2, m->normal), s,
                                                (uint64_t)(64 + 3 * i + j) << 32 | code};
  return fabs(alpha) <= x->a[i] && fabs(lb_vec3_dot(r, f) + alpha * c) <= x->b[j];
}

static void cut_to_face(const boxes* x, int axis, double margin, lb_patch* patch, lb_manifold* m) {
  patch->n = 0;
  if (axis < FACES_B) {
    cut_to_a(x, axis - FACES_A, margin, patch, m);
  } else {
    cut_to_b(x, axis - FACES_B, margin, patch, m);
  }
}

// Points of two boxes that are apart. A face has all the corners that may land on it, so it counts
// wherever something is above it, though edges or corners may be nearer beside it. Two edges that
// are nearest to each other within their lengths are nearest of all: both boxes are on their sides
// of the axis.
static bool near(lb_pair_query* q, const boxes* x, const contest* c, lb_patch* patch,
                 lb_manifold* m) {
  if (c->face_separation >= 0) {
    cut_to_face(x, c->face, q->margin, patch, m);
    if (patch->n > 0) {
      q->cache->axis = c->face;
      m->distance = c->face_separation;
      return true;
    }
  }
  m->distance = c->separation;
  return c->axis >= EDGES &&
         cross_edges(x, (c->axis - EDGES) / 3, (c->axis - EDGES) % 3, c->separation, patch, m);
}

// The deepest place is beside the face that was cut to: it comes from the support functions, and
// joins the others where it has their normal.
static bool add_deepest(lb_pair_query* q, lb_patch* patch, const lb_manifold* m) {
  static const double SAME = 1 - 1e-3;
  const lb_couple c = lb_couple_make(q->a, q->b);
  lb_core_gap gap;
  if (patch->n == 0 || !lb_core_separate(&c, m->normal, q->margin, &gap) ||
      !(lb_vec3_dot(gap.normal, m->normal) > SAME)) {
    return false;
  }
  patch->point[patch->n++] = (lb_contact_point){
      lb_vec3_scale(0.5, lb_vec3_add(gap.point_a, gap.point_b)), gap.distance, (uint64_t)7 << 60};
  return true;
}

static bool overlap(lb_pair_query* q, const boxes* x, const contest* c, lb_patch* patch,
                    lb_manifold* m) {
  const double size = fmin(q->a->c->size, q->b->c->size);
  m->distance = c->separation;
  if (c->axis >= EDGES) {
    cross_edges(x, (c->axis - EDGES) / 3, (c->axis - EDGES) % 3, c->separation, patch, m);
    return true;
  }
  cut_to_face(x, c->axis, q->margin, patch, m);
  return lb_patch_deepest(patch) <= c->separation + MISSED * size + x->rounding ||
         add_deepest(q, patch, m);
}

int lb_pair_box_box(lb_pair_query* q) {
  boxes x;
  prepare(&x, q->a, q->b);
  int* last = &q->cache->axis;
  if (*last > 0 && *last < AXES && separation(&x, *last) > q->margin) {
    return 0;
  }
  contest best = {.size = fmin(q->a->c->size, q->b->c->size),
                  .margin = q->margin,
                  .alike = fmax(ALIKE * fmin(q->a->c->size, q->b->c->size), x.rounding),
                  .last = *last,
                  .score = -INFINITY};
  const bool meets = best_axis(&best, &x);
  *last = best.axis;
  if (!meets) {
    return 0;
  }
  lb_patch patch;
  patch.n = 0;
  lb_manifold spare, *m = q->room > 0 ? &q->out[0] : &spare;
  if (!(best.separation > 0 ? near : overlap)(q, &x, &best, &patch, m)) {
    return lb_pair_convex(q); // no axis knows enough
  }
  lb_patch_reduce(&patch, m->normal, LB_PATCH_FEW, m);
  lb_manifold_to_world(q->a, m);
  return 1;
}
