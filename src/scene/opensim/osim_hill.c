// Hill-type muscles: sizes, numbers that shape their curves, and how they start.
#include <math.h>
#include <string.h>

#include "scene/opensim/osim.h"

// --- sizes ---

void lb_osim_put_number(lb_osim* o, lb_yaml* map, lb_xml* xml, const char* key, const char* tag) {
  lb_xml* at = lb_osim_property(o, xml, tag);
  if (at && *at->text) {
    lb_node_put(o, map, key, lb_node_number(o, at->place, lb_osim_number(o, xml, tag, 0)));
  }
}

// The first of several names of a property that is there.
static const char* first_of(lb_osim* o, lb_xml* xml, const char* a, const char* b) {
  return lb_osim_property(o, xml, a) ? a : b;
}

// --- shapes ---

typedef struct shape_tag {
  const char *tag, *key;
} shape_tag;

static const shape_tag THELEN[] = {
    {"KshapeActive", "active_width"},
    {"Af", "hyperbola"},
    {"Flen", "lengthening"},
    {"KshapePassive", "passive_exponent"},
    {"FmaxMuscleStrain", "passive_strain"},
    {"FmaxTendonStrain", "tendon_strain"},
};
static const shape_tag ACTIVE[] = {
    {"min_norm_active_fiber_length", "active_from"},
    {"transition_norm_fiber_length", "active_knee"},
    {"max_norm_active_fiber_length", "active_to"},
    {"shallow_ascending_slope", "active_slope"},
    {"minimum_value", "active_least"},
};
static const shape_tag VELOCITY[] = {
    {"concentric_slope_at_vmax", "shortening_end"},
    {"concentric_slope_near_vmax", "shortening_slope"},
    {"isometric_slope", "isometric_slope"},
    {"eccentric_slope_near_vmax", "lengthening_slope"},
    {"eccentric_slope_at_vmax", "lengthening_end"},
    {"max_eccentric_velocity_force_multiplier", "lengthening"},
    {"concentric_curviness", "shortening_curve"},
    {"eccentric_curviness", "lengthening_curve"},
};
static const shape_tag PASSIVE[] = {
    {"strain_at_zero_force", "passive_from"},
    {"strain_at_one_norm_force", "passive_strain"},
    {"stiffness_at_low_force", "passive_low"},
    {"stiffness_at_one_norm_force", "passive_stiffness"},
    {"curviness", "passive_curve"},
};
static const shape_tag TENDON[] = {
    {"strain_at_one_norm_force", "tendon_strain"},
    {"stiffness_at_one_norm_force", "tendon_stiffness"},
    {"norm_force_at_toe_end", "tendon_toe"},
    {"curviness", "tendon_curve"},
};

// Curves with damping go down to no force and no slope, whatever the file says, as in OpenSim.
static bool is_floor(const char* key) {
  return strcmp(key, "active_least") == 0 || strcmp(key, "shortening_end") == 0 ||
         strcmp(key, "lengthening_end") == 0;
}

static void put_shape(lb_osim* o, lb_yaml* shape, lb_xml* xml, const shape_tag* all, int n,
                      bool damped) {
  for (int i = 0; i < n && xml; i++) {
    lb_xml* at = lb_osim_property(o, xml, all[i].tag);
    const double x = at && *at->text ? lb_osim_number(o, xml, all[i].tag, 0) : 0;
    if (x != 0 && !(damped && is_floor(all[i].key))) {
      lb_node_put(o, shape, all[i].key, lb_node_number(o, at->place, x));
    }
  }
}

// Of a muscle of De Groote and Fregly's, whose curves are not read.
static const shape_tag DE_GROOTE[] = {
    {"tendon_strain_at_one_norm_force", "tendon_strain"},
    {"passive_fiber_strain_at_one_norm_force", "passive_strain"},
};

static lb_xml* curve_of(lb_osim* o, lb_xml* xml, const char* tag) {
  lb_xml* curve = lb_osim_property(o, xml, tag);
  if (curve) {
    curve->seen = true;
  }
  return curve;
}

#define PUT(xml, tags) put_shape(o, shape, xml, tags, LB_COUNT_OF(tags), damped)
static lb_yaml* shape_node(lb_osim* o, lb_xml* xml, bool thelen) {
  const bool damped = lb_osim_number(o, xml, "fiber_damping", 0.1) > 0;
  lb_yaml* shape = lb_node_map(o, xml->place);
  if (thelen) {
    PUT(xml, THELEN);
  } else {
    PUT(xml, DE_GROOTE);
    PUT(curve_of(o, xml, "ActiveForceLengthCurve"), ACTIVE);
    PUT(curve_of(o, xml, "ForceVelocityCurve"), VELOCITY);
    PUT(curve_of(o, xml, "FiberForceLengthCurve"), PASSIVE);
    PUT(curve_of(o, xml, "TendonForceLengthCurve"), TENDON);
  }
  return shape;
}

