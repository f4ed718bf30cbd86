// From libfyaml's events to our tree. The events are taken one by one (no libfyaml document is
// built), so depth, size, duplicates and aliases are ours to judge, with places.
#define _GNU_SOURCE // memmem
#include "scene/yaml/yaml_node.h"

#include <errno.h>
#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#include "scene/yaml/names.h"

typedef struct builder {
  struct fy_parser* parser;
  struct fy_event* event; // the one being looked at
  lb_arena* arena;
  lb_report* report;
  const char* file;
  const char* text; // the whole
  lb_place here;    // of the last thing that had a place
  lb_names anchors;
  lb_yaml** anchored;
  int nanchored, anchored_capacity;
  bool failed, no_memory;
} builder;

static void* lack(builder* b) {
  b->no_memory = b->failed = true;
  return NULL;
}

static void* fail(builder* b, lb_place place, const char* text) {
  lb_report_add(b->report, LB_INVALID, place, "%s", text);
  b->failed = true;
  return NULL;
}

// --- text before grammar ---

// Length of the UTF-8 character at `s`, or 0 where there is none that YAML allows.
static size_t utf8_length(const unsigned char* s, size_t left) {
  if (s[0] < 0x80) {
    return s[0] >= 0x20 ? s[0] != 0x7F : s[0] == '\t' || s[0] == '\n' || s[0] == '\r';
  }
  const size_t n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
  if (s[0] < 0xC2 || s[0] > 0xF4 || left < n) {
    return 0;
  }
  for (size_t i = 1; i < n; i++) {
    if ((s[i] & 0xC0) != 0x80) {
      return 0;
    }
  }
  const bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
  const bool surrogate = s[0] == 0xED && s[1] > 0x9F;
  const bool beyond = s[0] == 0xF4 && s[1] > 0x8F;
  return overlong || surrogate || beyond ? 0 : n;
}

static bool check_text(builder* b, const char* text, size_t length) {
  if (length > LB_YAML_LONGEST_TEXT) {
    lb_report_add(b->report, LB_INVALID, (lb_place){b->file, 0, 0},
                  "the file has %zu bytes; a scene may have %d (put large parts into meshes)",
                  length, LB_YAML_LONGEST_TEXT);
    return false;
  }
  lb_place at = {b->file, 1, 1};
  for (size_t i = 0; i < length;) {
    const unsigned char c = (unsigned char)text[i];
    const size_t n = utf8_length((const unsigned char*)text + i, length - i);
    if (n == 0) {
      lb_report_add(b->report, LB_INVALID, at,
                    c < 0x80 ? "the control character 0x%02X does not belong in a scene file"
                             : "the byte 0x%02X is not UTF-8 (save the file as UTF-8)",
                    c);
      return false;
    }
    at.column++;
    if (c == '\n') {
      at.line++;
      at.column = 1;
    }
    i += n;
  }
  return true;
}

// --- events ---

// Remedies for mistakes of grammar, by a part of libfyaml's message.
static const struct {
  const char *part, *hint;
} hints[] = {
    {"closing bracket", "close the list with ]"},
    {"missing comma", "separate entries with commas and close with ] or }"},
    {"closing brace", "take the extra } away"},
    {"indented flow", "close what is open with } or ], or indent this line"},
    {"indented double-quoted", "end the text with the quote that began it"},
    {"indented single-quoted", "end the text with the quote that began it"},
    {"nested block mapping", "put the inner key on a line of its own, indented, or quote the text"},
    {"tab character", "indent with spaces"},
    {"closing quote", "end the text with the quote that began it"},
    {"multiline plain key", "check the indentation and the colon of this line"},
    {"cannot start with", "put the text in quotes"},
    {"invalid indentation", "line this key up with its neighbours"},
    {"invalid escape", "write a backslash as \\\\ or use single quotes"},
};

