// The part of a report about a motion that was analysed: angles, moments, joint loads and
// activations as small plots side by side, left legs over right ones.
#pragma once
#include "limber/analysis.h"
#include "limber/recording.h"
#include "output/file/out.h"

// The largest moments, joint load and reserve as cards; returns the number of moments.
int lb_report_analysis_figures(lb_out* out, const lb_recording* recording,
                               const lb_analysis* analysis);
void lb_report_analysis(lb_out* out, const lb_recording* recording, const lb_analysis* analysis);
// Activations over the time of the motion, by which the view colours muscles.
void lb_report_muscle_data(lb_out* out, const lb_recording* recording, const lb_analysis* analysis);
