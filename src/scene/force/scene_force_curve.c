// How springs pull: in proportion, by a power, or by a table of pairs.
#include <math.h>

#include "scene/part/part.h"

// As written where 's' alone would not tell metres from radians.
static const char* unit_of(lb_dimension dimension) {
  return dimension == LB_ANGLE ? " rad" : dimension == LB_LENGTH ? " m" : "";
}

// [[0 mm, 0 N], [10 mm, 3 N]]
static bool read_pairs(lb_reader* r, const lb_force_curve_keys* keys, const lb_yaml* node,
                       lb_force_curve* force_curve) {
  if (node->count < 2) {
    return lb_complain(r, node->place, "'%s' must have at least two [stretch, force] pairs",
                       keys->table);
  }
  double* stretch = LB_TAKE(r->keep, double, node->count);
  double* force = LB_TAKE(r->keep, double, node->count);
  if (!stretch || !force) {
    return lb_lack(r);
  }
  bool ok = true;
  for (int i = 0; i < node->count; i++) {
    const lb_yaml* pair = node->item[i];
    if (!lb_is_list(pair) || pair->count != 2) {
      ok = lb_complain(r, pair->place, "a row of '%s' must be a pair such as [%s, %s]", keys->table,
                       lb_dimension_example(keys->stretch), lb_dimension_example(keys->force));
      continue;
    }
    ok &= lb_read_number(r, pair->item[0], "stretch", keys->stretch, LB_ANY, &stretch[i]);
    ok &= lb_read_number(r, pair->item[1], "force", keys->force, LB_ANY, &force[i]);
    if (ok && i > 0 && !(stretch[i] > stretch[i - 1])) {
      const char* unit = unit_of(keys->stretch);
      ok = lb_complain(r, pair->item[0]->place,
                       "the stretches of '%s' must increase, but %g%s comes after %g%s",
                       keys->table, stretch[i], unit, stretch[i - 1], unit);
    }
  }
  force_curve->count = node->count;
  force_curve->stretch = stretch;
  force_curve->force = force;
  return ok;
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
  return !table || read_pairs(r, keys, table, force_curve);
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
