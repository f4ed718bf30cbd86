#include "output/report/report_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/file/number_text.h"

const char* lb_report_grouped(long n, char out[LB_REPORT_WORD]) {
  char digits[24];
  const int length = snprintf(digits, sizeof digits, "%ld", n);
  size_t used = 0;
  for (int i = 0; i < length; i++) {
    const int left = length - 1 - i;
    const bool space = left > 0 && left % 3 == 0 && digits[i] != '-';
    used += (size_t)snprintf(out + used, LB_REPORT_WORD - used, "%c%s", digits[i],
                             space ? "\u202f" : "");
  }
  return out;
}

const char* lb_report_fixed(double x, int decimals, char out[LB_REPORT_WORD]) {
  lb_number_format(out, round(x * pow(10, decimals)) / pow(10, decimals));
  return out;
}

const char* lb_report_human(double x, char out[LB_REPORT_WORD]) {
  const int power = isfinite(x) && x != 0 ? (int)floor(log10(fabs(x))) : 0;
  char digits[LB_REPORT_WORD];
  if (!isfinite(x)) {
    return "unknown";
  }
  if (power >= 7 || power < -3) {
    snprintf(out, LB_REPORT_WORD, "%.20s × 10<sup>%s%d</sup>",
             lb_report_fixed(x / pow(10, power), 1, digits), power < 0 ? "−" : "", abs(power));
    return out;
  }
  return power >= 3 ? lb_report_grouped(lround(x), out) : lb_report_fixed(x, 3 - power, out);
}

const char* lb_report_seconds_to(double t, double last, char out[LB_REPORT_WORD]) {
  const double size = fabs(last);
  const bool small = isfinite(last) && size > 0 && size < 1;
  char number[LB_REPORT_WORD];
  snprintf(out, LB_REPORT_WORD, "%.55s%s",
           lb_report_human(!small        ? t
                           : size < 1e-3 ? 1e6 * t
                                         : 1e3 * t,
                           number),
           !small        ? " s"
           : size < 1e-3 ? " µs"
                         : " ms");
  return out;
}

const char* lb_report_seconds(double t, char out[LB_REPORT_WORD]) {
  return lb_report_seconds_to(t, t, out);
}
