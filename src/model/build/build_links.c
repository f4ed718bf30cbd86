// From bodies and joints to links and coordinates. A fixed joint makes no link: its child shares
// its parent's.
#include "elastic/reduced/reduced.h"
#include "math/linear/ldl.h"
#include "model/build/build.h"
#include "model/build/joint_charts.h"
#include "model/use/initial_pose.h"
#include "model/use/link.h"

#include <string.h>

// The scene's joint that carries a body, or a free one made up for a body that has none.
static lb_scene_joint carrying_joint(const lb_build* b, int body) {
  if (b->carrier[body] >= 0) {
    return b->joint[b->carrier[body]];
  }
  const lb_scene_body* s = &b->scene->body[body];
  const lb_transform X = s->pose;
  const lb_vec3 v = lb_quat_rotate(lb_quat_conjugate(X.q), s->velocity);
  lb_scene_joint j = lb_scene_joint_default();
  j.name = s->name;
  j.place = s->place;
  j.kind = LB_JOINT_FREE;
  j.parent = LB_WORLD;
  j.child = body;
  j.named = s->named;
  memcpy(j.q, (double[]){X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z}, sizeof j.q);
  memcpy(j.qd, (double[]){s->spin.x, s->spin.y, s->spin.z, v.x, v.y, v.z}, sizeof j.qd);
  return j;
}

// Where a link's coordinates hang, for walking towards the world.
static void chain_coordinates(lb_model* m, int link) {
  const int v = m->link_v[link];
  const int p = m->link_parent[link];
  const int last = p == LB_WORLD ? -1 : m->link_v[p] + m->link_nv[p] - 1;
  for (int k = 0; k < m->link_nv[link]; k++) {
    const int up = k == 0 ? last : v + k - 1;
    m->v_parent[v + k] = up;
    m->v_run[v + k] = up >= 0 && up == v + k - 1 ? m->v_run[up] : v + k;
  }
}

// Spread a joint's settings over its coordinates.
static lb_status fill_coordinates(lb_build* b, int link, const lb_scene_joint* j) {
  lb_model* m = b->m;
  const int q = m->link_q[link];
  const int nq = lb_joint_count_q(j), nv = m->link_nv[link];
  memcpy(m->q0 + q, j->q, (size_t)nq * sizeof(double));
  memcpy(m->qd0 + m->link_v[link], j->qd, (size_t)nv * sizeof(double));
  for (int k = 0; k < nv; k++) {
    const lb_coordinate_settings set = lb_joint_coordinate(j, k);
    const int v = m->link_v[link] + k;
    m->stiffness[v] = set.resistance.stiffness;
    m->force_curve[v] = set.resistance.force_curve;
    if (!lb_build_keep_force_curve(b, &m->force_curve[v])) {
      return lb_build_no_memory(b);
    }
    m->damping[v] = set.resistance.damping;
    m->armature[v] = set.resistance.armature;
    m->friction[v] = set.resistance.friction;
    m->friction_speed[v] = set.resistance.friction_speed;
    m->limit_stiffness[v] = set.resistance.limit_stiffness;
    m->limit_damping[v] = set.resistance.limit_damping;
    m->limit_transition[v] = set.resistance.limit_transition;
    m->limit_pulls[v] = set.resistance.limit_pulls;
    m->counts[v] = (int)lb_joint_counts(j, k);
    m->q_named[v] = j->named.q[k];
    m->v_named[v] = j->named.v[k];
    m->lower[v] = set.lower;
    m->upper[v] = set.upper;
    m->nstiff += m->stiffness[v] > 0 || m->force_curve[v].count > 0;
    m->nbent += lb_force_curve_bends(&m->force_curve[v]);
    m->nfriction += m->friction[v] > 0;
    m->nlimit += m->limit_stiffness[v] > 0;
    if (nq == nv) {
      m->rest[q + k] = set.rest;
    }
  }
  if (nq != nv) { // a quaternion, after a place
    const lb_quat turn = j->rest_turn;
    memcpy(m->rest + q, j->rest, (size_t)(nq - 4) * sizeof(double));
    memcpy(m->rest + q + nq - 4, (double[]){turn.w, turn.x, turn.y, turn.z}, 4 * sizeof(double));
  }
  return LB_OK;
}

