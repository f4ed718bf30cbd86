#include "fork/fork_scene.h"

#include <string.h>

// --- copies ---

// Arrays of its own, with room for more bodies and joints.
// Points of a cable that go by joints are its own.
static void copy_points(const lb_scene_force* from, lb_arena* arena, lb_scene_force* to) {
  to->point = LB_COPY(arena, from->point, from->npoint);
  for (int k = 0; k < from->npoint && to->point; k++) {
    const lb_scene_path_point* path = from->point[k].path;
    to->point[k].path = path ? LB_COPY(arena, path, 1) : NULL;
  }
}

static bool copy(const lb_scene* s, int more, lb_arena* arena, lb_scene* to) {
  *to = *s;
  to->storage = NULL;
  to->origin = NULL;
  to->optimize.nparameter = 0; // they count joints
  to->body = LB_TAKE(arena, lb_scene_body, s->nbody + more);
  to->joint = LB_TAKE(arena, lb_scene_joint, s->njoint + s->nbody + more);
  to->shape = LB_COPY(arena, s->shape, s->nshape);
  to->force = LB_COPY(arena, s->force, s->nforce);
  for (int i = 0; i < s->nforce && to->force; i++) {
    copy_points(&s->force[i], arena, &to->force[i]);
  }
  to->motor = LB_COPY(arena, s->motor, s->nmotor);
  to->load = LB_COPY(arena, s->load, s->nload);
  to->constraint = LB_COPY(arena, s->constraint, s->nconstraint);
  for (int i = 0; to->constraint && i < s->nconstraint; i++) {
    to->constraint[i].term = LB_COPY(arena, s->constraint[i].term, s->constraint[i].nterm);
  }
  to->muscle = LB_COPY(arena, s->muscle, s->nmuscle);
  for (int i = 0; to->muscle && i < s->nmuscle; i++) {
    to->muscle[i].point = LB_COPY(arena, s->muscle[i].point, s->muscle[i].npoint);
  }
  if (lb_arena_status(arena) != LB_OK) {
    return false;
  }
  memcpy(to->body, s->body, (size_t)s->nbody * sizeof *s->body);
  memcpy(to->joint, s->joint, (size_t)s->njoint * sizeof *s->joint);
  return true;
}

// What carries a body is a fixed joint.
static void fix(lb_scene* to, int body, int parent, int face, lb_transform X) {
  const int carrier = lb_scene_carrier(to, body);
  lb_scene_joint* j = &to->joint[carrier >= 0 ? carrier : to->njoint++];
  const char* name = carrier >= 0 ? j->name : to->body[body].name;
  *j = lb_scene_joint_default();
  j->name = name;
  j->place = to->body[body].place;
  j->kind = LB_JOINT_FIXED;
  j->parent = parent;
  j->child = body;
  j->in_parent = X;
  j->hold.face[0] = face;
}

// Items for which `keep` holds, in their order.
#define KEEP(array, count, keep)                                                                   \
  do {                                                                                             \
    int keep_count = 0;                                                                            \
    for (int i = 0; i < (count); i++) {                                                            \
      if (keep) {                                                                                  \
        (array)[keep_count++] = (array)[i];                                                        \
      }                                                                                            \
    }                                                                                              \
    (count) = keep_count;                                                                          \
  } while (0)

// Joints without those that are dropped, and who counts on them.
static void renumber(int* joint, const int* number) {
  *joint = *joint >= 0 ? number[*joint] : *joint;
}

