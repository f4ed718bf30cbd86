// Verbs of two words, by their first.
#include <stdio.h>
#include <string.h>

#include "app/verb.h"

const verb_family FAMILIES[] = {
    {"muscle",
     "what muscles do along a motion: lengths, static optimisation, their inertia; networks"},
};
const int NFAMILY = sizeof FAMILIES / sizeof *FAMILIES;

const char* verb_second(const verb* v) {
  const char* blank = strchr(v->name, ' ');
  return blank ? blank + 1 : NULL;
}

bool verb_is_of(const verb* v, const verb_family* f) {
  const size_t length = strlen(f->name);
  return strncmp(v->name, f->name, length) == 0 && v->name[length] == ' ';
}

const verb_family* find_family(const char* name) {
  const size_t length = strcspn(name, " ");
  for (int i = 0; i < NFAMILY; i++) {
    if (strlen(FAMILIES[i].name) == length && strncmp(FAMILIES[i].name, name, length) == 0) {
      return &FAMILIES[i];
    }
  }
  return NULL;
}

void family_help(const verb_family* f) {
  printf("Usage: limber %s WHAT ...\n\n%s\n\nVerbs:\n", f->name, f->summary);
  const char* first = "";
  for (int i = NVERB - 1; i >= 0; i--) {
    first = verb_is_of(&VERBS[i], f) ? verb_second(&VERBS[i]) : first;
  }
  for (int i = 0; i < NVERB; i++) {
    if (verb_is_of(&VERBS[i], f)) {
      printf("  %-10s %s\n", verb_second(&VERBS[i]), VERBS[i].summary);
    }
  }
  printf("\nOptions:\n  %-18s show this text, or after WHAT all about it\n", "-h, --help");
  printf("\nExample:\n  limber help %s %s\n\nExit status:\n  as of the verb\n", f->name, first);
}