// A new link with coordinates of its own.
static int add_link(lb_model* m, int parent, int kind, lb_transform in_parent, int nq, int nv) {
  const int i = m->nlink++;
  m->link_parent[i] = parent;
  m->link_kind[i] = kind;
  m->link_in_parent[i] = in_parent;
  m->link_q[i] = m->nq;
  m->link_v[i] = m->nv;
  m->link_nv[i] = nv;
  m->nq += nq;
  m->nv += nv;
  chain_coordinates(m, i);
  if (parent == LB_WORLD) {
    m->tree_link[m->ntree++] = i;
  }
  return i;
}

// The link of a joint that moves, its axis along z; `at` is what carries it, then the body's pose
// in it.
static lb_status add_joint_link(lb_build* b, const lb_scene_joint* j, lb_anchor* at) {
  lb_model* m = b->m;
  const lb_transform turn = lb_joint_turn(j);
  const int i = add_link(m, at->link, (int)j->kind, lb_transform_mul(at->X, turn),
                         lb_joint_count_q(j), lb_joint_count_v(j));
  m->link_axis[i] = j->axis;
  if (fill_coordinates(b, i, j) != LB_OK ||
      (lb_joint_has_chart(j) && lb_joint_chart(j, b->arena, &m->link_chart[i]) != LB_OK)) {
    return lb_build_no_memory(b);
  }
  if (j->kind == LB_JOINT_REVOLUTE) {
    m->hinge_q[m->nhinge++] = m->link_q[i];
  }
  *at = (lb_anchor){i, lb_transform_inverse(lb_transform_mul(j->in_child, turn))};
  return LB_OK;
}

// Nodes' displacements, and what stands for them, come after all other coordinates.
static bool comes_last(const lb_reduced* reduced) {
  return reduced->full || reduced->traces;
}

// An elastic body is a link with the coordinates of its basis, fixed to what carries it; its faces
// are links that move with the same coordinates. Nodes are numbered later.
static void add_elastic(lb_model* m, int body, const lb_reduced* reduced, lb_anchor at) {
  const int count = comes_last(reduced) ? 0 : reduced->r;
  const int e =
      add_link(m, at.link, reduced->full ? LB_LINK_FULL : LB_LINK_ELASTIC, at.X, count, count);
  m->body_link[body] = e;
  m->body_in_link[body] = lb_transform_identity();
  for (int f = 0; f < reduced->nface; f++) {
    const lb_transform rest = {lb_quat_identity(), lb_v4_vec3(reduced->face[f].x0)};
    const int i = add_link(m, e, reduced->full ? LB_LINK_FULL_FACE : LB_LINK_FACE, rest, 0, 0);
    m->link_q[i] = m->link_q[e];
    m->link_v[i] = m->link_v[e];
    m->link_nv[i] = reduced->r;
    m->nface++;
  }
}

// Displacements of nodes are not held in dense matrices, as all other coordinates are.
static void number_nodes(lb_build* b) {
  lb_model* m = b->m;
  m->ndense = m->nv;
  for (int body = 0; body < m->nbody; body++) {
    const lb_reduced* reduced = b->reduced[body];
    if (!reduced || !comes_last(reduced)) {
      continue;
    }
    for (int f = -1; f < reduced->nface; f++) {
      const int i = m->body_link[body] + 1 + f;
      m->link_q[i] = m->nq;
      m->link_v[i] = m->nv;
      m->link_nv[i] = reduced->r;
    }
    m->nq += reduced->r;
    m->nv += reduced->r;
    m->ndense += reduced->traces ? reduced->r : 0;
  }
}

// Hang a body on its parent.
static lb_status place_body(lb_build* b, int body) {
  lb_model* m = b->m;
  const lb_scene_joint j = carrying_joint(b, body);
  lb_anchor at = lb_model_anchor(m, j.parent, j.face, j.in_parent);
  if (j.kind == LB_JOINT_FIXED) {
    at.X = lb_transform_mul(at.X, lb_transform_inverse(j.in_child));
  } else {
    const lb_status status = add_joint_link(b, &j, &at);
    if (status != LB_OK) {
      return status;
    }
    b->joint_link[body] = at.link;
  }
  if (b->reduced[body]) {
    add_elastic(m, body, b->reduced[body], at);
  } else {
    m->body_link[body] = at.link;
    m->body_in_link[body] = at.X;
  }
  return LB_OK;
}

