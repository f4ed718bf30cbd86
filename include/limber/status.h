// Outcome of a call, and the list of messages that explains it. The library never prints:
// callers hand in an lb_error and show its messages as they like.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "limber/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One list gives the codes and their texts.
#define LB_STATUS_LIST(X)                                                                          \
  X(LB_OK, "ok")                                                                                   \
  X(LB_INVALID, "the input is not valid")                                                          \
  X(LB_NO_MEMORY, "out of memory")                                                                 \
  X(LB_IO, "a file could not be read or written")                                                  \
  X(LB_FAILED, "the computation failed")                                                           \
  X(LB_INTERRUPTED, "interrupted")

typedef enum lb_status {
#define LB_STATUS_CODE(code, text) code,
  LB_STATUS_LIST(LB_STATUS_CODE)
#undef LB_STATUS_CODE
} lb_status;

/// The text of a status, never NULL.
const char* lb_status_text(lb_status status);

/// Place in an input file. Unknown parts are NULL and 0; lines and columns count from 1.
typedef struct lb_place {
  const char* file;
  int line;
  int column;
} lb_place;

/// One thing that is wrong, and where.
typedef struct lb_message {
  lb_place place; ///< the file name is owned by the list
  char* text;     ///< one sentence, no newline; owned by the list
} lb_message;

/// Errors: a list, so that all the mistakes of a file are reported at once. Start from
/// lb_error_make(), release with lb_error_clear(). Every function that takes an `lb_error*` accepts
/// NULL.
typedef struct lb_error {
  lb_status status; ///< of the first message
  int count;
  int capacity;
  lb_message* message; ///< [count]
  int lost;            ///< messages beyond LB_ERROR_MOST, or for which there was no memory
  const lb_allocator* allocator;
} lb_error;

enum { LB_ERROR_MOST = 100 };

/// An empty list; `allocator` may be NULL for the default one.
lb_error lb_error_make(const lb_allocator* allocator);

/// Release the messages; the list is empty and usable again.
void lb_error_clear(lb_error* err);

/// Add a message and return `status`, so that `return lb_error_add(err, LB_IO, place, "...")` reads
/// well. `place.file` is copied.
lb_status lb_error_add(lb_error* err, lb_status status, lb_place place, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

/// Add all messages of another list, and return its status.
lb_status lb_error_append(lb_error* err, const lb_error* from);

/// Write message i as `file:line:column: text` (leaving out what is unknown), cut to `size` bytes.
/// Returns the full length, as snprintf does.
size_t lb_error_format(const lb_error* err, int i, char* out, size_t size);

#ifdef __cplusplus
}
#endif
