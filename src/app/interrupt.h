// Ctrl-C (and a polite kill) ask the work to stop; a second one ends the program at once.
#pragma once
#include <stdbool.h>

void interrupt_listen(void);
bool interrupted(void);
