#define LB_WIDE_HALVES // a fifth faster
#include "math/contact/contact_sweep.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/prefetch.h"
#include "math/linear/dense.h"
#include "math/space/wide.h"

typedef lb_any4 v4;

enum {
  FREE = 8, // width of a free body: the usual one, and unrolled
  AHEAD = 4 // pieces or blocks whose memory is asked for before it is needed
};

// A function for each of its constant arguments.
#define INLINE static inline __attribute__((always_inline))

void lb_contact_sweeper_carve(lb_contact_sweeper* s, lb_carver* c, int nrow, int nblock) {
  const size_t rows = (size_t)nrow, width = sizeof(double);
  s->lambda = lb_carve(c, rows, width);
  s->own = lb_carve(c, rows, width);
  s->b = lb_carve(c, rows, width);
  s->c = lb_carve(c, rows, width);
  s->w0 = lb_carve(c, rows, width);
  s->npiece = lb_carve(c, (size_t)nblock, sizeof *s->npiece);
  s->first = lb_carve(c, (size_t)nblock + 1, sizeof(int));
  s->first_row = lb_carve(c, (size_t)nblock + 1, sizeof(int));
  s->piece = lb_carve(c, rows, sizeof *s->piece);
  s->local = lb_carve(c, rows, sizeof *s->local);
  s->factor = lb_carve(c, rows * LB_CONTACT_BLOCK_MOST, width);
}

// --- layout ---

// A group as wide as a free body, with the numbers of three rows one after the other.
static bool is_free(const lb_contact_row* r, const lb_contact_packed* q, int side) {
  return q->width[side] == FREE && r[1].entry[side] == r[0].entry[side] + FREE &&
         r[2].entry[side] == r[0].entry[side] + 2 * FREE;
}

static lb_contact_packed lay_piece(const lb_contact_problem* p, lb_contact_piece piece, int row) {
  const lb_contact_row* r = &p->row[piece.row];
  lb_contact_packed out = {
      .kind = piece.kind, .row = row, .nrow = piece.nrow, .origin = piece.row, .normal = -1};
  for (int i = 0; i < 2; i++) {
    out.width[i] = r->group[i] < 0 ? 0 : lb_contact_width(p, r->group[i]);
    out.u[i] = r->group[i] < 0 ? 0 : p->velocity[r->group[i]];
    out.entry[i] = r->group[i] < 0 ? 0 : r->entry[i];
  }
  if (piece.kind == LB_PIECE_POINT && piece.nrow == 3) {
    const bool free[2] = {is_free(r, &out, 0), is_free(r, &out, 1)};
    const int width = out.width[0] + out.width[1];
    out.sides = free[0] && free[1] ? 2 : (free[0] || free[1]) && width == FREE ? 1 : 0;
    if (out.sides == 1 && free[1]) { // of the one there is
      out.u[0] = out.u[1];
      out.entry[0] = out.entry[1];
    }
  }
  if (piece.kind == LB_PIECE_SET && r->normal >= 0) {
    out.normal = row - (piece.row - r->normal); // blocks are in one piece in both orders
  }
  return out;
}

void lb_contact_sweeper_count(lb_contact_sweeper* s, int begin, int end) {
  const lb_contact_problem* p = s->problem;
  for (int k = begin; k < end; k++) {
    s->npiece[k] = 0;
    for (int row = p->block[k]; row < p->block[k + 1]; s->npiece[k]++) {
      row += lb_contact_piece_at(p, row, p->block[k + 1]).nrow;
    }
  }
}

void lb_contact_sweeper_add_up(lb_contact_sweeper* s, const lb_contact_islands* order) {
  const lb_contact_problem* p = s->problem;
  s->first[0] = s->first_row[0] = 0;
  for (int k = 0; k < p->nblock; k++) {
    const int block = order->block[k];
    s->first[k + 1] = s->first[k] + s->npiece[block];
    s->first_row[k + 1] = s->first_row[k] + p->block[block + 1] - p->block[block];
  }
}

static void lay_block(lb_contact_sweeper* s, const lb_contact_islands* order, int k) {
  const lb_contact_problem* p = s->problem;
  const int block = order->block[k], end = p->block[block + 1];
  int npiece = s->first[k], nrow = s->first_row[k];
  for (int row = p->block[block]; row < end; npiece++) {
    const lb_contact_piece piece = lb_contact_piece_at(p, row, end);
    lb_contact_packed* out = &s->piece[npiece];
    *out = lay_piece(p, piece, nrow);
    out->local = piece.kind == LB_PIECE_EQUALITY ? nrow * LB_CONTACT_BLOCK_MOST : npiece;
    row += piece.nrow;
    nrow += piece.nrow;
  }
}

