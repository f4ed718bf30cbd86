// Compiling a scene: one arena, one pass of steps.
#include "limber/model.h"

#include <string.h>

#include "elastic/fem/fem.h"
#include "elastic/reduced/reduced.h"
#include "math/linear/blas_thread.h"
#include "model/build/build.h"
#include "model/build/path_check.h"
#include "model/build/scene_rewrite.h"
#include "model/use/elastic_steps.h"
#include "model/use/initial_pose.h"
#include "model/use/link.h"
#include "model/use/model_derive.h"

static lb_status no_memory(const lb_build* b) {
  return lb_error_add(b->err, LB_NO_MEMORY, (lb_place){0}, "out of memory while compiling '%s'",
                      b->scene->name ? b->scene->name : "");
}

const char* lb_build_text(lb_build* b, const char* text) {
  return lb_arena_text(b->arena, text ? text : "", text ? strlen(text) : 0);
}

lb_place lb_build_place(lb_build* b, lb_place place) {
  place.file = place.file ? lb_build_text(b, place.file) : NULL; // scenes made by hand have none
  return place;
}

lb_force_curve lb_build_force_curve(lb_build* b, lb_force_curve force_curve) {
  force_curve.stretch = LB_COPY(b->arena, force_curve.stretch, force_curve.count);
  force_curve.force = LB_COPY(b->arena, force_curve.force, force_curve.count);
  return force_curve.force ? force_curve : (lb_force_curve){0};
}

// Take an array for a field of the model and remember whether all went well.
#define FIELD(name, count)                                                                         \
  ((m->name = (__typeof__(m->name))lb_arena_take_array(b->arena, (size_t)(count), sizeof *m->name, \
                                                       _Alignof(__typeof__(*m->name)))) != NULL)

// Every array at the largest size it can need.
static bool take_arrays(lb_build* b) {
  lb_model* m = b->m;
  const lb_scene* s = b->scene;
  const int n = s->nbody;
  int nlink = n;
  int nq = LB_JOINT_MOST_Q * n;
  int nv = LB_JOINT_MOST_V * n;
  for (int i = 0; i < n; i++) {
    const lb_reduced* reduced = b->reduced[i];
    nlink += reduced ? 1 + reduced->nface : 0;
    nq += reduced ? reduced->r : 0;
    nv += reduced ? reduced->r : 0;
  }
  for (int i = 0; i < s->nmuscle; i++) {
    const int tendons = lb_build_count_tendons(&s->muscle[i]);
    nlink += tendons;
    nq += tendons;
    nv += tendons;
  }
  nq += 3 * b->nparticle;
  nv += 3 * b->nparticle;
  int npoint = 0, nterm = 0;
  for (int i = 0; i < s->nconstraint; i++) {
    npoint += s->constraint[i].npoint;
    nterm += s->constraint[i].nterm;
  }
  int nmotor = s->nmotor;
  for (int i = 0; i < s->nmotor; i++) { // a rotation is prescribed by three
    nmotor += s->motor[i].rotation ? 2 : 0;
    npoint += s->motor[i].rotation ? 1 : 0;
  }
  return FIELD(body.name, n) && FIELD(body.link, n) && FIELD(body.in_link, n) &&
         FIELD(body.mass, n) && FIELD(link.tree, nlink + 1) && FIELD(link.parent, nlink) &&
         FIELD(link.joint, nlink) && FIELD(link.kind, nlink) && FIELD(link.q, nlink) &&
         FIELD(link.v, nlink) && FIELD(link.nv, nlink) && FIELD(link.in_parent, nlink) &&
         FIELD(link.axis, nlink) && FIELD(elastic.body, n) && FIELD(link.mass, nlink) &&
         FIELD(link.driven, nlink) && FIELD(link.hinge_q, nlink) && FIELD(link.packed, nlink) &&
         FIELD(joint.name, nlink) && FIELD(joint.place, nlink) && FIELD(joint.body, nlink) &&
         FIELD(joint.kind, nlink) && FIELD(joint.link, nlink) && FIELD(joint.q, nlink) &&
         FIELD(joint.nq, nlink) && FIELD(joint.v, nlink) && FIELD(joint.nv, nlink) &&
         FIELD(dof.parent, nv) && FIELD(dof.run, nv) && FIELD(dof.driven, nv) &&
         FIELD(start.q, nq) && FIELD(start.qd, nv) && FIELD(dof.stiffness, nv) &&
         FIELD(dof.force_curve, nv) && FIELD(dof.damping, nv) && FIELD(dof.armature, nv) &&
         FIELD(dof.rest, nq) && FIELD(dof.counts, nv) && FIELD(dof.name, nv) &&
         FIELD(dof.friction, nv) && FIELD(dof.friction_speed, nv) && FIELD(dof.lower, nv) &&
         FIELD(dof.upper, nv) && FIELD(dof.clamped, nv) && FIELD(dof.limit_stiffness, nv) &&
         FIELD(dof.limit_damping, nv) && FIELD(dof.limit_transition, nv) &&
         FIELD(dof.limit_pulls, nv) && FIELD(link.chart, nlink) && FIELD(force.drag, n) &&
         FIELD(force.load, s->nload) && FIELD(force.load_at, s->nload) &&
         FIELD(force.load_profile, s->nload) && FIELD(force.external, s->nexternal) &&
         FIELD(motor.name, nmotor) && FIELD(motor.place, nmotor) && FIELD(motor.joint, nmotor) &&
         FIELD(motor.v, nmotor) && FIELD(motor.coupling, nmotor) &&
         FIELD(motor.prescribed, nmotor) && FIELD(motor.turning, nmotor) &&
         FIELD(motor.loop, nmotor) && FIELD(motor.servo, s->nmotor) && FIELD(motor.drive, nmotor) &&
         FIELD(motor.profile, nmotor) && FIELD(constraint.loop, s->njoint) &&
         FIELD(constraint.loop_motor, s->njoint) &&
         FIELD(constraint.item, s->njoint + npoint + 2 * s->nconstraint + s->nmotor) &&
         FIELD(constraint.prescribed, npoint) &&
         FIELD(constraint.coupling, 2 * s->nconstraint + s->nmotor) &&
         FIELD(constraint.term, 2 * nterm + s->nmotor) &&
         FIELD(look.shape, s->nshape + s->nwrap + s->nforce + s->nconstraint) &&
         FIELD(look.material, s->nmaterial + 1) && FIELD(look.tube, s->nmuscle + s->nforce) &&
         FIELD(start.q_named, nv) && FIELD(start.v_named, nv) && FIELD(joint.named, nlink);
}

