// What a motion that was analysed comes to in a few figures: for reports and the terminal.
#pragma once
#include "limber/analysis.h"
#include "limber/recording.h"

typedef struct lb_analysis_peak {
  int at;       // coordinate (velocity) or joint; -1: none
  double value; // [N m or N]
  double time;  // [s]
} lb_analysis_peak;

// Side of a name that ends in _r or _l; 0: neither. Is b the name of the other side?
char lb_side_of(const char* name);
bool lb_is_other_side(const char* a, const char* b);
double lb_body_weight(const lb_model* model); // [N]

// A joint that carries its body freely through the world, as of a pelvis: it slides and turns.
bool lb_joint_floats(const lb_model* model, int joint);

// The largest moments about coordinates, largest first and one for both sides, whatever exerts
// them; those of joints that float are left out. Returns how many of `most` there are.
int lb_moment_peaks(const lb_analysis* analysis, int most, lb_analysis_peak* peak);
// The largest force that passes through a joint, muscles pulling; -1: it was not recorded.
lb_analysis_peak lb_load_peak(const lb_recording* recording, const lb_analysis* analysis);
// The largest reserve of a coordinate that muscles reach, or of one that none does.
lb_analysis_peak lb_reserve_peak(const lb_analysis* analysis, bool reached);
// Part of a muscle in the inertia at a coordinate, the largest over the frames.
double lb_inertia_part(const lb_analysis* analysis, int muscle, int v);
// The largest force that must come from nowhere, at joints that float; and the longest time in
// which it stays below `least` [N], empty where it never does.
lb_analysis_peak lb_root_peak(const lb_analysis* analysis, double least, double below[2]);