// --- numbers ---

// J_r u of a row of the problem, of any widths.
static double row_velocity(const lb_contact_sweeper* s, int row, const double* u) {
  const lb_contact_problem* p = s->problem;
  v4 sum = {0, 0, 0, 0};
  for (int i = 0; i < 2; i++) {
    const int g = p->row[row].group[i], width = g < 0 ? 0 : lb_contact_width(p, g);
    const double *J = p->J + p->row[row].entry[i], *v = g < 0 ? u : u + p->velocity[g];
    for (int k = 0; k < width; k += 4) {
      sum += *(const v4*)(J + k) * *(const v4*)(v + k);
    }
  }
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

// A of a piece, nrow x nrow by columns.
static void piece_matrix(const lb_contact_sweeper* s, const lb_contact_packed* q, double* A) {
  const int m = q->nrow;
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < m; i++) {
      A[i + j * m] = lb_contact_coupling(s->problem, q->origin + i, q->origin + j);
    }
    A[j + j * m] += s->c[q->row + j];
  }
}

// A_rr of the natural map, by the mean over the two rows of a set.
static void take_own(lb_contact_sweeper* s, const lb_contact_packed* q, const double* A) {
  const int m = q->nrow;
  for (int i = 0; i < m; i++) {
    const lb_contact_kind kind = s->problem->row[q->origin + i].kind;
    double a = A[i * (m + 1)];
    if (kind == LB_CONTACT_SET_2 || kind == LB_CONTACT_SECOND) {
      a = (a + A[(kind == LB_CONTACT_SET_2 ? i + 1 : i - 1) * (m + 1)]) / 2;
    }
    s->own[q->row + i] = a > 0 ? a : 1;
  }
}

// Cholesky factor of an equality piece, with a little more on the diagonal for rows that repeat.
static void factor_equality(lb_contact_sweeper* s, const lb_contact_packed* q, const double* A) {
  static const double EPS = 1e-12;
  const int m = q->nrow;
  double* L = s->factor + q->local;
  memcpy(L, A, (size_t)(m * m) * sizeof *L);
  for (int i = 0; i < m; i++) {
    L[i * (m + 1)] += EPS * L[i * (m + 1)] + DBL_MIN;
  }
  if (lb_cholesky(m, L, m) != LB_OK) { // each row by itself, then
    memset(L, 0, (size_t)(m * m) * sizeof *L);
    for (int i = 0; i < m; i++) {
      L[i * (m + 1)] = sqrt(m * fmax(A[i * (m + 1)], DBL_MIN));
    }
  }
}

// Numbers of a row of a point between free bodies, or of one with the world (sides = 1).
typedef struct free_row {
  lb_v8 side[2];
} free_row;

INLINE free_row free_row_at(const double* numbers, const lb_contact_packed* q, int row,
                            const int sides) {
  const int at = FREE * row;
  return (free_row){{lb_v8_load(numbers + q->entry[0] + at),
                     sides > 1 ? lb_v8_load(numbers + q->entry[1] + at) : lb_v8_zero()}};
}

// The velocities of these bodies.
INLINE free_row free_velocities(const double* u, const lb_contact_packed* q, const int sides) {
  return (free_row){{lb_v8_load(u + q->u[0]), sides > 1 ? lb_v8_load(u + q->u[1]) : lb_v8_zero()}};
}

// Terms of a row's product.
INLINE lb_v8 free_terms(const free_row* J, const free_row* u, const int sides) {
  const lb_v8 terms = lb_v8_times(J->side[0], u->side[0]);
  return sides > 1 ? lb_v8_add_times(terms, J->side[1], u->side[1]) : terms;
}

// J u of three rows.
INLINE lb_v4 free_product(const free_row J[3], const free_row* u, const int sides) {
  return lb_v8_sums(free_terms(&J[0], u, sides), free_terms(&J[1], u, sides),
                    free_terms(&J[2], u, sides));
}

