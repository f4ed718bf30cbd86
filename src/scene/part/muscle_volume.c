#include "scene/part/muscle_volume.h"

#include <math.h>

#include "scene/part/part.h"

static const double MOST = 0.8; // of a body's mass: bones and skin remain

lb_muscle_volume lb_muscle_volume_default(void) {
  return (lb_muscle_volume){.tension = 0.25e6, .density = 1060, .over = 2 * M_PI / 180};
}

bool lb_smooth_conditions(const lb_scene* s, lb_scene_muscle* m, double over) {
  static const double SLIDE = 1e-3; // m
  bool any = false;
  for (int i = 0; i < m->npoint; i++) {
    lb_scene_path_point* p = &m->point[i];
    if (p->condition >= 0 && p->over == 0) {
      const lb_coordinate what = lb_joint_counts(&s->joint[p->condition], p->condition_coordinate);
      p->over = lb_coordinate_measures[what].place == LB_ANGLE ? over : SLIDE;
      any = true;
    }
  }
  return any;
}

// A point that comes in smoothly cannot be next to a surface.
static bool is_barred(const lb_scene_muscle* m) {
  for (int i = 1; i < m->npoint; i++) {
    const lb_scene_path_point *a = &m->point[i - 1], *b = &m->point[i];
    if ((a->wrap >= 0 && b->condition >= 0) || (a->condition >= 0 && b->wrap >= 0)) {
      return true;
    }
  }
  return false;
}

void lb_fibre_belly(const lb_scene_hill* h, double belly[2]) {
  const double fiber = h->fiber * cos(h->pennation);
  const double part = h->model != LB_HILL_NONE ? fiber / (fiber + h->slack) : 1;
  belly[0] = (1 - part) / 2;
  belly[1] = (1 + part) / 2;
}

static bool has_volume(const lb_scene_muscle* m) {
  return m->hill.model != LB_HILL_NONE && !(m->mass.amount > 0);
}

static bool is_weighed(const lb_scene_muscle* m) {
  return has_volume(m) && !is_barred(m);
}

static double mass_of(const lb_scene* s, int body) {
  const lb_scene_body* b = &s->body[body];
  return b->has_mass && !b->elastic ? b->mass.mass : 0;
}

// The heaviest body that a path is on, or -1.
static int heaviest(const lb_scene* s, const lb_scene_muscle* m) {
  int best = -1;
  for (int i = 0; i < m->npoint; i++) {
    const int body = m->point[i].wrap < 0 ? m->point[i].body : LB_WORLD;
    if (body != LB_WORLD && mass_of(s, body) > (best < 0 ? 0 : mass_of(s, best))) {
      best = body;
    }
  }
  return best;
}

static double fibres(const lb_scene_muscle* m, const lb_muscle_volume* how) {
  return how->density * m->hill.force * m->hill.fiber / how->tension;
}

// Part of their weight that muscles of a body may have.
static double scale_of(const lb_scene* s, int body, const lb_muscle_volume* how) {
  double left = MOST * mass_of(s, body), sum = 0;
  for (int i = 0; i < s->nmuscle; i++) {
    const lb_scene_muscle* m = &s->muscle[i];
    if (is_weighed(m)) {
      sum += heaviest(s, m) == body ? fibres(m, how) : 0;
    } else if (m->mass.amount > 0 && m->mass.from == body) {
      left -= m->mass.amount;
    }
  }
  return fmin(1, fmax(0, left) / sum);
}

static lb_scene_muscle_mass weigh(const lb_scene* s, const lb_scene_muscle* m,
                                  const lb_muscle_volume* how) {
  lb_scene_muscle_mass mass = {.from = heaviest(s, m)};
  mass.amount = fibres(m, how) * (mass.from < 0 ? 1 : scale_of(s, mass.from, how));
  lb_fibre_belly(&m->hill, mass.belly);
  return mass;
}

lb_muscle_masses lb_scene_weigh_muscles(lb_scene* s, const lb_muscle_volume* how) {
  lb_muscle_masses sum = {.bound = -1, .scale = 1, .first = -1, .barred = -1};
  // negative until all are known, so that each is weighed beside all the others
  for (int i = 0; i < s->nmuscle; i++) {
    lb_scene_muscle* m = &s->muscle[i];
    if (is_weighed(m)) {
      lb_scene_muscle_mass mass = weigh(s, m, how);
      const double scale = mass.amount / fibres(m, how);
      sum.bound = scale < sum.scale ? mass.from : sum.bound;
      sum.scale = fmin(scale, sum.scale);
      sum.mass += mass.amount;
      sum.count++;
      mass.amount = -mass.amount;
      m->mass = mass;
      if (lb_smooth_conditions(s, m, how->over)) {
        sum.first = sum.smoothed++ == 0 ? i : sum.first;
      }
    } else if (has_volume(m)) {
      sum.barred = sum.left++ == 0 ? i : sum.barred;
    }
  }
  for (int i = 0; i < s->nmuscle; i++) {
    s->muscle[i].mass.amount = fabs(s->muscle[i].mass.amount);
  }
  return sum;
}
