// Compiling a scene: one arena, one pass of steps.
#include "limber/model.h"

#include <string.h>

#include "elastic/fem/fem.h"
#include "elastic/reduced/reduced.h"
#include "model/build/build.h"
#include "model/build/maximal.h"
#include "model/build/split_bodies.h"
#include "model/use/initial_pose.h"
#include "model/use/link.h"

lb_status lb_build_no_memory(lb_build* b) {
  return lb_error_add(b->err, LB_NO_MEMORY, (lb_place){0}, "out of memory while compiling '%s'",
                      b->scene->name ? b->scene->name : "");
}

const char* lb_build_text(lb_build* b, const char* text) {
  return lb_arena_text(b->arena, text ? text : "", text ? strlen(text) : 0);
}

bool lb_build_place(lb_build* b, lb_place from, lb_place* to) {
  // scenes made by hand have none
  const char* file = from.file ? lb_build_text(b, from.file) : NULL;
  *to = (lb_place){file, from.line, from.column};
  return file || !from.file;
}

bool lb_build_keep_force_curve(lb_build* b, lb_force_curve* force_curve) {
  double* copy = LB_TAKE(b->arena, double, 2 * force_curve->count);
  if (!copy) {
    return false;
  }
  for (int i = 0; i < force_curve->count; i++) {
    copy[i] = force_curve->stretch[i];
    copy[force_curve->count + i] = force_curve->force[i];
  }
  force_curve->stretch = copy;
  force_curve->force = copy + force_curve->count;
  return true;
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
  nq += 3 * b->nparticle;
  nv += 3 * b->nparticle;
  int cable_points = 0, ground_points = 0;
  for (int i = 0; i < s->ncable; i++) {
    cable_points += s->cable[i].npoint;
  }
  for (int i = 0; i < s->nground; i++) {
    ground_points += s->ground[i].npoint;
  }
  const int nline = s->nspring + cable_points - s->ncable;
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
  return FIELD(body_name, n) && FIELD(body_link, n) && FIELD(body_in_link, n) &&
         FIELD(body_mass, n) && FIELD(tree_link, nlink + 1) && FIELD(link_parent, nlink) &&
         FIELD(link_joint, nlink) && FIELD(link_kind, nlink) && FIELD(link_q, nlink) &&
         FIELD(link_v, nlink) && FIELD(link_nv, nlink) && FIELD(link_in_parent, nlink) &&
         FIELD(link_axis, nlink) && FIELD(elastic, n) && FIELD(link_mass, nlink) &&
         FIELD(link_driven, nlink) && FIELD(hinge_q, nlink) && FIELD(link, nlink) &&
         FIELD(joint_name, nlink) && FIELD(joint_place, nlink) && FIELD(joint_body, nlink) &&
         FIELD(joint_kind, nlink) && FIELD(joint_link, nlink) && FIELD(joint_q, nlink) &&
         FIELD(joint_nq, nlink) && FIELD(joint_v, nlink) && FIELD(joint_nv, nlink) &&
         FIELD(v_parent, nv) && FIELD(v_run, nv) && FIELD(v_driven, nv) && FIELD(q0, nq) &&
         FIELD(qd0, nv) && FIELD(stiffness, nv) && FIELD(force_curve, nv) && FIELD(damping, nv) &&
         FIELD(armature, nv) && FIELD(rest, nq) && FIELD(counts, nv) && FIELD(friction, nv) &&
         FIELD(friction_speed, nv) && FIELD(lower, nv) && FIELD(upper, nv) &&
         FIELD(limit_stiffness, nv) && FIELD(limit_damping, nv) && FIELD(limit_transition, nv) &&
         FIELD(limit_pulls, nv) && FIELD(link_chart, nlink) && FIELD(spring, nline) &&
         FIELD(spring_end, 2 * nline) && FIELD(cable, s->ncable) &&
         FIELD(cable_point, cable_points) && FIELD(cable_first, s->ncable + 1) &&
         FIELD(ground, s->nground) && FIELD(ground_point, ground_points) &&
         FIELD(ground_first, s->nground + 1) && FIELD(drag, n) && FIELD(load, s->nload) &&
         FIELD(load_at, s->nload) && FIELD(load_profile, s->nload) && FIELD(motor_name, nmotor) &&
         FIELD(motor_place, nmotor) && FIELD(motor_joint, nmotor) && FIELD(motor_v, nmotor) &&
         FIELD(motor_coupling, nmotor) && FIELD(motor_prescribed, nmotor) &&
         FIELD(motor_turning, nmotor) && FIELD(motor_loop, nmotor) && FIELD(motor_drive, nmotor) &&
         FIELD(motor_profile, nmotor) && FIELD(loop, s->njoint + npoint) &&
         FIELD(loop_motor, s->njoint + npoint) && FIELD(prescribed, npoint) &&
         FIELD(coupling, 2 * s->nconstraint + s->nmotor) && FIELD(term, 2 * nterm + s->nmotor) &&
         FIELD(shape, s->nshape) && FIELD(material, s->nmaterial) && FIELD(q_named, nv) &&
         FIELD(v_named, nv) && FIELD(joint_named, nlink);
}

