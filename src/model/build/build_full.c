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

// Outlines with the number of coordinates that steps solve for.
static void shrink(const lb_build* b, lb_reduced* outline) {
  for (int i = 0; i < b->scene->nbody; i++) {
    if (b->full[i]) {
      outline[i].r = lb_condensed_size(b->full[i], is_carried_freely(b->m, b->m->body.link[i]));
      outline[i].full = NULL;
    }
  }
}

// Outlines with traces of faces for coordinates.
static void trace(const lb_build* b, lb_reduced* outline) {
  for (int i = 0; i < b->scene->nbody; i++) {
    if (b->full[i]) {
      outline[i].r = lb_full_derivative_size(b->full[i]);
      outline[i].full = NULL;
      outline[i].traces = true;
    }
  }
}

// What bodies are made of is not in their outlines.
static void tell_materials(const lb_model* from, lb_model* to) {
  for (int i = 0; i < to->elastic.count; i++) {
    to->elastic.body[i].material = from->elastic.body[i].material;
    to->elastic.body[i].nregion = from->elastic.body[i].nregion;
    to->elastic.body[i].region_material = from->elastic.body[i].region_material;
  }
}

static lb_status compile_others(lb_build* b, const lb_allocator* allocator, lb_scene_body* body,
                                const lb_reduced* full, lb_reduced* other) {
  lb_model** const to[] = {&b->m->variant.full->variant.condensed,
                           &b->m->variant.full->variant.interface};
  void (*const make[])(const lb_build*, lb_reduced*) = {shrink, trace};
  lb_status status = LB_OK;
  for (int i = 0; i < 2 && status == LB_OK; i++) {
    memcpy(other, full, (size_t)b->scene->nbody * sizeof *other);
    make[i](b, other);
    const lb_scene scene = hand_over(b, body, other);
    status = lb_model_compile(&scene, allocator, to[i], b->err);
    other += b->scene->nbody;
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
    return lb_build_no_memory(b);
  }
  const lb_scene scene = hand_over(b, body, full);
  status = lb_model_compile(&scene, allocator, &b->m->variant.full, b->err);
  if (status == LB_OK) {
    tell_materials(b->m, b->m->variant.full);
    status = compile_others(b, allocator, body, full, other);
  }
  if (status != LB_OK) {
    lb_model_release(b->m->variant.full);
    b->m->variant.full = NULL;
  }
  return status;
}

// --- other numbers ---

// What the joints of one model have, where another one has the same joints.
static lb_status carry_over(lb_model* to, const lb_model* m, lb_arena* arena) {
  double** const array[] = {&to->dof.stiffness,
                            &to->dof.damping,
                            &to->dof.armature,
                            &to->dof.friction,
                            &to->dof.friction_speed,
                            &to->dof.lower,
                            &to->dof.upper,
                            &to->dof.limit_stiffness,
                            &to->dof.limit_damping,
                            &to->dof.limit_transition,
                            &to->dof.rest};
  const double* const from[] = {m->dof.stiffness,
                                m->dof.damping,
                                m->dof.armature,
                                m->dof.friction,
                                m->dof.friction_speed,
                                m->dof.lower,
                                m->dof.upper,
                                m->dof.limit_stiffness,
                                m->dof.limit_damping,
                                m->dof.limit_transition,
                                m->dof.rest};
  enum { ARRAYS = sizeof array / sizeof *array, REST = ARRAYS - 1 };
  lb_link* link = LB_TAKE(arena, lb_link, m->nlink);
  double* block = LB_TAKE(arena, double, (ARRAYS - 1) * to->nv + to->nq);
  if (!link || !block) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < m->nlink; i++) {
    link[i] = to->link.packed[i];
    if (!m->link.packed[i].reduced) {
      link[i].I0 = m->link.packed[i].I0;
      link[i].h = m->link.packed[i].h;
      link[i].m = m->link.packed[i].m;
    }
    const size_t nq = (size_t)m->joint.nq[m->link.joint[i]] * sizeof(double);
    const size_t nv = (size_t)m->link.nv[i] * sizeof(double);
    for (int k = 0; k < ARRAYS && !m->link.packed[i].reduced; k++) {
      const bool places = k == REST;
      memcpy(block + (size_t)k * (size_t)to->nv + (places ? link[i].q : link[i].v),
             from[k] + (places ? m->link.packed[i].q : m->link.packed[i].v), places ? nq : nv);
    }
  }
  for (int k = 0; k < ARRAYS; k++) {
    *array[k] = block + (size_t)k * (size_t)to->nv;
  }
  to->link.packed = link;
  return LB_OK;
}

// Forces, loops and motors are between the same links.
static void share(lb_model* to, const lb_model* m) {
  to->gravity = m->gravity;
  to->force = m->force;
  to->force.drag = m->force.drag;
  to->force.load = m->force.load;
  to->constraint.loop = m->constraint.loop;
  to->constraint.item = m->constraint.item;
  to->constraint.prescribed = m->constraint.prescribed;
  to->constraint.coupling = m->constraint.coupling;
  to->constraint.term = m->constraint.term;
  to->motor.profile = m->motor.profile;
  to->force.load_profile = m->force.load_profile;
  to->dof.nstiff = m->dof.nstiff;
  to->dof.nbent = m->dof.nbent;
  to->dof.nfriction = m->dof.nfriction;
  to->dof.nlimit = m->dof.nlimit;
}

lb_status lb_model_renew_full(lb_model* m, lb_arena* arena) {
  lb_model** const other[] = {&m->variant.condensed, &m->variant.interface};
  for (int i = 0; i < 2; i++) {
    lb_model* to = *other[i] ? LB_TAKE(arena, lb_model, 1) : NULL;
    if (!*other[i]) {
      continue;
    }
    if (!to) {
      return LB_NO_MEMORY;
    }
    lb_model_derive(to, *other[i], arena, NULL, 0);
    share(to, m);
    if (carry_over(to, m, arena) != LB_OK) {
      return LB_NO_MEMORY;
    }
    *other[i] = to;
  }
  return LB_OK;
}
