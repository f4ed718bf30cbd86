// The command line: finds the verb and hands it the rest of the words.
#include <stdio.h>
#include <string.h>

#include "app/blas_room.h"
#include "app/interrupt.h"
#include "app/manual.h"
#include "app/suggest.h"
#include "app/terminal.h"
#include "app/verb.h"
#include "limber/version.h"

static void print_help(FILE* file) {
  fprintf(file, "Limber %s simulates the motion of articulated characters.\n\n", lb_version());
  fprintf(file, "Usage: limber VERB ...\n\nVerbs:\n");
  for (int i = 0; i < NVERB; i++) {
    const verb_family* f = find_family(VERBS[i].name);
    if (!f) {
      fprintf(file, "  %-10s %s\n", VERBS[i].name, VERBS[i].summary);
    } else if (!i || !verb_is_of(&VERBS[i - 1], f)) {
      fprintf(file, "  %-10s %s\n", f->name, f->summary);
    }
  }
  fprintf(file, "  %-10s %s\n", "help", "show this text, or 'limber help VERB' all about a verb");
  fprintf(file, "\nOptions:\n  -h, --help     show this text\n  -V, --version  show the version\n"
                "\nStart with:\n  limber simulate scenes/double-pendulum.yaml\n");
}

static const verb* find_verb(const char* name) {
  for (int i = 0; i < NVERB; i++) {
    if (strcmp(VERBS[i].name, name) == 0) {
      return &VERBS[i];
    }
  }
  return NULL;
}

// The nearest of what there is.
static exit_code unknown_verb(const char* name) {
  const char* best = NULL;
  int distance = 0;
  for (int i = 0; i < NVERB; i++) {
    suggest_nearer(name, VERBS[i].name, &best, &distance);
  }
  for (int i = 0; i < NFAMILY; i++) {
    suggest_nearer(name, FAMILIES[i].name, &best, &distance);
  }
  suggest_nearer(name, "help", &best, &distance);
  suggest_nearer(name, "--help", &best, &distance);
  suggest_nearer(name, "--version", &best, &distance);
  if (best) {
    tell_error("there is no verb '%s' (did you mean '%s'?)", name, best);
  } else {
    tell_error("there is no verb '%s'; 'limber help' lists them", name);
  }
  return EXIT_INPUT;
}

static exit_code unknown_second(const verb_family* f, const char* word) {
  const char* best = NULL;
  int distance = 0;
  for (int i = 0; word && i < NVERB; i++) {
    if (verb_is_of(&VERBS[i], f)) {
      suggest_nearer(word, verb_second(&VERBS[i]), &best, &distance);
    }
  }
  if (best) {
    tell_error("there is no verb '%s %s' (did you mean '%s %s'?)", f->name, word, f->name, best);
  } else if (word) {
    tell_error("there is no verb '%s %s'; 'limber help %s' lists them", f->name, word, f->name);
  } else {
    tell_error("'limber %s' needs another word; try 'limber %s --help'", f->name, f->name);
  }
  return EXIT_INPUT;
}

static bool is_help(const char* word) {
  return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

// The verb that these words begin with, and how many of them name it. NULL after a mistake was
// reported, or the help of a family printed.
static const verb* choose(int narg, char** args, int* used, exit_code* code) {
  const verb_family* f = find_family(args[0]);
  *used = f ? 2 : 1;
  *code = EXIT_DONE;
  if (!f) {
    const verb* one = find_verb(args[0]);
    *code = one ? EXIT_DONE : unknown_verb(args[0]);
    return one;
  }
  if (narg < 2) {
    *code = unknown_second(f, NULL);
    return NULL;
  }
  for (int i = 0; i < NVERB; i++) {
    if (verb_is_of(&VERBS[i], f) && strcmp(verb_second(&VERBS[i]), args[1]) == 0) {
      return &VERBS[i];
    }
  }
  if (is_help(args[1])) {
    family_help(f);
  } else {
    *code = unknown_second(f, args[1]);
  }
  return NULL;
}

static exit_code help(int narg, char** args) {
  if (narg == 0 || strcmp(args[0], "help") == 0) {
    print_help(stdout);
    return EXIT_DONE;
  }
  const verb_family* f = find_family(args[0]);
  int used = 0;
  exit_code code = EXIT_DONE;
  if (f && narg == 1) {
    family_help(f);
    return EXIT_DONE;
  }
  const verb* about = choose(narg, args, &used, &code);
  if (about) {
    verb_help(about);
  }
  return code;
}

static exit_code dispatch(int narg, char** args) {
  if (narg == 0) {
    print_help(stderr);
    return EXIT_INPUT;
  }
  const char* word = args[0];
  if (is_help(word)) {
    return help(narg - 1, args + 1);
  }
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
    printf("limber %s\n", lb_version());
    return EXIT_DONE;
  }
  if (strcmp(word, "--generate") == 0 && narg == 2) { // of the build: see cmake/install.cmake
    return write_manual(args[1]);
  }
  int used = 0;
  exit_code code = EXIT_DONE;
  const verb* chosen = choose(narg, args, &used, &code);
  return chosen ? verb_run(chosen, narg - used, args + used) : code;
}

int main(int argc, char** argv) {
  blas_begin(argv);
  interrupt_prepare();
  const exit_code code = dispatch(argc > 0 ? argc - 1 : 0, argv + 1);
  // A full disk behind stdout is a failure, too.
  if (fflush(stdout) != 0 && code == EXIT_DONE) {
    tell_error("could not write to standard output");
    blas_leave(EXIT_JOB);
  }
  blas_leave((int)code);
}
