// A verb of the command line: `limber VERB ...`. Most are kinds of jobs (limber/job.h); the
// tables in verbs.c give the parser, the help texts and the suggestions all they know.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "limber/job.h"

// What the program returns to the shell.
typedef enum exit_code {
  EXIT_DONE = 0,
  EXIT_JOB = 1,          // the job failed; the message says why and what was kept
  EXIT_INPUT = 2,        // bad input or usage
  EXIT_INTERRUPTED = 130 // Ctrl-C or a polite kill; what was done so far is saved
} exit_code;

// Texts of an option that may be given several times.
enum { MOST_TEXTS = 100 };
typedef struct option_texts {
  int count;
  const char* text[MOST_TEXTS];
} option_texts;

// What options are read into.
typedef struct verb_args {
  lb_job_options o;
  option_texts set, over;
  bool quiet;
  bool verbose; // say how long stages took
  bool json;    // lines as JSON
  bool force;   // results of another scene may be overwritten
  bool no_cache;
} verb_args;

// What the text after an option may be.
typedef struct option_type {
  // Turn the text into a value at `target`; false: it is no such thing.
  bool (*read)(const struct option_type* self, const char* text, void* target);
  int unit;           // an lb_unit_kind, where there are units
  double least, most; // bounds, where there are any
  const char* expected;
} option_type;

typedef struct option {
  const char* name;        // with its dashes: "--out"
  const char* letter;      // short form: "-o", or NULL
  const char* value;       // how help calls its value: "DIR"; NULL: a flag
  const option_type* type; // of the value; NULL: a bool
  size_t offset;           // in verb_args
  unsigned of;             // bits of the verbs that take it
  const char* help;        // what it does, and its default
} option;

typedef struct verb {
  const char* name; // of the job; of one of a family both words, as "muscle static"
  unsigned bit;
  const char* usage;   // what follows the name
  const char* summary; // one line in the list of verbs
  const char* about;   // paragraphs of the help text
  const char* example; // command lines
  const char* exits;   // exit codes, one a line
  int least, most;     // how many plain words it takes: the scene, and perhaps a table
  bool many;           // all of them are scenes, and nothing is written
  const char* inside;  // its folder inside that of the scene, or NULL: that one
  bool replays;        // it reads the folder of another job, and writes into one there
  exit_code (*act)(const verb_args* args, int nplain, char** plain); // of verbs that are no jobs
} verb;

extern const verb VERBS[];
extern const int NVERB;

// Verbs of two words, `limber FAMILY WHAT ...`: what their first word stands for.
typedef struct verb_family {
  const char *name, *summary;
} verb_family;
extern const verb_family FAMILIES[];
extern const int NFAMILY;
// The second word of a verb, or NULL: it has one.
const char* verb_second(const verb* v);
// The family that a name, or the first word of it, is; or NULL.
const verb_family* find_family(const char* name);
bool verb_is_of(const verb* v, const verb_family* f);
void family_help(const verb_family* f);

// The options of a verb, one after the other; NULL at the end.
const option* verb_option(const verb* v, int i);

// What verbs do that are no jobs.
exit_code new_scene(const verb_args* a, int nplain, char** words);
exit_code list_examples(const verb_args* a, int nplain, char** words);
exit_code compare_runs(const verb_args* a, int nplain, char** words);
exit_code view_report(const verb_args* a, int nplain, char** words);

// Read `args` into `into` and gather the plain arguments at the front of `args`, `*nplain` of them.
// False after a mistake was reported, or when help was asked for and printed; `*code` is then what
// to exit with.
bool verb_parse(const verb* v, int narg, char** args, verb_args* into, int* nplain,
                exit_code* code);
void verb_help(const verb* v);

// Read the words after the verb, and do its job.
exit_code verb_run(const verb* v, int narg, char** args);
