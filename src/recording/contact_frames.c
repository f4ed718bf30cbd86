// Points of all frames lie in one array, and each frame knows where its own end. Frames that were
// taken back are written over.
#include "recording/contact_frames.h"

#include <math.h>
#include <string.h>

#include "dynamics/contact/contact_set.h"
#include "model/use/link.h"

struct lb_contact_frames {
  int nframe, frames; // that were put, and room for them
  long* end;          // [frames] of their points
  long room;          // for points
  lb_body_contact*
      point;  // [room]; behind those of frames, the open frame's, with impulses as force
  int open;   // frame that steps are added to
  long count; // its points so far
  long* slot; // [nslot] 1 + its point, by a hash of ids; 0: empty
  long nslot; // a power of 2, above twice the points; or 0
  double cut; // time from which on there are none; NAN: never
};

lb_contact_frames* lb_contact_frames_create(const lb_allocator* allocator) {
  lb_contact_frames* F = lb_allocate(allocator, sizeof *F);
  if (F) {
    *F = (lb_contact_frames){.open = -1, .cut = NAN};
  }
  return F;
}

void lb_contact_frames_release(lb_contact_frames* F, const lb_allocator* allocator) {
  if (F) {
    lb_release(allocator, F->end);
    lb_release(allocator, F->point);
    lb_release(allocator, F->slot);
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

// --- the open frame: impulses of its steps, added up point by point ---

// Slot of a point of the open frame, or the empty one where it belongs: linear probing.
static long* find_slot(const lb_contact_frames* F, const lb_body_contact* open, uint64_t id) {
  static const uint64_t GOLDEN = 0x9E3779B97F4A7C15u; // 2^64 over the golden ratio
  const uint64_t mask = (uint64_t)F->nslot - 1;
  uint64_t i = (id * GOLDEN) >> 20 & mask;
  while (F->slot[i] > 0 && open[F->slot[i] - 1].id != id) {
    i = (i + 1) & mask;
  }
  return &F->slot[i];
}

static bool reserve_slots(lb_contact_frames* F, const lb_allocator* allocator,
                          const lb_body_contact* open, long points) {
  long room = F->nslot > 0 ? F->nslot : 64;
  while (room < 2 * points + 1) {
    room *= 2;
  }
  if (room == F->nslot) {
    return true;
  }
  long* slot = lb_allocate(allocator, (size_t)room * sizeof *slot);
  if (!slot) {
    return false;
  }
  memset(slot, 0, (size_t)room * sizeof *slot);
  lb_release(allocator, F->slot);
  F->slot = slot;
  F->nslot = room;
  for (long i = 0; i < F->count; i++) {
    *find_slot(F, open, open[i].id) = i + 1;
  }
  return true;
}

// Begin of the open frame's points. Where frames were put or taken back since, it is empty.
static long open_frame(lb_contact_frames* F, int frame) {
  if (F->open != frame) {
    F->open = frame;
    F->count = 0;
    if (F->nslot > 0) {
      memset(F->slot, 0, (size_t)F->nslot * sizeof *F->slot);
    }
  }
  return end_of(F, frame - 1);
}

// A point of a step, p = force times h added to what it had before; the rest is of this step.
static void add_point(lb_contact_frames* F, lb_body_contact* open, lb_body_contact c, double h) {
  long* slot = find_slot(F, open, c.id);
  c.force = lb_vec3_scale(h, c.force);
  if (*slot > 0) {
    c.force = lb_vec3_add(c.force, open[*slot - 1].force);
  } else {
    *slot = ++F->count;
  }
  open[*slot - 1] = c;
}

bool lb_recording_add_contacts(lb_recording* r, const lb_data* d) {
  lb_contact_frames* F = r->contacts;
  const long count = lb_body_contacts(d, NULL, 0), begin = open_frame(F, r->nframe);
  const double h = count > 0 ? lb_contacts_duration(d->work->contacts) : 0;
  if (!reserve_points(F, r->allocator, begin + F->count, begin + F->count + count) ||
      !reserve_slots(F, r->allocator, F->point + begin, F->count + count)) {
    return false;
  }
  lb_body_contact* open = F->point + begin;
  const lb_body_contact* step = open + F->count; // points that are new go below the next to be read
  if (count > 0) {
    lb_body_contacts(d, open + F->count, (int)count);
  }
  for (long i = 0; i < count; i++) {
    if (lb_vec3_norm(step[i].force) > 0) {
      add_point(F, open, step[i], h);
    }
  }
  return true;
}

// Totals of bodies in a frame's channels, from its points.
static void total_up(lb_recording* r, int frame, const lb_body_contact* point, long count) {
  double* value = r->force + (size_t)frame * (size_t)r->nchannel;
  for (int c = 0; c < r->nchannel; c++) {
    const int body = r->channel[c].body;
    if (body < 0 || r->channel[c].name != lb_model_toucher(r->model, body)) {
      continue;
    }
    lb_vec3 sum = {0, 0, 0};
    for (long i = 0; i < count; i++) {
      const double sign = (point[i].body[0] == body) - (point[i].body[1] == body);
      sum = lb_vec3_add(sum, lb_vec3_scale(sign, point[i].force));
    }
    value[c] = sum.x;
    value[c + 1] = sum.y;
    value[c + 2] = sum.z;
  }
}

// Mean force over the frame: the impulse over its time.
bool lb_recording_put_contacts(lb_recording* r) {
  lb_contact_frames* F = r->contacts;
  const int frame = r->nframe - 1;
  const double time = r->time[frame], length = frame > 0 ? time - r->time[frame - 1] : 0;
  const long begin = open_frame(F, frame);
  long count = length > 0 ? F->count : 0;
  if (!reserve_frame(F, r->allocator, frame)) {
    return false;
  }
  for (long i = 0; i < count; i++) {
    F->point[begin + i].force = lb_vec3_scale(1 / length, F->point[begin + i].force);
  }
  total_up(r, frame, F->point + begin, count);
  F->cut = frame == 0 || F->cut >= time ? NAN : F->cut;
  if (F->cut < time || begin + count > LB_CONTACTS_KEPT) {
    F->cut = F->cut < time ? F->cut : time;
    count = 0;
  }
  for (int f = F->nframe; f < frame; f++) { // that somebody else put
    F->end[f] = begin;
  }
  F->end[frame] = begin + count;
  F->nframe = frame + 1;
  F->open = -1;
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
