#include "limber/progress.h"

#include <stddef.h>

bool lb_progress_report(const lb_progress* progress, double fraction, const char* what) {
  return !progress || !progress->report || progress->report(progress->context, fraction, what);
}
