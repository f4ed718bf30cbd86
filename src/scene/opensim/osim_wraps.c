// Surfaces that paths wrap over: cylinders, spheres, ellipsoids and tori become `wraps` of the
// scene as they are read. Obstacles, which a path goes about in a sense that is given, become
// cylinders with a side. The side hangs on the path's way, so there is one for each path.
#include <math.h>
#include <string.h>

#include "scene/opensim/osim.h"

static void put_size(lb_osim* o, lb_yaml* map, lb_xml* xml, const char* key, const char* tag) {
  lb_node_put(o, map, key, lb_node_number(o, xml->place, lb_osim_number(o, xml, tag, 0)));
}

// Form and sizes of a surface; false: of a class that is not read.
static bool put_form(lb_osim* o, lb_yaml* map, lb_osim_wrap* w) {
  lb_xml* xml = w->xml;
  lb_yaml* form = lb_node_map(o, xml->place);
  const char* word = NULL;
  const double radius = lb_osim_number(o, xml, "radius", 1);
  if (strcmp(xml->tag, "WrapCylinder") == 0) {
    word = "cylinder";
    put_size(o, form, xml, "radius", "radius");
    put_size(o, form, xml, "length", "length");
    w->length = lb_osim_number(o, xml, "length", 0);
    w->size = lb_vec3_make(radius, radius, 0);
  } else if (strcmp(xml->tag, "WrapSphere") == 0) {
    word = "sphere";
    put_size(o, form, xml, "radius", "radius");
    w->size = lb_vec3_make(radius, radius, radius);
  } else if (strcmp(xml->tag, "WrapEllipsoid") == 0) {
    word = "ellipsoid";
    w->size = lb_osim_vector(o, xml, "dimensions", lb_vec3_make(1, 1, 1));
    lb_node_put(o, form, "radii", lb_node_vector(o, xml->place, w->size));
  } else if (strcmp(xml->tag, "WrapTorus") == 0) {
    const double ring = lb_osim_number(o, xml, "outer_radius", 1);
    word = "torus";
    put_size(o, form, xml, "ring", "outer_radius");
    put_size(o, form, xml, "radius", "inner_radius");
    w->size = lb_vec3_make(ring, ring, ring);
  }
  if (word) {
    lb_node_put(o, map, word, form);
  }
  return word;
}

// "x", "-y", "+z" or "all".
static const char* side_of(lb_osim* o, lb_xml* xml) {
  static const char* const SIDES[] = {"x", "y", "z", "-x", "-y", "-z"};
  const char* word = lb_osim_word(o, xml, "quadrant");
  word += *word == '+';
  for (int i = 0; i < LB_COUNT_OF(SIDES); i++) {
    if (strcmp(word, SIDES[i]) == 0) {
      return SIDES[i];
    }
  }
  if (*word && strcmp(word, "all") != 0) {
    lb_remark(o->r, xml->place,
              lb_compose(o->r, "the quadrant '%.20s' of '%.64s' is none: it is taken as 'all'",
                         word, xml->name));
  }
  return NULL;
}

static void keep_wrap(lb_osim* o, lb_osim_wrap w) {
  lb_osim_wrap* grown = LB_GROW(&o->r->scratch, o->wrap, o->nwrap, &o->wrap_capacity);
  if (!grown) {
    lb_lack(o->r);
    return;
  }
  o->wrap = grown;
  o->wrap[o->nwrap++] = w;
}

static void put_place(lb_osim* o, lb_yaml* map, const lb_osim_wrap* w) {
  const lb_place place = w->xml->place;
  lb_node_put(o, map, "body", lb_node_text(o, place, w->body));
  lb_node_put(o, map, "position", lb_node_vector(o, place, w->pose.p));
  if (w->pose.q.x != 0 || w->pose.q.y != 0 || w->pose.q.z != 0) {
    lb_node_put(o, map, "rotation", lb_node_rotation(o, place, w->pose.q));
  }
}

static lb_transform pose_of(lb_osim* o, lb_xml* xml, const lb_osim_frame* on, const char* turn,
                            const char* shift) {
  const lb_vec3 zero = {0, 0, 0};
  return lb_transform_mul(on->pose,
                          (lb_transform){lb_osim_rotation(lb_osim_vector(o, xml, turn, zero)),
                                         lb_osim_vector(o, xml, shift, zero)});
}

// Obstacles: one cylinder, or two in a row, that a path goes about in a sense that is given.
static const struct obstacle {
  const char *tag, *radius, *sense, *body, *turn, *shift;
} OBSTACLES[] = {
    {"WrapCylinderObst", "radius", "wrapDirection", NULL, "xyz_body_rotation", "translation"},
    {"WrapDoubleCylinderObst", "radiusUcyl", "wrapUcylDirection", NULL, "xyz_body_rotation",
     "translation"},
    {"WrapDoubleCylinderObst", "radiusVcyl", "wrapVcylDirection", "wrapVcylHomeBodyName",
     "xyz_body_rotationVcyl", "translationVcyl"}};