static void report_grammar(builder* b, struct fy_diag* diag) {
  void* at = NULL;
  bool any = false;
  for (struct fy_diag_error* e; (e = fy_diag_errors_iterate(diag, &at));) {
    if (!e->msg) {
      continue;
    }
    const char* hint = NULL;
    for (size_t i = 0; i < sizeof hints / sizeof *hints && !hint; i++) {
      hint = strstr(e->msg, hints[i].part) ? hints[i].hint : NULL;
    }
    const lb_place place = {b->file, e->line > 0 ? e->line : 1, e->column > 0 ? e->column : 1};
    lb_report_add(b->report, LB_INVALID, place, "%s (%s)", e->msg,
                  hint ? hint : "the rules of YAML 1.2 are at yaml.org");
    any = true;
  }
  if (!any) {
    fail(b, b->here,
         "this is not YAML 1.2 (a line that begins with % may ask for another version)");
  }
}

// Place of a value that nobody wrote, such as that of a lone key: where the last thing stood.
static lb_place mark_place(const builder* b, const struct fy_mark* mark) {
  return mark ? (lb_place){b->file, mark->line + 1, mark->column + 1} : b->here;
}

static bool advance(builder* b) {
  fy_parser_event_free(b->parser, b->event);
  b->event = b->failed ? NULL : fy_parser_parse(b->parser);
  if (!b->event) {
    b->failed = true;
    return false;
  }
  b->here = mark_place(b, fy_event_start_mark(b->event));
  return true;
}

static const char* copy_text(builder* b, struct fy_token* token) {
  size_t length = 0;
  const char* text = token ? fy_token_get_text(token, &length) : "";
  if (!text) {
    return fail(b, b->here, "this text cannot be read (write it in double quotes)");
  }
  const char* copy = lb_arena_text(b->arena, text, length);
  return copy ? copy : lack(b);
}

static lb_yaml* new_node(builder* b, lb_yaml_kind kind) {
  lb_yaml* node = LB_TAKE(b->arena, lb_yaml, 1);
  if (!node) {
    return lack(b);
  }
  *node = (lb_yaml){.kind = kind, .place = b->here, .text = "", .depth = 1, .weight = 1};
  return node;
}

// --- nodes ---

static bool keep_anchor(builder* b, const char* name, lb_yaml* node) {
  // an anchor may be defined again: later aliases mean the later one
  const int known = lb_names_find(&b->anchors, name, -1);
  if (known >= 0) {
    b->anchored[known] = node;
    return true;
  }
  void* grown = LB_GROW(b->arena, b->anchored, b->nanchored, &b->anchored_capacity);
  if (!grown || !lb_names_add(&b->anchors, b->arena, name, b->nanchored)) {
    return lack(b);
  }
  b->anchored = grown;
  b->anchored[b->nanchored++] = node;
  return true;
}

static lb_yaml* build_alias(builder* b) {
  const char* name = copy_text(b, fy_event_get_token(b->event));
  if (!name) {
    return NULL;
  }
  const int known = lb_names_find(&b->anchors, name, -1);
  if (known >= 0) {
    return b->anchored[known];
  }
  lb_nearest nearest = lb_nearest_to(name);
  for (int i = 0; i < b->anchors.count; i++) {
    lb_nearest_offer(&nearest, b->anchors.text[i]);
  }
  const char* best = nearest.best;
  lb_report_add(b->report, LB_INVALID, b->here, "the alias '*%s' has no anchor before it (%s%s%s)",
                name, best ? "did you mean '*" : "mark what it stands for with '&",
                best ? best : name, best ? "'?" : "'");
  b->failed = true;
  return NULL;
}

// libfyaml 0.7.12 garbles, or leaks, a single-quoted text with two escaped quotes in a row.
static bool is_garbled(const builder* b, struct fy_token* token) {
  const struct fy_mark* start = fy_token_start_mark(token);
  const struct fy_mark* end = fy_token_end_mark(token);
  if (fy_token_scalar_style(token) != FYSS_SINGLE_QUOTED || !start || !end) {
    return false;
  }
  // within the text itself: a look at the rest of the file each time would take its square
  return memmem(b->text + start->input_pos, end->input_pos - start->input_pos, "''''", 4) != NULL;
}

static lb_yaml* build_scalar(builder* b) {
  struct fy_token* token = fy_event_get_token(b->event);
  if (is_garbled(b, token)) {
    return fail(b, b->here, "two quotes in a row cannot be read here (use double quotes around)");
  }
  lb_yaml* node = new_node(b, LB_YAML_SCALAR);
  if (node) {
    node->text = copy_text(b, token);
    node->plain = fy_token_scalar_style(token) == FYSS_PLAIN;
  }
  return node && node->text ? node : NULL;
}

