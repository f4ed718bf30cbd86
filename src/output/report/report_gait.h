// Foot-falls over time, and figures of walking.
#pragma once
#include "limber/gait.h"
#include "output/file/out.h"

void lb_report_gait(lb_out* out, const lb_recording* recording, const lb_gait* gait);
