// What must hold of any scene, whoever made it. Each part is looked at on its own first; the tree
// that the joints make comes last, for it needs sound indices.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "elastic/fem/material.h"
#include "geom/shape/shape.h"
#include "scene/check/scene_check.h"
#include "scene/yaml/names.h"
#include "scene/yaml/reader.h"

typedef lb_checker checker;

static bool body_is_broken(const checker* c, int i) {
  return c->body_broken && c->body_broken[i];
}

static bool joint_is_broken(const checker* c, int i) {
  return c->joint_broken && c->joint_broken[i];
}

#define SAY LB_SAY

// --- numbers ---

static bool all_finite(const double* x, int count) {
  for (int i = 0; i < count; i++) {
    if (!isfinite(x[i])) {
      return false;
    }
  }
  return true;
}

// The vectors, quaternions and transforms of limber/math.h are doubles in a row.
#define IS_FINITE(object)                                                                          \
  all_finite((const double*)&(object), (int)(sizeof(object) / (sizeof(double))))

static bool is_unit(const double* x, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) {
    sum += x[i] * x[i];
  }
  return fabs(sum - 1) < 1e-6;
}

static bool index_is_good(int i, int count) {
  return i >= 0 && i < count;
}

// --- names ---

// Names of one kind of part must be there and differ.
static void check_names(checker* c, const char* word, int count, const void* first, size_t size,
                        size_t name_offset, size_t place_offset) {
  lb_names names = {0};
  const lb_arena_mark mark = lb_arena_here(c->scratch);
  for (int i = 0; i < count; i++) {
    const char* part = (const char*)first + (size_t)i * size;
    const char* name = *(const char* const*)(const void*)(part + name_offset);
    const lb_place place = *(const lb_place*)(const void*)(part + place_offset);
    if (!name || !*name) {
      SAY(c, place, "%s %d has no name", word, i);
    } else if (lb_names_find(&names, name, -1) >= 0) {
      SAY(c, place, "two parts of the kind %s are called '%s' (rename one)", word, name);
    } else if (!lb_names_add(&names, c->scratch, name, i)) {
      c->no_memory = true;
      break;
    }
  }
  lb_arena_reset(c->scratch, mark);
}

#define CHECK_NAMES(c, word, count, array, type)                                                   \
  check_names(c, word, (c)->s->count, (c)->s->array, sizeof(type), offsetof(type, name),           \
              offsetof(type, place))

// --- settings, materials, shapes ---

static const double MOST_STEPS = 1e9;

// Gaps over time: other steppers close them by their own ways.
static void check_closing(checker* c) {
  const lb_scene_solver* solver = &c->s->solver;
  if (solver->closing == 0) {
    return;
  }
  if (!(solver->closing > 0) || !isfinite(solver->closing)) {
    SAY(c, solver->place, "the solver's closing must be greater than 0 and finite, not %g",
        solver->closing);
  } else if (solver->integrator != LB_INTEGRATOR_LINEAR_EULER) {
    SAY(c, solver->place, LB_CLOSING_MESSAGE, lb_integrator_name(solver->integrator));
  }
}

// Retargeting differentiates steps of bdf2 that begin as bdf1 does.
static void check_first_step(checker* c) {
  const lb_scene_solver* solver = &c->s->solver;
  if (solver->sdirk2_first && solver->integrator != LB_INTEGRATOR_BDF2) {
    SAY(c, solver->place, "'first_step' is for bdf2; %s has no other first step",
        lb_integrator_name(solver->integrator));
  } else if (solver->sdirk2_first && c->s->retarget.ntrack > 0) {
    SAY(c, solver->place, "'first_step: sdirk2' cannot be retargeted (take 'first_step' away)");
  }
}