// Constants of a point between free bodies, with A of its rows.
INLINE void pack_free_point(lb_contact_sweeper* s, const lb_contact_packed* q, const int sides,
                            double* A) {
  const lb_contact_problem* p = s->problem;
  const free_row u0 = free_velocities(p->u0, q, sides);
  free_row J[3];
  for (int i = 0; i < 3; i++) {
    J[i] = free_row_at(p->J, q, i, sides);
  }
  const lb_v4 w0 = free_product(J, &u0, sides);
  for (int j = 0; j < 3; j++) {
    const lb_contact_row* r = &p->row[q->origin + j];
    const free_row Z = free_row_at(p->Z, q, j, sides);
    const lb_v4 column = free_product(J, &Z, sides);
    for (int i = 0; i < 3; i++) {
      A[i + 3 * j] = column[i];
    }
    A[4 * j] += r->c;
    s->b[q->row + j] = r->b;
    s->c[q->row + j] = r->c;
    s->w0[q->row + j] = w0[j] + r->b;
  }
}

static void pack_numbers(lb_contact_sweeper* s, const lb_contact_packed* q, double* A) {
  const lb_contact_problem* p = s->problem;
  for (int i = 0; i < q->nrow; i++) {
    const lb_contact_row* r = &p->row[q->origin + i];
    s->w0[q->row + i] = row_velocity(s, q->origin + i, p->u0) + r->b;
    s->b[q->row + i] = r->b;
    s->c[q->row + i] = r->c;
  }
  piece_matrix(s, q, A);
}

// Zero, or not a number where the piece has numbers that are not finite: they are all in A's
// diagonal or in w0.
static double pack_piece(lb_contact_sweeper* s, const lb_contact_packed* q) {
  const lb_contact_problem* p = s->problem;
  double A[LB_CONTACT_BLOCK_MOST * LB_CONTACT_BLOCK_MOST], sum = 0;
  if (q->sides == 2) {
    pack_free_point(s, q, 2, A);
  } else if (q->sides == 1) {
    pack_free_point(s, q, 1, A);
  } else {
    pack_numbers(s, q, A);
  }
  for (int i = 0; i < q->nrow; i++) {
    sum += 0 * A[i * (q->nrow + 1)] + 0 * s->w0[q->row + i];
  }
  take_own(s, q, A);
  if (q->kind == LB_PIECE_EQUALITY) {
    factor_equality(s, q, A);
  } else {
    const bool point = q->kind == LB_PIECE_POINT;
    const lb_contact_row* r = &p->row[q->origin];
    const double mu = !point ? r->mu : q->nrow > 1 ? r[1].mu : 0;
    lb_contact_local_prepare(&s->local[q->local], (lb_contact_piece){q->kind, q->row, q->nrow}, A,
                             mu);
  }
  return sum;
}

double lb_contact_sweeper_pack(lb_contact_sweeper* s, const lb_contact_islands* order, int begin,
                               int end) {
  const lb_contact_problem* p = s->problem;
  double sum = 0;
  for (int k = begin; k < end; k++) {
    const int next = p->block[order->block[k + AHEAD < end ? k + AHEAD : k]];
    lb_prefetch(&p->row[next], 3 * sizeof *p->row);
    lay_block(s, order, k);
    for (int i = s->first[k]; i < s->first[k + 1]; i++) {
      sum += pack_piece(s, &s->piece[i]);
    }
  }
  return sum == 0 ? lb_contact_sweeper_scale(s, begin, end) : (double)INFINITY;
}

// A piece that comes soon.
static inline const lb_contact_packed* ahead(const lb_contact_sweeper* s,
                                             const lb_contact_packed* q) {
  const lb_contact_packed* last = s->piece + s->first[s->problem->nblock] - 1;
  return q + AHEAD < last ? q + AHEAD : last;
}

bool lb_contact_sweeper_take_b(lb_contact_sweeper* s, int begin, int end) {
  bool changed = false;
  for (const lb_contact_packed* q = s->piece + s->first[begin]; q < s->piece + s->first[end]; q++) {
    lb_prefetch(&s->problem->row[ahead(s, q)->origin], 3 * sizeof(lb_contact_row));
    for (int i = 0; i < q->nrow; i++) {
      const int r = q->row + i;
      const double b = s->problem->row[q->origin + i].b;
      changed = changed || b != s->b[r];
      s->w0[r] += b - s->b[r];
      s->b[r] = b;
    }
  }
  return changed;
}

void lb_contact_sweeper_take(lb_contact_sweeper* s, int begin, int end, const double* lambda) {
  for (const lb_contact_packed* q = s->piece + s->first[begin]; q < s->piece + s->first[end]; q++) {
    for (int i = 0; i < q->nrow; i++) {
      const double start = lambda[q->origin + i];
      s->lambda[q->row + i] = isfinite(start) ? start : 0;
    }
  }
}

