// Force curves of springs: linear, by a power, or by a table of pairs.
#include <math.h>

#include "scene/part/part.h"

// [[0 mm, 0 N], [10 mm, 3 N]]
static bool read_table(lb_reader* r, const lb_force_curve_keys* keys, const lb_yaml* node,
                       lb_force_curve* force_curve) {
  // the unit is said where 's' alone would not tell metres from radians
  static const char* const unit[LB_DIMENSION_COUNT] = {[LB_ANGLE] = " rad", [LB_LENGTH] = " m"};
  const lb_pairs pairs = {.item = lb_compose(r, "a row of '%s'", keys->table),
                          .firsts = lb_compose(r, "stretches of '%s'", keys->table),
                          .unit = unit[keys->stretch] ? unit[keys->stretch] : "",
                          .first = {"stretch", LB_VALUE_NUMBER, .dimension = keys->stretch},
                          .second = {"force", LB_VALUE_NUMBER, .dimension = keys->force},
                          .size = sizeof(double),
                          .example = lb_dimension_example(keys->force)};
  if (node->count < 2) {
    return lb_complain(r, node->place, "'%s' must have at least two [stretch, force] pairs",
                       keys->table);
  }
  force_curve->count = node->count;
  return lb_read_pairs(r, node, &pairs, (double**)&force_curve->stretch,
                       (void**)&force_curve->force);
}

bool lb_read_force_curve(lb_reader* r, const lb_yaml* whole, const lb_force_curve_keys* keys,
                         lb_force_curve* force_curve) {
  const lb_yaml* stiffness = lb_yaml_find(whole, keys->stiffness);
  const lb_yaml* exponent = lb_yaml_find(whole, keys->exponent);
  const lb_yaml* table = lb_yaml_find(whole, keys->table);
  if (table && (stiffness || exponent)) {
    return lb_complain(r, table->place, "'%s' takes the place of '%s' and '%s' (choose one)",
                       keys->table, keys->stiffness, keys->exponent);
  }
  if (!table && !stiffness && (keys->required || exponent)) {
    return lb_complain(r, whole->place, "'%s' is missing (or a '%s' of [stretch, force] pairs)",
                       keys->stiffness, keys->table);
  }
  if (exponent && force_curve->exponent < 1) {
    return lb_complain(r, exponent->place,
                       "'%s' must be at least 1, not %g: below it the spring would be infinitely "
                       "stiff at rest",
                       keys->exponent, force_curve->exponent);
  }
  return !table || read_table(r, keys, table, force_curve);
}

bool lb_force_curve_holds(const lb_force_curve* force_curve) {
  if (!isfinite(force_curve->exponent) ||
      (force_curve->exponent != 0 && force_curve->exponent < 1) || force_curve->count < 0 ||
      force_curve->count == 1) {
    return false;
  }
  for (int i = 0; i < force_curve->count; i++) {
    if (!isfinite(force_curve->stretch[i]) || !isfinite(force_curve->force[i]) ||
        (i > 0 && !(force_curve->stretch[i] > force_curve->stretch[i - 1]))) {
      return false;
    }
  }
  return true;
}

bool lb_force_curve_bends(const lb_force_curve* force_curve) {
  return force_curve->exponent > 1 || force_curve->count > 0;
}
