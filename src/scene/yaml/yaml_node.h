// A YAML text as a tree of nodes, each knowing where it was written. libfyaml does the grammar; the
// tree is ours, so that it lives in an arena, keeps the places of keys, shares what an alias stands
// for, and is bounded in depth and in size before anyone walks it.
#pragma once
#include "base/arena.h"
#include "scene/yaml/scene_errors.h"

typedef enum lb_yaml_kind { LB_YAML_SCALAR, LB_YAML_LIST, LB_YAML_MAP } lb_yaml_kind;

typedef struct lb_yaml {
  lb_yaml_kind kind;
  lb_place place;
  const char* text;      // of a scalar
  bool plain;            // a scalar without quotes
  int count;             // of a list or a map
  struct lb_yaml** key;  // [count] of a map: scalars, all different
  struct lb_yaml** item; // [count] of a list, or what the keys stand for
  int depth;             // of the tree below, 1 for a scalar
  long weight;           // nodes of the tree below, aliases written out
} lb_yaml;

enum {
  LB_YAML_DEEPEST = 32,           // nesting that no scene needs
  LB_YAML_HEAVIEST = 2000000,     // nodes with aliases and repeats written out
  LB_YAML_LONGEST_TEXT = 64 << 20 // bytes of a file
};

// The tree of the one document in `text`. NULL when something is wrong; `report` then says what,
// unless there was no memory, which `*no_memory` says. `file` must outlive the tree.
lb_yaml* lb_yaml_parse(const char* text, size_t length, const char* file, lb_arena* arena,
                       lb_report* report, bool* no_memory);

// Kind of a node; NULL is none of them.
static inline bool lb_is_scalar(const lb_yaml* node) {
  return node && node->kind == LB_YAML_SCALAR;
}
static inline bool lb_is_list(const lb_yaml* node) {
  return node && node->kind == LB_YAML_LIST;
}
static inline bool lb_is_map(const lb_yaml* node) {
  return node && node->kind == LB_YAML_MAP;
}
// Nothing was written: an empty plain scalar, null or ~.
bool lb_is_null(const lb_yaml* node);

// Value of `key` in a map, or NULL.
const lb_yaml* lb_yaml_find(const lb_yaml* map, const char* key);

// A map as the text of a YAML file; NULL when there is no memory.
const char* lb_yaml_write(const lb_yaml* map, lb_arena* arena);

// A node in words: "a text", "a list", "a mapping", "nothing".
const char* lb_yaml_words(const lb_yaml* node);
