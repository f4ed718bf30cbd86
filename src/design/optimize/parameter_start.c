// Starts of joints and free bodies: places, rotations, velocities and spins.
#include <string.h>

#include "design/optimize/optimization.h"
#include "math/linear/dense.h"
#include "math/space/se3.h"

// --- rotations ---

lb_quat lb_turned(const double* quaternion, const double* x) {
  const lb_quat from = {quaternion[0], quaternion[1], quaternion[2], quaternion[3]};
  return lb_quat_mul(from, lb_quat_exp(lb_vec3_make(x[0], x[1], x[2])));
}

// x turns the scene's own orientation by exp(x), which changes along velocities by Jr(x) dx.
void lb_turned_pull(double* to, const double* x, lb_v4 by) {
  const lb_m3 J = lb_m3_from(lb_so3_jacobian(LB_RIGHT, lb_vec3_make(x[0], x[1], x[2])));
  lb_v4_add_to(to, lb_m3_apply_transposed(J, by));
}

static void turn(double* to, const double* from, const double* x) {
  const lb_quat r = lb_turned(from, x);
  memcpy(to, (double[]){r.w, r.x, r.y, r.z}, 4 * sizeof *to);
}

static lb_quat rotation_at(const double* q) {
  return (lb_quat){q[0], q[1], q[2], q[3]};
}

static lb_vec3 vector_at(const double* x) {
  return lb_vec3_make(x[0], x[1], x[2]);
}

// --- places of joints ---

void lb_place_set(int at, int count, double* q, const double* from, const double* x) {
  if (at < 0) {
    memcpy(q, x, (size_t)count * sizeof *x);
  } else {
    turn(q + at, from + at, x);
    memcpy(q, x + 3, (size_t)at * sizeof *q);
  }
}

void lb_place_pull(int at, int count, double* to, const double* x, const double* q,
                   const double* by) {
  if (at < 0) {
    lb_add(count, to, 1, by);
    return;
  }
  lb_turned_pull(to, x, lb_v4_load(by));
  if (at > 0) {
    const lb_m3 R = lb_m3_rotation(rotation_at(q + at));
    lb_v4_add_to(to + 3, lb_m3_apply(R, lb_v4_load(by + 3)));
  }
}

static const lb_scene_joint* joint_of(const lb_optimizing* o, const lb_block* b) {
  return &o->given.joint[b->p->index];
}

static lb_status make_joint(lb_optimizing* o, lb_block* b, lb_error* err) {
  (void)err;
  b->count = lb_joint_count_v(lb_parameter_joint(o->public.scene, b->p, &b->part));
  return LB_OK;
}

static lb_status find_joint(lb_optimizing* o, lb_block* b, lb_error* err) {
  const char* name = joint_of(o, b)->name;
  const int j = lb_model_joint(o->tree, name);
  if (j < 0) {
    return lb_error_add(err, LB_INVALID, b->p->place,
                        "parameter '%s': joint '%s' closes a loop, and how it starts follows from "
                        "the others (name one of them, or close the loop elsewhere)",
                        b->p->name, name);
  }
  b->q = o->tree->joint.q[j] + b->part;
  b->v = o->tree->joint.v[j] + b->part;
  return LB_OK;
}

// Prescribed values are those of the motors.
static void read_prescribed(const lb_optimizing* o, const lb_block* b, const double* from,
                            double* x) {
  for (int k = 0; k < b->count; k++) {
    x[k] = lb_block_is_prescribed(o, b, k) ? from[k] : x[k];
  }
}

// Rotations are vectors from the scene's own, before a place. A joint at which a loop splits a body
// starts as the others have it.
static void read_place(const lb_optimizing* o, const lb_block* b, double* x) {
  const lb_scene_joint* j = joint_of(o, b);
  const double* from = j->loop ? o->q0 + b->q : j->q + b->part;
  const int at = lb_joint_quaternion(j);
  if (at >= 0) {
    memset(x, 0, 3 * sizeof *x);
    memcpy(x + 3, from, (size_t)at * sizeof *x);
  } else {
    memcpy(x, from, (size_t)b->count * sizeof *x);
  }
  read_prescribed(o, b, o->q0 + b->q, x);
}

