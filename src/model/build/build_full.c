// The world with all nodes of its elastic bodies, its condensed and its interface model: the same
// scene compiled again with other bodies handed over in place of the described ones.
#include <string.h>

#include "elastic/full/condensed.h"
#include "elastic/full/full_body.h"
#include "elastic/full/full_body_derivative.h"
#include "model/build/build.h"
#include "model/build/build_deformables.h"
#include "model/use/link.h"

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
  for (int i = 0; i < to->nelastic; i++) {
    to->elastic[i].material = from->elastic[i].material;
    to->elastic[i].nregion = from->elastic[i].nregion;
    to->elastic[i].region_material = from->elastic[i].region_material;
  }
}

static lb_status compile_others(lb_build* b, const lb_allocator* allocator, lb_scene_body* body,
                                const lb_reduced* full, lb_reduced* other) {
  lb_model** const to[] = {&b->m->full->condensed, &b->m->full->interface};
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
  status = lb_model_compile(&scene, allocator, &b->m->full, b->err);
  if (status == LB_OK) {
    tell_materials(b->m, b->m->full);
    status = compile_others(b, allocator, body, full, other);
  }
  if (status != LB_OK) {
    lb_model_release(b->m->full);
    b->m->full = NULL;
  }
  return status;
}

// --- other numbers ---

// What the joints of one model have, where another one has the same joints.
static lb_status carry_over(lb_model* to, const lb_model* m, lb_arena* arena) {
  double** const array[] = {
      &to->stiffness, &to->damping, &to->armature,        &to->friction,      &to->friction_speed,
      &to->lower,     &to->upper,   &to->limit_stiffness, &to->limit_damping, &to->limit_transition,
      &to->rest};
  const double* const from[] = {
      m->stiffness, m->damping, m->armature,        m->friction,      m->friction_speed,
      m->lower,     m->upper,   m->limit_stiffness, m->limit_damping, m->limit_transition,
      m->rest};
  enum { ARRAYS = sizeof array / sizeof *array, REST = ARRAYS - 1 };
  lb_link* link = LB_TAKE(arena, lb_link, m->nlink);
  double* block = LB_TAKE(arena, double, (ARRAYS - 1) * to->nv + to->nq);
  if (!link || !block) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < m->nlink; i++) {
    link[i] = to->link[i];
    if (!m->link[i].reduced) {
      link[i].I0 = m->link[i].I0;
      link[i].h = m->link[i].h;
      link[i].m = m->link[i].m;
    }
    const size_t nq = (size_t)m->joint_nq[m->link_joint[i]] * sizeof(double);
    const size_t nv = (size_t)m->link_nv[i] * sizeof(double);
    for (int k = 0; k < ARRAYS && !m->link[i].reduced; k++) {
      const bool places = k == REST;
      memcpy(block + (size_t)k * (size_t)to->nv + (places ? link[i].q : link[i].v),
             from[k] + (places ? m->link[i].q : m->link[i].v), places ? nq : nv);
    }
  }
  for (int k = 0; k < ARRAYS; k++) {
    *array[k] = block + (size_t)k * (size_t)to->nv;
  }
  to->link = link;
  return LB_OK;
}

// Forces, loops and motors are between the same links.
static void share(lb_model* to, const lb_model* m) {
  to->gravity = m->gravity;
  to->spring = m->spring;
  to->cable = m->cable;
  to->ground = m->ground;
  to->drag = m->drag;
  to->load = m->load;
  to->loop = m->loop;
  to->prescribed = m->prescribed;
  to->coupling = m->coupling;
  to->term = m->term;
  to->motor_profile = m->motor_profile;
  to->load_profile = m->load_profile;
  to->nstiff = m->nstiff;
  to->nbent = m->nbent;
  to->nfriction = m->nfriction;
  to->nlimit = m->nlimit;
}

lb_status lb_model_renew_full(lb_model* m, lb_arena* arena) {
  lb_model** const other[] = {&m->condensed, &m->interface};
  for (int i = 0; i < 2; i++) {
    lb_model* to = *other[i] ? LB_TAKE(arena, lb_model, 1) : NULL;
    if (!*other[i]) {
      continue;
    }
    if (!to) {
      return LB_NO_MEMORY;
    }
    *to = **other[i];
    share(to, m);
    if (carry_over(to, m, arena) != LB_OK) {
      return LB_NO_MEMORY;
    }
    *other[i] = to;
  }
  return LB_OK;
}
