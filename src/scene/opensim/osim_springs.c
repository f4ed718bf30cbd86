// Springs along paths: path springs and ligaments, which become cables.
#include <string.h>

#include "scene/opensim/osim.h"

static void put(lb_osim* o, lb_yaml* map, lb_xml* xml, const char* key, double x) {
  lb_node_put(o, map, key, lb_node_number(o, xml->place, x));
}

// [stretch, force] pairs.
static void put_row(lb_osim* o, lb_yaml* table, lb_xml* xml, double stretch, double force) {
  lb_node_add(o, table, lb_node_numbers(o, xml->place, (double[]){stretch, force}, 2));
}

// F = k s (1 + d ds/dt), where stretched by s.
static bool path_spring(lb_osim* o, lb_xml* xml, lb_yaml* map) {
  put(o, map, xml, "stiffness", lb_osim_number(o, xml, "stiffness", 1));
  put(o, map, xml, "length", lb_osim_number(o, xml, "resting_length", 0));
  put(o, map, xml, "dissipation", lb_osim_number(o, xml, "dissipation", 0));
  return true;
}

// F = F_o f(L/L_o) where L > L_o. The function is taken as straight between its points.
static bool ligament(lb_osim* o, lb_xml* xml, lb_yaml* map) {
  const double rest = lb_osim_number(o, xml, "resting_length", 0);
  const double force = lb_osim_number(o, xml, "pcsa_force", 0);
  lb_xml* in = lb_osim_find_function(o, xml, "force_length_curve");
  lb_osim_function f;
  if (!in || !lb_osim_read_function(o, in, 1, &f)) {
    return in ? false : lb_osim_lack_function(o, xml, "force_length_curve");
  }
  if (!(rest > 0)) {
    return lb_complain(o->r, xml->place, "<resting_length> must be greater than 0");
  }
  lb_yaml* table = lb_node_list(o, xml->place);
  put_row(o, table, xml, 0, force * lb_osim_function_at(&f, 1));
  double last = 0;
  for (int i = 0; i < f.n && f.x; i++) {
    const double stretch = rest * (f.x[i] - 1);
    if (stretch > last) {
      put_row(o, table, xml, stretch, force * f.y[i]);
      last = stretch;
    }
  }
  if (last == 0) { // straight from the start
    put_row(o, table, xml, rest, force * lb_osim_function_at(&f, 2));
  }
  put(o, map, xml, "length", rest);
  lb_node_put(o, map, "table", table);
  return true;
}

// F = k e^2/(2 e_t) up to the strain e_t, then k (e - e_t/2): straight pieces, off by k e_t/8192.
static bool blankevoort(lb_osim* o, lb_xml* xml, lb_yaml* map) {
  enum { PIECES = 32 };
  const double k = lb_osim_number(o, xml, "linear_stiffness", 1);
  const double toe = lb_osim_number(o, xml, "transition_strain", 0.06);
  const double rest = lb_osim_number(o, xml, "slack_length", 0);
  if (!(rest > 0) || !(toe > 0)) {
    return lb_complain(o->r, xml->place,
                       "<slack_length> and <transition_strain> must be greater than 0");
  }
  if (lb_osim_number(o, xml, "damping_coefficient", 0) != 0) {
    lb_remark(o->r, xml->place,
              lb_compose(o->r, "the damping of ligament '%s' is left out", xml->name));
  }
  lb_yaml* table = lb_node_list(o, xml->place);
  for (int i = 0; i <= PIECES; i++) {
    const double e = toe * i / PIECES;
    put_row(o, table, xml, rest * e, k * e * e / (2 * toe));
  }
  put_row(o, table, xml, rest * 2 * toe, k * 1.5 * toe);
  put(o, map, xml, "length", rest);
  lb_node_put(o, map, "table", table);
  return true;
}

static const struct {
  const char* tag;
  bool (*read)(lb_osim* o, lb_xml* xml, lb_yaml* map);
} KINDS[] = {
    {"PathSpring", path_spring}, {"Ligament", ligament}, {"Blankevoort1991Ligament", blankevoort}};

static int kind_of(const lb_xml* xml) {
  int i = 0;
  while (i < LB_COUNT_OF(KINDS) && strcmp(xml->tag, KINDS[i].tag) != 0) {
    i++;
  }
  return i < LB_COUNT_OF(KINDS) ? i : -1;
}

bool lb_osim_is_spring(const lb_xml* xml) {
  return kind_of(xml) >= 0;
}

void lb_osim_spring(lb_osim* o, lb_xml* xml, lb_yaml* through) {
  lb_yaml* map = lb_node_map(o, xml->place);
  lb_node_put(o, map, "through", through);
  if (KINDS[kind_of(xml)].read(o, xml, map)) {
    lb_node_named_part(o, "cables", "spring", xml->name, map);
  }
}
