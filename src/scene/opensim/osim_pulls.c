// Springs and limits on coordinates. Those on one coordinate add up to one spring of its joint: a
// stiffness, or with limits a table.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/opensim/osim.h"

enum { PIECES = 32 }; // of a transition: its force is off by less than 1/1000 of k w

static bool is_type(const lb_yaml* joint, const char* type) {
  const lb_yaml* is = lb_yaml_find(joint, "type");
  return is && lb_is_scalar(is) && strcmp(is->text, type) == 0;
}

static lb_yaml* find_item(const lb_yaml* map, const char* key) {
  for (int i = 0; map && i < map->count; i++) {
    if (strcmp(map->key[i]->text, key) == 0) {
      return map->item[i];
    }
  }
  return NULL;
}

// The joint or part of a joint whose coordinate it is, or NULL: it shares its spring with others.
static lb_yaml* holder_of(lb_osim* o, const lb_osim_coordinate* c) {
  lb_yaml* joint = find_item(lb_node_section(o, "joints", o->model->place), c->joint);
  if (!joint || is_type(joint, "revolute") || is_type(joint, "prismatic")) {
    return joint;
  }
  const lb_yaml* parts = is_type(joint, "composite") ? lb_yaml_find(joint, "parts") : NULL;
  int index = 0;
  for (int i = 0; parts && i < parts->count; i++) {
    if (!is_type(parts->item[i], "fixed") && !lb_yaml_find(parts->item[i], "follows")) {
      if (index++ == c->index) {
        return parts->item[i];
      }
    }
  }
  return NULL;
}

// --- reading ---

// Coordinate of a force; NULL: told why not.
static lb_osim_coordinate* find_coordinate(lb_osim* o, lb_xml* xml) {
  lb_place place = xml->place;
  const char* name = lb_osim_socket(o, xml, "coordinate", &place);
  lb_osim_coordinate* c = lb_osim_find_coordinate(o, name, place);
  if (c && !holder_of(o, c)) {
    lb_osim_leave_out(o, xml, "its joint has one spring for several coordinates");
    return NULL;
  }
  return c;
}

static void add(lb_osim* o, lb_osim_coordinate* c, lb_osim_pull made) {
  lb_osim_pull* grown = LB_GROW(&o->r->scratch, c->pull, c->npull, &c->pull_capacity);
  if (!grown) {
    lb_lack(o->r);
    return;
  }
  c->pull = grown;
  c->pull[c->npull++] = made;
}

// f = -k (q - q0) - b qd
static void spring(lb_osim* o, lb_xml* xml) {
  lb_osim_coordinate* c = find_coordinate(o, xml);
  const lb_osim_pull made = {.xml = xml,
                             .stiffness = lb_osim_number(o, xml, "stiffness", 0),
                             .rest = lb_osim_number(o, xml, "rest_length", 0),
                             .viscosity = lb_osim_number(o, xml, "viscosity", 0),
                             .lower = -INFINITY,
                             .upper = INFINITY};
  if (made.stiffness < 0 || made.viscosity < 0) {
    lb_osim_leave_out(o, xml, "its stiffness and viscosity must not be negative");
  } else if (c) {
    add(o, c, made);
  }
}

// Of angles all numbers are by degrees.
static void limit(lb_osim* o, lb_xml* xml) {
  lb_osim_coordinate* c = find_coordinate(o, xml);
  const double unit = c && c->turns ? M_PI / 180 : 1;
  const lb_osim_pull made = {.xml = xml,
                             .lower = unit * lb_osim_number(o, xml, "lower_limit", 0),
                             .upper = unit * lb_osim_number(o, xml, "upper_limit", 0),
                             .below = lb_osim_number(o, xml, "lower_stiffness", 1) / unit,
                             .above = lb_osim_number(o, xml, "upper_stiffness", 1) / unit,
                             .transition = unit * lb_osim_number(o, xml, "transition", 0.1)};
  const double damping = lb_osim_number(o, xml, "damping", 0.001);
  lb_osim_word(o, xml, "compute_dissipation_energy");
  if (!c) {
    return;
  }
  if (!(made.lower < made.upper) || made.below < 0 || made.above < 0 || made.transition < 0) {
    lb_osim_leave_out(o, xml,
                      "its lower limit must be below the upper one, and neither a stiffness nor "
                      "the transition negative");
    return;
  }
  if (damping > 0) {
    lb_remark(o->r, xml->place,
              lb_compose(o->r, "the damping of the limits '%.64s' is left out", xml->name));
  }
  add(o, c, made);
}

