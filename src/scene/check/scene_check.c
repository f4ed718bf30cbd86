// What must hold of any scene, whoever made it. Each part is looked at on its own first; the tree
// that the joints make comes last, for it needs sound indices.
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "elastic/fem/material.h"
#include "geom/shape/shape.h"
#include "scene/part/part.h"

typedef lb_checker checker;

static bool joint_is_broken(const checker* c, int i) {
  return c->joint_broken && c->joint_broken[i];
}

#define SAY LB_SAY

void lb_say(lb_checker* c, const char* format, ...) {
  char text[600];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  LB_SAY(c, c->place, "%s%s", c->subject, text);
}

void lb_look_at(lb_checker* c, lb_place place, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(c->subject, sizeof c->subject, format, args);
  va_end(args);
  c->place = place;
}

// --- numbers ---

bool lb_all_finite(const double* x, int count) {
  for (int i = 0; i < count; i++) {
    if (!isfinite(x[i])) {
      return false;
    }
  }
  return true;
}

// The vectors, quaternions and transforms of limber/math.h are doubles in a row.
#define IS_FINITE(object)                                                                          \
  lb_all_finite((const double*)&(object), (int)(sizeof(object) / (sizeof(double))))

static bool index_is_good(int i, int count) {
  return i >= 0 && i < count;
}

// --- settings ---

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
  } else if (lb_integrator_method(solver->integrator) != LB_METHOD_LINEAR) {
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
  if (s->record.every / s->solver.step > MOST_STEPS) {
    SAY(c, place,
        "record: a frame every %g s is one in more than %g steps of %g s (check the units)",
        s->record.every, MOST_STEPS, s->solver.step);
  }
  if (s->duration / s->solver.step > MOST_STEPS || s->duration / s->record.every > MOST_STEPS) {
    SAY(c, s->solver.place, "%g s in steps of %g s is more than %g steps (check the units)",
        s->duration, fmin(s->solver.step, s->record.every), MOST_STEPS);
  }
  if ((int)s->solver.integrator < 0 || s->solver.integrator >= LB_INTEGRATOR_COUNT) {
    SAY(c, s->solver.place, "the integrator is not one of those in limber/scene.h");
  }
  check_closing(c);
  check_first_step(c);
  const bool empty = s->nbody + s->nrope + s->ndeformable == 0;
  if (empty && c->report->status == LB_OK) { // else they may be in what went wrong
    SAY(c, (lb_place){s->file, 1, 1},
        "the scene has no bodies (add some under 'bodies:', such as ball: {shape: {sphere: "
        "{radius: 0.1}}})");
  }
}

// --- joints ---

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
      lb_look_at(c, j->place, "joint '%.100s'", j->name);
      lb_check_joint(c, j);
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
// an earlier walk met lead to the world, or were reported.
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

static void check_force_kinds(checker* c) {
  for (int i = 0; i < c->s->nforce; i++) {
    if ((unsigned)c->s->force[i].kind >= LB_FORCE_KINDS) {
      SAY(c, c->s->force[i].place, "force '%s' is of no kind that exists", c->s->force[i].name);
    }
  }
}

static void check_particles(checker* c) {
  const lb_scene* s = c->s;
  bool elastic = false;
  for (int i = 0; i < s->nbody; i++) {
    elastic = elastic || s->body[i].elastic || s->body[i].reduced;
  }
  if (s->nrope + s->ndeformable > 0 && elastic && s->solver.elastic == LB_SPACE_FULL) {
    SAY(c, s->solver.place,
        "ropes and deformables cannot be simulated beside all nodes of elastic bodies (let these "
        "move in a basis, 'elastic: reduced')");
  }
}

// --- the whole ---

void lb_scene_examine(const lb_scene* scene, lb_report* report, bool* const* broken,
                      lb_arena* scratch, bool* no_memory) {
  checker c = {.s = scene,
               .report = report,
               .body_broken = broken ? broken[LB_SCENE_BODIES] : NULL,
               .joint_broken = broken ? broken[LB_SCENE_JOINTS] : NULL,
               .scratch = scratch};
  c.carrier = LB_TAKE(scratch, int, scene->nbody);
  c.motor_of = LB_TAKE(scratch, int, LB_JOINT_MOST_V * scene->njoint);
  if (!c.carrier || !c.motor_of) {
    *no_memory = true;
    return;
  }
  for (int i = 0; i < scene->nbody; i++) {
    c.carrier[i] = -1;
  }
  check_settings(&c);
  lb_check_shapes(&c);
  check_joints(&c);
  check_cycles(&c);
  check_free_names(&c);
  check_force_kinds(&c);
  for (int key = 0; key < LB_SCENE_KEYS; key++) {
    const lb_scene_section* section = &lb_scene_sections[key];
    if (section->table) {
      lb_check_section(&c, section, broken && section->keeps ? broken[key] : NULL);
    }
  }
  lb_check_prescribed(&c);
  lb_check_elastic(&c);
  check_particles(&c);
  lb_check_contacts(&c);
  lb_check_fit(&c);
  lb_check_retarget(&c);
  lb_check_optimize(&c);
  lb_check_collocate(&c);
  *no_memory = *no_memory || c.no_memory;
}

lb_status lb_scene_check(const lb_scene* scene, lb_error* err) {
  lb_report report = lb_report_make(err);
  lb_arena scratch;
  bool no_memory = false;
  lb_arena_init(&scratch, err ? err->allocator : NULL);
  lb_scene_examine(scene, &report, NULL, &scratch, &no_memory);
  lb_arena_release(&scratch);
  if (no_memory) {
    return lb_error_add(err, LB_NO_MEMORY, (lb_place){scene->file, 0, 0},
                        "there is not enough memory");
  }
  lb_report_sort(&report);
  return report.status;
}
