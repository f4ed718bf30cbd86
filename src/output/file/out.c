// Growing memory or a buffered file, and the few encodings the writers share.
#include "output/file/out.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output/file/number_text.h"

enum { FIRST_CAPACITY = 64 * 1024 };

lb_out lb_out_make(const lb_allocator* allocator, int fd) {
  return (lb_out){.allocator = allocator, .fd = fd, .status = LB_OK};
}

void lb_out_release(lb_out* out) {
  lb_release(out->allocator, out->data);
  out->data = NULL;
  out->size = out->capacity = 0;
}

void lb_out_flush(lb_out* out) {
  size_t done = 0;
  while (out->fd >= 0 && out->status == LB_OK && done < out->size) {
    const ssize_t n = write(out->fd, out->data + done, out->size - done);
    if (n < 0 && errno != EINTR) {
      out->status = LB_IO;
      out->cause = errno;
    }
    done += n > 0 ? (size_t)n : 0;
  }
  if (out->fd >= 0) {
    out->size = 0;
  }
}

// A block that holds what is there and `size` more bytes.
static void grow(lb_out* out, size_t size) {
  size_t wanted = out->capacity ? 2 * out->capacity : FIRST_CAPACITY;
  wanted = wanted < out->size + size ? out->size + size : wanted;
  char* moved = lb_allocate(out->allocator, wanted);
  if (!moved) {
    out->status = LB_NO_MEMORY;
    return;
  }
  if (out->size) {
    memcpy(moved, out->data, out->size);
  }
  lb_release(out->allocator, out->data);
  out->data = moved;
  out->capacity = wanted;
}

char* lb_out_room(lb_out* out, size_t size) {
  if (out->status == LB_OK && size > out->capacity - out->size) {
    lb_out_flush(out);
  }
  if (out->status == LB_OK && size > out->capacity - out->size) {
    grow(out, size);
  }
  if (out->status != LB_OK) {
    return NULL;
  }
  char* room = out->data + out->size;
  out->size += size;
  return room;
}

void lb_out_bytes(lb_out* out, const void* bytes, size_t size) {
  char* room = lb_out_room(out, size);
  if (room && size) {
    memcpy(room, bytes, size);
  }
}

void lb_out_text(lb_out* out, const char* text) {
  lb_out_bytes(out, text, strlen(text));
}

void lb_out_number(lb_out* out, double value, const char* nothing) {
  if (!isfinite(value)) {
    lb_out_text(out, nothing);
    return;
  }
  char text[LB_NUMBER_SIZE];
  const int n = lb_number_format(text, value);
  lb_out_bytes(out, text, (size_t)n);
}

void lb_out_fixed(lb_out* out, double value, int decimals) {
  const double unit = pow(10, decimals);
  const double scaled = isfinite(value) ? round(value * unit) : 0;
  lb_out_number(out, scaled / unit, "0");
}

void lb_out_u32(lb_out* out, uint32_t value) {
  const unsigned char bytes[4] = {(unsigned char)value, (unsigned char)(value >> 8),
                                  (unsigned char)(value >> 16), (unsigned char)(value >> 24)};
  lb_out_bytes(out, bytes, sizeof bytes);
}

void lb_out_f32(lb_out* out, double value) {
  const double finite = isnan(value) ? 0 : value;
  const float f = (float)fmax(-FLT_MAX, fmin(FLT_MAX, finite));
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  lb_out_u32(out, bits);
}

void lb_out_pad(lb_out* out, char fill) {
  while (out->status == LB_OK && out->size % 4) {
    lb_out_bytes(out, &fill, 1);
  }
}

void lb_out_base64(lb_out* out, const void* bytes, size_t size) {
  static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char* b = bytes;
  for (size_t i = 0; i < size; i += 3) {
    const size_t left = size - i;
    const unsigned group = (unsigned)b[i] << 16 | (left > 1 ? (unsigned)b[i + 1] << 8 : 0) |
                           (left > 2 ? (unsigned)b[i + 2] : 0);
    const char four[4] = {letter[group >> 18], letter[group >> 12 & 63],
                          left > 1 ? letter[group >> 6 & 63] : '=',
                          left > 2 ? letter[group & 63] : '='};
    lb_out_bytes(out, four, 4);
  }
}

void lb_out_packed(lb_out* out, lb_out* numbers) {
  lb_out_text(out, "\"");
  lb_out_base64(out, numbers->data, numbers->size);
  lb_out_text(out, "\"");
  if (numbers->status != LB_OK && out->status == LB_OK) {
    out->status = numbers->status;
  }
  lb_out_release(numbers);
}

// --- formatted text ---

