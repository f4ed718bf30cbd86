// Elastic bodies in a glTF file: one mesh each, with the vectors of the basis as morph targets
// whose weights are the body's coordinates. That is exact for the vertices; the normals turn as
// they start to, which is what a viewer's eye can tell.
//
// Some programs, Blender among them, clamp weights to [0, 1]. With x_k in [low_k, high_k] over all
// frames shown, a vertex stands at
//
//   rest + sum_k x_k Phi_k = rest + 1 (sum_k low_k Phi_k) + sum_k w_k (high_k - low_k) Phi_k,
//   w_k = (x_k - low_k) / (high_k - low_k)
//
// so that target 0 is the sum of the lowest, of weight 1 throughout, and all weights are in range.
#include <math.h>

#include "output/gltf/gltf.h"

enum { MOST_TARGETS = 33 };

// Vectors that never move anything by this fraction of the scene are left out.
static const double UNSEEN = 1e-4;

static double coordinate(const lb_gltf* g, int frame, int e, int vector) {
  const double x =
      g->r->q[(size_t)frame * (size_t)g->m->nq + (size_t)(g->m->elastic.body[e].q + vector)];
  return isfinite(x) ? x : 0;
}

double lb_gltf_weight(const lb_gltf* g, int frame, int e, int target) {
  const lb_gltf_bent* b = &g->bent[e];
  if (target == 0) {
    return 1;
  }
  const double x = coordinate(g, frame, e, b->vector[target]);
  return fmin(1, fmax(0, (x - b->low[target]) / b->scale[target]));
}

// Farthest that a vector moves a vertex, for a coordinate of one.
static double reach(const lb_model_elastic* e, int vector) {
  const size_t n = (size_t)e->surface.nvertex;
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    const double* u = e->Phi + 3 * ((size_t)vector * n + i);
    most = fmax(most, u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  }
  return sqrt(most);
}

// Put a vector among the targets, those that move most first; what moves less goes towards the end
// and out.
static void insert_target(lb_gltf_bent* b, double* far, int vector, double moved) {
  int at = b->ntarget;
  for (; at > 1 && far[at - 1] < moved; at--) {
    if (at < MOST_TARGETS) {
      far[at] = far[at - 1];
      b->vector[at] = b->vector[at - 1];
    }
  }
  if (at < MOST_TARGETS) {
    far[at] = moved;
    b->vector[at] = vector;
    b->ntarget += b->ntarget < MOST_TARGETS;
  }
}

// Range of a coordinate over the frames shown.
static void find_range(const lb_gltf* g, int e, int vector, double* low, double* high) {
  *low = *high = coordinate(g, g->frame[0], e, vector);
  for (int i = 1; i < g->nframe; i++) {
    const double x = coordinate(g, g->frame[i], e, vector);
    *low = fmin(*low, x);
    *high = fmax(*high, x);
  }
}

// The vectors that are seen, and what their weights of 0 and 1 stand for.
static void choose_targets(lb_gltf* g, int e) {
  const lb_model_elastic* body = &g->m->elastic.body[e];
  lb_gltf_bent* b = &g->bent[e];
  double far[MOST_TARGETS], low, high;
  b->ntarget = 1;
  for (int k = 0; k < body->r; k++) {
    find_range(g, e, k, &low, &high);
    const double moved = fmax(fabs(low), fabs(high)) * reach(body, k);
    if (moved > UNSEEN * g->size) {
      insert_target(b, far, k, moved);
    }
  }
  b->ntarget = b->ntarget > 1 ? b->ntarget : 0;
  for (int i = 1; i < b->ntarget; i++) {
    find_range(g, e, b->vector[i], &b->low[i], &high);
    b->scale[i] = high > b->low[i] ? high - b->low[i] : 1;
  }
}

void lb_gltf_find_normals(const lb_mesh* s, const lb_vec3* vertex, lb_vec3* normal) {
  for (int i = 0; i < s->nvertex; i++) {
    normal[i] = lb_vec3_make(0, 0, 0);
  }
  for (int f = 0; f < s->nface; f++) {
    const int* v = s->face + 3 * f;
    const lb_vec3 n = lb_vec3_cross(lb_vec3_sub(vertex[v[1]], vertex[v[0]]),
                                    lb_vec3_sub(vertex[v[2]], vertex[v[0]]));
    for (int k = 0; k < 3; k++) {
      normal[v[k]] = lb_vec3_add(normal[v[k]], n);
    }
  }
  for (int i = 0; i < s->nvertex; i++) {
    const double length = lb_vec3_norm(normal[i]);
    normal[i] = length > 0 ? lb_vec3_scale(1 / length, normal[i]) : lb_vec3_make(0, 0, 1);
  }
}

