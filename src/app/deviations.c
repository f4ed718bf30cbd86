#include "app/deviations.h"

#include <math.h>
#include <stdio.h>

void deviations_head(void) {
  printf("  %-16s %11s %11s %12s %8s %8s\n", "", "peak", "rms", "in pauses", "delay", "torque");
}

void deviations_row(const lb_replay* r) {
  char pause[32] = "", delay[32] = "";
  if (isfinite(r->all.pause)) {
    snprintf(pause, sizeof pause, "%.3g mm", 1e3 * r->all.pause);
  }
  if (isfinite(r->all.delay)) {
    snprintf(delay, sizeof delay, "%.0f ms", round(1e3 * r->all.delay) + 0.0);
  }
  printf("  %-16s %8.3g mm %8.3g mm %12s %8s %8.3g\n", r->name, 1e3 * r->all.peak, 1e3 * r->all.rms,
         pause, delay, r->all.torque);
}
