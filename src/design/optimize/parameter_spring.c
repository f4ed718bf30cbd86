// Stiffness, damping and rests of joints, springs, cables and grounds.
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/constraint/constraint_loop.h"
#include "dynamics/force/force_kind.h"
#include "dynamics/joint/joint.h"
#include "math/space/se3.h"
#include "model/build/joint_charts.h"
#include "scene/force/scene_force.h"

const lb_spring_number lb_number_of_spring[LB_PARAMETER_COUNT] = {
    [LB_PARAMETER_STIFFNESS] = LB_SPRING_STIFFNESS,
    [LB_PARAMETER_DAMPING] = LB_SPRING_DAMPING,
    [LB_PARAMETER_TURN_STIFFNESS] = LB_SPRING_STIFFNESS,
    [LB_PARAMETER_TURN_DAMPING] = LB_SPRING_DAMPING,
    [LB_PARAMETER_REST] = LB_SPRING_REST};

static lb_spring_number number_of(const lb_block* b) {
  return lb_number_of_spring[b->p->kind];
}

// True where it is about the rotation of a joint that slides as well.
static bool turns(const lb_block* b) {
  static const bool TURNS[LB_PARAMETER_COUNT] = {
      [LB_PARAMETER_TURN_STIFFNESS] = true, [LB_PARAMETER_TURN_DAMPING] = true};
  return TURNS[b->p->kind];
}

// --- springs of joints ---

// Stiffness or damping of a joint, or of the part of one that a block is about.
static double* in_joint(const lb_block* b, lb_scene_joint* j) {
  const bool stiff = number_of(b) == LB_SPRING_STIFFNESS;
  return turns(b) ? (stiff ? &j->turn.stiffness : &j->turn.damping)
                  : (stiff ? &j->resistance.stiffness : &j->resistance.damping);
}

// Joints have numbers in the model as one of its joints or of its loops.
static void find_joint(lb_optimizing* o, lb_block* b) {
  const lb_model* m = o->model;
  const char* name = o->given.joint[b->p->index].name;
  const int own = lb_model_joint(m, name);
  int first = 0;
  lb_parameter_joint(&o->given, b->p, &first);
  b->part = first;
  b->loop = own < 0 ? lb_optimizing_loop(m, name) : -1;
  b->own_q = own < 0 ? 0 : m->joint.q[own] + first;
  b->own_v = own < 0 ? 0 : m->joint.v[own] + first;
}

// Coordinates that share the joint's stiffness and damping: where a joint both slides and turns,
// its distances or its angles.
static lb_status find_spring(lb_optimizing* o, lb_block* b, lb_error* err) {
  int first = 0;
  const lb_scene_joint* j = lb_parameter_joint(&o->given, b->p, &first);
  const bool mixed = lb_joint_slides_and_turns(j);
  const lb_coordinate wanted = turns(b) ? LB_COORDINATE_ANGLE : LB_COORDINATE_LENGTH;
  find_joint(o, b);
  b->coordinate = LB_TAKE(&o->arena, int, lb_joint_count_v(j));
  if (!b->coordinate) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for an optimisation");
  }
  for (int i = 0; b->loop < 0 && i < lb_joint_count_v(j); i++) {
    if (!mixed || lb_joint_counts(j, i) == wanted) {
      b->coordinate[b->ncoordinate++] = b->own_v + i;
    }
  }
  return LB_OK;
}

static lb_scene_joint* own_parts(lb_arena* arena, lb_scene_joint* j) {
  lb_scene_joint* part = LB_TAKE(arena, lb_scene_joint, j->npart);
  if (part) {
    memcpy(part, j->part, (size_t)j->npart * sizeof *part);
    j->part = part;
  }
  return part;
}

// The joint of a scene that a block is about, or the part of it, which gets its own memory; NULL:
// there is none.
static lb_scene_joint* own_joint(lb_optimizing* o, lb_scene* s, const lb_block* b) {
  lb_scene_joint* j = &s->joint[b->p->index];
  lb_scene_joint* part = b->p->part > 0 ? own_parts(&o->arena, j) : NULL;
  return b->p->part == 0 ? j : part ? &part[b->p->part - 1] : NULL;
}

