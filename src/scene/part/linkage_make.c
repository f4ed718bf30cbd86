// Entries of bodies, joints and motors from a linkage, as if its author had written them: names,
// units, checks and messages are the usual ones.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scene/part/linkage.h"

// --- nodes ---

// Maker of nodes, all of them at one place in the file.
typedef struct maker {
  lb_reader* r;
  lb_scene_linkage* k;
  lb_place place;
  lb_yaml* section[LB_SCENE_KEYS]; // maps that grow
} maker;

static lb_yaml* make_node(maker* m, lb_yaml_kind kind, int room) {
  lb_yaml* node = LB_TAKE(&m->r->scratch, lb_yaml, 1);
  lb_yaml** key = LB_TAKE(&m->r->scratch, lb_yaml*, room + 1);
  lb_yaml** item = LB_TAKE(&m->r->scratch, lb_yaml*, room + 1);
  if (!node || !key || !item) {
    lb_lack(m->r);
    return NULL;
  }
  *node = (lb_yaml){.kind = kind, .place = m->place, .key = key, .item = item, .text = ""};
  return node;
}

static lb_yaml* make_text(maker* m, const char* text) {
  lb_yaml* node = text ? make_node(m, LB_YAML_SCALAR, 0) : NULL;
  if (node) {
    node->text = text;
    node->plain = true;
  }
  return node;
}

static lb_yaml* make_number(maker* m, double x) {
  return make_text(m, lb_compose(m->r, "%.17g", x));
}

static lb_yaml* make_numbers(maker* m, int n, const double* x) {
  lb_yaml* list = make_node(m, LB_YAML_LIST, n);
  for (int i = 0; i < n && list; i++) {
    list->item[list->count++] = make_number(m, x[i]);
  }
  return list;
}

static lb_yaml* make_place(maker* m, lb_vec3 v) {
  return make_numbers(m, 3, &v.x);
}

static void put(maker* m, lb_yaml* map, const char* key, const lb_yaml* item) {
  lb_yaml* word = item ? make_text(m, key) : NULL;
  if (map && word) {
    map->key[map->count] = word;
    map->item[map->count++] = (lb_yaml*)item;
  }
}

// A map of keys and nodes, up to NULL; what is NULL is left out.
static lb_yaml* make_map(maker* m, ...) {
  enum { ROOM = 8 };
  lb_yaml* map = make_node(m, LB_YAML_MAP, ROOM);
  va_list args;
  va_start(args, m);
  for (const char* key; (key = va_arg(args, const char*));) {
    put(m, map, key, va_arg(args, lb_yaml*));
  }
  va_end(args);
  return map;
}

// --- names and places ---

static bool is_shaft(const lb_scene_linkage* k, int bar) {
  return k->shaft && bar == k->crank;
}

static const char* name_of(maker* m, const lb_linkage_copy* copy, const char* name) {
  return *copy->name ? lb_compose(m->r, "%s-%s", name, copy->name) : name;
}

static const char* bar_name(maker* m, const lb_linkage_copy* copy, int bar) {
  const char* name = m->k->bar[bar].name;
  return is_shaft(m->k, bar) ? name : name_of(m, copy, name);
}

// A pin that carries a bar has its name; one that closes a loop those of its point and bar.
static const char* pin_name(maker* m, const lb_linkage_copy* copy, const lb_linkage_pin* pin) {
  return pin->loop ? name_of(m, copy,
                             lb_compose(m->r, "%s-%s", m->k->point[pin->point].name,
                                        m->k->bar[pin->bar[1]].name))
                   : bar_name(m, copy, pin->bar[1]);
}

static double along_shaft(const lb_scene_linkage* k, const lb_linkage_copy* copy) {
  return lb_quat_rotate(lb_quat_conjugate(lb_linkage_axes(k)), copy->at).z;
}

lb_vec3 lb_linkage_place(const lb_scene_linkage* k, const lb_linkage_copy* copy, int bar,
                         int point) {
  const int* own = k->bar[bar].point;
  const double *o = k->point[own[0]].at, *x = k->point[own[1]].at, *p = k->point[point].at;
  const double length = hypot(x[0] - o[0], x[1] - o[1]);
  const double c = (x[0] - o[0]) / length, s = (x[1] - o[1]) / length;
  const double dx = p[0] - o[0], dy = (p[1] - o[1]);
  const double u = c * dx + s * dy, v = (copy->mirror ? -1 : 1) * (c * dy - s * dx);
  if (!is_shaft(k, bar)) {
    return lb_vec3_make(u, v, 0);
  }
  const double turn = 2 * M_PI * copy->phase, ct = cos(turn), st = sin(turn);
  return lb_vec3_make(ct * u - st * v, st * u + ct * v, along_shaft(k, copy));
}

static lb_vec3 lift(lb_vec3 v, double z) {
  return lb_vec3_make(v.x, v.y, v.z + z);
}

// --- bodies ---

