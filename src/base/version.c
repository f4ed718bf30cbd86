#include "limber/version.h"

const char* lb_version(void) {
  return LB_VERSION;
}