static lb_yaml* build(builder* b, int depth);

// Room for one more entry in a list or map.
static bool grow_node(builder* b, lb_yaml* node, int* keys, int* items) {
  void* key = lb_is_map(node) ? LB_GROW(b->arena, node->key, node->count, keys) : NULL;
  void* item = LB_GROW(b->arena, node->item, node->count, items);
  if (!item || (!key && lb_is_map(node))) {
    return lack(b);
  }
  node->key = key;
  node->item = item;
  return true;
}

// The key at the event, or NULL when it is no key or was there before; the latter is no reason to
// stop.
static lb_yaml* build_key(builder* b, lb_yaml* map, lb_names* known, int depth) {
  const lb_place place = b->here;
  lb_yaml* key = build(b, depth);
  if (!key) {
    return NULL;
  }
  if (!lb_is_scalar(key)) {
    return fail(b, place, "a key must be a name, not a list or a mapping");
  }
  const int before = lb_names_find(known, key->text, -1);
  if (before >= 0) {
    lb_report_add(
        b->report, LB_INVALID, place,
        "'%s' is written twice; the first is on line %d, column %d (remove or rename one)",
        key->text, map->key[before]->place.line, map->key[before]->place.column);
  } else if (!lb_names_add(known, b->arena, key->text, map->count)) {
    return lack(b);
  }
  // an alias as a key has the place where it is used
  lb_yaml* own = new_node(b, LB_YAML_SCALAR);
  if (own) {
    *own = *key;
    own->place = place;
  }
  return own;
}

static void add_entry(builder* b, lb_yaml* node, lb_yaml* key, lb_yaml* item) {
  if (key) {
    node->key[node->count] = key;
  }
  node->item[node->count++] = item;
  node->weight += item->weight + (key ? 1 : 0);
  node->depth = item->depth + 1 > node->depth ? item->depth + 1 : node->depth;
  if (node->weight > LB_YAML_HEAVIEST || node->depth > LB_YAML_DEEPEST) {
    fail(b, item->place,
         node->depth > LB_YAML_DEEPEST
             ? "the scene is nested too deeply (32 levels are allowed)"
             : "the scene is too large once its aliases are written out (2000000 entries are "
               "allowed)");
  }
}

static lb_yaml* build_many(builder* b, lb_yaml_kind kind, int depth) {
  lb_yaml* node = new_node(b, kind);
  const bool map = lb_is_map(node);
  const enum fy_event_type end = map ? FYET_MAPPING_END : FYET_SEQUENCE_END;
  lb_names known = {0};
  int keys = 0, items = 0;
  while (node && !b->failed && advance(b) && b->event->type != end) {
    lb_yaml* key = map ? build_key(b, node, &known, depth + 1) : NULL;
    if (map && (!key || !advance(b))) {
      break;
    }
    lb_yaml* item = b->failed ? NULL : build(b, depth + 1);
    if (!item || !grow_node(b, node, &keys, &items)) {
      break;
    }
    add_entry(b, node, key, item);
  }
  return b->failed ? NULL : node;
}

// The node that begins at the event.
static lb_yaml* build(builder* b, int depth) {
  if (depth > LB_YAML_DEEPEST) {
    return fail(b, b->here, "the scene is nested too deeply (32 levels are allowed)");
  }
  if (fy_event_get_tag_token(b->event)) {
    return fail(b, mark_place(b, fy_token_start_mark(fy_event_get_tag_token(b->event))),
                "tags such as !!float or !part mean nothing here (take the tag away)");
  }
  struct fy_token* token = fy_event_get_anchor_token(b->event);
  const char* anchor = token ? copy_text(b, token) : NULL;
  lb_yaml* node = NULL;
  if (b->failed) {
    return NULL;
  }
  switch (b->event->type) {
  case FYET_ALIAS:
    return build_alias(b);
  case FYET_SCALAR:
    node = build_scalar(b);
    break;
  case FYET_SEQUENCE_START:
    node = build_many(b, LB_YAML_LIST, depth);
    break;
  case FYET_MAPPING_START:
    node = build_many(b, LB_YAML_MAP, depth);
    break;
  default:
    return fail(b, b->here, "this is not YAML 1.2");
  }
  // known only from here on, so that nothing can contain itself
  return node && anchor && !keep_anchor(b, anchor, node) ? NULL : node;
}

