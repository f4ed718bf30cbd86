// Numbers for a page's script: base64 of little-endian floats, gathered in memory first.
#pragma once
#include "record/out.h"

typedef struct lb_packed {
  lb_out bytes; // append floats here
  lb_out* out;
  int ncurve; // how many there are, for those who count
} lb_packed;

// Write `before`, then what is gathered until the end, as a JSON string.
void lb_pack_begin(lb_packed* p, lb_out* out, const char* before);
void lb_pack64(lb_packed* p, double x);
void lb_pack_end(lb_packed* p);
