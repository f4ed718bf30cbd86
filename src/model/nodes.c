// The nodes of strands and flesh: where they start, what they are fastened to, what they weigh.
//
// A node that is fastened to a body is a point of it, [red] eq. 4.90: it has no coordinates, and
// its mass belongs to the body's link. So all that is left of it in the equations of motion are the
// forces that act there.
#include <math.h>
#include <string.h>

#include "elastic/fem.h"
#include "geom/distance.h"
#include "geom/tetmesh.h"
#include "model/build.h"
#include "model/link.h"
#include "model/pose.h"
#include "model/soft.h"

// --- fastening ---

static lb_vec3 in_world(const lb_model* m, const lb_transform* pose, int body, lb_vec3 at) {
  return body == LB_WORLD ? at : lb_transform_point(lb_body_pose(m, body, pose), at);
}

// Fasten node i to a body, at a point of it.
static void fasten(lb_model* m, int i, int body, lb_vec3 at) {
  lb_model_node* node = &m->node[i];
  node->body = body;
  node->in_body = at;
  if (body == LB_WORLD) {
    node->link = LB_WORLD;
    node->at = at;
    return;
  }
  node->link = m->body_link[body];
  node->at = lb_transform_point(m->body_in_link[body], at);
}

// --- strands ---

// How many segments a strand has from point k to the next: by the lengths, one at least. What
// rounding leaves over goes to the last ways that can take it.
static void share_segments(const lb_scene_strand* s, const lb_vec3* at, int* count) {
  const int ways = s->npoint - 1;
  double total = 0;
  if (s->share) {
    memcpy(count, s->share, (size_t)ways * sizeof *count);
    return;
  }
  for (int k = 0; k < ways; k++) {
    total += lb_vec3_norm(lb_vec3_sub(at[k + 1], at[k]));
  }
  double so_far = 0;
  int given = 0;
  for (int k = 0; k < ways; k++) {
    so_far += lb_vec3_norm(lb_vec3_sub(at[k + 1], at[k]));
    const int most = s->segments - (ways - 1 - k); // one each for those that follow
    int until = total > 0 ? (int)lround(s->segments * so_far / total) : 0;
    until = k == ways - 1 || until > most ? most : until;
    until = until > given ? until : given + 1;
    count[k] = until - given;
    given = until;
  }
}

// Springs between neighbours among the nodes from `first` on.
static lb_status add_segments(lb_build* b, const lb_scene_strand* s, int first) {
  lb_model* m = b->m;
  for (int i = first + 1; i < m->nnode; i++) {
    const double length = s->length ? s->length[i - first - 1]
                                    : lb_vec3_norm(lb_vec3_sub(m->node[i].at, m->node[i - 1].at));
    if (!(length > 0)) {
      return lb_error_add(b->err, LB_INVALID, s->place,
                          "strand '%s': two of its points are at the same place, and a segment "
                          "between them has no length",
                          s->name);
    }
    m->segment[m->nsegment++] = (lb_model_segment){.node = {i - 1, i},
                                                   .length = s->slack * length,
                                                   .stiffness = s->stiffness,
                                                   .damping = s->damping,
                                                   .pushes = s->pushes};
  }
  return LB_OK;
}

// Masses of the nodes: half of each segment's, by its length.
static void weigh_strand(lb_model* m, const lb_model_strand* strand, const lb_scene_strand* s) {
  double total = 0;
  for (int k = strand->first_segment; k < m->nsegment; k++) {
    total += m->segment[k].length;
  }
  for (int k = strand->first_segment; k < m->nsegment; k++) {
    for (int end = 0; end < 2; end++) {
      lb_model_node* node = &m->node[m->segment[k].node[end]];
      node->mass += s->mass * m->segment[k].length / total / 2;
      node->drag = s->drag * node->mass;
    }
  }
}

