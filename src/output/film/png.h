// PNG files.
#pragma once
#include "output/file/out.h"
#include "output/film/raster.h"

// The bytes of an lb_image (lb_file_content).
void lb_png_write(lb_out* out, const void* image);
