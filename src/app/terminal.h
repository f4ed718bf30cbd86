// Words to the person at the terminal: errors, notes, and the progress of long work. Colour and
// motion appear only on a terminal, and not when NO_COLOR is set. What would steer the terminal
// does not get there.
#pragma once
#include <stdbool.h>
#include <stdio.h>

#include "base/pace.h"
#include "limber/progress.h"
#include "limber/status.h"

// Text that makes what follows bold or plain in `file`; empty where there is no colour.
const char* style_bold(FILE* file);
const char* style_off(FILE* file);

// `error: ...` on stderr.
void tell_error(const char* format, ...) __attribute__((format(printf, 1, 2)));
// `warning: ...` on stderr, with its place unless that is all zero.
void tell_warning(lb_place place, const char* text);
// `note: ...` on stderr.
void tell_note(const char* format, ...) __attribute__((format(printf, 1, 2)));
// All messages of a list, each as an error.
void tell_errors(const lb_error* err);

// A line of results, and one with a name in bold.
void say(FILE* file, const char* format, ...) __attribute__((format(printf, 2, 3)));
void say_title(const char* name, const char* text);
// The line as an object with its kind, its name unless NULL and the text, if lines are such; else
// false.
bool say_json(FILE* file, const char* kind, const char* name, const char* text);
// From here on every line is an object of JSON, and nothing moves.
void terminal_use_json(void);

// Shows how far work is on stderr: a bar on a terminal, now and then a line elsewhere, nothing when
// the work is short; where the end is not known, a sentence instead of the bar. Stops the work once
// the program was interrupted.
typedef struct meter {
  bool quiet;
  bool terminal;
  bool drawn;      // a bar stands on the last line
  double shown;    // clock when last shown
  double wait;     // s until the next line, where there is no bar
  double fraction; // when last shown
  lb_pace pace;
} meter;

meter meter_start(bool quiet);
lb_progress meter_progress(meter* m);
// Take the bar away.
void meter_end(meter* m);
