// Paths of muscles that a motion leads to where they change fast: over the band of a lift-off
// within too few steps, through the middle of a surface, where neither way around is the shorter
// one, off the side that they are held on, along it, or off the end of a capsule; surfaces in a row
// that they find no way over, tendons longer than the path at the start, bellies that have no
// length left, and networks out of the range they were trained for.
#include <math.h>

#include "job/job_inside.h"
#include "job/job_text.h"
#include "math/muscle/hill.h"
#include "model/use/model_path.h"

enum { STEPS = 10 };                 // across a band that keep the energy of mass
static const double OPPOSITE = 0.02; // rad: there the plane of a path turns by itself
static const double ALONG = 0.3;     // sine, below which it turns fast about a line along its side
enum { PARTS = 16 };                 // of the time between two frames that are looked at

// A path in two frames of a recording, one after the other.
typedef struct watch {
  lb_job* j;
  int muscle;
  const lb_model_path* path;
  int n[2];
  lb_placed_span span[2][LB_PATH_SPANS];
  double time[2];
  lb_wrap_state from[LB_PATH_MOST_POINTS]; // of each item, before the band that it is in
  double entered[LB_PATH_MOST_POINTS];     // and when it came to that
  double fastest[LB_PATH_MOST_POINTS];     // passage of a band
  double when[LB_PATH_MOST_POINTS];
  bool opposite[LB_PATH_MOST_POINTS], over[LB_PATH_MOST_POINTS]; // told of
  bool side[LB_PATH_MOST_POINTS], along[LB_PATH_MOST_POINTS], end[LB_PATH_MOST_POINTS];
  bool lost, short_of_belly, strayed;
} watch;

static const char* surface_name(const watch* w, int item) {
  const lb_scene* s = &w->j->scene;
  return s->wrap[s->muscle[w->muscle].point[item].wrap].name;
}

static lb_vec3 between(lb_vec3 a, lb_vec3 b, double t) {
  return lb_vec3_add(lb_vec3_scale(1 - t, a), lb_vec3_scale(t, b));
}

static lb_wrap_state state_at(const lb_placed_span* a, const lb_placed_span* b, double t) {
  return lb_wrap_state_of(&a->surface->wrap, between(a->p, b->p, t), between(a->q, b->q, t));
}

// Part of the time between two frames, from `t` on, at which a state ends, or begins: by halving.
static double changes(const lb_placed_span* a, const lb_placed_span* b, double t,
                      lb_wrap_state state) {
  enum { HALVES = 12 };
  const bool there = state_at(a, b, t) == state;
  double before = t, behind = 1;
  for (int i = 0; i < HALVES; i++) {
    const double middle = 0.5 * (before + behind);
    if ((state_at(a, b, middle) == state) == there) {
      before = middle;
    } else {
      behind = middle;
    }
  }
  return behind;
}

// Passages from one side of the band to the other.
static void watch_band(watch* w, int item, const lb_placed_span* a, const lb_placed_span* b) {
  const lb_wrap_state was = state_at(a, b, 0), is = state_at(a, b, 1);
  const double t0 = w->time[0], dt = w->time[1] - w->time[0];
  if (was == is || !(a->surface->wrap.band > 0) || a->surface->wrap.network) {
    return;
  }
  double part = 0;
  if (was != LB_WRAP_LIFTING) {
    part = changes(a, b, 0, was);
    w->from[item] = was;
    w->entered[item] = t0 + part * dt;
  }
  if (is != LB_WRAP_LIFTING && is != w->from[item] && w->entered[item] >= 0) {
    const double out = t0 + changes(a, b, part, is) * dt, took = out - w->entered[item];
    if (took < w->fastest[item]) {
      w->fastest[item] = took;
      w->when[item] = w->entered[item];
    }
  }
}

