#include "output/report/analysis_peaks.h"

#include <math.h>
#include <string.h>

#include "model/use/coordinate_name.h"

static const double REACHED = 1e-6; // moment arm of a muscle that turns a coordinate [m or 1]

static const lb_analysis_peak NONE = {.at = -1};

// --- names, weights ---

char lb_side_of(const char* name) {
  const size_t n = strlen(name);
  const char last = n > 2 && name[n - 2] == '_' ? name[n - 1] : 0;
  return last == 'r' || last == 'l' ? last : 0;
}

bool lb_is_other_side(const char* a, const char* b) {
  const size_t n = strlen(a);
  return lb_side_of(a) && lb_side_of(b) && n == strlen(b) && strncmp(a, b, n - 1) == 0 &&
         a[n - 1] != b[n - 1];
}

double lb_body_weight(const lb_model* m) {
  double mass = 0;
  for (int i = 0; i < m->nbody; i++) {
    mass += m->body.mass[i].mass;
  }
  return mass * lb_vec3_norm(m->gravity);
}

bool lb_joint_floats(const lb_model* m, int joint) {
  int angles = 0, lengths = 0;
  for (int k = 0; k < m->joint.nv[joint]; k++) {
    angles += m->dof.counts[m->joint.v[joint] + k] == LB_COORDINATE_ANGLE;
    lengths += m->dof.counts[m->joint.v[joint] + k] == LB_COORDINATE_LENGTH;
  }
  return angles && lengths && m->link.parent[m->joint.link[joint]] == LB_WORLD;
}

// --- moments ---

static lb_analysis_peak peak_of(const lb_analysis* a, const double* x, int v) {
  lb_analysis_peak p = {.at = v, .time = a->time[0]};
  for (int i = 0; i < a->nframe; i++) {
    const double one = x[(size_t)i * (size_t)a->model->nv + (size_t)v];
    if (fabs(one) > fabs(p.value)) {
      p.value = one;
      p.time = a->time[i];
    }
  }
  return p;
}

static bool is_same_pair(const lb_model* m, int a, int b) {
  char one[LB_COORDINATE_NAME], other[LB_COORDINATE_NAME];
  return lb_is_other_side(lb_coordinate_name(m, a, one), lb_coordinate_name(m, b, other));
}

// Put a peak in its place among the largest; the larger one of a pair stays.
static int insert(const lb_model* m, lb_analysis_peak p, lb_analysis_peak* peak, int n, int most) {
  for (int i = 0; i < n; i++) {
    if (is_same_pair(m, peak[i].at, p.at)) {
      if (fabs(peak[i].value) >= fabs(p.value)) {
        return n;
      }
      memmove(&peak[i], &peak[i + 1], (size_t)(n - i - 1) * sizeof *peak);
      n--;
    }
  }
  int at = n;
  while (at > 0 && fabs(peak[at - 1].value) < fabs(p.value)) {
    at--;
  }
  if (at == most) {
    return n;
  }
  n += n < most;
  memmove(&peak[at + 1], &peak[at], (size_t)(n - at - 1) * sizeof *peak);
  peak[at] = p;
  return n;
}

int lb_moment_peaks(const lb_analysis* a, int most, lb_analysis_peak* peak) {
  const lb_model* m = a->model;
  int n = 0;
  for (int j = 0; j < m->njoint; j++) {
    for (int k = 0; k < m->joint.nv[j] && !lb_joint_floats(m, j); k++) {
      const int v = m->joint.v[j] + k;
      if (m->dof.counts[v] == LB_COORDINATE_ANGLE && !a->coupled[v]) {
        n = insert(m, peak_of(a, a->moment, v), peak, n, most);
      }
    }
  }
  return n;
}

// --- loads and reserves ---

lb_analysis_peak lb_load_peak(const lb_recording* r, const lb_analysis* a) {
  const lb_model* m = a->model;
  const size_t width = (size_t)(m->njoint + m->constraint.npair);
  lb_analysis_peak best = NONE;
  for (int j = 0; j < m->njoint && (r->keeps & LB_KEEP_REACTIONS) && a->tension; j++) {
    for (int i = 0; i < r->nframe && !lb_joint_floats(m, j); i++) {
      const double size = lb_vec3_norm(r->reaction[(size_t)i * width + (size_t)j].force);
      if (size > best.value) {
        best = (lb_analysis_peak){.at = j, .value = size, .time = r->time[i]};
      }
    }
  }
  return best;
}

static bool is_reached(const lb_analysis* a, int v) {
  const size_t n = (size_t)a->nframe * (size_t)a->model->muscle.count, nv = (size_t)a->model->nv;
  for (size_t i = 0; i < n; i++) {
    if (fabs(a->arm[i * nv + (size_t)v]) > REACHED) {
      return true;
    }
  }
  return false;
}

lb_analysis_peak lb_reserve_peak(const lb_analysis* a, bool reached) {
  lb_analysis_peak best = NONE;
  for (int v = 0; v < a->model->nv && a->reserve; v++) {
    if (!a->coupled[v] && is_reached(a, v) == reached) {
      const lb_analysis_peak p = peak_of(a, a->reserve, v);
      best = best.at < 0 || fabs(p.value) > fabs(best.value) ? p : best;
    }
  }
  return best;
}

// --- what floats ---

// The largest force on a coordinate that slides in one frame.
static lb_analysis_peak root_force(const lb_analysis* a, int frame) {
  const lb_model* m = a->model;
  lb_analysis_peak best = {.at = -1, .time = a->time[frame]};
  for (int j = 0; j < m->njoint; j++) {
    for (int k = 0; k < m->joint.nv[j] && lb_joint_floats(m, j); k++) {
      const int v = m->joint.v[j] + k;
      const double one = a->moment[(size_t)frame * (size_t)m->nv + (size_t)v];
      if (m->dof.counts[v] == LB_COORDINATE_LENGTH && fabs(one) > fabs(best.value)) {
        best.at = v;
        best.value = one;
      }
    }
  }
  return best;
}

lb_analysis_peak lb_root_peak(const lb_analysis* a, double least, double below[2]) {
  lb_analysis_peak best = NONE;
  double from = NAN;
  below[0] = below[1] = 0;
  for (int i = 0; i < a->nframe; i++) {
    const lb_analysis_peak p = root_force(a, i);
    best = fabs(p.value) > fabs(best.value) ? p : best;
    from = !(fabs(p.value) < least) ? NAN : isnan(from) ? p.time : from;
    if (p.time - from > below[1] - below[0]) {
      below[0] = from;
      below[1] = p.time;
    }
  }
  return best;
}

double lb_inertia_part(const lb_analysis* a, int muscle, int v) {
  const size_t n = (size_t)a->model->muscle.count, nv = (size_t)a->model->nv;
  double most = 0;
  for (size_t f = 0; f < (size_t)a->nframe; f++) {
    const double* of = a->inertia + f * (n + 1) * nv;
    const double whole = of[n * nv + (size_t)v];
    most = fmax(most, whole > 0 ? of[(size_t)muscle * nv + (size_t)v] / whole : 0);
  }
  return most;
}
