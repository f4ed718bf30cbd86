// Reads command lines by the tables of verbs and options, and prints the tables as help.
#include <stdio.h>
#include <string.h>

#include "app/suggest.h"
#include "app/terminal.h"
#include "app/verb.h"

// The option that `word` (up to '=', if there is one) names, or NULL.
static const option* find_option(const verb* v, const char* word) {
  const size_t length = strcspn(word, "=");
  const option* o = NULL;
  for (int i = 0; (o = verb_option(v, i)); i++) {
    if ((strlen(o->name) == length && strncmp(o->name, word, length) == 0) ||
        (o->letter && strcmp(o->letter, word) == 0)) {
      return o;
    }
  }
  return NULL;
}

static exit_code unknown_option(const verb* v, const char* word) {
  const int length = (int)strcspn(word, "=");
  char known[64];
  snprintf(known, sizeof known, "%.*s", length, word);
  const char* best = NULL;
  int distance = 0;
  const option* o = NULL;
  for (int i = 0; (o = verb_option(v, i)); i++) {
    suggest_nearer(known, o->name, &best, &distance);
  }
  suggest_nearer(known, "--help", &best, &distance);
  if (best) {
    tell_error("'limber %s' has no option '%.*s' (did you mean '%s'?)", v->name, length, word,
               best);
  } else {
    tell_error("'limber %s' has no option '%.*s'; 'limber %s --help' lists them", v->name, length,
               word, v->name);
  }
  return EXIT_INPUT;
}

// Read one option that starts at args[*i]; moves *i to its last word. False after reporting a
// mistake.
static bool read_option(const verb* v, const option* o, int narg, char** args, int* i,
                        verb_args* into) {
  void* target = (char*)into + o->offset;
  const char* word = args[*i];
  const char* equals = word[1] == '-' ? strchr(word, '=') : NULL;
  if (!o->type) {
    if (equals) {
      tell_error("option '%s' takes no value", o->name);
      return false;
    }
    *(bool*)target = true;
    return true;
  }
  if (!equals && *i + 1 >= narg) {
    tell_error("option '%s' needs a value: %s %s", o->name, o->name, o->value);
    return false;
  }
  const char* text = equals ? equals + 1 : args[++*i];
  const bool good = o->type->read(o->type, text, target);
  if (!good) {
    tell_error("option '%s' of 'limber %s' is '%s'; it must be %s", o->name, v->name, text,
               o->type->expected);
  }
  return good;
}

static bool right_count(const verb* v, int nplain, char** plain) {
  if (nplain < v->least) {
    tell_error("'limber %s' needs %s; try 'limber %s --help'", v->name, v->usage, v->name);
    return false;
  }
  if (nplain > v->most) {
    tell_error("'limber %s' does not know what to do with '%s'; try 'limber %s --help'", v->name,
               plain[v->most], v->name);
    return false;
  }
  return true;
}

// Mistakes of the command line itself are to be told in JSON, too.
static bool wants_json(int narg, char** args) {
  int i = 0;
  while (i < narg && strcmp(args[i], "--") != 0 && strcmp(args[i], "--json") != 0) {
    i++;
  }
  return i < narg && strcmp(args[i], "--json") == 0;
}

bool verb_parse(const verb* v, int narg, char** args, verb_args* into, int* nplain,
                exit_code* code) {
  bool only_plain = false; // after "--"
  int n = 0;
  *code = EXIT_INPUT;
  if (wants_json(narg, args)) {
    terminal_use_json();
  }
  for (int i = 0; i < narg; i++) {
    if (only_plain || args[i][0] != '-' || !args[i][1]) {
      args[n++] = args[i];
    } else if (strcmp(args[i], "--") == 0) {
      only_plain = true;
    } else if (strcmp(args[i], "--help") == 0 || strcmp(args[i], "-h") == 0) {
      verb_help(v);
      *code = EXIT_DONE;
      return false;
    } else {
      const option* o = find_option(v, args[i]);
      if (!o) {
        *code = unknown_option(v, args[i]);
        return false;
      }
      if (!read_option(v, o, narg, args, &i, into)) {
        return false;
      }
    }
  }
  *nplain = n;
  return right_count(v, n, args);
}

void verb_help(const verb* v) {
  printf("Usage: limber %s %s\n\n%s\n", v->name, v->usage, v->about);
  printf("\nOptions:\n");
  const option* o = NULL;
  for (int i = 0; (o = verb_option(v, i)); i++) {
    char left[64];
    snprintf(left, sizeof left, "%s%s%s%s%s", o->letter ? o->letter : "", o->letter ? ", " : "",
             o->name, o->value ? " " : "", o->value ? o->value : "");
    printf("  %-18s %s\n", left, o->help);
  }
  printf("  %-18s %s\n", "-h, --help", "show this text");
  printf("\nExample:\n%s\n\nExit status:\n%s\n", v->example, v->exits);
}
