// Contact patches of convex pairs.
//
// A reference face is the one whose plane separates the pair as well as the exact normal does, or
// worse by no more than PREFER of the smaller size: so a body that rests on a face keeps a patch
// while its edges cross those below. The other's feature is cut by the planes through the
// reference's edges; each corner that is left is a candidate, as far away as its height above the
// face.
#include "geom/collide/patch.h"

static const double PREFER = 1e-3;
static const double MISSED = 4e-3; // of the smaller size: a patch as much too shallow is none
static const double KEEP = 5e-4;   // what the last reference is favoured by
static const double PARALLEL =
    0.05; // sine of the angle between lines that touch along their length

// --- choosing few of many ---

typedef struct chooser {
  const lb_patch* p;
  lb_vec3 u, v; // tangents
  double tie;
} chooser;

static double coordinate(const chooser* c, int i, lb_vec3 along) {
  return lb_vec3_dot(c->p->point[i].position, along);
}

// Twice the signed area of points i, j, k.
static double area(const chooser* c, int i, int j, int k) {
  const lb_contact_point* p = c->p->point;
  const lb_vec3 a = lb_vec3_sub(p[j].position, p[i].position);
  const lb_vec3 b = lb_vec3_sub(p[k].position, p[i].position);
  return lb_vec3_dot(a, c->u) * lb_vec3_dot(b, c->v) - lb_vec3_dot(a, c->v) * lb_vec3_dot(b, c->u);
}

// Candidate farthest to the right of the line from i to j; -1: none.
static int beyond(const chooser* c, int i, int j) {
  const lb_contact_point* p = c->p->point;
  const double length = lb_vec3_norm(lb_vec3_sub(p[j].position, p[i].position));
  int best = -1;
  double most = c->tie * length;
  for (int k = 0; k < c->p->n; k++) {
    const double a = -area(c, i, j, k);
    if (a > most + c->tie * length || (best < 0 && a > most)) {
      best = k;
      most = a;
    }
  }
  return best;
}

static int farthest_along(const chooser* c, lb_vec3 along) {
  int best = 0;
  for (int k = 1; k < c->p->n; k++) {
    best = coordinate(c, k, along) > coordinate(c, best, along) + c->tie ? k : best;
  }
  return best;
}

static int farthest_from(const chooser* c, int i) {
  const lb_contact_point* p = c->p->point;
  int best = i;
  double most = 0;
  for (int k = 0; k < c->p->n; k++) {
    const double d = lb_vec3_norm(lb_vec3_sub(p[k].position, p[i].position));
    best = d > most + c->tie ? k : best;
    most = d > most + c->tie ? d : most;
  }
  return best;
}

// The deepest takes the place of the chosen one that is nearest to it, unless one is as deep.
static void include_deepest(const chooser* c, bool* chosen) {
  const lb_contact_point* p = c->p->point;
  int deepest = 0, nearest = -1;
  double least = INFINITY, deep = INFINITY;
  for (int k = 0; k < c->p->n; k++) {
    deepest = p[k].distance < p[deepest].distance ? k : deepest;
    deep = chosen[k] ? fmin(deep, p[k].distance) : deep;
  }
  for (int k = 0; k < c->p->n; k++) {
    const double d = lb_vec3_norm(lb_vec3_sub(p[k].position, p[deepest].position));
    if (chosen[k] && d < least) {
      nearest = k;
      least = d;
    }
  }
  if (nearest >= 0 && p[deepest].distance < deep - c->tie) {
    chosen[nearest] = false;
    chosen[deepest] = true;
  }
}

static void choose(const chooser* c, int most, bool* chosen) {
  int quad[4];
  quad[0] = farthest_along(c, c->u);
  quad[2] = farthest_from(c, quad[0]);
  quad[1] = beyond(c, quad[0], quad[2]);
  quad[3] = beyond(c, quad[2], quad[0]);
  for (int k = 0; k < 4; k++) {
    if (quad[k] >= 0) {
      chosen[quad[k]] = true;
    }
  }
  for (int k = 0; k < 4 && most > 4; k++) {
    const int from = quad[k], to = quad[(k + 1) % 4] >= 0 ? quad[(k + 1) % 4] : quad[(k + 2) % 4];
    const int more = from >= 0 && to >= 0 ? beyond(c, from, to) : -1;
    if (more >= 0) {
      chosen[more] = true;
    }
  }
  include_deepest(c, chosen);
}

