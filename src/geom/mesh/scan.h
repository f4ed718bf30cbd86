// Words, numbers and places in a text. Numbers are read the same whatever the locale, and no line
// of the text needs to end in a NUL.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "limber/status.h"

typedef struct lb_scan {
  const char* at;
  const char* end;
  const char* line_start;
  int line;
  const char* file;
  bool comments; ///< a '#' starts one, to the end of the line
  bool joins;    ///< a backslash before a line end joins the lines, but not in a comment
} lb_scan;

/// Some bytes of the text.
typedef struct lb_word {
  const char* at;
  size_t size;
} lb_word;

/// At the text's start, after a byte-order mark if there is one.
lb_scan lb_scan_begin(const char* text, size_t size, const char* file);

/// The next word of this line; false when there is none. Words end at blanks, comments and line
/// ends.
bool lb_scan_word(lb_scan* scan, lb_word* word);

/// Go to the start of the next line that is not joined to this one; false when the text ends.
bool lb_scan_line(lb_scan* scan);

/// Place of `at`, in the current line.
lb_place lb_scan_place(const lb_scan* scan, const char* at);

/// A whole word as a finite decimal number, correct to half a unit in the last place and a hair.
bool lb_word_number(lb_word word, double* value);
/// A whole word as an integer.
bool lb_word_integer(lb_word word, int* value);
/// Compare without regard to case; `text` is in lower case.
bool lb_word_is(lb_word word, const char* text);

/// The word as it may be shown: cut, and without what does not print.
typedef struct lb_word_text {
  char text[40];
} lb_word_text;
lb_word_text lb_word_show(lb_word word);
