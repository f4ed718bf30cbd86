// Pictures and films of recordings, as files.
#pragma once
#include "limber/recording.h"

enum {
  LB_FILM_WIDTH = 1280,
  LB_FILM_HEIGHT = 720,
  LB_FILM_RATE = 30
}; // the last in frames a second

// DIR/picture.png: the frame nearest to a time.
lb_status lb_film_picture(const lb_recording* recording, double time, const char* dir,
                          lb_error* err);

// DIR/film.FORMAT, mp4 or webm, in real time, by ffmpeg. LB_FAILED: it is not there, or it failed.
lb_status lb_film_write(const lb_recording* recording, const char* format, const char* dir,
                        const lb_progress* progress, lb_error* err);
