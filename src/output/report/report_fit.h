// Part of a report about a fit.
#pragma once
#include "limber/fit.h"
#include "output/file/out.h"

// A table of the numbers found, with what is to be thought of them.
void lb_report_fit(lb_out* out, const lb_fit* fit);

// A <script> element that holds measured and fitted markers for the plots, as JSON.
void lb_report_fit_data(lb_out* out, const lb_fit* fit);
