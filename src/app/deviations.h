// The table of how far motions are from their target, for the terminal.
#pragma once
#include "limber/shaping.h"

void deviations_head(void);
void deviations_row(const lb_replay* r);
