// From bodies and joints to links and coordinates. A fixed joint makes no link: its child shares
// its parent's.
#include "elastic/reduced/reduced.h"
#include "math/linear/ldl.h"
#include "model/build/build.h"
#include "model/build/joint_charts.h"
#include "model/use/initial_pose.h"
#include "model/use/link.h"

#include <stdio.h>
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

// Parents of a link's coordinates, for walking towards the world.
static void chain_coordinates(lb_model* m, int link) {
  const int v = m->link.v[link];
  const int p = m->link.parent[link];
  const int last = p == LB_WORLD ? -1 : m->link.v[p] + m->link.nv[p] - 1;
  for (int k = 0; k < m->link.nv[link]; k++) {
    const int up = k == 0 ? last : v + k - 1;
    m->dof.parent[v + k] = up;
    m->dof.run[v + k] = up >= 0 && up == v + k - 1 ? m->dof.run[up] : v + k;
  }
}

// Spread a joint's settings over its coordinates.
static void fill_coordinates(lb_build* b, int link, const lb_scene_joint* j) {
  lb_model* m = b->m;
  const int q = m->link.q[link];
  const int nq = lb_joint_count_q(j), nv = m->link.nv[link];
  memcpy(m->start.q + q, j->q, (size_t)nq * sizeof(double));
  memcpy(m->start.qd + m->link.v[link], j->qd, (size_t)nv * sizeof(double));
  for (int k = 0; k < nv; k++) {
    const lb_coordinate_settings set = lb_joint_coordinate(j, k);
    const int v = m->link.v[link] + k;
    m->dof.stiffness[v] = set.resistance.stiffness;
    m->dof.force_curve[v] = lb_build_force_curve(b, set.resistance.force_curve);
    m->dof.damping[v] = set.resistance.damping;
    m->dof.armature[v] = set.resistance.armature;
    m->dof.friction[v] = set.resistance.friction;
    m->dof.friction_speed[v] = set.resistance.friction_speed;
    m->dof.limit_stiffness[v] = set.resistance.limit_stiffness;
    m->dof.limit_damping[v] = set.resistance.limit_damping;
    m->dof.limit_transition[v] = set.resistance.limit_transition;
    m->dof.limit_pulls[v] = set.resistance.limit_pulls;
    m->dof.counts[v] = (int)lb_joint_counts(j, k);
    m->dof.name[v] = j->coordinate_name[k] ? lb_build_text(b, j->coordinate_name[k]) : NULL;
    m->start.q_named[v] = j->named.q[k];
    m->start.v_named[v] = j->named.v[k];
    m->dof.lower[v] = set.lower;
    m->dof.upper[v] = set.upper;
    m->dof.clamped[v] = j->clamped[k];
    m->dof.nstiff += m->dof.stiffness[v] > 0 || m->dof.force_curve[v].count > 0;
    m->dof.nbent += lb_force_curve_bends(&m->dof.force_curve[v]);
    m->dof.nfriction += m->dof.friction[v] > 0;
    m->dof.nlimit += m->dof.limit_stiffness[v] > 0;
    if (nq == nv) {
      m->dof.rest[q + k] = set.rest;
    }
  }
  if (nq != nv) { // a quaternion, after a place
    const lb_quat turn = j->rest_turn;
    memcpy(m->dof.rest + q, j->rest, (size_t)(nq - 4) * sizeof(double));
    memcpy(m->dof.rest + q + nq - 4, (double[]){turn.w, turn.x, turn.y, turn.z},
           4 * sizeof(double));
  }
}

