// Files, what they include, and the entries of their sections laid side by side.
#define _GNU_SOURCE // strerror_r that returns the text
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/read_all.h"
#include "scene/opensim/osim.h"
#include "scene/part/part.h"
#include "scene/table/number_table.h"

enum { FORMAT_VERSION = 1, DEEPEST_INCLUDE = 16, MOST_SOURCES = 1000 };

// Name of a section's entries.
static const char* entry_word(int key) {
  return lb_scene_sections[key].word ? lb_scene_sections[key].word
         : key == LB_SCENE_INITIAL   ? "start"
                                     : "scenery";
}

static const char* resolve_path(lb_reader* r, const char* path) {
  if (*path == '/') {
    return path;
  }
  const size_t before = strlen(r->folder), length = strlen(path);
  char* whole = LB_TAKE(r->keep, char, before + length + 1);
  if (!whole) {
    lb_lack(r);
    return NULL;
  }
  memcpy(whole, r->folder, before);
  memcpy(whole + before, path, length + 1);
  return whole;
}

// "arm/" of "arm/elbow.yaml"
static const char* folder_of(lb_reader* r, const char* path) {
  const char* slash = strrchr(path, '/');
  const char* folder = lb_arena_text(&r->scratch, path, slash ? (size_t)(slash - path) + 1 : 0);
  return folder ? folder : (lb_lack(r), "");
}

static const char* ending(const char* name) {
  const char* dot = strrchr(name, '.');
  return dot && dot > name ? dot : name + strlen(name);
}

static bool is_osim(const char* path) {
  return strcasecmp(ending(path), ".osim") == 0;
}

// --- entries ---

// A name that is already there: in the same mapping YAML's own check has reported it.
static bool defined_before(lb_reader* r, int key, const char* word, const lb_yaml* name,
                           int start) {
  lb_entries* all = &r->section[key];
  const int before = lb_names_find(&all->names, name->text, -1);
  if (before >= 0 && before < start && key != LB_SCENE_INITIAL) {
    const lb_place first = all->entry[before].name->place;
    const bool same_file = strcmp(first.file, name->place.file) == 0;
    if (same_file && first.line == name->place.line && first.column == name->place.column) {
      lb_complain(r, name->place,
                  "%s '%s' is made again at every repetition (put (n) into its name)", word,
                  name->text);
    } else {
      lb_complain(r, name->place,
                  "%s '%s' is defined twice; the first is at %s:%d:%d (remove or rename one)", word,
                  name->text, first.file, first.line, first.column);
    }
  }
  return before >= 0;
}

static bool add_entry(lb_reader* r, int key, const lb_yaml* name, const lb_yaml* value) {
  lb_entries* all = &r->section[key];
  void* grown = LB_GROW(&r->scratch, all->entry, all->count, &all->capacity);
  if (!grown || (name && !lb_names_add(&all->names, &r->scratch, name->text, all->count))) {
    return lb_lack(r);
  }
  all->entry = grown;
  all->entry[all->count++] = (lb_entry){name, value, r->folder};
  return true;
}

static bool gather_entries(lb_reader* r, int key, const char* word, const lb_yaml* node) {
  lb_entries* all = &r->section[key];
  const int start = all->count;
  for (int i = 0; i < node->count; i++) {
    const lb_yaml* name = lb_is_map(node) ? node->key[i] : NULL;
    if (name && defined_before(r, key, word, name, start)) {
      // a later start replaces an earlier one: a scene may start what it includes in its own way
      const int before = lb_names_find(&all->names, name->text, -1);
      if (key == LB_SCENE_INITIAL) {
        all->entry[before] = (lb_entry){name, node->item[i], r->folder};
      }
      continue;
    }
    if (!add_entry(r, key, name, node->item[i])) {
      return false;
    }
  }
  return true;
}

bool lb_gather_sections(lb_reader* r, const lb_yaml* const* section) {
  bool ok = true;
  for (int key = LB_SCENE_MATERIALS; ok && key <= LB_SCENE_FORK; key++) {
    ok = key == LB_SCENE_REPEAT || !section[key] ||
         gather_entries(r, key, entry_word(key), section[key]);
  }
  return ok;
}

// --- one text ---