static bool read_obstacle(lb_osim* o, lb_xml* xml, const char* frame) {
  bool any = false;
  for (int i = 0; i < LB_COUNT_OF(OBSTACLES); i++) {
    const struct obstacle* b = &OBSTACLES[i];
    if (strcmp(xml->tag, b->tag) != 0) {
      continue;
    }
    any = xml->seen = true;
    const double radius = lb_osim_number(o, xml, b->radius, 1);
    const char* sense = lb_osim_word(o, xml, b->sense);
    const char* home = b->body ? lb_osim_word(o, xml, b->body) : frame;
    lb_osim_frame on;
    lb_osim_number(o, xml, "length", 1); // paths do not come to its ends
    lb_osim_word(o, xml, "quadrant");
    if (lb_osim_find_frame(o, xml, home, xml->place, &on)) {
      keep_wrap(o, (lb_osim_wrap){.xml = xml,
                                  .body = on.body,
                                  .pose = pose_of(o, xml, &on, b->turn, b->shift),
                                  .size = lb_vec3_make(radius, radius, 0),
                                  .active = lb_osim_flag(o, xml, "active", true),
                                  .turn = strncmp(sense, "left", 4) == 0 ? -1 : 1});
    }
  }
  return any;
}

static void read_wrap(lb_osim* o, lb_xml* xml, const char* frame) {
  lb_osim_wrap w = {.xml = xml};
  lb_osim_frame on;
  lb_yaml* map = lb_node_map(o, xml->place);
  if (read_obstacle(o, xml, frame)) {
    return;
  }
  if (!lb_osim_find_frame(o, xml, frame, xml->place, &on)) {
    lb_osim_refuse(o, xml->name);
    return;
  }
  if (!put_form(o, map, &w)) {
    return;
  }
  xml->seen = true;
  w.active = lb_osim_flag(o, xml, "active", true);
  w.body = on.body;
  w.pose = pose_of(o, xml, &on, "xyz_body_rotation", "translation");
  put_place(o, map, &w);
  const char* side = side_of(o, xml);
  if (side) {
    lb_node_put(o, map, "side", lb_node_text(o, xml->place, side));
  }
  w.name = lb_node_named_part(o, "wraps", "wrap", xml->name, map);
  keep_wrap(o, w);
}

static void read_wraps_of(lb_osim* o, lb_xml* on, const char* frame) {
  for (lb_xml* e = lb_osim_first(o, on, "WrapObjectSet"); e && !o->r->no_memory; e = e->next) {
    read_wrap(o, e, frame);
  }
}

void lb_osim_wraps(lb_osim* o) {
  lb_xml* ground = lb_xml_find(o->model, "Ground");
  if (ground) {
    read_wraps_of(o, ground, "ground");
  }
  for (lb_xml* e = lb_osim_first(o, o->model, "BodySet"); e; e = e->next) {
    read_wraps_of(o, e, e->name);
  }
  for (int i = 0; i < o->nframe; i++) {
    const lb_osim_named_frame* f = &o->frame[i];
    read_wraps_of(o, f->xml, lb_compose(o->r, "%s/%s", f->owner, f->xml->name));
  }
}

// --- surfaces as seen from a path ---

const lb_osim_wrap* lb_osim_find_wrap(const lb_osim* o, const char* name) {
  for (int i = 0; i < o->nwrap; i++) {
    if (strcmp(o->wrap[i].xml->name, lb_osim_last(name)) == 0) {
      return &o->wrap[i];
    }
  }
  return NULL;
}

double lb_osim_wrap_distance(const lb_osim_wrap* w, lb_transform pose, lb_vec3 a, lb_vec3 b,
                             double* along) {
  enum { SAMPLES = 64 };
  const lb_transform to = lb_transform_inverse(pose);
  const lb_vec3 p = lb_transform_point(to, a), q = lb_transform_point(to, b);
  double least = INFINITY;
  for (int i = 0; i <= SAMPLES; i++) {
    const double s = (double)i / SAMPLES;
    const lb_vec3 x = lb_vec3_add(p, lb_vec3_scale(s, lb_vec3_sub(q, p)));
    const double beyond = fmax(0, fabs(x.z) - w->length / 2);
    const double across = hypot(x.x / w->size.x, x.y / w->size.y);
    const double d = w->size.z > 0 ? hypot(across, x.z / w->size.z)
                                   : across + (w->length > 0 ? beyond / w->size.x : 0);
    *along = d < least ? s : *along;
    least = fmin(least, d);
  }
  return least;
}

const char* lb_osim_make_obstacle(lb_osim* o, const lb_osim_wrap* w, lb_transform pose, lb_vec3 a,
                                  lb_vec3 b) {
  const lb_vec3 way = lb_quat_rotate(lb_quat_conjugate(pose.q), lb_vec3_sub(b, a));
  const lb_vec3 right = lb_vec3_scale(w->turn, lb_vec3_make(way.y, -way.x, 0));
  const lb_place place = w->xml->place;
  const double size = lb_vec3_norm(right);
  lb_yaml *map = lb_node_map(o, place), *form = lb_node_map(o, place);
  lb_node_put(o, form, "radius", lb_node_number(o, place, w->size.x));
  lb_node_put(o, map, "cylinder", form);
  put_place(o, map, w);
  if (size > 0) {
    lb_node_put(o, map, "side", lb_node_vector(o, place, lb_vec3_scale(1 / size, right)));
  }
  return lb_node_named_part(o, "wraps", "wrap", w->xml->name, map);
}
