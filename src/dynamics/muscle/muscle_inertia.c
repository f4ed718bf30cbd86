#include "dynamics/muscle/muscle_inertia.h"

#include <math.h>
#include <string.h>

#include "dynamics/force/muscle.h"

enum { LINE_NODES = 2, ARC_NODES = 6, SPAN_STATIONS = 2 * LINE_NODES + 3 * ARC_NODES };

lb_inertia_work* lb_inertia_lay_out(lb_carver* c, const lb_model* m) {
  size_t items = 0, stations = 0;
  for (int i = 0; i < m->muscle.count; i++) {
    const lb_model_path* path = m->muscle.item[i].path;
    const size_t n = (size_t)path->count;
    const size_t own = (size_t)path->mass.points + SPAN_STATIONS * n;
    if (path->mass.mass > 0) {
      items = n > items ? n : items;
      stations = own > stations ? own : stations;
    }
  }
  if (items == 0) {
    return NULL;
  }
  const size_t nv = (size_t)m->nv;
  lb_inertia_work* work = lb_carve(c, 1, sizeof *work);
  const lb_inertia_work made = {.path = lb_carve(c, 8 * items, sizeof(lb_wrap_path)),
                                .column = lb_carve(c, items * nv, sizeof(lb_motion)),
                                .end = lb_carve(c, 2 * items * nv, sizeof(lb_v4)),
                                .length = lb_carve(c, items * nv, sizeof(double)),
                                .x = lb_carve(c, 2 * nv, sizeof(lb_v4)),
                                .place = lb_carve(c, nv, sizeof(lb_v4)),
                                .whole = lb_carve(c, nv, sizeof(double)),
                                .before = lb_carve(c, nv, sizeof(double)),
                                .still = lb_carve(c, nv, sizeof(double)),
                                .station = lb_carve(c, stations, sizeof(lb_station))};
  if (work) {
    *work = made;
  }
  return work;
}

// --- the path ---

static void accelerate(lb_path* p, const lb_work* w, const double* qd, const double* qdd) {
  for (int j = 0; j < lb_path_nodes(p); j++) {
    lb_path_node* n = &p->node[lb_path_which(p, j)];
    const lb_state* s = &w->state[n->item->at.link];
    const lb_v4 arm = n->item->at.link == LB_WORLD && n->item->v < 0 ? lb_v4_zero() : n->at.arm;
    n->acceleration = s->a + lb_v4_cross(s->al, arm) + lb_v4_cross(s->w, lb_v4_cross(s->w, arm));
    if (n->item->v >= 0) {
      const double r = qd[n->item->v];
      n->acceleration += 2 * r * lb_v4_cross(s->w, n->slope[0]) + n->slope[1] * (r * r) +
                         n->slope[0] * qdd[n->item->v];
    }
  }
  for (int j = 0; j < p->ngroup; j++) {
    lb_path_group* g = &p->group[j];
    for (int i = 0; i < g->of.ncoordinate; i++) {
      g->coordinate[i][2] = qdd[g->v[i]];
    }
  }
}

// Beginning and length of the belly, with rates, by the path's length and the tendons' stretches.
static void find_belly(lb_mass_path* P, int N, const double* q, const double* qd,
                       const double* qdd) {
  const lb_model_path* of = P->p.of;
  const lb_path_mass* m = &of->mass;
  const double L[] = {P->L, P->Ld, P->Ldd};
  for (int n = 0; n < 3; n++) {
    P->begin[n] = (n == 0 ? m->A0 : 0) + m->B0 * L[n];
    P->size[n] = (n == 0 ? m->A1 : 0) + m->B1 * L[n];
  }
  for (int i = 0; i < of->ntendon; i++) {
    const lb_path_tendon* t = &of->tendon[i];
    const double u[] = {q[t->q], qd[t->v], N > 0 ? qdd[t->v] : 0};
    for (int n = 0; n < 3; n++) {
      P->begin[n] += t->C0 * u[n];
      P->size[n] += t->C1 * u[n];
    }
  }
}

