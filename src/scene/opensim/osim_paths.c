// Muscles, ligaments and springs along paths, and the surfaces they wrap over.
#include <string.h>

#include "scene/opensim/osim.h"

void lb_osim_wraps(lb_osim* o) {
  (void)o;
}

bool lb_osim_path_force(lb_osim* o, lb_xml* force) {
  (void)o, (void)force;
  return false;
}
