#include "output/report/overlay.h"
#include "model/use/link.h"
#include "model/use/model_derive.h"
#include "recording/stress_peaks.h"

#include <string.h>

const double LB_GHOST_TARGET[4] = {0.05, 0.55, 0.2, 0.5};
const double LB_GHOST_BEFORE[4] = {0.8, 0.12, 0.05, 0.38};

static bool is_fixed(const lb_model* m, int body) {
  return !lb_body_moves(m, body);
}

// A material for all of a ghost, after the others; -1: the layer is none.
static int add_ghost(lb_model* to, const lb_layer* layer) {
  if (!layer->ghost) {
    return -1;
  }
  lb_scene_material* material = &to->look.material[to->look.nmaterial];
  *material = (lb_scene_material){.name = layer->name, .roughness = 0.7};
  memcpy(material->color, layer->ghost, sizeof material->color);
  return to->look.nmaterial++;
}

// Name of a body among all layers: "after/head". NULL: no memory, which the arena keeps.
static const char* layer_name(lb_arena* a, const lb_layer* layer, const char* body) {
  const size_t before = strlen(layer->name), own = strlen(body);
  char* name = LB_TAKE(a, char, before + own + 2);
  if (name) {
    memcpy(name, layer->name, before);
    name[before] = '/';
    memcpy(name + before + 1, body, own + 1);
  }
  return name;
}

// Bodies, shapes and elastic bodies of a layer after those that are there.
static void add_layer(lb_model* to, const lb_model* from, const lb_layer* layer, lb_arena* a) {
  const lb_model* own = layer->r->model;
  const int ghost = add_ghost(to, layer), first = to->nbody;
  for (int i = 0; i < from->look.nshape; i++) {
    lb_model_shape s = from->look.shape[i];
    if (first == 0 || !is_fixed(from, s.body)) {
      s.body = s.body == LB_WORLD ? LB_WORLD : s.body + first;
      s.material = ghost >= 0 ? ghost : s.material;
      to->look.shape[to->look.nshape++] = s;
    }
  }
  for (int e = 0; e < own->elastic.count; e++) {
    lb_model_elastic* s = &to->elastic.body[to->elastic.count++];
    *s = own->elastic.body[e];
    s->body += first;
    s->q += to->nq;
    s->material = ghost >= 0 ? ghost : s->material;
  }
  for (int b = 0; b < from->nbody; b++, to->nbody++) {
    to->body.name[to->nbody] = layer_name(a, layer, from->body.name[b]);
    to->body.link[to->nbody] = from->body.link[b];
    to->body.in_link[to->nbody] = from->body.in_link[b];
    to->body.mass[to->nbody] = from->body.mass[b];
  }
  to->nq += own->nq;
}

// The model of all layers, without particles, springs and motors. NULL: no memory.
static lb_model* make_model(const lb_model* from, int count, const lb_layer* layer, lb_arena* a) {
  const size_t n = (size_t)count, nbody = n * (size_t)from->nbody;
  lb_model* to = lb_model_derive(from, a);
  if (!to) {
    return NULL;
  }
  to->force.count = to->force.nline = to->nmotor = 0;
  to->particles = (lb_model_particles){0};
  to->muscle = (lb_model_muscles){0};
  to->look.ntube = to->look.ntube_line = 0;
  to->body.name = LB_TAKE(a, const char*, nbody);
  to->body.link = LB_TAKE(a, int, nbody);
  to->body.in_link = LB_TAKE(a, lb_transform, nbody);
  to->body.mass = LB_TAKE(a, lb_mass, nbody);
  to->look.shape = LB_TAKE(a, lb_model_shape, n * (size_t)from->look.nshape);
  to->elastic.body = LB_TAKE(a, lb_model_elastic, n * (size_t)from->elastic.count);
  to->look.material = LB_TAKE(a, lb_scene_material, n + (size_t)from->look.nmaterial);
  if (lb_arena_status(a) != LB_OK) {
    return NULL;
  }
  memcpy(to->look.material, from->look.material,
         (size_t)from->look.nmaterial * sizeof *to->look.material);
  to->nbody = to->nq = to->look.nshape = to->elastic.count = 0;
  for (int k = 0; k < count; k++) {
    add_layer(to, from, &layer[k], a);
  }
  return lb_arena_status(a) == LB_OK ? to : NULL;
}

// Stress of the layers, one after the other, as their elastic bodies are.
static lb_stress_peaks* join_stress(int count, const lb_layer* layer, lb_arena* a) {
  int n = 0;
  for (int k = 0; k < count; k++) {
    n += layer[k].r->model->elastic.count;
  }
  lb_stress_peaks* all = LB_TAKE(a, lb_stress_peaks, n + 1);
  for (int k = 0, to = 0; k < count && all; k++) {
    const int more = layer[k].r->model->elastic.count;
    memcpy(all + to, layer[k].r->stress, (size_t)more * sizeof *all);
    to += more;
  }
  return all;
}

bool lb_overlay_make(lb_recording* out, int count, const lb_layer* layer, lb_arena* a) {
  const lb_model* m = layer[0].r->model;
  lb_model* model = make_model(m, count, layer, a);
  if (!model) {
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
  out->stress = join_stress(count, layer, a);
  if (!out->pose || !out->q || !out->stress) {
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
