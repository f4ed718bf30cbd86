// The files a recording becomes, one function each. They write to `out` and leave failures there.
#pragma once
#include "limber/recording.h"
#include "record/out.h"

void lb_write_csv(lb_out* out, const lb_recording* recording);
void lb_write_summary(lb_out* out, const lb_recording* recording, const lb_summary* summary);
// With at most `most` frames, evenly spread.
void lb_write_gltf(lb_out* out, const lb_recording* recording, int most);
void lb_write_report(lb_out* out, const lb_recording* recording, const lb_summary* summary);
// Of a fit: lines for the scene, and where the fitted markers are at the times of the measured
// ones.
void lb_write_fitted(lb_out* out, const lb_recording* recording, const lb_summary* summary);
void lb_write_markers(lb_out* out, const lb_recording* recording, const lb_summary* summary);

// A heading NAME.SUFFIX of a table, with the comma before it.
void lb_write_heading(lb_out* out, const char* name, const char* suffix);

// Which frames stand for all of them when at most `most` may be shown: evenly spread, the first and
// the last among them.
static inline int lb_frames_shown(int nframe, int most) {
  return nframe < most ? nframe : most;
}
static inline int lb_frame_shown(int nframe, int shown, int i) {
  return shown > 1 ? (int)((long)i * (nframe - 1) / (shown - 1)) : 0;
}
