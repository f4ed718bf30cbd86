#include "recording/stress_peaks.h"

#include <math.h>
#include <string.h>

// --- making them ---

static size_t numbers(const lb_stress* s) {
  return s ? 3 * (size_t)s->nelem + 2 * (size_t)s->nface + lb_stress_room(s) : 0;
}

static double* lay_out(lb_stress_peaks* p, const lb_stress* s, double* room) {
  *p = (lb_stress_peaks){.of = s};
  if (s) {
    const size_t nelem = (size_t)s->nelem, nface = (size_t)s->nface;
    p->largest = room;
    p->time = p->largest + nelem;
    p->now = p->time + nelem;
    p->face = p->now + nelem;
    p->face_now = p->face + nface;
    p->u = p->face_now + nface;
  }
  return room + numbers(s);
}

lb_stress_peaks* lb_stress_peaks_create(const lb_model* m, const lb_allocator* allocator) {
  const size_t count = (size_t)m->elastic.count;
  size_t room = 0;
  for (size_t i = 0; i < count; i++) {
    room += numbers(m->elastic.body[i].stress);
  }
  const size_t bytes = (count + 1) * sizeof(lb_stress_peaks) + room * sizeof(double);
  lb_stress_peaks* p = lb_allocate(allocator, bytes);
  if (p) {
    memset(p, 0, bytes);
    double* next = (double*)(p + count + 1);
    for (size_t i = 0; i < count; i++) {
      next = lay_out(&p[i], m->elastic.body[i].stress, next);
    }
  }
  return p;
}

// --- a frame ---

// Bodies whose basis has more numbers than this take longer to look at than to simulate.
static const double LARGE = 1e6;
// A frame is looked at as a whole when its stress is this much above those before.
static const double BEYOND = 1.02;

static double measure_part(lb_stress_peaks* p, lb_stress_part part, const double* eta) {
  lb_stress_displace(p->of, part, p->u, eta);
  p->measured = part;
  return lb_stress_evaluate(p->of, part, p->u, p->now, p->face_now);
}

double lb_stress_peaks_measure(lb_stress_peaks* p, const double* eta, const double* mesh_u) {
  const lb_stress* s = p->of;
  if (mesh_u) {
    lb_stress_sort(s, p->u, mesh_u);
    p->measured = LB_STRESS_ALL;
    return lb_stress_evaluate(s, LB_STRESS_ALL, p->u, p->now, p->face_now);
  }
  if (3.0 * s->nnode * s->r <= LARGE) {
    return measure_part(p, LB_STRESS_ALL, eta);
  }
  const double outer = measure_part(p, LB_STRESS_OUTER, eta);
  if (outer <= BEYOND * p->searched) {
    return outer;
  }
  p->searched = outer;
  return measure_part(p, LB_STRESS_ALL, eta);
}

// --- peaks ---

static void count_body(lb_stress_peaks* p, double time, bool first) {
  const int nelem = p->measured == LB_STRESS_ALL ? p->of->nelem : p->of->outer_elems;
  for (int i = 0; i < nelem; i++) {
    if (first || p->now[i] > p->largest[i]) {
      p->largest[i] = p->now[i];
      p->time[i] = time;
    }
  }
  for (int i = 0; i < p->of->nface; i++) {
    p->face[i] = first ? p->face_now[i] : fmax(p->face[i], p->face_now[i]);
  }
}

void lb_recording_count_stress(lb_recording* r) {
  for (int i = 0; i < r->model->elastic.count; i++) {
    if (r->stress[i].of) {
      count_body(&r->stress[i], r->time[r->nframe - 1], r->nframe == 1);
    }
  }
}

lb_stress_peak lb_recording_stress(const lb_recording* r, int elastic) {
  const lb_stress_peaks* p = &r->stress[elastic];
  lb_stress_peak of = {.element = -1};
  for (int i = 0; p->of && i < p->of->nelem; i++) {
    if (of.element < 0 || p->largest[i] > of.value) {
      of = (lb_stress_peak){p->of->elem[i], p->of->at[i], p->largest[i], p->time[i]};
    }
  }
  return of;
}

bool lb_recording_has_stress(const lb_recording* r) {
  bool any = false;
  for (int i = 0; i < r->model->elastic.count; i++) {
    any = any || r->stress[i].of;
  }
  return any;
}
