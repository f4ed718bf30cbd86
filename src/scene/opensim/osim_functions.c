// Functions of one coordinate.
#include <string.h>

#include "scene/opensim/osim.h"

static bool read_constant(lb_osim* o, lb_xml* f, double scale, lb_osim_function* out) {
  *out = (lb_osim_function){.constant = true, .b = scale * lb_osim_number(o, f, "value", 0)};
  return true;
}

// Numbers of a property; at least `least`. Their count, or -1.
static int list(lb_osim* o, lb_xml* f, const char* tag, int least, double** x) {
  const lb_xml* at = lb_osim_property(o, f, tag);
  const int n = at ? lb_osim_numbers(o, at, at->text, x) : 0;
  if (n >= 0 && n < least) {
    lb_complain(o->r, at ? at->place : f->place,
                "<%s> of a %s must have %d numbers or more, not %d", tag, f->tag, least, n);
    return -1;
  }
  return n;
}

static bool read_line(lb_osim* o, lb_xml* f, double scale, lb_osim_function* out) {
  double* c;
  const int n = list(o, f, "coefficients", 2, &c);
  if (n > 2) {
    return lb_complain(o->r, f->place, "a %s of %d coordinates cannot be read here (of one only)",
                       f->tag, n - 1);
  }
  if (n == 2) {
    *out = (lb_osim_function){.line = true, .a = scale * c[0], .b = scale * c[1]};
  }
  return n == 2;
}

static bool read_polynomial(lb_osim* o, lb_xml* f, double scale, lb_osim_function* out) {
  double* c;
  const int n = list(o, f, "coefficients", 1, &c);
  int first = 0; // that is not zero
  while (first < n - 1 && c[first] == 0) {
    first++;
  }
  for (int i = 0; i < n; i++) {
    c[i] *= scale;
  }
  if (n > 0) {
    *out = (lb_osim_function){.node = lb_node_map(o, f->place), .n = n, .y = c};
    lb_node_put(o, out->node, "polynomial", lb_node_numbers(o, f->place, c + first, n - first));
  }
  return n > 0;
}

static bool read_points(lb_osim* o, lb_xml* f, double scale, lb_osim_function* out,
                        const char* key) {
  double *x, *y;
  const int n = list(o, f, "x", 1, &x), ny = n < 0 ? -1 : list(o, f, "y", 1, &y);
  if (n < 0 || ny < 0) {
    return false;
  }
  if (n != ny) {
    return lb_complain(o->r, f->place,
                       "a %s must have as many numbers in <x> as in <y>, not %d "
                       "and %d",
                       f->tag, n, ny);
  }
  if (n == 1) {
    *out = (lb_osim_function){.constant = true, .b = scale * y[0]};
    return true;
  }
  const lb_place place = f->place;
  lb_yaml* pairs = lb_node_list(o, place);
  for (int i = 0; i < n; i++) {
    lb_node_add(o, pairs, lb_node_numbers(o, place, (double[]){x[i], scale * y[i]}, 2));
  }
  for (int i = 0; i < n; i++) {
    y[i] *= scale;
  }
  *out = (lb_osim_function){.node = lb_node_map(o, place), .n = n, .x = x, .y = y};
  lb_node_put(o, out->node, key, pairs);
  return true;
}

static bool read_spline(lb_osim* o, lb_xml* f, double scale, lb_osim_function* out) {
  return read_points(o, f, scale, out, "spline");
}

static bool read_lines(lb_osim* o, lb_xml* f, double scale, lb_osim_function* out) {
  return read_points(o, f, scale, out, "linear");
}

// Cubic splines through all points are natural ones but for the conditions at their ends.
static bool read_gcv(lb_osim* o, lb_xml* f, double scale, lb_osim_function* out) {
  lb_osim_number(o, f, "half_order", 3);
  lb_osim_number(o, f, "error_variance", 0);
  lb_remark(o->r, f->place, "a GCVSpline is read as a cubic spline through its points");
  return read_points(o, f, scale, out, "spline");
}