static void drop_joints(lb_scene* to, const bool* drop, int* number) {
  int kept = 0;
  for (int i = 0; i < to->njoint; i++) {
    number[i] = drop[i] ? -1 : kept;
    kept += !drop[i];
  }
  KEEP(to->joint, to->njoint, number[i] >= 0);
  for (int i = 0; i < to->nmotor; i++) {
    renumber(&to->motor[i].joint, number);
  }
  for (int i = 0; i < to->nconstraint; i++) {
    for (int k = 0; k < to->constraint[i].nterm; k++) {
      renumber(&to->constraint[i].term[k].joint, number);
    }
  }
  for (int i = 0; i < to->nforce; i++) {
    for (int k = 0; k < to->force[i].npoint; k++) {
      lb_scene_path_point* path = (lb_scene_path_point*)to->force[i].point[k].path;
      if (path) {
        renumber(&path->follows, number);
        renumber(&path->condition, number);
      }
    }
  }
  for (int i = 0; i < to->nmuscle; i++) {
    renumber(&to->muscle[i].excitation.joint, number);
    for (int k = 0; k < to->muscle[i].npoint; k++) {
      renumber(&to->muscle[i].point[k].follows, number);
      renumber(&to->muscle[i].point[k].condition, number);
    }
  }
}

// --- what acts on what ---

// Joints inside count as inner bodies.
static bool touches_joint(const lb_fork_parts* p, const lb_scene_path_point* at) {
  return (at->follows >= 0 && p->inside[at->follows]) ||
         (at->condition >= 0 && p->inside[at->condition]);
}

static lb_fork_touch touch_force(const lb_fork_parts* p, const lb_scene_force* f) {
  lb_fork_touch t = {0};
  for (int i = 0; i < f->npoint; i++) {
    const lb_scene_point* at = &f->point[i];
    lb_fork_touch_add(&t, p, at->wrap > 0 ? p->scene->wrap[at->wrap - 1].body : at->body);
    t.inner |= at->path && touches_joint(p, at->path);
  }
  if (f->kind == LB_FORCE_GROUND) {
    lb_fork_touch_add(&t, p, LB_WORLD);
  }
  return t;
}

// Prescribed motions and floors are of the world, and no part of a mechanism.
static lb_fork_touch touch_constraint(const lb_fork_parts* p, const lb_scene_constraint* c) {
  lb_fork_touch t = {0};
  for (int k = 0; k < c->nterm; k++) {
    const bool inside = p->inside[c->term[k].joint];
    t.inner |= inside;
    t.outside |= !inside;
  }
  if (c->kind != LB_CONSTRAINT_COUPLE) {
    lb_fork_touch_add(&t, p, c->body);
    if (c->other) {
      lb_fork_touch_add(&t, p, c->other->body);
    }
    t.outside |= c->kind == LB_CONSTRAINT_FOLLOW || c->kind == LB_CONSTRAINT_FLOOR;
  }
  return t;
}

static bool is_inside(lb_fork_touch t) {
  return (t.inner || t.effector) && !t.outside;
}

static lb_fork_touch touch_rope(const lb_fork_parts* p, const lb_scene_rope* rope) {
  lb_fork_touch t = {0};
  for (int i = 0; i < rope->npoint; i++) {
    if (!rope->point[i].free) {
      lb_fork_touch_add(&t, p, rope->point[i].body);
    }
  }
  return t;
}

static lb_fork_touch touch_muscle(const lb_fork_parts* p, const lb_scene_muscle* muscle) {
  const lb_scene* s = p->scene;
  const int feels = muscle->excitation.joint;
  lb_fork_touch t = {.inner = feels >= 0 && p->inside[feels]};
  for (int i = 0; i < muscle->npoint; i++) {
    const lb_scene_path_point* at = &muscle->point[i];
    lb_fork_touch_add(&t, p, at->wrap >= 0 ? s->wrap[at->wrap].body : at->body);
    t.inner |= touches_joint(p, at);
  }
  return t;
}

static lb_fork_touch touch_deformable(const lb_fork_parts* p, const lb_scene_deformable* soft) {
  lb_fork_touch t = {0};
  for (int i = 0; i < soft->nbody; i++) {
    lb_fork_touch_add(&t, p, soft->body[i]);
  }
  return t;
}

