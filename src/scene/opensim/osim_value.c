// Values of elements.
#include <math.h>
#include <string.h>
#include <strings.h>

#include "scene/opensim/osim.h"

const lb_quat lb_osim_ground = {0.70710678118654752, 0.70710678118654752, 0, 0};

lb_xml* lb_osim_property(lb_osim* o, lb_xml* object, const char* tag) {
  lb_xml* own = lb_xml_find(object, tag);
  return own || !o->defaults ? own : lb_xml_find(lb_xml_find(o->defaults, object->tag), tag);
}

const char* lb_osim_word(lb_osim* o, lb_xml* object, const char* tag) {
  const lb_xml* found = lb_osim_property(o, object, tag);
  return found ? found->text : "";
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Next word of a text, and its length; NULL: there is none.
static const char* next_word(const char** at, size_t* length) {
  while (is_blank(**at)) {
    ++*at;
  }
  const char* word = *at;
  while (**at && !is_blank(**at)) {
    ++*at;
  }
  *length = (size_t)(*at - word);
  return *length ? word : NULL;
}

static bool read_infinity(const char* word, double* out) {
  const bool sign = *word == '-' || *word == '+';
  *out = *word == '-' ? -(double)INFINITY : (double)INFINITY;
  return strcasecmp(word + sign, "inf") == 0 || strcasecmp(word + sign, "infinity") == 0;
}

// Infinite ones only where the property is `open`.
static int read_numbers(lb_osim* o, const lb_xml* at, const char* text, bool open, double** out) {
  size_t length = 0;
  int count = 0;
  for (const char* s = text; next_word(&s, &length);) {
    count++;
  }
  double* x = *out = LB_TAKE(&o->r->scratch, double, count);
  if (!x) {
    lb_lack(o->r);
    return -1;
  }
  const char* s = text;
  for (int i = 0; i < count; i++) {
    char digits[64];
    const char* word = next_word(&s, &length);
    const char* unit;
    const size_t kept = length < sizeof digits ? length : sizeof digits - 1;
    memcpy(digits, word, kept);
    digits[kept] = 0;
    const bool plus = *digits == '+';
    if (open && read_infinity(digits, &x[i])) {
      continue;
    }
    if (lb_number_read(digits + plus, LB_PURE, &x[i], &unit) != LB_NUMBER_OK) {
      lb_complain(o->r, at->place, "<%s> must have numbers, not '%.40s'", at->tag, digits);
      return -1;
    }
  }
  return count;
}

int lb_osim_numbers(lb_osim* o, const lb_xml* at, const char* text, double** out) {
  return read_numbers(o, at, text, false, out);
}

bool lb_osim_range(lb_osim* o, lb_xml* object, const char* tag, double* lower, double* upper) {
  const lb_xml* at = lb_osim_property(o, object, tag);
  double* x;
  const int n = at && *at->text ? read_numbers(o, at, at->text, true, &x) : 0;
  if (n <= 0) {
    return false;
  }
  if (n != 2 || x[0] > x[1] || x[0] == (double)INFINITY || x[1] == -(double)INFINITY) {
    return lb_complain(o->r, at->place,
                       "<%s> must have two numbers that rise, or -Inf and Inf, not '%.40s'", tag,
                       at->text);
  }
  *lower = isfinite(x[0]) ? x[0] : *lower;
  *upper = isfinite(x[1]) ? x[1] : *upper;
  return isfinite(x[0]) || isfinite(x[1]);
}

// Exactly n numbers; false where there is no such property, or what it has is reported.
static bool some_numbers(lb_osim* o, lb_xml* object, const char* tag, int n, double* out) {
  const lb_xml* found = lb_osim_property(o, object, tag);
  double* x;
  if (!found || !*found->text) {
    return false;
  }
  const int count = lb_osim_numbers(o, found, found->text, &x);
  if (count >= 0 && count != n) {
    lb_complain(o->r, found->place, "<%s> must have %d number%s, not %d", tag, n, n == 1 ? "" : "s",
                count);
  }
  if (count == n) {
    memcpy(out, x, (size_t)n * sizeof *out);
  }
  return count == n;
}

double lb_osim_number(lb_osim* o, lb_xml* object, const char* tag, double standard) {
  double x = standard;
  some_numbers(o, object, tag, 1, &x);
  return x;
}

lb_vec3 lb_osim_vector(lb_osim* o, lb_xml* object, const char* tag, lb_vec3 standard) {
  double x[3] = {standard.x, standard.y, standard.z};
  some_numbers(o, object, tag, 3, x);
  return lb_vec3_make(x[0], x[1], x[2]);
}

bool lb_osim_flag(lb_osim* o, lb_xml* object, const char* tag, bool standard) {
  const lb_xml* found = lb_osim_property(o, object, tag);
  const char* text = found ? found->text : "";
  const bool yes = strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0;
  const bool no = strcasecmp(text, "false") == 0 || strcmp(text, "0") == 0;
  if (*text && !yes && !no) {
    lb_complain(o->r, found->place, "<%s> must be true or false, not '%.40s'", tag, text);
  }
  return yes || no ? yes : standard;
}

lb_xml* lb_osim_first(lb_osim* o, lb_xml* in, const char* set) {
  lb_xml* found = set ? lb_osim_property(o, in, set) : in;
  lb_xml* objects = lb_xml_find(found, "objects");
  found = objects ? objects : found;
  return found ? found->first : NULL;
}

const char* lb_osim_last(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

const char* lb_osim_name(lb_osim* o, const char* name) {
  char text[65];
  size_t n = 0;
  for (; name[n] && n < sizeof text - 1; n++) {
    const unsigned char c = (unsigned char)name[n];
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c >= 0x80 || (n > 0 && strchr(".-_", c));
    text[n] = good ? name[n] : '_';
  }
  text[n] = 0;
  const bool taken = n == 0 || strcmp(text, "world") == 0;
  return lb_compose(o->r, "%s%s", text, taken ? "_" : "");
}

lb_quat lb_osim_rotation(lb_vec3 a) {
  const lb_quat x = {cos(a.x / 2), sin(a.x / 2), 0, 0}, y = {cos(a.y / 2), 0, sin(a.y / 2), 0},
                z = {cos(a.z / 2), 0, 0, sin(a.z / 2)};
  return lb_quat_mul(x, lb_quat_mul(y, z));
}
