// Numbers for people in HTML, and rows of tables.
#pragma once
#include "record/out.h"

// A whole number with thin spaces between thousands.
void lb_words_count(lb_out* out, long n);
// Four digits, with a power of ten where plain digits would be long.
void lb_words_number(lb_out* out, double x);
// With a fitting unit.
void lb_words_seconds(lb_out* out, double t);
void lb_words_plural(lb_out* out, long n, const char* one, const char* many);

// A row of two cells: begin, write the second, end. A count of zero gets no row.
void lb_row(lb_out* out, const char* name);
void lb_row_end(lb_out* out);
void lb_row_count(lb_out* out, const char* name, long n);
