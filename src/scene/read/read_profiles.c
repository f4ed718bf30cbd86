// Keys and splines: functions of time as authors write them.
#include "scene/yaml/reader.h"

// What values measure: numbers of a dimension, or rotations, which are kept apart.
typedef struct measure {
  lb_dimension dimension;
  lb_quat** rotation; // NULL: numbers
} measure;

static bool take_arrays(lb_reader* r, const measure* of, lb_profile_definition* out, int times,
                        int values) {
  out->time = LB_TAKE(r->keep, double, times);
  if (of->rotation) {
    *of->rotation = LB_TAKE(r->keep, lb_quat, values);
  } else {
    out->value = LB_TAKE(r->keep, double, values);
  }
  return (out->time && (of->rotation ? *of->rotation != NULL : out->value != NULL)) || lb_lack(r);
}

// The i-th value; `out` may be NULL: then it is only judged.
static bool read_value(lb_reader* r, const measure* of, const lb_yaml_node* node, const char* word,
                       int i, const lb_profile_definition* out) {
  const lb_field field = {.key = word, .value = LB_VALUE_ROTATION, .dimension = LB_ANGLE};
  double number = 0;
  lb_quat turn = lb_quat_identity();
  const bool ok = of->rotation ? lb_read_value(r, node, &field, &turn)
                               : lb_read_number(r, node, word, of->dimension, LB_ANY, &number);
  if (out && of->rotation) {
    (*of->rotation)[i] = turn;
  } else if (out) {
    out->value[i] = number;
  }
  return ok;
}

// [[0 s, 0 deg], [1 s, 90 deg]]
static bool read_keys(lb_reader* r, const lb_yaml_node* node, const char* word, const measure* of,
                      lb_profile_definition* out) {
  if (node->count == 0) {
    return lb_complain(r, node->place, "'%s' must have at least one [time, value] pair", word);
  }
  if (!take_arrays(r, of, out, node->count, node->count)) {
    return false;
  }
  bool ok = true;
  int last = -1; // key whose time was good
  for (int i = 0; i < node->count; i++) {
    const lb_yaml_node* key = node->item[i];
    if (key->kind != LB_YAML_LIST || key->count != 2) {
      ok = lb_complain(
          r, key->place, "a key must be a pair such as [%s, %s]", lb_dimension_example(LB_TIME),
          of->rotation ? "{axis: z, angle: 30 deg}" : lb_dimension_example(of->dimension));
      continue;
    }
    const bool timed = lb_read_number(r, key->item[0], "time", LB_TIME, LB_ANY, &out->time[i]);
    ok &= read_value(r, of, key->item[1], "value", i, out) && timed;
    if (timed && last >= 0 && !(out->time[i] > out->time[last])) {
      ok = lb_complain(r, key->item[0]->place,
                       "the times of '%s' must increase, but %g s comes after %g s", word,
                       out->time[i], out->time[last]);
    }
    last = timed ? i : last;
  }
  out->count = node->count;
  return ok;
}

static bool read_points(lb_reader* r, const lb_yaml_node* points, const measure* of,
                        const lb_profile_definition* out) {
  bool ok = true;
  for (int i = 0; i < points->count; i++) {
    ok &= read_value(r, of, points->item[i], "points", i, out);
  }
  return ok;
}

static bool read_spline(lb_reader* r, const lb_spline_spec* spec, const measure* of,
                        lb_profile_definition* out) {
  enum { DEGREE, FROM, TO, POINTS, HIGHEST = 5 };
  const lb_yaml_node* const* given = spec->given.node;
  if (!spec->points) {
    return false; // told by the table
  }
  const int count = spec->points->count;
  if (spec->given.wrong) {
    return read_points(r, spec->points, of, NULL) && false;
  }
  if (spec->degree > HIGHEST) {
    return lb_complain(r, given[DEGREE]->place, "'degree' must be from 1 to %d, not %d", HIGHEST,
                       spec->degree);
  }
  if (count <= spec->degree) {
    return lb_complain(r, given[POINTS]->place,
                       "a spline of degree %d needs at least %d points, not %d", spec->degree,
                       spec->degree + 1, count);
  }
  if (!(spec->to > spec->from)) {
    return lb_complain(r, given[TO]->place, "'to' must be later than 'from' (%g s)", spec->from);
  }
  if (!take_arrays(r, of, out, 2, count)) {
    return false;
  }
  const bool ok = read_points(r, spec->points, of, out);
  out->kind = LB_PROFILE_BSPLINE;
  out->degree = spec->degree;
  out->count = count;
  out->time[0] = spec->from;
  out->time[1] = spec->to;
  return ok;
}

static bool read_profile(lb_reader* r, const lb_profile_spec* spec, const lb_given* given,
                         const measure* of, lb_profile_definition* out) {
  const lb_yaml_node* spline = spec->spline.given.whole;
  *out = (lb_profile_definition){.kind = (lb_profile_kind)spec->ease, .period = spec->repeat};
  const lb_yaml_node* keys = spec->rates ? spec->rates : spec->keys;
  const char* word = spec->rates ? "rates" : "keys";
  if (spec->keys && spec->rates) {
    return lb_complain(r, keys->place, "'keys' and 'rates' cannot both be given (choose one)");
  }
  if (keys && spline) {
    return lb_complain(r, spline->place, "'%s' and 'spline' cannot both be given (choose one)",
                       word);
  }
  if (!keys && !spline) {
    return true;
  }
  bool ok = spline ? read_spline(r, &spec->spline, of, out) : read_keys(r, keys, word, of, out);
  const double last = ok ? out->time[spline ? 1 : out->count - 1] : 0;
  if (ok && spec->repeat > 0 && spec->repeat < last) {
    ok = lb_complain(r, lb_yaml_node_find(given->whole, "repeat")->place,
                     "'repeat' is %g s, but the last time is %g s (repeat after it)", spec->repeat,
                     last);
  }
  return ok;
}

bool lb_read_profile(lb_reader* r, const lb_profile_spec* spec, const lb_given* given,
                     lb_dimension dimension, lb_profile_definition* out) {
  return read_profile(r, spec, given, &(measure){dimension, NULL}, out);
}

bool lb_read_turning(lb_reader* r, const lb_profile_spec* spec, const lb_given* given,
                     lb_profile_definition* out, lb_quat** rotation) {
  return read_profile(r, spec, given, &(measure){LB_ANGLE, rotation}, out);
}
