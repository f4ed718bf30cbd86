// Closing a linkage, and choosing its pins. Bars are carried outward from the body that all is on,
// nearest first and the crank before all, so that trees are shallow; what is left closes loops.
#include <math.h>
#include <string.h>

#include "scene/part/linkage.h"

bool lb_linkage_planar(const lb_scene_linkage* k, lb_arena* arena, lb_planar* out,
                       double (**at)[2]) {
  bool* fixed = LB_TAKE(arena, bool, k->npoint);
  lb_planar_side* side = LB_TAKE(arena, lb_planar_side, k->nside);
  double* place = LB_TAKE(arena, double, 2 * k->npoint);
  if (!fixed || !side || !place) {
    return false;
  }
  const int *crank = k->bar[k->crank].point, pivot = crank[0], pin = crank[1];
  *out = (lb_planar){k->npoint, k->nside, fixed, side, pivot, pin, 0};
  for (int i = 0; i < k->npoint; i++) {
    fixed[i] = k->point[i].fixed;
    memcpy(place + 2 * i, k->point[i].at, sizeof k->point[i].at);
  }
  for (int i = 0; i < k->nside; i++) {
    const int* end = k->side[i].point;
    side[i] = (lb_planar_side){end[0], end[1], k->side[i].length};
    const bool of_crank = (end[0] == pivot && end[1] == pin) || (end[0] == pin && end[1] == pivot);
    out->radius = of_crank ? side[i].length : out->radius;
  }
  *at = (double(*)[2])place;
  return true;
}

double lb_linkage_bar_angle(const lb_linkage_bar* bar, double (*at)[2]) {
  const double *a = at[bar->point[0]], *b = at[bar->point[1]];
  return atan2(b[1] - a[1], b[0] - a[0]);
}

double lb_linkage_crank_angle(const lb_scene_linkage* k, double (*at)[2]) {
  return lb_linkage_bar_angle(&k->bar[k->crank], at);
}

// Name of a side, for messages.
static const char* side_name(lb_reader* r, const lb_scene_linkage* k, const lb_linkage_side* side) {
  return lb_compose(r, "%s-%s of bar '%s'", k->point[side->point[0]].name,
                    k->point[side->point[1]].name, k->bar[side->bar].name);
}

bool lb_linkage_close(lb_reader* r, lb_scene_linkage* k) {
  const lb_arena_mark mark = lb_arena_here(&r->scratch);
  lb_planar planar;
  lb_planar_fit fit;
  double(*at)[2];
  if (!lb_linkage_planar(k, &r->scratch, &planar, &at)) {
    return lb_lack(r);
  }
  if (!(planar.radius > 0)) {
    return lb_complain(
        r, k->bar[k->crank].place, "the crank '%s' has no length from its fixed point '%s' to '%s'",
        k->bar[k->crank].name, k->point[planar.pivot].name, k->point[planar.pin].name);
  }
  const double angle = lb_linkage_crank_angle(k, at);
  if (lb_planar_close(&planar, at, angle, &r->scratch, &fit) != LB_OK) {
    return lb_lack(r);
  }
  for (int i = 0; i < k->npoint && fit.closed; i++) {
    memcpy(k->point[i].at, at[i], sizeof k->point[i].at);
  }
  lb_arena_reset(&r->scratch, mark);
  const lb_linkage_side* worst = &k->side[fit.worst];
  return fit.closed ||
         lb_complain(r, k->bar[worst->bar].place,
                     "its lengths cannot close with the crank at %.4g degrees, as drawn: at best "
                     "%s is %.3g m too %s for the %.4g m between its points",
                     angle * 180 / M_PI, side_name(r, k, worst), fabs(fit.gap),
                     fit.gap > 0 ? "short" : "long", worst->length + fit.gap);
}

// --- pins ---

typedef struct pinning {
  lb_scene_linkage* k;
  int* hub;      // [npoint] bar that carries others there, -1: what all is on, -2: not reached
  bool* carried; // [nbar]
  int *queue, nqueue;
} pinning;

enum { NOBODY = -2, GROUND = -1 };

static bool has_point(const lb_linkage_bar* bar, int point) {
  for (int i = 0; i < bar->npoint; i++) {
    if (bar->point[i] == point) {
      return true;
    }
  }
  return false;
}

static void carry(pinning* p, int point, int bar) {
  lb_scene_linkage* k = p->k;
  k->pin[k->npin++] = (lb_linkage_pin){point, {p->hub[point], bar}, p->carried[bar]};
  if (p->carried[bar]) {
    return;
  }
  p->carried[bar] = true;
  p->queue[p->nqueue++] = bar;
}

// Bars at a point that the hub of this number has reached.
static void carry_at(pinning* p, int point, int hub, int first) {
  p->hub[point] = hub;
  if (first >= 0 && first != hub && has_point(&p->k->bar[first], point)) {
    carry(p, point, first);
  }
  for (int b = 0; b < p->k->nbar; b++) {
    if (b != hub && b != first && has_point(&p->k->bar[b], point)) {
      carry(p, point, b);
    }
  }
}

static void carry_all(pinning* p) {
  const lb_scene_linkage* k = p->k;
  const int pivot = k->bar[k->crank].point[0];
  carry_at(p, pivot, GROUND, k->crank);
  for (int i = 0; i < k->npoint; i++) {
    if (k->point[i].fixed && i != pivot) {
      carry_at(p, i, GROUND, -1);
    }
  }
  for (int next = 0; next < p->nqueue; next++) {
    const lb_linkage_bar* bar = &k->bar[p->queue[next]];
    for (int i = 0; i < bar->npoint; i++) {
      if (p->hub[bar->point[i]] == NOBODY) {
        carry_at(p, bar->point[i], p->queue[next], -1);
      }
    }
  }
}

bool lb_linkage_pin_bars(lb_reader* r, lb_scene_linkage* k) {
  pinning p = {.k = k,
               .hub = LB_TAKE(&r->scratch, int, k->npoint),
               .carried = LB_TAKE(&r->scratch, bool, k->nbar),
               .queue = LB_TAKE(&r->scratch, int, k->nbar)};
  k->pin = LB_TAKE(r->keep, lb_linkage_pin, k->npoint * k->nbar);
  if (!p.hub || !p.carried || !p.queue || !k->pin) {
    return lb_lack(r);
  }
  for (int i = 0; i < k->npoint; i++) {
    p.hub[i] = NOBODY;
  }
  carry_all(&p);
  bool ok = true;
  for (int b = 0; b < k->nbar; b++) {
    ok &= p.carried[b] || lb_complain(r, k->bar[b].place,
                                      "bar '%s' hangs on nothing: no way leads from it to a fixed "
                                      "point",
                                      k->bar[b].name);
  }
  return ok;
}