double lb_patch_deepest(const lb_patch* patch) {
  double least = INFINITY;
  for (int k = 0; k < patch->n; k++) {
    least = fmin(least, patch->point[k].distance);
  }
  return least;
}

void lb_patch_reduce(const lb_patch* patch, lb_vec3 normal, int most, lb_manifold* out) {
  bool chosen[LB_PATCH_MOST];
  for (int k = 0; k < patch->n; k++) {
    chosen[k] = patch->n <= most;
  }
  if (patch->n > most) {
    const lb_vec3 a = fabs(normal.x) < 0.6 ? lb_vec3_make(1, 0, 0) : lb_vec3_make(0, 1, 0);
    chooser c = {.p = patch, .u = lb_vec3_unit_or(lb_vec3_cross(normal, a), a)};
    c.v = lb_vec3_cross(normal, c.u);
    double spread = 0;
    for (int k = 1; k < patch->n; k++) {
      spread = fmax(spread,
                    lb_vec3_norm(lb_vec3_sub(patch->point[k].position, patch->point[0].position)));
    }
    c.tie = 1e-6 * spread;
    choose(&c, most, chosen);
  }
  out->npoint = 0;
  for (int k = 0; k < patch->n; k++) {
    if (chosen[k]) {
      out->point[out->npoint++] = patch->point[k];
    }
  }
}

// --- clipping ---

typedef struct clipper {
  const lb_feature* ref;
  lb_vec3 normal; // of the reference, outward
  double radius;  // of the other one
  double radii;   // of both
  double margin;
  double brim;   // how far beyond the face's edges counts
  uint64_t side; // bit that says whose face it is
  lb_patch* patch;
} clipper;

// Candidate at a corner x of what was cut.
static void offer(const clipper* c, lb_vec3 x, uint64_t id) {
  const double d = lb_vec3_dot(c->normal, lb_vec3_sub(x, c->ref->v[0])) - c->radii;
  if (d <= c->margin && c->patch->n < LB_PATCH_MOST) {
    c->patch->point[c->patch->n++] =
        (lb_contact_point){lb_vec3_along(x, -(c->radius + d / 2), c->normal), d, id};
  }
}

typedef struct loop {
  int n;
  lb_vec3 v[LB_PATCH_MOST];
  uint64_t id[LB_PATCH_MOST];
} loop;

// Sutherland and Hodgman's step: the part of a polygon (or, open, of a segment) within one plane.
static void cut(const clipper* c, const loop* in, int plane, bool open, loop* out) {
  const lb_vec3 o = c->ref->v[plane], to = c->ref->v[(plane + 1) % c->ref->n];
  const lb_vec3 inward = lb_vec3_cross(c->normal, lb_vec3_sub(to, o));
  const double brim = c->brim * lb_vec3_norm(inward);
  out->n = 0;
  for (int k = 0; k < in->n; k++) {
    const int next = (k + 1) % in->n;
    const double here = lb_vec3_dot(inward, lb_vec3_sub(in->v[k], o)) + brim;
    const double there = lb_vec3_dot(inward, lb_vec3_sub(in->v[next], o)) + brim;
    if (here >= 0 && out->n < LB_PATCH_MOST) {
      out->v[out->n] = in->v[k];
      out->id[out->n++] = in->id[k];
    }
    if ((here >= 0) != (there >= 0) && !(open && k == 1) && out->n < LB_PATCH_MOST) {
      const lb_vec3 e = lb_vec3_sub(in->v[next], in->v[k]);
      // on the face's own edge where the line comes from within it
      const double by = fmax(here, there) > brim ? brim : 0;
      out->v[out->n] = lb_vec3_along(in->v[k], (here - by) / (here - there), e);
      const uint64_t edge = lb_feature_mix(in->id[k], in->id[next]);
      out->id[out->n++] = lb_feature_mix(edge, c->ref->vid[plane]);
    }
  }
}

