// Bodies, and frames on them. An offset frame stands on a body, the ground or another one, and is
// called by its name, or by a path through what has it: /jointset/hip_r/pelvis_offset.
#include <string.h>

#include "scene/opensim/osim.h"

enum { MOST_OFFSETS = 64 }; // of frames on frames

static bool is_ground(const char* name) {
  return strcmp(name, "ground") == 0;
}

// --- gathering ---

static void add_frame(lb_osim* o, lb_xml* xml) {
  lb_osim_named_frame* grown = LB_GROW(&o->r->scratch, o->frame, o->nframe, &o->frame_capacity);
  if (!grown) {
    lb_lack(o->r);
    return;
  }
  o->frame = grown;
  const lb_xml* owner = xml->parent;
  while (owner && !*owner->name) {
    owner = owner->parent;
  }
  o->frame[o->nframe++] = (lb_osim_named_frame){xml, owner ? owner->name : ""};
  xml->seen = true;
  lb_osim_word(o, xml, "translation"); // seen, though nothing may stand on it
  lb_osim_word(o, xml, "orientation");
  lb_osim_socket(o, xml, "parent", NULL);
}

static void gather_below(lb_osim* o, lb_xml* in) {
  for (lb_xml* e = in->first; e; e = e->next) {
    if (strcmp(e->tag, "PhysicalOffsetFrame") == 0) {
      add_frame(o, e);
    }
    gather_below(o, e);
  }
}

void lb_osim_gather_frames(lb_osim* o) {
  gather_below(o, o->model);
  lb_xml_find(o->model, "Ground");
  for (lb_xml* e = lb_osim_first(o, o->model, "BodySet"); e; e = e->next) {
    e->seen = strcmp(e->tag, "Body") == 0;
    lb_osim_word(o, e, "mass");
    lb_osim_word(o, e, "mass_center");
    if (e->seen && !is_ground(e->name)) {
      lb_xml** grown = LB_GROW(&o->r->scratch, o->body, o->nbody, &o->body_capacity);
      if (!grown) {
        lb_lack(o->r);
        return;
      }
      o->body = grown;
      o->body[o->nbody++] = e;
    }
  }
}

// --- bodies ---

// Moments and products, in six elements or in one.
static lb_yaml* inertia_node(lb_osim* o, lb_xml* body) {
  static const char* const ENTRY[] = {"inertia_xx", "inertia_yy", "inertia_zz",
                                      "inertia_xy", "inertia_xz", "inertia_yz"};
  lb_xml* all = lb_osim_property(o, body, "inertia");
  double* x = NULL;
  double own[6] = {0};
  int count = all && *all->text ? lb_osim_numbers(o, all, all->text, &x) : 0;
  if (count != 0 && count != 6 && count > 0) {
    lb_complain(o->r, all->place, "<inertia> must have 6 numbers, not %d", count);
  }
  for (int i = 0; i < 6; i++) {
    own[i] = count == 6 ? x[i] : lb_osim_number(o, body, ENTRY[i], 0);
  }
  for (int i = 0; i < 3; i++) {
    if (own[i] < 0) {
      lb_complain(o->r, all ? all->place : body->place,
                  "the moments of inertia of body '%.64s' must be 0 or greater, not %g", body->name,
                  own[i]);
    }
  }
  const bool products = own[3] != 0 || own[4] != 0 || own[5] != 0;
  return lb_node_numbers(o, all ? all->place : body->place, own, products ? 6 : 3);
}

static bool is_zero(const lb_yaml* inertia) {
  bool zero = true;
  for (int i = 0; inertia && i < inertia->count; i++) {
    zero = zero && strcmp(inertia->item[i]->text, "0") == 0;
  }
  return zero;
}

// A body without mass is given so little that nothing feels it, since scenes have no such bodies.
static void read_body(lb_osim* o, lb_xml* body) {
  const double least = 1e-6;
  const double mass = lb_osim_number(o, body, "mass", 0);
  const lb_vec3 center = lb_osim_vector(o, body, "mass_center", lb_vec3_make(0, 0, 0));
  const lb_place place = body->place;
  if (mass < 0) {
    lb_complain(o->r, lb_osim_property(o, body, "mass")->place,
                "<mass> of body '%.64s' must be 0 or greater, not %g", body->name, mass);
  }
  lb_yaml* map = lb_node_map(o, place);
  lb_yaml* inertia = inertia_node(o, body);
  const bool still = is_zero(inertia);
  if (!(mass > 0) && !still) {
    lb_remark(o->r, place,
              lb_compose(o->r, "body '%s' has no mass: it gets %g kg", body->name, least));
  }
  if (still) {
    const double radius = mass > 0 ? 1e-4 : 1e-2; // of gyration
    const double moment = (mass > 0 ? mass : least) * radius * radius;
    lb_remark(o->r, place,
              lb_compose(o->r, "body '%s' has no %s: it gets %g kg with a gyration radius of %g m",
                         body->name, mass > 0 ? "inertia" : "mass", mass > 0 ? mass : least,
                         radius));
    inertia = lb_node_numbers(o, place, (double[]){moment, moment, moment}, 3);
  }
  lb_node_put(o, map, "mass", lb_node_number(o, place, mass > 0 ? mass : least));
  lb_node_put(o, map, "center", lb_node_vector(o, place, center));
  lb_node_put(o, map, "inertia", inertia);
  lb_node_part(o, "bodies", body->name, map);
}

