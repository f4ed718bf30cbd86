// The world with all nodes of its elastic bodies, its condensed and its interface model: the same
// scene compiled again with other bodies handed over in place of the described ones.
#include <string.h>

#include "elastic/full/condensed.h"
#include "elastic/full/full_body.h"
#include "elastic/full/full_body_derivative.h"
#include "model/build/build.h"
#include "model/build/build_deformables.h"
#include "model/use/link.h"
#include "model/use/model_derive.h"

// The frame of what a joint carries may accelerate in ways that no motor prescribes.
static bool is_carried_freely(const lb_model* m, int link) {
  for (int i = m->link.parent[link]; i != LB_WORLD; i = m->link.parent[i]) {
    if (!m->link.driven[i]) {
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
  scene.force = b->force;
  scene.load = b->load;
  return scene;
}

// Materials of bodies are not in their outlines.
static void copy_materials(const lb_model* from, lb_model* to) {
  for (int i = 0; i < to->elastic.count; i++) {
    to->elastic.body[i].material = from->elastic.body[i].material;
    to->elastic.body[i].nregion = from->elastic.body[i].nregion;
    to->elastic.body[i].region_material = from->elastic.body[i].region_material;
  }
}

// The condensed model, whose bodies have as many coordinates as steps solve for, and the interface
// model, whose bodies have the traces of their faces.
static lb_status compile_others(lb_build* b, const lb_allocator* allocator, lb_scene_body* body,
                                const lb_reduced* full, lb_reduced* other) {
  lb_variants* v = b->m->variants;
  lb_model** const to[] = {&v->condensed, &v->interface};
  lb_status status = LB_OK;
  for (int k = 0; k < 2 && status == LB_OK; k++, other += b->scene->nbody) {
    for (int i = 0; i < b->scene->nbody; i++) {
      const lb_full* of = b->full[i];
      other[i] = full[i];
      other[i].full = NULL;
      other[i].traces = k == 1;
      if (of) {
        other[i].r = k == 1 ? lb_full_derivative_size(of)
                            : lb_condensed_size(of, is_carried_freely(b->m, b->m->body.link[i]));
      }
    }
    const lb_scene scene = hand_over(b, body, other);
    status = lb_model_compile(&scene, allocator, to[k], b->err);
    v->owned[v->nowned] = *to[k];
    v->nowned += status == LB_OK;
  }
  return status;
}

lb_status lb_build_full(lb_build* b, const lb_allocator* allocator) {
  const int n = b->scene->nbody;
  lb_scene_body* body = LB_TAKE(b->arena, lb_scene_body, n);
  lb_reduced* full = LB_TAKE(b->arena, lb_reduced, n);
  lb_reduced* other = LB_TAKE(b->arena, lb_reduced, 2 * n);
  lb_status status = body && full && other ? LB_OK : LB_NO_MEMORY;
  for (int i = 0; i < n && status == LB_OK; i++) {
    status = b->full[i] ? lb_full_outline(b->full[i], b->arena, &full[i]) : LB_OK;
  }
  if (status != LB_OK) {
    return lb_error_add(b->err, status, (lb_place){0}, "out of memory for all nodes of '%s'",
                        b->m->name);
  }
  const lb_scene scene = hand_over(b, body, full);
  lb_variants* v = b->m->variants;
  status = lb_model_compile(&scene, allocator, &v->simulated, b->err);
  if (status != LB_OK) {
    return status;
  }
  v->simulated->variants = v;
  v->assembly = v->owned[v->nowned++] = v->simulated;
  copy_materials(b->m, v->simulated);
  status = compile_others(b, allocator, body, full, other);
  while (status != LB_OK && v->nowned > 0) {
    lb_model_release(v->owned[--v->nowned]);
  }
  return status;
}

// --- other numbers ---

// Numbers of joints, where another model has the same joints: springs, dampers and masses.
static bool carry_over(lb_model* to, const lb_model* m, lb_arena* arena) {
  const lb_model_array own[] = {
      LB_MODEL_ARRAY(to->link.packed, to->nlink), LB_MODEL_ARRAY(to->dof.stiffness, to->nv),
      LB_MODEL_ARRAY(to->dof.damping, to->nv), LB_MODEL_ARRAY(to->dof.rest, to->nq)};
  if (!LB_MODEL_OWN(arena, own)) {
    return false;
  }
  for (int i = 0; i < m->nlink; i++) {
    const lb_link* from = &m->link.packed[i];
    lb_link* link = &to->link.packed[i];
    const size_t nq = (size_t)m->joint.nq[m->link.joint[i]] * sizeof(double);
    const size_t nv = (size_t)from->nv * sizeof(double);
    if (!from->reduced) {
      link->I0 = from->I0;
      link->h = from->h;
      link->m = from->m;
      memcpy(to->dof.stiffness + link->v, m->dof.stiffness + from->v, nv);
      memcpy(to->dof.damping + link->v, m->dof.damping + from->v, nv);
      memcpy(to->dof.rest + link->q, m->dof.rest + from->q, nq);
    }
  }
  to->dof.nstiff = m->dof.nstiff;
  to->force = m->force; // between the same links, and so are loops and motors
  to->constraint.loop = m->constraint.loop;
  to->motor.profile = m->motor.profile;
  return true;
}

lb_status lb_model_renew_full(lb_model* m, lb_arena* arena) {
  lb_variants* v = m->variants;
  lb_model** const other[] = {&v->condensed, &v->interface};
  bool done = true;
  for (int i = 0; i < 2 && *other[i] && done; i++) {
    *other[i] = lb_model_derive(*other[i], arena);
    done = *other[i] && carry_over(*other[i], m, arena);
  }
  return done ? LB_OK : LB_NO_MEMORY;
}