// These return false where there is no memory.
static bool keep_place(lb_build* b, lb_place place, lb_place* to) {
  const char* file = lb_build_text(b, place.file);
  *to = (lb_place){place.file ? file : NULL, place.line, place.column};
  return file;
}

static bool list_joint(lb_build* b, const char* name, lb_place place, int i, int body, int nq) {
  lb_model* m = b->m;
  const int j = m->njoint++;
  m->joint_name[j] = name;
  const bool ok = keep_place(b, place, &m->joint_place[j]);
  m->joint_kind[j] = m->link_kind[i];
  m->joint_link[j] = i;
  m->joint_body[j] = body;
  m->joint_q[j] = m->link_q[i];
  m->joint_nq[j] = nq;
  m->joint_v[j] = m->link_v[i];
  m->joint_nv[j] = m->link_nv[i];
  m->link_joint[i] = j;
  return name && ok;
}

// The author's moving joints, then the bodies left free, then the elastic ones' own coordinates.
static lb_status list_joints(lb_build* b) {
  const lb_scene* s = b->scene;
  bool all = true;
  for (int j = 0; j < s->njoint; j++) {
    if (!s->joint[j].loop && s->joint[j].kind != LB_JOINT_FIXED) {
      all &= list_joint(b, lb_build_text(b, s->joint[j].name), s->joint[j].place,
                        b->joint_link[s->joint[j].child], s->joint[j].child,
                        lb_joint_count_q(&s->joint[j]));
      all &= keep_place(b, s->joint[j].named.place, &b->m->joint_named[b->m->njoint - 1]);
    }
  }
  for (int i = 0; i < s->nbody; i++) {
    if (b->carrier[i] < 0) {
      all &= list_joint(b, b->m->body_name[i], s->body[i].place, b->joint_link[i], i,
                        LB_JOINT_MOST_Q); // free
      all &= keep_place(b, s->body[i].named.place, &b->m->joint_named[b->m->njoint - 1]);
    }
  }
  for (int i = 0; i < s->nbody; i++) {
    if (b->reduced[i]) {
      const int link = b->m->body_link[i];
      all &= list_joint(b, b->m->body_name[i], s->body[i].place, link, i, b->m->link_nv[link]);
      lb_model_elastic* e = &b->m->elastic[b->m->nelastic++];
      *e = b->elastic[i];
      e->q = b->m->link_q[b->m->body_link[i]];
    }
  }
  return all ? LB_OK : lb_build_no_memory(b);
}

static lb_m3 inertia_about_origin(lb_mass mass) {
  const lb_vec3 c = mass.com;
  const double m = mass.mass;
  const lb_sym3 A = mass.inertia;
  const double xx = A.xx + m * (c.y * c.y + c.z * c.z);
  const double yy = A.yy + m * (c.x * c.x + c.z * c.z);
  const double zz = A.zz + m * (c.x * c.x + c.y * c.y);
  const double xy = A.xy - m * c.x * c.y;
  const double xz = A.xz - m * c.x * c.z;
  const double yz = A.yz - m * c.y * c.z;
  return (lb_m3){lb_v4_make(xx, xy, xz), lb_v4_make(xy, yy, yz), lb_v4_make(xz, yz, zz)};
}

void lb_link_set_mass(lb_link* link, lb_mass mass) {
  link->I0 = inertia_about_origin(mass);
  link->h = lb_v4_from(lb_vec3_scale(mass.mass, mass.com));
  link->m = mass.mass;
}

static void lay_out_links(lb_model* m) {
  int hinge = 0;
  int extra = m->nv;
  for (int i = 0; i < m->nlink; i++) {
    m->link[i] = (lb_link){.R0 = lb_m3_from(lb_quat_matrix(m->link_in_parent[i].q)),
                           .p0 = lb_v4_from(m->link_in_parent[i].p),
                           .parent = m->link_parent[i],
                           .q = m->link_q[i],
                           .v = m->link_v[i],
                           .nv = m->link_nv[i],
                           .column = lb_link_is_face(m->link_kind[i]) ? extra : m->link_v[i],
                           .hinge = m->link_kind[i] == LB_JOINT_REVOLUTE ? hinge++ : -1,
                           .chart = m->link_chart[i],
                           .kind = m->link_kind[i]};
    lb_link_set_mass(&m->link[i], m->link_mass[i]);
    extra += lb_link_is_face(m->link_kind[i]) ? m->link_nv[i] : 0;
  }
  m->ncolumn = extra;
}