static void check_settings(checker* c) {
  const lb_scene* s = c->s;
  const lb_place place = {s->file, 0, 0};
  if (!IS_FINITE(s->gravity)) {
    SAY(c, place, "gravity must be finite");
  }
  const struct {
    const char* word;
    double value;
  } positive[] = {{"duration", s->duration},
                  {"the solver's step", s->solver.step},
                  {"the solver's tolerance", s->solver.tolerance == 0 ? 1 : s->solver.tolerance},
                  {"the time between recorded frames", s->record.every}};
  for (size_t i = 0; i < sizeof positive / sizeof *positive; i++) {
    if (!(positive[i].value > 0) || !isfinite(positive[i].value)) {
      SAY(c, place, "%s must be greater than 0 and finite, not %g", positive[i].word,
          positive[i].value);
    }
  }
  // beyond this a mistake in a unit is more likely than patience
  const double steps = fmax(s->duration, s->record.every) / s->solver.step;
  if (steps > MOST_STEPS || s->duration / s->record.every > MOST_STEPS) {
    SAY(c, s->solver.place, "%g s in steps of %g s is more than %g steps (check the units)",
        s->duration, fmin(s->solver.step, s->record.every), MOST_STEPS);
  }
  if ((int)s->solver.integrator < 0 || s->solver.integrator >= LB_INTEGRATOR_COUNT) {
    SAY(c, s->solver.place, "the integrator is not one of those in limber/scene.h");
  }
  check_closing(c);
  check_first_step(c);
  if (s->nbody == 0 && c->report->status == LB_OK) { // else they may be in what went wrong
    SAY(c, (lb_place){s->file, 1, 1},
        "the scene has no bodies (add some under 'bodies:', such as ball: {shape: {sphere: "
        "{radius: 0.1}}})");
  }
}

static void check_materials(checker* c) {
  for (int i = 0; i < c->s->nmaterial; i++) {
    const lb_scene_material* m = &c->s->material[i];
    if (!(m->density > 0) || !isfinite(m->density)) {
      SAY(c, m->place, "material '%s': the density must be greater than 0, not %g", m->name,
          m->density);
    }
    if (!all_finite(m->color, 4) || !isfinite(m->roughness) || !isfinite(m->metallic)) {
      SAY(c, m->place, "material '%s': its look must be finite", m->name);
    }
    if (!(m->young >= 0) || !isfinite(m->young) || !(m->poisson > -1 && m->poisson < 0.5)) {
      SAY(c, m->place,
          "material '%s': Young's modulus must be 0 or more and Poisson's ratio between -1 and 0.5",
          m->name);
    }
    if (m->law && lb_material_named(m->law) == LB_MATERIAL_MODEL_COUNT) {
      SAY(c, m->place, "material '%s': its law '%s' is not known", m->name, m->law);
    }
    if (!(m->damping_mass >= 0) || !(m->damping_stiffness >= 0) ||
        !isfinite(m->damping_mass + m->damping_stiffness)) {
      SAY(c, m->place, "material '%s': its damping must be 0 or more", m->name);
    }
  }
}

// The rules of a form are geom's; what it says is told under the name of whose shape it is.
static bool form_holds(checker* c, const lb_scene_shape* shape, const char* whose) {
  lb_error said = lb_error_make(c->report->err ? c->report->err->allocator : NULL);
  const bool holds = lb_shape_check(&shape->shape, shape->place, &said) == LB_OK;
  for (int i = 0; i < said.count; i++) {
    SAY(c, shape->place, "shape of %s: %s", whose, said.message[i].text);
  }
  c->no_memory = c->no_memory || (!holds && said.count == 0);
  lb_error_clear(&said);
  return holds;
}

static void check_shape(checker* c, const lb_scene_shape* shape, const char* whose) {
  const lb_scene* s = c->s;
  const lb_shape* form = &shape->shape;
  if ((int)form->type < 0 || form->type >= LB_SHAPE_COUNT) {
    SAY(c, shape->place, "shape of %s: its type is not one of those in limber/geometry.h", whose);
    return;
  }
  if (!form_holds(c, shape, whose)) {
    return;
  }
  if (!index_is_good(shape->material, s->nmaterial)) {
    SAY(c, shape->place, "shape of %s: there is no material %d", whose, shape->material);
    return;
  }
  if (!IS_FINITE(shape->pose) || !is_unit(&shape->pose.q.w, 4)) {
    SAY(c, shape->place, "shape of %s: its place must be finite and its quaternion of length one",
        whose);
    return;
  }
  const lb_mass mass =
      lb_mass_transform(shape->pose, lb_shape_mass(form, s->material[shape->material].density));
  if (!shape->massless && (!IS_FINITE(mass) || !(mass.mass > 0))) {
    SAY(c, shape->place,
        "shape of %s: its mass comes out as %g kg (check its size, which is in metres)", whose,
        mass.mass);
  }
}