static void clip(const clipper* c, const lb_feature* inc) {
  loop ring[2];
  ring[0].n = inc->n;
  for (int k = 0; k < inc->n; k++) {
    ring[0].v[k] = inc->v[k];
    ring[0].id[k] = c->side << 60 | (uint64_t)(inc->vid[k] + 1);
  }
  int now = 0;
  for (int plane = 0; plane < c->ref->n && ring[now].n > 0; plane++) {
    cut(c, &ring[now], plane, inc->n == 2, &ring[!now]);
    now = !now;
  }
  for (int k = 0; k < ring[now].n; k++) {
    offer(c, ring[now].v[k], ring[now].id[k]);
  }
}

// --- the pair ---

static lb_contact_point single(const lb_couple* c, const lb_core_gap* gap, uint64_t id) {
  const double ra = c->a->radius, rb = c->b->radius;
  const lb_vec3 middle = lb_vec3_scale(0.5, lb_vec3_add(gap->point_a, gap->point_b));
  return (lb_contact_point){lb_vec3_along(middle, (rb - ra) / 2, gap->normal),
                            gap->distance - ra - rb, id};
}

// Which face to cut by: 1 a's, 2 b's, 0 none.
static int reference(const lb_couple* c, const lb_core_gap* gap, const lb_feature* fa,
                     const lb_feature* fb, const lb_pair_cache* cache) {
  const double size = fmin(c->a->size, c->b->size), last = cache ? cache->reference : 0;
  double ga = -INFINITY, gb = -INFINITY;
  if (fa->n > 2 && lb_vec3_dot(fa->normal, gap->normal) < -0.9) {
    ga = lb_couple_gap(c, lb_vec3_neg(fa->normal)) + (last == 1 ? KEEP * size : 0);
  }
  if (fb->n > 2 && lb_vec3_dot(fb->normal, gap->normal) > 0.9) {
    gb = lb_couple_gap(c, fb->normal) + (last == 2 ? KEEP * size : 0);
  }
  const double best = fmax(ga, gb);
  return best < gap->distance - PREFER * size ? 0 : ga >= gb - 1e-9 * size ? 1 : 2;
}

// Two lines side by side: the ends of what they share. False: they cross.
static bool parallel_lines(const lb_couple* c, const lb_core_gap* gap, const lb_feature* fa,
                           const lb_feature* fb, double margin, lb_patch* patch) {
  const lb_vec3 u = lb_vec3_sub(fa->v[1], fa->v[0]), w = lb_vec3_sub(fb->v[1], fb->v[0]);
  const double lu = lb_vec3_norm(u), lw = lb_vec3_norm(w), n2 = lu * lu;
  const double sine = lb_vec3_norm(lb_vec3_cross(u, w)) / (lu * lw);
  if (!(sine < PARALLEL)) {
    return false;
  }
  const double t0 = lb_vec3_dot(u, lb_vec3_sub(fb->v[0], fa->v[0])) / n2;
  const double t1 = lb_vec3_dot(u, lb_vec3_sub(fb->v[1], fa->v[0])) / n2;
  const double low = fmax(0, fmin(t0, t1)), high = fmin(1, fmax(t0, t1));
  if (!(high - low > 1e-6)) {
    return false;
  }
  for (int k = 0; k < 2; k++) {
    const double t = k ? high : low;
    const bool own = t == (double)k; // an end of a's line, else one of b's
    const lb_vec3 x = lb_vec3_along(fa->v[0], t, u);
    const lb_vec3 y = lb_vec3_along(fb->v[0], (t - t0) / (t1 - t0), w);
    const lb_vec3 way = lb_vec3_sub(x, y);
    const double d = lb_vec3_dot(gap->normal, way);
    const double aside = lb_vec3_norm(lb_vec3_along(way, -d, gap->normal));
    if (aside > PARALLEL * fmin(c->a->size, c->b->size)) { // other lines than those that touch
      patch->n = 0;
      return false;
    }
    const lb_core_gap at = {.distance = d, .normal = gap->normal, .point_a = x, .point_b = y};
    const uint64_t id =
        (uint64_t)3 << 60 | (uint64_t)(own ? 1 : 2) << 8 | (uint64_t)(own ? k : (t == t1));
    const lb_contact_point p = single(c, &at, id);
    if (p.distance <= margin) {
      patch->point[patch->n++] = p;
    }
  }
  return patch->n > 0;
}