static bool gather_all_includes(lb_reader* r, const lb_yaml* root) {
  const lb_yaml* node = lb_yaml_find(root, "include");
  bool ok = true;
  if (node && lb_is_scalar(node) && *node->text) {
    ok = lb_gather_file(r, resolve_path(r, node->text), node);
  }
  for (int i = 0; node && i < node->count && lb_is_list(node); i++) {
    const lb_yaml* path = node->item[i];
    if (lb_is_scalar(path) && *path->text) {
      ok &= lb_gather_file(r, resolve_path(r, path->text), path);
    }
  }
  return ok;
}

// A model among them, or among theirs, takes the sets that are named here.
static bool gather_includes(lb_reader* r, const lb_yaml* root) {
  const lb_yaml *opensim = lb_yaml_find(root, "opensim"), *outer = r->sets;
  const lb_yaml* sets = opensim && lb_is_map(opensim) ? lb_yaml_find(opensim, "sets") : NULL;
  const char* folder = r->sets_folder;
  if (!sets) {
    return gather_all_includes(r, root);
  }
  r->sets = sets;
  r->sets_folder = r->folder;
  bool ok = gather_all_includes(r, root);
  if (ok && r->sets) {
    ok = lb_complain(r, sets->place, "'sets' are of a model of OpenSim's, and no 'include' is one");
  }
  r->sets = outer;
  r->sets_folder = folder;
  return ok;
}

static bool check_version(lb_reader* r) {
  const lb_yaml* version = r->given[LB_SCENE_LIMBER];
  return !version || r->version == FORMAT_VERSION ||
         lb_complain(r, version->place,
                     "the scene is written in version %d of the format; this program reads "
                     "version %d",
                     r->version, FORMAT_VERSION);
}

// Not a scene: a table that belongs behind it. Tables of cells are known by their name alone.
static bool is_table(lb_reader* r, const char* text, size_t length, const char* file) {
  static const char* const WORDS[] = {
      [LB_TABLE_CELLS] = "numbers", [LB_TABLE_MOTION] = "numbers", [LB_TABLE_MARKERS] = "markers"};
  const lb_table_kind kind = lb_table_kind_of(text, length);
  const bool table = kind != LB_TABLE_CELLS || (file && lb_path_has(file, ".csv"));
  if (table) {
    lb_complain(r, (lb_place){file, 1, 1},
                "this is a table of %s, not a scene or model (the model comes first, the table "
                "behind it)",
                WORDS[kind]);
  }
  return table;
}

// Nor a document of OpenSim's that is no model.
static bool is_xml(lb_reader* r, const char* text, size_t length, const char* file) {
  if (!file || !lb_path_has(file, ".xml")) {
    return false;
  }
  lb_xml* root = lb_xml_parse(text, length, file, &r->scratch, &r->report, &r->no_memory);
  const lb_xml* set = root ? lb_osim_lone_set(root) : NULL;
  if (set) {
    lb_complain(r, set->place,
                "<%.60s> is a set, which belongs to a model (include the model, and name this file "
                "under 'opensim: {sets: [...]}')",
                set->tag);
  } else if (root) {
    lb_complain(r, root->place, "<%.60s> is neither a scene nor a model (models end in .osim)",
                (root->first ? root->first : root)->tag);
  }
  return true;
}