// A new link with coordinates of its own.
static int add_link(lb_model* m, int parent, int kind, lb_transform in_parent, int nq, int nv) {
  const int i = m->nlink++;
  m->link.parent[i] = parent;
  m->link.kind[i] = kind;
  m->link.in_parent[i] = in_parent;
  m->link.q[i] = m->nq;
  m->link.v[i] = m->nv;
  m->link.nv[i] = nv;
  m->nq += nq;
  m->nv += nv;
  chain_coordinates(m, i);
  if (parent == LB_WORLD) {
    m->link.tree[m->link.ntree++] = i;
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
  m->link.axis[i] = j->axis;
  fill_coordinates(b, i, j);
  if (lb_joint_has_chart(j) && lb_joint_chart(j, b->arena, &m->link.chart[i]) != LB_OK) {
    return LB_NO_MEMORY;
  }
  if (j->kind == LB_JOINT_REVOLUTE) {
    m->link.hinge_q[m->link.nhinge++] = m->link.q[i];
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
  m->body.link[body] = e;
  m->body.in_link[body] = lb_transform_identity();
  for (int f = 0; f < reduced->nface; f++) {
    const lb_face* face = &reduced->face[f];
    const lb_transform middle = {lb_quat_identity(), lb_v4_vec3(face->x0)};
    const int kind = reduced->full ? LB_LINK_FULL_FACE
                     : face->twist ? LB_LINK_EFFECTOR
                                   : LB_LINK_FACE;
    const int i = add_link(m, e, kind, face->twist ? face->rest : middle, 0, 0);
    m->link.q[i] = m->link.q[e];
    m->link.v[i] = m->link.v[e];
    m->link.nv[i] = reduced->r;
    m->elastic.nface++;
  }
}

// A tendon is a link that moves nothing: its coordinate counts how far it is stretched.
static lb_status add_tendons(lb_build* b) {
  lb_model* m = b->m;
  b->tendon = LB_TAKE(b->arena, int, b->scene->nmuscle);
  for (int i = 0; b->tendon && i < b->scene->nmuscle; i++) {
    const int n = lb_build_count_tendons(&b->scene->muscle[i]);
    b->tendon[i] = n > 0 ? m->nlink : -1;
    for (int k = 0; k < n; k++) {
      const int link = add_link(m, LB_WORLD, LB_LINK_TENDON, lb_transform_identity(), 1, 1);
      m->dof.counts[m->link.v[link]] = LB_COORDINATE_LENGTH;
    }
  }
  return b->tendon ? LB_OK : LB_NO_MEMORY;
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
      const int i = m->body.link[body] + 1 + f;
      m->link.q[i] = m->nq;
      m->link.v[i] = m->nv;
      m->link.nv[i] = reduced->r;
    }
    m->nq += reduced->r;
    m->nv += reduced->r;
    m->ndense += reduced->traces ? reduced->r : 0;
  }
}

// A fixed joint joins bodies into one link, unless somebody asks what passes through it: then it is
// a link of no coordinates.
static bool makes_link(const lb_build* b, const lb_scene_joint* j) {
  return j->kind != LB_JOINT_FIXED || b->scene->record.reactions;
}

// Hang a body on its parent.
static lb_status place_body(lb_build* b, int body) {
  lb_model* m = b->m;
  const lb_scene_joint j = carrying_joint(b, body);
  lb_anchor at = lb_model_anchor(m, j.parent, j.hold.face[0], j.in_parent);
  if (!makes_link(b, &j)) {
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
    m->body.link[body] = at.link;
    m->body.in_link[body] = at.X;
  }
  return LB_OK;
}

static void list_joint(lb_build* b, const char* name, lb_place place, lb_place named, int i,
                       int body, int nq) {
  lb_model* m = b->m;
  const int j = m->njoint++;
  m->joint.name[j] = name;
  m->joint.place[j] = lb_build_place(b, place);
  m->joint.named[j] = lb_build_place(b, named);
  m->joint.kind[j] = m->link.kind[i];
  m->joint.link[j] = i;
  m->joint.body[j] = body;
  m->joint.q[j] = m->link.q[i];
  m->joint.nq[j] = nq;
  m->joint.v[j] = m->link.v[i];
  m->joint.nv[j] = m->link.nv[i];
  m->link.joint[i] = j;
}

