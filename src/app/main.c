// The command line: finds the verb and hands it the rest of the words.
#include <stdio.h>
#include <string.h>

#include "app/suggest.h"
#include "app/terminal.h"
#include "app/verb.h"
#include "limber/version.h"

static void print_help(FILE* file) {
  fprintf(file, "Limber %s simulates the motion of articulated characters.\n\n", lb_version());
  fprintf(file, "Usage: limber VERB ...\n\nVerbs:\n");
  for (int i = 0; i < NVERB; i++) {
    fprintf(file, "  %-10s %s\n", VERBS[i].name, VERBS[i].summary);
  }
  fprintf(file, "  %-10s %s\n", "help", "show this text, or 'limber help VERB' all about a verb");
  fprintf(file, "\nOptions:\n  -h, --help   show this text\n  --version    show the version\n"
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

static exit_code unknown_verb(const char* name) {
  const char* best = NULL;
  int distance = 0;
  for (int i = 0; i < NVERB; i++) {
    suggest_nearer(name, VERBS[i].name, &best, &distance);
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

static exit_code help(int narg, char** args) {
  if (narg == 0) {
    print_help(stdout);
    return EXIT_DONE;
  }
  const verb* about = find_verb(args[0]);
  if (!about) {
    return unknown_verb(args[0]);
  }
  verb_help(about);
  return EXIT_DONE;
}

static exit_code dispatch(int narg, char** args) {
  if (narg == 0) {
    print_help(stderr);
    return EXIT_INPUT;
  }
  const char* word = args[0];
  if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
    return help(narg - 1, args + 1);
  }
  if (strcmp(word, "--version") == 0) {
    printf("limber %s\n", lb_version());
    return EXIT_DONE;
  }
  const verb* chosen = find_verb(word);
  return chosen ? verb_run(chosen, narg - 1, args + 1) : unknown_verb(word);
}

int main(int argc, char** argv) {
  const exit_code code = dispatch(argc > 0 ? argc - 1 : 0, argv + 1);
  // A full disk behind stdout is a failure, too.
  if (fflush(stdout) != 0 && code == EXIT_DONE) {
    tell_error("could not write to standard output");
    return EXIT_JOB;
  }
  return (int)code;
}
