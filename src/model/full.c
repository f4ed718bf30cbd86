// The world with all nodes of its elastic bodies, and its shadow: the same scene compiled again
// with other bodies handed over in place of the described ones.
#include <string.h>

#include "elastic/condensed.h"
#include "elastic/full.h"
#include "model/build.h"

// The frame of what a joint carries may accelerate in ways that no motor prescribes.
static bool is_carried_freely(const lb_model* m, int link) {
  for (int i = m->link_parent[link]; i != LB_WORLD; i = m->link_parent[i]) {
    if (!m->link_driven[i]) {
      return true;
    }
  }
  return false;
}

// The scene with `body` in place of its elastic bodies, their joints' faces found.
static lb_scene hand_over(const lb_build* b, lb_scene_body* body, const lb_reduced* outline) {
  lb_scene scene = *b->scene;
  memcpy(body, b->scene->body, (size_t)scene.nbody * sizeof *body);
  for (int i = 0; i < scene.nbody; i++) {
    if (b->full[i]) {
      body[i].elastic = NULL;
      body[i].reduced = &outline[i];
    }
  }
  scene.body = body;
  scene.joint = b->joint;
  scene.spring = b->spring;
  scene.load = b->load;
  return scene;
}

// Outlines with the number of coordinates that steps solve for.
static void shrink(const lb_build* b, lb_reduced* outline) {
  for (int i = 0; i < b->scene->nbody; i++) {
    if (b->full[i]) {
      outline[i].r = lb_condensed_size(b->full[i], is_carried_freely(b->m, b->m->body_link[i]));
      outline[i].full = NULL;
    }
  }
}

lb_status lb_build_full(lb_build* b, const lb_allocator* allocator) {
  const int n = b->scene->nbody;
  lb_scene_body* body = LB_TAKE(b->arena, lb_scene_body, n);
  lb_reduced* full = LB_TAKE(b->arena, lb_reduced, n);
  lb_reduced* shadow = LB_TAKE(b->arena, lb_reduced, n);
  lb_status status = body && full && shadow ? LB_OK : LB_NO_MEMORY;
  for (int i = 0; i < n && status == LB_OK; i++) {
    status = b->full[i] ? lb_full_outline(b->full[i], b->arena, &full[i]) : LB_OK;
  }
  if (status != LB_OK) {
    return lb_build_no_memory(b);
  }
  lb_scene scene = hand_over(b, body, full);
  status = lb_model_compile(&scene, allocator, &b->m->full, b->err);
  if (status == LB_OK) {
    memcpy(shadow, full, (size_t)n * sizeof *shadow);
    shrink(b, shadow);
    scene = hand_over(b, body, shadow);
    status = lb_model_compile(&scene, allocator, &b->m->full->shadow, b->err);
  }
  if (status != LB_OK) {
    lb_model_release(b->m->full);
    b->m->full = NULL;
  }
  return status;
}