bool lb_gather_text(lb_reader* r, const char* text, size_t length, const char* path) {
  const char* outer = r->folder;
  const char* kept = path ? lb_arena_text(r->keep, path, strlen(path)) : NULL; // places name it
  const bool outermost = !r->scene.text;
  if (outermost) { // the scene itself comes before what it includes
    r->scene.text = lb_arena_text(r->keep, text, length);
  }
  if ((path && !kept) || !r->scene.text) {
    return lb_lack(r);
  }
  if (!is_osim(path) && (is_table(r, text, length, kept) || is_xml(r, text, length, kept))) {
    return false;
  }
  r->folder = folder_of(r, path);
  const lb_yaml* root =
      is_osim(path) ? lb_osim_parse(r, text, length, kept)
                    : lb_yaml_parse(text, length, kept, &r->scratch, &r->report, &r->no_memory);
  bool ok = root != NULL;
  if (ok && outermost && is_osim(path)) {
    r->scene.converted = lb_yaml_write(root, r->keep);
    ok = r->scene.converted || lb_lack(r);
  }
  if (ok) {
    lb_rename_keys(r, root, &lb_scene_table);
    ok = gather_includes(r, root);
    // settings of included files hold until this file says otherwise, but for its title
    const lb_yaml* section[LB_SCENE_KEYS];
    r->scene.name = r->scene.about = NULL;
    r->given[LB_SCENE_LIMBER] = NULL;
    for (int key = 0; key < LB_SCENE_KEYS; key++) {
      const lb_yaml* node = lb_yaml_find(root, lb_scene_table.field[key].key);
      const bool list = lb_scene_table.field[key].value == LB_VALUE_LIST;
      section[key] = (list ? lb_is_list(node) : lb_is_map(node)) ? node : NULL; // else reported
      r->given[key] = node ? node : r->given[key];
    }
    r->gathered = true;
    ok &= lb_read_table(r, root, &lb_scene_table, r);
    ok &= check_version(r);
    ok &= lb_gather_sections(r, section);
    ok &= !section[LB_SCENE_REPEAT] || lb_gather_repeat(r, section[LB_SCENE_REPEAT]);
  }
  r->folder = outer;
  return ok;
}

// --- files ---

static const char TOO_LARGE[] = "it is larger than 64 MB (put large parts into meshes)";

static bool cannot_read(lb_reader* r, const char* path, const lb_yaml* mention, const char* why) {
  const lb_place place = mention ? mention->place : (lb_place){path, 0, 0};
  lb_report_add(&r->report, LB_IO, place, mention ? "cannot read '%s': %s" : "%.0s%s", path, why);
  return false;
}

// All of a file of bearable size into scratch memory; a reason in words when it cannot be.
static const char* load(lb_reader* r, FILE* file, char** text, size_t* length) {
  const char* why = NULL;
  const lb_status status = lb_read_all(file, LB_YAML_LONGEST_TEXT, &r->scratch, text, length, &why);
  if (status == LB_NO_MEMORY) {
    lb_lack(r);
  }
  return status == LB_INVALID ? TOO_LARGE : status == LB_IO ? why : NULL;
}

// Index of this file among those met before; -1: new.
static int find_source(const lb_reader* r, const struct stat* status) {
  for (int i = 0; i < r->nsource; i++) {
    if (r->source[i].device == status->st_dev && r->source[i].inode == status->st_ino) {
      return i;
    }
  }
  return -1;
}

static bool gather_source(lb_reader* r, const char* path, const char* text, size_t length,
                          const struct stat* status) {
  void* grown = LB_GROW(&r->scratch, r->source, r->nsource, &r->source_capacity);
  if (!grown) {
    return lb_lack(r);
  }
  r->source = grown;
  const int me = r->nsource++;
  r->source[me] = (lb_source){status->st_dev, status->st_ino, true};
  r->depth++;
  const bool ok = lb_gather_text(r, text, length, path);
  r->depth--;
  r->source[me].open = false;
  return ok;
}

static bool gather_open_file(lb_reader* r, FILE* file, const char* path, const lb_yaml* mention) {
  struct stat status;
  if (fstat(fileno(file), &status) != 0) {
    return cannot_read(r, path, mention, "it cannot be examined");
  }
  const int known = find_source(r, &status);
  if (known >= 0) {
    // twice the same file is once; a file inside itself is a mistake
    return !r->source[known].open ||
           lb_complain(r, mention->place,
                       "'%s' includes itself, directly or through others (take one include away)",
                       mention->text);
  }
  if (r->depth >= DEEPEST_INCLUDE || r->nsource >= MOST_SOURCES) {
    return cannot_read(r, path, mention, "includes are nested too deeply (16 levels are allowed)");
  }
  char* text = NULL;
  size_t length = 0;
  const char* why = load(r, file, &text, &length);
  if (why) {
    return cannot_read(r, path, mention, why);
  }
  return text && gather_source(r, path, text, length, &status);
}

