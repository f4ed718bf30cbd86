// Forces as arrows in the 3-D view of report.html: contacts, springs and joints.
#pragma once
#include "output/file/out.h"
#include "output/report/view.h"

// The member "arrows" of the page's data: names and groups of the arrows, times, and at each of
// them where an arrow begins and its force, in the world.
void lb_report_arrows(lb_out* out, const lb_recording* recording);
