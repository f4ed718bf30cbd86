// Lines of muscles and of cables over surfaces as pictures show them, of all frames: found once,
// for all that is drawn.
#pragma once
#include "limber/recording.h"

typedef struct lb_drawn_paths {
  int nframe, width; // frames that were drawn; places a frame
  lb_vec3* place;    // [nframe][width], path by path
} lb_drawn_paths;

// Draw the paths of all frames, unless that was done. Without memory nothing is kept, and pictures
// find each line by itself.
void lb_drawn_paths_fill(const lb_recording* r);
// Places along the path of a tube [nline + 1] in a frame; in `room` where they are not kept.
const lb_vec3* lb_drawn_path(const lb_recording* r, int frame, int tube, lb_vec3* room);
