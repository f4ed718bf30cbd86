// The part of a report that retargeting has of its own.
#pragma once
#include "limber/shaping.h"
#include "output/file/out.h"
#include "output/report/view.h"

// Figures, the table of what else could be done, the search, and the spread.
void lb_report_retarget(lb_out* out, const lb_retarget_result* result);

// Pictures of the motion before and after, each over the target. False when there is no memory.
bool lb_report_retarget_strip(lb_out* out, const lb_retarget_result* result, const lb_view* view);

// Numbers for the plots.
void lb_report_retarget_data(lb_out* out, const lb_retarget_result* result);