static bool read_multiplier(lb_osim* o, lb_xml* f, double scale, lb_osim_function* out) {
  return lb_osim_read_inner_function(o, f, scale * lb_osim_number(o, f, "scale", 1), false, out);
}

static const struct {
  const char* tag;
  bool (*read)(lb_osim* o, lb_xml* f, double scale, lb_osim_function* out);
} KINDS[] = {
    {"Constant", read_constant},
    {"LinearFunction", read_line},
    {"PolynomialFunction", read_polynomial},
    {"SimmSpline", read_spline},
    {"NaturalCubicSpline", read_spline},
    {"natCubicSpline", read_spline},
    {"GCVSpline", read_gcv},
    {"PiecewiseLinearFunction", read_lines},
    {"MultiplierFunction", read_multiplier},
};

// An element of a class and not of a property, whose names begin with small letters.
static bool is_object(const lb_xml* e) {
  return (*e->tag >= 'A' && *e->tag <= 'Z') || strcmp(e->tag, "natCubicSpline") == 0;
}

lb_xml* lb_osim_find_function(lb_osim* o, lb_xml* object, const char* property) {
  lb_xml* wrapped = lb_osim_property(o, object, property);
  if (wrapped) {
    return wrapped->first;
  }
  for (lb_xml* e = object->first; e; e = e->next) {
    if (strcmp(e->name, property) == 0 && is_object(e)) {
      return e;
    }
  }
  return NULL;
}

bool lb_osim_lack_function(lb_osim* o, lb_xml* object, const char* property) {
  const lb_xml* empty = lb_osim_property(o, object, property);
  return lb_complain(o->r, empty ? empty->place : object->place, "<%s> is %s", property,
                     empty ? "empty" : "missing");
}

bool lb_osim_read_function(lb_osim* o, lb_xml* f, double scale, lb_osim_function* out) {
  for (int i = 0; i < LB_COUNT_OF(KINDS); i++) {
    if (strcmp(f->tag, KINDS[i].tag) == 0) {
      f->seen = true;
      return KINDS[i].read(o, f, scale, out);
    }
  }
  return lb_complain(o->r, f->place,
                     "the function '%.60s' cannot be read (Constant, LinearFunction, SimmSpline, "
                     "NaturalCubicSpline, PiecewiseLinearFunction, PolynomialFunction and "
                     "MultiplierFunction can)",
                     f->tag);
}

bool lb_osim_read_inner_function(lb_osim* o, lb_xml* in, double scale, bool has_coordinate,
                                 lb_osim_function* out) {
  lb_xml* f = lb_osim_find_function(o, in, "function");
  for (lb_xml* e = in->first; e && !f; e = e->next) { // whatever its name
    f = is_object(e) ? e : NULL;
  }
  if (f) {
    return lb_osim_read_function(o, f, scale, out);
  }
  *out = (lb_osim_function){.constant = !has_coordinate, .line = has_coordinate, .a = scale};
  return true;
}

double lb_osim_function_at(const lb_osim_function* f, double x) {
  if (f->constant || f->line) {
    return f->b + (f->line ? f->a * x : 0);
  }
  double y = 0;
  for (int i = 0; i < f->n && !f->x; i++) {
    y = y * x + f->y[i];
  }
  if (!f->x) {
    return y;
  }
  int k = 0;
  while (k < f->n - 2 && x > f->x[k + 1]) {
    k++;
  }
  return f->y[k] + (f->y[k + 1] - f->y[k]) * (x - f->x[k]) / (f->x[k + 1] - f->x[k]);
}

lb_yaml* lb_osim_function_node(lb_osim* o, lb_place place, const lb_osim_function* f) {
  if (f->node) {
    return f->node;
  }
  if (f->constant) {
    return lb_node_number(o, place, f->b);
  }
  lb_yaml* map = lb_node_map(o, place);
  lb_node_put(o, map, "polynomial", lb_node_numbers(o, place, (double[]){f->a, f->b}, 2));
  return map;
}
