// What a scene says about a model of OpenSim that it includes: how muscles are excited, and mass of
// a body that goes to them. OpenSim's have none; [red] 6.2.8 gives those of an ankle 80 % of the
// shank's.
#include <string.h>

#include "scene/part/muscle_volume.h"
#include "scene/part/part.h"

// Mass of a body, shared by muscles.
typedef struct shared_mass {
  double share;              // of the body's mass
  double over;               // of conditional points, which come in at once in OpenSim
  lb_scene_muscle_mass mass; // as each of them has it, but for the amount
} shared_mass;

static const lb_field inertia_fields[] = {
    LB_SIZED(NUMBER, shared_mass, "share", share, LB_PURE, LB_UNIT_RANGE, NULL,
             "part of a body's mass that goes to muscles; 0: they stay massless"),
    LB_ROW(ONE_BODY, shared_mass, "of", mass.from, NULL, "that body"),
    LB_LATER(AMOUNTS, "muscles", NULL, NULL,
             "the muscles, and how heavy each is beside the others: {soleus_r: 3, tib_ant_r: 1}"),
    LB_SIZED(NUMBER, shared_mass, "over", over, LB_ANGLE, LB_POSITIVE, "2 deg",
             "part of a coordinate over which their conditional points come in smoothly"),
    LB_MUSCLE_MASS_ROWS(shared_mass, mass., "the part of the length that is fibre, in its middle"),
};
static void init_inertia(void* part) {
  ((shared_mass*)part)->mass = (lb_scene_muscle_mass){.from = -1};
}
static const lb_table inertia_table =
    LB_TABLE("muscles' inertia", shared_mass, inertia_fields, .init = init_inertia);

static const lb_field volume_fields[] = {
    LB_SIZED(NUMBER, lb_muscle_volume, "specific_tension", tension, LB_PRESSURE, LB_POSITIVE,
             "0.25 MPa", "force of fibres for each area of their cross-section"),
    LB_SIZED(NUMBER, lb_muscle_volume, "density", density, LB_DENSITY, LB_POSITIVE, "1060 kg/m^3",
             "mass for each volume"),
    LB_SIZED(NUMBER, lb_muscle_volume, "over", over, LB_ANGLE, LB_POSITIVE, "2 deg",
             "part of a coordinate over which their conditional points come in smoothly"),
};
static void init_volume(void* part) {
  *(lb_muscle_volume*)part = lb_muscle_volume_default();
}
static const lb_table volume_table =
    LB_TABLE("muscles' volumes", lb_muscle_volume, volume_fields, .init = init_volume);

static const char* const massless_names[] = {"rest"};
static const lb_choices massless_choices = LB_CHOICES(massless_names);

typedef struct changes {
  const char* massless;
} changes;

static const lb_field opensim_fields[] = {
    LB_LATER(ONE, "inertia", &inertia_table, "none", "mass of a body that goes to muscles"),
    LB_FROM(WORD, changes, "massless", massless, &massless_choices, "rest",
            "muscles without mass: all that 'inertia' does not name, unless 'volumes' weighs "
            "them"),
    LB_LATER(ONE, "volumes", &volume_table, "none",
             "mass by the volume of fibres, for Hill-type muscles that have none"),
    LB_LATER(SECTION, "excitations", &lb_excitation_table, "none",
             "how muscles are excited, by name: keys, a spline or feedback"),
    LB_LATER(FILES, "sets", NULL, "none",
             "files with sets that the included model has, too, such as a ForceSet; a path or a "
             "list of paths"),
    LB_LATER(NAMES, "ignore", NULL, "none",
             "wraps that paths go through as if they were not there"),
};
const lb_table lb_opensim_table = LB_TABLE("opensim", changes, opensim_fields);

static lb_scene_muscle* find_muscle(lb_reader* r, const char* name) {
  for (int i = 0; i < r->scene.nmuscle; i++) {
    if (strcmp(r->scene.muscle[i].name, name) == 0) {
      return &r->scene.muscle[i];
    }
  }
  return NULL;
}

static bool read_weight(lb_reader* r, const lb_yaml* name, const lb_yaml* node, double* weight) {
  const lb_scene_muscle* m = find_muscle(r, name->text);
  if (!m && lb_names_find(&r->section[LB_SCENE_MUSCLES].names, name->text, -1) < 0) {
    return lb_unknown_name(r, name, "muscle", &r->section[LB_SCENE_MUSCLES].names);
  }
  if (m && m->mass.amount > 0) {
    return lb_complain(r, name->place, "muscle '%s' has a mass of its own (take one away)",
                       name->text);
  }
  return m && lb_read_number(r, node, name->text, LB_PURE, LB_POSITIVE, weight);
}

static void smooth_conditions(lb_reader* r, lb_place place, lb_scene_muscle* m, double over) {
  if (lb_smooth_conditions(&r->scene, m, over)) {
    lb_remark(r, place,
              lb_compose(r,
                         "muscle '%.64s' has mass, so that its conditional points come in over "
                         "%.3g deg ('over' of 'inertia'), or 1 mm of what slides",
                         m->name, over * 180 / M_PI));
  }
}