// The author's moving joints, then the bodies left free, then the elastic ones' own coordinates.
static void list_joints(lb_build* b) {
  const lb_scene* s = b->scene;
  for (int i = 0; i < s->njoint; i++) {
    const lb_scene_joint* j = &s->joint[i];
    if (!j->loop && makes_link(b, j)) {
      list_joint(b, lb_build_text(b, j->name), j->place, j->named.place, b->joint_link[j->child],
                 j->child, lb_joint_count_q(j));
    }
  }
  for (int i = 0; i < s->nbody; i++) {
    if (b->carrier[i] < 0) {
      list_joint(b, b->m->body.name[i], s->body[i].place, s->body[i].named.place, b->joint_link[i],
                 i, LB_JOINT_MOST_Q); // free
    }
  }
  for (int i = 0; i < s->nbody; i++) {
    if (b->reduced[i]) {
      const int link = b->m->body.link[i];
      list_joint(b, b->m->body.name[i], s->body[i].place, (lb_place){0}, link, i,
                 b->m->link.nv[link]);
      lb_model_elastic* e = &b->m->elastic.body[b->m->elastic.count++];
      *e = b->elastic[i];
      e->q = b->m->link.q[link];
    }
  }
}

// Tendons, under the muscle's name.
static void list_tendons(lb_build* b) {
  const lb_scene* s = b->scene;
  for (int i = 0; i < s->nmuscle; i++) {
    const lb_scene_muscle* mu = &s->muscle[i];
    const bool proximal = mu->mass.belly[0] > 0;
    for (int k = 0; k < lb_build_count_tendons(mu); k++) {
      const char* end = k == 0 && proximal ? "proximal" : "distal";
      char* name = LB_TAKE(b->arena, char, strlen(mu->name) + strlen(end) + 2);
      if (name) {
        sprintf(name, "%s.%s", mu->name, end);
      }
      list_joint(b, name, mu->place, (lb_place){0}, b->tendon[i] + k, LB_WORLD, 1);
    }
  }
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
    m->link.packed[i] = (lb_link){.R0 = lb_m3_rotation(m->link.in_parent[i].q),
                                  .p0 = lb_v4_from(m->link.in_parent[i].p),
                                  .parent = m->link.parent[i],
                                  .q = m->link.q[i],
                                  .v = m->link.v[i],
                                  .nv = m->link.nv[i],
                                  .column = lb_link_is_face(m->link.kind[i]) ? extra : m->link.v[i],
                                  .hinge = m->link.kind[i] == LB_JOINT_REVOLUTE ? hinge++ : -1,
                                  .chart = m->link.chart[i],
                                  .kind = m->link.kind[i]};
    lb_link_set_mass(&m->link.packed[i], m->link.mass[i]);
    extra += lb_link_is_face(m->link.kind[i]) ? m->link.nv[i] : 0;
  }
  m->link.ncolumn = extra;
}

static void lay_out_elastic(lb_build* b) {
  for (int body = 0; body < b->scene->nbody; body++) {
    const lb_reduced* reduced = b->reduced[body];
    const int e = b->m->body.link[body];
    for (int f = -1; reduced && f < reduced->nface; f++) {
      b->m->link.packed[e + 1 + f].reduced = reduced;
      b->m->link.packed[e + 1 + f].face = f;
    }
  }
}

// Inertia that a link's coordinates find in everything beyond it.
typedef enum resistance { MOVES_MASS, MOVES_NOTHING, SINGULAR, STUCK } resistance;

// Direction in which velocity k moves the link.
static lb_motion direction(const lb_model* m, int i, int k) {
  double rate[LB_JOINT_MOST_V] = {0};
  rate[k] = 1;
  const lb_velocity V =
      lb_joint_velocity(m->link.kind[i], m->link.chart[i], m->start.q + m->link.q[i], rate);
  return (lb_motion){lb_v4_from(V.w), lb_v4_from(V.v)};
}

enum { N = LB_JOINT_MOST_V };

// D = S'I S and the armatures, its lower half, of a mass that moves along n directions.
static void fill_inertia(const lb_motion* S, int n, lb_mass mass, const double* armature,
                         double* D) {
  const lb_m3 I = inertia_about_origin(mass);
  const lb_v4 h = lb_v4_from(lb_vec3_scale(mass.mass, mass.com));
  for (int a = 0; a < n; a++) {
    const lb_motion momentum = {lb_m3_apply(I, S[a].w) + lb_v4_cross(h, S[a].v),
                                S[a].v * mass.mass + lb_v4_cross(S[a].w, h)};
    for (int b = 0; b <= a; b++) {
      D[N * a + b] = lb_motion_dot(S[b], momentum);
    }
    D[(N + 1) * a] += armature[a];
  }
}

