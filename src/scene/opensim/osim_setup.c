// Opening and closing of setups, and external loads.
#include "scene/opensim/osim_setup.h"

#include <string.h>

#include "geom/mesh/file_load.h"

// --- files ---

static const char* folder_of(lb_arena* arena, const char* path) {
  const char* slash = strrchr(path, '/');
  return lb_arena_text(arena, path, slash ? (size_t)(slash - path) + 1 : 0);
}

static lb_xml* find_any(lb_xml* root, const char* const* element) {
  for (int i = 0; element[i]; i++) {
    lb_xml* found = strcmp(root->tag, element[i]) == 0 ? root : lb_xml_find(root, element[i]);
    if (found) {
      return found;
    }
  }
  return NULL;
}

// An element of this name must be in the file.
static void find_element(lb_setup* s, const char* const* element) {
  int count = 0;
  while (element[count]) {
    count++;
  }
  const lb_xml* set = lb_osim_lone_set(s->root);
  s->o.model = find_any(s->root, element);
  if (!s->o.model && set) {
    lb_complain(&s->r, set->place,
                "<%.60s> is a set, which belongs to a model (in a scene, 'include' the model and "
                "name this file under 'opensim: {sets: [...]}')",
                set->tag);
    return;
  }
  if (!s->o.model) {
    lb_complain(&s->r, s->root->place, "there must be an element %s in <%.60s>",
                lb_join(&s->r, " or ", element, count), s->root->tag);
    return;
  }
  s->o.defaults = lb_xml_find(s->o.model, "defaults");
}

static lb_status no_memory(lb_error* err) {
  return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a setup");
}

static lb_status give_up(lb_setup* s) {
  const lb_status status = s->r.no_memory ? no_memory(s->r.report.err) : s->r.report.status;
  lb_arena_release(&s->r.scratch);
  return status;
}

lb_status lb_setup_open(lb_setup* s, const char* path, const char* const* element, lb_arena* arena,
                        lb_error* err) {
  char* text = NULL;
  size_t size = 0;
  *s = (lb_setup){.r = {.keep = arena, .report = lb_report_make(err), .subject = ""}};
  s->o.r = &s->r;
  s->file = lb_arena_text(arena, path, strlen(path));
  s->folder = folder_of(arena, path);
  lb_status status = s->file && s->folder ? LB_OK : no_memory(err);
  lb_arena_init(&s->r.scratch, arena->allocator);
  if (status == LB_OK) {
    status = lb_load(path, "setup", (lb_place){0}, &s->r.scratch, &text, &size, err);
  }
  if (status != LB_OK) {
    lb_arena_release(&s->r.scratch);
    return status;
  }
  // places of the elements outlive the scratch
  s->root = lb_xml_parse(text, size, s->file, arena, &s->r.report, &s->r.no_memory);
  if (s->root) {
    find_element(s, element);
  }
  return s->root && s->o.model && !s->r.no_memory ? LB_OK : give_up(s);
}

lb_status lb_setup_close(lb_setup* s, int* nnote, const lb_message** notes) {
  if (s->r.report.status == LB_OK && !s->r.no_memory) {
    lb_osim_report_missed(&s->o);
  }
  *nnote = s->r.nnote;
  *notes = s->r.note;
  const bool lacks = s->r.no_memory || lb_arena_status(s->r.keep) != LB_OK;
  const lb_status status = lacks ? no_memory(s->r.report.err) : s->r.report.status;
  lb_arena_release(&s->r.scratch);
  return status;
}

static bool is_none(const char* text) {
  return !*text || strcmp(text, "Unassigned") == 0;
}

