// The stream is read in pieces, so that pipes work; each piece doubles what there is.
#include "base/read_all.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

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

lb_status lb_read_all(FILE* file, size_t most, lb_arena* arena, char** text, size_t* size) {
  size_t room = 1 << 16;
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