// m_i = share m w_i / sum w
static void share_out(lb_reader* r, const lb_yaml* muscles, const shared_mass* s) {
  const lb_scene_body* body = &r->scene.body[s->mass.from];
  double weight = 0, sum = 0;
  bool ok = true;
  for (int i = 0; i < muscles->count; i++) {
    ok &= read_weight(r, muscles->key[i], muscles->item[i], &weight);
    sum += weight;
  }
  for (int i = 0; i < muscles->count && ok; i++) {
    lb_scene_muscle* m = find_muscle(r, muscles->key[i]->text);
    read_weight(r, muscles->key[i], muscles->item[i], &weight);
    m->mass = s->mass;
    m->mass.amount = s->share * body->mass.mass * weight / sum;
    if (m->mass.amount > 0) {
      smooth_conditions(r, muscles->key[i]->place, m, s->over);
    }
    if (!(m->mass.belly[1] > 0)) {
      lb_fibre_belly(&m->hill, m->mass.belly);
    }
  }
}

static void excite(lb_reader* r, const lb_yaml* map) {
  const lb_names* names = &r->section[LB_SCENE_MUSCLES].names;
  for (int i = 0; lb_is_map(map) && i < map->count; i++) {
    const lb_yaml* name = map->key[i];
    lb_scene_muscle* m = find_muscle(r, name->text);
    if (m) {
      lb_table_default(&lb_excitation_table, &m->excitation);
      lb_read_part(r, map->item[i], lb_compose(r, "excitation of '%.64s'", name->text),
                   &lb_excitation_table, &m->excitation);
    } else if (lb_names_find(names, name->text, -1) < 0) {
      lb_unknown_name(r, name, "muscle", names);
    }
  }
}

static void take_out(lb_scene_muscle* m, int wrap) {
  int n = 0;
  for (int i = 0; i < m->npoint; i++) {
    m->point[n] = m->point[i];
    n += m->point[i].wrap != wrap;
  }
  m->npoint = n;
}

static void ignore_wraps(lb_reader* r, const lb_yaml* list) {
  for (int i = 0; lb_is_list(list) && i < list->count; i++) {
    const lb_names* names = &r->section[LB_SCENE_WRAPS].names;
    const lb_yaml* name = list->item[i];
    const int wrap = lb_is_scalar(name) ? lb_names_find(names, name->text, -1) : -1;
    for (int k = 0; k < r->scene.nmuscle && wrap >= 0; k++) {
      take_out(&r->scene.muscle[k], wrap);
    }
    if (wrap < 0) {
      lb_unknown_name(r, name, "wrap", names);
    }
  }
}

static void share_inertia(lb_reader* r) {
  const lb_yaml* node = lb_given(r, LB_SCENE_OPENSIM, "inertia");
  shared_mass s;
  lb_table_default(&inertia_table, &s);
  if (!node || !lb_read_part(r, node, "inertia", &inertia_table, &s) || s.mass.from < 0) {
    return;
  }
  const lb_scene_body* body = &r->scene.body[s.mass.from];
  if (body->has_mass) {
    share_out(r, lb_yaml_find(node, "muscles"), &s);
  } else {
    lb_complain(r, node->place, "body '%s' has no 'mass' of its own that could be shared",
                body->name);
  }
}

// The first of some muscles, and how many they are.
static const char* first_of(lb_reader* r, int first, int count) {
  const char* name = r->scene.muscle[first].name;
  return count == 1 ? lb_compose(r, "muscle '%.64s'", name)
                    : lb_compose(r, "%d muscles, of which '%.64s' is the first,", count, name);
}

static void report_smoothed(lb_reader* r, lb_place place, const lb_muscle_masses* m, double over) {
  if (m->smoothed > 0) {
    lb_remark(r, place,
              lb_compose(r,
                         "conditional points of %s come in over %.3g deg ('over' of 'volumes'), "
                         "or 1 mm of what slides, since there is mass along the path",
                         first_of(r, m->first, m->smoothed), over * 180 / M_PI));
  }
  if (m->left > 0) {
    lb_remark(r, place,
              lb_compose(r,
                         "%s without mass: a conditional point is next to a wrap (put a point "
                         "that always counts between them)",
                         lb_compose(r, m->left == 1 ? "%s stays" : "%s stay",
                                    first_of(r, m->barred, m->left))));
  }
}

static void weigh(lb_reader* r) {
  const lb_yaml* node = lb_given(r, LB_SCENE_OPENSIM, "volumes");
  lb_muscle_volume how;
  lb_table_default(&volume_table, &how);
  if (node && lb_read_part(r, node, "volumes", &volume_table, &how)) {
    const lb_muscle_masses sum = lb_scene_weigh_muscles(&r->scene, &how);
    report_smoothed(r, node->place, &sum, how.over);
  }
}

void lb_read_opensim(lb_reader* r) {
  r->subject = "opensim";
  ignore_wraps(r, lb_given(r, LB_SCENE_OPENSIM, "ignore"));
  excite(r, lb_given(r, LB_SCENE_OPENSIM, "excitations"));
  share_inertia(r);
  weigh(r);
}
