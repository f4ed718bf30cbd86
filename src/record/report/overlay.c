#include "record/report/overlay.h"

#include <string.h>

const double LB_GHOST_TARGET[4] = {0.05, 0.55, 0.2, 0.5};
const double LB_GHOST_BEFORE[4] = {0.8, 0.12, 0.05, 0.38};

static bool is_fixed(const lb_model* m, int body) {
  return body == LB_WORLD || m->body_link[body] == LB_WORLD;
}

// Bodies, their shapes and elastic bodies, once for each layer; ghosts' materials after the others.
static bool copy_model(lb_model* to, const lb_model* from, int count, const lb_layer* layer,
                       lb_arena* a) {
  const size_t n = (size_t)count;
  *to = *from;
  to->nspring = to->nline = to->nmotor = 0;
  to->nparticle = to->nfree = to->nsegment = to->nrope = to->ndeformable = 0;
  to->body_name = LB_TAKE(a, const char*, n*(size_t)from->nbody);
  to->body_link = LB_TAKE(a, int, n*(size_t)from->nbody);
  to->body_in_link = LB_TAKE(a, lb_transform, n * (size_t)from->nbody);
  to->body_mass = LB_TAKE(a, lb_mass, n * (size_t)from->nbody);
  to->shape = LB_TAKE(a, lb_model_shape, n * (size_t)from->nshape);
  to->elastic = LB_TAKE(a, lb_model_elastic, n * (size_t)from->nelastic);
  to->material = LB_TAKE(a, lb_scene_material, n + (size_t)from->nmaterial);
  if (lb_arena_status(a) != LB_OK) {
    return false;
  }
  memcpy(to->material, from->material, (size_t)from->nmaterial * sizeof *to->material);
  to->nbody = to->nq = to->nshape = to->nelastic = 0;
  for (int k = 0; k < count; k++) {
    const int ghost = layer[k].ghost ? to->nmaterial++ : -1;
    if (ghost >= 0) {
      to->material[ghost] = (lb_scene_material){.name = layer[k].name, .roughness = 0.7};
      memcpy(to->material[ghost].color, layer[k].ghost, 4 * sizeof(double));
    }
    for (int i = 0; i < from->nshape; i++) {
      lb_model_shape s = from->shape[i];
      if (k == 0 || !is_fixed(from, s.body)) {
        s.body = s.body == LB_WORLD ? LB_WORLD : s.body + to->nbody;
        s.material = ghost >= 0 ? ghost : s.material;
        to->shape[to->nshape++] = s;
      }
    }
    const lb_model* own = layer[k].r->model;
    for (int e = 0; e < own->nelastic; e++) {
      lb_model_elastic* s = &to->elastic[to->nelastic++];
      *s = own->elastic[e];
      s->body += to->nbody;
      s->q += to->nq;
      s->material = ghost >= 0 ? ghost : s->material;
    }
    for (int b = 0; b < from->nbody; b++, to->nbody++) {
      to->body_name[to->nbody] = from->body_name[b];
      to->body_link[to->nbody] = from->body_link[b];
      to->body_in_link[to->nbody] = from->body_in_link[b];
      to->body_mass[to->nbody] = from->body_mass[b];
    }
    to->nq += own->nq;
  }
  return true;
}

bool lb_overlay_make(lb_recording* out, int count, const lb_layer* layer, lb_arena* a) {
  const lb_model* m = layer[0].r->model;
  lb_model* model = LB_TAKE(a, lb_model, 1);
  if (!model || !copy_model(model, m, count, layer, a)) {
    return false;
  }
  int n = layer[0].r->nframe;
  for (int k = 1; k < count; k++) {
    n = layer[k].r->nframe < n ? layer[k].r->nframe : n;
  }
  *out = *layer[0].r;
  out->model = model;
  out->nframe = out->capacity = n;
  out->pose = LB_TAKE(a, lb_transform, (size_t)n * (size_t)model->nbody);
  out->q = LB_TAKE(a, double, (size_t)n*(size_t)model->nq);
  if (!out->pose || !out->q) {
    return false;
  }
  for (int f = 0; f < n; f++) {
    double* q = out->q + (size_t)f * (size_t)model->nq;
    for (int k = 0; k < count; k++) {
      const lb_recording* r = layer[k].r;
      const size_t nq = (size_t)r->model->nq;
      memcpy(out->pose + (size_t)(f * count + k) * (size_t)m->nbody,
             r->pose + (size_t)f * (size_t)m->nbody, (size_t)m->nbody * sizeof *r->pose);
      memcpy(q, r->q + (size_t)f * nq, nq * sizeof *q);
      q += nq;
    }
  }
  return true;
}
