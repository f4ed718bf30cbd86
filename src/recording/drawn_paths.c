#include "recording/drawn_paths.h"

#include "model/use/model_path.h"

static void draw(const lb_recording* r, int frame, int tube, lb_vec3* out) {
  const lb_model* m = r->model;
  lb_model_path_draw(m->look.tube[tube].path, r->pose + (size_t)frame * (size_t)m->nbody,
                     r->q + (size_t)frame * (size_t)m->nq, out);
}

void lb_drawn_paths_fill(const lb_recording* r) {
  const lb_model* m = r->model;
  lb_drawn_paths* d = r->drawn;
  if (!d || d->nframe == r->nframe || m->look.ntube == 0) {
    return;
  }
  const int width = m->look.ntube_line + m->look.ntube;
  lb_release(r->allocator, d->place);
  *d = (lb_drawn_paths){.width = width};
  d->place = lb_allocate(r->allocator, (size_t)r->nframe * (size_t)width * sizeof *d->place);
  for (int f = 0; d->place && f < r->nframe; f++) {
    lb_vec3* at = d->place + (size_t)f * (size_t)width;
    for (int i = 0; i < m->look.ntube; i++) {
      draw(r, f, i, at);
      at += m->look.tube[i].path->nline + 1;
    }
  }
  d->nframe = d->place ? r->nframe : 0;
}

const lb_vec3* lb_drawn_path(const lb_recording* r, int frame, int tube, lb_vec3* room) {
  const lb_drawn_paths* d = r->drawn;
  if (!d || frame >= d->nframe || d->nframe != r->nframe) {
    draw(r, frame, tube, room);
    return room;
  }
  const lb_vec3* at = d->place + (size_t)frame * (size_t)d->width;
  for (int i = 0; i < tube; i++) {
    at += r->model->look.tube[i].path->nline + 1;
  }
  return at;
}
