// The mistakes of a scene, gathered: reported once each, in the order of the lines.
#pragma once
#include "limber/status.h"

typedef struct lb_report {
  lb_error* err;    // may be NULL
  int first;        // messages that were there before
  lb_status status; // LB_OK as long as nothing is wrong
} lb_report;

lb_report lb_report_make(lb_error* err);

// Add a mistake. The same text at the same place, digits aside, is reported once: what `repeat`
// makes of one line has one mistake, not four hundred.
void lb_report_add(lb_report* report, lb_status status, lb_place place, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

// Whether a mistake at this place would be worth a long search for a suggestion: there is a list,
// it is not full, and nothing was said at this place yet.
bool lb_report_wants(const lb_report* report, lb_place place);

// Put the messages in the order of lines, file by file.
void lb_report_sort(lb_report* report);
