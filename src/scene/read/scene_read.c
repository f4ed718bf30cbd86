// From a file or a text to a checked scene.
#include <string.h>

#include "scene/part/part.h"

// --- entries ---

// Names end up in tables and on pictures: letters, digits, spaces, dots, dashes and underscores.
static bool is_good_name(const char* name) {
  for (const char* s = name; *s; s++) {
    const unsigned char c = (unsigned char)*s;
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
    if (!letter && !(c >= '0' && c <= '9') && !strchr(" .-_", c)) {
      return false;
    }
  }
  return *name && strlen(name) <= 64 && strcmp(name, "world") != 0;
}

bool lb_begin_entry(lb_reader* r, const lb_entry* entry, const char* word) {
  r->folder = entry->folder;
  r->subject = "";
  if (!entry->name) {
    return true;
  }
  const char* name = entry->name->text;
  if (!is_good_name(name)) {
    lb_complain(r, entry->name->place,
                strcmp(name, "world") == 0
                    ? "a %s cannot be called '%s': that is the ground"
                    : "a %s cannot be called '%s' (use up to 64 letters, digits, spaces and . - _)",
                word, name);
  }
  r->subject = lb_compose(r, "%s '%.64s'", word, name);
  return is_good_name(name);
}

const char* lb_keep_name(lb_reader* r, const lb_entry* entry) {
  const char* copy = lb_arena_text(r->keep, entry->name->text, strlen(entry->name->text));
  return copy ? copy : (lb_lack(r), "");
}

// --- the whole ---

// In an order in which every name is known before it can be mentioned.
void lb_read_sections(lb_reader* r) {
  static void (*const own[LB_SCENE_KEYS])(lb_reader*) = {
      [LB_SCENE_LINKAGES] = lb_read_linkages, [LB_SCENE_SCENERY] = lb_read_scenery,
      [LB_SCENE_JOINTS] = lb_read_joints,     [LB_SCENE_PROFILES] = lb_read_profiles,
      [LB_SCENE_INITIAL] = lb_read_initial,   [LB_SCENE_FIT] = lb_read_fit,
      [LB_SCENE_RETARGET] = lb_read_retarget, [LB_SCENE_OPTIMIZE] = lb_read_optimize,
      [LB_SCENE_OPENSIM] = lb_read_opensim,   [LB_SCENE_COLLOCATE] = lb_read_collocate,
  };
  for (int key = 0; key < LB_SCENE_KEYS && !r->no_memory; key++) {
    if (own[key]) {
      own[key](r);
    } else if (lb_scene_sections[key].table) {
      lb_read_section(r, key);
    }
  }
  r->subject = "";
}

const lb_yaml* lb_given(const lb_reader* r, int setting, const char* key) {
  return r->given[setting] ? lb_yaml_find(r->given[setting], key) : NULL;
}

const lb_yaml* lb_given_map(const lb_reader* r, int setting, const char* key) {
  const lb_yaml* node = lb_given(r, setting, key);
  return node && (lb_is_map(node) || lb_is_null(node)) ? node : NULL;
}

