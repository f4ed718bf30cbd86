// Status texts and the list of messages.
#include "limber/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char* lb_status_text(lb_status status) {
  switch (status) {
#define LB_STATUS_TEXT(code, text)                                                                 \
  case code:                                                                                       \
    return text;
    LB_STATUS_LIST(LB_STATUS_TEXT)
#undef LB_STATUS_TEXT
  }
  return "unknown status";
}

lb_error lb_error_make(const lb_allocator* allocator) {
  return (lb_error){.status = LB_OK, .allocator = allocator ? allocator : lb_allocator_default()};
}

void lb_error_clear(lb_error* err) {
  if (!err) {
    return;
  }
  for (int i = 0; i < err->count; i++) {
    lb_release(err->allocator, err->message[i].text); // the file name lives in the same block
  }
  lb_release(err->allocator, err->message);
  *err = lb_error_make(err->allocator);
}

// Make room for one more message; false when there is no memory or the list is full.
static bool grow(lb_error* err) {
  if (err->count < err->capacity) {
    return true;
  }
  if (err->count >= LB_ERROR_MOST) {
    return false;
  }
  const int wanted = err->capacity ? 2 * err->capacity : 8;
  lb_message* moved = lb_allocate(err->allocator, (size_t)wanted * sizeof *moved);
  if (!moved) {
    return false;
  }
  if (err->count) {
    memcpy(moved, err->message, (size_t)err->count * sizeof *moved);
  }
  lb_release(err->allocator, err->message);
  err->message = moved;
  err->capacity = wanted;
  return true;
}

lb_status lb_error_add(lb_error* err, lb_status status, lb_place place, const char* format, ...) {
  if (!err) {
    return status;
  }
  if (err->status == LB_OK) {
    err->status = status;
  }
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  const int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  const size_t text_size = (length > 0 ? (size_t)length : 0) + 1;
  const size_t file_size = place.file ? strlen(place.file) + 1 : 0;
  char* block = err->count < LB_ERROR_MOST && grow(err)
                    ? lb_allocate(err->allocator, text_size + file_size)
                    : NULL;
  if (block) {
    vsnprintf(block, text_size, format, again);
    if (place.file) {
      memcpy(block + text_size, place.file, file_size);
      place.file = block + text_size;
    }
    err->message[err->count++] = (lb_message){.place = place, .text = block};
  } else {
    err->lost++;
  }
  va_end(again);
  return status;
}

lb_status lb_error_append(lb_error* err, const lb_error* from) {
  for (int i = 0; i < from->count; i++) {
    lb_error_add(err, from->status, from->message[i].place, "%s", from->message[i].text);
  }
  return from->status;
}

size_t lb_error_format(const lb_error* err, int i, char* out, size_t size) {
  const lb_message* m = &err->message[i];
  int n;
  if (!m->place.file) {
    n = snprintf(out, size, "%s", m->text);
  } else if (m->place.line <= 0) {
    n = snprintf(out, size, "%s: %s", m->place.file, m->text);
  } else {
    n = snprintf(out, size, "%s:%d:%d: %s", m->place.file, m->place.line, m->place.column, m->text);
  }
  return n > 0 ? (size_t)n : 0;
}
