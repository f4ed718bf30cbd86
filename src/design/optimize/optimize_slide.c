// Lengths as coordinates: whatever is fastened to a body that may get longer is put on a massless
// carrier, which a motor slides along. How the motion changes with the length is then how it
// changes with a motor's place, which steps know already: with every force, joint and elastic body
// beyond it. The body's own mass is the affair of optimize_mass.c.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "model/build/split_bodies.h"

lb_vec3 lb_body_root(const lb_scene* s, int body) {
  for (int j = 0; j < s->njoint; j++) {
    if (s->joint[j].child == body && !s->joint[j].loop) {
      return s->joint[j].in_child.p;
    }
  }
  return (lb_vec3){0};
}

typedef struct maker {
  lb_optimizing* o;
  lb_scene* s; // in the making; arrays have room
  lb_block* of;
  lb_vec3 root;
  lb_mass share; // of the body's mass, for each joint that splits it
  bool no_memory;
} maker;

// Lay a copy of an array with room for more in its place.
static bool copy(lb_arena* arena, void* array, int count, int more, size_t size) {
  void* to = lb_arena_take_array(arena, (size_t)count + (size_t)more, size, _Alignof(max_align_t));
  if (to && count > 0) {
    memcpy(to, *(void**)array, (size_t)count * size);
  }
  if (to) {
    *(void**)array = to;
  }
  return to != NULL;
}

static const char* carrier_name(maker* k) {
  char text[64];
  const int n = snprintf(text, sizeof text, "slide %d of %.30s", k->s->nmotor, k->of->p->name);
  return lb_arena_text(&k->o->arena, text, (size_t)n);
}

// The body that carries what is at x of the body, and x there.
static void carry(maker* k, int* body, lb_vec3* x) {
  lb_scene* s = k->s;
  const lb_scene_parameter* p = k->of->p;
  const double reach = *body == p->index ? lb_vec3_dot(p->along, lb_vec3_sub(*x, k->root)) : 0;
  if (reach == 0 || k->no_memory) {
    return;
  }
  const char* name = carrier_name(k);
  double* key = LB_TAKE(&k->o->arena, double, 2);
  k->no_memory = !name || !key;
  if (k->no_memory) {
    return;
  }
  lb_scene_joint slide = lb_scene_joint_default();
  slide.name = name;
  slide.kind = LB_JOINT_PRISMATIC;
  slide.parent = *body;
  slide.child = s->nbody;
  slide.in_parent.p = *x;
  slide.axis = p->along;
  slide.armature = 1; // of a coordinate that is prescribed: it only has to be there
  k->of->slide[k->of->nslide++] = (lb_slide){s->nmotor, reach};
  s->motor[s->nmotor++] = (lb_scene_motor){
      .name = name,
      .joint = s->njoint,
      .drive = LB_DRIVE_POSITION,
      .profile = {.kind = LB_PROFILE_LINEAR, .count = 1, .time = key, .value = key + 1}};
  s->joint[s->njoint++] = slide;
  s->body[s->nbody] = lb_scene_body_default();
  s->body[s->nbody++].name = name;
  *body = slide.child;
  *x = (lb_vec3){0};
}

// Points of a constraint that part become one each.
static void carry_points(maker* k, lb_scene_constraint* c) {
  lb_scene* s = k->s;
  if (c->kind == LB_CONSTRAINT_COUPLE || c->body != k->of->p->index) {
    return;
  }
  if (c->npoint > 1) {
    lb_scene_constraint* others = &s->constraint[s->nconstraint++]; // their turn comes
    *others = *c;
    others->point++;
    others->npoint--;
    c->npoint = 1;
  }
  carry(k, &c->body, c->point);
}

static bool splits(const maker* k, int joint) {
  const lb_scene_joint* j = &k->o->given.joint[joint];
  return j->loop && j->child == k->of->p->index && lb_joint_needs_coordinates(&k->o->given, joint);
}

// Does what a joint that splits the body takes of it move along?
static bool splits_off(const maker* k, int joint) {
  const lb_vec3 at = k->o->given.joint[joint].in_child.p;
  return splits(k, joint) && lb_vec3_dot(k->of->p->along, lb_vec3_sub(at, k->root)) != 0;
}

static lb_mass scaled(double s, lb_mass mass) {
  const lb_sym3 I = mass.inertia;
  return (lb_mass){
      s * mass.mass, mass.com, {s * I.xx, s * I.yy, s * I.zz, s * I.xy, s * I.xz, s * I.yz}};
}

static void weigh(lb_scene_body* body, lb_mass mass) {
  body->mass = mass;
  body->has_mass = body->has_com = body->has_inertia = true;
}

// A joint that splits the body takes a share of its mass, as without a carrier in between: carriers
// get it, and pass it on.
static void share_mass(maker* k, int njoint) {
  double parts = 1, off = 0;
  for (int i = 0; i < njoint; i++) {
    parts += splits(k, i);
    off += splits_off(k, i);
  }
  if (off > 0) {
    const lb_mass all = lb_scene_body_mass(&k->o->given, k->of->p->index, NULL);
    k->share = scaled(1 / parts, all);
    weigh(&k->s->body[k->of->p->index], scaled(1 - off / parts, all));
  }
}

static void carry_joint(maker* k, int i) {
  lb_scene_joint* j = &k->s->joint[i];
  carry(k, &j->parent, &j->in_parent.p);
  if (j->loop) {
    const lb_vec3 x = j->in_child.p;
    carry(k, &j->child, &j->in_child.p);
    if (splits_off(k, i) && !k->no_memory) {
      lb_mass mass = k->share;
      mass.com = lb_vec3_sub(mass.com, x);
      weigh(&k->s->body[j->child], mass);
      j->splits_off_all = true;
    }
  }
}