// An early muscle is half as fast at rest.
static void check_rest_speed(lb_osim* o, lb_xml* xml) {
  const double most = lb_osim_number(o, xml, "Vmax", 10), rest = lb_osim_number(o, xml, "Vmax0", 5);
  if (rest != most / 2) {
    lb_remark(o->r, xml->place,
              lb_compose(o->r, "<Vmax0> of '%s' is taken as half of <Vmax>", xml->name));
  }
}

// --- the whole ---

// What files leave out where it is as a muscle has it by itself.
static const struct size {
  const char *key, *tag, *old;
  double standard;
} SIZES[] = {
    {"force", "max_isometric_force", NULL, 1000},
    {"fiber", "optimal_fiber_length", NULL, 0.1},
    {"slack", "tendon_slack_length", NULL, 0.2},
    {"pennation", "pennation_angle_at_optimal", "pennation_angle", 0},
};

static void put_sizes(lb_osim* o, lb_yaml* hill, lb_xml* xml) {
  for (int i = 0; i < LB_COUNT_OF(SIZES); i++) {
    const struct size* s = &SIZES[i];
    const char* tag = s->old ? first_of(o, xml, s->tag, s->old) : s->tag;
    lb_osim_put_number(o, hill, xml, s->key, tag);
    if (s->standard > 0 && !lb_yaml_find(hill, s->key)) {
      lb_node_put(o, hill, s->key, lb_node_number(o, xml->place, s->standard));
    }
  }
}

// De Groote and Fregly's muscle has time constants of its own. Without damping its curves need no
// floor, as Millard's do: those keep their own damping.
static void put_de_groote(lb_osim* o, lb_yaml* hill, lb_xml* xml) {
  static const struct {
    const char *key, *tag;
    double standard;
  } TIMES[] = {{"activation", "activation_time_constant", 0.015},
               {"deactivation", "deactivation_time_constant", 0.06}};
  for (int i = 0; i < LB_COUNT_OF(TIMES); i++) {
    const double t = lb_osim_number(o, xml, TIMES[i].tag, TIMES[i].standard);
    lb_node_put(o, hill, TIMES[i].key, lb_node_number(o, xml->place, t));
  }
  if (lb_osim_number(o, xml, "fiber_damping", 0) > 0) {
    lb_osim_put_number(o, hill, xml, "damping", "fiber_damping");
  }
}

lb_yaml* lb_osim_hill(lb_osim* o, lb_xml* xml) {
  const bool thelen = strncmp(xml->tag, "Thelen2003", 10) == 0;
  const bool millard = strncmp(xml->tag, "Millard2012", 11) == 0;
  const bool early = strcmp(xml->tag, "Thelen2003Muscle_Deprecated") == 0;
  lb_yaml* hill = lb_node_map(o, xml->place);
  if (!thelen && !millard) {
    lb_osim_note(o, xml->place, xml->tag,
                 lb_compose(o->r, "muscle '%.64s' of class %.60s is read as one of Millard's",
                            xml->name, xml->tag));
  }
  lb_node_put(o, hill, "model",
              lb_node_text(o, xml->place,
                           early    ? "thelen-early"
                           : thelen ? "thelen"
                                    : "millard"));
  put_sizes(o, hill, xml);
  lb_osim_put_number(o, hill, xml, "speed",
                     early ? first_of(o, xml, "Vmax", "max_contraction_velocity")
                           : first_of(o, xml, "max_contraction_velocity", "Vmax"));
  if (early) {
    lb_osim_put_number(o, hill, xml, "damping", "damping");
    check_rest_speed(o, xml);
  }
  if (millard) {
    lb_osim_put_number(o, hill, xml, "damping", "fiber_damping");
  }
  if (strcmp(xml->tag, "DeGrooteFregly2016Muscle") == 0) {
    put_de_groote(o, hill, xml);
  } else {
    lb_osim_put_number(o, hill, xml, "activation", "activation_time_constant");
    lb_osim_put_number(o, hill, xml, "deactivation", "deactivation_time_constant");
  }
  if (lb_osim_flag(o, xml, "ignore_tendon_compliance", false) ||
      strcmp(xml->tag, "RigidTendonMuscle") == 0) {
    lb_node_put(o, hill, "elastic", lb_node_flag(o, xml->place, false));
  }
  lb_yaml* shape = shape_node(o, xml, thelen);
  if (shape && shape->count > 0) {
    lb_node_put(o, hill, "shape", shape);
  }
  return hill;
}

void lb_osim_hill_start(lb_osim* o, lb_xml* xml, const char* muscle) {
  static const double LEAST = 0.01;
  lb_xml* at = lb_osim_property(o, xml, "default_activation");
  const double a = at && *at->text ? lb_osim_number(o, xml, "default_activation", 0) : 0;
  lb_yaml* section = a > 0 ? lb_node_section(o, "initial", xml->place) : NULL;
  if (section && !lb_yaml_find(section, muscle)) {
    lb_yaml* map = lb_node_map(o, at->place);
    lb_node_put(o, map, "activation", lb_node_number(o, at->place, fmin(fmax(a, LEAST), 1)));
    lb_node_put(o, section, muscle, map);
  }
}
