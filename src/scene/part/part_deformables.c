// Ropes and deformables: neither rigid nor bodies of their own.
#include <math.h>
#include <string.h>

#include "geom/mesh/triangle_mesh.h"
#include "scene/part/elastic_form.h"
#include "scene/part/part.h"

static bool is_finite(lb_vec3 v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool is_size(double x) {
  return x >= 0 && isfinite(x);
}

// Bodies that ropes and deformables can be fastened to.
static void check_body(lb_checker* c, int body) {
  if (body < 0 || body >= c->s->nbody) {
    lb_say(c, " is fastened to body %d, which does not exist", body);
  } else if (c->s->body[body].elastic || c->s->body[body].reduced) {
    lb_say(c,
           " is fastened to body '%s', which is elastic (use a rigid body that a fixed joint puts "
           "on one of its faces)",
           c->s->body[body].name);
  }
}

// --- ropes ---

enum { SEGMENTS = 10, MOST_SEGMENTS = 100 * 1000 }; // between two points, unless the author says

static const lb_field rope_point_fields[] = {
    LB_ROW(BODY, lb_scene_rope_point, "body", body, "world",
           "what it is fastened to, a rigid body or world"),
    LB_SIZED(VECTOR, lb_scene_rope_point, "at", at, LB_LENGTH, LB_ANY, "[0, 0, 0]",
             "where, in that body"),
    LB_ROW(FLAG, lb_scene_rope_point, "free", free, "false",
           "true: it is fastened to nothing, and only starts there, in the world"),
};
static const lb_table rope_point_table =
    LB_TABLE("point of a rope", lb_scene_rope_point, rope_point_fields, .item = "point");

#define ROPE_SIZE(key, member, dimension, range, standard, about)                                  \
  LB_SIZED(NUMBER, lb_scene_rope, key, member, dimension, range, standard, about)
static const lb_field rope_fields[] = {
    LB_LIST(lb_scene_rope, "through", point, npoint, &rope_point_table, NULL,
            "the points it runs through, in order: {body: ..., at: [...]}, or {free: true, at: "
            "[...]}"),
    LB_SIZED(COUNT, lb_scene_rope, "segments", segments, LB_PURE, LB_POSITIVE_OR_UNSET,
             "10 between two points",
             "how many springs it is made of, spread over the ways between the points by their "
             "lengths"),
    ROPE_SIZE("mass", mass, LB_MASS, LB_POSITIVE, NULL, "what all of it weighs"),
    ROPE_SIZE("stiffness", stiffness, LB_FORCE, LB_NOT_NEGATIVE, NULL,
              "the force that would make it twice as long: modulus times area of its section"),
    ROPE_SIZE("damping", damping, LB_TIME, LB_NOT_NEGATIVE, "0 s",
              "share of the stiffness that resists being stretched: damps fast vibration"),
    ROPE_SIZE("drag", drag, LB_PURE, LB_NOT_NEGATIVE, "0",
              "share of the mass, per second, that resists moving through the world"),
    ROPE_SIZE("slack", slack, LB_PURE, LB_POSITIVE, "1",
              "its length when nothing pulls on it, over that at the start"),
    LB_ROW(FLAG, lb_scene_rope, "pushes", pushes, "false",
           "true: its springs push where they are shorter than that; else it goes slack"),
    ROPE_SIZE("radius", radius, LB_LENGTH, LB_POSITIVE_OR_UNSET, "as springs are drawn",
              "at which it is drawn; its particles collide as balls of it"),
    LB_ROW(FLAG, lb_scene_rope, "solid", solid, "true",
           "its particles collide with rigid shapes, where the scene has 'contacts'"),
    LB_ROW(MATERIAL, lb_scene_rope, "material", material, "dark",
           "what it looks like, and how it rubs"),
};

static bool finish_rope(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_rope* rope = part;
  const lb_yaml* list = lb_yaml_find(node, "through");
  for (int i = 0; ok && i < rope->npoint; i++) {
    if (rope->point[i].free && lb_yaml_find(list->item[i], "body")) {
      ok = lb_complain(r, list->item[i]->place,
                       "a point that is free is fastened to no body (take 'body' or 'free' away)");
    }
  }
  if (!lb_yaml_find(node, "segments")) {
    rope->segments = SEGMENTS * (rope->npoint - 1);
  }
  return ok;
}

// A rope that was moved after it was made has all of its reference.
static void check_made_rope(lb_checker* c, const lb_scene_rope* s) {
  int sum = 0;
  bool good = true;
  for (int k = 0; s->share && k < s->npoint - 1; k++) {
    good = good && s->share[k] >= 1;
    sum += s->share[k];
  }
  for (int k = 0; s->length && k < s->segments; k++) {
    good = good && s->length[k] > 0 && is_size(s->length[k]);
  }
  for (int k = 0; s->start && k <= s->segments; k++) {
    good = good && is_finite(s->start[k]);
  }
  if (!good || (s->share && sum != s->segments)) {
    lb_say(c, ": 'share' must have all segments, one or more for each way, 'length' be positive "
              "and 'start' finite");
  }
}

static void check_rope(lb_checker* c, const void* part) {
  const lb_scene_rope* s = part;
  if (s->npoint < 2) {
    lb_say(c, " runs through %d points; it needs 2 at least", s->npoint);
    return;
  }
  if (s->segments < s->npoint - 1 || s->segments > MOST_SEGMENTS) {
    lb_say(c,
           " has %d segments; it needs one at least between two points, %d in all, and may have %d "
           "at most",
           s->segments, s->npoint - 1, MOST_SEGMENTS);
  }
  for (int i = 0; i < s->npoint; i++) {
    if (!s->point[i].free && s->point[i].body != LB_WORLD) {
      check_body(c, s->point[i].body);
    }
  }
  check_made_rope(c, s);
}

static void init_rope(void* part) {
  *(lb_scene_rope*)part = (lb_scene_rope){.name = "", .segments = SEGMENTS};
}

const lb_table lb_rope_table = LB_TABLE("rope", lb_scene_rope, rope_fields, .init = init_rope,
                                        .finish = finish_rope, .check = check_rope);

lb_scene_rope lb_scene_rope_default(void) {
  lb_scene_rope rope;
  lb_table_default(&lb_rope_table, &rope);
  return rope;
}

// --- deformables ---

// A deformable is soft and every node of it moves: where the author says nothing, few do.
static const double ROUGH = 0.3;

static const lb_field deformable_fields[] = {
    LB_LATER(ONE, "form", &lb_elastic_table, NULL,
             "its mesh and material, as an elastic body has them"),
    LB_SIZED(VECTOR, lb_scene_deformable, "position", pose.p, LB_LENGTH, LB_ANY, "[0, 0, 0]",
             "where the mesh starts, in the world"),
    LB_ROW(ROTATION, lb_scene_deformable, "rotation", pose.q, "none", "how it is turned then"),
    LB_LATER(BODIES, "attach", NULL, "nothing",
             "rigid bodies: nodes of the mesh that start inside their shapes are fastened to them"),
    LB_SIZED(NUMBER, lb_scene_deformable, "within", within, LB_LENGTH, LB_NOT_NEGATIVE, "0 m",
             "nodes that start nearer to those shapes than this are fastened, too"),
    LB_LATER(FILE, "surface", NULL, "the mesh's own",
             "an .obj or .stl file in the frame of the mesh that is carried along and drawn "
             "instead"),
};

static bool read_bodies(lb_reader* r, const lb_yaml* list, lb_scene_deformable* deformable) {
  static const lb_field one = {.key = "attach", .value = LB_VALUE_ONE_BODY};
  deformable->nbody = list ? list->count : 0;
  deformable->body = list ? lb_read_array(r, list, &one, sizeof *deformable->body) : NULL;
  return !list || deformable->body;
}

static bool read_surface(lb_reader* r, const lb_yaml* file, lb_scene_deformable* deformable) {
  const char* path = lb_find_file(r, file);
  lb_mesh* mesh = LB_TAKE(r->keep, lb_mesh, 1);
  deformable->surface = mesh;
  return path && (mesh || lb_lack(r)) &&
         lb_note(r, lb_mesh_read(path, file->place, r->keep, mesh, r->report.err));
}

// Keys of an elastic body's form that deformables have no use for.
static const lb_key_rule form_rules[] = {
    {"order", 0, "a deformable has elements of order 1 (take 'order' away)"},
    {"basis", 0, "every node of a deformable moves, and there is no basis (take it away)"},
    {"fine", 0, "every node of a deformable moves always (give 'elements')"},
};

static bool finish_deformable(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  lb_scene_deformable* d = part;
  const lb_yaml *form = lb_yaml_find(node, "form"), *surface = lb_yaml_find(node, "surface");
  lb_scene_elastic read = lb_scene_elastic_default();
  read.material = -1;
  read.order = 1;
  read.accuracy = ROUGH;
  read.modes = read.derivatives = 0;
  if (!form || !lb_read_part(r, form, "form", &lb_elastic_table, &read) || !ok ||
      !lb_keys_hold(r, form, form_rules, LB_COUNT_OF(form_rules), 0)) {
    return false;
  }
  d->form = lb_finish_elastic(r, form, &read);
  ok = d->form != NULL;
  ok &= read_bodies(r, lb_yaml_find(node, "attach"), d);
  return (!surface || read_surface(r, surface, d)) && ok;
}

static void check_deformable(lb_checker* c, const void* part) {
  const lb_scene_deformable* s = part;
  lb_check_form(c, s->form);
  for (int k = 0; k < (s->form->nregion ? s->form->nregion : 1); k++) {
    const int i = lb_elastic_material(s->form, k);
    const char* model = i >= 0 && i < c->s->nmaterial ? c->s->material[i].model : NULL;
    if (model && strcmp(model, "linear") == 0) {
      lb_say(c,
             ": material '%s' has the material model 'linear', which takes turning for strain "
             "(choose corotated)",
             c->s->material[i].name);
    }
  }
  for (int k = 0; k < s->nbody; k++) {
    check_body(c, s->body[k]);
    for (int i = 0; i < k; i++) {
      if (s->body[i] == s->body[k]) {
        lb_say(c, " is attached to body '%s' twice", c->s->body[s->body[k]].name);
      }
    }
  }
}

const lb_table lb_deformable_table =
    LB_TABLE("deformable", lb_scene_deformable, deformable_fields, .finish = finish_deformable,
             .check = check_deformable);
