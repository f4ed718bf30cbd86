// Points of all frames lie in one array, and each frame knows where its own end. Frames that were
// taken back are written over.
#include "recording/contact_frames.h"

#include <math.h>
#include <string.h>

struct lb_contact_frames {
  int nframe, frames;     // that were put, and room for them
  long* end;              // [frames] of their points
  long room;              // for points
  lb_body_contact* point; // [room]
  double cut;             // time from which on there are none; NAN: never
};

lb_contact_frames* lb_contact_frames_create(const lb_allocator* allocator) {
  lb_contact_frames* F = lb_allocate(allocator, sizeof *F);
  if (F) {
    *F = (lb_contact_frames){.cut = NAN};
  }
  return F;
}

void lb_contact_frames_release(lb_contact_frames* F, const lb_allocator* allocator) {
  if (F) {
    lb_release(allocator, F->end);
    lb_release(allocator, F->point);
    lb_release(allocator, F);
  }
}

// A larger block with what the old one has; NULL: there is none, and the old one stays.
static void* enlarge(const lb_allocator* allocator, void* old, size_t used, size_t size) {
  void* block = lb_allocate(allocator, size);
  if (block && used > 0) {
    memcpy(block, old, used);
  }
  if (block) {
    lb_release(allocator, old);
  }
  return block;
}

static bool reserve_frame(lb_contact_frames* F, const lb_allocator* allocator, int frame) {
  enum { FIRST = 64 };
  if (frame < F->frames) {
    return true;
  }
  const int room = 2 * frame > FIRST ? 2 * frame : FIRST;
  long* end =
      enlarge(allocator, F->end, (size_t)F->nframe * sizeof *end, (size_t)room * sizeof *end);
  if (end) {
    F->end = end;
    F->frames = room;
  }
  return end;
}

static bool reserve_points(lb_contact_frames* F, const lb_allocator* allocator, long used,
                           long need) {
  if (need <= F->room) {
    return true;
  }
  lb_body_contact* point = enlarge(allocator, F->point, (size_t)used * sizeof *point,
                                   (size_t)(2 * need) * sizeof *point);
  if (point) {
    F->point = point;
    F->room = 2 * need;
  }
  return point;
}

static long end_of(const lb_contact_frames* F, int frame) {
  const int last = frame < F->nframe ? frame : F->nframe - 1;
  return last >= 0 ? F->end[last] : 0;
}

bool lb_recording_put_contacts(lb_recording* r, const lb_data* d) {
  lb_contact_frames* F = r->contacts;
  const int frame = r->nframe - 1;
  const long begin = end_of(F, frame - 1);
  long count = lb_body_contacts(d, NULL, 0);
  F->cut = frame == 0 || F->cut >= d->time ? NAN : F->cut;
  if (F->cut < d->time || begin + count > LB_CONTACTS_KEPT) {
    F->cut = F->cut < d->time ? F->cut : d->time;
    count = 0;
  }
  if (!reserve_frame(F, r->allocator, frame) ||
      !reserve_points(F, r->allocator, begin, begin + count)) {
    return false;
  }
  for (int f = F->nframe; f < frame; f++) { // that somebody else put
    F->end[f] = begin;
  }
  if (count > 0) {
    lb_body_contacts(d, F->point + begin, (int)count);
  }
  F->end[frame] = begin + count;
  F->nframe = frame + 1;
  return true;
}

int lb_recording_contacts(const lb_recording* r, int frame, const lb_body_contact** points) {
  const lb_contact_frames* F = r->contacts;
  if (!F || frame < 0 || frame >= F->nframe) {
    return 0;
  }
  const long begin = end_of(F, frame - 1);
  *points = F->point + begin;
  return (int)(F->end[frame] - begin);
}

long lb_recording_ncontact(const lb_recording* r) {
  return r->contacts ? end_of(r->contacts, r->nframe - 1) : 0;
}

double lb_recording_contacts_end(const lb_recording* r) {
  return r->contacts ? r->contacts->cut : NAN;
}
