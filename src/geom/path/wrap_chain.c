#include "geom/path/wrap_chain.h"

#include <string.h>

#include "math/linear/dense.h"

enum { MOST_STEPS = 60 };
static const double DONE = 1e-12; // of the sum of two unit vectors

static lb_vec3 inside(const lb_chain_link* c, lb_vec3 x) {
  const lb_vec3 r = lb_vec3_sub(x, c->o);
  return lb_vec3_make(lb_vec3_dot(c->R.x, r), lb_vec3_dot(c->R.y, r), lb_vec3_dot(c->R.z, r));
}

bool lb_chain_goes_around(const lb_chain_link* c, lb_vec3 a, lb_vec3 b) {
  const lb_vec3 end[2] = {inside(c, a), inside(c, b)};
  const bool round = c->wrap->kind == LB_WRAP_CYLINDER || c->wrap->kind == LB_WRAP_CAPSULE;
  bool out = true;
  for (int i = 0; i < 2; i++) {
    const double r = round ? hypot(end[i].x, end[i].y) : lb_vec3_norm(end[i]);
    out = out && (r > c->wrap->size.x || !(round || c->wrap->kind == LB_WRAP_SPHERE));
  }
  return out;
}

// Column j of R.
static double entry(const lb_mat3* R, int i, int j) {
  return (&(&R->x)[j].x)[i];
}

// Length and gradient.
static void find_gradient(const lb_chain_link* c, const lb_wrap* sharp, lb_vec3 P, lb_vec3 Q,
                          lb_chain_span* out) {
  const lb_path_end end[2] = {{.x = P}, {.x = Q}};
  lb_wrap_path path;
  lb_wrap_find(0, sharp, &path, &end[0], &end[1]);
  const lb_taylor* l = lb_wrap_length(&path);
  out->length = lb_taylor_value(l);
  for (int i = 0; i < 6; i++) {
    out->g[i] = 0;
    for (int j = 0; j < 3; j++) {
      out->g[i] += entry(&c->R, i % 3, j) * lb_taylor_lane(l, 0, LB_TAYLOR_P + i / 3 * 3 + j);
    }
  }
}

// Second derivatives by the ends `first` to `last`, 0 and 1; what is not asked for stays.
static void find_curvature(const lb_chain_link* c, const lb_wrap* sharp, lb_vec3 P, lb_vec3 Q,
                           int first, int last, lb_chain_span* out) {
  double local[6][6];
  for (int j = 3 * first; j < 3 * last + 3; j++) {
    lb_path_end end[2] = {{.x = P}, {.x = Q}};
    lb_wrap_path path;
    (&end[j / 3].xd.x)[j % 3] = 1;
    lb_wrap_find(1, sharp, &path, &end[0], &end[1]);
    for (int i = 0; i < 6; i++) {
      local[i][j] = lb_taylor_lane(lb_wrap_length(&path), 1, LB_TAYLOR_P + i);
    }
  }
  for (int i = 3 * first; i < 3 * last + 3; i++) {
    for (int j = 3 * first; j < 3 * last + 3; j++) {
      out->H[i][j] = 0;
      for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
          out->H[i][j] +=
              entry(&c->R, i % 3, a) * local[i / 3 * 3 + a][j / 3 * 3 + b] * entry(&c->R, j % 3, b);
        }
      }
    }
  }
}

// Junctions are where exact tangents meet: without a band, and by no network.
static lb_wrap sharpen(const lb_wrap* wrap) {
  lb_wrap sharp = *wrap;
  sharp.band = 0;
  sharp.network = NULL;
  return sharp;
}

lb_chain_span lb_chain_span_find(const lb_chain_link* c, lb_vec3 p, lb_vec3 q) {
  lb_chain_span out;
  const lb_wrap sharp = sharpen(c->wrap);
  const lb_vec3 P = inside(c, p), Q = inside(c, q);
  find_gradient(c, &sharp, P, Q, &out);
  find_curvature(c, &sharp, P, Q, 0, 1, &out);
  return out;
}