lb_osim_file lb_setup_file(lb_setup* s, lb_xml* object, const char* tag) {
  const lb_xml* property = lb_osim_property(&s->o, object, tag);
  const lb_osim_file none = {NULL, property ? property->place : object->place};
  const char* name = lb_osim_word(&s->o, object, tag);
  if (is_none(name)) {
    return none;
  }
  const size_t length = strlen(s->folder) + strlen(name) + 1;
  char* path = LB_TAKE(s->r.keep, char, length);
  if (!path) {
    lb_lack(&s->r);
    return none;
  }
  const bool absolute = *name == '/';
  strcpy(path, absolute ? "" : s->folder);
  return (lb_osim_file){strcat(path, name), none.place};
}

// --- external loads ---

// Word of a property, or NULL where it is not there.
static const char* word(lb_setup* s, lb_xml* object, const char* tag) {
  const char* text = lb_osim_word(&s->o, object, tag);
  return is_none(text) ? NULL : lb_arena_text(s->r.keep, text, strlen(text));
}

// Name of a body as models have it; NULL: the ground.
static const char* body_name(lb_setup* s, lb_xml* object, const char* tag) {
  const char* text = lb_osim_last(lb_osim_word(&s->o, object, tag));
  if (is_none(text) || strcmp(text, "ground") == 0) {
    return NULL;
  }
  const char* name = lb_osim_name(&s->o, text);
  return lb_arena_text(s->r.keep, name, strlen(name));
}

static void read_force(lb_setup* s, lb_xml* e, lb_osim_loads* out, int* capacity) {
  const bool on =
      lb_osim_flag(&s->o, e, "appliesForce", true) && !lb_osim_flag(&s->o, e, "isDisabled", false);
  lb_osim_word(&s->o, e, "data_source_name"); // of a storage in memory: it cannot be in a file
  const lb_load_columns made = {.name = e->name,
                                .place = e->place,
                                .body = body_name(s, e, "applied_to_body"),
                                .force_in = body_name(s, e, "force_expressed_in_body"),
                                .point_in = body_name(s, e, "point_expressed_in_body"),
                                .force = word(s, e, "force_identifier"),
                                .point = word(s, e, "point_identifier"),
                                .torque = word(s, e, "torque_identifier")};
  if (!on) {
    return;
  }
  if (!made.body) {
    lb_complain(&s->r, e->place, "<ExternalForce> '%.60s' must name a body in <applied_to_body>",
                e->name);
  } else if (!made.force && !made.torque) {
    lb_complain(&s->r, e->place,
                "<ExternalForce> '%.60s' must name columns in <force_identifier> or "
                "<torque_identifier>",
                e->name);
  }
  lb_load_columns* grown = LB_GROW(s->r.keep, out->item, out->count, capacity);
  if (!grown) {
    lb_lack(&s->r);
    return;
  }
  out->item = grown;
  out->item[out->count++] = made;
}

lb_status lb_osim_loads_read(const char* path, lb_arena* arena, lb_osim_loads* loads,
                             lb_error* err) {
  static const char* const ELEMENT[] = {"ExternalLoads", NULL};
  lb_setup s;
  lb_osim_loads made = {0};
  int capacity = 0;
  const lb_status opened = lb_setup_open(&s, path, ELEMENT, arena, err);
  if (opened != LB_OK) {
    return opened;
  }
  for (lb_xml* e = lb_osim_first(&s.o, s.o.model, NULL); e; e = e->next) {
    if (strcmp(e->tag, "ExternalForce") == 0) {
      e->seen = true;
      read_force(&s, e, &made, &capacity);
    }
  }
  lb_osim_number(&s.o, s.o.model, "lowpass_cutoff_frequency_for_load_kinematics", -1);
  made.data = lb_setup_file(&s, s.o.model, "datafile");
  if (made.count == 0) {
    lb_complain(&s.r, s.o.model->place, "there is no <ExternalForce> that acts");
  } else if (!made.data.path) {
    lb_complain(&s.r, made.data.place, "<datafile> must name the table of the forces");
  }
  const lb_status status = lb_setup_close(&s, &made.nnote, &made.note);
  if (status == LB_OK) {
    *loads = made;
  }
  return status;
}