static double radius_of(const lb_scene_linkage* k, const lb_linkage_bar* bar) {
  return bar->radius > 0 ? bar->radius : k->radius;
}

static lb_yaml* make_rod(maker* m, const char* form, double radius, lb_vec3 from, lb_vec3 to) {
  return make_map(m, form,
                  make_map(m, "radius", make_number(m, radius), "from", make_place(m, from), "to",
                           make_place(m, to), NULL),
                  NULL);
}

static void add_shape(lb_yaml* list, lb_yaml* shape) {
  if (list && shape) {
    list->item[list->count++] = shape;
  }
}

// Rods along the sides of a bar, or its disc, and feet.
static void add_shapes(maker* m, lb_yaml* list, const lb_linkage_copy* copy, int b) {
  const lb_scene_linkage* k = m->k;
  const lb_linkage_bar* bar = &k->bar[b];
  const double radius = radius_of(k, bar), z = bar->offset;
  const lb_vec3 middle = lb_linkage_place(k, copy, b, bar->point[0]);
  if (bar->disc > 0) {
    add_shape(list, make_rod(m, "cylinder", bar->disc, lift(middle, z - radius),
                             lift(middle, z + radius)));
  }
  for (int s = 0; s < k->nside && !(bar->disc > 0); s++) {
    if (k->side[s].bar == b) {
      add_shape(list, make_rod(m, "capsule", radius,
                               lift(lb_linkage_place(k, copy, b, k->side[s].point[0]), z),
                               lift(lb_linkage_place(k, copy, b, k->side[s].point[1]), z)));
    }
  }
  for (int i = 0; i < bar->npoint; i++) {
    const int p = bar->point[i];
    if (k->foot[p] > 0) {
      add_shape(list, make_map(m, "sphere", make_map(m, "radius", make_number(m, k->foot[p]), NULL),
                               "position", make_place(m, lift(lb_linkage_place(k, copy, b, p), z)),
                               "material", make_text(m, "rubber"), NULL));
    }
  }
}

// What an author adds to a bar.
static const lb_yaml* own_shapes(const maker* m, int b) {
  const lb_entries* all = &m->r->section[LB_SCENE_LINKAGES];
  const int at = lb_names_find(&all->names, m->k->name, -1);
  const lb_yaml* bars = at >= 0 ? lb_yaml_find(all->entry[at].value, "bars") : NULL;
  const lb_yaml* bar = bars ? lb_yaml_find(bars, m->k->bar[b].name) : NULL;
  const lb_yaml* shapes = bar ? lb_yaml_find(bar, "shapes") : NULL;
  return lb_is_list(shapes) ? shapes : NULL;
}

// A shaft has the throws of all copies, and a rod along it.
static lb_yaml* make_shapes(maker* m, const lb_linkage_copy* copy, int b) {
  const lb_scene_linkage* k = m->k;
  const lb_yaml* own = own_shapes(m, b);
  const int copies = is_shaft(k, b) ? k->ncopy : 1, more = own ? own->count : 0;
  lb_yaml* list = make_node(m, LB_YAML_LIST, copies * (k->nside + k->npoint + 1) + more + 1);
  double low = 0, high = 0;
  for (int i = 0; i < copies && list; i++) {
    const lb_linkage_copy* of = copies > 1 ? &k->copy[i] : copy;
    add_shapes(m, list, of, b);
    low = fmin(low, is_shaft(k, b) ? along_shaft(k, of) : 0);
    high = fmax(high, is_shaft(k, b) ? along_shaft(k, of) : 0);
  }
  if (high > low) {
    add_shape(list, make_rod(m, "capsule", radius_of(k, &k->bar[b]), lb_vec3_make(0, 0, low),
                             lb_vec3_make(0, 0, high)));
  }
  for (int i = 0; i < more && list; i++) {
    add_shape(list, own->item[i]);
  }
  return list;
}

static void make_body(maker* m, const lb_linkage_copy* copy, int b) {
  const lb_linkage_bar* bar = &m->k->bar[b];
  const char* material = bar->material ? bar->material : m->k->material;
  m->place = bar->place;
  put(m, m->section[LB_SCENE_BODIES], bar_name(m, copy, b),
      make_map(m, "shapes", make_shapes(m, copy, b), "material", make_text(m, material), "mass",
               bar->mass > 0 ? make_number(m, bar->mass) : NULL, "group", make_text(m, m->k->group),
               NULL));
}

// --- joints ---

// By the choices of `plane`: thirds of a turn about [1, 1, 1], then half and quarter turns.
lb_quat lb_linkage_axes(const lb_scene_linkage* k) {
  static const double H = M_SQRT1_2;
  const lb_quat axes[] = {{1, 0, 0, 0}, {0.5, 0.5, 0.5, 0.5}, {0.5, -0.5, -0.5, -0.5},
                          {0, H, H, 0}, {H, 0, -H, 0},        {H, H, 0, 0}};
  return axes[k->plane];
}

