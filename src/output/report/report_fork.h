// Reduced mechanisms in the report.
#pragma once
#include "output/file/writers.h"

struct lb_fork_result;

// Figures and tables.
void lb_report_forks(lb_out* out, const struct lb_fork_result* result);
// Ellipsoids and both motions, for the script.
void lb_report_fork_data(lb_out* out, const struct lb_fork_result* result);
