// A verb of the command line: `limber VERB ...`. Each is one file with one of these; main.c holds
// the list. The tables give the parser, the help texts and the suggestions all they know.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// What the program returns to the shell.
typedef enum exit_code {
  EXIT_DONE = 0,
  EXIT_JOB = 1,          // the job failed; the message says why and what was kept
  EXIT_INPUT = 2,        // bad input or usage
  EXIT_INTERRUPTED = 130 // Ctrl-C or a polite kill; what was done so far is saved
} exit_code;

// Turn the text after an option into a value at `target`. Returns what was expected instead when
// the text is not that, or NULL when all is well.
typedef const char* (*option_parse)(const char* text, void* target);

const char* parse_text(const char* text, void* target);      // const char*
const char* parse_seconds(const char* text, void* target);   // double, positive; units as in scenes
const char* parse_length(const char* text, void* target);    // double, positive; units as in scenes
const char* parse_rate(const char* text, void* target);      // double, positive [Hz]
const char* parse_frequency(const char* text, void* target); // the same, of no samples
const char* parse_threads(const char* text, void* target);   // int, 1 to 1024
const char* parse_bytes(const char* text, void* target);     // size_t, positive; kB, MB, GB

typedef struct option {
  const char* name;   // with its dashes: "--out"
  const char* letter; // short form: "-o", or NULL
  const char* value;  // how help calls its value: "DIR"; NULL: a flag, with a bool at `offset`
  option_parse parse; // of the value
  size_t offset;      // of the field in the verb's arguments
  const char* help;   // what it does, and its default
} option;

typedef struct verb {
  const char* name;
  const char* usage;   // what follows the name
  const char* summary; // one line in the list of verbs
  const char* about;   // paragraphs of the help text
  const char* example; // command lines
  const char* exits;   // exit codes, one a line
  const option* options;
  int noption;
  int least, most; // how many plain arguments it takes
  // Read the options and run; `args` are the words after the verb.
  exit_code (*run)(const struct verb* self, int narg, char** args);
} verb;

extern const verb verb_check;
extern const verb verb_fit;
extern const verb verb_inverse;
extern const verb verb_optimize;
extern const verb verb_reduce;
extern const verb verb_replay;
extern const verb verb_retarget;
extern const verb verb_simulate;

// Read `args` into the structure `into` and gather the plain arguments at the front of `args`,
// `*nplain` of them. False after a mistake was told, or when help was asked for and printed;
// `*code` is then what to exit with.
bool verb_parse(const verb* v, int narg, char** args, void* into, int* nplain, exit_code* code);

void verb_help(const verb* v);
