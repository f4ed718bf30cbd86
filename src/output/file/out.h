// Bytes on their way out: to memory that grows, or to a file through a buffer. The first failure
// sticks and later calls do nothing, so a writer is straight-line code with one check at its end.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "limber/memory.h"
#include "limber/status.h"

typedef struct lb_out {
  const lb_allocator* allocator;
  char* data;
  size_t size;
  size_t capacity;
  int fd;                          // -1: memory
  lb_status status;                // LB_OK, LB_NO_MEMORY, LB_IO or LB_INTERRUPTED
  int cause;                       // errno of LB_IO
  const struct lb_progress* watch; // asked by writers that take long; NULL: nobody
} lb_out;

// An empty output to memory (fd -1) or to an open file, which stays the caller's.
lb_out lb_out_make(const lb_allocator* allocator, int fd);
// Hand what is buffered to the file.
void lb_out_flush(lb_out* out);
void lb_out_release(lb_out* out);

// `size` more bytes in one piece that the caller fills, or NULL after a failure.
char* lb_out_room(lb_out* out, size_t size);

void lb_out_bytes(lb_out* out, const void* bytes, size_t size);
void lb_out_text(lb_out* out, const char* text);
// The shortest text that reads back as the same number; `nothing` when it is not finite.
void lb_out_number(lb_out* out, double value, const char* nothing);
// A number for drawing: `decimals` digits after the point at most, trailing zeros left out.
void lb_out_fixed(lb_out* out, double value, int decimals);
void lb_out_u32(lb_out* out, uint32_t value); // little-endian
void lb_out_f32(lb_out* out, double value);   // little-endian; clamped to the largest float
void lb_out_pad(lb_out* out, char fill);      // to a multiple of four bytes
void lb_out_base64(lb_out* out, const void* bytes, size_t size);

// Numbers that were gathered in memory, as base64 in quotes; they are released.
void lb_out_packed(lb_out* out, lb_out* numbers);

// Formatted text, with the conversions
//   %s  text made safe for where it goes, bytes that are not UTF-8 as U+FFFD; %-s text as it is
//   %d, %ld  a whole number
//   %g  the shortest text that reads back as the same number; %.3g three digits
//   %.3f  three digits after the point at most, trailing zeros left out
// In HTML text is safe between tags and inside quoted attributes. In JSON it has its quotes, NULL
// and numbers that are not finite are null, and a ' of the format is a double quote.
void lb_print(lb_out* out, const char* format, ...) __attribute__((format(printf, 2, 3)));
void lb_print_html(lb_out* out, const char* format, ...) __attribute__((format(printf, 2, 3)));
void lb_print_json(lb_out* out, const char* format, ...) __attribute__((format(printf, 2, 3)));
