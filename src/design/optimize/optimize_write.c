// Numbers into a scene, for what comes after a search. Everything is written from the scene as it
// was when the optimisation was made, so that other numbers can follow, into the same scene.
#include <math.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "model/use/motor_use.h"

// --- lengths ---

typedef struct stretch {
  int body;
  lb_vec3 along, root;
  double f;
} stretch;

static void stretch_point(const stretch* t, int body, lb_vec3* to, lb_vec3 x) {
  if (body == t->body) {
    const double reach = lb_vec3_dot(t->along, lb_vec3_sub(x, t->root));
    *to = lb_vec3_add(x, lb_vec3_scale((t->f - 1) * reach, t->along));
  }
}

// What is seen of a body: shapes with an edge or axis along the direction get longer by it.
static void stretch_shape(const stretch* t, lb_scene_shape* to, const lb_scene_shape* from) {
  const lb_vec3 e = lb_quat_rotate(lb_quat_conjugate(from->pose.q), t->along);
  const lb_shape_type type = from->shape.type;
  const bool round = type == LB_SHAPE_CAPSULE || type == LB_SHAPE_CYLINDER;
  const double part[] = {e.x, e.y, e.z};
  double size[] = {from->shape.size.x, from->shape.size.y, from->shape.size.z};
  if (from->body != t->body || type == LB_SHAPE_SPHERE) {
    return;
  }
  for (int k = round ? 2 : 0; k < 3; k++) { // a round one has its length second, along z
    if (fabs(part[k]) > 1 - 1e-9) {
      size[round ? 1 : k] *= t->f;
    }
  }
  to->shape.size = lb_vec3_make(size[0], size[1], size[2]);
}

static void stretch_points(const stretch* t, lb_scene_point* to, const lb_scene_point* from,
                           int count) {
  for (int k = 0; k < count; k++) {
    stretch_point(t, from[k].body, &to[k].at, from[k].at);
  }
}

static void stretch_forces(const stretch* t, lb_scene* s, const lb_scene* from) {
  for (int i = 0; i < s->nspring; i++) {
    const lb_scene_spring* a = &from->spring[i];
    stretch_point(t, a->body[0], &s->spring[i].point[0], a->point[0]);
    stretch_point(t, a->body[1], &s->spring[i].point[1], a->point[1]);
  }
  for (int i = 0; i < s->ncable; i++) {
    const lb_scene_cable* a = &from->cable[i];
    stretch_points(t, s->cable[i].point, a->point, a->npoint);
  }
  for (int i = 0; i < s->nground; i++) {
    const lb_scene_ground* a = &from->ground[i];
    stretch_points(t, s->ground[i].point, a->point, a->npoint);
  }
  for (int i = 0; i < s->nload; i++) {
    stretch_point(t, from->load[i].body, &s->load[i].point, from->load[i].point);
  }
}

static void stretch_scene(const stretch* t, lb_scene* s, const lb_scene* from) {
  for (int i = 0; i < s->njoint; i++) {
    const lb_scene_joint* a = &from->joint[i];
    stretch_point(t, a->parent, &s->joint[i].in_parent.p, a->in_parent.p);
    if (a->loop) {
      stretch_point(t, a->child, &s->joint[i].in_child.p, a->in_child.p);
    }
  }
  stretch_forces(t, s, from);
  for (int i = 0; i < s->nrope; i++) {
    for (int k = 0; k < s->rope[i].npoint; k++) {
      const lb_scene_rope_point* a = &from->rope[i].point[k];
      stretch_point(t, a->free ? LB_WORLD : a->body, &s->rope[i].point[k].at, a->at);
    }
  }
  for (int i = 0; i < s->nconstraint; i++) {
    const lb_scene_constraint* a = &from->constraint[i];
    for (int k = 0; a->kind != LB_CONSTRAINT_COUPLE && k < a->npoint; k++) {
      stretch_point(t, a->body, &s->constraint[i].point[k], a->point[k]);
    }
  }
  for (int i = 0; i < s->nshape; i++) {
    stretch_point(t, from->shape[i].body, &s->shape[i].pose.p, from->shape[i].pose.p);
    stretch_shape(t, &s->shape[i], &from->shape[i]);
  }
  for (int i = 0; i < s->optimize.ngoal; i++) {
    const lb_scene_goal* a = &from->optimize.goal[i];
    stretch_point(t, a->kind == LB_GOAL_POINT ? a->index : LB_WORLD, &s->optimize.goal[i].at,
                  a->at);
  }
}

// --- the others ---

static void write_turn(double* to, const double* from, const double* x) {
  const lb_quat r = lb_turned(from, x);
  memcpy(to, (double[]){r.w, r.x, r.y, r.z}, 4 * sizeof *to);
}