static lb_status build_head(lb_build* b) {
  lb_model* m = b->m;
  const lb_scene* s = b->scene;
  m->name = lb_build_text(b, s->name);
  m->about = lb_build_text(b, s->about);
  m->file = lb_build_text(b, s->file);
  if (!take_arrays(b)) {
    return LB_NO_MEMORY;
  }
  m->gravity = s->gravity;
  m->duration = s->duration;
  m->solver = s->solver;
  m->solver.place = (lb_place){0};
  m->record = s->record;
  m->nbody = s->nbody;
  for (int i = 0; i < s->nbody; i++) {
    m->body.name[i] = lb_build_text(b, s->body[i].name);
  }
  return LB_OK;
}

static lb_status check_paths(lb_build* b) {
  return lb_model_check_paths(b->m, b->scene->duration, b->err);
}

static void release_meshes(lb_model* m) {
  for (int i = 0; i < m->elastic.nfem; i++) {
    lb_fem_release(m->elastic.fem[i]);
  }
  for (int i = 0; i < m->particles.ndeformable; i++) {
    lb_fem_release(m->particles.deformable[i].shared ? NULL : m->particles.deformable[i].fem);
  }
}

lb_status lb_model_compile(const lb_scene* scene, const lb_allocator* allocator, lb_model** model,
                           lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_build b = {.scene = scene, .arena = &arena, .err = err};
  b.m = LB_TAKE(&arena, lb_model, 1);
  lb_arena* kept = LB_TAKE(&arena, lb_arena, 1);
  lb_variants* variants = LB_TAKE(&arena, lb_variants, 1);
  if (!b.m || !kept || !variants) {
    lb_arena_release(&arena);
    return no_memory(&b);
  }
  *variants = (lb_variants){.shown = b.m, .simulated = b.m, .assembly = b.m};
  b.m->variants = variants;
  lb_arena_init(&b.deformable_arena, allocator);
  lb_status (*const step[])(lb_build*) = {
      lb_build_elastic,     lb_build_meshes,    build_head,           lb_build_order,
      lb_build_masses,      lb_build_links,     lb_build_motors,      lb_build_forces,
      lb_build_muscles,     lb_build_particles, lb_build_constraints, check_paths,
      lb_build_elimination, lb_build_looks,     lb_build_contacts,    lb_build_planes};
  lb_status status = LB_OK;
  for (size_t i = 0; i < sizeof step / sizeof *step && status == LB_OK; i++) {
    status = step[i](&b);
    status = status == LB_OK ? lb_arena_status(&arena) : status;
  }
  lb_arena_release(&b.deformable_arena);
  if (status == LB_NO_MEMORY) {
    no_memory(&b);
  }
  if (status == LB_OK && b.m->elastic.nfem > 0) {
    status = lb_build_full(&b, allocator);
  }
  if (status != LB_OK) {
    release_meshes(b.m);
    lb_arena_release(&arena);
    return status;
  }
  *kept = arena;
  b.m->storage = kept;
  *model = b.m;
  return LB_OK;
}

