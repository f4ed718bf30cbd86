// Progress of long work, and the way to stop it.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Called now and then during long work with the fraction done (0 to 1). Return false to stop:
/// the work then ends cleanly with LB_INTERRUPTED and what was done so far is kept.
/// A NULL pointer to this struct, or a NULL `report`, means nobody is watching.
typedef struct lb_progress {
  bool (*report)(void* context, double fraction, const char* what);
  void* context;
} lb_progress;

/// True while the work should go on.
bool lb_progress_report(const lb_progress* progress, double fraction, const char* what);

#ifdef __cplusplus
}
#endif
