#include "model/build/scene_rewrite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/build/joint_charts.h"
#include "model/use/joint_start.h"
#include "scene/check/scene_check.h"

enum { NAME_SIZE = 160 };

// True where a coordinate of the joint is part of a coupling.
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

// Loops of hinges and slides have an equation for what a motor prescribes, and prescribed rotations
// have three; motors of other joints need a coordinate. So do servos, whose angles count turns.
static bool has_motor(const lb_scene* s, int joint) {
  const lb_scene_joint* j = &s->joint[joint];
  const bool equation = lb_joint_count_v(j) == 1 && !lb_joint_has_chart(j);
  bool any = false;
  for (int i = 0; i < s->nmotor; i++) {
    const lb_scene_motor* m = &s->motor[i];
    any |= m->joint == joint && !m->rotation && (!equation || m->drive == LB_DRIVE_SERVO);
  }
  return any;
}

static bool leads_point(const lb_scene_path_point* p, int joint) {
  return p->wrap < 0 && (p->follows == joint || p->condition == joint);
}

// Points of paths go by the joint, or the excitation of a muscle does.
static bool leads_path(const lb_scene* s, int joint) {
  bool any = false;
  for (int i = 0; i < s->nmuscle; i++) {
    const lb_scene_muscle* m = &s->muscle[i];
    any |= m->excitation.joint == joint;
    for (int k = 0; k < m->npoint; k++) {
      any |= leads_point(&m->point[k], joint);
    }
  }
  for (int i = 0; i < s->nforce; i++) {
    for (int k = 0; k < s->force[i].npoint; k++) {
      const lb_scene_path_point* p = s->force[i].point[k].path;
      any |= p && leads_point(p, joint);
    }
  }
  return any;
}

// The spring of a ball does not pull to no rotation, or need not.
static bool rests_turned(const lb_scene* s, int joint) {
  bool any = fabs(s->joint[joint].rest_turn.w) != 1;
  for (int i = 0; i < s->optimize.nparameter; i++) {
    const lb_scene_parameter* p = &s->optimize.parameter[i];
    any |= p->kind == LB_PARAMETER_REST && p->owner == LB_OWNER_JOINT && p->index == joint;
  }
  return any && s->joint[joint].kind == LB_JOINT_SPHERICAL;
}

bool lb_joint_needs_coordinates(const lb_scene* s, int joint) {
  const lb_scene_joint* j = &s->joint[joint];
  return lb_force_curve_bends(&j->resistance.force_curve) || j->resistance.armature > 0 ||
         j->resistance.friction > 0 || rests_turned(s, joint) ||
         j->resistance.limit_stiffness > 0 || j->kind > LB_JOINT_FREE || is_coupled(s, joint) ||
         has_motor(s, joint) || leads_path(s, joint);
}

// A hard limit of one coordinate.
static bool limits_one(const lb_scene_constraint* c) {
  return c->kind == LB_CONSTRAINT_COUPLE && c->nterm == 1 && c->term[0].curve.count == 0 &&
         c->least < c->most;
}

static double lower_bound(const lb_scene_constraint* c) {
  const double f = c->term[0].factor;
  return (f > 0 ? c->least : c->most) / f;
}

