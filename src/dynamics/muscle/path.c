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
  f.R = lb_m3_mul(s->R, lb_m3_from(lb_quat_matrix(item->at.X.q)));
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

static double along(lb_vec3 g, lb_vec3 yd) {
  return lb_vec3_dot(g, yd);
}

static void over(lb_path_span* s, const lb_path_node* a, const lb_path_node* b, const lb_work* w) {
  lb_wrap_path path;
  s->frame = lb_path_frame_find(s->surface, w);
  s->end[0] = lb_path_end_in(&s->frame, a);
  s->end[1] = lb_path_end_in(&s->frame, b);
  lb_wrap_find(0, &s->surface->wrap, &path, &s->end[0], &s->end[1]);
  const lb_taylor* L = lb_wrap_length(&path);
  s->length = lb_taylor_value(L);
  s->rate = 0;
  for (int e = 0; e < 2; e++) {
    const int lane = e == 0 ? LB_TAYLOR_P : LB_TAYLOR_Q;
    const lb_vec3 g = {L->c[0][lane], L->c[0][lane + 1], L->c[0][lane + 2]};
    s->rate += along(g, s->end[e].xd);
    s->g[e] = lb_path_world(&s->frame, g);
  }
}

static void add_span(lb_path* p, const lb_path_item* surface, const lb_work* w) {
  lb_path_span* s = &p->span[p->count - 1];
  const lb_path_node* n = &p->node[p->count];
  s->surface = surface;
  if (surface) {
    over(s, n - 1, n, w);
  } else {
    straight(s, n - 1, n);
  }
  p->length += s->length;
  p->rate += s->rate;
  p->count++;
}

// Spans over several surfaces to a node. Junctions rest: what pulls at them is in balance.
static void add_chain(lb_path* p, int n, const lb_path_item* const* surface, lb_path_node last,
                      const lb_work* w) {
  static const lb_path_item JUNCTION = {
      .at = {.link = LB_WORLD}, .q = -1, .v = -1, .condition = -1};
  const lb_vec3 a = lb_v4_vec3(p->node[p->count - 1].at.at), b = lb_v4_vec3(last.at.at);
  const lb_path_item* row[LB_CHAIN_MOST];
  lb_chain_link link[LB_CHAIN_MOST];
  lb_vec3 m[LB_CHAIN_MOST];
  int count = 0;
  for (int i = 0; i < n; i++) {
    const lb_path_frame f = lb_path_frame_find(surface[i], w);
    link[count] = (lb_chain_link){&surface[i]->wrap, lb_m3_mat3(f.R), lb_v4_vec3(f.o)};
    row[count] = surface[i];
    count += lb_chain_goes_around(&link[count], a, b);
  }
  if (count < 2) {
    p->node[p->count] = last;
    add_span(p, count ? row[0] : NULL, w);
    return;
  }
  n = count;
  surface = row;
  lb_wrap_chain(n, link, a, b, m);
  for (int i = 0; i < n; i++) {
    p->node[p->count] = i + 1 < n
                            ? (lb_path_node){.item = &JUNCTION,
                                             .junction = true,
                                             .at = {.at = lb_v4_from(m[i]), .index = LB_WORLD}}
                            : last;
    add_span(p, surface[i], w);
  }
}

void lb_path_find(lb_path* p, const lb_model_path* of, lb_work* w, const double* q,
                  const double* qd) {
  const lb_path_item* surface[LB_CHAIN_MOST];
  int n = 0;
  p->of = of;
  p->count = 0;
  p->length = p->rate = 0;
  for (int i = 0; i < of->count; i++) {
    const lb_path_item* item = &of->item[i];
    if (item->wraps) {
      surface[n++] = item;
    } else if (lb_path_item_counts(item, q)) {
      const lb_path_node node = node_at(item, w, q, qd);
      if (p->count == 0) {
        p->node[p->count++] = node;
      } else if (n > 1) {
        add_chain(p, n, surface, node, w);
      } else {
        p->node[p->count] = node;
        add_span(p, n ? surface[0] : NULL, w);
      }
      n = 0;
    }
  }
}

// --- forces ---

void lb_path_push(const lb_path_node* n, lb_v4 force, double* tau) {
  lb_force_point_apply(&n->at, force);
  if (n->item->v >= 0) {
    tau[n->item->v] += lb_v4_dot(n->slope[0], force);
  }
}

void lb_path_pull(const lb_path* p, lb_work* w) {
  for (int s = 0; s + 1 < p->count; s++) {
    const lb_path_span* span = &p->span[s];
    for (int e = 0; e < 2; e++) {
      const lb_path_node* n = &p->node[s + e];
      const lb_v4 f = span->g[e] * -p->F;
      lb_path_push(n, f, w->tau);
      if (span->surface && span->frame.link != LB_WORLD) {
        lb_state* link = &w->state[span->frame.link];
        link->xf -= f;
        link->xn -= lb_v4_cross(n->at.at - link->p, f);
      }
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
  memset(arm, 0, (size_t)m->nv * sizeof *arm);
  for (int s = 0; s + 1 < p->count; s++) {
    const lb_path_span* span = &p->span[s];
    for (int e = 0; e < 2; e++) {
      const lb_path_node* n = &p->node[s + e];
      add_motions(m, w, n->item->at.link, n->at.at, -span->g[e], arm);
      if (n->item->v >= 0) {
        arm[n->item->v] -= lb_v4_dot(n->slope[0], span->g[e]);
      }
      if (span->surface) {
        add_motions(m, w, span->frame.link, n->at.at, span->g[e], arm);
      }
    }
  }
}
