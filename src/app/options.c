// Reads command lines by the verbs' tables, and prints the tables as help.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/suggest.h"
#include "app/terminal.h"
#include "app/verb.h"
#include "scene/yaml/yaml_number.h"

const char* parse_text(const char* text, void* target) {
  if (!*text) {
    return "a name";
  }
  *(const char**)target = text;
  return NULL;
}

const char* parse_seconds(const char* text, void* target) {
  double value = 0;
  const char* unit = "";
  if (lb_number_read(text, LB_TIME, &value, &unit) != LB_NUMBER_OK || value <= 0) {
    return "a positive time: seconds, such as 2.5 or 1e-3, or with a unit, such as 2ms or 1min";
  }
  *(double*)target = value;
  return NULL;
}

const char* parse_length(const char* text, void* target) {
  double value = 0;
  const char* unit = "";
  if (lb_number_read(text, LB_LENGTH, &value, &unit) != LB_NUMBER_OK || value <= 0) {
    return "a positive length: metres, such as 0.001, or with a unit, such as 1mm";
  }
  *(double*)target = value;
  return NULL;
}

// In hertz, with or without the word.
static bool read_hertz(const char* text, double* value) {
  static const double MOST = 1e6;
  char* end = NULL;
  *value = strtod(text, &end);
  return end != text && (!*end || strcmp(end, "Hz") == 0) && *value > 0 && *value <= MOST;
}

const char* parse_rate(const char* text, void* target) {
  double value = 0;
  if (!read_hertz(text, &value)) {
    return "a positive number of samples a second, such as 500 or 1000Hz, up to a million";
  }
  *(double*)target = value;
  return NULL;
}

const char* parse_frequency(const char* text, void* target) {
  double value = 0;
  if (!read_hertz(text, &value)) {
    return "a positive frequency in hertz, such as 6 or 20Hz, up to a million";
  }
  *(double*)target = value;
  return NULL;
}

const char* parse_threads(const char* text, void* target) {
  char* end = NULL;
  errno = 0;
  const long value = strtol(text, &end, 10);
  if (end == text || *end || errno || value < 1 || value > 1024) {
    return "a whole number from 1 to 1024";
  }
  *(int*)target = (int)value;
  return NULL;
}

const char* parse_bytes(const char* text, void* target) {
  static const struct {
    const char* name;
    double bytes;
  } UNITS[] = {{"", 1}, {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}};
  static const double MOST = 1e15;
  char* end = NULL;
  const double value = strtod(text, &end);
  for (size_t i = 0; end != text && i < sizeof UNITS / sizeof *UNITS; i++) {
    const double bytes = value * UNITS[i].bytes;
    if (strcmp(end + strspn(end, " "), UNITS[i].name) == 0 && bytes >= 1 && bytes <= MOST) {
      *(size_t*)target = (size_t)bytes;
      return NULL;
    }
  }
  return "a positive number of bytes, or with a unit, such as 500kB, 64MB or 2GB";
}

// The option that `word` (up to '=', if there is one) names, or NULL.
static const option* find_option(const verb* v, const char* word) {
  const size_t length = strcspn(word, "=");
  for (int i = 0; i < v->noption; i++) {
    const option* o = &v->options[i];
    if (strlen(o->name) == length && strncmp(o->name, word, length) == 0) {
      return o;
    }
    if (o->letter && strcmp(o->letter, word) == 0) {
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
  for (int i = 0; i < v->noption; i++) {
    suggest_nearer(known, v->options[i].name, &best, &distance);
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

// Read one option that starts at args[*i]; moves *i to its last word. False after telling a
// mistake.
static bool read_option(const verb* v, const option* o, int narg, char** args, int* i, void* into) {
  void* target = (char*)into + o->offset;
  const char* word = args[*i];
  const char* equals = word[1] == '-' ? strchr(word, '=') : NULL;
  if (!o->value) {
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
  const char* expected = o->parse(text, target);
  if (expected) {
    tell_error("option '%s' of 'limber %s' is '%s'; it must be %s", o->name, v->name, text,
               expected);
    return false;
  }
  return true;
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

bool verb_parse(const verb* v, int narg, char** args, void* into, int* nplain, exit_code* code) {
  bool only_plain = false; // after "--"
  int n = 0;
  *code = EXIT_INPUT;
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
  for (int i = 0; i < v->noption; i++) {
    const option* o = &v->options[i];
    char left[64];
    snprintf(left, sizeof left, "%s%s%s%s%s", o->letter ? o->letter : "", o->letter ? ", " : "",
             o->name, o->value ? " " : "", o->value ? o->value : "");
    printf("  %-18s %s\n", left, o->help);
  }
  printf("  %-18s %s\n", "-h, --help", "show this text");
  printf("\nExample:\n%s\n\nExit status:\n%s\n", v->example, v->exits);
}
