// Goals of an optimisation on the stiffness of a mechanism at its effectors.
#include <math.h>
#include <string.h>

#include "scene/part/part_optimize.h"

// --- which effector ---

// The one of that name, of all mechanisms; `many`: several have one.
static bool find_effector(lb_reader* r, const lb_yaml* name, lb_scene_goal* to) {
  const lb_scene* s = &r->scene;
  lb_names all = {0};
  int found = 0;
  for (int f = 0; f < s->nfork; f++) {
    for (int e = 0; e < s->fork[f].neffector; e++) {
      const char* of = s->fork[f].effector[e].name;
      if (strcmp(of, name->text) == 0) {
        to->stiffness.fork = f;
        to->index = e;
        found++;
      }
      if (!lb_names_add(&all, &r->scratch, of, e)) {
        return lb_lack(r);
      }
    }
  }
  if (found > 1) {
    return lb_complain(r, name->place,
                       "'%s' is an effector of several mechanisms under 'fork' (name a marker for "
                       "one of them)",
                       name->text);
  }
  if (s->nfork == 0) {
    return lb_complain(r, name->place,
                       "'effector' needs a mechanism that has it (add 'fork: {NAME: {effectors: "
                       "[%s]}}')",
                       name->text);
  }
  return found == 1 || lb_unknown_name(r, name, "effector", &all);
}

// --- what of it ---

// The direction of a force or moment, or none.
static bool read_direction(lb_reader* r, const lb_yaml* node, lb_scene_stiffness* to) {
  static const lb_field axis[] = {{.key = "force", .value = LB_VALUE_AXIS},
                                  {.key = "moment", .value = LB_VALUE_AXIS},
                                  {.key = "aside", .value = LB_VALUE_AXIS}};
  const lb_yaml *force = lb_yaml_find(node, "force"), *moment = lb_yaml_find(node, "moment");
  const lb_yaml *aside = lb_yaml_find(node, "aside"), *turns = lb_yaml_find(node, "turns");
  if (force && moment) {
    return lb_complain(r, moment->place,
                       "'force' and 'moment' cannot both be given (make two "
                       "goals)");
  }
  if (turns && (force || moment)) {
    return lb_complain(r, turns->place,
                       "'turns' is for three principal stiffnesses, and 'force' or 'moment' says "
                       "it already (take this away)");
  }
  if (aside && !force && !moment) {
    return lb_complain(r, aside->place,
                       "'aside' needs a 'force' or a 'moment' that it is aside of");
  }
  to->aside = aside;
  to->turns |= moment != NULL;
  return (!force || lb_read_value(r, force, &axis[0], &to->along)) &&
         (!moment || lb_read_value(r, moment, &axis[1], &to->along)) &&
         (!aside || lb_read_value(r, aside, &axis[2], &to->across));
}

// One stiffness along a direction, or three principal ones.
static bool read_stiffness(lb_reader* r, const lb_yaml* node, lb_scene_goal* to) {
  const lb_yaml* given = lb_yaml_find(node, "stiffness");
  const lb_scene_stiffness* of = &to->stiffness;
  const lb_dimension dimension = of->turns ? LB_TURN_STIFFNESS : LB_STIFFNESS;
  const bool directed = lb_vec3_norm(of->along) > 0;
  if (of->aside) {
    return !given || lb_complain(r, given->place,
                                 "'stiffness' and 'aside' cannot both be given (make two goals)");
  }
  if (!given) {
    return lb_complain(r, node->place, "'stiffness' or 'aside' is missing (what it should be)");
  }
  if (directed) {
    return lb_read_number(r, given, "stiffness", dimension, LB_POSITIVE, to->value);
  }
  if (!lb_is_list(given) || given->count != 3) {
    return lb_complain(r, given->place,
                       "'stiffness' needs a direction, as 'force: z', or three principal ones, "
                       "the softest first, as [100 N/m, 500 N/m, 2000 N/m]");
  }
  bool ok = true;
  to->count = 3;
  for (int i = 0; i < 3; i++) {
    to->counts[i] = !lb_is_null(given->item[i]); // null: whatever it is
    ok &= !to->counts[i] ||
          lb_read_number(r, given->item[i], "stiffness", dimension, LB_POSITIVE, &to->value[i]);
  }
  return ok;
}

bool lb_read_stiffness_goal(lb_reader* r, const lb_yaml* node, const lb_yaml* name,
                            lb_scene_goal* to) {
  const lb_yaml* model = lb_yaml_find(node, "model");
  lb_scene_stiffness* of = &to->stiffness;
  to->count = 1;
  to->counts[0] = true;
  to->from = to->to = r->scene.duration;
  if (!find_effector(r, name, to) || !read_direction(r, node, of) || !read_stiffness(r, node, to)) {
    return false;
  }
  const int nmodel = r->scene.fork[of->fork].nmodel, most = nmodel > 0 ? nmodel : 1;
  of->model--; // authors count from 1
  return (of->model >= 0 && of->model < most) ||
         lb_complain(r, model ? model->place : node->place,
                     "'model' is %d, and mechanism '%s' has %d of them", of->model + 1,
                     r->scene.fork[of->fork].name, most);
}

// --- checking ---

void lb_check_stiffness_goal(lb_checker* c, const lb_scene_goal* g) {
  const lb_scene_stiffness* of = &g->stiffness;
  if (of->fork < 0 || of->fork >= c->s->nfork || g->index < 0 ||
      g->index >= c->s->fork[of->fork].neffector) {
    lb_say(c, " is about something that does not exist");
    return;
  }
  const int nmodel = c->s->fork[of->fork].nmodel;
  if (of->model < 0 || of->model >= (nmodel > 0 ? nmodel : 1)) {
    lb_say(c, ": its model does not exist");
  }
  if (g->count != 1 && g->count != 3) {
    lb_say(c, ": it compares one number, or three");
  }
  for (int i = 0; i < g->count && !of->aside; i++) {
    if (g->counts[i] && !(g->value[i] > 0 && isfinite(g->value[i]))) {
      lb_say(c, ": its stiffness must be more than zero and finite");
    }
  }
  if (g->count == 1 && !(fabs(lb_vec3_norm(of->along) - 1) < 1e-9)) {
    lb_say(c, ": its direction must have unit length");
  }
  if (of->aside && !(fabs(lb_vec3_norm(of->across) - 1) < 1e-9)) {
    lb_say(c, ": its 'aside' must have unit length");
  }
}