// Add the blocks of the junctions before and after a span.
static void add_span(int n, int s, const lb_chain_span* span, double* A) {
  const int size = 3 * (n - 1);
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      const int row = 3 * (s - 1) + i, column = 3 * (s - 1) + j;
      if (row >= 0 && row < size && column >= 0 && column < size) {
        A[row * size + column] += span->H[i][j];
      }
    }
  }
}

// Second derivatives of the length by the junctions, factored by Cholesky; with a term along each
// straight piece, where they are zero. False: they are not positive.
static bool factor_junctions(int n, const lb_chain_span* span, double* A) {
  const int size = 3 * (n - 1);
  memset(A, 0, (size_t)(size * size) * sizeof *A);
  for (int s = 0; s < n; s++) {
    add_span(n, s, &span[s], A);
  }
  for (int k = 0; k < n - 1; k++) {
    const double* u = span[k].g + 3;
    const double stiff = 1 / fmin(span[k].length, span[k + 1].length);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        A[(3 * k + i) * size + 3 * k + j] += stiff * u[i] * u[j] + (i == j ? 1e-12 * stiff : 0);
      }
    }
  }
  return lb_cholesky(size, A, size) == LB_OK;
}

typedef struct chain {
  int n;
  const lb_chain_link* link;
  lb_wrap sharp[LB_ROW_MOST];
  lb_vec3 a, b;
  lb_chain_span span[LB_ROW_MOST];
  double length, residual;
} chain;

static lb_vec3 end_of(const chain* c, const lb_vec3* m, int i) {
  return i < 0 ? c->a : i + 1 < c->n ? m[i] : c->b;
}

// Gradient (4) by junction k, less what lies along its straight piece: there it may lie anywhere,
// but for ellipsoids, whose paths are not the shortest ones.
static void across(const chain* c, int k, double r[3]) {
  const double *in = c->span[k].g + 3, *out = c->span[k + 1].g;
  double u[3], along = 0, size = 0;
  for (int i = 0; i < 3; i++) {
    u[i] = in[i] - out[i];
    r[i] = in[i] + out[i];
    along += u[i] * r[i];
    size += u[i] * u[i];
  }
  for (int i = 0; i < 3 && size > 0; i++) {
    r[i] -= u[i] * along / size;
  }
}

static void evaluate(chain* c, const lb_vec3* m) {
  c->length = c->residual = 0;
  for (int s = 0; s < c->n; s++) {
    const lb_chain_link* link = &c->link[s];
    find_gradient(link, &c->sharp[s], inside(link, end_of(c, m, s - 1)),
                  inside(link, end_of(c, m, s)), &c->span[s]);
    c->length += c->span[s].length;
  }
  for (int k = 0; k + 1 < c->n; k++) {
    double r[3];
    across(c, k, r);
    c->residual = fmax(c->residual, fmax(fabs(r[0]), fmax(fabs(r[1]), fabs(r[2]))));
  }
}

// Second derivatives by the junctions; the ends rest.
static bool factor(chain* c, const lb_vec3* m, double* A) {
  for (int s = 0; s < c->n; s++) {
    const lb_chain_link* link = &c->link[s];
    find_curvature(link, &c->sharp[s], inside(link, end_of(c, m, s - 1)),
                   inside(link, end_of(c, m, s)), s > 0 ? 0 : 1, s + 1 < c->n ? 1 : 0, &c->span[s]);
  }
  return factor_junctions(c->n, c->span, A);
}

// Place where a path over one surface comes to it, or leaves it; where it does not touch, `other`.
static lb_vec3 touch(const chain* c, int s, lb_vec3 from, lb_vec3 to, bool leaves, lb_vec3 other) {
  const lb_chain_link* link = &c->link[s];
  const lb_path_end p = {.x = inside(link, from)}, q = {.x = inside(link, to)};
  lb_wrap_path path;
  lb_wrap_find(0, &c->sharp[s], &path, &p, &q);
  if (path.count < 3) {
    return other;
  }
  const int k = leaves ? path.count - 1 : 0;
  const lb_taylor3 x = lb_wrap_point(0, &path.piece[k], &path.piece[leaves ? k - 1 : k].end);
  const lb_vec3 at = lb_taylor3_lane(&x, 0, 0);
  return lb_vec3_add(link->o, lb_mat3_apply(link->R, at));
}