static void check_shapes(checker* c) {
  for (int i = 0; i < c->s->nshape; i++) {
    const lb_scene_shape* shape = &c->s->shape[i];
    char whose[100] = "the scenery";
    if (shape->body != LB_WORLD && !index_is_good(shape->body, c->s->nbody)) {
      SAY(c, shape->place, "shape %d belongs to body %d, which does not exist", i, shape->body);
      continue;
    }
    if (shape->body != LB_WORLD) {
      snprintf(whose, sizeof whose, "body '%.70s'", c->s->body[shape->body].name);
    }
    check_shape(c, shape, whose);
  }
}

// --- bodies ---

// Whether a symmetric matrix has no eigenvalue below -slack: its Cholesky pivots say so.
static bool is_positive(lb_sym3 A, double slack) {
  const double a = A.xx + slack;
  const double b = A.yy + slack - A.xy * A.xy / a;
  const double yz = A.yz - A.xy * A.xz / a;
  const double d = A.zz + slack - A.xz * A.xz / a - yz * yz / b;
  return a > 0 && b > 0 && d > 0;
}

// The second moment of mass, int x x' dm = tr(I)/2 - I, cannot be negative along any direction:
// that is the triangle inequality of the principal moments, without computing them.
static lb_sym3 second_moment(lb_sym3 I) {
  const double half = 0.5 * (I.xx + I.yy + I.zz);
  return (lb_sym3){half - I.xx, half - I.yy, half - I.zz, -I.xy, -I.xz, -I.yz};
}

static void check_inertia(checker* c, const lb_scene_body* body) {
  const lb_sym3 I = body->mass.inertia;
  if (!IS_FINITE(I) || !is_positive(I, 0)) {
    SAY(c, body->place,
        "body '%s': the inertia must be positive about every axis (a thin rod still has a little "
        "about its own)",
        body->name);
  } else if (!is_positive(second_moment(I), 1e-9 * (I.xx + I.yy + I.zz))) {
    SAY(c, body->place,
        "body '%s': no solid has this inertia: each principal moment must be at most the sum of "
        "the other two",
        body->name);
  }
}

static void check_bodies(checker* c) {
  for (int i = 0; i < c->s->nbody; i++) {
    const lb_scene_body* body = &c->s->body[i];
    if (body_is_broken(c, i)) {
      continue;
    }
    if (body->has_mass && (!(body->mass.mass > 0) || !isfinite(body->mass.mass))) {
      SAY(c, body->place, "body '%s': the mass must be greater than 0, not %g kg", body->name,
          body->mass.mass);
    }
    if (body->has_com && !IS_FINITE(body->mass.com)) {
      SAY(c, body->place, "body '%s': the centre of mass must be finite", body->name);
    }
    if (body->has_inertia) {
      check_inertia(c, body);
    }
    if (!IS_FINITE(body->pose) || !is_unit(&body->pose.q.w, 4) || !IS_FINITE(body->velocity) ||
        !IS_FINITE(body->spin)) {
      SAY(c, body->place, "body '%s': its start must be finite and its quaternion of length one",
          body->name);
    }
  }
}

// --- joints ---

static bool joint_numbers_hold(const lb_scene_joint* j) {
  return IS_FINITE(j->in_parent) && IS_FINITE(j->in_child) && is_unit(&j->in_parent.q.w, 4) &&
         is_unit(&j->in_child.q.w, 4) && IS_FINITE(j->axis) && is_unit(&j->axis.x, 3) &&
         j->stiffness >= 0 && j->damping >= 0 && j->armature >= 0 && isfinite(j->stiffness) &&
         isfinite(j->damping) && isfinite(j->armature) && IS_FINITE(j->rest) && IS_FINITE(j->q) &&
         IS_FINITE(j->qd);
}

