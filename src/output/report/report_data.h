// The data of report.html, for its script.
#pragma once
#include "output/file/out.h"
#include "output/report/view.h"

enum { LB_REPORT_CURVES = 600 }; // the page has at most

// Curves that there could be.
long lb_report_curves(const lb_recording* recording);

// A <script> element that holds times, energies, the view and the curves as JSON.
void lb_report_data(lb_out* out, const lb_recording* recording, const lb_view* view);
