// Numbers as a reader of the report wants them.
#include "record/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// A whole number with thin spaces between thousands.
void lb_words_count(lb_out* out, long n) {
  char digits[24];
  const int length = snprintf(digits, sizeof digits, "%ld", n);
  for (int i = 0; i < length; i++) {
    lb_out_bytes(out, digits + i, 1);
    const int left = length - 1 - i;
    lb_out_text(out, left > 0 && left % 3 == 0 && digits[i] != '-' ? "\u202f" : "");
  }
}

// Four digits, with a power of ten where plain digits would be long.
void lb_words_number(lb_out* out, double x) {
  if (!isfinite(x)) {
    lb_out_text(out, "unknown");
    return;
  }
  const double size = fabs(x);
  const int power = size > 0 ? (int)floor(log10(size)) : 0;
  if (power >= 7 || power < -3) {
    lb_out_fixed(out, x / pow(10, power), 1);
    lb_out_text(out, " × 10<sup>");
    lb_out_text(out, power < 0 ? "−" : "");
    lb_out_long(out, labs(power));
    lb_out_text(out, "</sup>");
    return;
  }
  if (power >= 3) {
    lb_words_count(out, lround(x));
  } else {
    lb_out_fixed(out, x, 3 - power);
  }
}

void lb_words_seconds(lb_out* out, double t) {
  const double size = fabs(t);
  const bool small = isfinite(t) && size > 0 && size < 1;
  lb_words_number(out, !small ? t : size < 1e-3 ? 1e6 * t : 1e3 * t);
  lb_out_text(out, !small ? " s" : size < 1e-3 ? " µs" : " ms");
}

void lb_words_plural(lb_out* out, long n, const char* one, const char* many) {
  lb_words_count(out, n);
  lb_out_texts(out, " ", n == 1 ? one : many, NULL);
}

// --- rows ---

void lb_row(lb_out* out, const char* name) {
  lb_out_texts(out, "<tr><th scope=\"row\">", name, "</th><td>", NULL);
}

void lb_row_end(lb_out* out) {
  lb_out_text(out, "</td></tr>\n");
}

void lb_row_count(lb_out* out, const char* name, long n) {
  if (n > 0) {
    lb_row(out, name);
    lb_words_count(out, n);
    lb_row_end(out);
  }
}