static double* in_spring(lb_optimizing* o, lb_scene* s, const lb_block* b) {
  lb_scene_joint* j = own_joint(o, s, b);
  return j ? in_joint(b, j) : NULL;
}

static lb_status put_spring(lb_player* w, const lb_block* b, const double* x) {
  lb_model* m = w->m;
  if (b->loop >= 0) {
    *in_joint(b, &m->constraint.loop[b->loop]) = *x;
  }
  double* to = number_of(b) == LB_SPRING_STIFFNESS ? m->dof.stiffness : m->dof.damping;
  for (int i = 0; i < b->ncoordinate; i++) {
    to[b->coordinate[i]] = *x;
  }
  return LB_OK;
}

// The link that a velocity of a joint moves.
static int link_of(const lb_model* m, int v) {
  int j = 0;
  while (v < m->joint.v[j] || v >= m->joint.v[j] + m->joint.nv[j]) {
    j++;
  }
  return m->joint.link[j];
}

// mu'dr by the numbers of a joint that closes a loop.
static void pull_loop(lb_way_back* w, const lb_block* b, const double* mu) {
  for (int k = 0; k < b->count; k++) {
    w->gradient[b->first + k] +=
        lb_loop_spring_by_number(w->D, w->at, b->loop, number_of(b), k, mu);
  }
}

static void pull_spring(lb_way_back* w, const lb_block* b, bool impact, const double* mu) {
  double pull[LB_JOINT_MOST_V];
  (void)impact;
  if (b->loop >= 0) {
    pull_loop(w, b, mu);
    return;
  }
  const int link = link_of(w->m, b->own_v), first = w->m->link.v[link];
  lb_joint_springs_by_stiffness(w->m, link, w->d->q, pull);
  const bool stiff = number_of(b) == LB_SPRING_STIFFNESS;
  for (int i = 0; i < b->ncoordinate; i++) {
    const int v = b->coordinate[i];
    w->gradient[b->first] += mu[v] * (stiff ? pull[v - first] : -w->d->qd[v]);
  }
}

const lb_parameter_type lb_parameter_spring = {.find = find_spring,
                                               .in_scene = in_spring,
                                               .floor = LB_FLOOR_ZERO,
                                               .put = put_spring,
                                               .pull = pull_spring};

// --- rests of joints ---

static lb_status make_rest(lb_optimizing* o, lb_block* b, lb_error* err) {
  (void)err;
  b->count = lb_joint_count_v(lb_parameter_joint(o->public.scene, b->p, &b->part));
  return LB_OK;
}

static lb_status find_rest(lb_optimizing* o, lb_block* b, lb_error* err) {
  (void)err;
  find_joint(o, b);
  return LB_OK;
}

// Rotations are vectors from the scene's own, and before a place.
static void read_rest(const lb_optimizing* o, const lb_block* b, double* x) {
  const lb_scene_joint* j = &o->given.joint[b->p->index];
  const int at = lb_joint_quaternion(j);
  if (at >= 0) {
    memset(x, 0, 3 * sizeof *x);
    memcpy(x + 3, j->rest, (size_t)at * sizeof *x);
    return;
  }
  for (int k = 0; k < b->count; k++) {
    x[k] = lb_joint_coordinate(j, b->part + k).rest;
  }
}

// Rests of all parts of a composite joint.
static bool set_rests(lb_arena* arena, lb_scene_joint* to, const double* x) {
  lb_scene_joint* part = to->npart > 0 ? own_parts(arena, to) : NULL;
  bool ok = part || to->npart == 0;
  if (to->npart == 0) {
    memcpy(to->rest, x, (size_t)lb_joint_count_v(to) * sizeof *x);
  }
  for (int i = 0; i < to->npart && ok; i++) {
    ok = set_rests(arena, &part[i], x);
    x += lb_joint_count_v(&part[i]);
  }
  return ok;
}

static bool write_rest(lb_optimizing* o, lb_scene* s, const lb_block* b, const double* x) {
  lb_scene_joint* to = own_joint(o, s, b);
  const lb_scene_joint* from = &o->given.joint[b->p->index];
  const int at = lb_joint_quaternion(from);
  if (!to || at < 0) {
    return to && set_rests(&o->arena, to, x);
  }
  const lb_quat r = from->rest_turn;
  to->rest_turn = lb_turned((double[]){r.w, r.x, r.y, r.z}, x);
  memcpy(to->rest, x + 3, (size_t)at * sizeof *x);
  return true;
}

