#include "geom/path/node_group.h"

#include <string.h>

#include "math/linear/dense.h"

enum { MOST_STEPS = 60 };
static const double DONE = 1e-13, ENOUGH = 1e-9; // of unit vectors, or of metres

// A number of a motion, with a lane of its own or (lane 0) without.
static lb_taylor number(int lane, double a, double ad, double add) {
  lb_taylor r = {{{a}, {ad}, {0.5 * add}}};
  if (lane > 0) {
    r.c[0][lane] = 1;
  }
  return r;
}

// Lane of number i where those from `first` on have lanes.
static int lane_of(int i, int first) {
  return i >= first && i < first + LB_GROUP_LANES ? 1 + i - first : 0;
}

static lb_taylor3 place_from(int i, int first, const lb_path_end* e) {
  return (lb_taylor3){number(lane_of(i, first), e->x.x, e->xd.x, e->xdd.x),
                      number(lane_of(i + 1, first), e->x.y, e->xd.y, e->xdd.y),
                      number(lane_of(i + 2, first), e->x.z, e->xd.z, e->xdd.z)};
}

static void store(const lb_vec3 v, double* to) {
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
}

// --- Newton's method ---

typedef struct given {
  lb_taylor3 place[LB_GROUP_PLACES];
  lb_taylor coordinate[LB_GROUP_NODES];
} given;

// Residual and its derivatives at x, by columns.
static void evaluate(const lb_node_group* g, lb_group_solution* s, const given* z, double* r) {
  const int size = 3 * g->n;
  for (int first = 0; first < size; first += LB_GROUP_LANES) {
    lb_taylor3 x[LB_GROUP_NODES], G[LB_GROUP_NODES];
    for (int k = 0; k < g->n; k++) {
      x[k] = place_from(3 * k, first, &(lb_path_end){.x = s->x[k]});
    }
    g->type->residual(0, g, G, z->place, z->coordinate, x);
    for (int k = 0; k < g->n; k++) {
      store(lb_taylor3_lane(&G[k], 0, 0), r + 3 * k);
      for (int j = first; j < size && j < first + LB_GROUP_LANES; j++) {
        const lb_vec3 column = lb_taylor3_lane(&G[k], 0, lane_of(j, first));
        for (int i = 0; i < 3; i++) {
          s->A[j * size + 3 * k + i] = (&column.x)[i];
        }
      }
    }
  }
  s->residual = 0;
  for (int i = 0; i < size; i++) {
    s->residual = fmax(s->residual, isfinite(r[i]) ? fabs(r[i]) : (double)INFINITY);
  }
}

static bool factor(const lb_node_group* g, lb_group_solution* s) {
  s->regular = isfinite(s->residual) && lb_lu(3 * g->n, s->A, 3 * g->n, s->pivot) == LB_OK;
  return s->regular;
}

// A step that is halved until the residual falls. False: it does not.
static bool descend(const lb_node_group* g, lb_group_solution* s, const given* z, double* r) {
  const int size = 3 * g->n;
  const lb_group_solution from = *s;
  double step[LB_GROUP_UNKNOWNS];
  memcpy(step, r, (size_t)size * sizeof *step);
  lb_lu_solve(size, s->A, size, s->pivot, 1, step, size);
  for (double part = 1; part > 1e-4; part *= 0.5) {
    for (int k = 0; k < g->n; k++) {
      const lb_vec3 d = {step[3 * k], step[3 * k + 1], step[3 * k + 2]};
      s->x[k] = lb_vec3_add(from.x[k], lb_vec3_scale(-part, d));
    }
    evaluate(g, s, z, r);
    if (s->residual < from.residual) {
      return true;
    }
  }
  memcpy(s->x, from.x, sizeof s->x);
  evaluate(g, s, z, r);
  return false;
}

bool lb_group_solve(const lb_node_group* g, lb_group_solution* s, const lb_vec3* place,
                    const double* coordinate) {
  given z;
  double r[LB_GROUP_UNKNOWNS];
  for (int i = 0; i < g->nplace; i++) {
    z.place[i] = lb_taylor3_constant(place[i]);
  }
  for (int i = 0; i < g->ncoordinate; i++) {
    z.coordinate[i] = lb_taylor_constant(coordinate[i]);
  }
  evaluate(g, s, &z, r);
  bool found = factor(g, s), goes = found;
  for (int k = 0; k < MOST_STEPS && goes && s->residual > DONE; k++) {
    goes = descend(g, s, &z, r);
    found = factor(g, s);
    goes = goes && found;
  }
  return found && s->residual < ENOUGH;
}

// --- series ---

// b = A^-1 G for each coefficient and lane.
static void correct(int N, const lb_node_group* g, const lb_group_solution* s, lb_taylor3* G) {
  enum { COLUMNS = (LB_TAYLOR_ORDER + 1) * LB_TAYLOR_LANES };
  const int size = 3 * g->n;
  double b[COLUMNS * LB_GROUP_UNKNOWNS];
  const int columns = (N + 1) * LB_TAYLOR_LANES;
  for (int c = 0; c < columns; c++) {
    for (int i = 0; i < size; i++) {
      b[c * size + i] = (&G[i / 3].x)[i % 3].c[c / LB_TAYLOR_LANES][c % LB_TAYLOR_LANES];
    }
    lb_lu_solve(size, s->A, size, s->pivot, 1, b + c * size, size);
    for (int i = 0; i < size; i++) {
      (&G[i / 3].x)[i % 3].c[c / LB_TAYLOR_LANES][c % LB_TAYLOR_LANES] = b[c * size + i];
    }
  }
}

void lb_group_series(int N, const lb_node_group* g, const lb_group_solution* s,
                     const lb_path_end* place, const double (*coordinate)[3], int first,
                     lb_taylor3* x) {
  given z;
  for (int i = 0; i < g->nplace; i++) {
    z.place[i] = place_from(3 * i, first, &place[i]);
  }
  for (int i = 0; i < g->ncoordinate; i++) {
    const double* q = coordinate[i];
    z.coordinate[i] = number(lane_of(3 * g->nplace + i, first), q[0], q[1], q[2]);
  }
  for (int k = 0; k < g->n; k++) {
    x[k] = lb_taylor3_constant(s->x[k]);
  }
  for (int i = 0; i < N + 1 && s->regular; i++) {
    lb_taylor3 G[LB_GROUP_NODES];
    g->type->residual(N, g, G, z.place, z.coordinate, x);
    correct(N, g, s, G);
    for (int k = 0; k < g->n; k++) {
      x[k] = lb_taylor3_sub(N, x[k], G[k]);
    }
  }
}