// "pendulum" of "scenes/pendulum.yaml"
static const char* title_of(lb_reader* r, const char* path) {
  const char* slash = strrchr(path, '/');
  const char* base = slash ? slash + 1 : path;
  const char* dot = strrchr(base, '.');
  const char* copy =
      lb_arena_text(r->keep, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
  return copy ? copy : (lb_lack(r), "");
}

static void begin(lb_reader* r) {
  r->subject = r->folder = "";
  r->scene = lb_scene_default();
  r->scene.solver.integrator = LB_INTEGRATOR_COUNT; // stays when none is named
}

// The one that was named, or one that suits the bodies and what is to be done with them.
static void choose_integrator(lb_reader* r) {
  const lb_scene* s = &r->scene;
  bool stiff = s->nrope + s->ndeformable > 0 || r->given[LB_SCENE_OPTIMIZE];
  for (int i = 0; i < s->nmuscle; i++) { // fibres are far faster than bodies
    stiff = stiff || (s->muscle[i].hill.model != LB_HILL_NONE && s->muscle[i].hill.elastic &&
                      s->muscle[i].hill.slack > 0);
  }
  for (int i = 0; i < s->nbody; i++) {
    stiff = stiff || s->body[i].elastic;
  }
  bool servo = false;
  for (int i = 0; i < s->nmotor; i++) {
    servo = servo || s->motor[i].drive == LB_DRIVE_SERVO;
  }
  if (s->solver.integrator == LB_INTEGRATOR_COUNT) {
    r->scene.solver.integrator = r->scene.contacts.on || servo ? LB_INTEGRATOR_LINEAR_EULER
                                 : stiff                       ? LB_INTEGRATOR_BDF2
                                                               : LB_INTEGRATOR_RK4;
  }
}

// Below the first rounding has the say, above the second an error may be as large as the motion.
static const double LEAST_TOLERANCE = 1e-14, MOST_TOLERANCE = 1e-2;

static bool has_tolerance(lb_integrator i) {
  const lb_method method = lb_integrator_method(i);
  return method == LB_METHOD_IMPLICIT || method == LB_METHOD_ADAPTIVE;
}

// A tolerance that was written is one that does something.
static void check_tolerance(lb_reader* r) {
  const lb_scene_solver* solver = &r->scene.solver;
  const lb_yaml* tolerance = lb_given(r, LB_SCENE_SOLVER, "tolerance");
  if (!tolerance || !(solver->tolerance > 0)) {
    return;
  }
  if (!has_tolerance(solver->integrator)) {
    lb_complain(r, tolerance->place,
                "integrator '%s' takes steps of a given size without iterations, and has no use "
                "for 'tolerance' (take it away, or choose bdf1, bdf2, sdirk2 or adaptive)",
                lb_integrator_name(solver->integrator));
  } else if (solver->tolerance < LEAST_TOLERANCE || solver->tolerance > MOST_TOLERANCE) {
    lb_complain(r, tolerance->place,
                "'tolerance' must be from %g to %g, not %g: %s (leave it out, or try 1e-9)",
                LEAST_TOLERANCE, MOST_TOLERANCE, solver->tolerance,
                solver->tolerance < LEAST_TOLERANCE ? "rounding does not let errors become so small"
                                                    : "errors would be as large as the motion");
  }
}

// The pace of gaps is reported where it stands.
static void check_closing(lb_reader* r) {
  lb_scene_solver* solver = &r->scene.solver;
  const lb_yaml* closing = lb_given(r, LB_SCENE_SOLVER, "closing");
  if (closing && solver->closing > 0 &&
      lb_integrator_method(solver->integrator) != LB_METHOD_LINEAR) {
    lb_complain(r, closing->place, LB_CLOSING_MESSAGE, lb_integrator_name(solver->integrator));
    solver->closing = 0; // once is enough
  }
}

static void finish_settings(lb_reader* r, const char* path) {
  const lb_yaml* solver = r->given[LB_SCENE_SOLVER];
  lb_scene* scene = &r->scene;
  scene->name = scene->name ? scene->name : title_of(r, path);
  scene->about = scene->about ? scene->about : "";
  scene->file = path;
  scene->solver.place = solver ? solver->place : (lb_place){path, 1, 1};
}

static const char* keep_text(lb_reader* r, const char* text) {
  return text ? lb_arena_text(r->keep, text, strlen(text)) : NULL;
}

// Copy of where the scene comes from, its own file as it was read.
static void keep_origin(lb_reader* r, const lb_scene_origin* from, const char* path,
                        const char* motors) {
  lb_scene_origin* to = LB_TAKE(r->keep, lb_scene_origin, 1);
  const char** set = LB_TAKE(r->keep, const char*, from->nset + 1);
  bool ok = to && set;
  for (int i = 0; ok && i < from->nset; i++) {
    set[i] = keep_text(r, from->set[i]);
    ok = set[i];
  }
  if (!ok) {
    lb_lack(r);
    return;
  }
  *to = *from;
  to->name = path;
  to->text = r->scene.text;
  to->length = strlen(r->scene.text);
  to->motors = motors;
  to->set = set;
  r->scene.origin = to;
}

static void read_all(lb_reader* r, const lb_scene_origin* from) {
  const char* path = keep_text(r, from->name);
  const char* motors = keep_text(r, from->motors);
  if (!path || (from->motors && !motors)) {
    lb_lack(r);
    return;
  }
  begin(r);
  if (from->text) {
    lb_gather_text(r, from->text, from->length, path);
  } else {
    lb_gather_file(r, path, NULL);
  }
  // nothing could be gathered, or a model is missing: names of it would all be unknown
  if (r->no_memory || !r->gathered || r->incomplete || (motors && !lb_gather_motors(r, motors))) {
    return;
  }
  for (int i = 0; i < from->nset; i++) {
    lb_set_value(r, from->set[i]);
  }
  finish_settings(r, path);
  keep_origin(r, from, path, motors);
  lb_read_sections(r);
  lb_start_linkages(r);
  choose_integrator(r);
  check_tolerance(r);
  check_closing(r);
  if (!r->no_memory) {
    lb_scene_examine(&r->scene, &r->report, r->broken, &r->scratch, &r->no_memory);
  }
}

lb_status lb_scene_open(const lb_scene_origin* from, const lb_allocator* allocator, lb_scene* scene,
                        lb_error* err) {
  const lb_place place = {from->name, 0, 0};
  lb_arena* keep = lb_allocate(allocator, sizeof *keep);
  if (!keep) {
    return lb_error_add(err, LB_NO_MEMORY, place, "there is not enough memory");
  }
  lb_arena_init(keep, allocator);
  lb_reader r = {.keep = keep, .report = lb_report_make(err), .no_files = from->no_files};
  lb_arena_init(&r.scratch, allocator);
  read_all(&r, from);
  lb_arena_release(&r.scratch);
  if (!r.no_memory && r.report.status == LB_OK) {
    *scene = r.scene;
    scene->nnote = r.nnote;
    scene->note = r.note;
    scene->storage = keep;
    return LB_OK;
  }
  lb_report_sort(&r.report);
  lb_arena_release(keep);
  lb_release(allocator, keep);
  return r.no_memory ? lb_error_add(err, LB_NO_MEMORY, place, "there is not enough memory")
                     : r.report.status;
}

lb_status lb_scene_read(const char* path, const lb_allocator* allocator, lb_scene* scene,
                        lb_error* err) {
  return lb_scene_open(&(lb_scene_origin){.name = path}, allocator, scene, err);
}

lb_status lb_scene_parse(const char* text, size_t length, const char* name,
                         const lb_allocator* allocator, lb_scene* scene, lb_error* err) {
  const lb_scene_origin from = {.name = name, .text = text, .length = length};
  return lb_scene_open(&from, allocator, scene, err);
}

lb_status lb_scene_parse_alone(const char* text, size_t length, const char* name,
                               const lb_allocator* allocator, lb_scene* scene, lb_error* err) {
  const lb_scene_origin from = {.name = name, .text = text, .length = length, .no_files = true};
  return lb_scene_open(&from, allocator, scene, err);
}

void lb_scene_release(lb_scene* scene) {
  lb_arena* arena = scene->storage;
  *scene = lb_scene_default();
  if (arena) {
    const lb_allocator* allocator = arena->allocator;
    lb_arena_release(arena);
    lb_release(allocator, arena);
  }
}
