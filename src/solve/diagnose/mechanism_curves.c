// Linkages by their cranks: from the drawing both ways until a whole turn is done or it jams, then
// through that range, a point of every curve for a degree or so.
#include <math.h>
#include <string.h>

#include "scene/part/linkage.h"
#include "solve/diagnose/mechanism_inside.h"

typedef struct curves {
  const lb_scene_linkage* k;
  lb_planar planar;
  double (*at)[2];
  double drawn; // angle of the crank
  lb_arena* arena;
  lb_linkage_motion* out;
} curves;

static void as_drawn(const curves* c) {
  for (int i = 0; i < c->k->npoint; i++) {
    memcpy(c->at[i], c->k->point[i].at, sizeof c->at[i]);
  }
}

// Bars that hold each other where the linkage jams, by their forces.
static lb_status name_dead_point(const curves* c, double angle, lb_dead_point* dead) {
  enum { MOST = 3 };
  static const double SMALL = 0.2; // of the largest force
  const lb_scene_linkage* k = c->k;
  double least, *strain = LB_TAKE(c->arena, double, k->nside);
  dead->angle = angle;
  dead->bar = LB_TAKE(c->arena, const char*, MOST);
  if (!strain || !dead->bar ||
      lb_planar_transmission(&c->planar, c->at, c->arena, &least, strain) != LB_OK) {
    return LB_NO_MEMORY;
  }
  double first = 0;
  while (dead->nbar < MOST) {
    int best = 0;
    for (int s = 1; s < k->nside; s++) {
      best = fabs(strain[s]) > fabs(strain[best]) ? s : best;
    }
    const double force = fabs(strain[best]);
    first = dead->nbar == 0 ? force : first;
    if (!(force > SMALL * first)) {
      break;
    }
    dead->bar[dead->nbar++] = k->bar[k->side[best].bar].name;
    for (int s = 0; s < k->nside; s++) { // a plate is named once
      strain[s] = k->side[s].bar == k->side[best].bar ? 0 : strain[s];
    }
  }
  return LB_OK;
}

static lb_status find_range(curves* c) {
  lb_linkage_motion* out = c->out;
  double end[2];
  for (int i = 0; i < 2; i++) {
    const double to = c->drawn + (i ? 2 * M_PI : -2 * M_PI);
    as_drawn(c);
    if (lb_planar_turn(&c->planar, c->at, c->drawn, to, c->arena, &end[i]) != LB_OK) {
      return LB_NO_MEMORY;
    }
    out->turns = end[i] == to;
    if (out->turns) {
      break;
    }
    if (name_dead_point(c, end[i], &out->dead[i]) != LB_OK) {
      return LB_NO_MEMORY;
    }
  }
  out->ndead = out->turns ? 0 : 2;
  out->from = out->turns ? c->drawn : end[0];
  out->to = out->turns ? c->drawn + 2 * M_PI : end[1];
  return LB_OK;
}

// Points at the angle of sample i, from those of the one before.
static lb_status sample(const curves* c, int i, double* angle) {
  const lb_linkage_motion* out = c->out;
  const double step = (out->to - out->from) / (LB_COUPLER_SAMPLES - 1);
  const double before = i == 0 ? c->drawn : out->from + (i - 1) * step;
  double reached;
  *angle = out->from + i * step;
  return lb_planar_turn(&c->planar, c->at, before, *angle, c->arena, &reached);
}

// Sides leave points free beside the crank: nothing says how well it moves them.
static bool is_loose(const lb_planar* k) {
  int unknowns = 0, sides = 0;
  for (int i = 0; i < k->npoint; i++) {
    unknowns += k->fixed[i] || i == k->pin ? 0 : 2;
  }
  for (int s = 0; s < k->nside; s++) {
    const int a = k->side[s].a, b = k->side[s].b;
    sides += !((k->fixed[a] || a == k->pin) && (k->fixed[b] || b == k->pin));
  }
  return sides < unknowns;
}

