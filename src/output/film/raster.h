// A frame of a recording as an image: triangles with a depth buffer, lit from above the viewer's
// left shoulder, on a grid, with shadows on what they stand on. Seen as the report's 3-D view is.
#pragma once
#include "base/arena.h"
#include "output/report/view.h"

typedef struct lb_image {
  int width, height;
  unsigned char* rgb; // [height][width][3], the top line first
} lb_image;

// Surfaces of all shapes, made once for a recording; in `arena`.
typedef struct lb_raster lb_raster;
lb_status lb_raster_create(const lb_recording* recording, int width, int height, lb_arena* arena,
                           lb_raster** raster);
// Draw a frame; `image` has the size that the raster was made for.
void lb_raster_draw(lb_raster* raster, int frame, lb_image* image);
