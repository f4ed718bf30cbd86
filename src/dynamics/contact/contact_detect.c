// Points where colliders meet: bounds of where they may be in the step, pairs whose bounds overlap,
// and the manifolds of these.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/prefetch.h"
#include "dynamics/contact/contact_inside.h"
#include "dynamics/contact/contact_surface.h"
#include "dynamics/tree/kinematics.h"
#include "model/use/meeting.h"

// Points farther apart than they can come in a step do not count. They are looked for a little
// farther out, so that a body that lies flat has all its corners.
static const double FLAT = LB_TOUCH_FLAT;
// Steps for which a collider that goes on as it does stays where it is in the broad phase.
static const double AHEAD = 6;
// Points as near to each other in two steps are the same, over the size.
static const double SAME = 0.02;

// --- bounds ---

static lb_v4 at_origin(const lb_work* w, const lb_model_collider* c) {
  const lb_state* s = &w->state[c->link];
  return s->p + lb_m3_apply(s->R, lb_v4_from(c->X.p));
}

static void widen(lb_bounds* box, double by) {
  box->low = lb_vec3_sub(box->low, lb_vec3_make(by, by, by));
  box->high = lb_vec3_add(box->high, lb_vec3_make(by, by, by));
}

// Gravity alone may speed a body up within the step.
static double falling(const lb_model* m, double h) {
  return h * lb_vec3_norm(m->gravity);
}

static void place_shape(lb_contacts* C, const lb_data* d, int i, double h) {
  const lb_model_collider* from = &C->m->contact.collider[i];
  lb_collider_state* to = &C->collider[i];
  const lb_state* s = &d->work->state[from->link];
  const lb_v4 p = at_origin(d->work, from);
  const lb_m3 R = lb_m3_mul(s->R, lb_m3_rotation(from->X.q));
  to->at = (lb_placed){from->geometry, lb_m3_mat3(R), lb_v4_vec3(p)};
  to->origin = d->work->state[to->link].p;
  to->w = s->w;
  to->v = s->v + lb_v4_cross(s->w, p - s->p);
  to->speed = sqrt(lb_v4_dot(to->v, to->v)) + to->radius * sqrt(lb_v4_dot(to->w, to->w)) +
              (to->link == LB_WORLD ? 0 : falling(C->m, h));
  to->bounds = lb_placed_bounds(&to->at);
}

static void place_collider(lb_contacts* C, const lb_data* d, int i, double h) {
  lb_collider_state* to = &C->collider[i];
  if (to->surface) {
    lb_surface_place(C, d, i);
    to->speed += falling(C->m, h);
  } else {
    place_shape(C, d, i, h);
  }
  const lb_model_contacts* c = &C->m->contact;
  widen(&to->bounds, h * to->speed + FLAT * c->collider[i].size + c->set.margin / 2);
  C->near.left[i] = C->near.placed && !lb_broad_place(C->near.broad, i, to->bounds);
}

// --- pairs ---

// Surfaces that bend are the second of a pair.
bool lb_contacts_may_meet(const void* contacts, int i, int j) {
  const lb_contacts* C = contacts;
  const lb_model_contacts* c = &C->m->contact;
  const int a = C->collider[i].link, b = C->collider[j].link;
  const bool apart = C->collider[j].surface ? lb_surface_may_meet(C, j, i) : a != b;
  return apart && c->meeting[c->collider[i].family * c->nfamily + c->collider[j].family].collide &&
         !lb_links_joined(c, a, b);
}

