// The stream is read in pieces, so that pipes work; each piece doubles what there is.
#include "base/read_all.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE* lb_open_to_read(const char* path) {
  const int opened = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  FILE* file = opened >= 0 ? fdopen(opened, "rb") : NULL;
  if (!file && opened >= 0) {
    close(opened);
  }
  return file;
}

// Up to `size` bytes; fewer at the end, or where reading fails. A pipe that does not block is
// waited for.
static size_t read_some(FILE* file, char* to, size_t size) {
  size_t n = fread(to, 1, size, file);
  while (ferror(file) && (errno == EAGAIN || errno == EINTR)) {
    poll(&(struct pollfd){.fd = fileno(file), .events = POLLIN}, 1, -1);
    clearerr(file);
    n += fread(to + n, 1, size - n, file);
  }
  return n;
}

// All that comes, or more than `most`. `room` is what is taken at first.
static lb_status read_pieces(FILE* file, size_t most, size_t room, lb_arena* arena, char** text,
                             size_t* size) {
  *size = 0;
  *text = LB_TAKE(arena, char, room);
  while (*text) {
    *size += read_some(file, *text + *size, room - *size);
    if (*size < room || *size > most) {
      return ferror(file) ? LB_IO : LB_OK;
    }
    char* moved = LB_TAKE(arena, char, 2 * room);
    if (moved) {
      memcpy(moved, *text, *size);
    }
    *text = moved;
    room *= 2;
  }
  return LB_NO_MEMORY;
}

// Room for a file as large as the folder says, and where it grows while it is read, for more.
static lb_status read_bounded(FILE* file, const struct stat* s, size_t most, lb_arena* arena,
                              char** text, size_t* size) {
  enum { LEAST_ROOM = 1 << 16 };
  const size_t known = S_ISREG(s->st_mode) ? (size_t)s->st_size : 0;
  if (known > most) {
    return LB_INVALID;
  }
  const size_t room = known < LEAST_ROOM ? LEAST_ROOM : known + 1;
  const lb_status status = read_pieces(file, most, room, arena, text, size);
  return status == LB_OK && *size > most ? LB_INVALID : status;
}

lb_status lb_read_all(FILE* file, size_t most, lb_arena* arena, char** text, size_t* size,
                      const char** why) {
  struct stat s;
  if (fstat(fileno(file), &s) != 0) {
    *why = "it cannot be examined";
    return LB_IO;
  }
  const bool regular = S_ISREG(s.st_mode), pipe = S_ISFIFO(s.st_mode);
  if (!regular && !pipe && file != stdin) {
    *why = "it is not a file";
    return LB_IO;
  }
  most = regular || most < LB_PIPE_MOST_BYTES ? most : LB_PIPE_MOST_BYTES;
  const lb_status status = read_bounded(file, &s, most, arena, text, size);
  const bool nothing = status == LB_OK && *size == 0 && pipe;
  const bool open = !regular && most == LB_PIPE_MOST_BYTES;
  *why = nothing           ? "nothing came through the pipe"
         : status == LB_IO ? "reading failed half-way"
         : open            ? "it is endless, or has more than 256 MB"
                           : "it is too large";
  return nothing ? LB_IO : status;
}
