// Parts of a report about fits and inverse kinematics.
#pragma once
#include "limber/ik.h"
#include "output/file/out.h"

// A table of the numbers found, with what is to be thought of them.
void lb_report_fit(lb_out* out, const lb_fit* fit);

// A table of markers, and how near they come.
void lb_report_ik(lb_out* out, const lb_ik* ik);

// A <script> element that holds measured markers and the model's for the plots, as JSON.
void lb_report_marker_data(lb_out* out, const lb_summary* summary);
