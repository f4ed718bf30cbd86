#include "dynamics/muscle/path.h"

#include <math.h>
#include <string.h>

#include "math/curve/time_profile.h"

// --- nodes and frames ---

// Moving points: place in the frame by functions of a coordinate, and what its rates add.
static void move(lb_path_node* n, const lb_work* w, const double* q, const double* qd) {
  const lb_path_item* item = n->item;
  const lb_state* s = &w->state[item->at.link];
  double f[3][4];
  for (int k = 0; k < 3; k++) {
    lb_profile_evaluate(item->along[k], q[item->q], f[k]);
    f[k][3] = lb_profile_third(item->along[k], q[item->q]);
  }
  lb_v4 part[4];
  for (int i = 0; i < 4; i++) {
    const lb_vec3 in_frame = {f[0][i], f[1][i], f[2][i]};
    const lb_vec3 in_link =
        i == 0 ? lb_transform_point(item->at.X, in_frame) : lb_quat_rotate(item->at.X.q, in_frame);
    part[i] = lb_m3_apply(s->R, lb_v4_from(in_link));
  }
  const double rate = qd[item->v];
  n->slope[0] = part[1];
  n->slope[1] = part[2];
  n->slope[2] = part[3];
  n->at.arm = part[0];
  n->at.at = s->p + part[0];
  n->at.velocity = s->v + lb_v4_cross(s->w, part[0]) + part[1] * rate;
}

static lb_path_node node_at(const lb_path_item* item, lb_work* w, const double* q,
                            const double* qd) {
  lb_path_node n = {.item = item, .at = lb_force_point_find(w, &item->at)};
  if (item->v >= 0) {
    move(&n, w, q, qd);
  }
  return n;
}

lb_path_frame lb_path_frame_find(const lb_path_item* item, const lb_work* w) {
  const lb_state* s = &w->state[item->at.link];
  lb_path_frame f = {.link = item->at.link, .w = s->w, .al = s->al};
  f.R = lb_m3_mul(s->R, lb_m3_rotation(item->at.X.q));
  f.arm = lb_m3_apply(s->R, lb_v4_from(item->at.X.p));
  f.o = s->p + f.arm;
  f.v = s->v + lb_v4_cross(s->w, f.arm);
  f.a = s->a + lb_v4_cross(s->al, f.arm) + lb_v4_cross(s->w, lb_v4_cross(s->w, f.arm));
  return f;
}

// Rates in a frame that moves: u = xd - v - w x r, and what is left of the acceleration.
lb_path_end lb_path_end_in(const lb_path_frame* f, const lb_path_node* n) {
  const lb_v4 r = n->at.at - f->o;
  const lb_v4 u = n->at.velocity - f->v - lb_v4_cross(f->w, r);
  const lb_v4 a = n->acceleration - f->a - lb_v4_cross(f->al, r) -
                  lb_v4_cross(f->w, lb_v4_cross(f->w, r)) - 2 * lb_v4_cross(f->w, u);
  return (lb_path_end){lb_v4_vec3(lb_m3_apply_transposed(f->R, r)),
                       lb_v4_vec3(lb_m3_apply_transposed(f->R, u)),
                       lb_v4_vec3(lb_m3_apply_transposed(f->R, a))};
}

// --- spans ---

static void straight(lb_path_span* s, const lb_path_node* a, const lb_path_node* b) {
  const lb_v4 way = b->at.at - a->at.at;
  const double l = sqrt(lb_v4_dot(way, way));
  const lb_v4 e = l > 0 ? way / l : lb_v4_zero();
  s->length = l;
  s->rate = lb_v4_dot(e, b->at.velocity - a->at.velocity);
  s->g[0] = -e;
  s->g[1] = e;
}

// Rate by the gradient g in the frame.
static double rate_of(const lb_path_span* s) {
  double rate = 0;
  for (int e = 0; e < 2; e++) {
    const lb_vec3 g = lb_v4_vec3(lb_m3_apply_transposed(s->frame.R, s->g[e]));
    rate += lb_vec3_dot(g, s->end[e].xd);
  }
  return rate;
}