// Place of a joint; for one that closes a loop, the others are written so that it starts so.
static bool write_place(lb_optimizing* o, lb_scene* s, const lb_block* b, const double* x) {
  const lb_scene_joint* from = joint_of(o, b);
  if (!from->loop) {
    lb_place_set(lb_joint_quaternion(from), b->count, s->joint[b->p->index].q + b->part,
                 from->q + b->part, x);
  }
  return true;
}

static lb_status put_place(lb_player* w, const lb_block* b, const double* x) {
  double* q = w->tree->start.q + b->q;
  lb_place_set(lb_joint_quaternion(joint_of(w->o, b)), b->count, q, q, x);
  return LB_OK;
}

// Prescribed values do not follow numbers.
static void clear_prescribed(const lb_way_back* w, const lb_block* b) {
  for (int k = 0; k < b->count; k++) {
    double* to = w->gradient + b->first + k;
    *to = lb_block_is_prescribed(w->o, b, k) ? 0 : *to;
  }
}

static void pull_place(lb_way_back* w, const lb_block* b, const lb_played* m,
                       const lb_start_slopes* by) {
  lb_place_pull(lb_joint_quaternion(joint_of(w->o, b)), b->count, w->gradient + b->first,
                m->x + b->first, w->o->q1 + b->q, by->tree_q + b->v);
  clear_prescribed(w, b);
}

// --- velocities of joints ---

static void read_rate(const lb_optimizing* o, const lb_block* b, double* x) {
  const lb_scene_joint* j = joint_of(o, b);
  memcpy(x, j->loop ? o->v0 + b->v : j->qd + b->part, (size_t)b->count * sizeof *x);
  read_prescribed(o, b, o->v0 + b->v, x);
}

static bool write_rate(lb_optimizing* o, lb_scene* s, const lb_block* b, const double* x) {
  const size_t size = joint_of(o, b)->loop ? 0 : (size_t)b->count * sizeof *x;
  memcpy(s->joint[b->p->index].qd + b->part, x, size);
  return true;
}

static lb_status put_rate(lb_player* w, const lb_block* b, const double* x) {
  memcpy(w->tree->start.qd + b->v, x, (size_t)b->count * sizeof *x);
  return LB_OK;
}

static void pull_rate(lb_way_back* w, const lb_block* b, const lb_played* m,
                      const lb_start_slopes* by) {
  (void)m;
  lb_add(b->count, w->gradient + b->first, 1, by->tree_v + b->v);
  clear_prescribed(w, b);
}

// --- free bodies ---

static lb_status make_free(lb_optimizing* o, lb_block* b, lb_error* err) {
  (void)o, (void)err;
  b->count = 3;
  return LB_OK;
}

static lb_status find_free(lb_optimizing* o, lb_block* b, lb_error* err) {
  const lb_model* m = o->tree;
  int j = 0;
  (void)err;
  while (j < m->njoint && !(m->joint.kind[j] == LB_JOINT_FREE && m->joint.body[j] == b->p->index)) {
    j++;
  }
  b->q = m->joint.q[j];
  b->v = m->joint.v[j];
  return LB_OK;
}

static void store(double* x, lb_vec3 v) {
  lb_v4_store(x, lb_v4_from(v));
}

static lb_scene_body* body_of(const lb_scene* s, const lb_block* b) {
  return &s->body[b->p->index];
}

static double* in_body_place(lb_optimizing* o, lb_scene* s, const lb_block* b) {
  (void)o;
  return &body_of(s, b)->pose.p.x;
}
static double* in_body_rate(lb_optimizing* o, lb_scene* s, const lb_block* b) {
  (void)o;
  return &body_of(s, b)->velocity.x;
}
static double* in_body_spin(lb_optimizing* o, lb_scene* s, const lb_block* b) {
  (void)o;
  return &body_of(s, b)->spin.x;
}
static void read_body_turn(const lb_optimizing* o, const lb_block* b, double* x) {
  (void)o, (void)b;
  memset(x, 0, 3 * sizeof *x);
}