static int compare_pairs(const void* x, const void* y) {
  const lb_collider_pair *p = x, *q = y;
  return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

// The first of the last step's pairs that does not come before this one.
static int find_pair(const lb_contacts* C, const lb_collider_pair* p) {
  int low = 0, high = C->pairs.nlast;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (compare_pairs(&C->pairs.last[middle], p) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// A pair that met before keeps what is known of it. Both lists are sorted; `from` goes along.
static void keep_cache(const lb_contacts* C, lb_collider_pair* p, int* from) {
  while (*from < C->pairs.nlast && compare_pairs(&C->pairs.last[*from], p) < 0) {
    ++*from;
  }
  if (*from < C->pairs.nlast && compare_pairs(&C->pairs.last[*from], p) == 0) {
    p->cache = C->pairs.last[*from].cache;
    p->held = C->near.again ? C->pairs.last[*from].held : 0;
  }
}

// Leaves are the colliders, put in when they have bounds.
static bool put_bounds(lb_contacts* C, double h) {
  bool ok = true;
  for (int i = 0; i < C->m->contact.ncollider && ok; i++) {
    int leaf = i;
    if (!C->near.placed) {
      ok = lb_broad_insert(C->near.broad, C->collider[i].bounds, &leaf) == LB_OK;
    } else if (C->near.left[i]) {
      const lb_vec3 way = lb_v4_vec3(C->collider[i].v * (AHEAD * h));
      lb_broad_move(C->near.broad, i, C->collider[i].bounds, way);
    }
  }
  C->near.placed = ok;
  return ok;
}

// Pairs that are near, sorted. Those there were become the last step's.
static bool find_pairs(lb_contacts* C, const lb_data* d, double h, const lb_broad_pair** near) {
  int n = 0;
  lb_collider_pair* last = C->pairs.last;
  C->pairs.last = C->pairs.item;
  C->pairs.item = last;
  C->pairs.nlast = C->pairs.count;
  C->pairs.count = 0;
  if (!put_bounds(C, h)) {
    return false;
  }
  const lb_status status = lb_broad_update(C->near.broad, d->threads, near, &n);
  C->near.crowded = status == LB_FAILED;
  if (status != LB_OK || !lb_contacts_reserve_pairs(C, n)) {
    return false;
  }
  C->pairs.count = n;
  return true;
}

// --- points ---

// Surface of two: of the scene's pairs where they say it, else of both materials.
static lb_contact_surface between(const lb_contacts* C, const lb_collider_pair* p) {
  const lb_model_contacts* c = &C->m->contact;
  const lb_collider_state *a = &C->collider[p->a], *b = &C->collider[p->b];
  return lb_surface_between(&c->meeting[a->family * c->nfamily + b->family].surface, &a->material,
                            &b->material);
}

// Velocity of a over b at a point.
static lb_v4 relative(const lb_contacts* C, const lb_collider_pair* p, lb_v4 at) {
  const lb_collider_state *a = &C->collider[p->a], *b = &C->collider[p->b];
  return a->v + lb_v4_cross(a->w, at - lb_v4_from(a->at.p)) - b->v -
         lb_v4_cross(b->w, at - lb_v4_from(b->at.p));
}

static void set_point(const lb_contacts* C, lb_touch* t, const lb_collider_pair* p,
                      const lb_contact_surface* surface, const lb_manifold* f, int k) {
  memset(t, 0, sizeof *t); // states are compared byte for byte
  t->collider[0] = p->a;
  t->collider[1] = p->b;
  t->id = f->point[k].id;
  t->face = f->face;
  t->at = lb_v4_from(f->point[k].position);
  t->gap = f->point[k].distance;
  t->surface = *surface;
  lb_touch_set_axes(t, lb_v4_from(f->normal));
  t->arm[0] = t->at - C->collider[p->a].origin;
  t->arm[1] = t->at - C->collider[p->b].origin;
  t->closing = -lb_v4_dot(t->axis[0], relative(C, p, t->at));
}

static int compare_touches(const lb_touch* x, const lb_touch* y) {
  return x->collider[0] != y->collider[0]   ? (x->collider[0] > y->collider[0] ? 1 : -1)
         : x->collider[1] != y->collider[1] ? (x->collider[1] > y->collider[1] ? 1 : -1)
                                            : 0;
}

// Point among [from, end) of the step before that is t: the nearest one within `reach`, for
// features change places where edges lie on each other; else the one with the same features. NULL:
// none.
static const lb_touch* find_last(const lb_touch* from, const lb_touch* end, const lb_touch* t,
                                 double reach) {
  const lb_touch *near = NULL, *same = NULL;
  double least = reach * reach;
  for (const lb_touch* k = from; k < end; k++) {
    const lb_v4 way = k->at - t->at;
    const double square = lb_v4_dot(way, way);
    same = k->id == t->id ? k : same;
    near = square < least ? k : near;
    least = square < least ? square : least;
  }
  return near ? near : same;
}

int lb_contacts_last_of(const lb_contacts* C, const lb_touch* t, int* from) {
  while (*from < C->nlast && compare_touches(&C->last[*from], t) < 0) {
    ++*from;
  }
  int end = *from;
  while (end < C->nlast && compare_touches(&C->last[end], t) == 0) {
    end++;
  }
  return end;
}

// Impulses of the points that a pair had before.
static void warm_pair(const lb_contacts* C, int first, int after, double reach, int* from) {
  const int end = lb_contacts_last_of(C, &C->touch[first], from);
  for (int i = first; i < after; i++) {
    const lb_touch* k = find_last(C->last + *from, C->last + end, &C->touch[i], reach);
    if (k) {
      C->touch[i].impulse = k->impulse;
      C->touch[i].twist = k->twist;
      C->touch[i].exact = k->exact;
      C->touch[i].carried = C->near.again ? k->carried : k->sticks;
    }
  }
}

// How far surfaces of a pair come nearer within the step.
static double travel_of(const lb_contacts* C, const lb_collider_pair* p, double h) {
  return h * (C->collider[p->a].speed + C->collider[p->b].speed);
}

static double size_of(const lb_contacts* C, const lb_collider_pair* p) {
  return fmin(C->collider[p->a].size, C->collider[p->b].size);
}

static double margin_of(const lb_contacts* C, const lb_collider_pair* p, double h) {
  return travel_of(C, p, h) + FLAT * size_of(C, p) + C->m->contact.set.margin;
}

static int find_manifolds(lb_contacts* C, lb_collider_pair* p, double h, lb_manifold* out,
                          int room) {
  const int found = lb_collide(&C->collider[p->a].at, &C->collider[p->b].at, margin_of(C, p, h),
                               &p->cache, out, room)
                        .nmanifold;
  const int n = found < room ? found : room;
  return n > 0 && C->near.follows ? lb_contacts_follow(C, p, h, out, n) : n;
}

// Pairs of two convex colliders, by all threads.
typedef struct search {
  lb_contacts* C;
  const lb_data* d;
  double h;
  const lb_broad_pair* near; // pairs
} search;

// Pairs of a task, those that one thread does as fast, and how soon the next ones come.
enum { CHUNK = 64, FEW = 256, SOON = 3 };

// The second collider of a pair that comes soon; the first is mostly that of the one before.
static void ask_for(const lb_contacts* C, int collider) {
  lb_prefetch(&C->collider[collider], sizeof *C->collider);
}

typedef struct range {
  int begin, end;
} range;

static range chunk_of(int chunk, int n) {
  return (range){chunk * CHUNK, (chunk + 1) * CHUNK < n ? (chunk + 1) * CHUNK : n};
}

static void by_chunks(search* s, int n, void (*work)(void* context, int chunk)) {
  lb_parallel_for(n < FEW ? 1 : s->d->threads, (n + CHUNK - 1) / CHUNK, work, s);
}

static void place_chunk(void* context, int chunk) {
  const search* s = context;
  const range r = chunk_of(chunk, s->C->m->contact.ncollider);
  for (int i = r.begin; i < r.end; i++) {
    place_collider(s->C, s->d, i, s->h);
  }
}

static void search_chunk(void* context, int chunk) {
  const search* s = context;
  lb_contacts* C = s->C;
  const range r = chunk_of(chunk, C->pairs.count);
  lb_manifold* to = C->pairs.found + r.begin;
  int last = find_pair(C, &(lb_collider_pair){.a = s->near[r.begin].a, .b = s->near[r.begin].b});
  for (int i = r.begin; i < r.end; i++) {
    lb_collider_pair* p = &C->pairs.item[i];
    ask_for(C, s->near[i + SOON < r.end ? i + SOON : i].b);
    *p = (lb_collider_pair){.a = s->near[i].a, .b = s->near[i].b};
    keep_cache(C, p, &last);
    const bool convex = C->collider[p->a].convex && C->collider[p->b].convex;
    C->pairs.npoint[i] = !convex ? -1 : find_manifolds(C, p, s->h, to, 1) > 0 ? to->npoint : 0;
    to += C->pairs.npoint[i] > 0;
  }
}

// Points of a pair's manifolds, from C->touch[first] on.
static void set_points(const lb_contacts* C, const lb_collider_pair* p, const lb_manifold* manifold,
                       int n, int first, double h, int* from) {
  const lb_contact_surface surface = between(C, p);
  int at = first;
  for (int m = 0; m < n; m++) {
    for (int k = 0; k < manifold[m].npoint; k++) {
      set_point(C, &C->touch[at], p, &surface, &manifold[m], k);
      if (p->time > 0) {
        lb_contacts_set_later(C, &C->touch[at], p->time, h);
      }
      at++;
    }
  }
  if (at > first) {
    warm_pair(C, first, at, travel_of(C, p, h) + SAME * size_of(C, p), from);
    lb_contacts_set_lags(C, first, at, h);
  }
}

// Room for the points of a pair. Those of a pair that is not convex are set at once: the manifolds
// of one are held at a time.
static bool meet(lb_contacts* C, int i, double h, int* from) {
  lb_collider_pair* p = &C->pairs.item[i];
  const int first = C->ntouch;
  C->pairs.first[i] = first;
  if (C->collider[p->b].surface) {
    return lb_surface_meet(C, p, between(C, p), margin_of(C, p, h), from);
  }
  const int n = find_manifolds(C, p, h, C->manifold, LB_TOUCH_MANIFOLDS);
  int npoint = 0;
  for (int m = 0; m < n; m++) {
    npoint += C->manifold[m].npoint;
  }
  if (!lb_contacts_reserve_touches(C, npoint)) {
    return false;
  }
  C->ntouch += npoint;
  set_points(C, p, C->manifold, n, first, h, from);
  return true;
}

// Room for the points of all pairs, in the order of these.
static bool meet_all(lb_contacts* C, double h) {
  const int n = C->pairs.count, *npoint = C->pairs.npoint;
  bool ok = true;
  for (int i = 0, from = 0; i < n && ok;) {
    int end = i, first = C->ntouch;
    for (; end < n && npoint[end] >= 0; first += npoint[end++]) {
      C->pairs.first[end] = first;
    }
    ok = lb_contacts_reserve_touches(C, first - C->ntouch);
    C->ntouch = ok ? first : C->ntouch;
    for (i = end; i < n && npoint[i] < 0 && ok; i++) {
      ok = meet(C, i, h, &from);
    }
  }
  return ok;
}

// First point of the step before that does not come before those of a pair.
static int first_last(const lb_contacts* C, const lb_collider_pair* p) {
  const lb_touch t = {.collider = {p->a, p->b}};
  int low = 0, high = C->nlast;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (compare_touches(&C->last[middle], &t) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static void set_chunk(void* context, int chunk) {
  const search* s = context;
  const lb_contacts* C = s->C;
  const range r = chunk_of(chunk, C->pairs.count);
  const lb_manifold* found = C->pairs.found + r.begin;
  int from = first_last(C, &C->pairs.item[r.begin]);
  for (int i = r.begin; i < r.end; i++) {
    ask_for(C, C->pairs.item[i + SOON < r.end ? i + SOON : i].b);
    if (C->pairs.npoint[i] > 0) {
      set_points(C, &C->pairs.item[i], found++, 1, C->pairs.first[i], s->h, &from);
    }
  }
}

// Points of all pairs at the colliders' places.
static bool search_all(search* s) {
  lb_contacts* C = s->C;
  lb_touch* last = C->last;
  C->last = C->touch;
  C->touch = last;
  C->nlast = C->ntouch;
  C->ntouch = 0;
  atomic_store(&C->near.followed, 0);
  if (!find_pairs(C, s->d, s->h, &s->near)) {
    return false;
  }
  by_chunks(s, C->pairs.count, search_chunk);
  const bool ok = meet_all(C, s->h);
  if (ok) {
    by_chunks(s, C->pairs.count, set_chunk);
  }
  return ok;
}

bool lb_contacts_detect(lb_contacts* C, lb_data* d, double h) {
  search s = {C, d, h, NULL};
  C->near.again = false;
  lb_move_origins(C->m, d->work, d->qd);
  by_chunks(&s, C->m->contact.ncollider, place_chunk);
  lb_contacts_find_lags(C, d, h);
  return search_all(&s);
}

bool lb_contacts_detect_again(lb_contacts* C, lb_data* d, double h) {
  search s = {C, d, h, NULL};
  C->near.again = true;
  for (int i = 0; i < C->m->contact.ncollider; i++) {
    lb_collider_state* c = &C->collider[i];
    const bool grows = i < C->m->contact.nshape && c->more > 0;
    if (grows) {
      c->speed += c->more;
      widen(&c->bounds, h * c->more);
    }
    C->near.left[i] = grows && !lb_broad_place(C->near.broad, i, c->bounds);
  }
  return search_all(&s);
}