// stream start, document start, NODE, document end, stream end
static lb_yaml* build_document(builder* b) {
  lb_yaml* root = NULL;
  if (!advance(b) || !advance(b)) {
    return NULL;
  }
  if (b->event->type == FYET_STREAM_END) { // nothing but comments
    return new_node(b, LB_YAML_MAP);
  }
  if (!advance(b) || !(root = build(b, 0)) || !advance(b) || !advance(b)) {
    return NULL;
  }
  if (b->event->type != FYET_STREAM_END) {
    return fail(b, b->here, "a second document begins here (put one scene into a file)");
  }
  return root;
}

// libfyaml takes its memory from malloc, and 0.7.12 may crash when its first requests fail. Asking
// for a generous block beforehand keeps it from starting when there is none.
static bool has_room(size_t length) {
  void* trial = malloc(((size_t)1 << 20) + 2 * length);
  free(trial);
  return trial != NULL;
}

// A parser of `text` that keeps its complaints to itself; false when there is no memory.
static bool open_parser(builder* b, struct fy_diag** diag, const char* text, size_t length) {
  struct fy_diag_cfg diag_cfg;
  fy_diag_cfg_default(&diag_cfg);
  diag_cfg.fp = NULL;
  diag_cfg.colorize = false;
  *diag = has_room(length) ? fy_diag_create(&diag_cfg) : NULL;
  if (!*diag) {
    return false;
  }
  fy_diag_set_collect_errors(*diag, true);
  const struct fy_parse_cfg cfg = {
      .flags = FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE | FYPCF_QUIET, .diag = *diag};
  b->parser = fy_parser_create(&cfg);
  return b->parser && fy_parser_set_string(b->parser, text, length) == 0;
}

static void close_parser(builder* b, struct fy_diag* diag) {
  if (b->parser) {
    fy_parser_event_free(b->parser, b->event);
    fy_parser_destroy(b->parser);
  }
  if (diag) {
    fy_diag_destroy(diag);
  }
}

lb_yaml* lb_yaml_parse(const char* text, size_t length, const char* file, lb_arena* arena,
                       lb_report* report, bool* no_memory) {
  builder b = {.arena = arena, .report = report, .file = file, .here = {file, 1, 1}};
  if (!check_text(&b, text, length)) {
    return NULL;
  }
  // libfyaml may look one byte past the end: give it a copy that ends in a NUL
  const char* copy = lb_arena_text(arena, text, length);
  b.text = copy;
  struct fy_diag* diag = NULL;
  lb_yaml* root = NULL;
  const lb_status before = report->status;
  report->status = LB_OK;
  if (!copy || !open_parser(&b, &diag, copy, length)) {
    lack(&b);
  } else {
    errno = 0;
    root = build_document(&b);
    if (!root && errno == ENOMEM) {
      lack(&b);
    } else if (!root && !b.no_memory &&
               (fy_parser_get_stream_error(b.parser) || report->status == LB_OK)) {
      report_grammar(&b, diag);
    }
  }
  close_parser(&b, diag);
  report->status = before != LB_OK ? before : report->status;
  *no_memory = *no_memory || b.no_memory;
  return root;
}

bool lb_is_null(const lb_yaml* node) {
  return lb_is_scalar(node) && node->plain &&
         (!*node->text || strcmp(node->text, "null") == 0 || strcmp(node->text, "~") == 0);
}

const lb_yaml* lb_yaml_find(const lb_yaml* map, const char* key) {
  for (int i = 0; i < map->count && lb_is_map(map); i++) {
    if (strcmp(map->key[i]->text, key) == 0) {
      return map->item[i];
    }
  }
  return NULL;
}

const char* lb_yaml_words(const lb_yaml* node) {
  static const char* const words[] = {"a text", "a list", "a mapping"};
  return lb_is_null(node) ? "nothing" : words[node->kind];
}