// Where neither way around is the shorter one, a sense that is not kept is a matter of chance.
static void watch_middle(watch* w, int item, const lb_placed_span* a, const lb_placed_span* b) {
  const lb_wrap* wrap = &a->surface->wrap;
  const bool ball = wrap->kind == LB_WRAP_SPHERE || wrap->kind == LB_WRAP_ELLIPSOID;
  const bool kept = !ball || lb_vec3_dot(wrap->axis, wrap->axis) > 0 || lb_wrap_is_held(wrap);
  const lb_place place = w->j->scene.muscle[w->muscle].place;
  double least = INFINITY;
  for (int i = 0; i <= PARTS && !kept && !w->opposite[item]; i++) {
    const double t = (double)i / PARTS;
    const lb_vec3 p = between(a->p, b->p, t), q = between(a->q, b->q, t);
    if (lb_wrap_state_of(wrap, p, q) == LB_WRAP_AROUND) {
      least = fmin(least, lb_wrap_off_opposite(wrap, p, q));
    }
  }
  if (least < OPPOSITE) {
    w->opposite[item] = true;
    lb_job_warn_at(w->j, place,
                   "muscle '%s' runs over wrap '%s' with its ends opposite to each other about the "
                   "middle at %s: either way around is the shorter one, and it jumps",
                   w->path->name, surface_name(w, item), lb_text_duration(w->time[0]).text);
  }
  if (kept && wrap->kind != LB_WRAP_TORUS && !w->over[item] &&
      !lb_wrap_turns_over(wrap, a->p, a->q) && lb_wrap_turns_over(wrap, b->p, b->q) &&
      lb_wrap_turn_of(wrap, a->p, a->q) != LB_TURN_SLIPPED && state_at(a, b, 0) == LB_WRAP_AROUND) {
    w->over[item] = true;
    lb_job_warn_at(w->j, place,
                   "muscle '%s' has gone around wrap '%s' by three quarters of a turn at %s, and "
                   "jumps to the other side",
                   w->path->name, surface_name(w, item), lb_text_duration(w->time[1]).text);
  }
}

// From one way around a capsule to the other, with an end beyond its seam.
static void watch_end(watch* w, int item, const lb_placed_span* a, const lb_placed_span* b) {
  const lb_wrap* wrap = &a->surface->wrap;
  lb_wrap_turn was = lb_wrap_turn_of(wrap, a->p, a->q);
  for (int i = 1; i <= PARTS && !w->end[item]; i++) {
    const double t = (double)i / PARTS;
    const lb_wrap_turn is = lb_wrap_turn_of(wrap, between(a->p, b->p, t), between(a->q, b->q, t));
    if ((was == LB_TURN_FAR && is == LB_TURN_SLIPPED) ||
        (was == LB_TURN_SLIPPED && is == LB_TURN_FAR)) {
      w->end[item] = true;
      lb_job_warn_at(w->j, w->j->scene.muscle[w->muscle].place,
                     "muscle '%s' slips %s the end of wrap '%s' at %s, more than half around it, "
                     "and jumps (%smake the capsule longer, or lead the muscle through a point)",
                     w->path->name, is == LB_TURN_SLIPPED ? "off" : "onto", surface_name(w, item),
                     lb_text_duration(w->time[1]).text,
                     lb_vec3_dot(wrap->side, wrap->side) > 0 ? "" : "give the wrap a 'side', ");
    }
    was = is;
  }
}

// Over its side a path goes by the longer way, until the line passes beside the surface.
static bool goes_long(const lb_placed_span* s) {
  const lb_wrap* wrap = &s->surface->wrap;
  return lb_wrap_side_distance(wrap, s->p, s->q) < 0 &&
         lb_wrap_state_of(wrap, s->p, s->q) != LB_WRAP_OFF;
}

static void watch_side(watch* w, int item, const lb_placed_span* a, const lb_placed_span* b) {
  const bool from = goes_long(a) && state_at(a, b, 1) == LB_WRAP_OFF;
  const bool onto = goes_long(b) && state_at(a, b, 0) == LB_WRAP_OFF;
  if (w->side[item] || !(from || onto)) {
    return;
  }
  w->side[item] = true;
  lb_job_warn_at(w->j, w->j->scene.muscle[w->muscle].place,
                 "muscle '%s' slips %s wrap '%s' beside its 'side' at %s, and jumps (lead it over "
                 "a cylinder, which keeps its sense, or through a point)",
                 w->path->name, from ? "off" : "onto", surface_name(w, item),
                 lb_text_duration(w->time[1]).text);
}