static lb_status refuse(const lb_fork_parts* p, lb_place place, const char* kind, const char* name,
                        lb_error* err) {
  return lb_error_add(err, LB_INVALID, place,
                      "fork '%s': %s '%s' acts between the inside of the mechanism and what is "
                      "outside of it (name the body that it acts on under 'effectors', or say "
                      "'simulate: whole')",
                      p->what->name, kind, name);
}

static lb_status check_loads(const lb_fork_parts* p, lb_error* err) {
  const lb_scene* s = p->scene;
  for (int i = 0; i < s->nload; i++) {
    const lb_scene_load* load = &s->load[i];
    if (lb_fork_side_of(p, load->body) == LB_FORK_INNER &&
        (load->profile.count > 0 || p->base != LB_WORLD)) {
      return lb_error_add(err, LB_INVALID, load->place,
                          "fork '%s': load '%s' acts on body '%s' inside of the mechanism, and %s "
                          "(name the body under 'effectors')",
                          p->what->name, load->name, s->body[load->body].name,
                          load->profile.count > 0 ? "changes" : "its base moves");
    }
  }
  return LB_OK;
}

static lb_status check_bodies(const lb_fork_parts* p, lb_error* err) {
  const lb_scene* s = p->scene;
  for (int i = 0; i < s->nbody; i++) {
    const lb_scene_body* b = &s->body[i];
    const bool drags = b->drag > 0 || b->turn_drag > 0 || b->air_drag > 0;
    if (drags && p->base != LB_WORLD && lb_fork_side_of(p, i) == LB_FORK_INNER) {
      return lb_error_add(err, LB_INVALID, b->place,
                          "fork '%s': body '%s' has drag, inside of a mechanism whose base moves "
                          "(take it away, or name the body under 'effectors')",
                          p->what->name, b->name);
    }
    if (lb_fork_has(p, i) && (s->body[i].elastic || s->body[i].reduced)) {
      return lb_error_add(err, LB_INVALID, s->body[i].place,
                          "fork '%s': body '%s' is elastic, and its shape is not known where its "
                          "mechanism is simulated by effectors (say 'simulate: whole')",
                          p->what->name, s->body[i].name);
    }
  }
  return LB_OK;
}

static bool crosses(lb_fork_touch t) {
  return t.inner && t.outside;
}

static lb_status check(const lb_fork_parts* p, lb_error* err) {
  const lb_scene* s = p->scene;
  for (int i = 0; i < s->nforce; i++) {
    if (crosses(touch_force(p, &s->force[i]))) {
      return refuse(p, s->force[i].place, lb_force_kind_name(s->force[i].kind), s->force[i].name,
                    err);
    }
  }
  for (int i = 0; i < s->nconstraint; i++) {
    if (crosses(touch_constraint(p, &s->constraint[i]))) {
      return refuse(p, s->constraint[i].place, "constraint", s->constraint[i].name, err);
    }
  }
  for (int i = 0; i < s->nrope; i++) {
    if (touch_rope(p, &s->rope[i]).inner) {
      return refuse(p, s->rope[i].place, "rope", s->rope[i].name, err);
    }
  }
  for (int i = 0; i < s->ndeformable; i++) {
    if (touch_deformable(p, &s->deformable[i]).inner) {
      return refuse(p, s->deformable[i].place, "deformable", s->deformable[i].name, err);
    }
  }
  for (int i = 0; i < s->nmuscle; i++) {
    if (touch_muscle(p, &s->muscle[i]).inner) {
      return refuse(p, s->muscle[i].place, "muscle", s->muscle[i].name, err);
    }
  }
  const lb_status status = check_loads(p, err);
  return status == LB_OK ? check_bodies(p, err) : status;
}

// --- the mechanism alone ---