static lb_yaml* make_ground_frame(maker* m, const lb_linkage_copy* copy,
                                  const lb_linkage_pin* pin) {
  const lb_scene_linkage* k = m->k;
  const double* p = k->point[pin->point].at;
  const lb_quat q = lb_linkage_axes(k);
  const lb_vec3 in_plane = lb_vec3_make(copy->mirror ? -p[0] : p[0], p[1], 0);
  const lb_vec3 moved = is_shaft(k, pin->bar[1]) ? lb_vec3_make(0, 0, 0) : copy->at;
  const lb_vec3 at = lb_vec3_add(lb_vec3_add(k->at, moved), lb_quat_rotate(q, in_plane));
  return make_map(m, "position", make_place(m, at), "rotation",
                  make_map(m, "quaternion", make_numbers(m, 4, &q.w), NULL), NULL);
}

static const char* ground_name(const maker* m) {
  const int on = m->k->on;
  return on >= 0 ? m->r->section[LB_SCENE_BODIES].entry[on].name->text : "world";
}

static void make_joint(maker* m, const lb_linkage_copy* copy, const lb_linkage_pin* pin) {
  const lb_scene_linkage* k = m->k;
  const int p = pin->bar[0], c = pin->bar[1];
  const bool axle = p < 0 && is_shaft(k, c); // of all copies
  const lb_vec3 in_child = axle ? lb_vec3_make(0, 0, 0) : lb_linkage_place(k, copy, c, pin->point);
  m->place = k->bar[c].place;
  put(m, m->section[LB_SCENE_JOINTS], pin_name(m, copy, pin),
      make_map(m, "type", make_text(m, "revolute"), "parent",
               make_text(m, p >= 0 ? bar_name(m, copy, p) : ground_name(m)), "child",
               make_text(m, bar_name(m, copy, c)), "at",
               p >= 0 ? make_place(m, lb_linkage_place(k, copy, p, pin->point))
                      : make_ground_frame(m, copy, pin),
               "in_child", make_place(m, in_child), "axis", make_text(m, "z"), "loop",
               pin->loop ? make_text(m, "true") : NULL, NULL));
}

static void make_motor(maker* m, const lb_linkage_copy* copy) {
  const lb_scene_linkage* k = m->k;
  const char* name = bar_name(m, copy, k->crank);
  m->place = k->place;
  put(m, m->section[LB_SCENE_MOTORS], name,
      make_map(m, "joint", make_text(m, name), "profile", make_text(m, k->profile), "phase",
               k->shaft ? NULL : make_number(m, copy->phase), NULL));
}

// --- a linkage ---

static bool is_made(const lb_scene_linkage* k, int copy, int bar) {
  return copy == 0 || !is_shaft(k, bar);
}

static void make_copy(maker* m, int c) {
  const lb_scene_linkage* k = m->k;
  for (int b = 0; b < k->nbar; b++) {
    if (is_made(k, c, b)) {
      make_body(m, &k->copy[c], b);
    }
  }
  for (int i = 0; i < k->npin; i++) {
    if (is_made(k, c, k->pin[i].bar[1])) {
      make_joint(m, &k->copy[c], &k->pin[i]);
    }
  }
  if (k->profile && is_made(k, c, k->crank)) {
    make_motor(m, &k->copy[c]);
  }
}

// Numbers of bodies and joints in the scene.
static void find_parts(maker* m, lb_linkage_copy* copy) {
  const lb_scene_linkage* k = m->k;
  const lb_entries* all = m->r->section;
  for (int b = 0; b < k->nbar; b++) {
    copy->body[b] = lb_names_find(&all[LB_SCENE_BODIES].names, bar_name(m, copy, b), -1);
  }
  for (int i = 0; i < k->npin; i++) {
    copy->joint[i] = lb_names_find(&all[LB_SCENE_JOINTS].names, pin_name(m, copy, &k->pin[i]), -1);
  }
}

bool lb_linkage_make(lb_reader* r, lb_scene_linkage* k) {
  static const int made[] = {LB_SCENE_BODIES, LB_SCENE_JOINTS, LB_SCENE_MOTORS};
  const lb_entries* all = &r->section[LB_SCENE_LINKAGES];
  maker m = {.r = r, .k = k, .place = k->place};
  const int room[] = {k->ncopy * k->nbar, k->ncopy * k->npin, k->ncopy};
  for (int i = 0; i < LB_COUNT_OF(made); i++) {
    m.section[made[i]] = make_node(&m, LB_YAML_MAP, room[i]);
  }
  for (int c = 0; c < k->ncopy && !r->no_memory; c++) {
    make_copy(&m, c);
  }
  const int at = lb_names_find(&all->names, k->name, -1);
  r->folder = at >= 0 ? all->entry[at].folder : "";
  if (r->no_memory || !lb_gather_sections(r, (const lb_yaml* const*)m.section)) {
    return false;
  }
  for (int c = 0; c < k->ncopy; c++) {
    find_parts(&m, &k->copy[c]);
  }
  return true;
}
