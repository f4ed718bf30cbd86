// Open addressing with linear probing, and the optimal-string-alignment distance on short rows.
#include "scene/yaml/names.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

static uint32_t hash_text(const char* text) { // FNV-1a
  uint32_t h = 2166136261u;
  for (; *text; text++) {
    h = (h ^ (unsigned char)*text) * 16777619u;
  }
  return h;
}

// The slot where `name` is, or the empty one where it would go.
static int* find_slot(const lb_names* names, const char* name) {
  const uint32_t mask = (uint32_t)names->slots - 1;
  uint32_t i = hash_text(name) & mask;
  while (names->slot[i] && strcmp(names->text[names->slot[i] - 1], name) != 0) {
    i = (i + 1) & mask;
  }
  return &names->slot[i];
}

int lb_names_find(const lb_names* names, const char* name, int otherwise) {
  const int at = names->slots ? *find_slot(names, name) : 0;
  return at ? names->value[at - 1] : otherwise;
}

static bool enlarge(lb_names* names, lb_arena* arena) {
  lb_names larger = {.count = names->count, .capacity = names->capacity ? 4 * names->capacity : 8};
  larger.slots = 2 * larger.capacity;
  larger.text = LB_TAKE(arena, const char*, larger.capacity);
  larger.value = LB_TAKE(arena, int, larger.capacity);
  larger.slot = LB_TAKE(arena, int, larger.slots);
  if (lb_arena_status(arena) != LB_OK) {
    return false;
  }
  for (int i = 0; i < names->count; i++) {
    larger.text[i] = names->text[i];
    larger.value[i] = names->value[i];
    *find_slot(&larger, names->text[i]) = i + 1;
  }
  *names = larger;
  return true;
}

bool lb_names_add(lb_names* names, lb_arena* arena, const char* name, int value) {
  if (names->count == names->capacity && !enlarge(names, arena)) {
    return false;
  }
  int* slot = find_slot(names, name);
  names->text[names->count] = name;
  names->value[names->count] = value;
  *slot = ++names->count;
  return true;
}

enum { LONGEST = 64 }; // longer texts are compared by their first characters

static int lower(char c) {
  return tolower((unsigned char)c);
}

static int smallest(int a, int b, int c) {
  const int ab = a < b ? a : b;
  return ab < c ? ab : c;
}

int lb_edit_distance(const char* a, const char* b, int most) {
  const int na = (int)strnlen(a, LONGEST), nb = (int)strnlen(b, LONGEST);
  if (na - nb > most || nb - na > most) {
    return most + 1;
  }
  // three rows of the table of distances between beginnings of a and of b
  int rows[3][LONGEST + 1];
  for (int j = 0; j <= nb; j++) {
    rows[0][j] = j;
  }
  for (int i = 1; i <= na; i++) {
    int* row = rows[i % 3];
    const int *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      const int differ = lower(a[i - 1]) != lower(b[j - 1]);
      row[j] = smallest(up[j] + 1, row[j - 1] + 1, up[j - 1] + differ);
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]) && up2[j - 2] + 1 < row[j]) {
        row[j] = up2[j - 2] + 1;
      }
    }
  }
  const int d = rows[na % 3][nb];
  return d > most ? most + 1 : d;
}

lb_nearest lb_nearest_to(const char* wanted) {
  // about a third of the letters may be wrong: more is another word
  const int most = ((int)strnlen(wanted, LONGEST) + 1) / 3;
  return (lb_nearest){.wanted = wanted, .distance = most + 1};
}

void lb_nearest_offer(lb_nearest* nearest, const char* candidate) {
  const int d = lb_edit_distance(nearest->wanted, candidate, nearest->distance - 1);
  // a single letter is near to half of all short words, which says nothing
  const bool tells = d == 0 || strnlen(candidate, 2) > 1;
  if (d < nearest->distance && tells) {
    nearest->distance = d;
    nearest->best = candidate;
  }
}
