// Numbers and warnings for people.
#pragma once
#include "limber/recording.h"

// A duration: "250 us", "1.5 ms", "12.3 s", "2 min 5 s", "1 h 2 min".
const char* lb_text_duration(double seconds, char* out, size_t size);
// A count, to three digits or so.
const char* lb_text_amount(double amount, char* out, size_t size);

// Warnings as snprintf writes them; 0: there is nothing to warn of.
int lb_text_moved_start(const lb_model* m, const lb_moved_start* moved, char* out, size_t size);
int lb_text_steep_friction(const lb_model* m, const lb_steep_friction* steep, double step,
                           char* out, size_t size);
int lb_text_spline_exit(const lb_recording* r, int joint, char* out, size_t size);
int lb_text_inversion(const lb_recording* r, const lb_inversion* inversion, char* out, size_t size);
int lb_text_range(const lb_summary* s, char* out, size_t size);
