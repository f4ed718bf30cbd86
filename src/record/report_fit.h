// What a report says of a fit.
#pragma once
#include "limber/fit.h"
#include "record/out.h"

// A table of the numbers found, with what is to be thought of them.
void lb_report_fit(lb_out* out, const lb_fit* fit);

// Measured and fitted markers for the plots, as a member `fit` of the page's data.
void lb_report_fit_data(lb_out* out, const lb_fit* fit);
