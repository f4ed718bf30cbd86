// Where paths over surfaces are, for those who watch a motion: nothing here moves anything.
#include "geom/path/wrap_path.h"

static bool turns_about_z(const lb_wrap* w) {
  return w->kind == LB_WRAP_CYLINDER || w->kind == LB_WRAP_CAPSULE;
}

static double length_over(const lb_wrap* wrap, lb_vec3 p, lb_vec3 q, int* pieces) {
  lb_wrap_path path;
  lb_wrap_find(0, wrap, &path, &(lb_path_end){.x = p}, &(lb_path_end){.x = q});
  *pieces = path.count;
  return lb_taylor_value(lb_wrap_length(&path));
}

// In the band the path is longer than over the sharp surface, or that is off already.
lb_wrap_state lb_wrap_state_of(const lb_wrap* wrap, lb_vec3 p, lb_vec3 q) {
  static const double ROUNDING = 1e-13;
  lb_wrap exact = *wrap, sharp = *wrap;
  int pieces, around;
  exact.network = sharp.network = NULL;
  sharp.band = 0;
  const double length = length_over(&exact, p, q, &pieces);
  if (pieces == 1) {
    return LB_WRAP_OFF;
  }
  const double least = length_over(&sharp, p, q, &around);
  return around == 1 || length > least * (1 + ROUNDING) ? LB_WRAP_LIFTING : LB_WRAP_AROUND;
}

double lb_wrap_off_opposite(const lb_wrap* wrap, lb_vec3 p, lb_vec3 q) {
  if (wrap->kind == LB_WRAP_TORUS) {
    return M_PI; // it has no way around
  }
  if (turns_about_z(wrap)) {
    p.z = q.z = 0;
  }
  return M_PI - atan2(lb_vec3_norm(lb_vec3_cross(p, q)), lb_vec3_dot(p, q));
}

bool lb_wrap_turns_over(const lb_wrap* wrap, lb_vec3 p, lb_vec3 q) {
  const double about = turns_about_z(wrap) ? wrap->sense * (p.x * q.y - p.y * q.x)
                                           : lb_vec3_dot(wrap->axis, lb_vec3_cross(p, q));
  return about < 0 &&
         !(turns_about_z(wrap) ? p.x * q.x + p.y * q.y < 0 : lb_wrap_goes_far(wrap, p, q));
}

lb_wrap_turn lb_wrap_turn_of(const lb_wrap* wrap, lb_vec3 p, lb_vec3 q) {
  return wrap->kind == LB_WRAP_CAPSULE ? lb_capsule_turn(wrap, p, q) : LB_TURN_NEAR;
}