static void check_joint(checker* c, const lb_scene_joint* j) {
  const int quaternion = j->kind == LB_JOINT_SPHERICAL ? 0 : 3;
  if ((int)j->kind < 0 || j->kind >= LB_JOINT_COUNT) {
    SAY(c, j->place, "joint '%s': its kind is not one of those in limber/scene.h", j->name);
    return;
  }
  if (!joint_numbers_hold(j)) {
    SAY(c, j->place,
        "joint '%s': its numbers must be finite, its axis and quaternions of length one, and "
        "stiffness, damping and armature 0 or more",
        j->name);
  } else if ((j->kind == LB_JOINT_SPHERICAL || j->kind == LB_JOINT_FREE) &&
             !is_unit(j->q + quaternion, 4)) {
    SAY(c, j->place, "joint '%s': the quaternion it starts with must be of length one", j->name);
  }
  lb_check_joint_shape(c, j, j->name);
  if ((j->kind == LB_JOINT_UNIVERSAL || j->kind == LB_JOINT_PLANAR ||
       j->kind == LB_JOINT_FREE_2D) &&
      (!is_unit(&j->axis2.x, 3) || !(fabs(lb_vec3_dot(j->axis, j->axis2)) < 1e-6))) {
    SAY(c, j->place,
        "joint '%s': its second axis must be of length one and at right angles to the "
        "first",
        j->name);
  }
  if (j->parent == j->child) {
    SAY(c, j->place, "joint '%s' joins body '%s' to itself (name two bodies)", j->name,
        c->s->body[j->child].name);
  }
  if (j->loop && j->kind == LB_JOINT_FREE) {
    SAY(c, j->place,
        "joint '%s' closes a loop but is free, which holds nothing (choose a kind that does)",
        j->name);
  }
}

static void note_carrier(checker* c, int i) {
  const lb_scene_joint* j = &c->s->joint[i];
  int* carrier = &c->carrier[j->child];
  if (*carrier >= 0 && !joint_is_broken(c, i) && !joint_is_broken(c, *carrier)) {
    const lb_scene_joint* first = &c->s->joint[*carrier];
    SAY(c, j->place,
        "joint '%s' carries body '%s', which joint '%s' on line %d carries already (add 'loop: "
        "true' to the one that closes a loop)",
        j->name, c->s->body[j->child].name, first->name, first->place.line);
  } else if (*carrier < 0) {
    *carrier = i;
  }
}

static void check_joints(checker* c) {
  for (int i = 0; i < c->s->njoint; i++) {
    const lb_scene_joint* j = &c->s->joint[i];
    const bool parent = j->parent == LB_WORLD || index_is_good(j->parent, c->s->nbody);
    const bool child = index_is_good(j->child, c->s->nbody);
    if (parent && child && !joint_is_broken(c, i)) {
      check_joint(c, j);
    }
    if (child && !j->loop && j->parent != j->child) {
      note_carrier(c, i);
    }
    if ((!parent || !child) && !joint_is_broken(c, i)) {
      SAY(c, j->place, "joint '%s' joins bodies %d and %d, which do not both exist", j->name,
          j->parent, j->child);
    }
  }
}

// Walk from every body towards the world; a body met twice on one walk is in a cycle. Bodies that
// an earlier walk met lead to the world, or were told.
static void check_cycles(checker* c) {
  const lb_arena_mark mark = lb_arena_here(c->scratch);
  int* walk = LB_TAKE(c->scratch, int, c->s->nbody);
  if (!walk) {
    c->no_memory = true;
    return;
  }
  for (int i = 0; i < c->s->nbody; i++) {
    int at = i;
    while (at >= 0 && !walk[at]) {
      walk[at] = i + 1;
      const int joint = c->carrier[at];
      at = joint >= 0 ? c->s->joint[joint].parent : LB_WORLD;
      at = index_is_good(at, c->s->nbody) ? at : LB_WORLD;
    }
    if (at >= 0 && walk[at] == i + 1) {
      const lb_scene_joint* j = &c->s->joint[c->carrier[at]];
      SAY(c, j->place,
          "joint '%s' is part of a cycle: body '%s' would carry itself (add 'loop: true' to the "
          "joint that closes the loop)",
          j->name, c->s->body[at].name);
    }
  }
  lb_arena_reset(c->scratch, mark);
}

// A free body's coordinates go by its name, so no joint may have it.
static void check_free_names(checker* c) {
  lb_names joints = {0};
  const lb_arena_mark mark = lb_arena_here(c->scratch);
  for (int i = 0; i < c->s->njoint; i++) {
    const char* name = c->s->joint[i].name;
    if (name && lb_names_find(&joints, name, -1) < 0 &&
        !lb_names_add(&joints, c->scratch, name, i)) {
      c->no_memory = true;
    }
  }
  for (int i = 0; i < c->s->nbody; i++) {
    const char* name = c->s->body[i].name;
    if (name && c->carrier[i] < 0 && lb_names_find(&joints, name, -1) >= 0) {
      SAY(c, c->s->body[i].place,
          "body '%s' moves freely and a joint has the same name (rename one)", name);
    }
  }
  lb_arena_reset(c->scratch, mark);
}