// The numbers are a turn, from how the scene had it, and then a place.
static void write_turned_rest(lb_scene_joint* to, const lb_scene_joint* from, const double* x) {
  const lb_quat r = from->rest_turn;
  to->rest_turn = lb_turned((double[]){r.w, r.x, r.y, r.z}, x);
  memcpy(to->rest, x + 3, from->kind == LB_JOINT_FREE ? 3 * sizeof *x : 0);
}

static void write_place(lb_scene_joint* to, const lb_scene_joint* from, const lb_block* b,
                        const double* x) {
  if (from->kind == LB_JOINT_SPHERICAL) {
    write_turn(to->q, from->q, x);
  } else if (from->kind == LB_JOINT_FREE) {
    write_turn(to->q + 3, from->q + 3, x);
    memcpy(to->q, x + 3, 3 * sizeof *x);
  } else {
    memcpy(to->q + b->part, x, (size_t)b->count * sizeof *x);
  }
}

static void write_body(lb_scene_body* to, const lb_scene_body* from, lb_parameter_kind kind,
                       const double* x) {
  const double r[] = {from->pose.q.w, from->pose.q.x, from->pose.q.y, from->pose.q.z};
  const lb_vec3 v = lb_vec3_make(x[0], x[1], x[2]);
  if (kind == LB_PARAMETER_ROTATION) {
    to->pose.q = lb_turned(r, x);
  } else {
    *(kind == LB_PARAMETER_SPIN       ? &to->spin
      : kind == LB_PARAMETER_VELOCITY ? &to->velocity
                                      : &to->pose.p) = v;
  }
}

static void write_start(const lb_optimizing* o, lb_scene* s, const lb_block* b, const double* x) {
  const int i = b->p->index;
  if (b->p->owner == LB_OWNER_JOINT && s->joint[i].loop) {
    return; // the others are written so that it starts so
  }
  if (b->p->owner == LB_OWNER_BODY) {
    write_body(&s->body[i], &o->given.body[i], b->p->kind, x);
  } else if (b->p->kind == LB_PARAMETER_VELOCITY) {
    memcpy(s->joint[i].qd + b->part, x, (size_t)b->count * sizeof *x);
  } else {
    write_place(&s->joint[i], &o->given.joint[i], b, x);
  }
}

static bool write_curve(lb_arena* arena, lb_scene* s, const lb_block* b, const double* x) {
  lb_profile_definition* p = &s->motor[b->p->index].profile;
  *p = lb_curve_make(arena, b, x);
  return p->value != NULL;
}

static lb_scene_joint* own_parts(lb_arena* arena, lb_scene_joint* j) {
  lb_scene_joint* part = LB_TAKE(arena, lb_scene_joint, j->npart);
  if (part) {
    memcpy(part, j->part, (size_t)j->npart * sizeof *part);
    j->part = part;
  }
  return part;
}

// Of a composite joint, rests of all its parts.
static bool write_joint(lb_arena* arena, lb_scene_joint* to, lb_parameter_kind kind,
                        const double* x) {
  const int n = kind == LB_PARAMETER_REST ? lb_joint_count_v(to) : 1;
  const bool turns = kind == LB_PARAMETER_TURN_STIFFNESS || kind == LB_PARAMETER_TURN_DAMPING;
  for (int k = 0; k < n && to->npart == 0; k++) {
    lb_put_resistance(kind, x[k], turns ? &to->turn.stiffness : &to->stiffness,
                      turns ? &to->turn.damping : &to->damping, &to->rest[k]);
  }
  lb_scene_joint* part = to->npart > 0 ? own_parts(arena, to) : NULL;
  bool ok = part || to->npart == 0;
  for (int i = 0; i < to->npart && ok; i++) {
    ok = write_joint(arena, &part[i], kind, x);
    x += lb_joint_count_v(&part[i]);
  }
  return ok;
}

static bool write_resistance(lb_optimizing* o, lb_scene* s, const lb_block* b, const double* x) {
  const lb_parameter_kind kind = b->p->kind;
  const int i = b->p->index;
  if (lb_fabric_owns(b)) {
    lb_fabric_write(s, b, *x);
  } else if (b->p->owner == LB_OWNER_SPRING) {
    lb_scene_spring* to = &s->spring[i];
    lb_put_resistance(kind, *x, &to->stiffness, &to->damping, &to->length);
  } else if (b->p->owner == LB_OWNER_CABLE) {
    lb_scene_cable* to = &s->cable[i];
    lb_put_resistance(kind, *x, &to->stiffness, &to->damping, &to->length);
  } else if (b->p->owner == LB_OWNER_GROUND) {
    s->ground[i].stiffness = *x;
  } else if (b->p->part > 0) {
    lb_scene_joint* part = own_parts(&o->arena, &s->joint[i]);
    return part && write_joint(&o->arena, &part[b->p->part - 1], kind, x);
  } else if (kind == LB_PARAMETER_REST && lb_joint_has_quaternion(&s->joint[i])) {
    write_turned_rest(&s->joint[i], &o->given.joint[i], x);
  } else {
    return write_joint(&o->arena, &s->joint[i], kind, x);
  }
  return true;
}

