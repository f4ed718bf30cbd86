// Saying what is wrong with a scene, in sentences that end in a way out.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scene/yaml/reader.h"

bool lb_complain(lb_reader* r, lb_place place, const char* format, ...) {
  char text[600];
  va_list args;
  if (!r) {
    return false;
  }
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  lb_report_add(&r->report, LB_INVALID, place, "%s%s%s", r->subject, *r->subject ? ": " : "", text);
  return false;
}

bool lb_lack(lb_reader* r) {
  r->no_memory = true;
  return false;
}

const char* lb_compose(lb_reader* r, const char* format, ...) {
  char text[300];
  va_list args;
  if (!r) {
    return "";
  }
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  const char* copy = lb_arena_text(&r->scratch, text, strlen(text));
  if (!copy) {
    lb_lack(r);
  }
  return copy ? copy : "";
}

const char* lb_did_you_mean(lb_reader* r, const lb_nearest* nearest) {
  return nearest->best ? lb_compose(r, " (did you mean '%s'?)", nearest->best) : "";
}

const char* lb_shown(lb_reader* r, const lb_yaml* node) {
  return lb_is_scalar(node) && !lb_is_null(node) ? lb_compose(r, "'%.60s'", node->text)
                                                 : lb_yaml_words(node);
}

bool lb_wrong_kind(lb_reader* r, const lb_yaml* node, const char* key, const char* wanted) {
  return lb_complain(r, node->place, "'%s' must be %s, not %s", key, wanted, lb_shown(r, node));
}

const char* lb_join(lb_reader* r, const char* last, const char* const* name, int count) {
  const char* text = "";
  for (int i = 0; i < count; i++) {
    text = lb_compose(r, "%s%s%s", text, i == 0 ? "" : i == count - 1 ? last : ", ", name[i]);
  }
  return text;
}

const char* lb_hint(lb_reader* r, const char* wanted, const char* const* name, int count,
                    const char* lead, const char* last) {
  lb_nearest nearest = lb_nearest_to(wanted);
  for (int i = 0; i < count; i++) {
    lb_nearest_offer(&nearest, name[i]);
  }
  return nearest.best ? lb_did_you_mean(r, &nearest)
                      : lb_compose(r, " (%s%s)", lead, lb_join(r, last, name, count));
}

bool lb_unknown_name(lb_reader* r, const lb_yaml* node, const char* what, const lb_names* names) {
  enum { SHOWN = 6 };
  if (!lb_report_wants(&r->report, node->place)) {
    // a copy that a repetition made, or one mistake too many: it counts, but no one reads it
    r->report.status = r->report.status == LB_OK ? LB_INVALID : r->report.status;
    return false;
  }
  lb_nearest nearest = lb_nearest_to(node->text);
  const char* known[SHOWN];
  int nknown = 0;
  for (int i = 0; i < names->count; i++) {
    lb_nearest_offer(&nearest, names->text[i]);
    if (nknown < SHOWN) {
      known[nknown++] = lb_compose(r, "'%.40s'", names->text[i]);
    }
  }
  const char* hint = lb_did_you_mean(r, &nearest);
  if (!*hint && nknown == 0) {
    hint = lb_compose(r, " (the scene has no %s at all)", what);
  } else if (!*hint && names->count > nknown) {
    hint = lb_compose(r, " (there is %s and %d more)", lb_join(r, ", ", known, nknown),
                      names->count - nknown);
  } else if (!*hint) {
    hint = lb_compose(r, " (there is %s)", lb_join(r, " and ", known, nknown));
  }
  lb_report_add(&r->report, LB_INVALID, node->place, "%s names %s '%s', which does not exist%s",
                r->subject, what, node->text, hint);
  return false;
}