// --- springs, motors, loads ---

// All but the values.
static bool times_hold(const lb_profile_definition* p) {
  const int times = p->kind == LB_PROFILE_BSPLINE ? 2 : p->count;
  if ((int)p->kind < 0 || p->kind >= LB_PROFILE_COUNT || p->count < 0 || !(p->period >= 0) ||
      !isfinite(p->period)) {
    return false;
  }
  if (p->count == 0) {
    return true;
  }
  if (!p->time || !all_finite(p->time, times)) {
    return false;
  }
  for (int i = 1; i < times; i++) {
    if (!(p->time[i] > p->time[i - 1])) {
      return false;
    }
  }
  return p->kind != LB_PROFILE_BSPLINE ||
         (p->degree >= 1 && p->degree <= 5 && p->count > p->degree);
}

bool lb_profile_holds(const lb_profile_definition* p) {
  return times_hold(p) && (p->count == 0 || (p->value && all_finite(p->value, p->count)));
}

// Rotations are of length one; from each to the next it must be clear which way round is shorter,
// and of repeated ones from the last to the first.
static void check_rotations(checker* c, const lb_scene_motor* m) {
  static const double EITHER = 1e-6; // cosine of half the angle
  for (int i = 0; i < m->profile.count; i++) {
    const lb_quat a = m->rotation[i], b = m->rotation[(i + 1) % m->profile.count];
    if (!(fabs(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z - 1) < 1e-9)) {
      SAY(c, m->place, "motor '%s': its rotations must be of length one", m->name);
      return;
    }
    const bool goes_on = i + 1 < m->profile.count || m->profile.period > 0;
    if (goes_on && fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z) < EITHER) {
      SAY(c, m->place,
          "motor '%s': its rotations %d and %d are half a turn apart, and may be joined either way "
          "round (give one between)",
          m->name, i + 1, (i + 1) % m->profile.count + 1);
      return;
    }
  }
}

// Which of the joint's coordinates it drives must be driven by no other; `motor_of` has those of
// every coordinate, counted from one.
static void check_others(checker* c, int i, bool turns, int* motor_of) {
  const lb_scene_motor* m = &c->s->motor[i];
  const lb_scene_joint* j = &c->s->joint[m->joint];
  int* other = &motor_of[m->joint * LB_JOINT_MOST_V];
  int told = 0;
  for (int k = m->coordinate; k < m->coordinate + (turns ? 3 : 1); k++) {
    if (!index_is_good(k, LB_JOINT_MOST_V)) {
      return;
    }
    if (other[k] && !told) {
      told = other[k];
      SAY(c, m->place, "motor '%s' drives joint '%s', which motor '%s' drives already (%s)",
          m->name, j->name, c->s->motor[told - 1].name,
          lb_joint_count_v(j) > 1 && !turns && !c->s->motor[told - 1].rotation
              ? "keep one, or name another coordinate"
              : "keep one");
    }
    other[k] = i + 1;
  }
}

static void check_motor(checker* c, int i, int* motor_of) {
  const lb_scene_motor* m = &c->s->motor[i];
  if (!index_is_good(m->joint, c->s->njoint)) {
    SAY(c, m->place, "motor '%s' drives joint %d, which does not exist", m->name, m->joint);
    return;
  }
  const lb_scene_joint* j = &c->s->joint[m->joint];
  if (joint_is_broken(c, m->joint)) {
    return;
  }
  const int n = lb_joint_count_v(j);
  const bool turns = lb_joint_count_q(j) != n && m->drive == LB_DRIVE_POSITION;
  if (!index_is_good(m->coordinate, n)) {
    SAY(c, m->place, "motor '%s' drives coordinate %d of joint '%s', which is %s and has %d",
        m->name, m->coordinate, j->name, lb_joint_kind_name(j->kind), n);
  } else if ((m->rotation != NULL) != turns || (turns && m->coordinate != 0)) {
    SAY(c, m->place, "motor '%s' drives joint '%s', which is %s (%s)", m->name, j->name,
        lb_joint_kind_name(j->kind),
        turns ? "give it rotations of coordinate 0, or drive a force" : "give it numbers");
    return;
  }
  check_others(c, i, turns, motor_of);
  if (m->profile.count < 1 ||
      !(m->rotation ? times_hold(&m->profile) : lb_profile_holds(&m->profile))) {
    SAY(c, m->place, "motor '%s': its values must be finite and its times rising", m->name);
  } else if (m->rotation) {
    check_rotations(c, m);
  }
}