void lb_contact_sweeper_give(const lb_contact_sweeper* s, int begin, int end, double* lambda) {
  for (const lb_contact_packed* q = s->piece + s->first[begin]; q < s->piece + s->first[end]; q++) {
    for (int i = 0; i < q->nrow; i++) {
      lambda[q->origin + i] = s->lambda[q->row + i];
    }
  }
}

// --- products of a piece with velocities ---

static void add_row(const lb_contact_sweeper* s, int row, double change) {
  const lb_contact_problem* p = s->problem;
  for (int i = 0; i < 2; i++) {
    const int g = p->row[row].group[i], width = g < 0 ? 0 : lb_contact_width(p, g);
    const double* Z = p->Z + p->row[row].entry[i];
    double* v = g < 0 ? s->u : s->u + p->velocity[g];
    for (int k = 0; k < width; k += 4) {
      *(v4*)(v + k) += *(const v4*)(Z + k) * change;
    }
  }
}

// Whether a point without an impulse stays open.
INLINE bool stays_open(const lb_contact_sweeper* s, const lb_contact_packed* q, const free_row* u,
                       const int sides) {
  const double* l = s->lambda + q->row;
  if (l[0] != 0 || l[1] != 0 || l[2] != 0) {
    return false;
  }
  const free_row J = free_row_at(s->problem->J, q, 0, sides);
  return lb_v8_sum(free_terms(&J, u, sides)) + s->b[q->row] >= 0;
}

// w of a piece that is no point between free bodies.
static void piece_velocity(const lb_contact_sweeper* s, const lb_contact_packed* q, double* w) {
  for (int i = 0; i < q->nrow; i++) {
    const int r = q->row + i;
    w[i] = row_velocity(s, q->origin + i, s->u) + s->c[r] * s->lambda[r] + s->b[r];
  }
}

static void piece_add(const lb_contact_sweeper* s, const lb_contact_packed* q,
                      const double* change) {
  for (int i = 0; i < q->nrow; i++) {
    s->lambda[q->row + i] += change[i];
    add_row(s, q->origin + i, change[i]);
  }
}

// Z lambda of a point between free bodies.
static inline void add_free_point(lb_contact_sweeper* s, const lb_contact_packed* q,
                                  const int sides) {
  const double *Z = s->problem->Z, *lambda = s->lambda + q->row;
  for (int k = 0; k < sides; k++) {
    lb_v8 u = lb_v8_load(s->u + q->u[k]);
    for (int i = 0; i < 3; i++) {
      u = lb_v8_add(u, lambda[i], lb_v8_load(Z + q->entry[k] + FREE * i));
    }
    lb_v8_store(s->u + q->u[k], u);
  }
}

void lb_contact_sweeper_add(lb_contact_sweeper* s, int begin, int end) {
  const lb_contact_packed *first = s->piece + s->first[begin], *last = s->piece + s->first[end];
  for (const lb_contact_packed* q = first; q < last; q++) {
    if (q->sides == 2) {
      add_free_point(s, q, 2);
    } else if (q->sides == 1) {
      add_free_point(s, q, 1);
    } else {
      for (int i = 0; i < q->nrow; i++) {
        add_row(s, q->origin + i, s->lambda[q->row + i]);
      }
    }
  }
}

// --- sweep ---

static double sweep_equality(lb_contact_sweeper* s, const lb_contact_packed* q) {
  double w[LB_CONTACT_BLOCK_MOST], most = 0;
  piece_velocity(s, q, w);
  for (int i = 0; i < q->nrow; i++) {
    most = fmax(most, fabs(w[i]));
    w[i] = -w[i];
  }
  lb_cholesky_solve(q->nrow, s->factor + q->local, q->nrow, 1, w, q->nrow);
  piece_add(s, q, w);
  return most;
}

static double sweep_set(lb_contact_sweeper* s, const lb_contact_packed* q, double close) {
  lb_contact_local* L = &s->local[q->local];
  double w[2] = {0, 0}, l[2] = {0, 0}, change[3] = {0, 0, 0};
  piece_velocity(s, q, w);
  memcpy(l, s->lambda + q->row, (size_t)q->nrow * sizeof *l);
  const double R = q->normal < 0 ? L->mu : L->mu * s->lambda[q->normal];
  lb_contact_set_solve(L, R, w, close, l);
  for (int i = 0; i < q->nrow; i++) {
    change[1 + i] = l[i] - s->lambda[q->row + i];
  }
  piece_add(s, q, change + 1);
  return lb_contact_own_change(L, change);
}

