#include "record/packed.h"

#include <math.h>
#include <string.h>

void lb_pack_begin(lb_packed* p, lb_out* out, const char* before) {
  lb_out_text(out, before);
  p->out = out;
  p->ncurve = 0;
  p->bytes = lb_out_make(out->allocator, -1);
}

void lb_pack64(lb_packed* p, double x) {
  uint64_t bits;
  const double finite = isfinite(x) ? x : 0;
  memcpy(&bits, &finite, sizeof bits);
  lb_out_u32(&p->bytes, (uint32_t)bits);
  lb_out_u32(&p->bytes, (uint32_t)(bits >> 32));
}

void lb_pack_end(lb_packed* p) {
  lb_out_text(p->out, "\"");
  lb_out_base64(p->out, p->bytes.data, p->bytes.size);
  lb_out_text(p->out, "\"");
  if (p->bytes.status != LB_OK && p->out->status == LB_OK) {
    p->out->status = p->bytes.status;
  }
  lb_out_release(&p->bytes);
}