static void lay_out_elastic(lb_build* b) {
  for (int body = 0; body < b->scene->nbody; body++) {
    const lb_reduced* reduced = b->reduced[body];
    const int e = b->m->body_link[body];
    for (int f = -1; reduced && f < reduced->nface; f++) {
      b->m->link[e + 1 + f].reduced = reduced;
      b->m->link[e + 1 + f].face = f;
    }
  }
}

// Smallest inertia that a link's coordinates see when everything beyond it is rigid.
static double smallest_inertia(int kind, lb_mass beyond, const double* q) {
  const lb_m3 I = inertia_about_origin(beyond);
  switch (kind) {
  case LB_JOINT_REVOLUTE:
    return I.z[2];
  case LB_JOINT_UNIVERSAL: { // of x and the first axis, which is seen turned back by q1 about x
    const lb_v4 z1 = lb_v4_make(0, sin(q[1]), cos(q[1]));
    const double xz = lb_v4_dot(z1, I.x);
    const double det = I.x[0] * lb_v4_dot(z1, lb_m3_apply(I, z1)) - xz * xz;
    const double trace = I.x[0] + I.y[1] + I.z[2];
    return det > 1e-14 * trace * trace ? det : 0;
  }
  case LB_JOINT_SPHERICAL:
  case LB_JOINT_FREE: {
    // positive definite iff all leading minors are; the determinant carries the scale of the trace
    // cubed
    const double trace = I.x[0] + I.y[1] + I.z[2];
    const double det = lb_v4_dot(I.x, lb_v4_cross(I.y, I.z));
    return beyond.mass > 0 && trace > 0 && det > 1e-20 * trace * trace * trace ? det : 0;
  }
  case LB_LINK_ELASTIC:
  case LB_LINK_FACE:
  case LB_LINK_FULL:
  case LB_LINK_FULL_FACE:
    return 1; // it has a mass matrix of its own
  default:    // a slide
    break;
  }
  return beyond.mass;
}

// What a link's coordinates see of everything beyond it.
typedef enum resistance { MOVES_MASS, MOVES_NOTHING, SINGULAR, STUCK } resistance;

// Does a coordinate move nothing, whatever the mass? A rotation vector has such at a full turn, and
// a spline between frames that coincide.
static bool stands_still(lb_motion S) {
  return lb_motion_dot(S, S) < 1e-20;
}

// Of a chart: S'I S and the armatures must be definite. Pivots are compared with the diagonal, so
// that angles and distances count alike.
static resistance chart_resistance(const lb_chart* c, lb_mass beyond, const double* q,
                                   const double* armature) {
  enum { N = LB_CHART_MOST };
  const lb_m3 I = inertia_about_origin(beyond);
  const lb_v4 h = lb_v4_from(lb_vec3_scale(beyond.mass, beyond.com));
  double D[N * N], diagonal[N];
  lb_chart_at at;
  lb_chart_evaluate(c, &at, q, NULL, LB_CHART_PLACE);
  for (int i = 0; i < c->n; i++) {
    const lb_motion S = at.S[i];
    const lb_motion momentum = {lb_m3_apply(I, S.w) + lb_v4_cross(h, S.v),
                                S.v * beyond.mass + lb_v4_cross(S.w, h)};
    for (int k = 0; k <= i; k++) {
      D[N * i + k] = lb_motion_dot(at.S[k], momentum);
    }
    D[(N + 1) * i] += armature[i];
    diagonal[i] = D[(N + 1) * i];
  }
  lb_ldl_factor(c->n, D, N);
  resistance seen = MOVES_MASS;
  for (int i = 0; i < c->n; i++) {
    if (!(diagonal[i] > 0)) {
      return stands_still(at.S[i]) ? STUCK : MOVES_NOTHING;
    }
    seen = D[(N + 1) * i] > 1e-13 * diagonal[i] ? seen : SINGULAR;
  }
  return seen;
}

