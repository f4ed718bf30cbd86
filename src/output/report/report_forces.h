// The part of a report about forces: what someone sizes motors, springs and rods by.
#pragma once
#include "limber/recording.h"
#include "output/file/out.h"

// A headline figure.
void lb_report_figure(lb_out* out, const char* number, const char* unit, const char* text);
// Headlines: the largest of each kind of force that there is, a few at most; how many.
int lb_report_force_figures(lb_out* out, const lb_recording* recording);
// Tables of motors and of forces.
void lb_report_forces(lb_out* out, const lb_recording* recording);