static double sweep_point(lb_contact_sweeper* s, const lb_contact_packed* q, double close) {
  lb_contact_local* L = &s->local[q->local];
  double w[3] = {0, 0, 0}, l[3] = {0, 0, 0}, change[3] = {0, 0, 0};
  piece_velocity(s, q, w);
  memcpy(l, s->lambda + q->row, (size_t)q->nrow * sizeof *l);
  lb_contact_point_solve(L, w, close, l);
  for (int i = 0; i < q->nrow; i++) {
    change[i] = l[i] - s->lambda[q->row + i];
  }
  piece_add(s, q, change);
  return lb_contact_own_change(L, change);
}

// A point contact with two tangents between free bodies, or of one with the world (sides = 1),
// where Z may be J (one). The normal's impulse is the last that is known, and goes on last.
INLINE double sweep_free_point(lb_contact_sweeper* s, const lb_contact_packed* q, const int sides,
                               const bool one, double close) {
  double *lambda = s->lambda + q->row, w[3], l[3], change[3];
  const double *b = s->b + q->row, *c = s->c + q->row;
  lb_contact_local* L = &s->local[q->local];
  free_row u = free_velocities(s->u, q, sides), J[3];
  if (stays_open(s, q, &u, sides)) {
    return 0;
  }
  for (int i = 0; i < 3; i++) {
    J[i] = free_row_at(s->problem->J, q, i, sides);
  }
  const lb_v4 product = free_product(J, &u, sides);
  for (int i = 0; i < 3; i++) {
    l[i] = lambda[i];
    w[i] = product[i] + (c[i] * l[i] + b[i]);
  }
  lb_contact_point_solve(L, w, close, l);
  for (int i = 3; i-- > 0;) {
    const free_row Z = one ? J[i] : free_row_at(s->problem->Z, q, i, sides);
    change[i] = l[i] - lambda[i];
    lambda[i] = l[i];
    for (int k = 0; k < sides; k++) {
      u.side[k] = lb_v8_add(u.side[k], change[i], Z.side[k]);
    }
  }
  for (int k = 0; k < sides; k++) {
    lb_v8_store(s->u + q->u[k], u.side[k]);
  }
  return lb_contact_own_change(L, change);
}

INLINE double sweep_pieces(lb_contact_sweeper* s, int begin, int end, const bool one,
                           double close) {
  double most = 0;
  for (const lb_contact_packed* q = s->piece + begin; q < s->piece + end; q++) {
    const lb_contact_packed* next = ahead(s, q);
    __builtin_prefetch(s->u + next->u[0]);
    __builtin_prefetch(s->u + next->u[1]);
    const double change = q->sides == 2                  ? sweep_free_point(s, q, 2, one, close)
                          : q->sides == 1                ? sweep_free_point(s, q, 1, one, close)
                          : q->kind == LB_PIECE_EQUALITY ? sweep_equality(s, q)
                          : q->kind == LB_PIECE_SET      ? sweep_set(s, q, close)
                                                         : sweep_point(s, q, close);
    most = change > most ? change : most;
  }
  return most;
}

double lb_contact_sweep(lb_contact_sweeper* s, int begin, int end, double close) {
  const bool one = s->problem->Z == s->problem->J;
  return one ? sweep_pieces(s, s->first[begin], s->first[end], true, close)
             : sweep_pieces(s, s->first[begin], s->first[end], false, close);
}

// --- residual ---

double lb_contact_sweeper_scale(const lb_contact_sweeper* s, int begin, int end) {
  double most = 0;
  for (int r = s->first_row[begin]; r < s->first_row[end]; r++) {
    const double w = fabs(s->w0[r]);
    most = w > most ? w : most;
  }
  return most;
}

double lb_contact_sweeper_speed(const lb_contact_sweeper* s, int begin, int end) {
  double most = 0;
  for (const lb_contact_packed* q = s->piece + s->first[begin]; q < s->piece + s->first[end]; q++) {
    const bool opens = q->kind == LB_PIECE_POINT && s->w0[q->row] > 0;
    for (int i = opens; i < q->nrow; i++) {
      const double w = fabs(s->w0[q->row + i]);
      most = w > most ? w : most;
    }
  }
  return most;
}

