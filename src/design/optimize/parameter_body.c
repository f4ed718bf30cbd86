// Masses and lengths of rigid bodies. Everything in the equations of motion is linear in a body's
// bulk (optimize_mass.c); what is fastened to a body that gets longer stands on slides
// (optimize_slide.c).
#include <math.h>
#include <string.h>

#include "design/optimize/optimization.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force_drag.h"
#include "dynamics/force/force_point.h"
#include "geom/shape/shape.h"
#include "model/build/scene_rewrite.h"

// --- in the model ---

static void add_growth(lb_optimizing* o, const lb_block* b, int part) {
  const lb_vec3 root = lb_body_root(&o->given, b->p->index);
  o->growth[o->ngrowth++] = lb_growth_make(o->model, b->p->index, part, root, b->p->along);
}

// The model has drags in the order of the bodies that have one and move.
static int find_drag(const lb_optimizing* o, int body) {
  int n = 0;
  for (int i = 0; i <= body; i++) {
    const lb_scene_body* b = &o->given.body[i];
    const bool dragged =
        (b->drag > 0 || b->turn_drag > 0 || b->air_drag > 0) && o->model->body.link[i] != LB_WORLD;
    if (i == body) {
      return dragged ? n : -1;
    }
    n += dragged;
  }
  return -1;
}

// True where the joint splits its child, part of which it carries.
static bool splits(const lb_scene* s, int joint, int body) {
  return s->joint[joint].loop && s->joint[joint].child == body &&
         lb_joint_needs_coordinates(s, joint);
}

// The parts that growths of one body, so many from the first on, are of it.
static void share(lb_growth* first, int count) {
  double whole = 0;
  for (int i = 0; i < count; i++) {
    whole += first[i].base.m;
  }
  for (int i = 0; i < count; i++) {
    first[i].parts = whole > 0 ? whole / first[i].base.m : 1;
  }
}

static int count_parts(const lb_optimizing* o, int first) {
  int count = 0;
  while (first + count < o->ngrowth && o->growth[first + count].body == o->growth[first].body) {
    count++;
  }
  return count;
}

void lb_growths_renew(lb_optimizing* o, const lb_scene* s, const lb_model* m) {
  for (int i = 0; i < o->ngrowth; i++) {
    lb_growth* g = &o->growth[i];
    const lb_growth was = *g;
    *g = lb_growth_make(m, was.body, was.part, lb_body_root(s, was.body), was.along);
    g->drag = was.drag;
    g->density = was.density;
    g->length = was.length;
  }
  for (int i = 0; i < o->ngrowth; i += count_parts(o, i)) {
    share(&o->growth[i], count_parts(o, i));
  }
}

// One group of growths a body, whatever of it may change: one for each part.
static void find_growth(lb_optimizing* o, lb_block* b) {
  const int body = b->p->index;
  int first = 0;
  while (first < o->ngrowth && o->growth[first].body != body) {
    first++;
  }
  if (first == o->ngrowth) {
    add_growth(o, b, body);
    o->growth[first].drag = find_drag(o, body);
    for (int i = 0; i < o->given.njoint; i++) {
      if (splits(&o->given, i, body)) {
        const int own = lb_model_joint(o->model, o->given.joint[i].name);
        add_growth(o, b, o->model->joint.body[own]);
      }
    }
  }
  b->growth = first;
  b->ngrowth = count_parts(o, first);
  share(&o->growth[first], b->ngrowth);
}

static double mass_of(const lb_growth* g) {
  return g->parts * g->base.m;
}

// The power of what the equations of motion get beyond, for one more of a growth's number.
static double growth_power(lb_way_back* w, const lb_growth* g, const lb_bulk* grown, lb_motion* by,
                           const double* mu) {
  if (g->link == LB_WORLD) {
    return 0;
  }
  *by = lb_motion_zero();
  lb_derive_point(w->D, w->move, NULL, g->link, lb_v4_zero());
  for (int k = 0; k < w->D->model->nv; k++) {
    *by = lb_motion_add(*by, lb_motion_scale(mu[k], w->move[k]));
  }
  return lb_bulk_power(grown, &w->at->work->state[g->link], *by);
}

// --- masses ---