// Length of the well-formed UTF-8 character at `s`, or 0.                    [Unicode, table 3-7]
static size_t character(const unsigned char* s) {
  static const struct {
    unsigned char first, last, low, high; // leading byte, and the range of the second one
    size_t length;
  } form[] = {{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
              {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
              {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
  if (*s < 0x80) {
    return 1;
  }
  for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
    if (*s >= form[i].first && *s <= form[i].last) {
      bool good = s[1] >= form[i].low && s[1] <= form[i].high;
      for (size_t j = 2; good && j < form[i].length; j++) {
        good = (s[j] & 0xC0) == 0x80;
      }
      return good ? form[i].length : 0;
    }
  }
  return 0;
}

// Copy text, character by character, with the escape that `escape` gives for some of them.
static void escaped(lb_out* out, const char* text,
                    const char* (*escape)(unsigned char c, char buffer[8])) {
  const unsigned char* s = (const unsigned char*)(text ? text : "");
  while (*s) {
    char buffer[8];
    const size_t length = character(s);
    const char* instead = length == 1 ? escape(*s, buffer) : NULL;
    if (length == 0) {
      lb_out_text(out, "\xEF\xBF\xBD");
    } else if (instead) {
      lb_out_text(out, instead);
    } else {
      lb_out_bytes(out, s, length);
    }
    s += length ? length : 1;
  }
}

static const char* html_escape(unsigned char c, char buffer[8]) {
  (void)buffer;
  const bool control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
  return c == '&'    ? "&amp;"
         : c == '<'  ? "&lt;"
         : c == '>'  ? "&gt;"
         : c == '"'  ? "&quot;"
         : c == '\'' ? "&#39;"
         : control   ? "\xEF\xBF\xBD"
                     : NULL;
}

static void html_text(lb_out* out, const char* text) {
  escaped(out, text, html_escape);
}

static const char* json_escape(unsigned char c, char buffer[8]) {
  const bool plain = c >= 0x20 && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
  if (plain && c != 0x7F) {
    return NULL;
  }
  snprintf(buffer, 8, "\\u%04x", c);
  return c == '"' ? "\\\"" : c == '\\' ? "\\\\" : c == '\n' ? "\\n" : c == '\t' ? "\\t" : buffer;
}

static void json_text(lb_out* out, const char* text) {
  lb_out_text(out, text ? "\"" : "null");
  escaped(out, text, json_escape);
  lb_out_text(out, text ? "\"" : "");
}

// Where formatted text goes.
typedef struct target {
  void (*text)(lb_out* out, const char* text);
  const char* nothing; // for a number that is not finite
  const char* special; // letters of a format that are not copied
} target;

static void print_real(lb_out* out, const target* t, char letter, int digits, double value) {
  char text[100];
  if (letter == 'f') {
    lb_out_fixed(out, value, digits);
  } else if (digits < 0 || !isfinite(value)) {
    lb_out_number(out, value, t->nothing);
  } else {
    snprintf(text, sizeof text, "%.*g", digits, value);
    text[strcspn(text, ",")] = strchr(text, ',') ? '.' : 0; // whatever the locale says
    lb_out_text(out, text);
  }
}

// The conversion after a '%'; returns what follows it.
static const char* convert(lb_out* out, const target* t, const char* c, va_list* args) {
  char text[24];
  const bool plain = *c == '-';
  c += plain;
  const int digits = *c == '.' ? c[1] - '0' : -1;
  c += digits < 0 ? 0 : 2;
  const bool wide = *c == 'l';
  c += wide;
  if (*c == 's') {
    (plain ? lb_out_text : t->text)(out, va_arg(*args, const char*));
  } else if (*c == 'd') {
    snprintf(text, sizeof text, "%ld", wide ? va_arg(*args, long) : va_arg(*args, int));
    lb_out_text(out, text);
  } else if (*c == '%') {
    lb_out_text(out, "%");
  } else {
    print_real(out, t, *c, digits, va_arg(*args, double));
  }
  return c + 1;
}

static void print(lb_out* out, const target* t, const char* format, va_list* args) {
  const char* c = format;
  while (*c) {
    const size_t n = strcspn(c, t->special);
    lb_out_bytes(out, c, n);
    c += n;
    if (*c == '%') {
      c = convert(out, t, c + 1, args);
    } else if (*c) {
      lb_out_text(out, "\"");
      c++;
    }
  }
}

#define PRINT(name, ...)                                                                           \
  void name(lb_out* out, const char* format, ...) {                                                \
    static const target to = {__VA_ARGS__};                                                        \
    va_list args;                                                                                  \
    va_start(args, format);                                                                        \
    print(out, &to, format, &args);                                                                \
    va_end(args);                                                                                  \
  }
PRINT(lb_print, lb_out_text, "", "%")
PRINT(lb_print_html, html_text, "", "%")
PRINT(lb_print_json, json_text, "null", "%'")
