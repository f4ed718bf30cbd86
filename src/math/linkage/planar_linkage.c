// Planar linkages by Newton's method. With x the coordinates of points that neither are fixed nor
// the crank's pin, a side from a to b of length L says
//
//   (1)  g = (|x_b - x_a|^2 - L^2) / 2L = 0,     dg = e.(dx_b - dx_a),  e = (x_b - x_a) / L
//
// so the rows of J = dg/dx are directions of bars. Steps minimise |g + J dx|^2 + mu |dx|^2
// [Levenberg 1944], with mu falling to zero, where they are Newton's.
//
// Two sides from a point C to the ends of a third make a rigid triangle. Such plates have one side
// for an equation. Their other points follow its ends A and B, places being complex numbers:
//
//   (2)  C = A + s (B - A),     dg_A = conj(1 - s) dg_C,  dg_B = conj(s) dg_C
//
// So plates may be flat, where sides of all three lengths would be singular at every place.
#include "math/linkage/planar_linkage.h"

#include <math.h>
#include <string.h>

#include "math/linear/dense.h"

// Point of a plate that follows two others (2).
typedef struct follower {
  int point, a, b;
  double s[2];
} follower;

// What a point is to the search.
typedef enum role { FREE, KNOWN, BASE, FOLLOWER } role; // BASE: free or known, and followed

// Memory of a search.
typedef struct work {
  const lb_planar* k;
  int n;                        // unknowns
  int* first;                   // [npoint] of a point's two, or -1: it is known or follows
  role* role;                   // [npoint]
  bool* moves;                  // [npoint]
  bool* implied;                // [nside] by followers
  int nfollower;                // in an order in which they can be placed
  follower* follower;           // [npoint]
  double *J, *g, *N, *dx, *try; // [nside][n], [nside], [n][n], [n], [npoint][2]
  double* pull;                 // [npoint][2] dg of one side
} work;

// --- plates ---

// Side between two points, or -1.
static int side_between(const lb_planar* k, int a, int b) {
  for (int s = 0; s < k->nside; s++) {
    const int c = k->side[s].a, d = k->side[s].b;
    if ((a == c && b == d) || (a == d && b == c)) {
      return s;
    }
  }
  return -1;
}

// A plate in the making: places of its points, with the base from the origin along x.
typedef struct plate {
  int base, count;
  int* point;        // [npoint]
  double (*own)[2];  // [npoint] of `point`
  double (*seen)[2]; // [npoint] places in the drawing, of all points
} plate;

// Where two circles about points of the plate meet, on the side that is drawn. False: nowhere, but
// for rounding; flat triangles are exactly flat.
static bool meet(const plate* p, int i, int j, const double radius[2], int c, double out[2]) {
  static const double NONE = -1e-10, FLAT = 1e-14; // of the square of the distance
  const double *a = p->own[i], *b = p->own[j], dx = b[0] - a[0], dy = b[1] - a[1];
  const double square = dx * dx + dy * dy;
  const double along = (radius[0] * radius[0] - radius[1] * radius[1]) / (2 * square) + 0.5;
  const double rest = radius[0] * radius[0] / square - along * along;
  const double *A = p->seen[p->point[i]], *B = p->seen[p->point[j]], *C = p->seen[c];
  const double turn = (B[0] - A[0]) * (C[1] - A[1]) - (B[1] - A[1]) * (C[0] - A[0]);
  const double h = rest < FLAT ? 0 : copysign(sqrt(rest), turn);
  out[0] = a[0] + along * dx - h * dy;
  out[1] = a[1] + along * dy + h * dx;
  return square > 0 && rest > NONE;
}

