// State of contacts between two steps as numbers: points with their impulses, from which the next
// step's solver starts, what is kept of pairs that are near, where links are expected to be, and
// the forces of servos and of constraints that yield. There is room for a number of points that few
// scenes reach. Those beyond it are forgotten by who saves, too, so that both go on alike.
#include <string.h>

#include "dynamics/contact/contact_inside.h"
#include "model/use/motor_use.h"

enum {
  HEAD = 4, // numbers of points and pairs, the duration of the step, and that of lags
  LAG = 19, // whether a link's end is expected, its place and axes, velocities of the start
  POINT = sizeof(lb_touch) / sizeof(double),
  PAIR = sizeof(lb_collider_pair) / sizeof(double)
};

// Points that are kept, and pairs.
static int room_of(const lb_model* m) {
  enum { SOME = 64, EACH = 16 };
  return m->contact.ncollider > 0 ? SOME + EACH * m->contact.ncollider : 0;
}

size_t lb_contacts_state_size(const lb_model* m) {
  const size_t bounded = (size_t)lb_bounded_rows(m), all = (size_t)m->contact.ncollider + bounded;
  const size_t lags = LAG * (size_t)m->nlink;
  return all > 0 ? HEAD + bounded + lags + (size_t)room_of(m) * (POINT + PAIR) : 0;
}

// A pair of which something is known; of others nothing has to be.
static bool is_known(const lb_collider_pair* p) {
  return p->cache.axis != 0 || p->cache.reference != 0 || lb_vec3_norm(p->cache.normal) > 0;
}

static void drop_unknown(lb_contacts* C, int room) {
  int n = 0;
  for (int i = 0; i < C->pairs.count && n < room; i++) {
    if (is_known(&C->pairs.item[i])) {
      C->pairs.item[n++] = C->pairs.item[i];
    }
  }
  C->pairs.count = n;
}

// Arrays of nothing may not be there.
static void copy(void* to, const void* from, size_t size) {
  if (size > 0) {
    memcpy(to, from, size);
  }
}

// Where links are expected to be, zero where nothing is.
static double* save_lags(const lb_contacts* C, double* to) {
  memset(to, 0, LAG * (size_t)C->m->nlink * sizeof *to);
  for (int i = 0; i < C->m->nlink; i++, to += LAG) {
    const lb_link_lag* l = &C->lags.link[i];
    if (C->lags.h > 0 && l->expected) {
      to[0] = 1;
      lb_v4_store(to + 1, l->place);
      lb_m3_store(to + 4, 3, l->turned);
      lb_v4_store(to + 13, l->before.w);
      lb_v4_store(to + 16, l->before.v);
    }
  }
  return to;
}

static const double* load_lags(lb_contacts* C, const double* from) {
  for (int i = 0; i < C->m->nlink; i++, from += LAG) {
    lb_link_lag* l = &C->lags.link[i];
    l->expected = from[0] != 0;
    l->place = lb_v4_load(from + 1);
    l->turned =
        lb_m3_transpose((lb_m3){lb_v4_load(from + 4), lb_v4_load(from + 7), lb_v4_load(from + 10)});
    l->before = (lb_motion){lb_v4_load(from + 13), lb_v4_load(from + 16)};
  }
  return from;
}

void lb_contacts_save(lb_contacts* C, double* state) {
  const int room = room_of(C->m);
  double* to = state + HEAD;
  C->ntouch = C->ntouch < room ? C->ntouch : room;
  drop_unknown(C, room);
  state[0] = C->ntouch;
  state[1] = C->pairs.count;
  state[2] = C->duration;
  state[3] = C->lags.h;
  for (int i = 0; i < lb_bounded_rows(C->m); i++) {
    *to++ = C->beside.bounded[i].force;
  }
  to = save_lags(C, to);
  copy(to, C->touch, (size_t)C->ntouch * sizeof *C->touch);
  copy(to + C->ntouch * POINT, C->pairs.item, (size_t)C->pairs.count * sizeof *C->pairs.item);
}

// Room for so many; false: there is no memory.
static bool reserve(lb_contacts* C, int ntouch, int npair) {
  lb_contacts_forget(C);
  const bool ok = lb_contacts_reserve_touches(C, ntouch) && lb_contacts_reserve_pairs(C, npair);
  C->ntouch = ok ? ntouch : 0;
  C->pairs.count = ok ? npair : 0;
  return ok;
}

void lb_contacts_load(lb_contacts* C, const double* state) {
  const double* from = state + HEAD;
  if (!reserve(C, (int)state[0], (int)state[1])) {
    lb_contacts_forget(C);
    return;
  }
  for (int i = 0; i < lb_bounded_rows(C->m); i++) {
    C->beside.bounded[i].force = *from++;
  }
  from = load_lags(C, from);
  C->duration = state[2];
  C->lags.h = state[3];
  copy(C->touch, from, (size_t)C->ntouch * sizeof *C->touch);
  copy(C->pairs.item, from + C->ntouch * POINT, (size_t)C->pairs.count * sizeof *C->pairs.item);
}
