// The files a recording becomes, one function each. They write to `out` and leave failures there.
#pragma once
#include "limber/recording.h"
#include "record/file/out.h"

void lb_write_csv(lb_out* out, const lb_recording* recording);
// Its first line, and the one of a frame.
void lb_write_csv_head(lb_out* out, const lb_recording* recording);
void lb_write_csv_frame(lb_out* out, const lb_recording* recording, int frame);
void lb_write_summary(lb_out* out, const lb_recording* recording, const lb_summary* summary);
// With at most `most` frames, evenly spread.
void lb_write_gltf(lb_out* out, const lb_recording* recording, int most);
// With its bodies in groups of equal size, each a node of that name.
void lb_write_gltf_groups(lb_out* out, const lb_recording* recording, int most, int ngroup,
                          const char* const* group);
void lb_write_report(lb_out* out, const lb_recording* recording, const lb_summary* summary);
// What joints must exert, by inverse dynamics, and what passes through them.
void lb_write_torques(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_reactions(lb_out* out, const lb_recording* recording, const lb_summary* summary);
// Of a fit: lines for the scene, and where the fitted markers are at the times of the measured
// ones.
void lb_write_fitted(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_markers(lb_out* out, const lb_recording* recording, const lb_summary* summary);

// Of retargeting: the motors' curves as a table and as splines for a scene, and its three motions.
void lb_write_profiles(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_splines(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_target(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_before(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_after(lb_out* out, const lb_recording* recording, const lb_summary* summary);
// Target, before and after in one world, with at most `most` frames.
void lb_write_gltf_retargeting(lb_out* out, const lb_summary* summary, int most);
// Its part of summary.json.
void lb_summarise_retargeting(lb_out* out, const struct lb_retarget_result* result);

// Of an optimisation: its numbers as a table; its part of summary.json and of the report.
void lb_write_parameters(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_summarise_optimisation(lb_out* out, const struct lb_optimize_result* result);
void lb_report_optimisation(lb_out* out, const struct lb_optimize_result* result);

// Of forces through joints, and of points that are prescribed or touch a floor, by their number in
// a recording: whose it is, and which of several points of one constraint, from 0, or -1.
typedef struct lb_reaction_title {
  const char* name;
  int point;
} lb_reaction_title;
lb_reaction_title lb_reaction_of(const lb_model* m, int i);

// A heading NAME.SUFFIX of a table, with the comma before it.
void lb_write_heading(lb_out* out, const char* name, const char* suffix);
// A cell with a name alone.
void lb_write_name(lb_out* out, const char* name);

// Which frames stand for all of them when at most `most` may be shown: evenly spread, the first and
// the last among them.
static inline int lb_frames_shown(int nframe, int most) {
  return nframe < most ? nframe : most;
}
static inline int lb_frame_shown(int nframe, int shown, int i) {
  return shown > 1 ? (int)((long)i * (nframe - 1) / (shown - 1)) : 0;
}