// Names that scenes take for one are one.
static void check_names(lb_osim* o) {
  for (int i = 0; i < o->nbody; i++) {
    const char* name = lb_osim_name(o, o->body[i]->name);
    for (int k = 0; k < i; k++) {
      if (strcmp(lb_osim_name(o, o->body[k]->name), name) == 0) {
        lb_osim_defined_twice(o, "body", o->body[i], o->body[k]->place.line);
        break;
      }
    }
  }
}

void lb_osim_bodies(lb_osim* o) {
  check_names(o);
  for (int i = 0; i < o->nbody && !o->r->no_memory; i++) {
    read_body(o, o->body[i]);
  }
}

// --- finding ---

const char* lb_osim_socket(lb_osim* o, lb_xml* object, const char* name, lb_place* place) {
  lb_xml* found = lb_osim_property(o, object, lb_compose(o->r, "socket_%s", name));
  lb_xml* connectors = found ? NULL : lb_xml_find(object, "connectors");
  for (lb_xml* e = connectors ? connectors->first : NULL; e && !found; e = e->next) {
    if (strcmp(e->name, name) == 0) {
      e->seen = true;
      found = lb_xml_find(e, "connectee_name");
    }
  }
  found = found ? found : lb_osim_property(o, object, name);
  if (found && place) {
    *place = found->place;
  }
  return found ? found->text : "";
}

// How a frame's owner fits to the name before the last one of a path, and to who asks: more is
// better, 0 is not at all.
static int fits(const lb_osim_named_frame* f, const char* path, const lb_xml* from) {
  const char* last = lb_osim_last(path);
  if (strcmp(f->xml->name, last) != 0) {
    return 0;
  }
  const size_t owner = strlen(f->owner);
  const size_t before = (size_t)(last - path);
  const bool named = owner > 0 && before > owner && path[before - 1] == '/' &&
                     strncmp(last - 1 - owner, f->owner, owner) == 0;
  bool inside = false;
  for (const lb_xml* p = f->xml; p; p = p->parent) {
    inside |= p == from;
  }
  return named ? 3 : inside ? 2 : 1;
}

static const lb_xml* find_offset(const lb_osim* o, const lb_xml* from, const char* path) {
  const lb_xml* best = NULL;
  int most = 0;
  for (int i = 0; i < o->nframe; i++) {
    const int fit = fits(&o->frame[i], path, from);
    best = fit > most ? o->frame[i].xml : best;
    most = fit > most ? fit : most;
  }
  return best;
}

static bool is_body(const lb_osim* o, const char* name) {
  for (int i = 0; i < o->nbody; i++) {
    if (strcmp(o->body[i]->name, name) == 0) {
      return true;
    }
  }
  return false;
}

static bool no_frame(lb_osim* o, lb_place place, const char* path) {
  lb_nearest nearest = lb_nearest_to(path);
  for (int i = 0; i < o->nbody; i++) {
    lb_nearest_offer(&nearest, o->body[i]->name);
  }
  return lb_complain(o->r, place, "there is no body or frame '%.80s'%s", path,
                     lb_did_you_mean(o->r, &nearest));
}

// What has an element, over lists without a name; NULL: nothing.
static lb_xml* owner_of(const lb_xml* e) {
  lb_xml* p = e->parent;
  while (p && !*p->name) {
    p = p->parent;
  }
  return p;
}

// What a path of dots alone stands for: ".." is what has the object, "../.." what has that.
static const lb_xml* climb(const lb_xml* from, const char* path) {
  const lb_xml* at = from;
  for (const char* s = path; *s && at; s += s[2] ? 3 : 2) {
    if (strncmp(s, "..", 2) != 0 || (s[2] && s[2] != '/')) {
      return NULL;
    }
    at = owner_of(at);
  }
  return at != from ? at : NULL;
}

