#include "solve/full/condensed_model.h"

#include <string.h>

#include "math/linear/dense.h"
#include "model/use/link.h"
#include "model/use/model_derive.h"

// --- making and releasing ---

static lb_status condense_bodies(lb_condensed_model* s, const lb_allocator* allocator) {
  const lb_model* m = s->m;
  for (int i = 0; i < m->nlink; i++) {
    if (m->link.packed[i].kind != LB_LINK_FULL) {
      continue;
    }
    const lb_full* body = m->link.packed[i].reduced->full;
    const bool moves = s->link[i].nv == lb_condensed_size(body, true);
    lb_condensed* c = NULL;
    const lb_status status = lb_condensed_create(allocator, body, moves, &c);
    if (status != LB_OK) {
      return status;
    }
    s->body_link[s->nbody] = i;
    s->body[s->nbody++] = c;
    for (int f = 0; f <= body->nface; f++) {
      s->link[i + f].reduced = lb_condensed_body(c);
    }
  }
  return LB_OK;
}

lb_status lb_condensed_model_create(lb_condensed_model* s, const lb_model* m, lb_arena* arena) {
  *s = (lb_condensed_model){.m = m,
                            .model = lb_model_derive(lb_model_condensed(m), arena),
                            .body = LB_TAKE(arena, lb_condensed*, m->elastic.count),
                            .body_link = LB_TAKE(arena, int, m->elastic.count)};
  if (!s->model || !lb_model_own_links(s->model, arena) || !s->body || !s->body_link) {
    return LB_NO_MEMORY;
  }
  s->link = s->model->link.packed;
  const lb_status status = condense_bodies(s, arena->allocator);
  return status == LB_OK ? lb_data_create(s->model, arena->allocator, &s->data, NULL) : status;
}

void lb_condensed_model_release(lb_condensed_model* s) {
  for (int i = 0; i < s->nbody; i++) {
    lb_condensed_release(s->body[i]);
  }
  lb_data_release(s->data);
}

// --- where the character is ---

lb_status lb_condensed_model_renew(lb_condensed_model* s, const lb_data* d, double dt) {
  lb_status status = LB_OK;
  for (int i = 0; i < s->nbody && status == LB_OK; i++) {
    status = lb_condensed_renew(s->body[i], d->q + s->m->link.packed[s->body_link[i]].q, dt);
  }
  return status;
}

lb_status lb_condensed_model_respond(lb_condensed_model* s, const lb_data* d, double* r) {
  const lb_model* m = s->m;
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* l = &m->link.packed[i];
    if (!l->reduced) {
      memcpy(s->data->q + s->link[i].q, d->q + l->q,
             (size_t)m->joint.nq[m->link.joint[i]] * sizeof(double));
    }
  }
  lb_status status = LB_OK;
  for (int i = 0; i < s->nbody && status == LB_OK; i++) {
    const lb_link* l = &m->link.packed[s->body_link[i]];
    status = lb_condensed_respond(s->body[i], d->q + l->q, r + l->v);
  }
  return status;
}

// --- between nodes and the condensed model's coordinates ---

void lb_condensed_model_project(const lb_condensed_model* s, double* out, const double* r) {
  const lb_model* m = s->m;
  for (int i = 0; i < m->nlink; i++) {
    if (!m->link.packed[i].reduced) {
      memcpy(out + s->link[i].v, r + m->link.packed[i].v, (size_t)m->link.packed[i].nv * sizeof *r);
    }
  }
  for (int i = 0; i < s->nbody; i++) {
    const int link = s->body_link[i];
    lb_condensed_project(s->body[i], out + s->link[link].v, r + m->link.packed[link].v);
  }
}

void lb_condensed_model_expand(const lb_condensed_model* s, double* v, const double* c) {
  const lb_model* m = s->m;
  for (int i = 0; i < m->nlink; i++) {
    if (!m->link.packed[i].reduced) {
      lb_add(m->link.packed[i].nv, v + m->link.packed[i].v, 1, c + s->link[i].v);
    }
  }
  for (int i = 0; i < s->nbody; i++) {
    const int link = s->body_link[i];
    lb_condensed_expand(s->body[i], v + m->link.packed[link].v, c + s->link[link].v);
  }
}