static void over(lb_path_span* s, const lb_path_node* a, const lb_path_node* b) {
  lb_wrap_path path;
  s->end[0] = lb_path_end_in(&s->frame, a);
  s->end[1] = lb_path_end_in(&s->frame, b);
  lb_wrap_find(0, &s->surface->wrap, &path, &s->end[0], &s->end[1]);
  const lb_taylor* L = lb_wrap_length(&path);
  s->length = lb_taylor_value(L);
  for (int e = 0; e < 2; e++) {
    const int lane = e == 0 ? LB_TAYLOR_P : LB_TAYLOR_Q;
    const lb_vec3 g = {lb_taylor_lane(L, 0, lane), lb_taylor_lane(L, 0, lane + 1),
                       lb_taylor_lane(L, 0, lane + 2)};
    s->g[e] = lb_path_world(&s->frame, g);
  }
  s->rate = rate_of(s);
}

void lb_path_measure(lb_path* p, int i) {
  lb_path_span* s = &p->span[i];
  if (s->surface) {
    over(s, &p->node[i], &p->node[i + 1]);
  } else {
    straight(s, &p->node[i], &p->node[i + 1]);
  }
}

void lb_path_measure_rate(lb_path* p, int i) {
  lb_path_span* s = &p->span[i];
  if (s->surface) {
    s->end[0] = lb_path_end_in(&s->frame, &p->node[i]);
    s->end[1] = lb_path_end_in(&s->frame, &p->node[i + 1]);
    s->rate = rate_of(s);
  } else {
    s->rate = lb_v4_dot(s->g[1], p->node[i + 1].at.velocity - p->node[i].at.velocity);
  }
}

// --- nodes along a path ---

static void add_node(lb_path* p, const lb_path_node* n, const lb_path_item* surface,
                     const lb_path_frame* frame) {
  if (p->count > 0) {
    lb_path_span* s = &p->span[p->count - 1];
    s->surface = surface;
    if (surface) {
      s->frame = *frame;
    }
  }
  p->node[p->count++] = *n;
}

static lb_path_group* add_group(lb_path* p) {
  lb_path_group* g = &p->group[p->ngroup];
  const lb_path_group* last = g - 1;
  g->slopes = p->ngroup == 0 ? 0
                             : last->slopes + (LB_TAYLOR_ORDER + 1) * 3 * last->of.n *
                                                  lb_group_numbers(&last->of);
  g->known = 0;
  g->first = p->count;
  p->ngroup++;
  return g;
}

static int hide_node(lb_path* p, const lb_path_node* n) {
  const int at = LB_PATH_MOST_POINTS + p->nhidden++;
  p->node[at] = *n;
  return at;
}