static double upper_bound(const lb_scene_constraint* c) {
  const double f = c->term[0].factor;
  return (f > 0 ? c->most : c->least) / f;
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

// A share of a body's mass.
static void weigh(lb_scene_body* body, lb_mass whole, double share) {
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

// A frame on a body of the tree: where it is in the world, and how it moves there.
typedef struct moving {
  lb_transform X;
  lb_velocity V;
} moving;

static moving find_frame(const lb_rewrite* w, lb_anchor at) {
  if (at.link == LB_WORLD) {
    return (moving){.X = at.X};
  }
  const lb_transform X = lb_transform_mul(w->pose[at.link], at.X);
  return (moving){X, lb_velocity_at(w->velocity[at.link], w->pose[at.link].p, X.p)};
}

// Loop joint as the tree has it, where faces of elastic bodies are found.
static const lb_scene_joint* find_loop(const lb_rewrite* w, int joint) {
  int loops = 0;
  for (int i = 0; i < joint; i++) {
    loops += w->scene->joint[i].loop;
  }
  return &w->tree->constraint.loop[loops];
}

// The bounds that a coordinate has by itself: those of the joint, and of a constraint on nothing
// else.
static lb_chart_target find_wish(const lb_scene* s, int joint) {
  const lb_scene_joint* j = &s->joint[joint];
  lb_chart_target wish;
  for (int k = 0; k < LB_JOINT_MOST_V; k++) {
    const lb_coordinate_settings set = lb_joint_coordinate(j, k);
    const bool limits = set.resistance.limit_stiffness > 0;
    wish.lower[k] = limits ? set.lower : -(double)INFINITY;
    wish.upper[k] = limits ? set.upper : (double)INFINITY;
    wish.near[k] = j->q[k];
  }
  for (int i = 0; i < s->nconstraint; i++) {
    const lb_scene_constraint* c = &s->constraint[i];
    if (limits_one(c) && c->term[0].joint == joint) {
      const int k = c->term[0].coordinate;
      wish.lower[k] = fmax(wish.lower[k], lower_bound(c));
      wish.upper[k] = fmin(wish.upper[k], upper_bound(c));
    }
  }
  return wish;
}

// Hard limits are no springs: nothing may start beyond them. What is open moves the joint by as
// much, or a few times that, when it closes.
static lb_status check_limits(const lb_rewrite* w, int joint, double gap) {
  const lb_scene_joint* j = &w->to.joint[joint];
  lb_status status = LB_OK;
  for (int i = 0; i < w->scene->nconstraint; i++) {
    const lb_scene_constraint* c = &w->scene->constraint[i];
    if (!limits_one(c) || c->term[0].joint != joint || c->compliance[0].stiffness > 0 ||
        lb_joint_is_driven(w->scene, joint, c->term[0].coordinate)) {
      continue;
    }
    const double q = j->q[c->term[0].coordinate], sum = c->term[0].factor * q;
    const double slack = fabs(c->term[0].factor) * (1e-9 * fmax(1, fabs(q)) + 4 * gap);
    if (sum < c->least - slack || sum > c->most + slack) {
      status = lb_error_add(
          w->err, LB_INVALID, c->place,
          "constraint '%s': joint '%s', which closes a loop, starts at %g, where the other joints "
          "put it; that is %s (start the others so that it is within the limits)",
          c->name, j->name, q, sum < c->least ? "below 'at_least'" : "above 'at_most'");
    }
  }
  return status;
}

// The joint starts where its child is where the tree has it, and moves as that does, unless it says
// so itself.
static lb_status find_start(lb_rewrite* w, int i) {
  lb_scene_joint* j = &w->to.joint[i];
  if (j->cut.starts_itself) {
    return check_limits(w, i, 0);
  }
  const lb_scene_joint* loop = find_loop(w, i);
  const lb_transform turn = lb_joint_turn(loop);
  const lb_transform in_parent = lb_transform_mul(loop->in_parent, turn);
  const lb_transform in_child = lb_transform_mul(loop->in_child, turn);
  const moving a =
      find_frame(w, lb_model_anchor(w->tree, loop->parent, loop->hold.face[0], in_parent));
  const moving b = find_frame(w, lb_model_anchor(w->tree, loop->child, -1, in_child));
  const lb_transform X = lb_transform_mul(lb_transform_inverse(a.X), b.X);
  const lb_velocity carried = lb_velocity_at(a.V, a.X.p, b.X.p);
  const lb_quat back = lb_quat_conjugate(b.X.q);
  const lb_velocity V = {lb_quat_rotate(back, lb_vec3_sub(b.V.w, carried.w)),
                         lb_quat_rotate(back, lb_vec3_sub(b.V.v, carried.v))};
  const lb_chart_target wish = find_wish(w->scene, i);
  double gap = 0;
  const lb_status status = lb_joint_find_start(j, &X, &V, &wish, w->arena, &gap);
  return status == LB_OK ? check_limits(w, i, gap) : status;
}

static bool yields(const lb_scene_joint* j) {
  return j->compliance[0].stiffness > 0 || j->compliance[1].stiffness > 0;
}

// Weight of a joint's part beside what is left of the body. Between the two of a compliant one is a
// spring, which is to carry the body: its part is light.
static double weight_of(const lb_scene_joint* j) {
  static const double LIGHT = 1e-3;
  return yields(j) ? LIGHT : 1;
}

static double weight_of_parts(const lb_scene* s, int body) {
  double sum = 1;
  for (int i = 0; i < s->njoint; i++) {
    sum += s->joint[i].child == body && splits(s, i) ? weight_of(&s->joint[i]) : 0;
  }
  return sum;
}

static lb_status split_joint(lb_rewrite* w, int i) {
  lb_scene* to = &w->to;
  lb_scene_joint* j = &to->joint[i];
  const lb_scene_joint whole = *j;
  const lb_scene_body* child = &w->scene->body[j->child];
  if (child->elastic || child->reduced) {
    return lb_error_add(w->err, LB_INVALID, j->place,
                        "joint '%s' closes a loop at the elastic body '%s' and does more than "
                        "hold it (fix a rigid body to its face, and join that)",
                        j->name, child->name);
  }
  lb_scene_body* part = &to->body[to->nbody];
  *part = lb_scene_body_default();
  part->name = compose(w->arena, "part", j->name);
  part->place = j->place;
  const lb_mass mass = w->tree->body.mass[whole.child];
  const double parts = weight_of_parts(w->scene, whole.child);
  weigh(part, mass, weight_of(&whole) / parts);
  weigh(&to->body[whole.child], mass, 1 / parts);
  for (int k = 0; k < to->nmuscle; k++) { // what muscles take of it is taken
    int* from = &to->muscle[k].mass.from;
    *from = *from == whole.child ? -1 : *from;
  }
  j->loop = false;
  j->child = to->nbody++;
  const lb_status found = find_start(w, i);
  if (found != LB_OK) {
    return found;
  }
  lb_scene_joint* weld = &to->joint[to->njoint++];
  *weld = lb_scene_joint_default();
  weld->name = compose(w->arena, "loop", j->name);
  weld->place = j->place;
  weld->kind = LB_JOINT_FIXED;
  weld->loop = weld->cut.rejoins = true;
  memcpy(weld->compliance, whole.compliance, sizeof weld->compliance);
  weld->parent = j->child;
  weld->child = whole.child;
  return part->name && weld->name ? LB_OK : LB_NO_MEMORY;
}

lb_status lb_rewrite_split(lb_rewrite* w) {
  lb_status status = LB_OK;
  for (int i = 0; i < w->scene->njoint && status == LB_OK; i++) {
    status = splits(w->scene, i) ? split_joint(w, i) : LB_OK;
  }
  return status;
}

// --- maximal coordinates ---

// A joint that stays in the tree: what is fixed to the world does not move, a free joint holds
// nothing; a coupling, a rotor, friction, limits and points of paths that go by it are about
// coordinates, and so is a joint without constraint equations.
static bool stays(const lb_scene* s, int i) {
  const lb_scene_joint* j = &s->joint[i];
  return j->loop || (j->kind == LB_JOINT_FIXED && j->parent == LB_WORLD && !yields(j)) ||
         j->kind == LB_JOINT_FREE || lb_joint_needs_coordinates(s, i);
}

lb_status lb_rewrite_apart(lb_rewrite* w) {
  for (int i = 0; i < w->scene->njoint; i++) {
    lb_scene_joint* j = &w->to.joint[i];
    if (stays(w->scene, i)) {
      if (!j->loop && yields(j)) {
        return lb_error_add(w->err, LB_INVALID, j->place, "joint '%s' yields, but %s", j->name,
                            j->kind == LB_JOINT_FREE
                                ? "is free and holds nothing (take its compliance away)"
                                : "stays in the tree for the sake of its coordinates: it is of "
                                  "parts or angles, or has limits, friction, a rotor, a servo or a "
                                  "coupling (add 'loop: true')");
      }
      continue;
    }
    const int link = w->tree->body.link[j->child];
    lb_scene_body* b = &w->to.body[j->child];
    j->loop = j->cut.taken_apart = true;
    b->pose = lb_body_pose(w->tree, j->child, w->pose);
    if (link != LB_WORLD) {
      b->velocity = lb_velocity_at(w->velocity[link], w->pose[link].p, b->pose.p).v;
      b->spin = lb_quat_rotate(lb_quat_conjugate(b->pose.q), w->velocity[link].w);
    }
  }
  return LB_OK;
}

lb_status lb_rewrite_begin(lb_rewrite* w) {
  const lb_scene* s = w->scene;
  const lb_model* tree = w->tree;
  w->to = *s;
  w->to.storage = NULL;
  w->to.body = LB_TAKE(w->arena, lb_scene_body, s->nbody + s->njoint);
  w->to.joint = LB_TAKE(w->arena, lb_scene_joint, 2 * s->njoint);
  w->to.muscle = LB_TAKE(w->arena, lb_scene_muscle, s->nmuscle);
  w->pose = LB_TAKE(w->arena, lb_transform, tree->nlink);
  w->velocity = LB_TAKE(w->arena, lb_velocity, tree->nlink);
  if (lb_arena_status(w->arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  memcpy(w->to.body, s->body, (size_t)s->nbody * sizeof *s->body);
  memcpy(w->to.joint, s->joint, (size_t)s->njoint * sizeof *s->joint);
  if (s->nmuscle > 0) {
    memcpy(w->to.muscle, s->muscle, (size_t)s->nmuscle * sizeof *s->muscle);
  }
  lb_link_poses(tree, w->pose, tree->start.q);
  lb_link_velocities(tree, w->velocity, w->pose, tree->start.q, tree->start.qd);
  return LB_OK;
}
