// Nodes as YAML text: sections and parts on lines of their own, what is inside them on one line
// where it fits.
#include <stdio.h>
#include <string.h>

#include "scene/yaml/yaml_node.h"

enum { WIDTH = 100, BLOCK_LEVELS = 2 }; // columns; levels that are never on one line

typedef struct writer {
  lb_arena* arena;
  char* text;
  size_t length, capacity;
} writer;

static void put(writer* w, const char* text, size_t size) {
  if (w->length + size + 1 > w->capacity) {
    const size_t capacity = 2 * (w->length + size) + 1024;
    char* grown = LB_TAKE(w->arena, char, capacity);
    if (!grown) {
      w->capacity = w->length = 0;
      w->text = NULL;
      return;
    }
    if (w->length) {
      memcpy(grown, w->text, w->length);
    }
    w->text = grown;
    w->capacity = capacity;
  }
  memcpy(w->text + w->length, text, size);
  w->length += size;
  w->text[w->length] = 0;
}

static void put_text(writer* w, const char* text) {
  put(w, text, strlen(text));
}

// Plain words of letters that nothing else could be meant by.
static bool is_plain(const char* s) {
  static const char* const OTHERS[] = {"true", "false", "null", "yes", "no", "on", "off"};
  for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
    if (strcmp(s, OTHERS[i]) == 0) {
      return false;
    }
  }
  bool good = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '_';
  for (; *s && good; s++) {
    good = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
           strchr("_.-", *s);
  }
  return good;
}

static void put_scalar(writer* w, const lb_yaml* node) {
  if (node->plain || is_plain(node->text)) {
    put_text(w, node->text);
    return;
  }
  put_text(w, "\"");
  for (const char* s = node->text; *s; s++) {
    char code[8];
    const unsigned char c = (unsigned char)*s;
    if (c < 0x20) {
      snprintf(code, sizeof code, "\\x%02X", c);
      put_text(w, code);
    } else {
      put(w, *s == '"' || *s == '\\' ? "\\" : "", *s == '"' || *s == '\\');
      put(w, s, 1);
    }
  }
  put_text(w, "\"");
}

static void put_flow(writer* w, const lb_yaml* node) {
  if (node->kind == LB_YAML_SCALAR) {
    put_scalar(w, node);
    return;
  }
  const bool map = node->kind == LB_YAML_MAP;
  put_text(w, map ? "{" : "[");
  for (int i = 0; i < node->count; i++) {
    put_text(w, i ? ", " : "");
    if (map) {
      put_scalar(w, node->key[i]);
      put_text(w, ": ");
    }
    put_flow(w, node->item[i]);
  }
  put_text(w, map ? "}" : "]");
}

// Columns that a node takes on one line, up to a little more than there are.
static int flow_width(const lb_yaml* node) {
  int width = (int)strnlen(node->text, 2 * WIDTH) + 2;
  for (int i = 0; i < node->count && width < 2 * WIDTH; i++) {
    width += flow_width(node->item[i]) + 2;
    width += node->kind == LB_YAML_MAP ? flow_width(node->key[i]) : 0;
  }
  return width;
}

static void indent(writer* w, int level) {
  for (int i = 0; i < level; i++) {
    put_text(w, "  ");
  }
}

// Mappings near the root are never on one line; numbers are, as long as they fit.
static bool is_block(const lb_yaml* node, int level, int room) {
  return node->kind != LB_YAML_SCALAR && node->count > 0 &&
         ((node->kind == LB_YAML_MAP && level < BLOCK_LEVELS) || flow_width(node) > room);
}

static void put_block(writer* w, const lb_yaml* node, int level, bool first_here) {
  for (int i = 0; i < node->count; i++) {
    const lb_yaml* item = node->item[i];
    if (i > 0 || !first_here) {
      indent(w, level);
    }
    int room = WIDTH - 2 * level - 2;
    const bool map = node->kind == LB_YAML_MAP;
    if (map) {
      put_scalar(w, node->key[i]);
      room -= flow_width(node->key[i]);
    }
    put_text(w, map ? ":" : "-");
    const bool block = is_block(item, level, room);
    put_text(w, !block || !map ? " " : "\n");
    if (block) {
      put_block(w, item, level + 1, !map);
    } else {
      put_flow(w, item);
      put_text(w, "\n");
    }
  }
}

const char* lb_yaml_write(const lb_yaml* node, lb_arena* arena) {
  writer w = {.arena = arena};
  put_text(&w, "");
  put_block(&w, node, 0, true);
  return w.text;
}