// Point of a segment next to the middle of a surface.
static lb_vec3 nearest_of(const chain* c, int s, lb_vec3 a, lb_vec3 b) {
  const lb_vec3 way = lb_vec3_sub(b, a);
  const double at = lb_vec3_dot(lb_vec3_sub(c->link[s].o, a), way) / lb_vec3_dot(way, way);
  return lb_vec3_add(a, lb_vec3_scale(fmax(0.02, fmin(0.98, at)), way));
}

static lb_vec3 nearest(const chain* c, int s) {
  return nearest_of(c, s, c->a, c->b);
}

// Junction to begin with: the middle of the piece between the surfaces as each of them alone would
// have it. It lies within neither, where a path could not go around.
static lb_vec3 guess(const chain* c, int s) {
  const lb_vec3 before = nearest(c, s), behind = nearest(c, s + 1);
  const lb_vec3 first = touch(c, s + 1, c->a, c->b, false, behind);
  const lb_vec3 from = touch(c, s, c->a, first, true, before);
  const lb_vec3 to = touch(c, s + 1, from, c->b, false, behind);
  return lb_vec3_scale(0.5, lb_vec3_add(from, to));
}

static bool is_round(const lb_wrap* w) {
  return w->kind == LB_WRAP_CYLINDER || w->kind == LB_WRAP_CAPSULE;
}

// Angle about a cylinder where a line from a point touches it in its sense (way 1), or where one
// that goes to the point leaves it (-1).
static double touch_angle(const chain* c, int s, lb_vec3 x, int way) {
  const lb_wrap* w = c->link[s].wrap;
  const lb_vec3 p = inside(&c->link[s], x);
  return atan2(p.y, p.x) + way * w->sense * acos(fmin(1, w->size.x / hypot(p.x, p.y)));
}

static lb_vec3 on_cylinder(const chain* c, int s, double angle, lb_vec3 level) {
  const lb_chain_link* link = &c->link[s];
  const double r = link->wrap->size.x;
  const lb_vec3 at = {r * cos(angle), r * sin(angle), inside(link, level).z};
  return lb_vec3_add(link->o, lb_mat3_apply(link->R, at));
}

// Turn from an angle to another in the sense of a cylinder, between -pi/2 and 3 pi/2.
static double turn(const chain* c, int s, double from, double to) {
  const double way = remainder(c->link[s].wrap->sense * (to - from), 2 * M_PI);
  return way < -M_PI / 2 ? way + 2 * M_PI : way;
}

// Pieces between two cylinders, from `out` to `in`.
typedef struct between {
  lb_vec3 out, in;
} between;

// Common tangent of two cylinders, which is right however far the path goes around them. False: it
// does not touch both.
static bool common_tangent(const chain* c, int s, double arrives, double last, between* t) {
  enum { ROUNDS = 6 };
  double leaves = 0, comes = 0;
  t->in = c->link[s + 1].o;
  for (int i = 0; i < ROUNDS; i++) {
    leaves = touch_angle(c, s, t->in, -1);
    t->out = on_cylinder(c, s, leaves, nearest(c, s));
    comes = touch_angle(c, s + 1, t->out, 1);
    t->in = on_cylinder(c, s + 1, comes, nearest(c, s + 1));
  }
  return turn(c, s, arrives, leaves) > 0 && turn(c, s + 1, comes, last) > 0;
}

// Junction of two cylinders where the path touches both or, off the other, one of them.
static bool guess_round(const chain* c, int s, lb_vec3 from, lb_vec3* m) {
  if (!is_round(c->link[s].wrap) || !is_round(c->link[s + 1].wrap)) {
    return false;
  }
  const double arrives = touch_angle(c, s, from, 1), last = touch_angle(c, s + 1, c->b, -1);
  const double leaves = touch_angle(c, s, c->b, -1), comes = touch_angle(c, s + 1, from, 1);
  between t;
  bool touches = common_tangent(c, s, arrives, last, &t);
  if (!touches && turn(c, s, arrives, leaves) > 0) {
    touches = true;
    t.out = on_cylinder(c, s, leaves, nearest(c, s));
    t.in = nearest_of(c, s + 1, t.out, c->b);
  } else if (!touches && turn(c, s + 1, comes, last) > 0) {
    touches = true;
    t.in = on_cylinder(c, s + 1, comes, nearest(c, s + 1));
    t.out = nearest_of(c, s, from, t.in);
  }
  *m = lb_vec3_scale(0.5, lb_vec3_add(t.out, t.in));
  return touches;
}