// Adds a point with two sides to points of the plate. False: it has none, or they do not meet.
static bool add_point(work* w, plate* p, int c) {
  int end[2], side[2], count = 0;
  for (int i = 0; i < p->count && count < 2; i++) {
    const int s = side_between(w->k, p->point[i], c);
    if (s >= 0 && !w->implied[s]) {
      end[count] = i;
      side[count++] = s;
    }
  }
  double* own = p->own[p->count];
  const double radius[] = {count == 2 ? w->k->side[side[0]].length : 0,
                           count == 2 ? w->k->side[side[1]].length : 0};
  if (count < 2 || !meet(p, end[0], end[1], radius, c, own)) {
    return false;
  }
  const lb_planar_side* base = &w->k->side[p->base];
  w->implied[side[0]] = w->implied[side[1]] = true;
  w->role[c] = FOLLOWER;
  w->follower[w->nfollower++] =
      (follower){c, base->a, base->b, {own[0] / base->length, own[1] / base->length}};
  p->point[p->count++] = c;
  return true;
}

// Makes followers of all points that can be reached from a side. What is followed never follows
// later, so no point follows itself.
static void grow(work* w, plate* p, int base) {
  const lb_planar_side* side = &w->k->side[base];
  p->base = base;
  p->count = 2;
  p->point[0] = side->a, p->point[1] = side->b;
  p->own[0][0] = p->own[0][1] = p->own[1][1] = 0;
  p->own[1][0] = side->length;
  bool grew = true;
  while (grew) {
    grew = false;
    for (int c = 0; c < w->k->npoint; c++) {
      grew |= w->role[c] == FREE && c != side->a && c != side->b && add_point(w, p, c);
    }
  }
  for (int i = 0; i < 2 && p->count > 2; i++) {
    w->role[p->point[i]] = w->role[p->point[i]] == FREE ? BASE : w->role[p->point[i]];
  }
}

// Known points cannot follow, so sides between them come first.
static void find_plates(work* w, plate* p) {
  for (int known = 2; known >= 0; known--) {
    for (int s = 0; s < w->k->nside; s++) {
      const lb_planar_side* side = &w->k->side[s];
      const int ends = (w->role[side->a] == KNOWN) + (w->role[side->b] == KNOWN);
      if (ends == known && !w->implied[s]) {
        grow(w, p, s);
      }
    }
  }
}

// Places of all that follows.
static void place_followers(const work* w, double (*at)[2]) {
  for (int i = 0; i < w->nfollower; i++) {
    const follower* f = &w->follower[i];
    const double *a = at[f->a], dx = at[f->b][0] - a[0], dy = at[f->b][1] - a[1];
    at[f->point][0] = a[0] + f->s[0] * dx - f->s[1] * dy;
    at[f->point][1] = a[1] + f->s[0] * dy + f->s[1] * dx;
  }
}

// (2) of a side's pulls, from the last follower to the first.
static void pass_pulls(const work* w) {
  for (int i = w->nfollower - 1; i >= 0; i--) {
    const follower* f = &w->follower[i];
    const double *c = w->pull + 2 * (size_t)f->point, re = f->s[0], im = f->s[1];
    double *a = w->pull + 2 * (size_t)f->a, *b = w->pull + 2 * (size_t)f->b;
    a[0] += (1 - re) * c[0] - im * c[1];
    a[1] += im * c[0] + (1 - re) * c[1];
    b[0] += re * c[0] + im * c[1];
    b[1] += re * c[1] - im * c[0];
  }
}

// `at` shows on which sides points of plates are.
static lb_status begin(work* w, const lb_planar* k, double (*at)[2], lb_arena* scratch) {
  const int points = k->npoint;
  *w = (work){.k = k,
              .first = LB_TAKE(scratch, int, points),
              .role = LB_TAKE(scratch, role, points),
              .moves = LB_TAKE(scratch, bool, points),
              .implied = LB_TAKE(scratch, bool, k->nside + 1),
              .follower = LB_TAKE(scratch, follower, points),
              .pull = LB_TAKE(scratch, double, 2 * points),
              .try = LB_TAKE(scratch, double, 2 * points)};
  plate p = {.point = LB_TAKE(scratch, int, points),
             .own = (double(*)[2])LB_TAKE(scratch, double, 2 * points),
             .seen = at};
  if (lb_arena_status(scratch) != LB_OK) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < points; i++) {
    w->role[i] = k->fixed[i] || i == k->pin ? KNOWN : FREE;
  }
  find_plates(w, &p);
  for (int i = 0; i < points; i++) {
    w->moves[i] = w->role[i] == FREE || w->role[i] == BASE;
    w->first[i] = w->moves[i] ? w->n : -1;
    w->n += w->moves[i] ? 2 : 0;
  }
  for (int i = 0; i < w->nfollower; i++) {
    const follower* f = &w->follower[i];
    w->moves[f->point] = w->moves[f->a] || w->moves[f->b];
  }
  const size_t n = (size_t)w->n, m = (size_t)k->nside;
  w->J = LB_TAKE(scratch, double, m* n + 1);
  w->g = LB_TAKE(scratch, double, m + 1);
  w->N = LB_TAKE(scratch, double, n* n + 1);
  w->dx = LB_TAKE(scratch, double, n + 1);
  return lb_arena_status(scratch);
}