// The part of a side that is across a line says where the path is held: along the side there is
// none, and near it that part turns over with small movements.
static void watch_along(watch* w, int item, const lb_placed_span* a, const lb_placed_span* b) {
  double least = 1;
  for (int i = 0; i <= PARTS && !w->along[item]; i++) {
    const double t = (double)i / PARTS;
    const lb_vec3 p = between(a->p, b->p, t), q = between(a->q, b->q, t);
    least = fmin(least, lb_wrap_side_sine(&a->surface->wrap, p, q));
  }
  if (least < ALONG) {
    w->along[item] = true;
    lb_job_warn_at(w->j, w->j->scene.muscle[w->muscle].place,
                   "muscle '%s' runs nearly along the 'side' of wrap '%s' at %s: small movements "
                   "turn the path about the surface there, and its moment arms are far too large "
                   "(give the wrap a 'side' across the muscle)",
                   w->path->name, surface_name(w, item), lb_text_duration(w->time[0]).text);
  }
}

static void warn_of_rows(watch* w) {
  for (int i = 0; i < w->n[1] && !w->lost; i++) {
    w->lost = w->span[1][i].lost;
    if (w->lost) {
      lb_job_warn_at(w->j, w->j->scene.muscle[w->muscle].place,
                     "muscle '%s' finds no way over wrap '%s' and the next at %s: its length and "
                     "force are not right there (move them apart, change their order, or put a "
                     "point between them)",
                     w->path->name, surface_name(w, (int)(w->span[1][i].surface - w->path->item)),
                     lb_text_duration(w->time[1]).text);
    }
  }
}

// Tendons that are longer than the path leave the belly a negative length.
static void warn_of_belly(watch* w, const lb_transform* pose, const double* q) {
  if (!w->short_of_belly && w->path->mass.mass > 0 && lb_model_path_belly(w->path, pose, q) <= 0) {
    w->short_of_belly = true;
    lb_job_warn_at(w->j, w->j->scene.muscle[w->muscle].place,
                   "muscle '%s' is no longer than its tendons at %s, so that its mass is not right "
                   "from then on (give 'mass' a longer 'belly', or choose 'tendon: even')",
                   w->path->name, lb_text_duration(w->time[1]).text);
  }
}

static void warn_of_network(watch* w, const lb_transform* pose, const double* q) {
  const char* range = NULL;
  if (!w->strayed && lb_model_path_strays(w->path, pose, q, &range)) {
    w->strayed = true;
    lb_job_warn_at(w->j, w->j->scene.muscle[w->muscle].place,
                   "muscle '%s' runs over a wrap whose network was trained for %s, and is out of "
                   "that at %s: its points may be anywhere",
                   w->path->name, range, lb_text_duration(w->time[1]).text);
  }
}

static void warn_of_start(watch* w) {
  static const double ROUNDING = 1e-6;
  for (int i = 0; i < w->n[1]; i++) {
    const lb_placed_span* s = &w->span[1][i];
    const lb_wrap* wrap = &s->surface->wrap;
    const bool chosen = lb_vec3_dot(wrap->side, wrap->side) > 0;
    if (!chosen && lb_wrap_off_opposite(wrap, s->p, s->q) < ROUNDING) {
      const int item = (int)(s->surface - w->path->item);
      w->opposite[item] = true;
      lb_job_warn_at(w->j, w->j->scene.muscle[w->muscle].place,
                     "muscle '%s' starts with its ends opposite to each other about the middle of "
                     "wrap '%s': neither way around is the shorter one (give the wrap a 'side')",
                     w->path->name, surface_name(w, item));
    }
    if (chosen && lb_wrap_turn_of(wrap, s->p, s->q) == LB_TURN_SLIPPED) {
      lb_job_warn_at(w->j, w->j->scene.muscle[w->muscle].place,
                     "muscle '%s' starts off the 'side' of wrap '%s': it would go more than half "
                     "around, with an end beyond the capsule's end and near its axis (make the "
                     "capsule longer, or lead the muscle through a point)",
                     w->path->name, surface_name(w, (int)(s->surface - w->path->item)));
    }
  }
}

// A tendon that is longer than its whole path leaves fibres nothing to pull.
static void warn_of_slack(watch* w, const lb_transform* pose, const double* q) {
  const lb_model_muscle* m = &w->j->model->muscle.item[w->muscle];
  const lb_hill* h = m->series ? m->series : m->hill;
  const double length = h ? lb_model_path_length(w->path, pose, q) : INFINITY;
  if (h && h->slack >= length) {
    lb_job_warn_at(w->j, w->j->scene.muscle[w->muscle].place,
                   "muscle '%s' starts with a tendon that hangs loose, and cannot pull: it is "
                   "%.4g m long unloaded, and the whole path %.4g m (give 'hill' another 'slack')",
                   w->path->name, h->slack, length);
  }
}