static void carry_all(maker* k, int njoint) {
  lb_scene* s = k->s;
  share_mass(k, njoint);
  for (int i = 0; i < njoint; i++) {
    carry_joint(k, i);
  }
  for (int i = 0; i < s->nspring; i++) {
    for (int e = 0; e < 2; e++) {
      carry(k, &s->spring[i].body[e], &s->spring[i].point[e]);
    }
  }
  for (int i = 0; i < s->ncable; i++) {
    for (int e = 0; e < s->cable[i].npoint; e++) {
      carry(k, &s->cable[i].point[e].body, &s->cable[i].point[e].at);
    }
  }
  for (int i = 0; i < s->nground; i++) {
    for (int e = 0; e < s->ground[i].npoint; e++) {
      carry(k, &s->ground[i].point[e].body, &s->ground[i].point[e].at);
    }
  }
  for (int i = 0; i < s->nload; i++) {
    carry(k, &s->load[i].body, &s->load[i].point);
  }
  for (int i = 0; i < s->nconstraint; i++) {
    carry_points(k, &s->constraint[i]);
  }
  for (int i = 0; i < s->nrope; i++) {
    for (int e = 0; e < s->rope[i].npoint; e++) {
      lb_scene_rope_point* p = &s->rope[i].point[e];
      if (!p->free) {
        carry(k, &p->body, &p->at);
      }
    }
  }
  for (int i = 0; i < k->o->ngoal; i++) {
    lb_aimed* a = &k->o->goal[i];
    if (a->g->kind == LB_GOAL_POINT) {
      carry(k, &a->body, &a->at);
    }
  }
}

// How many things could be on bodies.
static int count_things(const lb_optimizing* o, const lb_scene* s) {
  int n = 2 * s->njoint + 2 * s->nspring + s->nload + o->ngoal;
  for (int i = 0; i < s->ncable; i++) {
    n += s->cable[i].npoint;
  }
  for (int i = 0; i < s->nground; i++) {
    n += s->ground[i].npoint;
  }
  for (int i = 0; i < s->nconstraint; i++) {
    n += s->constraint[i].npoint;
  }
  for (int i = 0; i < s->nrope; i++) {
    n += s->rope[i].npoint;
  }
  return n;
}

static bool copy_points(lb_arena* arena, lb_scene* s) {
  bool ok = true;
  for (int i = 0; i < s->ncable && ok; i++) {
    ok = copy(arena, &s->cable[i].point, s->cable[i].npoint, 0, sizeof *s->cable[i].point);
  }
  for (int i = 0; i < s->nground && ok; i++) {
    ok = copy(arena, &s->ground[i].point, s->ground[i].npoint, 0, sizeof *s->ground[i].point);
  }
  for (int i = 0; i < s->nconstraint && ok; i++) {
    lb_scene_constraint* c = &s->constraint[i];
    ok = copy(arena, &c->point, c->npoint, 0, sizeof *c->point);
  }
  for (int i = 0; i < s->nrope && ok; i++) {
    ok = copy(arena, &s->rope[i].point, s->rope[i].npoint, 0, sizeof *s->rope[i].point);
  }
  return ok;
}

// A copy of all that numbers are written into or that slides go under, with room for `more`.
static bool copy_scene(lb_arena* arena, lb_scene* s, const lb_scene* from, int more) {
  *s = *from;
  lb_scene_optimize* what = &s->optimize;
  return copy(arena, &s->body, s->nbody, more, sizeof *s->body) &&
         copy(arena, &s->joint, s->njoint, more, sizeof *s->joint) &&
         copy(arena, &s->motor, s->nmotor, more, sizeof *s->motor) &&
         copy(arena, &s->constraint, s->nconstraint, more, sizeof *s->constraint) &&
         copy(arena, &s->spring, s->nspring, 0, sizeof *s->spring) &&
         copy(arena, &s->cable, s->ncable, 0, sizeof *s->cable) &&
         copy(arena, &s->ground, s->nground, 0, sizeof *s->ground) &&
         copy(arena, &s->load, s->nload, 0, sizeof *s->load) &&
         copy(arena, &s->shape, s->nshape, 0, sizeof *s->shape) &&
         copy(arena, &s->rope, s->nrope, 0, sizeof *s->rope) &&
         copy(arena, &s->deformable, s->ndeformable, 0, sizeof *s->deformable) &&
         copy(arena, &s->material, s->nmaterial, 0, sizeof *s->material) &&
         copy(arena, &what->goal, what->ngoal, 0, sizeof *what->goal) && copy_points(arena, s);
}

lb_status lb_slides_add(lb_optimizing* o, const lb_scene* from, lb_error* err) {
  lb_scene* s = &o->slid;
  lb_arena* arena = &o->arena;
  const int more = count_things(o, from);
  bool ok = copy_scene(arena, &o->given, from, 0) && copy_scene(arena, s, from, more);
  for (int i = 0; i < o->nblock && ok; i++) {
    lb_block* b = &o->block[i];
    if (b->p->kind == LB_PARAMETER_LENGTH) {
      maker k = {.o = o, .s = s, .of = b, .root = lb_body_root(from, b->p->index)};
      b->slide = LB_TAKE(arena, lb_slide, more);
      ok = b->slide != NULL;
      if (ok) {
        carry_all(&k, from->njoint);
        ok = !k.no_memory;
      }
    }
  }
  return ok ? LB_OK
            : lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for an optimisation");
}
