// How near is near enough for words of the command line.
#include "app/suggest.h"

#include <stdbool.h>
#include <string.h>

#include "scene/yaml/names.h"

void suggest_nearer(const char* typed, const char* word, const char** best, int* distance) {
  // A slip for every three letters is still likely to be meant; the dashes of options are no
  // letters. What was left off at the end is meant however much it is.
  const size_t length = strlen(typed);
  const size_t letters = length - strspn(typed, "-");
  const int near = 1 + (int)(letters / 3);
  const bool begins = letters > 0 && strncmp(typed, word, length) == 0;
  const int slips = begins ? 1 : lb_edit_distance(typed, word, near);
  if (slips <= near && (!*best || slips < *distance)) {
    *best = word;
    *distance = slips;
  }
}