// A_rr's share of one group of a piece's first row.
static inline double share_of(const lb_contact_sweeper* s, const lb_contact_packed* q, int side) {
  const double *J = s->problem->J + q->entry[side], *Z = s->problem->Z + q->entry[side];
  return q->sides == 2 ? lb_v8_dot(lb_v8_load(J), lb_v8_load(Z)) : lb_dot(q->width[side], J, Z);
}

double lb_contact_sweeper_unevenness(const lb_contact_sweeper* s, int begin, int end) {
  double most = 1;
  for (const lb_contact_packed* q = s->piece + s->first[begin]; q < s->piece + s->first[end]; q++) {
    if (q->width[0] > 0 && q->width[1] > 0) {
      const double a = share_of(s, q, 0), b = share_of(s, q, 1);
      const double ratio = a > b ? a / b : b / a;
      most = ratio > most ? ratio : most;
    }
  }
  return most;
}

// Natural map of a point with two tangents, as lb_contact_violation has it: the normal's and the
// tangents' in one. All of it times A_rr, in the units of w.
static double point_violation(const lb_contact_local* L, const double* own, const double* l,
                              const double* w) {
  const double per = own[1], l0 = l[0] * own[0], l1 = l[1] * per, l2 = l[2] * per;
  const double R = L->mu * (l[0] > 0 ? l[0] : 0) * per, z1 = l1 - w[1], z2 = l2 - w[2];
  const double square = z1 * z1 + z2 * z2, keep = square > R * R ? R / sqrt(square) : 1;
  const double e1 = l1 - keep * z1, e2 = l2 - keep * z2;
  const double n = fabs(l0 < w[0] ? l0 : w[0]), t = sqrt(e1 * e1 + e2 * e2);
  return n > t ? n : t;
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

// Largest of three numbers' sizes.
static double largest(double a, double b, double c) {
  return larger(larger(fabs(a), fabs(b)), fabs(c));
}

INLINE void measure_point(const lb_contact_sweeper* s, const lb_contact_packed* q, const int sides,
                          lb_contact_measure* m) {
  const double *l = s->lambda + q->row, *own = s->own + q->row, *w0 = s->w0 + q->row;
  const double scale = largest(w0[0], w0[1], w0[2]);
  const free_row u = free_velocities(s->u, q, sides);
  free_row J[3];
  double w[3];
  if (stays_open(s, q, &u, sides)) {
    lb_contact_measure_add(m, 0, scale, 0);
    return;
  }
  for (int i = 0; i < 3; i++) {
    J[i] = free_row_at(s->problem->J, q, i, sides);
  }
  const lb_v4 product = free_product(J, &u, sides);
  for (int i = 0; i < 3; i++) {
    w[i] = product[i] + (s->c[q->row + i] * l[i] + s->b[q->row + i]);
  }
  const double e = point_violation(&s->local[q->local], own, l, w);
  const double most = larger(fabs(l[0]) * own[0], larger(fabs(l[1]), fabs(l[2])) * own[1]);
  lb_contact_measure_add(m, isfinite(w[0] + w[1] + w[2]) ? e : (double)NAN, scale, most);
}

static void measure_piece(const lb_contact_sweeper* s, const lb_contact_packed* q,
                          lb_contact_measure* m) {
  double w[LB_CONTACT_BLOCK_MOST];
  piece_velocity(s, q, w);
  for (int i = 0; i < q->nrow; i++) {
    const int r = q->row + i;
    const lb_contact_row* row = &s->problem->row[q->origin + i];
    const double normal = row->normal < 0 ? 0 : s->lambda[r - (q->origin + i - row->normal)];
    const double e = lb_contact_violation(row, 1 / s->own[r], normal, s->lambda + r, w + i);
    lb_contact_measure_add(m, e, s->w0[r], s->lambda[r] * s->own[r]);
  }
}

lb_contact_measure lb_contact_sweeper_measure(const lb_contact_sweeper* s, int begin, int end) {
  lb_contact_measure m = {0, 0, 0};
  for (int k = s->first[begin]; k < s->first[end]; k++) {
    const lb_contact_packed* q = &s->piece[k];
    if (q->sides == 2) {
      measure_point(s, q, 2, &m);
    } else if (q->sides == 1) {
      measure_point(s, q, 1, &m);
    } else {
      measure_piece(s, q, &m);
    }
  }
  return m;
}