// --- equations ---

// (1) of all sides, and their largest by its amount, the first of such as are alike. Followers
// have their lengths.
static double find_gaps(const work* w, const double (*at)[2], int* worst) {
  double most = 0;
  for (int s = 0; s < w->k->nside; s++) {
    const lb_planar_side* side = &w->k->side[s];
    w->g[s] = 0;
    if (w->implied[s]) {
      continue;
    }
    const double dx = at[side->b][0] - at[side->a][0], dy = at[side->b][1] - at[side->a][1];
    w->g[s] = (dx * dx + dy * dy - side->length * side->length) / (2 * side->length);
    const double gap = isfinite(w->g[s]) ? fabs(w->g[s]) : (double)INFINITY;
    if (gap > most * (1 + 1e-6)) {
      most = gap;
      *worst = s;
    }
  }
  return most;
}

static void find_jacobian(const work* w, const double (*at)[2]) {
  const size_t n = (size_t)w->n, points = (size_t)w->k->npoint;
  memset(w->J, 0, sizeof(double) * (size_t)w->k->nside * n);
  for (int s = 0; s < w->k->nside; s++) {
    const lb_planar_side* side = &w->k->side[s];
    memset(w->pull, 0, sizeof(double) * 2 * points);
    for (int c = 0; c < 2 && !w->implied[s]; c++) {
      const double e = (at[side->b][c] - at[side->a][c]) / side->length;
      w->pull[2 * side->a + c] -= e;
      w->pull[2 * side->b + c] += e;
    }
    pass_pulls(w);
    for (size_t i = 0; i < points; i++) {
      for (int c = 0; c < 2 && w->first[i] >= 0; c++) {
        w->J[(size_t)s * n + (size_t)(w->first[i] + c)] = w->pull[2 * i + (size_t)c];
      }
    }
  }
}

// J'J + mu, and J'g.
static void find_normal(const work* w, double mu) {
  const int n = w->n;
  for (int i = 0; i < n; i++) {
    w->dx[i] = 0;
    for (int s = 0; s < w->k->nside; s++) {
      w->dx[i] -= w->J[s * n + i] * w->g[s];
    }
    for (int j = 0; j < n; j++) {
      double sum = i == j ? mu : 0;
      for (int s = 0; s < w->k->nside; s++) {
        sum += w->J[s * n + i] * w->J[s * n + j];
      }
      w->N[i * n + j] = sum;
    }
  }
}

static double square(const double* x, int n) {
  return lb_dot(n, x, x);
}

// A step that brings the sides nearer to their lengths, with `mu` as large as that takes. False:
// there is none.
static bool improve(work* w, double (*at)[2], double* mu) {
  const double before = square(w->g, w->k->nside);
  double(*to)[2] = (double(*)[2])w->try;
  int worst = 0;
  for (; *mu < 1e6; *mu = *mu * 10 + 1e-14) {
    find_normal(w, *mu);
    if (lb_cholesky(w->n, w->N, w->n) != LB_OK) {
      continue;
    }
    lb_cholesky_solve(w->n, w->N, w->n, 1, w->dx, w->n);
    for (int i = 0; i < w->k->npoint; i++) {
      for (int c = 0; c < 2; c++) {
        to[i][c] = at[i][c] + (w->first[i] >= 0 ? w->dx[w->first[i] + c] : 0);
      }
    }
    place_followers(w, to);
    find_gaps(w, (const double(*)[2])to, &worst);
    if (square(w->g, w->k->nside) < before) {
      memcpy(at, to, sizeof(double) * 2 * (size_t)w->k->npoint);
      *mu *= 0.01;
      return true;
    }
    find_gaps(w, (const double(*)[2])at, &worst);
  }
  return false;
}

