// Ctrl-C (and a polite kill, or a terminal that is closed) ask the work to stop; a second one ends
// the program at once.
#pragma once
#include <stdbool.h>

// What holds from the program's start: a file that grows too large is an error to be told.
void interrupt_prepare(void);
// From here on there is something to keep.
void interrupt_listen(void);
bool interrupted(void);
