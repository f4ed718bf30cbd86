// Films go through ffmpeg: it gets raw frames and writes aside, and what it made is renamed when it
// is complete. A socket in place of a pipe says by an error, not by a signal, that ffmpeg has gone.
#include "output/film/film.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output/file/whole_file.h"
#include "output/film/png.h"
#include "output/film/raster.h"

extern char** environ;

// --- frames ---

typedef struct studio {
  lb_arena arena;
  lb_raster* raster;
  lb_image image;
} studio;

static lb_status open_studio(studio* s, const lb_recording* r, lb_error* err) {
  *s = (studio){.image = {.width = LB_FILM_WIDTH, .height = LB_FILM_HEIGHT}};
  lb_arena_init(&s->arena, r->allocator);
  s->image.rgb = LB_TAKE(&s->arena, unsigned char, 3 * LB_FILM_WIDTH * LB_FILM_HEIGHT);
  if (!s->image.rgb ||
      lb_raster_create(r, LB_FILM_WIDTH, LB_FILM_HEIGHT, &s->arena, &s->raster) != LB_OK) {
    lb_arena_release(&s->arena);
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for a picture");
  }
  return LB_OK;
}

static int nearest(const lb_recording* r, double time) {
  int best = 0;
  for (int f = 1; f < r->nframe; f++) {
    best = fabs(r->time[f] - time) < fabs(r->time[best] - time) ? f : best;
  }
  return best;
}

lb_status lb_film_picture(const lb_recording* r, double time, const char* dir, lb_error* err) {
  studio s;
  lb_status status = r->nframe > 0 ? open_studio(&s, r, err) : LB_OK;
  if (status == LB_OK && r->nframe > 0) {
    lb_raster_draw(s.raster, nearest(r, time), &s.image);
    status = lb_file_write(dir, "picture.png", lb_png_write, &s.image, r->allocator, err);
    lb_arena_release(&s.arena);
  }
  return status;
}

// --- ffmpeg ---

typedef struct encoder {
  pid_t process;
  int input;
  char aside[4200], path[4200];
} encoder;

static lb_status start(encoder* e, const char* format, const char* dir, lb_error* err) {
  char size[32], rate[16];
  int end[2];
  snprintf(size, sizeof size, "%dx%d", LB_FILM_WIDTH, LB_FILM_HEIGHT);
  snprintf(rate, sizeof rate, "%d", LB_FILM_RATE);
  snprintf(e->path, sizeof e->path, "%s/film.%s", dir, format);
  snprintf(e->aside, sizeof e->aside, "%s/film.part.%s", dir, format);
  char* args[] = {"ffmpeg",   "-loglevel", "error", "-y", "-f",     "rawvideo", "-pix_fmt", "rgb24",
                  "-s",       size,        "-r",    rate, "-i",     "-",        "-crf",     "22",
                  "-pix_fmt", "yuv420p",   "-b:v",  "0",  e->aside, NULL};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, end) != 0) {
    return lb_error_add(err, LB_IO, (lb_place){.file = e->path}, "no film: %s", strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, end[0], 0);
  posix_spawn_file_actions_addclose(&actions, end[1]);
  const int failed = posix_spawnp(&e->process, "ffmpeg", &actions, NULL, args, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(end[0]);
  e->input = end[1];
  if (failed) {
    close(end[1]);
    return lb_error_add(err, LB_FAILED, (lb_place){.file = e->path},
                        "a film needs ffmpeg, which is not there (Debian has it as 'ffmpeg'); all "
                        "else was written");
  }
  return LB_OK;
}

static bool send_frame(const encoder* e, const lb_image* image) {
  const size_t size = 3 * (size_t)image->width * (size_t)image->height;
  for (size_t sent = 0; sent < size;) {
    const ssize_t n = send(e->input, image->rgb + sent, size - sent, MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR) {
      return false;
    }
    sent += n > 0 ? (size_t)n : 0;
  }
  return true;
}

static lb_status finish(const encoder* e, lb_status status, lb_error* err) {
  int code = 0;
  close(e->input);
  while (waitpid(e->process, &code, 0) < 0 && errno == EINTR) {
  }
  const bool made = WIFEXITED(code) && WEXITSTATUS(code) == 0;
  if (status == LB_OK && made && rename(e->aside, e->path) == 0) {
    return LB_OK;
  }
  remove(e->aside);
  return status == LB_OK ? lb_error_add(err, LB_FAILED, (lb_place){.file = e->path},
                                        "ffmpeg could not make the film")
                         : status;
}

lb_status lb_film_write(const lb_recording* r, const char* format, const char* dir,
                        const lb_progress* progress, lb_error* err) {
  encoder e;
  studio s;
  lb_status status = open_studio(&s, r, err);
  if (status != LB_OK) {
    return status;
  }
  status = start(&e, format, dir, err);
  const double length = r->nframe > 0 ? r->time[r->nframe - 1] - r->time[0] : 0;
  const int frames = 1 + (int)(length * LB_FILM_RATE + 1e-9);
  const bool runs = status == LB_OK;
  for (int i = 0; i < frames && status == LB_OK && r->nframe > 0; i++) {
    lb_raster_draw(s.raster, nearest(r, r->time[0] + (double)i / LB_FILM_RATE), &s.image);
    if (!send_frame(&e, &s.image)) {
      break; // its exit code says why
    }
    if (!lb_progress_report(progress, (i + 1.0) / frames, "drawing the film")) {
      status =
          lb_error_add(err, LB_INTERRUPTED, (lb_place){0}, "interrupted while the film was drawn");
    }
  }
  lb_arena_release(&s.arena);
  return runs ? finish(&e, status, err) : status;
}