static void cut_to(const lb_couple* c, int side, const lb_feature* fa, const lb_feature* fb,
                   double margin, double brim, lb_patch* patch) {
  const double ra = c->a->radius, rb = c->b->radius;
  const clipper cutter = {.ref = side == 1 ? fa : fb,
                          .normal = side == 1 ? fa->normal : fb->normal,
                          .radius = side == 1 ? rb : ra,
                          .radii = ra + rb,
                          .margin = margin,
                          .brim = brim,
                          .side = (uint64_t)side,
                          .patch = patch};
  clip(&cutter, side == 1 ? fb : fa);
}

static const double SEAM = 1e-9; // brim of a triangle among others, over the size

void lb_patch_convex(const lb_couple* c, const lb_core_gap* gap, const lb_vec3* face, double margin,
                     lb_pair_cache* cache, lb_manifold* out) {
  lb_feature fa, fb;
  lb_patch patch = {.n = 0};
  lb_couple_features(c, face ? *face : gap->normal, &fa, &fb);
  out->normal = face ? *face : gap->normal;
  out->distance = (face ? lb_couple_gap(c, *face) : gap->distance) - c->a->radius - c->b->radius;
  const int side = face ? 2 : reference(c, gap, &fa, &fb, cache);
  if (side && (face || (side == 1 ? fb.n : fa.n) > 1)) {
    // triangles have neighbours that take what is beyond their edges, but for what rounding puts
    // beyond all of them
    const double brim = face ? SEAM * c->a->size : LB_PATCH_BRIM * fmin(c->a->size, c->b->size);
    cut_to(c, side, &fa, &fb, margin, brim, &patch);
    if (!face && lb_patch_deepest(&patch) > out->distance + MISSED * fmin(c->a->size, c->b->size)) {
      patch.n = 0; // the deepest place is beside the face: two edges cross
    }
    if (patch.n > 0 && !face) {
      out->normal = side == 2 ? fb.normal : lb_vec3_neg(fa.normal);
      out->distance = lb_couple_gap(c, out->normal) - c->a->radius - c->b->radius;
    }
  } else if (!face && fa.n > 1 && fb.n > 1) {
    lb_feature_edge(&fa, lb_vec3_neg(gap->normal));
    lb_feature_edge(&fb, gap->normal);
    parallel_lines(c, gap, &fa, &fb, margin, &patch);
  }
  out->face = patch.n > 0 || face ? side : 0;
  if (cache) {
    cache->reference = patch.n > 0 ? side : 0;
  }
  if (patch.n == 0 && !face && gap->distance - c->a->radius - c->b->radius <= margin) {
    patch.point[patch.n++] = single(c, gap, (uint64_t)7 << 60);
  }
  const bool round = c->a->type == LB_COLLIDER_CYLINDER || c->b->type == LB_COLLIDER_CYLINDER;
  lb_patch_reduce(&patch, out->normal, round ? LB_MANIFOLD_MOST : LB_PATCH_FEW, out);
}

void lb_manifold_to_world(const lb_placed* a, lb_manifold* m) {
  m->normal = lb_mat3_apply(a->R, m->normal);
  for (int k = 0; k < m->npoint; k++) {
    m->point[k].position = lb_placed_point(a, m->point[k].position);
  }
}