static lb_status add_strand(lb_build* b, int which, const lb_transform* pose) {
  lb_model* m = b->m;
  const lb_scene_strand* s = &b->scene->strand[which];
  const lb_arena_mark mark = lb_arena_here(&b->soft_arena);
  lb_vec3* at = LB_TAKE(&b->soft_arena, lb_vec3, s->npoint);
  int* count = LB_TAKE(b->arena, int, s->npoint);
  lb_model_strand* strand = &m->strand[which];
  *strand = (lb_model_strand){.name = lb_build_text(b, s->name),
                              .first_node = m->nnode,
                              .nnode = s->segments + 1,
                              .first_segment = m->nsegment,
                              .nway = s->npoint - 1,
                              .share = count,
                              .material = s->material,
                              .radius = s->radius};
  if (!at || !count || !strand->name) {
    return lb_build_no_memory(b);
  }
  for (int k = 0; k < s->npoint; k++) {
    at[k] = in_world(m, pose, s->point[k].free ? LB_WORLD : s->point[k].body, s->point[k].at);
  }
  share_segments(s, at, count);
  for (int k = 0; k < s->npoint; k++) {
    for (int i = 1; k > 0 && i < count[k - 1]; i++) {
      const lb_vec3 way = lb_vec3_sub(at[k], at[k - 1]);
      m->node[m->nnode++] = (lb_model_node){
          .link = LB_NODE_FREE,
          .at = lb_vec3_add(at[k - 1], lb_vec3_scale((double)i / count[k - 1], way))};
    }
    m->node[m->nnode++] = (lb_model_node){.link = LB_NODE_FREE, .at = at[k]};
  }
  const lb_status status = add_segments(b, s, strand->first_node);
  if (status != LB_OK) {
    return status;
  }
  weigh_strand(m, strand, s);
  for (int i = 0; s->start && i < strand->nnode; i++) {
    m->node[strand->first_node + i].at = s->start[i];
  }
  for (int k = 0, i = strand->first_node; k < s->npoint; i += count[k], k++) {
    if (!s->point[k].free) {
      fasten(m, i, s->point[k].body, s->point[k].at);
    }
  }
  lb_arena_reset(&b->soft_arena, mark);
  return LB_OK;
}

// --- flesh ---

// From a point of the world to a body: to its shapes, or where it has none to its origin.
static double distance(const lb_build* b, const lb_transform* X, int body, lb_vec3 x) {
  const lb_scene* s = b->scene;
  const lb_vec3 inside = lb_transform_point(lb_transform_inverse(*X), x);
  double least = INFINITY;
  for (int i = 0; i < s->nshape; i++) {
    if (s->shape[i].body == body) {
      const lb_vec3 p = lb_transform_point(lb_transform_inverse(s->shape[i].pose), inside);
      least = fmin(least, lb_shape_distance(&s->shape[i].shape, p));
    }
  }
  return isinf(least) ? lb_vec3_norm(inside) : least;
}

// Nodes inside the bodies, or near enough, are fastened to the one that they are deepest in.
static lb_status fasten_soft(lb_build* b, int which, const lb_transform* pose) {
  lb_model* m = b->m;
  const lb_scene_soft* s = &b->scene->soft[which];
  const lb_model_soft* soft = &m->soft[which];
  for (int k = 0; k < s->nbody; k++) {
    const lb_transform X = lb_body_pose(m, s->body[k], pose);
    int count = 0;
    for (int i = soft->first_node; i < soft->first_node + soft->nnode; i++) {
      const lb_vec3 x = lb_transform_point(s->pose, soft->fem->node[i - soft->first_node]);
      const double d = distance(b, &X, s->body[k], x);
      bool nearest = d <= s->within;
      for (int o = 0; o < s->nbody && nearest; o++) {
        const lb_transform Y = lb_body_pose(m, s->body[o], pose);
        const double other = o == k ? d : distance(b, &Y, s->body[o], x);
        nearest = other > d || (other == d && o >= k);
      }
      if (nearest) {
        fasten(m, i, s->body[k], lb_transform_point(lb_transform_inverse(X), x));
        count++;
      }
    }
    if (count == 0) {
      return lb_error_add(b->err, LB_INVALID, s->place,
                          "soft '%s' has no node inside body '%s' (make its elements smaller, or "
                          "say 'within' what distance nodes are fastened)",
                          s->name, b->scene->body[s->body[k]].name);
    }
  }
  return LB_OK;
}

