// Lengths as coordinates: whatever is fastened to a body that may get longer is put on a massless
// carrier, which a motor slides along. How the motion changes with the length is then how it
// changes with a motor's place, which steps know already: with every force, joint and elastic body
// beyond it. The body's own mass is the affair of optimize_mass.c.
#include <stdio.h>
#include <string.h>

#include "design/optimize/optimization.h"

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
} maker;

// Lay a copy of an array with room for more in its place.
static void copy(lb_arena* arena, void* array, int count, int more, size_t size) {
  void* to = lb_arena_take_array(arena, (size_t)count + (size_t)more, size, _Alignof(max_align_t));
  if (to && count > 0) {
    memcpy(to, *(void**)array, (size_t)count * size);
  }
  *(void**)array = to ? to : *(void**)array;
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
  if (reach == 0) {
    return;
  }
  const char* name = carrier_name(k);
  double* key = LB_TAKE(&k->o->arena, double, 2);
  if (lb_arena_status(&k->o->arena) != LB_OK) {
    return;
  }
  lb_scene_joint slide = lb_scene_joint_default();
  slide.name = name;
  slide.kind = LB_JOINT_PRISMATIC;
  slide.parent = *body;
  slide.child = s->nbody;
  slide.in_parent.p = *x;
  slide.axis = p->along;
  slide.resistance.armature = 1; // of a coordinate that is prescribed: it only has to be there
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
static void part_points(maker* k) {
  lb_scene* s = k->s;
  for (int i = 0; i < s->nconstraint; i++) {
    lb_scene_constraint* c = &s->constraint[i];
    if (c->npoint > 1 && c->body == k->of->p->index) {
      lb_scene_constraint* others = &s->constraint[s->nconstraint++]; // their turn comes
      *others = *c;
      others->point++;
      others->npoint--;
      c->npoint = 1;
    }
  }
}

static void carry_all(maker* k) {
  part_points(k);
  const int n = lb_scene_fastened(k->s, NULL);
  lb_fastened* all = LB_TAKE(&k->o->arena, lb_fastened, n);
  if (lb_arena_status(&k->o->arena) != LB_OK) {
    return;
  }
  lb_scene_fastened(k->s, all);
  for (int i = 0; i < n; i++) {
    carry(k, all[i].body, all[i].at);
  }
  for (int i = 0; i < k->o->ngoal; i++) {
    lb_aimed* a = &k->o->goal[i];
    carry(k, &a->body, &a->at);
  }
}

// --- what is fastened to bodies ---

typedef struct list {
  lb_fastened* to;
  int count;
} list;

static void fasten(list* l, int* body, lb_vec3* at) {
  if (l->to) {
    l->to[l->count] = (lb_fastened){body, at};
  }
  l->count++;
}

int lb_scene_fastened(const lb_scene* s, lb_fastened* to) {
  list l = {to, 0};
  for (int i = 0; i < s->njoint; i++) {
    lb_scene_joint* j = &s->joint[i];
    fasten(&l, &j->parent, &j->in_parent.p);
    if (j->loop) {
      fasten(&l, &j->child, &j->in_child.p);
    }
  }
  for (int i = 0; i < s->nforce; i++) {
    for (int k = 0; k < s->force[i].npoint; k++) {
      fasten(&l, &s->force[i].point[k].body, &s->force[i].point[k].at);
    }
  }
  for (int i = 0; i < s->nload; i++) {
    fasten(&l, &s->load[i].body, &s->load[i].point);
  }
  for (int i = 0; i < s->nconstraint; i++) {
    lb_scene_constraint* c = &s->constraint[i];
    for (int k = 0; k < c->npoint; k++) {
      fasten(&l, &c->body, &c->point[k]);
    }
    if (c->other) {
      fasten(&l, &c->other->body, &c->other->at);
    }
  }
  for (int i = 0; i < s->nrope; i++) {
    for (int k = 0; k < s->rope[i].npoint; k++) {
      lb_scene_rope_point* p = &s->rope[i].point[k];
      if (!p->free) {
        fasten(&l, &p->body, &p->at);
      }
    }
  }
  return l.count;
}

static void copy_points(lb_arena* arena, lb_scene* s) {
  for (int i = 0; i < s->nforce; i++) {
    copy(arena, &s->force[i].point, s->force[i].npoint, 0, sizeof *s->force[i].point);
  }
  for (int i = 0; i < s->nconstraint; i++) {
    lb_scene_constraint* c = &s->constraint[i];
    copy(arena, &c->point, c->npoint, 0, sizeof *c->point);
    if (c->other) {
      copy(arena, &c->other, 1, 0, sizeof *c->other);
    }
  }
  for (int i = 0; i < s->nrope; i++) {
    copy(arena, &s->rope[i].point, s->rope[i].npoint, 0, sizeof *s->rope[i].point);
  }
}

// A copy of all that numbers are written into or that slides go under, with room for `more`.
static void copy_scene(lb_arena* arena, lb_scene* s, const lb_scene* from, int more) {
  *s = *from;
  lb_scene_optimize* what = &s->optimize;
  copy(arena, &s->body, s->nbody, more, sizeof *s->body);
  copy(arena, &s->joint, s->njoint, more, sizeof *s->joint);
  copy(arena, &s->motor, s->nmotor, more, sizeof *s->motor);
  copy(arena, &s->constraint, s->nconstraint, more, sizeof *s->constraint);
  copy(arena, &s->force, s->nforce, 0, sizeof *s->force);
  copy(arena, &s->load, s->nload, 0, sizeof *s->load);
  copy(arena, &s->shape, s->nshape, 0, sizeof *s->shape);
  copy(arena, &s->rope, s->nrope, 0, sizeof *s->rope);
  copy(arena, &s->deformable, s->ndeformable, 0, sizeof *s->deformable);
  copy(arena, &s->material, s->nmaterial, 0, sizeof *s->material);
  copy(arena, &what->goal, what->ngoal, 0, sizeof *what->goal);
  if (lb_arena_status(arena) == LB_OK) {
    copy_points(arena, s);
  }
}

lb_status lb_slides_add(lb_optimizing* o, const lb_scene* from, lb_error* err) {
  lb_scene* s = &o->slid;
  lb_arena* arena = &o->arena;
  const int more = lb_scene_fastened(from, NULL) + o->ngoal;
  copy_scene(arena, &o->given, from, 0);
  copy_scene(arena, s, from, more);
  for (int i = 0; i < o->nblock && lb_arena_status(arena) == LB_OK; i++) {
    lb_block* b = &o->block[i];
    if (b->type == &lb_parameter_length) {
      b->slide = LB_TAKE(arena, lb_slide, more);
      carry_all(&(maker){.o = o, .s = s, .of = b, .root = lb_body_root(from, b->p->index)});
    }
  }
  return lb_arena_check(arena, "an optimisation", err);
}