static void check_motors(checker* c) {
  const lb_arena_mark mark = lb_arena_here(c->scratch);
  int* motor_of = LB_TAKE(c->scratch, int, LB_JOINT_MOST_V * c->s->njoint);
  if (!motor_of) {
    c->no_memory = true;
    return;
  }
  for (int i = 0; i < c->s->nmotor; i++) {
    check_motor(c, i, motor_of);
  }
  lb_arena_reset(c->scratch, mark);
}

static void check_loads(checker* c) {
  for (int i = 0; i < c->s->nload; i++) {
    const lb_scene_load* load = &c->s->load[i];
    if (!index_is_good(load->body, c->s->nbody)) {
      SAY(c, load->place, "load '%s' acts on body %d, which does not exist", load->name,
          load->body);
    }
    if (!IS_FINITE(load->point) || !IS_FINITE(load->force) || !IS_FINITE(load->torque) ||
        !lb_profile_holds(&load->profile)) {
      SAY(c, load->place, "load '%s': its numbers must be finite and its times rising", load->name);
    }
  }
}

// --- the whole ---

void lb_scene_examine(const lb_scene* scene, lb_report* report, const bool* body_broken,
                      const bool* joint_broken, lb_arena* scratch, bool* no_memory) {
  checker c = {.s = scene,
               .report = report,
               .body_broken = body_broken,
               .joint_broken = joint_broken,
               .scratch = scratch};
  c.carrier = LB_TAKE(scratch, int, scene->nbody);
  if (!c.carrier) {
    *no_memory = true;
    return;
  }
  for (int i = 0; i < scene->nbody; i++) {
    c.carrier[i] = -1;
  }
  check_settings(&c);
  CHECK_NAMES(&c, "body", nbody, body, lb_scene_body);
  CHECK_NAMES(&c, "joint", njoint, joint, lb_scene_joint);
  CHECK_NAMES(&c, "spring", nspring, spring, lb_scene_spring);
  CHECK_NAMES(&c, "cable", ncable, cable, lb_scene_cable);
  CHECK_NAMES(&c, "ground", nground, ground, lb_scene_ground);
  CHECK_NAMES(&c, "strand", nrope, rope, lb_scene_rope);
  CHECK_NAMES(&c, "soft", ndeformable, deformable, lb_scene_deformable);
  CHECK_NAMES(&c, "motor", nmotor, motor, lb_scene_motor);
  CHECK_NAMES(&c, "load", nload, load, lb_scene_load);
  CHECK_NAMES(&c, "constraint", nconstraint, constraint, lb_scene_constraint);
  CHECK_NAMES(&c, "marker", nmarker, marker, lb_scene_marker);
  check_materials(&c);
  check_shapes(&c);
  check_bodies(&c);
  check_joints(&c);
  check_cycles(&c);
  check_free_names(&c);
  lb_check_forces(&c);
  check_motors(&c);
  check_loads(&c);
  lb_check_constraints(&c);
  lb_check_prescribed(&c);
  lb_check_elastic(&c);
  lb_check_deformables(&c);
  lb_check_fit(&c);
  lb_check_retarget(&c);
  lb_check_optimize(&c);
  *no_memory = *no_memory || c.no_memory;
}

lb_status lb_scene_check(const lb_scene* scene, lb_error* err) {
  lb_report report = lb_report_make(err);
  lb_arena scratch;
  bool no_memory = false;
  lb_arena_init(&scratch, err ? err->allocator : NULL);
  lb_scene_examine(scene, &report, NULL, NULL, &scratch, &no_memory);
  lb_arena_release(&scratch);
  if (no_memory) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){scene->file, 0, 0},
                        "there is not enough memory");
  }
  lb_report_sort(&report);
  return report.status;
}