lb_status lb_fork_scene_alone(const lb_fork_parts* p, lb_body_poses start, lb_arena* arena,
                              lb_scene* to, lb_error* err) {
  const lb_scene* s = p->scene;
  lb_status status = check(p, err);
  bool* drop = LB_TAKE(arena, bool, s->njoint + s->nbody);
  int* number = LB_TAKE(arena, int, s->njoint + s->nbody);
  if (status != LB_OK || !drop || !number || !copy(s, 0, arena, to)) {
    return status == LB_OK ? LB_NO_MEMORY : status;
  }
  KEEP(to->force, to->nforce, is_inside(touch_force(p, &to->force[i])));
  KEEP(to->constraint, to->nconstraint, is_inside(touch_constraint(p, &to->constraint[i])));
  KEEP(to->motor, to->nmotor, p->inside[to->motor[i].joint]);
  KEEP(to->load, to->nload, lb_fork_has(p, to->load[i].body));
  to->nrope = to->ndeformable = to->nmuscle = to->nfork = 0;
  to->contacts.on = to->record.reactions = false;
  for (int i = 0; i < s->njoint; i++) {
    drop[i] = s->joint[i].loop && !p->inside[i];
  }
  for (int i = 0; i < s->nbody; i++) {
    if (!lb_fork_has(p, i)) {
      fix(to, i, LB_WORLD, -1, start[i]);
      to->body[i].elastic = NULL;
      to->body[i].reduced = NULL;
    }
  }
  drop_joints(to, drop, number);
  return LB_OK;
}

// --- mechanisms reduced ---

static void lighten(lb_scene_body* body, bool inner) {
  body->has_mass = body->has_com = body->has_inertia = true;
  body->mass = (lb_mass){0};
  if (inner) { // part of the mechanism's damping
    body->drag = body->turn_drag = body->air_drag = 0;
  }
}

static void replace(lb_scene* to, const lb_fork_piece* piece, int nbody) {
  const lb_fork_parts* p = &piece->parts;
  const int own = to->nbody++;
  to->body[own] = lb_scene_body_default();
  to->body[own].name = p->what->name;
  to->body[own].place = p->what->place;
  to->body[own].reduced = piece->reduced;
  fix(to, own, p->base, -1, lb_transform_identity());
  for (int i = 0; i < nbody; i++) {
    if (lb_fork_has(p, i)) {
      fix(to, i, own, p->effector[i], piece->in_base[i]);
      lighten(&to->body[i], lb_fork_side_of(p, i) == LB_FORK_INNER);
    }
  }
  for (int i = 0; i < to->nshape; i++) {
    const int body = to->shape[i].body;
    to->shape[i].solid &= body < 0 || lb_fork_side_of(p, body) != LB_FORK_INNER;
  }
}

lb_status lb_fork_scene_reduced(const lb_scene* s, int count, const lb_fork_piece* piece,
                                lb_arena* arena, lb_scene* to) {
  bool* drop = LB_TAKE(arena, bool, s->njoint + s->nbody + count);
  int* number = LB_TAKE(arena, int, s->njoint + s->nbody + count);
  if (!drop || !number || !copy(s, count, arena, to)) {
    return LB_NO_MEMORY;
  }
  for (int k = 0; k < count; k++) {
    const lb_fork_parts* p = &piece[k].parts;
    KEEP(to->force, to->nforce, !touch_force(p, &to->force[i]).inner);
    KEEP(to->constraint, to->nconstraint, !is_inside(touch_constraint(p, &to->constraint[i])));
    KEEP(to->motor, to->nmotor, !p->inside[to->motor[i].joint]);
    KEEP(to->load, to->nload, lb_fork_side_of(p, to->load[i].body) != LB_FORK_INNER);
    for (int i = 0; i < s->njoint; i++) {
      drop[i] |= s->joint[i].loop && p->inside[i];
    }
  }
  to->nfork = 0;
  for (int k = 0; k < count; k++) {
    replace(to, &piece[k], s->nbody);
  }
  drop_joints(to, drop, number);
  return LB_OK;
}
