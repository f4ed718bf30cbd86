// What retargeting and the replay of its curves share: three motions and what they are judged by.
#pragma once
#include "job/job_inside.h"
#include "limber/shaping.h"

typedef struct lb_comparison {
  lb_retarget* what;
  lb_curves* input;
  lb_recording *target, *before; // the job's own recording is `after`
  lb_replay was, is;
  lb_recording shown[3]; // target, before and after, as many frames of each
  lb_retarget_result result;
} lb_comparison;

// Of a model in its bases: what is tracked, the input's curves, and recordings, the target's of
// this model and the others of the job's. `deviations`: of how many replays there is to be room
// for, at was.track and after it.
lb_status lb_comparison_create(lb_job* job, lb_comparison* c, const lb_model* reduced,
                               int deviations, lb_error* err);
void lb_comparison_release(lb_comparison* c);

// The result, which is the summary's where there is a frame of each.
void lb_comparison_conclude(lb_job* job, lb_comparison* c, const lb_curves* curves, bool done);

// "peak deviation 3 mm (basis: ± 0.1 mm), was 30 mm: 10.0 times less; "
const char* lb_comparison_text(const lb_comparison* c, char* out, size_t size);