static bool write_body_turn(lb_optimizing* o, lb_scene* s, const lb_block* b, const double* x) {
  const lb_quat r = body_of(&o->given, b)->pose.q;
  body_of(s, b)->pose.q = lb_turned((double[]){r.w, r.x, r.y, r.z}, x);
  return true;
}

static lb_quat body_rotation(const lb_player* w, const lb_block* b) {
  return rotation_at(w->tree->start.q + b->q + 3);
}

static lb_status put_body_place(lb_player* w, const lb_block* b, const double* x) {
  memcpy(w->tree->start.q + b->q, x, 3 * sizeof *x);
  return LB_OK;
}

// Along the world's axes, where coordinates count along the body's.
static lb_status put_body_rate(lb_player* w, const lb_block* b, const double* x) {
  const lb_quat back = lb_quat_conjugate(body_rotation(w, b));
  store(w->tree->start.qd + b->v + 3, lb_quat_rotate(back, vector_at(x)));
  return LB_OK;
}

// A free body keeps its velocity along the world's axes.
static lb_status put_body_turn(lb_player* w, const lb_block* b, const double* x) {
  double *r = w->tree->start.q + b->q + 3, *v = w->tree->start.qd + b->v + 3;
  const lb_vec3 along = lb_quat_rotate(body_rotation(w, b), vector_at(v));
  turn(r, r, x);
  store(v, lb_quat_rotate(lb_quat_conjugate(body_rotation(w, b)), along));
  return LB_OK;
}

static lb_status put_body_spin(lb_player* w, const lb_block* b, const double* x) {
  memcpy(w->tree->start.qd + b->v, x, 3 * sizeof *x);
  return LB_OK;
}

// Gradient by a vector along the world's axes, from slopes along the body's.
static void pull_along(lb_way_back* w, const lb_block* b, const double* by) {
  const lb_m3 R = lb_m3_rotation(rotation_at(w->o->q1 + b->q + 3));
  lb_v4_add_to(w->gradient + b->first, lb_m3_apply(R, lb_v4_load(by)));
}

static void pull_body_place(lb_way_back* w, const lb_block* b, const lb_played* m,
                            const lb_start_slopes* by) {
  (void)m;
  pull_along(w, b, by->tree_q + b->v + 3);
}
static void pull_body_rate(lb_way_back* w, const lb_block* b, const lb_played* m,
                           const lb_start_slopes* by) {
  (void)m;
  pull_along(w, b, by->tree_v + b->v + 3);
}
static void pull_body_spin(lb_way_back* w, const lb_block* b, const lb_played* m,
                           const lb_start_slopes* by) {
  (void)m;
  lb_v4_add_to(w->gradient + b->first, lb_v4_load(by->tree_v + b->v));
}
// The velocity stays as it is in the world: R'v changes by R'v x turn.
static void pull_body_turn(lb_way_back* w, const lb_block* b, const lb_played* m,
                           const lb_start_slopes* by) {
  const double* v = m->tree->start.qd + b->v; // before others follow
  const lb_v4 carried = lb_v4_cross(lb_v4_load(by->tree_v + b->v + 3), lb_v4_load(v + 3));
  lb_turned_pull(w->gradient + b->first, m->x + b->first, lb_v4_load(by->tree_q + b->v) + carried);
}

#define START(of, word)                                                                            \
  .make = make_##of, .find = find_##of, .put = put_##word, .pull_start = pull_##word, .starts = true
const lb_parameter_type lb_parameter_joint_place = {START(joint, place), .read = read_place,
                                                    .write = write_place};
const lb_parameter_type lb_parameter_joint_rate = {START(joint, rate), .read = read_rate,
                                                   .write = write_rate, .rate = true};
const lb_parameter_type lb_parameter_body_place = {START(free, body_place),
                                                   .in_scene = in_body_place};
const lb_parameter_type lb_parameter_body_turn = {START(free, body_turn), .read = read_body_turn,
                                                  .write = write_body_turn};
const lb_parameter_type lb_parameter_body_rate = {START(free, body_rate), .in_scene = in_body_rate,
                                                  .rate = true};
const lb_parameter_type lb_parameter_body_spin = {START(free, body_spin), .in_scene = in_body_spin,
                                                  .rate = true};
