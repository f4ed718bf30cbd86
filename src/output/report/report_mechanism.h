// Part of a report about linkages: a drawing with the paths of their points, and a table.
#pragma once
#include "limber/mechanism.h"
#include "output/file/out.h"

void lb_report_mechanism(lb_out* out, const lb_mechanism* mechanism);