// Masses as the growths have them; lengths that lines took from the start stay.
static void write_rest(const lb_optimizing* o, lb_scene* s) {
  for (int i = 0; i < o->ngrowth; i++) {
    const lb_growth* g = &o->growth[i];
    lb_scene_body* body = &s->body[g->body];
    if (g->part == g->body && g->base.m > 0) { // a massless body stays one
      body->mass = lb_growth_mass(g);
      body->has_mass = body->has_com = body->has_inertia = true;
    }
  }
  for (int i = 0; i < s->nspring; i++) {
    s->spring[i].length =
        isnan(s->spring[i].length) ? o->model->spring[i].length : s->spring[i].length;
  }
  for (int i = 0; i < s->ncable; i++) {
    s->cable[i].length = isnan(s->cable[i].length) ? o->model->cable[i].length : s->cable[i].length;
  }
}

// What a frame that is prescribed turns from is how the scene started, whatever it starts with now.
static void write_prescribed(lb_optimizing* o, lb_scene* s) {
  const lb_model* m = o->tree;
  for (int i = 0; i < m->nprescribed - lb_motors_count_turns(m); i++) {
    const lb_scene_joint* prescribed = &m->loop[m->prescribed[i].loop];
    for (int k = 0; k < s->nconstraint; k++) {
      lb_scene_constraint* c = &s->constraint[k];
      if (m->prescribed[i].turn && strcmp(c->name, prescribed->name) == 0) {
        c->has_from = true;
        c->from = lb_quat_conjugate(prescribed->in_child.q);
      }
    }
  }
}

// --- the whole ---

static lb_status no_memory(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for the numbers of a scene");
}

// Of a scene with loops, all coordinates as they follow: what closes them again has nothing to do,
// which would weigh the ways to close them by masses that have changed. And where nodes start.
static lb_status write_closed(lb_optimizing* o, const double* x, lb_scene* s, lb_error* err) {
  lb_arena arena;
  lb_played m;
  lb_data* d = NULL;
  lb_arena_init(&arena, o->allocator);
  lb_status status = lb_optimizing_play(o, x, &arena, &m) == LB_OK ? LB_OK : no_memory(err);
  if (status == LB_OK) {
    status = lb_data_create(m.tree, o->allocator, &d, err);
  }
  if (status == LB_OK) {
    status = lb_start_close(o, &m, d, err);
  }
  if (status == LB_OK && m.tree->nloop + m.tree->ncoupling > 0) {
    lb_start_write(m.tree, d, s);
  }
  if (status == LB_OK && m.tree->nparticle > 0) {
    lb_made_start(o, &m, d);
    status = lb_made_write(o, m.tree, d, s) ? LB_OK : no_memory(err);
  }
  lb_data_release(d);
  lb_arena_release(&arena);
  return status;
}

static bool write_block(lb_optimizing* o, lb_scene* scene, const lb_block* b, const double* x) {
  switch (b->p->kind) {
  case LB_PARAMETER_POSITION:
  case LB_PARAMETER_ROTATION:
  case LB_PARAMETER_VELOCITY:
  case LB_PARAMETER_SPIN:
    write_start(o, scene, b, x);
    return true;
  case LB_PARAMETER_MOTOR:
    return write_curve(&o->arena, scene, b, x);
  case LB_PARAMETER_MASS:
    o->growth[b->growth].density = *x / (o->growth[b->growth].parts * o->growth[b->growth].base.m);
    return true;
  case LB_PARAMETER_LENGTH:
    o->growth[b->growth].length = *x;
    stretch_scene(&(stretch){b->p->index, b->p->along, o->growth[b->growth].x0, *x}, scene,
                  &o->given);
    return true;
  default:
    return write_resistance(o, scene, b, x);
  }
}

lb_status lb_optimization_apply(lb_optimization* optimization, const double* x, lb_scene* scene,
                                lb_error* err) {
  lb_optimizing* o = optimization->work;
  for (int i = 0; i < o->nblock; i++) {
    const lb_block* b = &o->block[i];
    if (!write_block(o, scene, b, x + b->first)) {
      return no_memory(err);
    }
  }
  write_rest(o, scene);
  write_prescribed(o, scene);
  if (!lb_modulus_write(o, scene)) {
    return no_memory(err);
  }
  return o->tree->nloop + o->tree->ncoupling + o->tree->nparticle > 0
             ? write_closed(o, x, scene, err)
             : LB_OK;
}