static resistance link_resistance(const lb_model* m, int i, lb_mass beyond) {
  const double* q = m->q0 + m->link_q[i];
  const double* armature = m->armature + m->link_v[i];
  if (m->link_chart[i]) {
    return chart_resistance(m->link_chart[i], beyond, q, armature);
  }
  const bool rotor = *armature > 0 && (m->link_kind[i] != LB_JOINT_FREE || armature[3] > 0);
  return smallest_inertia(m->link_kind[i], beyond, q) > 0 || rotor ? MOVES_MASS : MOVES_NOTHING;
}

static lb_status complain_about_start(lb_build* b, const char* name, lb_place place,
                                      resistance seen) {
  return lb_error_add(b->err, LB_INVALID, place, "joint '%s' starts where %s", name,
                      seen == STUCK
                          ? "one of its coordinates does not move the body: start it elsewhere (a "
                            "rotation vector at less than a full turn, a spline away from frames "
                            "that coincide)"
                          : "its coordinates are singular, two of them moving the body alike: "
                            "start it elsewhere, choose another 'order', or give the body an "
                            "inertia");
}

static lb_status complain_about_mass(lb_build* b, int link, resistance seen) {
  const lb_model* m = b->m;
  const int joint = m->link_joint[link], carrier = b->carrier[m->joint_body[joint]];
  const char* name = m->joint_name[joint];
  lb_place place = {b->scene->file, 0, 0};
  for (int j = 0; j < b->scene->nbody; j++) {
    place = m->body_link[j] == link ? b->scene->body[j].place : place;
  }
  if (seen != MOVES_NOTHING) {
    return complain_about_start(b, name, carrier >= 0 ? b->scene->joint[carrier].place : place,
                                seen);
  }
  return lb_error_add(b->err, LB_INVALID, place,
                      "nothing that joint '%s' moves has inertia against it: give the body a "
                      "shape with a density, or a mass and an inertia",
                      name);
}

// Every coordinate must move some mass at the start, or no acceleration is defined.
static lb_status check_masses(lb_build* b) {
  lb_model* m = b->m;
  const lb_arena_mark mark = lb_arena_here(b->arena);
  lb_mass* beyond = LB_TAKE(b->arena, lb_mass, m->nlink);
  if (!beyond) {
    return lb_build_no_memory(b);
  }
  lb_status status = LB_OK;
  memcpy(beyond, m->link_mass, (size_t)m->nlink * sizeof *beyond);
  for (int i = 0; i < m->nbody; i++) {
    if (b->reduced[i]) {
      beyond[m->body_link[i]] = m->body_mass[i];
    }
  }
  for (int i = m->nlink - 1; i >= 0; i--) {
    const int p = m->link_parent[i];
    const resistance seen = link_resistance(m, i, beyond[i]);
    if (seen != MOVES_MASS) {
      status = complain_about_mass(b, i, seen);
    }
    if (p != LB_WORLD) {
      const lb_transform X =
          lb_transform_mul(m->link_in_parent[i],
                           lb_joint_pose(m->link_kind[i], m->link_chart[i], m->q0 + m->link_q[i]));
      beyond[p] = lb_mass_add(beyond[p], lb_mass_transform(X, beyond[i]));
    }
  }
  lb_arena_reset(b->arena, mark);
  return status;
}

lb_status lb_build_links(lb_build* b) {
  lb_model* m = b->m;
  for (int i = 0; i < b->nordered; i++) {
    const lb_status placed = place_body(b, b->order[i]);
    if (placed != LB_OK) {
      return placed;
    }
  }
  number_nodes(b);
  m->tree_link[m->ntree] = m->nlink;
  for (int i = 0; i < m->nbody; i++) {
    const int link = m->body_link[i];
    if (link != LB_WORLD && !b->reduced[i]) {
      m->link_mass[link] =
          lb_mass_add(m->link_mass[link], lb_mass_transform(m->body_in_link[i], m->body_mass[i]));
    }
  }
  const lb_status listed = list_joints(b);
  if (listed != LB_OK) {
    return listed;
  }
  lay_out_links(m);
  lay_out_elastic(b);
  return check_masses(b);
}