// Definiteness of the joint's inertia S'I S with everything beyond rigid. Pivots are compared with
// the diagonal, so that angles and distances count alike. A coordinate may move nothing, whatever
// the mass: that of a rotation vector at a full turn, and of a spline between frames that coincide.
static resistance link_resistance(const lb_model* m, int i, lb_mass beyond) {
  const int n = m->link.kind[i] < LB_JOINT_COUNT ? m->link.nv[i] : 0; // else it has a mass matrix
  resistance seen = MOVES_MASS;
  double D[N * N], diagonal[N];
  lb_motion S[N];
  for (int a = 0; a < n; a++) {
    S[a] = direction(m, i, a);
  }
  fill_inertia(S, n, beyond, m->dof.armature + m->link.v[i], D);
  for (int a = 0; a < n; a++) {
    diagonal[a] = D[(N + 1) * a];
  }
  lb_ldl_factor(n, D, N);
  for (int a = 0; a < n; a++) {
    if (!(diagonal[a] > 0)) {
      return lb_motion_dot(S[a], S[a]) < 1e-20 ? STUCK : MOVES_NOTHING;
    }
    if (!(D[(N + 1) * a] > 1e-13 * diagonal[a])) {
      seen = m->link.chart[i] ? SINGULAR : MOVES_NOTHING;
    }
  }
  return seen;
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

// Was something said of this place before? What a repetition made is at one.
static bool is_told(const lb_error* err, lb_place place) {
  for (int i = 0; err && i < err->count; i++) {
    const lb_place told = err->message[i].place;
    if (told.line == place.line && told.column == place.column && place.file && told.file &&
        strcmp(told.file, place.file) == 0) {
      return true;
    }
  }
  return false;
}

static lb_status complain_about_mass(lb_build* b, int link, resistance seen) {
  const lb_model* m = b->m;
  const int joint = m->link.joint[link], carrier = b->carrier[m->joint.body[joint]];
  const char* name = m->joint.name[joint];
  lb_place place = {b->scene->file, 0, 0};
  for (int j = 0; j < b->scene->nbody; j++) {
    place = m->body.link[j] == link ? b->scene->body[j].place : place;
  }
  if (is_told(b->err, place)) {
    return LB_INVALID;
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
  lb_mass* beyond = LB_COPY(b->arena, m->link.mass, m->nlink);
  if (!beyond) {
    return LB_NO_MEMORY;
  }
  lb_status status = LB_OK;
  for (int i = 0; i < m->nbody; i++) {
    if (b->reduced[i]) {
      beyond[m->body.link[i]] = m->body.mass[i];
    }
  }
  for (int i = m->nlink - 1; i >= 0; i--) {
    const int p = m->link.parent[i];
    const resistance seen = link_resistance(m, i, beyond[i]);
    if (seen != MOVES_MASS) {
      status = complain_about_mass(b, i, seen);
    }
    if (p != LB_WORLD) {
      const lb_transform X =
          lb_transform_mul(m->link.in_parent[i], lb_joint_pose(m->link.kind[i], m->link.chart[i],
                                                               m->start.q + m->link.q[i]));
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
  const lb_status status = add_tendons(b);
  if (status != LB_OK) {
    return status;
  }
  number_nodes(b);
  m->link.tree[m->link.ntree] = m->nlink;
  for (int i = 0; i < m->nbody; i++) {
    const int link = m->body.link[i];
    if (link != LB_WORLD && !b->reduced[i]) {
      m->link.mass[link] =
          lb_mass_add(m->link.mass[link], lb_mass_transform(m->body.in_link[i], m->body.mass[i]));
    }
  }
  list_joints(b);
  list_tendons(b);
  lay_out_links(m);
  lay_out_elastic(b);
  return check_masses(b);
}
