// Motor curves as splines: fitted to what motors play, and played by a model.
//
// Clamped cubic B-splines: the first three control points alone say where a curve begins, how fast
// and how accelerated, the last three how it ends. They are put where the input has them and stay
// there; what is between is found by least squares or by the search.
#include <math.h>
#include <string.h>

#include "design/retarget/retarget_search.h"
#include "math/curve/time_profile.h"
#include "math/linear/band.h"
#include "model/use/model_derive.h"

lb_bspline lb_curves_spline(const lb_curves* c) {
  return (lb_bspline){.degree = 3,
                      .count = c->ncontrol,
                      .start = c->start,
                      .end = c->start + c->spacing * (c->ncontrol - 3),
                      .clamped = true};
}

lb_status lb_curves_create(int nmotor, int ncontrol, double start, double spacing,
                           const lb_allocator* allocator, lb_curves** curves, lb_error* err) {
  const size_t size = sizeof(lb_curves) + (size_t)nmotor * (size_t)ncontrol * sizeof(double);
  lb_curves* c = lb_allocate(allocator, size);
  if (!c) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){0}, "out of memory for motor curves");
  }
  memset(c, 0, size);
  *c = (lb_curves){nmotor, ncontrol, start, spacing, (double*)(c + 1), allocator};
  *curves = c;
  return LB_OK;
}

void lb_curves_release(lb_curves* curves) {
  if (curves) {
    lb_release(curves->allocator, curves);
  }
}

void lb_curves_evaluate(const lb_curves* c, int i, double t, double value[3]) {
  const lb_bspline s = lb_curves_spline(c);
  const double inside = fmin(fmax(t, s.start), s.end);
  lb_bspline_evaluate(&s, value, c->control + (size_t)i * (size_t)c->ncontrol, inside, 2);
  if (inside != t) {
    value[1] = value[2] = 0;
  }
}

// --- fit ---

// The three control points at an end that give value, slope and curvature there. With the spacing
// d, the clamped spline has
//   f' = 3 (c1 - c0) / d,   f'' = 3 (c2 - c1) / d^2 - 6 (c1 - c0) / d^2
// at its start; at its end the same backwards.
static void set_end(double* c, int direction, double d, const double f[3]) {
  c[0] = f[0];
  c[direction] = c[0] + direction * f[1] * d / 3;
  c[2 * direction] = c[direction] + (f[2] * d * d + 6 * (c[direction] - c[0])) / 3;
}

// Least squares of what is between the ends, from samples at the ends and inside of every span. A
// little of the second differences makes up for nothing in between where samples are few.
static lb_status fit_inside(const lb_bspline* s, double* c, double* band, double* right,
                            const lb_profile* p) {
  enum { SAMPLES = 8, SKIP = LB_CURVES_FIXED };
  const int n = s->count - 2 * SKIP, spans = s->count - 3;
  memset(band, 0, (size_t)n * 4 * sizeof *band);
  memset(right, 0, (size_t)n * sizeof *right);
  for (int k = 0; k <= spans * SAMPLES; k++) {
    const double t = s->start + (s->end - s->start) * k / (spans * SAMPLES);
    const int span = lb_bspline_span(s, t);
    lb_bspline_row N[1];
    double f[3];
    lb_bspline_basis(s, N, span, t, 0);
    lb_profile_evaluate(p, t, f);
    for (int r = 0; r < 4; r++) { // what the ends make is not for the rest to make
      const bool fixed = span + r < SKIP || span + r >= s->count - SKIP;
      f[0] -= fixed ? N[0][r] * c[span + r] : 0;
    }
    for (int r = 0; r < 4; r++) {
      const int i = span + r - SKIP;
      for (int q = r; q < 4 && i >= 0 && span + q - SKIP < n; q++) {
        band[i * 4 + q - r] += N[0][r] * N[0][q];
      }
      if (i >= 0 && i < n) {
        right[i] += N[0][r] * f[0];
      }
    }
  }
  const lb_status status = lb_band_cholesky(n, 3, band);
  if (status == LB_OK) {
    lb_band_solve(n, 3, band, right);
    memcpy(c + SKIP, right, (size_t)n * sizeof *c);
  }
  return status;
}

lb_status lb_curves_fit(const lb_model* model, const lb_retarget* retarget,
                        const lb_allocator* allocator, lb_curves** curves, lb_error* err) {
  const int spans = (int)ceil(model->duration / retarget->spacing * (1 - 1e-12));
  const int count = spans + 3;
  if (count < 2 * LB_CURVES_FIXED + 1) {
    return lb_error_add(err, LB_INVALID, retarget->spacing_place,
                        "the motion of %g s is too short for control points %g s apart: it takes "
                        "at least %d spans (make 'spacing' smaller)",
                        model->duration, retarget->spacing, 2 * LB_CURVES_FIXED - 2);
  }
  // rounding must not put the last step beyond the end, where a curve rests
  static const double LONGER = 1 + 1e-12;
  lb_curves* c = NULL;
  lb_status status = lb_curves_create(retarget->nmotor, count, 0, LONGER * model->duration / spans,
                                      allocator, &c, err);
  if (status != LB_OK) {
    return status;
  }
  double* scratch = lb_allocate(allocator, 5 * (size_t)count * sizeof *scratch);
  status = scratch ? LB_OK : LB_NO_MEMORY;
  const lb_bspline s = lb_curves_spline(c);
  for (int i = 0; i < c->nmotor && status == LB_OK; i++) {
    const lb_profile* p = model->motor.profile[retarget->motor[i]];
    double* control = c->control + (size_t)i * (size_t)count;
    double f[3];
    lb_profile_evaluate(p, s.start, f);
    set_end(control, 1, c->spacing, f);
    lb_profile_evaluate(p, s.end, f);
    set_end(control + count - 1, -1, c->spacing, f);
    status = fit_inside(&s, control, scratch, scratch + 4 * count, p);
  }
  lb_release(allocator, scratch);
  if (status != LB_OK) {
    lb_curves_release(c);
    return lb_error_add(err, status, (lb_place){0}, "out of memory for motor curves");
  }
  *curves = c;
  return LB_OK;
}