static void begin(chain* c, lb_vec3* m) {
  for (int s = 0; s < c->n; s++) {
    c->sharp[s] = sharpen(c->link[s].wrap);
  }
  for (int s = 0; s + 1 < c->n; s++) {
    if (!guess_round(c, s, s > 0 ? m[s - 1] : c->a, &m[s])) {
      m[s] = guess(c, s);
    }
  }
}

// Junctions of the shortest way over sharp surfaces, by (4).
static void shorten(chain* chosen, lb_vec3* m) {
  double A[LB_GROUP_UNKNOWNS * LB_GROUP_UNKNOWNS], step[LB_GROUP_UNKNOWNS];
  chain c = *chosen;
  const int n = c.n;
  evaluate(&c, m);
  for (int k = 0; k < MOST_STEPS && c.residual > DONE && factor(&c, m, A); k++) {
    const int size = 3 * (n - 1);
    for (int s = 0; s + 1 < n; s++) {
      across(&c, s, step + 3 * s);
    }
    lb_cholesky_solve(size, A, size, 1, step, size);
    // halved until the path gets shorter
    const double length = c.length, residual = c.residual;
    lb_vec3 to[LB_ROW_MOST];
    double part = 1;
    do {
      for (int s = 0; s + 1 < n; s++) {
        const lb_vec3 d = {step[3 * s], step[3 * s + 1], step[3 * s + 2]};
        to[s] = lb_vec3_add(m[s], lb_vec3_scale(-part, d));
      }
      evaluate(&c, to);
      part *= 0.5;
    } while (!(c.length <= length * (1 + 1e-14)) && c.residual > DONE && part > 1e-6);
    if (!(c.residual < residual) && !(c.length < length)) {
      break;
    }
    memcpy(m, to, (size_t)(n - 1) * sizeof *m);
  }
}

// Solutions that are not the path lie far away: other ways around, or detours.
static bool is_near(chain* c, const lb_vec3* m, double length) {
  evaluate(c, m);
  return c->length < 1.001 * length && c->length > 0.9 * length;
}

bool lb_chain_solve(int n, const lb_chain_link* link, lb_vec3 a, lb_vec3 b, lb_node_group* g,
                    lb_group_solution* s) {
  chain c = {.n = n, .link = link, .a = a, .b = b};
  lb_vec3 place[LB_GROUP_PLACES] = {a, b};
  *g = (lb_node_group){.type = &lb_group_row, .n = n - 1, .nplace = 2 + 3 * n};
  for (int i = 0; i < n; i++) {
    g->wrap[i] = link[i].wrap;
    place[2 + 3 * i] = link[i].o;
    place[3 + 3 * i] = lb_vec3_add(link[i].o, link[i].R.x);
    place[4 + 3 * i] = lb_vec3_add(link[i].o, link[i].R.y);
  }
  begin(&c, s->x);
  evaluate(&c, s->x);
  const double length = c.length;
  if (lb_group_solve(g, s, place, NULL) && is_near(&c, s->x, length)) {
    return true;
  }
  begin(&c, s->x);
  shorten(&c, s->x);
  return lb_group_solve(g, s, place, NULL);
}

bool lb_wrap_chain(int n, const lb_chain_link* link, lb_vec3 a, lb_vec3 b, lb_vec3* m) {
  lb_node_group g;
  lb_group_solution s;
  const bool found = lb_chain_solve(n, link, a, b, &g, &s);
  memcpy(m, s.x, (size_t)(n - 1) * sizeof *m);
  return found;
}
