// What must hold of springs, cables, grounds and drag.
#include <math.h>

#include "scene/check/scene_check.h"

static bool is_finite(lb_vec3 v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool body_or_world(const lb_checker* c, int body) {
  return body == LB_WORLD || (body >= 0 && body < c->s->nbody);
}

static bool is_size(double x) {
  return x >= 0 && isfinite(x);
}

static void check_springs(lb_checker* c) {
  for (int i = 0; i < c->s->nspring; i++) {
    const lb_scene_spring* s = &c->s->spring[i];
    const double along = lb_vec3_norm(s->along);
    if (!body_or_world(c, s->body[0]) || !body_or_world(c, s->body[1])) {
      LB_SAY(c, s->place, "spring '%s' joins bodies %d and %d, which do not both exist", s->name,
             s->body[0], s->body[1]);
    } else if (s->body[0] == s->body[1]) {
      LB_SAY(c, s->place, "spring '%s' has both ends on the same body (fasten one to another)",
             s->name);
    }
    if (!is_finite(s->point[0]) || !is_finite(s->point[1]) || !is_size(s->stiffness) ||
        !is_size(s->damping) || s->length < 0 || isinf(s->length)) {
      LB_SAY(c, s->place,
             "spring '%s': its numbers must be finite, and stiffness, damping and length 0 or more",
             s->name);
    }
    if (!lb_force_curve_holds(&s->force_curve) || !(along == 0 || fabs(along - 1) < 1e-6)) {
      LB_SAY(c, s->place,
             "spring '%s': its exponent must be 0 or at least 1, its table finite and rising, its "
             "direction of length 1 or 0",
             s->name);
    } else if (s->force_curve.slack && along > 0) {
      LB_SAY(c, s->place,
             "spring '%s' cannot both go slack and act along a direction (take one away)", s->name);
    }
  }
}

// Points of bodies that do not bend: those of elastic ones would have to follow their surface.
static void check_points(lb_checker* c, const char* word, const char* name, lb_place place,
                         int count, const lb_scene_point* point) {
  for (int i = 0; i < count; i++) {
    const int body = point[i].body;
    if (!body_or_world(c, body) || !is_finite(point[i].at)) {
      LB_SAY(c, place, "%s '%s': point %d is not one of a body that exists", word, name, i + 1);
    } else if (body != LB_WORLD && (c->s->body[body].elastic || c->s->body[body].reduced)) {
      LB_SAY(c, place,
             "%s '%s' touches body '%s', which is elastic (use a rigid body that a fixed joint "
             "puts on one of its faces)",
             word, name, c->s->body[body].name);
    }
  }
}

static bool on_one_body(const lb_scene_cable* cable) {
  for (int i = 1; i < cable->npoint; i++) {
    if (cable->point[i].body != cable->point[0].body) {
      return false;
    }
  }
  return true;
}

static void check_cables(lb_checker* c) {
  for (int i = 0; i < c->s->ncable; i++) {
    const lb_scene_cable* s = &c->s->cable[i];
    if (s->npoint < 2 || s->npoint > LB_CABLE_MOST_POINTS) {
      LB_SAY(c, s->place, "cable '%s' runs through %d points; it needs 2 to %d", s->name, s->npoint,
             LB_CABLE_MOST_POINTS);
      continue;
    }
    check_points(c, "cable", s->name, s->place, s->npoint, s->point);
    if (on_one_body(s)) {
      LB_SAY(c, s->place, "cable '%s' runs through one body only (lead it over another)", s->name);
    }
    if (!is_size(s->stiffness) || !is_size(s->damping) || s->length < 0 || isinf(s->length) ||
        !lb_force_curve_holds(&s->force_curve)) {
      LB_SAY(c, s->place,
             "cable '%s': its numbers must be finite, stiffness, damping and length 0 or more, its "
             "exponent 0 or at least 1, its table rising",
             s->name);
    }
  }
}

static void check_grounds(lb_checker* c) {
  for (int i = 0; i < c->s->nground; i++) {
    const lb_scene_ground* s = &c->s->ground[i];
    if (s->npoint < 1) {
      LB_SAY(c, s->place, "ground '%s' has no points (name those of bodies that may touch it)",
             s->name);
    }
    check_points(c, "ground", s->name, s->place, s->npoint, s->point);
    for (int k = 0; k < s->npoint; k++) {
      if (s->point[k].body == LB_WORLD) {
        LB_SAY(c, s->place,
               "ground '%s': point %d is one of the world, which it cannot move "
               "(name a body)",
               s->name, k + 1);
      }
    }
    if (!is_finite(s->at) || fabs(lb_vec3_norm(s->normal) - 1) > 1e-6 || !(s->stiffness > 0) ||
        !is_size(s->stiffness) || !is_size(s->dissipation) || !is_size(s->friction) ||
        !(s->slip > 0) || !is_size(s->slip)) {
      LB_SAY(c, s->place,
             "ground '%s': its numbers must be finite, its normal of length 1, stiffness and slip "
             "positive, dissipation and friction 0 or more",
             s->name);
    }
    if (!lb_force_curve_holds(&(lb_force_curve){.exponent = s->exponent})) {
      LB_SAY(c, s->place,
             "ground '%s': its exponent must be at least 1, not %g: below it the ground would be "
             "infinitely stiff at first touch",
             s->name, s->exponent);
    }
  }
}

static void check_drag(lb_checker* c) {
  for (int i = 0; i < c->s->nbody; i++) {
    const lb_scene_body* body = &c->s->body[i];
    if (!is_size(body->drag) || !is_size(body->turn_drag) || !is_size(body->air_drag)) {
      LB_SAY(c, body->place, "body '%s': its drag must be finite and 0 or more", body->name);
    } else if ((body->drag > 0 || body->turn_drag > 0 || body->air_drag > 0) &&
               (body->elastic || body->reduced)) {
      LB_SAY(c, body->place,
             "body '%s' is elastic: drag is for rigid bodies (give its material damping)",
             body->name);
    }
  }
}

void lb_check_forces(lb_checker* c) {
  check_springs(c);
  check_cables(c);
  check_grounds(c);
  check_drag(c);
}