static lb_status find_curves(curves* c) {
  lb_linkage_motion* out = c->out;
  const lb_scene_linkage* k = c->k;
  out->transmission = INFINITY;
  as_drawn(c);
  for (int i = 0; i < LB_COUPLER_SAMPLES; i++) {
    double angle, least;
    if (sample(c, i, &angle) != LB_OK ||
        lb_planar_transmission(&c->planar, c->at, c->arena, &least, NULL) != LB_OK) {
      return LB_NO_MEMORY;
    }
    if (least < out->transmission) {
      out->transmission = least;
      out->transmission_at = angle;
    }
    for (int p = 0, n = 0; p < k->npoint; p++) {
      if (!k->point[p].fixed) {
        memcpy(out->curve[n++].at[i], c->at[p], sizeof c->at[p]);
      }
    }
  }
  out->transmission = is_loose(&c->planar) ? (double)NAN : out->transmission;
  return LB_OK;
}

static double extent(const lb_coupler_curve* curve, int c) {
  double low = curve->at[0][c], high = low;
  for (int i = 1; i < LB_COUPLER_SAMPLES; i++) {
    low = fmin(low, curve->at[i][c]);
    high = fmax(high, curve->at[i][c]);
  }
  return high - low;
}

static lb_status lay_out(curves* c) {
  const lb_scene_linkage* k = c->k;
  lb_linkage_motion* out = c->out;
  *out = (lb_linkage_motion){.name = k->name, .crank = k->bar[k->crank].name, .nside = k->nside};
  out->curve = LB_TAKE(c->arena, lb_coupler_curve, k->npoint);
  out->side = lb_arena_take_array(c->arena, (size_t)k->nside, sizeof *out->side, _Alignof(double));
  for (int p = 0; p < k->npoint && out->curve; p++) {
    if (!k->point[p].fixed) {
      lb_coupler_curve* curve = &out->curve[out->ncurve++];
      curve->point = k->point[p].name;
      curve->foot = k->foot[p] > 0;
      curve->at =
          lb_arena_take_array(c->arena, LB_COUPLER_SAMPLES, sizeof *curve->at, _Alignof(double));
    }
  }
  if (lb_arena_status(c->arena) != LB_OK || !out->side) {
    return LB_NO_MEMORY;
  }
  for (int s = 0; s < k->nside; s++) {
    memcpy(out->side[s], k->point[k->side[s].point[0]].at, 2 * sizeof(double));
    memcpy(out->side[s] + 2, k->point[k->side[s].point[1]].at, 2 * sizeof(double));
  }
  return LB_OK;
}

static lb_status find_motion(curves* c) {
  lb_status status = lay_out(c);
  if (status != LB_OK || !lb_linkage_planar(c->k, c->arena, &c->planar, &c->at)) {
    return LB_NO_MEMORY;
  }
  c->drawn = lb_linkage_crank_angle(c->k, c->at);
  status = find_range(c);
  status = status == LB_OK ? find_curves(c) : status;
  for (int i = 0; i < c->out->ncurve && status == LB_OK; i++) {
    c->out->curve[i].width = extent(&c->out->curve[i], 0);
    c->out->curve[i].height = extent(&c->out->curve[i], 1);
  }
  return status;
}

lb_status lb_mechanism_curves(const lb_scene* scene, lb_arena* arena, lb_mechanism* M) {
  M->linkage = LB_TAKE(arena, lb_linkage_motion, scene->nlinkage + 1);
  lb_status status = M->linkage ? LB_OK : LB_NO_MEMORY;
  for (int i = 0; i < scene->nlinkage && status == LB_OK; i++) {
    curves c = {.k = &scene->linkage[i], .arena = arena, .out = &M->linkage[i]};
    status = find_motion(&c);
    M->nlinkage = i + 1;
  }
  return status;
}