static lb_status add_soft(lb_build* b, int which, const lb_transform* pose) {
  lb_model* m = b->m;
  lb_model_soft* soft = &m->soft[which];
  soft->first_node = m->nnode;
  for (int i = 0; i < soft->nnode; i++) {
    const double mass = soft->fem->node_mass[i];
    m->node[m->nnode++] =
        (lb_model_node){.link = LB_NODE_FREE,
                        .at = lb_transform_point(b->scene->soft[which].pose, soft->fem->node[i]),
                        .mass = mass,
                        .drag = soft->fem->alpha * mass};
  }
  const lb_scene_strand_point* made = b->scene->soft[which].node;
  for (int i = 0; made && i < soft->nnode; i++) {
    if (made[i].free) {
      m->node[soft->first_node + i].at = made[i].at;
    } else {
      fasten(m, soft->first_node + i, made[i].body, made[i].at);
    }
  }
  return made ? LB_OK : fasten_soft(b, which, pose);
}

// --- coordinates and masses ---

static void number_nodes(lb_model* m) {
  for (int i = 0; i < m->nnode; i++) {
    lb_model_node* node = &m->node[i];
    if (node->link == LB_NODE_FREE) {
      const double at[3] = {node->at.x, node->at.y, node->at.z};
      node->q = m->nq;
      node->v = m->nv;
      for (int k = 0; k < 3; k++) {
        m->q0[m->nq++] = at[k];
        m->v_parent[m->nv] = -1;
        m->v_run[m->nv] = m->nv;
        m->counts[m->nv] = LB_COORDINATE_LENGTH;
        m->lower[m->nv] = -INFINITY;
        m->upper[m->nv] = INFINITY;
        m->friction_speed[m->nv] = 1;
        m->armature[m->nv++] = node->mass;
      }
      m->nfree++;
    } else if (node->link != LB_WORLD) {
      const lb_mass point = {.mass = node->mass, .com = node->at};
      m->link_mass[node->link] = lb_mass_add(m->link_mass[node->link], point);
    }
  }
  for (int i = 0; i < m->nlink; i++) {
    lb_link_set_mass(&m->link[i], m->link_mass[i]);
  }
}

lb_status lb_build_nodes(lb_build* b) {
  lb_model* m = b->m;
  const lb_scene* s = b->scene;
  if (s->nstrand == 0 && s->nsoft == 0) {
    return LB_OK;
  }
  m->node = LB_TAKE(b->arena, lb_model_node, b->nnode);
  m->segment = LB_TAKE(b->arena, lb_model_segment, b->nnode);
  m->strand = LB_TAKE(b->arena, lb_model_strand, s->nstrand);
  m->tree = LB_TAKE(b->arena, lb_model, 1);
  lb_transform* pose = LB_TAKE(&b->soft_arena, lb_transform, m->nlink);
  if (!m->node || !m->segment || !m->strand || !m->tree || !pose) {
    return lb_build_no_memory(b);
  }
  lb_link_poses(m, pose, m->q0);
  for (int i = 0; i < s->nstrand; i++) {
    m->nstrand++;
    const lb_status status = add_strand(b, i, pose);
    if (status != LB_OK) {
      return status;
    }
  }
  for (int i = 0; i < s->nsoft; i++) {
    const lb_status status = add_soft(b, i, pose);
    if (status != LB_OK) {
      return status;
    }
  }
  number_nodes(m);
  return LB_OK;
}

void lb_model_cut_nodes(lb_model* tree, const lb_model* m) {
  *tree = *m;
  tree->nq -= 3 * m->nfree;
  tree->nv -= 3 * m->nfree;
  tree->nnode = tree->nfree = tree->nsegment = tree->nstrand = tree->nsoft = 0;
  tree->tree = NULL;
}

lb_status lb_model_renew_tree(lb_model* m, lb_arena* arena) {
  lb_model* tree = m->tree ? LB_TAKE(arena, lb_model, 1) : NULL;
  if (m->tree && !tree) {
    return LB_NO_MEMORY;
  }
  m->tree = tree;
  if (tree) {
    lb_model_cut_nodes(tree, m);
  }
  return LB_OK;
}