static void warn_of_bands(const watch* w) {
  const double step = w->j->summary.step;
  for (int i = 0; i < w->path->count; i++) {
    const double most = w->fastest[i] / STEPS;
    if (w->path->mass.mass > 0 && step > 1.05 * most) {
      lb_job_warn_at(
          w->j, w->j->scene.muscle[w->muscle].place,
          "muscle '%s' has mass and passes the lift-off from wrap '%s' at %s within %.2g "
          "steps, so that its energy may drift (choose 'step: %s', or a wider 'smooth')",
          w->path->name, surface_name(w, i), lb_text_duration(w->when[i]).text,
          w->fastest[i] / step, lb_text_duration(most).text);
    }
  }
}

// Held paths that run along their side, and those by the longer way, which may slip off.
static void warn_of_held(watch* w) {
  for (int i = 0; i < w->n[1]; i++) {
    const lb_placed_span* s = &w->span[1][i];
    const int item = (int)(s->surface - w->path->item);
    watch_along(w, item, s, s);
    if (goes_long(s) && !w->along[item]) {
      lb_job_warn_at(w->j, w->j->scene.muscle[w->muscle].place,
                     "muscle '%s' starts by the longer way around wrap '%s', over its 'side', and "
                     "jumps where it slips off (give the wrap another 'side', or lead it over a "
                     "cylinder or through a point)",
                     w->path->name, surface_name(w, item));
    }
  }
}

void lb_job_warn_of_path_starts(lb_job* j, const lb_transform* pose, const double* q) {
  const lb_model* m = j->model;
  for (int i = 0; i < m->muscle.count; i++) {
    watch w = {.j = j, .muscle = i, .path = m->muscle.item[i].path};
    w.n[1] = lb_model_path_spans(w.path, pose, q, w.span[1]);
    warn_of_start(&w);
    warn_of_slack(&w, pose, q);
    warn_of_rows(&w);
    warn_of_held(&w);
  }
}

// A frame, after the one before.
static void take_frame(watch* w, int frame) {
  const lb_recording* r = w->j->recording;
  const lb_model* m = w->j->model;
  const lb_transform* pose = r->pose + (size_t)frame * (size_t)m->nbody;
  const double* q = r->q + (size_t)frame * (size_t)m->nq;
  const bool first = frame == 0;
  w->n[0] = w->n[1];
  for (int i = 0; i < w->n[1]; i++) {
    w->span[0][i] = w->span[1][i];
  }
  w->time[0] = w->time[1];
  w->time[1] = r->time[frame];
  w->n[1] = lb_model_path_spans(w->path, pose, q, w->span[1]);
  if (first) {
    warn_of_start(w);
    warn_of_slack(w, pose, q);
  }
  warn_of_rows(w);
  warn_of_belly(w, pose, q);
  warn_of_network(w, pose, q);
  for (int i = 0; i < w->n[0] && i < w->n[1] && !first; i++) {
    const lb_placed_span *a = &w->span[0][i], *b = &w->span[1][i];
    if (a->surface == b->surface) {
      const int item = (int)(a->surface - w->path->item);
      watch_along(w, item, a, b);
      watch_band(w, item, a, b);
      watch_middle(w, item, a, b);
      watch_end(w, item, a, b);
      watch_side(w, item, a, b);
    }
  }
}

void lb_job_warn_of_paths(lb_job* j) {
  const lb_recording* r = j->recording;
  const lb_model* m = j->model;
  const bool fixed = lb_integrator_method(j->scene.solver.integrator) != LB_METHOD_ADAPTIVE;
  for (int i = 0; i < m->muscle.count; i++) {
    watch w = {.j = j, .muscle = i, .path = m->muscle.item[i].path};
    for (int k = 0; k < LB_PATH_MOST_POINTS; k++) {
      w.entered[k] = -1;
      w.fastest[k] = INFINITY;
    }
    for (int f = 0; f < r->nframe; f++) {
      take_frame(&w, f);
    }
    if (fixed) {
      warn_of_bands(&w);
    }
  }
}
