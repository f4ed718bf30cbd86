// Numbers for people, as HTML.
#pragma once

enum { LB_REPORT_WORD = 64 };

// A whole number with thin spaces between thousands.
const char* lb_report_grouped(long n, char out[LB_REPORT_WORD]);
// A number with so many digits after the point at most.
const char* lb_report_fixed(double x, int decimals, char out[LB_REPORT_WORD]);
// Four digits, with a power of ten where plain digits would be long.
const char* lb_report_human(double x, char out[LB_REPORT_WORD]);
// "1.5 s", "20 ms".
const char* lb_report_seconds(double t, char out[LB_REPORT_WORD]);
// The same of a mark on an axis, in the unit of the axis' last.
const char* lb_report_seconds_to(double t, double last, char out[LB_REPORT_WORD]);