// What else is in the folder, for the nearest name. The names without their endings decide, for
// the endings make all files alike.
static const char* nearest_file(lb_reader* r, const char* path) {
  const char* slash = strrchr(path, '/');
  const char* folder = folder_of(r, path);
  const char* wanted = slash ? slash + 1 : path;
  const char* kind = ending(wanted);
  lb_nearest nearest = lb_nearest_to(lb_compose(r, "%.*s", (int)(kind - wanted), wanted));
  const char* found = NULL;
  DIR* open = opendir(*folder ? folder : ".");
  for (struct dirent* e; open && (e = readdir(open));) {
    const char* end = ending(e->d_name);
    const bool kindred = !*kind || lb_edit_distance(kind, end, 1) <= 1;
    if (*e->d_name != '.' && kindred) {
      const char* stem = lb_compose(r, "%.*s", (int)(end - e->d_name), e->d_name);
      lb_nearest_offer(&nearest, stem);
      found = nearest.best == stem ? lb_compose(r, "%.100s", e->d_name) : found;
    }
  }
  if (open) {
    closedir(open);
  }
  nearest.best = found;
  return lb_did_you_mean(r, &nearest);
}

static bool file_opens(lb_reader* r, const char* path, const lb_yaml* mention) {
  if (r->no_files) {
    return cannot_read(r, path, mention, "no file may be opened here");
  }
  if (access(path, R_OK) == 0) {
    // a pipe may be a scene, but what a scene mentions must be there to be read again
    struct stat status;
    return !mention || stat(path, &status) != 0 || S_ISREG(status.st_mode) ||
           cannot_read(r, path, mention, "it is not a file");
  }
  char why[100];
  const char* words =
      errno == ENOENT ? "there is no such file" : strerror_r(errno, why, sizeof why);
  return cannot_read(r, path, mention, lb_compose(r, "%s%s", words, nearest_file(r, path)));
}

const char* lb_find_file(lb_reader* r, const lb_yaml* mention) {
  const char* path = resolve_path(r, mention->text);
  return path && file_opens(r, path, mention) ? path : NULL;
}

bool lb_load_mentioned(lb_reader* r, const lb_yaml* mention, const char** path, char** text,
                       size_t* length) {
  const char* found = lb_find_file(r, mention);
  *path = found ? lb_arena_text(r->keep, found, strlen(found)) : NULL; // places name it
  if (found && !*path) {
    lb_lack(r);
  }
  FILE* file = *path ? lb_open_to_read(*path) : NULL;
  if (!file) {
    return *path && cannot_read(r, *path, mention, "it cannot be opened");
  }
  *text = NULL;
  const char* why = load(r, file, text, length);
  fclose(file);
  return why ? cannot_read(r, *path, mention, why) : *text != NULL;
}

bool lb_gather_file(lb_reader* r, const char* path, const lb_yaml* mention) {
  if (path && !mention && strcmp(path, "-") == 0) {
    return gather_open_file(r, stdin, path, mention);
  }
  if (!path || !file_opens(r, path, mention)) {
    r->incomplete = r->incomplete || (path && mention && is_osim(path));
    return false;
  }
  FILE* file = lb_open_to_read(path);
  if (!file) {
    return cannot_read(r, path, mention, "it cannot be opened");
  }
  const bool ok = gather_open_file(r, file, path, mention);
  fclose(file);
  return ok;
}

// --- motors of another file ---

static bool replace_motors(lb_reader* r, const char* path, lb_entries* own) {
  const lb_entries* other = &r->section[LB_SCENE_MOTORS];
  bool ok = other->count > 0 || lb_complain(r, (lb_place){path, 1, 1},
                                            "it has no motors to play ('motors' is missing)");
  r->subject = "it";
  for (int i = 0; i < other->count; i++) {
    const lb_yaml* name = other->entry[i].name;
    const int at = lb_names_find(&own->names, name->text, -1);
    if (at < 0) {
      ok = lb_unknown_name(r, name, "motor", &own->names);
    } else {
      own->entry[at] = other->entry[i];
    }
  }
  r->subject = "";
  return ok;
}

bool lb_gather_motors(lb_reader* r, const char* path) {
  lb_entries own = r->section[LB_SCENE_MOTORS];
  const lb_scene settings = r->scene;
  const lb_yaml* given[LB_SCENE_KEYS];
  memcpy(given, r->given, sizeof given);
  r->section[LB_SCENE_MOTORS] = (lb_entries){0};
  const bool ok = lb_gather_file(r, path, NULL) && replace_motors(r, path, &own);
  r->section[LB_SCENE_MOTORS] = own;
  r->scene = settings; // the scene's stay
  memcpy(r->given, given, sizeof given);
  return ok;
}
