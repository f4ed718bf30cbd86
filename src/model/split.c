#include "model/split.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/pose.h"

enum { NAME_SIZE = 160 };

// Is a coordinate of the joint part of a coupling?
static bool is_coupled(const lb_scene* s, int joint) {
  for (int i = 0; i < s->nconstraint; i++) {
    for (int k = 0; k < s->constraint[i].nterm; k++) {
      if (s->constraint[i].term[k].joint == joint) {
        return true;
      }
    }
  }
  return false;
}

bool lb_joint_needs_coordinates(const lb_scene* s, int joint) {
  const lb_scene_joint* j = &s->joint[joint];
  return j->armature > 0 || j->friction > 0 || j->limit_stiffness > 0 || j->kind > LB_JOINT_FREE ||
         is_coupled(s, joint);
}

static bool splits(const lb_scene* s, int joint) {
  return s->joint[joint].loop && lb_joint_needs_coordinates(s, joint);
}

bool lb_scene_has_splits(const lb_scene* s) {
  for (int i = 0; i < s->njoint; i++) {
    if (splits(s, i)) {
      return true;
    }
  }
  return false;
}

// Where the joint is when its child is where the tree has it. Of kinds without a closed form the
// start is left to the assembly.
static void find_start(lb_scene_joint* j, const lb_transform* parent, const lb_transform* child) {
  const lb_transform turn = lb_joint_turn(j);
  const lb_transform a = lb_transform_mul(lb_transform_mul(*parent, j->in_parent), turn);
  const lb_transform b = lb_transform_mul(lb_transform_mul(*child, j->in_child), turn);
  const lb_transform X = lb_transform_mul(lb_transform_inverse(a), b);
  const lb_mat3 R = lb_quat_matrix(X.q);
  if (j->kind == LB_JOINT_REVOLUTE) {
    j->q[0] = atan2(R.x.y, R.x.x);
  } else if (j->kind == LB_JOINT_PRISMATIC) {
    j->q[0] = X.p.z;
  } else if (j->kind == LB_JOINT_UNIVERSAL) {
    j->q[0] = atan2(R.x.y, R.x.x);
    j->q[1] = atan2(R.y.z, R.z.z);
  } else if (j->kind == LB_JOINT_SPHERICAL) {
    memcpy(j->q, (double[]){X.q.w, X.q.x, X.q.y, X.q.z}, 4 * sizeof(double));
  }
}

// What a body weighs, in equal parts.
static void weigh(lb_scene_body* body, lb_mass whole, int parts) {
  const double share = 1.0 / parts;
  const lb_sym3 I = whole.inertia;
  body->has_mass = body->has_com = body->has_inertia = true;
  body->mass = (lb_mass){
      share * whole.mass,
      whole.com,
      {share * I.xx, share * I.yy, share * I.zz, share * I.xy, share * I.xz, share * I.yz}};
}

static const char* compose(lb_arena* arena, const char* name, const char* of) {
  char text[NAME_SIZE];
  const int size = snprintf(text, sizeof text, "%.70s of %.70s", name, of);
  return lb_arena_text(arena, text, (size_t)size);
}

typedef struct work {
  const lb_scene* scene;
  const lb_model* tree;
  lb_arena* arena;
  lb_transform* pose; // of the tree's links
  int* parts;         // [nbody] that each body is split into
  lb_scene* to;
  lb_error* err;
} work;

static lb_status split_joint(work* w, int i) {
  lb_scene* to = w->to;
  lb_scene_joint* j = &to->joint[i];
  const lb_scene_joint whole = *j;
  const lb_scene_body* child = &w->scene->body[j->child];
  if (child->elastic || child->reduced) {
    return lb_error_add(w->err, LB_INVALID, j->place,
                        "joint '%s' closes a loop at the elastic body '%s' and does more than "
                        "hold it (fix a rigid body to its face, and join that)",
                        j->name, child->name);
  }
  const lb_transform at_child = lb_body_pose(w->tree, whole.child, w->pose);
  const lb_transform at_parent = whole.parent == LB_WORLD
                                     ? lb_transform_identity()
                                     : lb_body_pose(w->tree, whole.parent, w->pose);
  lb_scene_body* part = &to->body[to->nbody];
  *part = lb_scene_body_default();
  part->name = compose(w->arena, "part", j->name);
  part->place = child->place;
  const lb_mass mass = w->tree->body_mass[whole.child], none = {0};
  weigh(part, mass, whole.splits_off_all ? 1 : w->parts[whole.child]);
  weigh(&to->body[whole.child], whole.splits_off_all ? none : mass, w->parts[whole.child]);
  j->loop = false;
  j->child = to->nbody++;
  find_start(j, &at_parent, &at_child);
  lb_scene_joint* weld = &to->joint[to->njoint++];
  *weld = lb_scene_joint_default();
  weld->name = compose(w->arena, "loop", j->name);
  weld->place = j->place;
  weld->kind = LB_JOINT_FIXED;
  weld->loop = true;
  weld->parent = j->child;
  weld->child = whole.child;
  return part->name && weld->name ? LB_OK : LB_NO_MEMORY;
}

static bool take(work* w, int count) {
  const lb_scene* s = w->scene;
  lb_scene* to = w->to;
  *to = *s;
  to->storage = NULL;
  to->body = LB_TAKE(w->arena, lb_scene_body, s->nbody + count);
  to->joint = LB_TAKE(w->arena, lb_scene_joint, s->njoint + count);
  w->pose = LB_TAKE(w->arena, lb_transform, w->tree->nlink);
  w->parts = LB_TAKE(w->arena, int, s->nbody);
  if (!to->body || !to->joint || !w->pose || !w->parts) {
    return false;
  }
  memcpy(to->body, s->body, (size_t)s->nbody * sizeof *s->body);
  memcpy(to->joint, s->joint, (size_t)s->njoint * sizeof *s->joint);
  return true;
}

lb_status lb_scene_split(const lb_scene* scene, const lb_model* tree, lb_arena* arena,
                         lb_scene* split, lb_error* err) {
  work w = {.scene = scene, .tree = tree, .arena = arena, .to = split, .err = err};
  int count = 0;
  for (int i = 0; i < scene->njoint; i++) {
    count += splits(scene, i);
  }
  lb_status status = take(&w, count) ? LB_OK : LB_NO_MEMORY;
  for (int i = 0; i < scene->nbody && status == LB_OK; i++) {
    w.parts[i] = 1;
  }
  for (int i = 0; i < scene->njoint && status == LB_OK; i++) {
    w.parts[scene->joint[i].child] += splits(scene, i);
  }
  if (status == LB_OK) {
    lb_link_poses(tree, w.pose, tree->q0);
  }
  for (int i = 0; i < scene->njoint && status == LB_OK; i++) {
    status = splits(scene, i) ? split_joint(&w, i) : LB_OK;
  }
  return status != LB_NO_MEMORY ? status
                                : lb_error_add(err, LB_NO_MEMORY, (lb_place){0},
                                               "out of memory for '%s'", scene->name);
}
