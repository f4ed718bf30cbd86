// How springs pull: in proportion, by a power, or by a table of pairs.
#include <math.h>

#include "scene/check.h"
#include "scene/reader.h"

// As written where 's' alone would not tell metres from radians.
static const char* unit_of(lb_dimension dimension) {
  return dimension == LB_ANGLE ? " rad" : dimension == LB_LENGTH ? " m" : "";
}

// [[0 mm, 0 N], [10 mm, 3 N]]
static bool read_table(lb_reader* r, const lb_law_keys* keys, const lb_node* node,
                       lb_scene_law* law) {
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
    const lb_node* pair = node->item[i];
    if (pair->kind != LB_NODE_LIST || pair->count != 2) {
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
  law->count = node->count;
  law->stretch = stretch;
  law->force = force;
  return ok;
}

bool lb_read_law(lb_reader* r, const lb_node* whole, const lb_law_keys* keys, lb_scene_law* law) {
  const lb_node* stiffness = lb_node_find(whole, keys->stiffness);
  const lb_node* exponent = lb_node_find(whole, keys->exponent);
  const lb_node* table = lb_node_find(whole, keys->table);
  if (table && (stiffness || exponent)) {
    return lb_complain(r, table->place, "'%s' takes the place of '%s' and '%s' (choose one)",
                       keys->table, keys->stiffness, keys->exponent);
  }
  if (!table && !stiffness && (keys->required || exponent)) {
    return lb_complain(r, whole->place, "'%s' is missing (or a '%s' of [stretch, force] pairs)",
                       keys->stiffness, keys->table);
  }
  if (exponent && law->exponent < 1) {
    return lb_complain(r, exponent->place,
                       "'%s' must be at least 1, not %g: below it the spring would be infinitely "
                       "stiff at rest",
                       keys->exponent, law->exponent);
  }
  return !table || read_table(r, keys, table, law);
}

bool lb_law_holds(const lb_scene_law* law) {
  if (!isfinite(law->exponent) || (law->exponent != 0 && law->exponent < 1) || law->count < 0 ||
      law->count == 1) {
    return false;
  }
  for (int i = 0; i < law->count; i++) {
    if (!isfinite(law->stretch[i]) || !isfinite(law->force[i]) ||
        (i > 0 && !(law->stretch[i] > law->stretch[i - 1]))) {
      return false;
    }
  }
  return true;
}

bool lb_law_bends(const lb_scene_law* law) {
  return law->exponent > 1 || law->count > 0;
}