static double size_of(const lb_planar* k) {
  double size = k->radius;
  for (int s = 0; s < k->nside; s++) {
    size = fmax(size, k->side[s].length);
  }
  return size;
}

static void place_pin(const lb_planar* k, double (*at)[2], double angle) {
  at[k->pin][0] = at[k->pivot][0] + k->radius * cos(angle);
  at[k->pin][1] = at[k->pivot][1] + k->radius * sin(angle);
}

static void close_points(work* w, double (*at)[2], double angle, lb_planar_fit* fit) {
  enum { MOST = 200 };
  const double size = size_of(w->k);
  double mu = 1e-6;
  int worst = 0;
  place_pin(w->k, at, angle);
  place_followers(w, at);
  double gap = find_gaps(w, (const double(*)[2])at, &worst);
  for (int i = 0; i < MOST && gap > 1e-16 * size && w->n > 0; i++) {
    find_jacobian(w, (const double(*)[2])at);
    if (!improve(w, at, &mu)) {
      break;
    }
    gap = find_gaps(w, (const double(*)[2])at, &worst);
  }
  const lb_planar_side* side = &w->k->side[worst];
  const double *a = at[side->a], *b = at[side->b];
  *fit = (lb_planar_fit){.closed = gap <= 1e-10 * size,
                         .worst = worst,
                         .gap = hypot(b[0] - a[0], b[1] - a[1]) - side->length};
}

lb_status lb_planar_close(const lb_planar* k, double (*at)[2], double angle, lb_arena* scratch,
                          lb_planar_fit* fit) {
  const lb_arena_mark mark = lb_arena_here(scratch);
  work w;
  const lb_status status = begin(&w, k, at, scratch);
  if (status == LB_OK) {
    close_points(&w, at, angle, fit);
  }
  lb_arena_reset(scratch, mark);
  return status;
}

// --- turning ---

// Points of a small step are near each other.
static bool is_near(const work* w, const double (*a)[2], const double (*b)[2]) {
  const double most = 0.1 * size_of(w->k);
  for (int i = 0; i < w->k->npoint; i++) {
    if (hypot(a[i][0] - b[i][0], a[i][1] - b[i][1]) > most) {
      return false;
    }
  }
  return true;
}

// A side that is an equation for what moves.
static bool is_free(const work* w, int s) {
  return !w->implied[s] && (w->moves[w->k->side[s].a] || w->moves[w->k->side[s].b]);
}

// Sign of det J where it is square, else 1: it changes at dead points alone.
static int branch_sign(work* w, const double (*at)[2], int* pivot) {
  const size_t n = (size_t)w->n;
  int rows = 0;
  find_jacobian(w, at);
  for (int s = 0; s < w->k->nside; s++) {
    if (is_free(w, s) && rows < w->n) {
      memcpy(w->N + (size_t)rows * n, w->J + (size_t)s * n, sizeof(double) * n);
    }
    rows += is_free(w, s);
  }
  if (rows != w->n || lb_lu(w->n, w->N, w->n, pivot) != LB_OK) {
    return 1;
  }
  int sign = 1;
  for (int i = 0; i < w->n; i++) {
    sign = w->N[i * w->n + i] < 0 ? -sign : sign;
    sign = pivot[i] != i ? -sign : sign;
  }
  return sign;
}

// State of a turn: where it is, where it was, and the step between.
typedef struct turn {
  work w;
  double (*at)[2], (*last)[2], (*next)[2];
  int* pivot;
  int sign;
  double before;
} turn;

