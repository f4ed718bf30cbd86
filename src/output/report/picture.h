// Drawings of a recording as SVG, for pages that must show something without a script.
#pragma once
#include "output/file/out.h"
#include "output/report/view.h"

enum { LB_PICTURE_WIDTH = 240, LB_PICTURE_HEIGHT = 180 };

// A picture of very many shapes shows one in so many of them; 1: all.
int lb_picture_stride(const lb_model* model);

// One frame as an <svg> element: the bodies, their shadows, and the paths up to then. Colours of
// the page come from the CSS variables --accent and --text where they are set. False when there is
// no memory.
bool lb_picture_write(lb_out* out, const lb_recording* recording, const lb_view* view, int frame);

// A picture with its frame, up to the caption, which the caller goes on to write.
bool lb_report_shot(lb_out* out, const lb_recording* recording, const lb_view* view, int frame);