static lb_status put_rest(lb_player* w, const lb_block* b, const double* x) {
  double* rest = w->m->dof.rest + b->own_q;
  if (b->loop >= 0) {
    memcpy(w->m->constraint.loop[b->loop].rest, x, (size_t)b->count * sizeof *x);
  } else {
    lb_place_set(lb_joint_quaternion(&w->o->given.joint[b->p->index]), b->count, rest, rest, x);
  }
  return LB_OK;
}

// Gradient by a joint's rest: its stretch falls with it; `pull` is the gradient by stretch. Of a
// rotation r it is log r'q, and turning r by e gives log(exp(-e) r'q) = log r'q - Jl^-1 e, where
// Jl^-1 is Jr^-1 transposed; of the place p0 of a free joint it is R'(p - p0), which comes after
// that.
static void pull_rest(lb_way_back* w, const lb_block* b, bool impact, const double* mu) {
  const lb_scene_joint* j = &w->o->given.joint[b->p->index];
  const int turned = lb_joint_quaternion(j);
  double all[LB_JOINT_MOST_V], turn[3];
  (void)impact;
  if (b->loop >= 0) {
    pull_loop(w, b, mu);
    return;
  }
  const int link = link_of(w->m, b->own_v), at = b->own_q + turned;
  double* pull = all + b->own_v - w->m->link.v[link];
  lb_joint_springs_by_stretch(w->m, link, w->d->q, mu, all);
  if (turned >= 0) {
    lb_quat_stretch(turn, w->d->q + at, w->m->dof.rest + at);
    const lb_vec3 t = lb_vec3_make(turn[0], turn[1], turn[2]);
    const lb_m3 J = lb_m3_from(lb_so3_jacobian(LB_RIGHT_INVERSE, t));
    lb_v4_store(pull, lb_m3_apply(J, lb_v4_load(pull)));
  }
  lb_place_pull(turned, b->count, w->gradient + b->first, w->x + b->first, w->d->q + b->own_q,
                pull);
}

const lb_parameter_type lb_parameter_joint_rest = {.make = make_rest,
                                                   .find = find_rest,
                                                   .read = read_rest,
                                                   .write = write_rest,
                                                   .put = put_rest,
                                                   .pull = pull_rest};

// --- springs, cables and grounds ---

static double* in_force(const lb_block* b, lb_scene_force* f) {
  double* const number[] = {[LB_SPRING_STIFFNESS] = &f->stiffness,
                            [LB_SPRING_DAMPING] = &f->damping,
                            [LB_SPRING_REST] = &f->length};
  return number[number_of(b)];
}

static void read_force(const lb_optimizing* o, const lb_block* b, double* x) {
  *x = *in_force(b, &o->model->force.item[b->p->index].set);
}

static lb_floor floor_force(const lb_optimizing* o, const lb_block* b) {
  const bool positive = LB_FORCE_FORMAT[o->given.force[b->p->index].kind]->positive;
  return number_of(b) == LB_SPRING_REST ? LB_FLOOR_NONE : positive ? LB_FLOOR_PART : LB_FLOOR_ZERO;
}

static double* in_scene_force(lb_optimizing* o, lb_scene* s, const lb_block* b) {
  (void)o;
  return in_force(b, &s->force[b->p->index]);
}

static lb_status put_force(lb_player* w, const lb_block* b, const double* x) {
  *in_force(b, &w->m->force.item[b->p->index].set) = *x;
  return LB_OK;
}

static void pull_force(lb_way_back* w, const lb_block* b, bool impact, const double* mu) {
  (void)impact;
  w->gradient[b->first] += lb_force_by_number(w->D, w->at, b->p->index, number_of(b), mu);
}

const lb_parameter_type lb_parameter_force = {.read = read_force,
                                              .in_scene = in_scene_force,
                                              .floor_of = floor_force,
                                              .put = put_force,
                                              .pull = pull_force};
