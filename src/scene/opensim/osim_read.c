// A whole model, and what of it was not read.
#include <string.h>

#include "scene/opensim/osim.h"

// --- what was not read ---

// Looks, remarks of authors, and what says the same again: nobody misses them.
static const char* const SILENT[] = {
    "credits",
    "publications",
    "length_units",
    "force_units",
    "groups",
    "VisibleObject",
    "Appearance",
    "FrameGeometry",
    "GeometrySet",
    "attached_geometry",
    "geometry_files",
    "ModelVisualPreferences",
    "DisplayGeometry",
    "default_color",
    "Mesh",
    "datafile",
    "color",
    "display",
    "show_axes",
    "display_preference",
    "inertia_xx",
    "inertia_yy",
    "inertia_zz",
    "inertia_xy",
    "inertia_xz",
    "inertia_yz",
    "defaults",
    "assembly_accuracy",
    "visible",
    "radius_of_gyration",
    "prescribed_function",
};

// Elements that were not asked for, by what they are in.
typedef struct missed {
  const char *tag, *in;
  lb_place place;
  int count;
} missed;

typedef struct sweep {
  lb_osim* o;
  missed* list;
  int count, capacity;
} sweep;

static bool is_silent(const lb_xml* e) {
  bool silent = !e->first && !*e->text && !*e->name; // nothing in it
  for (int i = 0; i < LB_COUNT_OF(SILENT) && !silent; i++) {
    silent = strcmp(e->tag, SILENT[i]) == 0;
  }
  return silent;
}

// Is there anything in it but empty lists?
static bool has_content(const lb_xml* e) {
  bool any = *e->text != 0;
  for (const lb_xml* c = e->first; c && !any; c = c->next) {
    any = !is_silent(c) && (has_content(c) || *c->name);
  }
  return any;
}

static void miss(sweep* s, const lb_xml* e) {
  const char* in = e->parent ? e->parent->tag : "";
  for (int i = 0; i < s->count; i++) {
    if (strcmp(s->list[i].tag, e->tag) == 0 && strcmp(s->list[i].in, in) == 0) {
      s->list[i].count++;
      return;
    }
  }
  missed* grown = LB_GROW(&s->o->r->scratch, s->list, s->count, &s->capacity);
  if (!grown) {
    lb_lack(s->o->r);
    return;
  }
  s->list = grown;
  s->list[s->count++] = (missed){e->tag, in, e->place, 1};
}

// Lists of frames and objects are looked through.
static bool is_list(const lb_xml* e) {
  return strcmp(e->tag, "objects") == 0 || strcmp(e->tag, "frames") == 0 ||
         strcmp(e->tag, "components") == 0;
}

static void look(sweep* s, const lb_xml* in) {
  for (const lb_xml* e = in->first; e; e = e->next) {
    if (is_silent(e)) {
      continue;
    }
    if (e->seen || is_list(e)) {
      look(s, e);
    } else if (has_content(e) || (*e->name && is_list(in))) {
      miss(s, e);
    }
  }
}

void lb_osim_report_missed(lb_osim* o) {
  sweep s = {.o = o};
  look(&s, o->model);
  for (int i = 0; i < s.count; i++) {
    const missed* m = &s.list[i];
    const bool object = strcmp(m->in, "objects") == 0 || strcmp(m->in, "components") == 0;
    lb_remark(o->r, m->place,
              lb_compose(o->r,
                         m->count > 1 ? "<%.60s>%s%.60s is not read (%d of them, this is the "
                                        "first)"
                                      : "<%.60s>%s%.60s is not read",
                         m->tag, object ? "" : " of ", object ? "" : m->in, m->count));
  }
}

// --- the whole ---

static void read_gravity(lb_osim* o) {
  lb_xml* at = lb_osim_property(o, o->model, "gravity");
  const lb_vec3 g = lb_osim_vector(o, o->model, "gravity", lb_vec3_make(0, -9.80665, 0));
  const lb_place place = at ? at->place : o->model->place;
  lb_node_put(o, o->scene, "gravity", lb_node_vector(o, place, lb_vec3_make(g.x, -g.z, g.y)));
}

static bool find_model(lb_osim* o, lb_xml* root) {
  lb_xml* model = strcmp(root->tag, "Model") == 0 ? root : lb_xml_find(root, "Model");
  if (!model) {
    const bool ours = strcmp(root->tag, "OpenSimDocument") == 0;
    return lb_complain(o->r, root->place,
                       ours ? "there is no <Model> in <%.60s>" : "<%.60s> is no model of OpenSim",
                       root->tag);
  }
  o->model = model;
  o->defaults = lb_xml_find(model, "defaults");
  return true;
}

lb_yaml* lb_osim_parse(lb_reader* r, const char* text, size_t length, const char* file) {
  lb_osim o = {.r = r};
  const lb_status before = r->report.status;
  lb_xml* root = lb_xml_parse(text, length, file, &r->scratch, &r->report, &r->no_memory);
  if (!root || !find_model(&o, root) || !lb_osim_add_sets(&o)) {
    return NULL;
  }
  const lb_place place = o.model->place;
  o.scene = lb_node_map(&o, place);
  if (*o.model->name) {
    lb_node_put(&o, o.scene, "name", lb_node_text(&o, place, o.model->name));
  }
  read_gravity(&o);
  lb_osim_gather_frames(&o);
  lb_osim_bodies(&o);
  lb_osim_joints(&o);
  lb_osim_looks(&o);
  lb_osim_constraints(&o);
  lb_osim_start(&o);
  lb_osim_markers(&o);
  lb_osim_wraps(&o);
  lb_osim_forces(&o);
  lb_osim_report_notes(&o);
  lb_osim_report_names(&o);
  lb_osim_report_missed(&o);
  const bool ok = r->report.status == before && !r->no_memory;
  return ok ? o.scene : NULL;
}