void lb_mass_path_find(lb_mass_path* P, int N, int M, const lb_model_path* of, lb_work* w,
                       const double* q, const double* qd, const double* qdd) {
  static const lb_path_frame WORLD_FRAME = {.link = LB_WORLD,
                                            .R = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
  lb_path_find(&P->p, of, w, q, qd);
  if (N > 0) {
    accelerate(&P->p, w, qd, qdd);
  }
  for (int i = 0; i < P->p.ngroup; i++) {
    if (N > 0 || P->p.group[i].known == 0) {
      lb_path_follow(&P->p, &P->p.group[i], N > 0 ? 2 : 1, M);
    }
  }
  P->L = P->Ld = P->Ldd = 0;
  for (int i = 0; i + 1 < P->p.count; i++) {
    lb_mass_span* s = &P->span[i];
    const lb_path_item* surface = P->p.span[i].surface;
    lb_wrap_path* path = &w->muscles->inertia->path[8 * i];
    s->frame = surface ? lb_path_frame_find(surface, w) : WORLD_FRAME;
    for (int e = 0; e < 2; e++) {
      s->end[e] = lb_path_end_in(&s->frame, &P->p.node[i + e]);
      s->end[e].xdd = N > 0 ? s->end[e].xdd : lb_vec3_make(0, 0, 0);
    }
    lb_wrap_find(N > 0 ? 2 : 1, surface ? &surface->wrap : NULL, path, &s->end[0], &s->end[1]);
    s->path = path;
    const lb_taylor* l = lb_wrap_length(path);
    s->l = lb_taylor_lane(l, 0, 0);
    s->ld = lb_taylor_lane(l, 1, 0);
    s->ldd = N > 0 ? 2 * lb_taylor_lane(l, 2, 0) : 0;
    s->c = P->L;
    s->cd = P->Ld;
    s->cdd = P->Ldd;
    P->L += s->l;
    P->Ld += s->ld;
    P->Ldd += s->ldd;
  }
  find_belly(P, N, q, qd, qdd);
}

lb_taylor lb_mass_path_sigma(int N, const lb_mass_path* P, int span, double k) {
  const lb_mass_span* s = &P->span[span];
  const double *b = P->begin, *l = P->size;
  return lb_taylor_variable(LB_TAYLOR_SIGMA, b[0] + k * l[0] - s->c,
                            N > 0 ? b[1] + k * l[1] - s->cd : 0,
                            N > 1 ? b[2] + k * l[2] - s->cdd : 0);
}

bool lb_mass_path_material(const lb_mass_path* P, double sigma, double* k) {
  const double at = (sigma - P->begin[0]) / P->size[0];
  *k = fmax(0, fmin(1, at));
  return at > 0 && at < 1;
}

bool lb_mass_path_bound(const lb_mass_path* P, int span, int j, bool end, double* k) {
  const lb_mass_span* s = &P->span[span];
  const bool first = span == 0 && j == 0 && !end;
  const bool last = span + 2 == P->p.count && j + 1 == s->path->count && end;
  if (first || last) {
    *k = last;
    return false;
  }
  const int before = end ? j : j - 1;
  return lb_mass_path_material(
      P, s->c + (before >= 0 ? lb_taylor_value(&s->path->piece[before].end) : 0), k);
}

void lb_mass_path_corner(const lb_mass_path* P, int i, lb_v4* in, lb_v4* out) {
  const lb_mass_span *a = &P->span[i - 1], *b = &P->span[i];
  const lb_path_piece *last = &a->path->piece[a->path->count - 1], *first = &b->path->piece[0];
  *in = lb_path_world(&a->frame, lb_taylor3_lane(&last->along, 0, 0));
  *out = lb_path_world(&b->frame, lb_taylor3_lane(&first->along, 0, 0));
}

// --- stations ---

static const double XI2[] = {0.21132486540518712, 0.7886751345948129}, W2[] = {0.5, 0.5};
static const double XI6[] = {0.033765242898423986, 0.16939530676686774, 0.3806904069584015,
                             0.6193095930415985,   0.8306046932331323,  0.966234757101576};
static const double W6[] = {0.08566224618958517, 0.1803807865240693, 0.2339569672863455,
                            0.2339569672863455,  0.1803807865240693, 0.08566224618958517};

static int belly_stations(const lb_mass_path* P, lb_station* out) {
  int n = 0;
  for (int s = 0; s + 1 < P->p.count; s++) {
    for (int j = 0; j < P->span[s].path->count; j++) {
      const lb_path_piece* piece = &P->span[s].path->piece[j];
      double ka, kb;
      lb_mass_path_bound(P, s, j, false, &ka);
      lb_mass_path_bound(P, s, j, true, &kb);
      const bool line = piece->kind == LB_PIECE_LINE;
      for (int g = 0; g < (line ? LINE_NODES : ARC_NODES) && kb > ka; g++) {
        const double xi = line ? XI2[g] : XI6[g], weight = line ? W2[g] : W6[g];
        out[n++] = (lb_station){.span = s,
                                .piece = j,
                                .mass = P->p.of->mass.mass * weight * (kb - ka),
                                .k = ka + xi * (kb - ka),
                                .from = ka,
                                .to = kb,
                                .at = xi};
      }
    }
  }
  return n;
}

// Points at equal strain, both ends included.
static int point_stations(const lb_mass_path* P, lb_station* out) {
  const lb_path_mass* m = &P->p.of->mass;
  for (int i = 0; i < m->points; i++) {
    const double k = m->points > 1 ? (double)i / (m->points - 1) : 0.5;
    const double sigma = P->begin[0] + k * P->size[0];
    int s = 0, j = 0;
    while (s + 2 < P->p.count && sigma > P->span[s].c + P->span[s].l) {
      s++;
    }
    const lb_mass_span* span = &P->span[s];
    while (j + 1 < span->path->count &&
           sigma - span->c > lb_taylor_value(&span->path->piece[j].end)) {
      j++;
    }
    out[i] = (lb_station){.span = s, .piece = j, .mass = m->mass / m->points, .k = k, .at = -1};
  }
  return m->points;
}

int lb_mass_path_stations(const lb_mass_path* P, lb_station* out) {
  return P->p.of->mass.points > 0 ? point_stations(P, out) : belly_stations(P, out);
}

static const lb_path_piece* piece_of(const lb_mass_path* P, const lb_station* st) {
  return &P->span[st->span].path->piece[st->piece];
}

static lb_v4 lane(const lb_mass_span* s, const lb_taylor3* x, int n, int which) {
  return lb_path_world(&s->frame, lb_taylor3_lane(x, n, which));
}

// --- inverse dynamics ---

static void push_link(lb_work* w, int link, lb_v4 at, lb_v4 force) {
  if (link != LB_WORLD) {
    lb_state* s = &w->state[link];
    s->IA.f += force;
    s->IA.n += lb_v4_cross(at - s->p, force);
  }
}

static void push_node(lb_work* w, const lb_path_node* n, lb_v4 force, double* tau) {
  push_link(w, n->item->at.link, n->at.at, force);
  if (n->item->v >= 0) {
    tau[n->item->v] += lb_v4_dot(n->slope[0], force);
  }
}

// Forces on nodes, and multipliers of the lengths: of the belly's beginning and size, and of what
// comes before each span.
typedef struct loads {
  lb_v4 node[LB_PATH_NODES];
  double begin, size, before[LB_PATH_SPANS];
} loads;

static loads no_loads(const lb_path* p) {
  loads on;
  on.begin = on.size = 0;
  memset(on.before, 0, sizeof on.before);
  for (int j = 0; j < lb_path_nodes(p); j++) {
    on.node[lb_path_which(p, j)] = lb_v4_zero();
  }
  return on;
}

// A force on an end of a span, and its opposite on the surface there.
static void push_end(lb_work* w, const lb_mass_path* P, int span, int e, lb_v4 force, loads* on) {
  on->node[span + e] += force;
  push_link(w, P->span[span].frame.link, P->p.node[span + e].at.at, -force);
}

// Dependent nodes hand their forces on, and all others put theirs on links.
static void push_nodes(lb_work* w, const lb_path* p, loads* on, double* tau) {
  lb_path_hand_on(p, on->node, tau);
  for (int j = 0; j < lb_path_nodes(p); j++) {
    const int i = lb_path_which(p, j);
    if (!p->node[i].dependent) {
      push_node(w, &p->node[i], on->node[i], tau);
    }
  }
}

// Acceleration of a station.
static lb_v4 acceleration(const lb_mass_span* s, const lb_taylor3* x) {
  const lb_path_frame* f = &s->frame;
  const lb_v4 r = lane(s, x, 0, 0), u = lane(s, x, 1, 0), a = 2 * lane(s, x, 2, 0);
  return f->a + lb_v4_cross(f->al, r) + lb_v4_cross(f->w, lb_v4_cross(f->w, r)) +
         2 * lb_v4_cross(f->w, u) + a;
}

static void push_station(lb_work* w, const lb_mass_path* P, const lb_station* st, loads* on) {
  const lb_mass_span* s = &P->span[st->span];
  const lb_taylor sigma = lb_mass_path_sigma(2, P, st->span, st->k);
  const lb_taylor3 x = lb_wrap_point(2, piece_of(P, st), &sigma);
  const lb_v4 force = acceleration(s, &x) * st->mass;
  push_link(w, s->frame.link, s->frame.o + lane(s, &x, 0, 0), force);
  double g[8];
  for (int i = 1; i < 8; i++) {
    g[i] = lb_v4_dot(lane(s, &x, 0, i), force);
  }
  const lb_vec3 end[] = {{g[2], g[3], g[4]}, {g[5], g[6], g[7]}};
  for (int e = 0; e < 2; e++) {
    push_end(w, P, st->span, e, lb_path_world(&s->frame, end[e]), on);
  }
  on->begin += g[1];
  on->size += st->k * g[1];
  on->before[st->span] -= g[1];
}

// (2)
static void push_corners(const lb_mass_path* P, loads* on) {
  const lb_path_mass* m = &P->p.of->mass;
  for (int i = 1; i + 1 < P->p.count && m->points == 0; i++) {
    double k;
    if (lb_mass_path_material(P, P->span[i].c, &k)) {
      lb_v4 in, out;
      const double Lb = P->size[0], kd = (P->span[i].cd - P->begin[1] - k * P->size[1]) / Lb;
      lb_mass_path_corner(P, i, &in, &out);
      on->node[i] += (out - in) * (m->mass * kd * kd * Lb);
    }
  }
}

static void push_lengths(lb_work* w, const lb_mass_path* P, loads* on, double* tau) {
  const lb_model_path* of = P->p.of;
  double lambda = of->mass.B0 * on->begin + of->mass.B1 * on->size;
  for (int i = 0; i < of->ntendon; i++) {
    tau[of->tendon[i].v] += of->tendon[i].C0 * on->begin + of->tendon[i].C1 * on->size;
  }
  for (int s = P->p.count - 2; s >= 0; s--) {
    const lb_taylor* l = lb_wrap_length(P->span[s].path);
    for (int e = 0; e < 2; e++) {
      const int at = e == 0 ? LB_TAYLOR_P : LB_TAYLOR_Q;
      const lb_vec3 g = {lb_taylor_lane(l, 0, at), lb_taylor_lane(l, 0, at + 1),
                         lb_taylor_lane(l, 0, at + 2)};
      push_end(w, P, s, e, lb_path_world(&P->span[s].frame, g) * lambda, on);
    }
    lambda += on->before[s];
  }
}

void lb_muscles_inverse(const lb_model* m, lb_work* w, double* tau, const double* q,
                        const double* qd, const double* qdd) {
  for (int i = 0; i < m->muscle.count; i++) {
    const lb_model_path* of = m->muscle.item[i].path;
    if (!(of->mass.mass > 0)) {
      continue;
    }
    lb_mass_path P;
    lb_mass_path_find(&P, 2, 0, of, w, q, qd, qdd);
    loads on = no_loads(&P.p);
    lb_station* st = w->muscles->inertia->station;
    const int n = lb_mass_path_stations(&P, st);
    for (int k = 0; k < n; k++) {
      push_station(w, &P, &st[k], &on);
    }
    push_corners(&P, &on);
    push_lengths(w, &P, &on, tau);
    push_nodes(w, &P.p, &on, tau);
  }
}

// --- mass matrix ---

// Motions of a point of a link with the velocities of a path.
static void columns_at(const lb_model* m, const lb_work* w, const lb_model_path* of, int link,
                       lb_v4 at, lb_motion* out) {
  for (int k = 0; k < of->nv; k++) {
    out[of->v[k]] = lb_motion_zero();
  }
  for (int i = link; i != LB_WORLD; i = m->link.packed[i].parent) {
    const lb_link* l = &m->link.packed[i];
    const lb_v4* S = w->S + 2 * (size_t)l->column;
    for (int k = 0; k < l->nv && l->v < m->ndense; k++) {
      const lb_motion here = {S[2 * k], S[2 * k + 1]};
      out[l->v + k] = lb_motion_add(out[l->v + k], lb_motion_shift(here, w->state[i].p - at));
    }
  }
}

// Motions of a node with each velocity of its path, of a dependent one by those of its places;
// `scratch` [nv] is for places.
static void move_node(const lb_model* m, const lb_work* w, const lb_path* p, int i, lb_v4* out,
                      lb_motion* scratch) {
  const lb_path_node* n = &p->node[i];
  const lb_model_path* of = p->of;
  columns_at(m, w, of, n->item->at.link, n->at.at, scratch);
  for (int k = 0; k < of->nv; k++) {
    const int v = of->v[k];
    out[v] = scratch[v].v + (v == n->item->v ? n->slope[0] : lb_v4_zero());
  }
}

static void move_dependent(const lb_model* m, const lb_work* w, const lb_path* p,
                           const lb_path_group* g, int node, lb_v4* out) {
  const lb_inertia_work* I = w->muscles->inertia;
  const int numbers = lb_group_numbers(&g->of);
  const double* c = lb_path_slope(p, g, 0) + 3 * node * numbers;
  for (int k = 0; k < p->of->nv; k++) {
    out[p->of->v[k]] = lb_v4_zero();
  }
  for (int j = 0; j < g->of.nplace; j++) {
    move_node(m, w, p, g->place[j], I->place, (lb_motion*)I->x);
    for (int k = 0; k < p->of->nv; k++) {
      const lb_v4 z = I->place[p->of->v[k]];
      for (int i = 0; i < 3; i++) {
        const double* by = c + i * numbers + 3 * j;
        out[p->of->v[k]][i] += by[0] * z[0] + by[1] * z[1] + by[2] * z[2];
      }
    }
  }
  for (int j = 0; j < g->of.ncoordinate; j++) {
    for (int i = 0; i < 3; i++) {
      out[g->v[j]][i] += c[i * numbers + 3 * g->of.nplace + j];
    }
  }
}

static void move_any(const lb_model* m, const lb_work* w, const lb_path* p, int i, lb_v4* out) {
  for (int j = 0; j < p->ngroup; j++) {
    const lb_path_group* g = &p->group[j];
    if (i >= g->first && i < g->first + g->of.n) {
      move_dependent(m, w, p, g, i - g->first, out);
      return;
    }
  }
  move_node(m, w, p, i, out, (lb_motion*)w->muscles->inertia->x);
}

// Changes of both ends of a span, in its frame, and of its length, with each velocity.
static void move_span(const lb_model* m, const lb_work* w, const lb_mass_path* P, int s) {
  const lb_inertia_work* I = w->muscles->inertia;
  const lb_model_path* of = P->p.of;
  const size_t nv = (size_t)m->nv;
  const lb_mass_span* span = &P->span[s];
  const lb_taylor* l = lb_wrap_length(span->path);
  lb_motion* frame = I->column + (size_t)s * nv;
  double* length = I->length + (size_t)s * nv;
  columns_at(m, w, of, span->frame.link, span->frame.o, frame);
  for (int k = 0; k < of->nv; k++) {
    length[of->v[k]] = 0;
  }
  for (int e = 0; e < 2; e++) {
    const lb_path_node* n = &P->p.node[s + e];
    lb_v4* to = I->end + (size_t)(2 * s + e) * nv;
    const int at = e == 0 ? LB_TAYLOR_P : LB_TAYLOR_Q;
    const lb_v4 g = {lb_taylor_lane(l, 0, at), lb_taylor_lane(l, 0, at + 1),
                     lb_taylor_lane(l, 0, at + 2), 0};
    move_any(m, w, &P->p, s + e, to);
    for (int i = 0; i < of->nv; i++) {
      const int v = of->v[i];
      const lb_v4 x = to[v] - lb_motion_shift(frame[v], span->frame.o - n->at.at).v;
      to[v] = lb_m3_apply_transposed(span->frame.R, x);
      length[v] += lb_v4_dot(g, to[v]);
    }
  }
}

// Motion of a station with each velocity.
static void move_station(const lb_model* m, const lb_work* w, const lb_mass_path* P,
                         const lb_station* st, const double* whole, const double* before,
                         lb_v4* out) {
  const lb_inertia_work* I = w->muscles->inertia;
  const lb_mass_span* s = &P->span[st->span];
  const lb_path_mass* mass = &P->p.of->mass;
  const size_t nv = (size_t)m->nv;
  const lb_taylor sigma = lb_mass_path_sigma(0, P, st->span, st->k);
  const lb_taylor3 x = lb_wrap_point(0, piece_of(P, st), &sigma);
  const double B = mass->B0 + st->k * mass->B1;
  const lb_v4 r = lane(s, &x, 0, 0);
  lb_v4 by[8];
  for (int i = 1; i < 8; i++) {
    by[i] = lane(s, &x, 0, i);
  }
  for (int i = 0; i < P->p.of->nv; i++) {
    const int v = P->p.of->v[i];
    const lb_motion f = I->column[(size_t)st->span * nv + (size_t)v];
    const lb_v4 p = I->end[(size_t)(2 * st->span) * nv + (size_t)v];
    const lb_v4 q = I->end[(size_t)(2 * st->span + 1) * nv + (size_t)v];
    out[v] = f.v + lb_v4_cross(f.w, r) + by[1] * (B * whole[v] - before[v]) + by[2] * p[0] +
             by[3] * p[1] + by[4] * p[2] + by[5] * q[0] + by[6] * q[1] + by[7] * q[2];
  }
  for (int i = 0; i < P->p.of->ntendon; i++) {
    const lb_path_tendon* t = &P->p.of->tendon[i];
    out[t->v] += by[1] * (t->C0 + st->k * t->C1);
  }
}

static void weigh(const lb_model* m, lb_work* w, const lb_mass_path* P, double* M) {
  const lb_inertia_work* I = w->muscles->inertia;
  const lb_model_path* of = P->p.of;
  const size_t nv = (size_t)m->nv, nd = (size_t)m->ndense;
  double *whole = I->whole, *before = I->before;
  for (int i = 0; i < of->nv; i++) {
    whole[of->v[i]] = before[of->v[i]] = 0;
  }
  for (int s = 0; s + 1 < P->p.count; s++) {
    move_span(m, w, P, s);
    for (int i = 0; i < of->nv; i++) {
      whole[of->v[i]] += I->length[(size_t)s * nv + (size_t)of->v[i]];
    }
  }
  const int n = lb_mass_path_stations(P, I->station);
  int span = 0;
  for (int k = 0; k < n; k++) {
    const lb_station* st = &I->station[k];
    for (; span < st->span; span++) {
      for (int i = 0; i < of->nv; i++) {
        before[of->v[i]] += I->length[(size_t)span * nv + (size_t)of->v[i]];
      }
    }
    move_station(m, w, P, st, whole, before, I->x);
    for (int i = 0; i < of->nv; i++) {
      const lb_v4 a = I->x[of->v[i]] * st->mass;
      for (int j = 0; j < of->nv; j++) {
        M[(size_t)of->v[i] * nd + (size_t)of->v[j]] += lb_v4_dot(a, I->x[of->v[j]]);
      }
    }
  }
}

void lb_muscle_weigh(const lb_model* m, lb_work* w, int i, double* M, const double* q) {
  const lb_model_path* of = m->muscle.item[i].path;
  if (of->mass.mass > 0) {
    lb_mass_path P;
    lb_mass_path_find(&P, 0, 0, of, w, q, w->muscles->inertia->still, NULL);
    weigh(m, w, &P, M);
  }
}

void lb_muscles_weigh(const lb_model* m, lb_work* w, double* M, const double* q) {
  for (int i = 0; i < m->muscle.count; i++) {
    lb_muscle_weigh(m, w, i, M, q);
  }
}

// --- energy and momentum ---

lb_muscle_motion lb_muscles_motion(const lb_model* m, lb_work* w, const double* q,
                                   const double* qd) {
  lb_muscle_motion sum = {0};
  for (int i = 0; i < m->muscle.count; i++) {
    const lb_model_path* of = m->muscle.item[i].path;
    if (!(of->mass.mass > 0)) {
      continue;
    }
    lb_mass_path P;
    lb_mass_path_find(&P, 0, 0, of, w, q, qd, NULL);
    lb_station* st = w->muscles->inertia->station;
    const int n = lb_mass_path_stations(&P, st);
    for (int k = 0; k < n; k++) {
      const lb_mass_span* s = &P.span[st[k].span];
      const lb_taylor sigma = lb_mass_path_sigma(1, &P, st[k].span, st[k].k);
      const lb_taylor3 x = lb_wrap_point(1, piece_of(&P, &st[k]), &sigma);
      const lb_v4 r = lane(s, &x, 0, 0), at = s->frame.o + r;
      const lb_v4 v = s->frame.v + lb_v4_cross(s->frame.w, r) + lane(s, &x, 1, 0);
      sum.kinetic += 0.5 * st[k].mass * lb_v4_dot(v, v);
      sum.moment += at * st[k].mass;
      sum.linear += v * st[k].mass;
      sum.angular += lb_v4_cross(at, v) * st[k].mass;
    }
  }
  return sum;
}