static lb_status find_mass(lb_optimizing* o, lb_block* b, lb_error* err) {
  find_growth(o, b);
  return o->growth[b->growth].base.m > 0
             ? LB_OK
             : lb_error_add(err, LB_INVALID, b->p->place,
                            "parameter '%s': body '%s' has no mass that could grow (give it one)",
                            b->p->name, o->given.body[b->p->index].name);
}

static void read_mass(const lb_optimizing* o, const lb_block* b, double* x) {
  *x = mass_of(&o->growth[b->growth]);
}

static void set_mass(lb_optimizing* o, const lb_block* b, double mass) {
  for (int i = b->growth; i < b->growth + b->ngrowth; i++) {
    o->growth[i].density = mass / mass_of(&o->growth[i]);
  }
}

static bool write_mass(lb_optimizing* o, lb_scene* s, const lb_block* b, const double* x) {
  (void)s; // by its growth
  set_mass(o, b, *x);
  return true;
}

static lb_status put_mass(lb_player* w, const lb_block* b, const double* x) {
  set_mass(w->o, b, *x);
  return LB_OK;
}

static void pull_mass(lb_way_back* w, const lb_block* b, bool impact, const double* mu) {
  (void)impact;
  for (int i = b->growth; i < b->growth + b->ngrowth; i++) {
    const lb_growth* g = &w->o->growth[i];
    const lb_bulk grown = lb_growth_by_density(g);
    lb_motion by;
    w->gradient[b->first] -= growth_power(w, g, &grown, &by, mu) / mass_of(g);
  }
}

const lb_parameter_type lb_parameter_mass = {.find = find_mass,
                                             .read = read_mass,
                                             .floor = LB_FLOOR_PART,
                                             .write = write_mass,
                                             .put = put_mass,
                                             .pull = pull_mass,
                                             .impacts = true};

// --- lengths ---

static lb_status refuse_length(const lb_scene* s, const lb_block* b, const char* what,
                               const char* name, lb_error* err) {
  return lb_error_add(err, LB_INVALID, b->p->place,
                      "parameter '%s': the length of body '%s' cannot change, since %s '%s' %s",
                      b->p->name, s->body[b->p->index].name, what, name,
                      what[0] == 'j' ? "closes a loop there and splits it (close the loop at "
                                       "another joint, or without rotor, friction, limits and "
                                       "couplings)"
                                     : "is fastened to it (take it off, or make it a rope)");
}

static lb_status make_length(lb_optimizing* o, lb_block* b, lb_error* err) {
  const lb_scene* s = o->public.scene;
  for (int i = 0; i < s->njoint; i++) {
    if (splits(s, i, b->p->index)) {
      return refuse_length(s, b, "joint", s->joint[i].name, err);
    }
  }
  for (int i = 0; i < s->ndeformable; i++) {
    for (int k = 0; k < s->deformable[i].nbody; k++) {
      if (s->deformable[i].body[k] == b->p->index) {
        return refuse_length(s, b, "deformable", s->deformable[i].name, err);
      }
    }
  }
  return LB_OK;
}

static lb_status find_length(lb_optimizing* o, lb_block* b, lb_error* err) {
  (void)err;
  find_growth(o, b);
  o->growth[b->growth].along = b->p->along;
  return LB_OK;
}

static void read_length(const lb_optimizing* o, const lb_block* b, double* x) {
  (void)o, (void)b;
  *x = 1;
}

static lb_status put_length(lb_player* w, const lb_block* b, const double* x) {
  static double zero = 0;
  lb_status status = LB_OK;
  w->o->growth[b->growth].length = *x;
  for (int i = 0; i < b->nslide && status == LB_OK; i++) {
    double value = (*x - 1) * b->slide[i].reach;
    const lb_profile_definition held = {
        .kind = LB_PROFILE_LINEAR, .count = 1, .time = &zero, .value = &value};
    status = lb_player_play(w, b->slide[i].motor, held);
  }
  return status;
}

// Minus drag.(velocity by mu) at a centre that moves by e.
static double drag_power(const lb_way_back* w, const lb_growth* g, lb_motion by) {
  const lb_model_drag* drag = &w->m->force.drag[g->drag];
  const lb_state* s = &w->at->work->state[g->link];
  const lb_force_point p = lb_force_point_find(w->at->work, &drag->at);
  const lb_v4 e = lb_m3_apply(s->R, lb_v4_from(lb_growth_centre_by_length(g)));
  const lb_v4 moved = by.v + lb_v4_cross(by.w, p.arm);
  const lb_motion v = {lb_v4_zero(), lb_v4_cross(s->w, e)};
  const lb_v4 force = lb_drag_force(drag, p.velocity);
  const lb_v4 change = lb_drag_change(drag, p.velocity, v).v;
  return -lb_v4_dot(change, moved) - lb_v4_dot(force, lb_v4_cross(by.w, e));
}