// --- of a scene ---

static lb_status check_spline(const lb_scene_motor* m, const lb_scene_motor* first, lb_error* err) {
  const lb_profile_definition *p = &m->profile, *f = &first->profile;
  const bool spline = p->kind == LB_PROFILE_BSPLINE && p->degree == 3 && !(p->period > 0);
  if (spline && p->count >= 2 * LB_CURVES_FIXED && p->count == f->count &&
      p->time[0] == f->time[0] && p->time[1] == f->time[1]) {
    return LB_OK;
  }
  return lb_error_add(
      err, LB_INVALID, m->place,
      "motor '%s' does not play a curve as 'limber retarget' writes them: a 'spline' "
      "of degree 3, with as many points as the others and the same ends",
      m->name);
}

lb_status lb_curves_of_scene(const lb_scene* scene, const lb_retarget* retarget,
                             const lb_allocator* allocator, lb_curves** curves, lb_error* err) {
  const lb_scene_motor* first = &scene->motor[retarget->motor[0]];
  const lb_profile_definition* f = &first->profile;
  lb_status status = LB_OK;
  for (int i = 0; i < retarget->nmotor && status == LB_OK; i++) {
    status = check_spline(&scene->motor[retarget->motor[i]], first, err);
  }
  lb_curves* c = NULL;
  if (status == LB_OK) {
    status = lb_curves_create(retarget->nmotor, f->count, f->time[0],
                              (f->time[1] - f->time[0]) / (f->count - 3), allocator, &c, err);
  }
  if (status != LB_OK) {
    return status;
  }
  for (int i = 0; i < c->nmotor; i++) {
    memcpy(c->control + (size_t)i * (size_t)c->ncontrol,
           scene->motor[retarget->motor[i]].profile.value,
           (size_t)c->ncontrol * sizeof *c->control);
  }
  *curves = c;
  return LB_OK;
}

// --- play ---

static lb_status play_curve(lb_arena* arena, const lb_curves* c, int i, lb_profile** profile) {
  const lb_bspline s = lb_curves_spline(c);
  double ends[2] = {s.start, s.end};
  const lb_profile_definition definition = {.kind = LB_PROFILE_BSPLINE,
                                            .degree = 3,
                                            .count = c->ncontrol,
                                            .time = ends,
                                            .value = c->control + (size_t)i * (size_t)c->ncontrol};
  return lb_profile_create(arena, &definition, profile);
}

// A derived model with the curves: it starts where it rests, with everything closed.
static lb_status play(lb_model* m, const lb_retarget* retarget, const lb_curves* curves,
                      const double* q0, lb_arena* arena) {
  if (!m) {
    return LB_NO_MEMORY;
  }
  const lb_model_array own[] = {LB_MODEL_ARRAY(m->motor.profile, m->nmotor),
                                LB_MODEL_ARRAY(m->start.q, m->nq),
                                LB_MODEL_ARRAY(m->start.qd, m->nv)};
  lb_status status = LB_MODEL_OWN(arena, own) ? LB_OK : LB_NO_MEMORY;
  if (status == LB_OK && q0) {
    memcpy(m->start.q, q0, (size_t)m->nq * sizeof *m->start.q);
  }
  for (int i = 0; status == LB_OK && curves && i < curves->nmotor; i++) {
    const int motor = retarget->motor[i], joint = m->motor.joint[motor];
    double f[3];
    status = play_curve(arena, curves, i, &m->motor.profile[motor]);
    if (status == LB_OK) {
      lb_profile_evaluate(m->motor.profile[motor], 0, f);
      m->start.q[m->joint.q[joint]] = f[0];
      m->start.qd[m->joint.v[joint]] = f[1];
    }
  }
  return status;
}

// All models of the scene that move, in the arena of the one that is shown.
static lb_status play_all(lb_model* m, const lb_retarget* retarget, const lb_curves* curves,
                          const double* q0) {
  lb_variants* v = m->variants;
  const bool alone = v->simulated == m;
  lb_status status = play(m, retarget, curves, alone ? q0 : NULL, m->storage);
  lb_model** const other[] = {&v->simulated, &v->condensed, &v->interface};
  for (int i = 0; i < 3 && !alone && *other[i] && status == LB_OK; i++) {
    *other[i] = lb_model_derive(*other[i], m->storage);
    status = play(*other[i], retarget, curves, i == 0 ? q0 : NULL, m->storage);
  }
  if (status == LB_OK) {
    v->simulated->variants = v;
    v->assembly = v->simulated;
  }
  return status;
}

lb_status lb_model_play(const lb_model* model, const lb_retarget* retarget, const lb_curves* curves,
                        const double* q0, const lb_allocator* allocator, lb_model** played,
                        lb_error* err) {
  lb_model* m = lb_model_derive_apart(model, allocator);
  const lb_status status = m ? play_all(m, retarget, curves, q0) : LB_NO_MEMORY;
  if (status != LB_OK) {
    lb_model_release(m);
    return lb_error_add(err, status, (lb_place){0}, "out of memory for a model of '%s'",
                        model->name);
  }
  *played = m;
  return LB_OK;
}