// One step to an angle, from a guess that goes straight on. False: there is no such place.
static bool step_to(turn* t, double angle, double d) {
  const lb_planar* k = t->w.k;
  const double ratio = t->before != 0 ? d / t->before : 0;
  const size_t bytes = sizeof *t->at * (size_t)k->npoint;
  lb_planar_fit fit;
  for (int i = 0; i < k->npoint; i++) {
    for (int c = 0; c < 2; c++) {
      t->next[i][c] = t->at[i][c] + ratio * (t->at[i][c] - t->last[i][c]);
    }
  }
  close_points(&t->w, t->next, angle, &fit);
  const double(*next)[2] = (const double(*)[2])t->next;
  if (!fit.closed || !is_near(&t->w, next, (const double(*)[2])t->at) ||
      branch_sign(&t->w, next, t->pivot) != t->sign) {
    return false;
  }
  memcpy(t->last, t->at, bytes);
  memcpy(t->at, t->next, bytes);
  t->before = d;
  return true;
}

static double go(turn* t, double from, double to) {
  static const double LARGEST = 0.02, LEAST = 1e-10; // steps [rad]
  double step = LARGEST, reached = from;
  while (reached != to && step > LEAST) {
    const double left = to - reached;
    const bool last = fabs(left) <= step;
    const double d = last ? left : copysign(step, left);
    const double angle = last ? to : reached + d;
    const bool ok = step_to(t, angle, d);
    reached = ok ? angle : reached;
    step = ok ? fmin(LARGEST, 1.5 * step) : step / 2;
  }
  return reached;
}

lb_status lb_planar_turn(const lb_planar* k, double (*at)[2], double from, double to,
                         lb_arena* scratch, double* reached) {
  const lb_arena_mark mark = lb_arena_here(scratch);
  turn t = {.at = at};
  lb_status status = begin(&t.w, k, at, scratch);
  t.last = (double(*)[2])LB_TAKE(scratch, double, 2 * (size_t)k->npoint);
  t.next = (double(*)[2])LB_TAKE(scratch, double, 2 * (size_t)k->npoint);
  t.pivot = LB_TAKE(scratch, int, t.w.n + 1);
  status = status == LB_OK && t.last && t.next && t.pivot ? LB_OK : LB_NO_MEMORY;
  if (status == LB_OK) {
    t.sign = branch_sign(&t.w, (const double(*)[2])at, t.pivot);
    *reached = go(&t, from, to);
  }
  lb_arena_reset(scratch, mark);
  return status;
}

// --- dead points ---

// Sides that hold each other whatever the points do: J's = 0, or nearly. From J J' with ones where
// a side has no free point.
static lb_status find_strain(work* w, lb_arena* scratch, double* strain) {
  const int m = w->k->nside;
  double* M = LB_TAKE(scratch, double, (size_t)m*(size_t)m);
  double* value = LB_TAKE(scratch, double, m);
  if (!M || !value) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < m; j++) {
      M[i * m + j] = lb_dot(w->n, w->J + (size_t)i * (size_t)w->n, w->J + (size_t)j * (size_t)w->n);
    }
    M[i * m + i] += is_free(w, i) ? 0 : 1;
  }
  const lb_status status = lb_eigen_symmetric(scratch, m, M, m, value);
  memcpy(strain, M, sizeof(double) * (size_t)m);
  return status;
}

lb_status lb_planar_transmission(const lb_planar* k, double (*at)[2], lb_arena* scratch,
                                 double* least, double* strain) {
  const lb_arena_mark mark = lb_arena_here(scratch);
  work w;
  lb_status status = begin(&w, k, at, scratch);
  double* value = LB_TAKE(scratch, double, w.n + 1);
  status = status == LB_OK && value ? LB_OK : LB_NO_MEMORY;
  *least = 1;
  if (status == LB_OK && w.n > 0) {
    int worst = 0;
    find_gaps(&w, (const double(*)[2])at, &worst);
    find_jacobian(&w, (const double(*)[2])at);
    find_normal(&w, 0);
    status = lb_eigen_symmetric(scratch, w.n, w.N, w.n, value);
    *least = sqrt(fmax(value[0], 0));
    status = status == LB_OK && strain ? find_strain(&w, scratch, strain) : status;
  }
  lb_arena_reset(scratch, mark);
  return status;
}