static const struct {
  const char* tag;
  void (*read)(lb_osim* o, lb_xml* xml);
} KINDS[] = {{"SpringGeneralizedForce", spring}, {"CoordinateLimitForce", limit}};

bool lb_osim_coordinate_pull(lb_osim* o, lb_xml* force) {
  for (int i = 0; i < LB_COUNT_OF(KINDS); i++) {
    if (strcmp(force->tag, KINDS[i].tag) == 0) {
      KINDS[i].read(o, force);
      return true;
    }
  }
  return false;
}

// --- the force of all ---

// Beyond a limit by x, over the transition w:
//
//   f = k x S(min(1, x/w)),   S(t) = 10 t^3 - 15 t^4 + 6 t^5
static double push(double k, double x, double w) {
  if (!(x > 0)) {
    return 0;
  }
  const double t = x < w ? x / w : 1;
  return k * x * t * t * t * (10 + t * (6 * t - 15));
}

// Sum of what pulls the coordinate down.
static double force_at(const lb_osim_coordinate* c, double q) {
  double sum = 0;
  for (int i = 0; i < c->npull; i++) {
    const lb_osim_pull* p = &c->pull[i];
    sum += p->stiffness * (q - p->rest) + push(p->above, q - p->upper, p->transition) -
           push(p->below, p->lower - q, p->transition);
  }
  return sum;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Coordinates between which the force is straight, or nearly so, in order; their count.
static int find_knots(const lb_osim_coordinate* c, double* knot) {
  int n = 0;
  for (int i = 0; i < c->npull; i++) {
    const lb_osim_pull* p = &c->pull[i];
    for (int k = 0; k <= PIECES && isfinite(p->upper); k++) {
      knot[n++] = p->lower - p->transition * k / PIECES;
      knot[n++] = p->upper + p->transition * k / PIECES;
    }
  }
  qsort(knot, (size_t)n, sizeof *knot, compare);
  int kept = 0;
  for (int i = 0; i < n; i++) {
    if (kept == 0 || knot[i] > knot[kept - 1]) {
      knot[kept++] = knot[i];
    }
  }
  return kept;
}

static void put_row(lb_osim* o, lb_yaml* table, const lb_osim_coordinate* c, double q) {
  const lb_place place = table ? table->place : o->model->place;
  lb_yaml* row = lb_node_list(o, place);
  lb_node_add(o, row, lb_node_measure(o, place, q, c->turns));
  lb_node_add(o, row, lb_node_number(o, place, force_at(c, q)));
  lb_node_add(o, table, row);
}

// Beyond the outermost knots all is straight, which a row on each side says.
static void put_table(lb_osim* o, const lb_osim_coordinate* c, lb_yaml* map) {
  const int most = 2 * (PIECES + 1) * c->npull;
  double* knot = LB_TAKE(&o->r->scratch, double, most);
  lb_yaml* table = lb_node_list(o, c->pull->xml->place);
  if (!knot) {
    lb_lack(o->r);
    return;
  }
  const int n = find_knots(c, knot);
  put_row(o, table, c, knot[0] - 1);
  for (int i = 0; i < n; i++) {
    put_row(o, table, c, knot[i]);
  }
  put_row(o, table, c, knot[n - 1] + 1);
  lb_node_put(o, map, "table", table);
}

// Springs on a coordinate: their stiffness, where they are at rest together, and their damping.
static void put_pull(lb_osim* o, const lb_osim_coordinate* c) {
  const lb_place place = c->pull->xml->place;
  lb_yaml *holder = holder_of(o, c), *map = lb_node_map(o, place);
  double k = 0, rest = 0, b = 0;
  bool limited = false;
  for (int i = 0; i < c->npull; i++) {
    const lb_osim_pull* p = &c->pull[i];
    k += p->stiffness;
    rest += p->stiffness > 0 ? (p->rest - rest) * (p->stiffness / k) : 0;
    b += p->viscosity;
    limited |= isfinite(p->upper);
  }
  if (limited) {
    put_table(o, c, map);
  } else if (k > 0) {
    lb_node_put(o, map, "stiffness", lb_node_number(o, place, k));
    lb_node_put(o, map, "rest", lb_node_measure(o, place, rest, c->turns));
  }
  if (limited || k > 0) {
    lb_node_put(o, holder, "spring", map);
  }
  if (b > 0) {
    lb_node_put(o, holder, "damping", lb_node_number(o, place, b));
  }
}

void lb_osim_put_pulls(lb_osim* o) {
  for (int i = 0; i < o->ncoordinate && !o->r->no_memory; i++) {
    if (o->coordinate[i].npull > 0) {
      put_pull(o, &o->coordinate[i]);
    }
  }
}
