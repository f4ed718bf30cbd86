// Parts written once and made many times: the entries of a repetition are copied for each n, and
// every (n), (n-1), (2n+1) or (0.5n) in their texts becomes a number.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/part/part.h"

// --- (2n+1) ---

typedef struct sum {
  double value;
  int n;
} sum;

// One term such as 3, n, 2n, 0.5*n; NULL when there is none.
static const char* add_term(const char* s, double sign, sum* total) {
  const char* end = s + strspn(s, "0123456789.");
  double factor = 1;
  if (end > s) {
    char digits[40];
    const char* unit;
    if (snprintf(digits, sizeof digits, "%.*s", (int)(end - s), s) >= (int)sizeof digits ||
        lb_number_read(digits, LB_PURE, &factor, &unit) != LB_NUMBER_OK) {
      return NULL;
    }
    end += *end == '*';
  }
  const bool has_n = *end == 'n';
  if (!has_n && (end == s || end[-1] == '*')) {
    return NULL;
  }
  total->value += sign * factor * (has_n ? total->n : 1);
  return end + has_n;
}

// The value of the expression from `s` to the closing bracket, which is returned; NULL when it is
// none.
static const char* evaluate(const char* s, sum* total) {
  char text[80];
  size_t length = 0;
  for (; *s && *s != ')'; s++) {
    if (*s != ' ') {
      if (length + 1 >= sizeof text) {
        return NULL;
      }
      text[length++] = *s;
    }
  }
  text[length] = 0;
  if (*s != ')' || !strchr(text, 'n')) {
    return NULL;
  }
  const char* at = text;
  do {
    const double sign = *at == '-' ? -1 : 1;
    at += *at == '-' || *at == '+';
    at = add_term(at, sign, total);
  } while (at && (*at == '+' || *at == '-'));
  return at && !*at ? s : NULL;
}

static const char* substitute_text(lb_reader* r, const lb_yaml* node, int n) {
  if (!strchr(node->text, '(')) {
    return node->text;
  }
  char out[300];
  size_t used = 0;
  for (const char* s = node->text; *s; s++) {
    char piece[40] = {*s, 0};
    if (*s == '(') {
      sum total = {.n = n};
      const char* end = evaluate(s + 1, &total);
      if (!end) {
        lb_complain(r, node->place,
                    "'%s' is not understood in a repetition (write (n), (n-1), (2n+1) or (0.5n))",
                    node->text);
        return NULL;
      }
      snprintf(piece, sizeof piece, "%.15g", total.value + 0.0);
      s = end;
    }
    const size_t length = strlen(piece);
    if (used + length >= sizeof out) {
      lb_complain(r, node->place, "this text is too long in a repetition (299 bytes are allowed)");
      return NULL;
    }
    memcpy(out + used, piece, length + 1);
    used += length;
  }
  const char* copy = lb_arena_text(&r->scratch, out, used);
  return copy ? copy : (lb_lack(r), NULL);
}

// --- copies ---

static lb_yaml* substitute(lb_reader* r, const lb_yaml* node, int n) {
  lb_yaml* copy = LB_TAKE(&r->scratch, lb_yaml, 1);
  if (!copy) {
    lb_lack(r);
    return NULL;
  }
  *copy = *node;
  if (lb_is_scalar(node)) {
    copy->text = substitute_text(r, node, n);
    return copy->text ? copy : NULL;
  }
  copy->item = LB_TAKE(&r->scratch, lb_yaml*, node->count);
  copy->key = LB_TAKE(&r->scratch, lb_yaml*, node->count);
  if (!copy->item || !copy->key) {
    lb_lack(r);
    return NULL;
  }
  for (int i = 0; i < node->count; i++) {
    copy->item[i] = substitute(r, node->item[i], n);
    copy->key[i] = lb_is_map(node) ? substitute(r, node->key[i], n) : NULL;
    if (!copy->item[i] || (lb_is_map(node) && !copy->key[i])) {
      return NULL;
    }
  }
  return copy;
}

static bool make_once(lb_reader* r, const lb_yaml* repetition, int n) {
  const lb_yaml* section[LB_SCENE_KEYS] = {0};
  for (int key = LB_SCENE_LINKAGES; key <= LB_SCENE_INITIAL; key++) {
    const lb_yaml* node = lb_yaml_find(repetition, lb_scene_table.field[key].key);
    section[key] = node ? substitute(r, node, n) : NULL;
    if (node && !section[key]) {
      return false;
    }
  }
  return lb_gather_sections(r, section);
}

static bool gather_one(lb_reader* r, const lb_yaml* node) {
  lb_repetition of = {.from = 1};
  if (!lb_read_part(r, node, "repeat", &lb_repeat_table, &of)) {
    return false;
  }
  r->weight += (long)of.count * node->weight;
  if (r->weight > LB_YAML_HEAVIEST) {
    return lb_complain(r, node->place,
                       "the repetitions make more than %d entries (repeat less often)",
                       LB_YAML_HEAVIEST);
  }
  bool ok = true;
  for (int i = 0; i < of.count && ok; i++) {
    ok = make_once(r, node, of.from + i);
  }
  return ok;
}

bool lb_gather_repeat(lb_reader* r, const lb_yaml* list) {
  bool ok = true;
  for (int i = 0; i < list->count && lb_is_list(list); i++) {
    ok &= gather_one(r, list->item[i]);
  }
  return ok;
}
