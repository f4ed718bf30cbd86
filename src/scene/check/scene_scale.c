// Places p of a body become S p, S = diag(s). Its second moments, P = tr(I)/2 - I, become S P S,
// times the change of mass. Translations of joints that are functions of a coordinate scale along
// their axis u by u'S u, S that of the parent, as OpenSim's do on the axes.
#include "scene/check/scene_scale.h"

#include <math.h>

static lb_vec3 times(lb_vec3 s, lb_vec3 p) {
  return lb_vec3_make(s.x * p.x, s.y * p.y, s.z * p.z);
}

static lb_vec3 factor_of(const lb_scene_scaling* how, int body) {
  return body == LB_WORLD ? lb_vec3_make(1, 1, 1) : how->factor[body];
}

static double volume(lb_vec3 s) {
  return s.x * s.y * s.z;
}

// --- masses ---

static lb_sym3 scale_inertia(lb_sym3 I, lb_vec3 s, double mass) {
  const double half = (I.xx + I.yy + I.zz) / 2;
  const double x = (half - I.xx) * s.x * s.x, y = (half - I.yy) * s.y * s.y,
               z = (half - I.zz) * s.z * s.z;
  return (lb_sym3){.xx = mass * (y + z),
                   .yy = mass * (z + x),
                   .zz = mass * (x + y),
                   .xy = mass * I.xy * s.x * s.y,
                   .xz = mass * I.xz * s.x * s.z,
                   .yz = mass * I.yz * s.y * s.z};
}

static void scale_bodies(lb_scene* scene, const lb_scene_scaling* how) {
  double after = 0;
  for (int i = 0; i < scene->nbody; i++) {
    const double m = scene->body[i].has_mass ? scene->body[i].mass.mass : 0;
    after += how->preserve ? m : m * volume(how->factor[i]);
  }
  const double all = isnan(how->mass) || !(after > 0) ? 1 : how->mass / after;
  for (int i = 0; i < scene->nbody; i++) {
    lb_scene_body* b = &scene->body[i];
    const lb_vec3 s = how->factor[i];
    const double by = all * (how->preserve ? 1 : volume(s));
    b->mass.mass *= by;
    b->mass.com = times(s, b->mass.com);
    b->mass.inertia = scale_inertia(b->mass.inertia, s, by);
  }
}

// --- joints ---

static bool scale_values(double** value, int count, double by, lb_arena* arena) {
  double* copy = LB_COPY(arena, *value, count);
  for (int i = 0; copy && i < count; i++) {
    copy[i] *= by;
  }
  *value = copy;
  return copy != NULL;
}

// Place of a frame that is turned by q against the parent, whose factors are s.
static lb_vec3 scale_in(lb_quat q, lb_vec3 s, lb_vec3 p) {
  return lb_quat_rotate(lb_quat_conjugate(q), times(s, lb_quat_rotate(q, p)));
}

static bool scale_parts(lb_scene_joint* joint, lb_vec3 s, lb_arena* arena) {
  lb_scene_joint* part = LB_COPY(arena, joint->part, joint->npart);
  lb_quat q = joint->in_parent.q;
  for (int i = 0; part && i < joint->npart; i++) {
    lb_scene_joint* p = &part[i];
    p->in_parent.p = scale_in(q, s, p->in_parent.p);
    q = lb_quat_mul(q, p->in_parent.q);
    if (p->kind == LB_JOINT_PRISMATIC && p->profile.count > 0) {
      const lb_vec3 u = lb_quat_rotate(q, p->axis);
      if (!scale_values(&p->profile.value, p->profile.count, lb_vec3_dot(u, times(s, u)), arena)) {
        return false;
      }
    }
  }
  joint->part = part;
  return part != NULL;
}

static bool scale_joints(lb_scene* scene, const lb_scene_scaling* how, lb_arena* arena) {
  bool ok = true;
  for (int i = 0; i < scene->njoint && ok; i++) {
    lb_scene_joint* j = &scene->joint[i];
    const lb_vec3 s = factor_of(how, j->parent);
    j->in_parent.p = times(s, j->in_parent.p);
    j->in_child.p = times(factor_of(how, j->child), j->in_child.p);
    j->radii = times(s, j->radii);
    ok = j->npart == 0 || scale_parts(j, s, arena);
  }
  return ok;
}

// --- paths, markers, looks ---

static bool scale_point(lb_scene_path_point* p, lb_vec3 s, lb_arena* arena) {
  const double by[] = {s.x, s.y, s.z};
  bool ok = true;
  p->at = times(s, p->at);
  for (int k = 0; k < 3 && p->follows >= 0 && ok; k++) {
    lb_function_definition* f = &p->along[k];
    double* y = (double*)f->y;
    f->value *= by[k];
    ok = f->count == 0 || scale_values(&y, f->count, by[k], arena);
    f->y = y;
  }
  return ok;
}

static bool scale_muscles(lb_scene* scene, const lb_scene_scaling* how, lb_arena* arena) {
  bool ok = true;
  for (int i = 0; i < scene->nmuscle && ok; i++) {
    for (int k = 0; k < scene->muscle[i].npoint && ok; k++) {
      lb_scene_path_point* p = &scene->muscle[i].point[k];
      ok = p->wrap >= 0 || scale_point(p, factor_of(how, p->body), arena);
    }
  }
  return ok;
}

// A cable's points that move have functions of their own.
static bool scale_forces(lb_scene* scene, const lb_scene_scaling* how, lb_arena* arena) {
  bool ok = true;
  for (int i = 0; i < scene->nforce && ok; i++) {
    for (int k = 0; k < scene->force[i].npoint && ok; k++) {
      lb_scene_point* p = &scene->force[i].point[k];
      const lb_vec3 s = factor_of(how, p->body);
      p->at = times(s, p->at);
      if (p->path) {
        lb_scene_path_point* own = LB_COPY(arena, p->path, 1);
        ok = own && scale_point(own, s, arena);
        p->path = own;
      }
    }
  }
  return ok;
}

static void scale_places(lb_scene* scene, const lb_scene_scaling* how) {
  for (int i = 0; i < scene->nmarker; i++) {
    scene->marker[i].at = times(factor_of(how, scene->marker[i].body), scene->marker[i].at);
  }
  for (int i = 0; i < scene->nwrap; i++) {
    lb_scene_wrap* w = &scene->wrap[i];
    const lb_vec3 s = factor_of(how, w->body);
    w->pose.p = times(s, w->pose.p);
    w->size = lb_vec3_scale(cbrt(volume(s)), w->size);
  }
  for (int i = 0; i < scene->nshape; i++) {
    lb_scene_shape* x = &scene->shape[i];
    const lb_vec3 s = factor_of(how, x->body);
    x->pose.p = times(s, x->pose.p);
    x->shape.size = lb_vec3_scale(cbrt(volume(s)), x->shape.size);
  }
}

bool lb_scene_scale(lb_scene* scene, const lb_scene_scaling* how, lb_arena* arena) {
  scale_bodies(scene, how);
  scale_places(scene, how);
  return scale_joints(scene, how, arena) && scale_muscles(scene, how, arena) &&
         scale_forces(scene, how, arena);
}