static bool find_frame(lb_osim* o, lb_xml* from, const char* path, lb_place place, int depth,
                       lb_osim_frame* out) {
  const lb_xml* above = climb(from, path);
  path = above && *above->name ? above->name : path;
  const char* last = lb_osim_last(path);
  const bool plain = strchr(path, '/') == NULL || strstr(path, "bodyset/") != NULL;
  if (is_ground(last)) {
    *out = (lb_osim_frame){"world", {lb_osim_ground, {0, 0, 0}}};
    return true;
  }
  if (is_body(o, last) && (plain || !find_offset(o, from, path))) {
    *out = (lb_osim_frame){lb_osim_name(o, last), lb_transform_identity()};
    return true;
  }
  lb_xml* offset = (lb_xml*)find_offset(o, from, path);
  if (!offset) {
    return no_frame(o, place, path);
  }
  if (depth > MOST_OFFSETS) {
    return lb_complain(o->r, offset->place,
                       "frame '%.64s' stands on itself, directly or through others", offset->name);
  }
  lb_place at = offset->place;
  const char* parent = lb_osim_socket(o, offset, "parent", &at);
  if (!*parent) {
    return lb_complain(o->r, offset->place, "frame '%.64s' has no <socket_parent>", offset->name);
  }
  const lb_vec3 zero = {0, 0, 0};
  const lb_transform X = {lb_osim_rotation(lb_osim_vector(o, offset, "orientation", zero)),
                          lb_osim_vector(o, offset, "translation", zero)};
  lb_osim_frame below;
  const bool climbs = strncmp(parent, "..", 2) == 0;
  if (!find_frame(o, climbs ? offset : from, parent, at, depth + 1, &below)) {
    return false;
  }
  *out = (lb_osim_frame){below.body, lb_transform_mul(below.pose, X)};
  return true;
}

bool lb_osim_find_frame(lb_osim* o, lb_xml* from, const char* path, lb_place place,
                        lb_osim_frame* out) {
  return find_frame(o, from, path, place, 0, out);
}

lb_vec3 lb_osim_at(const lb_osim_frame* frame, lb_vec3 location) {
  return lb_transform_point(frame->pose, location);
}

bool lb_osim_attach(lb_osim* o, lb_xml* object, const char* const* socket, const char* location,
                    lb_osim_frame* out) {
  lb_place place = object->place;
  const char* path = "";
  for (int i = 0; socket[i] && !*path; i++) {
    path = lb_osim_socket(o, object, socket[i], &place);
  }
  if (!*path) {
    return lb_complain(o->r, object->place, "%s '%.64s' does not say what it is on (<%s>)",
                       object->tag, object->name, socket[0]);
  }
  if (!lb_osim_find_frame(o, object, path, place, out)) {
    return false;
  }
  out->pose.p = lb_osim_at(out, lb_osim_vector(o, object, location, lb_vec3_make(0, 0, 0)));
  return true;
}

lb_yaml* lb_osim_point(lb_osim* o, lb_place place, const lb_osim_frame* frame) {
  lb_yaml* map = lb_node_map(o, place);
  lb_node_put(o, map, "body", lb_node_text(o, place, frame->body));
  lb_node_put(o, map, "at", lb_node_vector(o, place, frame->pose.p));
  return map;
}

lb_transform lb_osim_body_pose(lb_osim* o, const char* body) {
  lb_transform X = lb_transform_identity();
  for (int depth = 0; depth <= o->nplace && strcmp(body, "world") != 0; depth++) {
    const lb_osim_place* found = NULL;
    for (int i = 0; i < o->nplace && !found; i++) {
      found = strcmp(o->place[i].body, body) == 0 ? &o->place[i] : NULL;
    }
    if (!found) {
      break;
    }
    X = lb_transform_mul(found->pose, X);
    body = found->parent;
  }
  return X;
}

lb_osim_coordinate* lb_osim_find_coordinate(lb_osim* o, const char* path, lb_place place) {
  const char* name = lb_osim_last(path);
  lb_nearest nearest = lb_nearest_to(name);
  for (int i = 0; i < o->ncoordinate; i++) {
    if (strcmp(o->coordinate[i].name, name) == 0) {
      return &o->coordinate[i];
    }
    lb_nearest_offer(&nearest, o->coordinate[i].name);
  }
  if (!lb_osim_is_refused(o, name)) {
    lb_complain(o->r, place, "there is no coordinate '%.80s'%s", name,
                lb_did_you_mean(o->r, &nearest));
  }
  return NULL;
}
