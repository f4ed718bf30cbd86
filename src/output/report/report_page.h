// Parts that all pages have.
#pragma once
#include "output/file/out.h"

// From the start to where a page's own content begins.
void lb_report_head(lb_out* out, const char* title);
// Room for the 3-D view.
void lb_report_stage(lb_out* out);
// The script, and the end.
void lb_report_script(lb_out* out);