// Rewriting of a scene into another one.
typedef lb_status rewrite(lb_rewrite* w);

// Bodies that were taken off their joints start as these have them, once all is closed.
static bool keep_assembly(lb_model* m, lb_model* tree) {
  if (tree->constraint.count == 0) {
    return false;
  }
  lb_variants* v = m->variants;
  v->assembly = tree->variants->simulated;
  v->owned[v->nowned++] = tree;
  return true;
}

// Find where everything is from the tree, then make the model of what the scene becomes: by the
// first change, and that by the next.
static lb_status create_rewritten(rewrite* const* change, int count, const lb_scene* scene,
                                  const lb_allocator* allocator, lb_model** model, lb_error* err) {
  lb_model* tree = NULL;
  if (count == 0) {
    return lb_model_compile(scene, allocator, model, err);
  }
  lb_scene whole = *scene;
  whole.solver.coordinates = LB_COORDINATES_REDUCED;
  lb_status status = lb_model_compile(&whole, allocator, &tree, err);
  if (status != LB_OK) {
    return status;
  }
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_rewrite w = {.scene = scene, .tree = tree, .arena = &arena, .err = err};
  status = lb_rewrite_begin(&w);
  status = status == LB_OK ? change[0](&w) : status;
  if (status == LB_NO_MEMORY) {
    lb_error_add(err, status, (lb_place){0}, "out of memory for '%s'", scene->name);
  }
  if (status == LB_OK) {
    status = create_rewritten(change + 1, count - 1, &w.to, allocator, model, err);
  }
  lb_arena_release(&arena);
  if (status != LB_OK || change[0] != lb_rewrite_apart || !keep_assembly(*model, tree)) {
    lb_model_release(tree);
  }
  return status;
}

// Semi-implicit Euler follows elastic bodies by short steps alone.
static lb_status check_step(const lb_model* m, const lb_scene* scene, const lb_allocator* allocator,
                            lb_error* err) {
  lb_elastic_limit limit;
  if (scene->solver.integrator != LB_INTEGRATOR_EULER) {
    return LB_OK;
  }
  const lb_status status = lb_elastic_limit_find(m, allocator, &limit, err);
  return status == LB_OK
             ? lb_elastic_limit_check(m, &limit, scene->solver.step, scene->solver.place, err)
             : status;
}

lb_status lb_model_create(const lb_scene* scene, const lb_allocator* allocator, lb_model** model,
                          lb_error* err) {
  LB_ONE_BLAS_THREAD;
  rewrite* const change[] = {lb_rewrite_split, lb_rewrite_apart}; // in this order
  const bool splits = lb_scene_has_splits(scene);
  const bool apart = scene->solver.coordinates == LB_COORDINATES_MAXIMAL;
  lb_model* made = NULL;
  lb_status status =
      create_rewritten(change + !splits, splits + apart, scene, allocator, &made, err);
  status = status == LB_OK ? check_step(made, scene, allocator, err) : status;
  if (status != LB_OK) {
    lb_model_release(made);
    return status;
  }
  *model = made;
  return LB_OK;
}

void lb_model_release(lb_model* model) {
  if (model) {
    const lb_variants* v = model->variants;
    for (int i = 0; v && v->shown == model && i < v->nowned; i++) {
      lb_model_release(v->owned[i]);
    }
    for (int i = 0; model->mechanism.owned && i < model->mechanism.count; i++) {
      lb_model_release(model->mechanism.item[i].whole);
    }
    release_meshes(model);
    lb_arena arena = *(lb_arena*)model->storage;
    lb_arena_release(&arena);
  }
}

static int find_name(const char* const* names, int count, const char* name) {
  for (int i = 0; i < count; i++) {
    if (strcmp(names[i], name) == 0) {
      return i;
    }
  }
  return -1;
}

int lb_model_body(const lb_model* model, const char* name) {
  return find_name(model->body.name, model->nbody, name);
}

const char* lb_model_toucher(const lb_model* m, int body) {
  const int part = body - m->nbody, soft = part - m->particles.nrope;
  return body == LB_WORLD ? "scenery"
         : part < 0       ? m->body.name[body]
         : soft < 0       ? m->particles.rope[part].name
                          : m->particles.deformable[soft].name;
}

int lb_model_joint(const lb_model* model, const char* name) {
  return find_name(model->joint.name, model->njoint, name);
}

int lb_model_motor(const lb_model* model, const char* name) {
  return find_name(model->motor.name, model->nmotor, name);
}

lb_anchor lb_model_anchor_of(const lb_model* model, int body, lb_vec3 point) {
  return lb_model_anchor(model, body, -1, (lb_transform){lb_quat_identity(), point});
}