// Add to `moved` how far a coordinate moves the vertices.
static void move_along(lb_vec3* moved, const lb_model_elastic* body, int vector, double x) {
  const int n = body->surface.nvertex;
  const double* Phi = body->Phi + 3 * (size_t)vector * (size_t)n;
  for (int i = 0; i < n; i++) {
    moved[i] = lb_vec3_add(
        moved[i], lb_vec3_scale(x, lb_vec3_make(Phi[3 * i], Phi[3 * i + 1], Phi[3 * i + 2])));
  }
}

// A target: how far weight 1 moves the vertices.
static void find_target(const lb_gltf* g, int e, int target, lb_vec3* moved) {
  const lb_model_elastic* body = &g->m->elastic.body[e];
  const lb_gltf_bent* b = &g->bent[e];
  for (int i = 0; i < body->surface.nvertex; i++) {
    moved[i] = lb_vec3_make(0, 0, 0);
  }
  for (int k = 1; k < b->ntarget && target == 0; k++) {
    move_along(moved, body, b->vector[k], b->low[k]);
  }
  if (target > 0) {
    move_along(moved, body, b->vector[target], b->scale[target]);
  }
}

// A target, and how the normals start to turn along it.
static void add_target(lb_gltf* g, int e, int target, lb_vec3* scratch) {
  static const double STEP = 1e-4; // of the difference that gives the derivative
  const lb_model_elastic* body = &g->m->elastic.body[e];
  lb_gltf_bent* b = &g->bent[e];
  const int n = body->surface.nvertex;
  lb_vec3 *moved = scratch, *bent = scratch + n, *ahead = scratch + 2 * n, *back = scratch + 3 * n;
  find_target(g, e, target, moved);
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < n; i++) {
      bent[i] = lb_vec3_add(body->surface.vertex[i], lb_vec3_scale(side ? -STEP : STEP, moved[i]));
    }
    lb_gltf_find_normals(&body->surface, bent, side ? back : ahead);
  }
  b->to_position[target] = lb_gltf_positions(g, moved, n);
  const lb_gltf_accessor a = lb_gltf_begin(g, LB_GLTF_NORMAL, LB_GLTF_FLOAT, n, "VEC3");
  for (int i = 0; i < n; i++) {
    const lb_vec3 d = lb_vec3_scale(0.5 / STEP, lb_vec3_sub(ahead[i], back[i]));
    lb_gltf_put3(g, LB_GLTF_NORMAL, d);
  }
  b->to_normal[target] = lb_gltf_add(g, a);
}

static void add_weights(lb_gltf* g, int e) {
  const lb_gltf_bent* b = &g->bent[e];
  lb_gltf_add_times(g);
  const lb_gltf_accessor a =
      lb_gltf_begin(g, LB_GLTF_MOTION, LB_GLTF_FLOAT, g->nframe * b->ntarget, "SCALAR");
  for (int i = 0; i < g->nframe; i++) {
    for (int k = 0; k < b->ntarget; k++) {
      lb_out_f32(&g->bytes[LB_GLTF_MOTION], lb_gltf_weight(g, g->frame[i], e, k));
    }
  }
  lb_gltf_add_channel(g, lb_gltf_bent_node(g, e), "weights", lb_gltf_add(g, a));
}

static void collect_bent(lb_gltf* g, int e) {
  const lb_mesh* s = &g->m->elastic.body[e].surface;
  lb_gltf_bent* b = &g->bent[e];
  b->surface.position = -1;
  if (s->nface == 0) {
    return;
  }
  b->vector = LB_TAKE(&g->arena, int, MOST_TARGETS);
  b->low = LB_TAKE(&g->arena, double, MOST_TARGETS);
  b->scale = LB_TAKE(&g->arena, double, MOST_TARGETS);
  b->to_position = LB_TAKE(&g->arena, int, MOST_TARGETS);
  b->to_normal = LB_TAKE(&g->arena, int, MOST_TARGETS);
  lb_vec3* scratch = LB_TAKE(&g->arena, lb_vec3, 4 * (size_t)s->nvertex);
  if (lb_gltf_failed(g)) {
    return;
  }
  lb_gltf_find_normals(s, s->vertex, scratch);
  b->surface = lb_gltf_add_surface(g, s, scratch);
  b->surface.stress = lb_gltf_add_stress(g, e);
  choose_targets(g, e);
  for (int k = 0; k < b->ntarget && !lb_gltf_failed(g); k++) {
    add_target(g, e, k, scratch);
  }
  if (g->nframe > 1 && b->ntarget > 0 && !lb_gltf_failed(g)) {
    add_weights(g, e);
  }
}

void lb_gltf_collect_bent(lb_gltf* g) {
  g->bent = LB_TAKE(&g->arena, lb_gltf_bent, g->m->elastic.count);
  for (int e = 0; e < g->m->elastic.count && !lb_gltf_failed(g); e++) {
    collect_bent(g, e);
  }
}