static lb_status build_head(lb_build* b) {
  lb_model* m = b->m;
  const lb_scene* s = b->scene;
  m->name = lb_build_text(b, s->name);
  m->about = lb_build_text(b, s->about);
  m->file = lb_build_text(b, s->file);
  if (!m->name || !m->about || !m->file || !take_arrays(b)) {
    return lb_build_no_memory(b);
  }
  m->gravity = s->gravity;
  m->duration = s->duration;
  m->solver = s->solver;
  m->solver.place = (lb_place){0};
  m->record = s->record;
  m->nbody = s->nbody;
  for (int i = 0; i < s->nbody; i++) {
    m->body_name[i] = lb_build_text(b, s->body[i].name);
    if (!m->body_name[i]) {
      return lb_build_no_memory(b);
    }
  }
  return LB_OK;
}

static void release_meshes(lb_model* m) {
  for (int i = 0; i < m->nfem; i++) {
    lb_fem_release(m->fem[i]);
  }
  for (int i = 0; i < m->ndeformable; i++) {
    lb_fem_release(m->deformable[i].shared ? NULL : m->deformable[i].fem);
  }
}

lb_status lb_model_compile(const lb_scene* scene, const lb_allocator* allocator, lb_model** model,
                           lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_build b = {.scene = scene, .arena = &arena, .err = err};
  b.m = LB_TAKE(&arena, lb_model, 1);
  lb_arena* kept = LB_TAKE(&arena, lb_arena, 1);
  if (!b.m || !kept) {
    lb_arena_release(&arena);
    return lb_build_no_memory(&b);
  }
  lb_arena_init(&b.deformable_arena, allocator);
  lb_status (*const step[])(lb_build*) = {
      lb_build_elastic, lb_build_meshes, build_head,         lb_build_order,       lb_build_masses,
      lb_build_links,   lb_build_motors, lb_build_particles, lb_build_constraints, lb_build_looks};
  for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
    const lb_status status = step[i](&b);
    if (status != LB_OK) {
      release_meshes(b.m);
      lb_arena_release(&b.deformable_arena);
      lb_arena_release(&arena);
      return status;
    }
  }
  lb_arena_release(&b.deformable_arena);
  if (b.m->nfem > 0) {
    const lb_status status = lb_build_full(&b, allocator);
    if (status != LB_OK) {
      release_meshes(b.m);
      lb_arena_release(&arena);
      return status;
    }
  }
  if (b.m->tree) {
    lb_model_cut_particles(b.m->tree, b.m);
  }
  *kept = arena;
  b.m->storage = kept;
  *model = b.m;
  return LB_OK;
}

// How a scene becomes another one, given where everything is in its tree.
typedef lb_status rewrite(const lb_scene* scene, const lb_model* tree, lb_arena* arena,
                          lb_scene* other, lb_error* err);

// Bodies that were taken off their joints start as these have them, once all is closed.
static bool keep_assembly(lb_model* m, lb_model* tree) {
  if (tree->nloop == 0 && tree->ncoupling == 0) {
    return false;
  }
  m->assembly = tree;
  if (m->full) {
    m->full->assembly = tree->full;
  }
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
  lb_scene other;
  status = change[0](scene, tree, &arena, &other, err);
  if (status == LB_OK) {
    status = create_rewritten(change + 1, count - 1, &other, allocator, model, err);
  }
  lb_arena_release(&arena);
  if (status != LB_OK || change[0] != lb_scene_take_apart || !keep_assembly(*model, tree)) {
    lb_model_release(tree);
  }
  return status;
}

lb_status lb_model_create(const lb_scene* scene, const lb_allocator* allocator, lb_model** model,
                          lb_error* err) {
  rewrite* const change[] = {lb_scene_split, lb_scene_take_apart}; // in this order
  const bool splits = lb_scene_has_splits(scene);
  const bool apart = scene->solver.coordinates == LB_COORDINATES_MAXIMAL;
  return create_rewritten(change + !splits, splits + apart, scene, allocator, model, err);
}

void lb_model_release(lb_model* model) {
  if (model) {
    if (model->full) {
      model->full->assembly = NULL; // that is a part of this one's
    }
    lb_model_release(model->assembly);
    lb_model_release(model->full);
    lb_model_release(model->condensed);
    lb_model_release(model->interface);
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
  return find_name(model->body_name, model->nbody, name);
}

int lb_model_joint(const lb_model* model, const char* name) {
  return find_name(model->joint_name, model->njoint, name);
}

int lb_model_motor(const lb_model* model, const char* name) {
  return find_name(model->motor_name, model->nmotor, name);
}

lb_anchor lb_model_anchor_of(const lb_model* model, int body, lb_vec3 point) {
  return lb_model_anchor(model, body, -1, (lb_transform){lb_quat_identity(), point});
}