static void pull_length(lb_way_back* w, const lb_block* b, bool impact, const double* mu) {
  const lb_growth* g = &w->o->growth[b->growth];
  const lb_bulk grown = lb_growth_by_length(g);
  lb_motion by;
  w->gradient[b->first] -= growth_power(w, g, &grown, &by, mu);
  if (g->drag >= 0 && !impact) {
    w->gradient[b->first] -= drag_power(w, g, by);
  }
}

// Slides start where their motors hold them.
static void pull_start(lb_way_back* w, const lb_block* b, const lb_played* m,
                       const lb_start_slopes* by) {
  for (int k = 0; k < b->nslide; k++) {
    w->gradient[b->first] += b->slide[k].reach * by->tree_q[m->tree->motor.v[b->slide[k].motor]];
  }
}

// --- lengths in scenes ---

// Along the body, from its root on.
static lb_vec3 stretched(const lb_optimizing* o, const lb_block* b, double f, lb_vec3 x) {
  const double reach =
      lb_vec3_dot(b->p->along, lb_vec3_sub(x, lb_body_root(&o->given, b->p->index)));
  return lb_vec3_add(x, lb_vec3_scale((f - 1) * reach, b->p->along));
}

// Shapes of a body: those with an edge or axis along the direction get longer by it.
static void stretch_shape(const lb_block* b, double f, lb_scene_shape* to,
                          const lb_scene_shape* from) {
  const lb_vec3 e = lb_quat_rotate(lb_quat_conjugate(from->pose.q), b->p->along);
  const lb_shape_kind* kind = lb_shape_kind_of(from->shape.type);
  const double part[] = {e.x, e.y, e.z};
  double size[] = {from->shape.size.x, from->shape.size.y, from->shape.size.z};
  for (int k = 0; k < kind->nsize; k++) {
    const int axis = kind->size[k].axis;
    size[k] *= axis != LB_SIZE_RADIUS && fabs(part[axis]) > 1 - 1e-9 ? f : 1;
  }
  to->shape.size = lb_vec3_make(size[0], size[1], size[2]);
}

// Both scenes have the same parts.
static bool stretch_fastened(lb_optimizing* o, lb_scene* s, const lb_block* b, double f) {
  lb_arena arena;
  lb_arena_init(&arena, o->allocator);
  const int n = lb_scene_fastened(&o->given, NULL);
  lb_fastened* to = LB_TAKE(&arena, lb_fastened, 2 * n);
  const bool ok = to != NULL;
  if (ok) {
    lb_fastened* from = to + n;
    lb_scene_fastened(s, to);
    lb_scene_fastened(&o->given, from);
    for (int i = 0; i < n; i++) {
      if (*from[i].body == b->p->index) {
        *to[i].at = stretched(o, b, f, *from[i].at);
      }
    }
  }
  lb_arena_release(&arena);
  return ok;
}

static bool write_length(lb_optimizing* o, lb_scene* s, const lb_block* b, const double* x) {
  o->growth[b->growth].length = *x;
  for (int i = 0; i < s->nshape; i++) {
    const lb_scene_shape* from = &o->given.shape[i];
    if (from->body == b->p->index) {
      s->shape[i].pose.p = stretched(o, b, *x, from->pose.p);
      stretch_shape(b, *x, &s->shape[i], from);
    }
  }
  for (int i = 0; i < s->optimize.ngoal; i++) {
    const lb_scene_goal* from = &o->given.optimize.goal[i];
    if (lb_goal_body(from) == b->p->index) {
      s->optimize.goal[i].at = stretched(o, b, *x, from->at);
    }
  }
  return stretch_fastened(o, s, b, *x);
}

const lb_parameter_type lb_parameter_length = {.make = make_length,
                                               .find = find_length,
                                               .read = read_length,
                                               .floor = LB_FLOOR_PART,
                                               .write = write_length,
                                               .put = put_length,
                                               .pull = pull_length,
                                               .pull_start = pull_start,
                                               .impacts = true};