// Origin of a surface, and the tips of its axes x and y.
static void hide_frame(lb_path* p, lb_path_group* g, int at, const lb_path_item* item, lb_work* w) {
  static const lb_vec3 TIP[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  for (int k = 0; k < 3; k++) {
    lb_anchor tip = item->at;
    tip.X.p = lb_transform_point(tip.X, TIP[k]);
    const lb_path_node n = {.item = item, .at = lb_force_point_find(w, &tip)};
    g->place[at + k] = hide_node(p, &n);
  }
}

static void add_dependent(lb_path* p, lb_vec3 x, const lb_path_item* surface,
                          const lb_path_frame* frame) {
  static const lb_path_item NOWHERE = {.at = {.link = LB_WORLD}, .q = -1, .v = -1, .condition = -1};
  const lb_path_node n = {
      .item = &NOWHERE, .dependent = true, .at = {.at = lb_v4_from(x), .index = LB_WORLD}};
  add_node(p, &n, surface, frame);
}

// Surfaces in a row, up to a node.
static void add_row(lb_path* p, int n, const lb_path_item* const* surface, const lb_path_node* last,
                    lb_work* w) {
  const lb_vec3 a = lb_v4_vec3(p->node[p->count - 1].at.at), b = lb_v4_vec3(last->at.at);
  const lb_path_item* row[LB_ROW_MOST];
  lb_path_frame frame[LB_ROW_MOST];
  lb_chain_link link[LB_ROW_MOST];
  int count = 0;
  for (int i = 0; i < n; i++) {
    const lb_path_frame f = lb_path_frame_find(surface[i], w);
    link[count] = (lb_chain_link){&surface[i]->wrap, lb_m3_mat3(f.R), lb_v4_vec3(f.o)};
    row[count] = surface[i];
    frame[count] = f;
    count += n == 1 || lb_chain_goes_around(&link[count], a, b);
  }
  if (count > 1) {
    lb_path_group* g = add_group(p);
    lb_chain_solve(count, link, a, b, &g->of, &g->at);
    g->place[0] = p->count - 1;
    g->place[1] = p->count + count - 1;
    for (int i = 0; i < count; i++) {
      hide_frame(p, g, 2 + 3 * i, row[i], w);
    }
    for (int i = 0; i + 1 < count; i++) {
      add_dependent(p, g->at.x[i], row[i], &frame[i]);
    }
  }
  add_node(p, last, count ? row[count - 1] : NULL, count ? &frame[count - 1] : NULL);
}

// Points that come in over a part of a coordinate, up to a node.
static void add_blends(lb_path* p, int n, const lb_path_item* item, const lb_path_node* last,
                       lb_work* w, const double* q, const double* qd) {
  lb_path_group* g = add_group(p);
  lb_vec3 place[LB_GROUP_PLACES];
  double coordinate[LB_GROUP_NODES];
  g->of = lb_path_blend_group(n, item);
  g->place[0] = p->count - 1;
  g->place[1] = p->count + n;
  place[0] = lb_v4_vec3(p->node[p->count - 1].at.at);
  place[1] = lb_v4_vec3(last->at.at);
  for (int i = 0; i < n; i++) {
    const lb_path_node node = node_at(&item[i], w, q, qd);
    g->place[2 + i] = hide_node(p, &node);
    place[2 + i] = g->at.x[i] = lb_v4_vec3(node.at.at);
    g->v[i] = item[i].condition_v;
    coordinate[i] = g->coordinate[i][0] = q[item[i].condition];
    g->coordinate[i][1] = qd[item[i].condition_v];
    g->coordinate[i][2] = 0;
  }
  lb_group_solve(&g->of, &g->at, place, coordinate);
  for (int i = 0; i < n; i++) {
    add_dependent(p, g->at.x[i], NULL, NULL);
  }
  add_node(p, last, NULL, NULL);
}

// Nodes between exact paths are in balance: neither their rates nor what they follow from matter.
static bool is_balanced(const lb_path* p, const lb_path_group* g) {
  double most = 0;
  for (int i = g->first; i < g->first + g->of.n; i++) {
    const lb_v4 sum = p->span[i - 1].g[1] + p->span[i].g[0];
    most = fmax(most, lb_v4_dot(sum, sum));
  }
  static const double ROUNDING = 1e-11;
  return most < ROUNDING * ROUNDING;
}

static void measure_all(lb_path* p) {
  for (int s = 0; s + 1 < p->count; s++) {
    lb_path_measure(p, s);
  }
  for (int k = 0; k < p->ngroup; k++) {
    lb_path_group* g = &p->group[k];
    if (!is_balanced(p, g)) {
      lb_path_follow(p, g, 1, 0);
    }
  }
  p->length = p->rate = 0;
  for (int s = 0; s + 1 < p->count; s++) {
    p->length += p->span[s].length;
    p->rate += p->span[s].rate;
  }
}

void lb_path_find(lb_path* p, const lb_model_path* of, lb_work* w, const double* q,
                  const double* qd) {
  const lb_path_item* surface[LB_ROW_MOST];
  int n = 0, blends = 0;
  p->of = of;
  p->count = p->nhidden = p->ngroup = 0;
  for (int i = 0; i < of->count; i++) {
    const lb_path_item* item = &of->item[i];
    if (item->wraps) {
      surface[n++] = item;
    } else if (lb_path_item_blends(item)) {
      blends++;
    } else if (lb_path_item_counts(item, q)) {
      const lb_path_node node = node_at(item, w, q, qd);
      if (n > 0) {
        add_row(p, n, surface, &node, w);
      } else if (blends > 0) {
        add_blends(p, blends, item - blends, &node, w, q, qd);
      } else {
        add_node(p, &node, NULL, NULL);
      }
      n = blends = 0;
    }
  }
  measure_all(p);
}

// --- forces ---

void lb_path_push(const lb_path_node* n, lb_v4 force, double* tau) {
  lb_force_point_apply(&n->at, force);
  if (n->item->v >= 0) {
    tau[n->item->v] += lb_v4_dot(n->slope[0], force);
  }
}

void lb_path_pull(const lb_path* p, lb_work* w) {
  for (int i = 0; i < p->of->ntendon; i++) {
    w->tau[p->of->tendon[i].v] += p->F;
  }
  lb_v4 on[LB_PATH_NODES];
  for (int j = 0; j < lb_path_nodes(p); j++) {
    on[lb_path_which(p, j)] = lb_v4_zero();
  }
  for (int s = 0; s + 1 < p->count; s++) {
    const lb_path_span* span = &p->span[s];
    for (int e = 0; e < 2; e++) {
      const lb_v4 f = span->g[e] * -p->F;
      on[s + e] += f;
      if (span->surface && span->frame.link != LB_WORLD) {
        lb_state* link = &w->state[span->frame.link];
        link->xf -= f;
        link->xn -= lb_v4_cross(p->node[s + e].at.at - link->p, f);
      }
    }
  }
  lb_path_hand_on(p, on, w->tau);
  for (int j = 0; j < lb_path_nodes(p); j++) {
    const int i = lb_path_which(p, j);
    if (!p->node[i].dependent) {
      lb_path_push(&p->node[i], on[i], w->tau);
    }
  }
}

// --- moment arms ---

// out[v] += the velocity of a point of a link for each velocity, along a direction.
static void add_motions(const lb_model* m, const lb_work* w, int link, lb_v4 at, lb_v4 along,
                        double* out) {
  for (int i = link; i != LB_WORLD; i = m->link.packed[i].parent) {
    const lb_link* l = &m->link.packed[i];
    const lb_v4* S = w->S + 2 * (size_t)l->column;
    for (int k = 0; k < l->nv && l->v < m->ndense; k++) {
      const lb_v4 v = S[2 * k + 1] + lb_v4_cross(S[2 * k], at - w->state[i].p);
      out[l->v + k] += lb_v4_dot(v, along);
    }
  }
}

void lb_path_arms(const lb_model* m, const lb_work* w, const lb_path* p, double* arm) {
  lb_v4 on[LB_PATH_NODES];
  memset(arm, 0, (size_t)m->nv * sizeof *arm);
  for (int j = 0; j < lb_path_nodes(p); j++) {
    on[lb_path_which(p, j)] = lb_v4_zero();
  }
  for (int s = 0; s + 1 < p->count; s++) {
    const lb_path_span* span = &p->span[s];
    for (int e = 0; e < 2; e++) {
      on[s + e] -= span->g[e];
      if (span->surface) {
        add_motions(m, w, span->frame.link, p->node[s + e].at.at, span->g[e], arm);
      }
    }
  }
  for (int i = 0; i < p->of->ntendon; i++) {
    arm[p->of->tendon[i].v] = 1;
  }
  lb_path_hand_on(p, on, arm);
  for (int j = 0; j < lb_path_nodes(p); j++) {
    const int i = lb_path_which(p, j);
    const lb_path_node* n = &p->node[i];
    add_motions(m, w, n->item->at.link, n->at.at, on[i], arm);
    if (n->item->v >= 0) {
      arm[n->item->v] += lb_v4_dot(n->slope[0], on[i]);
    }
  }
}
