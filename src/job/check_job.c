// Check of a scene: what is in it, and that its parts can be put together.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "job/job_inside.h"
#include "job/job_text.h"
#include "limber/mechanism.h"
#include "limber/optimize.h"
#include "model/use/motor_use.h"

typedef struct check_job {
  lb_optimization* optimization; // of scenes that say what to optimise
  lb_moved_start moved;
  lb_overlaps overlaps;
  lb_steep_friction steep;
  lb_mechanism* mechanism; // where it was asked for
} check_job;

// --- loading ---

// Put the parts together as a run would: loops must close.
static lb_status try_start(lb_job* j, lb_error* err) {
  check_job* own = j->own;
  const lb_model* m = j->model;
  lb_data* data = NULL;
  lb_status status = lb_data_create(m, j->arena.allocator, &data, err);
  if (status != LB_OK) {
    return status;
  }
  status = lb_assemble(m, data, err);
  if (status == LB_OK) {
    lb_poses(m, data);
    lb_job_warn_of_path_starts(j, data->pose, data->q);
    status = lb_find_steep_friction(m, data, m->solver.step, j->arena.allocator, &own->steep, err);
  }
  if (status == LB_OK) {
    status = lb_find_moved_start(m, j->arena.allocator, &own->moved, err);
  }
  if (status == LB_OK) {
    status = lb_find_overlaps(m, data, j->arena.allocator, &own->overlaps, err);
  }
  lb_data_release(data);
  return status;
}

static lb_status load(lb_job* j, lb_error* err) {
  check_job* own = j->own;
  j->scene.making.outline = !j->o.models;
  j->scene.solver.elastic = j->o.models ? j->scene.solver.elastic : LB_SPACE_REDUCED;
  lb_status status = lb_job_make_model(j, err);
  status = status == LB_OK ? try_start(j, err) : status;
  if (status == LB_OK && j->scene.optimize.nparameter > 0) {
    status = lb_optimization_create(&j->scene, j->arena.allocator, &own->optimization, err);
  }
  if (status == LB_OK && j->o.linkage) {
    status = lb_mechanism_create(&j->scene, j->arena.allocator, &own->mechanism, err);
  }
  return status;
}

// --- the report ---

// A line that is made of parts.
typedef struct line {
  char text[800];
  size_t used;
} line;

__attribute__((format(printf, 2, 3))) static void put(line* l, const char* format, ...) {
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(l->text + l->used, sizeof l->text - l->used, format, args);
  va_end(args);
  l->used += n > 0 ? (size_t)n : 0;
  l->used = l->used < sizeof l->text ? l->used : sizeof l->text - 1;
}

static const char* plural(int count, const char* one, const char* many) {
  return count == 1 ? one : many;
}

static void add_bodies(lb_job* j) {
  const lb_model* m = j->model;
  double mass = 0;
  for (int i = 0; i < m->nbody; i++) {
    mass += m->body.mass[i].mass;
  }
  double muscles = 0; // which took theirs from bodies, or add it
  for (int i = 0; i < j->scene.nmuscle; i++) {
    muscles += j->scene.muscle[i].mass.amount;
  }
  line l = {.used = 0};
  if (muscles > 0) {
    put(&l, " (%.4g kg of it muscles)", muscles);
  }
  lb_job_figure(j, "bodies", "%d, together %.4g kg%s; %d %s", m->nbody, mass + muscles, l.text,
                m->look.nshape, plural(m->look.nshape, "shape", "shapes"));
}

// "rod: 1155 nodes, 540 elements, 20 coordinates; held, it swings at 5.7, 5.7, 35.9 Hz"
static void add_elastic(lb_job* j, const lb_model_elastic* e) {
  enum { SHOWN = 4 };
  line l = {.used = 0};
  put(&l, "%s: %d nodes, %d elements", j->model->body.name[e->body], e->nnode, e->nelem);
  if (e->r == 0) {
    lb_job_figure(j, "elastic", "%s; its shapes with --models", l.text);
    return;
  }
  put(&l, ", %d %s; held, it swings at", e->r, plural(e->r, "coordinate", "coordinates"));
  for (int k = 0; k < e->r && k < SHOWN; k++) {
    put(&l, "%s %.4g", k ? "," : "", e->frequency[k]);
  }
  lb_job_figure(j, "elastic", "%s Hz", l.text);
}

// "4: 3 revolute, 1 fixed", counting what the author wrote and the bodies left free.
static void add_joints(lb_job* j) {
  const lb_model* m = j->model;
  int count[LB_JOINT_COUNT] = {0};
  int all = 0;
  line l = {.used = 0};
  for (int i = 0; i < m->njoint; i++) {
    const int kind = m->joint.kind[i];
    if (kind < LB_JOINT_COUNT &&
        kind != LB_JOINT_FIXED) { // else they are an elastic body's own coordinates
      count[m->joint.kind[i]]++;
      all++;
    }
  }
  for (int i = 0; i < j->scene.njoint; i++) {
    const bool fixed = j->scene.joint[i].kind == LB_JOINT_FIXED && !j->scene.joint[i].loop;
    count[LB_JOINT_FIXED] += fixed;
    all += fixed;
  }
  put(&l, "%d", all);
  const char* separator = ": ";
  for (int kind = 0; kind < LB_JOINT_COUNT; kind++) {
    if (count[kind]) {
      put(&l, "%s%d %s", separator, count[kind], lb_joint_kind_name((lb_joint_kind)kind));
      separator = ", ";
    }
  }
  if (m->constraint.nloop) {
    put(&l, "; %d more %s", m->constraint.nloop,
        plural(m->constraint.nloop, "closes a loop", "close loops"));
  }
  lb_job_figure(j, "joints", "%s", l.text);
}

static void add_constraints(lb_job* j) {
  const lb_model* m = j->model;
  const int points = m->constraint.npair - m->constraint.nloop - lb_motors_count_turns(m);
  if (m->constraint.ncoupling || points) {
    lb_job_figure(
        j, "constraints", "%d %s, %d %s", m->constraint.ncoupling,
        plural(m->constraint.ncoupling, "coupling or limit", "couplings or limits"), points,
        plural(points, "point prescribed or on a floor", "points prescribed or on floors"));
  }
}

static void add_freedom(lb_job* j) {
  const lb_model* m = j->model;
  int driven = 0;
  line l = {.used = 0};
  for (int i = 0; i < m->nlink; i++) {
    driven += m->link.driven[i] ? 1 : 0;
  }
  put(&l, "%d %s of freedom", m->nv, plural(m->nv, "degree", "degrees"));
  if (j->scene.making.outline && m->elastic.count > 0) {
    put(&l, " and those of elastic bodies");
  }
  if (driven) {
    put(&l, ", %d of them prescribed by motors", driven);
  }
  if (m->constraint.count) {
    put(&l, ", less what %s",
        m->constraint.count > m->constraint.nloop
            ? "constraints take"
            : plural(m->constraint.nloop, "the loop takes", "the loops take"));
  }
  lb_job_figure(j, "freedom", "%s", l.text);
}

static void add_forces(lb_job* j) {
  const lb_model* m = j->model;
  const struct {
    int count;
    const char *one, *many;
  } part[] = {{m->nmotor - 2 * lb_motors_count_turns(m), "motor", "motors"},
              {m->muscle.count, "muscle", "muscles"},
#define FORCES_OF(code, name, section, about) {m->force.of_kind[code], #name, section},
              LB_FORCE_LIST(FORCES_OF){m->particles.nrope, "rope", "ropes"},
              {m->particles.ndeformable, "deformable", "deformables"},
              {m->force.nload, "load", "loads"},
              {m->force.nexternal, "measured force", "measured forces"}};
  const double g = lb_vec3_norm(m->gravity);
  line l = {.used = 0};
  if (g > 0) {
    put(&l, "gravity %.4g m/s^2", g);
  } else {
    put(&l, "no gravity");
  }
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    if (part[i].count) {
      put(&l, ", %d %s", part[i].count, plural(part[i].count, part[i].one, part[i].many));
    }
  }
  lb_job_figure(j, "forces", "%s", l.text);
}

// What neither moves nor acts by itself.
static void add_places(lb_job* j) {
  const lb_scene* s = &j->scene;
  const struct {
    int count;
    const char *one, *many;
  } part[] = {{s->nwrap, "surface that paths wrap over", "surfaces that paths wrap over"},
              {s->nmarker, "marker", "markers"}};
  line l = {.used = 0};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    if (part[i].count) {
      put(&l, "%s%d %s", l.used ? ", " : "", part[i].count,
          plural(part[i].count, part[i].one, part[i].many));
    }
  }
  if (l.used) {
    lb_job_figure(j, "places", "%s", l.text);
  }
}

static void add_run(lb_job* j) {
  const lb_model* m = j->model;
  const bool adaptive = m->solver.integrator == LB_INTEGRATOR_ADAPTIVE;
  line l = {.used = 0};
  if (adaptive) {
    put(&l, "as a tolerance of %g asks for", lb_adaptive_tolerance(&m->solver));
  } else {
    put(&l, "of %s", lb_text_duration(m->solver.step).text);
  }
  lb_job_figure(j, "run", "%s, %s, steps %s, a frame every %s", lb_text_duration(m->duration).text,
                lb_integrator_name(m->solver.integrator), l.text,
                lb_text_duration(m->record.every).text);
}

static void add_optimisation(lb_job* j, const lb_optimization* o) {
  const int parameters = j->scene.optimize.nparameter, goals = j->scene.optimize.ngoal;
  if (o) {
    lb_job_figure(j, "optimize", "%d %s of %d %s, for %d %s", o->nvalue,
                  plural(o->nvalue, "number", "numbers"), parameters,
                  plural(parameters, "parameter", "parameters"), goals,
                  plural(goals, "goal", "goals"));
  }
}

// --- mechanisms ---

static double degrees(double angle) {
  return angle * 180 / M_PI;
}

static double whole_turn(double angle) { // from 0 on
  const double d = fmod(degrees(angle), 360);
  return d < 0 ? d + 360 : d;
}

// Freedoms from i on of the same joint that move as many others.
static int count_alike(const lb_mechanism* M, int i) {
  const lb_freedom* f = &M->freedom[i];
  int n = 1;
  while (i + n < M->nfreedom && strcmp(f[n].joint, f->joint) == 0 && f[n].moves == f->moves) {
    n++;
  }
  return n;
}

// "7 (79 coordinates, ...): crank, which moves 72 others; 6 of stand"
static void add_mobility(lb_job* j, const lb_mechanism* M) {
  enum { SHOWN = 6 };
  line l = {.used = 0};
  int at = 0;
  for (int shown = 0, n = 0; at < M->nfreedom && shown < SHOWN; at += n, shown++) {
    const lb_freedom* f = &M->freedom[at];
    n = count_alike(M, at);
    put(&l, "%s", shown ? "; " : ": ");
    if (n > 1) {
      put(&l, "%d of %s", n, f->joint);
    } else {
      put(&l, "%s", f->joint);
    }
    if (n == 1 && f->coordinate > 0) {
      put(&l, " %d", f->coordinate);
    }
    if (f->moves > 0) {
      put(&l, ", which %s %d %s", n > 1 ? "move" : "moves", f->moves,
          plural(f->moves, "other", "others"));
    }
  }
  if (at < M->nfreedom) {
    put(&l, "; and %d more", M->nfreedom - at);
  }
  lb_job_figure(j, "mobility", "%d (%d coordinates, %d independent of %d rows of constraints)%s",
                M->nfreedom, M->coordinates, M->rank, M->rows, l.text);
}

// "108 rows: 3 of 5 of loop joint X-j-1, ..."
static void add_redundant(lb_job* j, const lb_mechanism* M) {
  enum { SHOWN = 6 };
  line l = {.used = 0};
  for (int i = 0; i < M->nredundancy && i < SHOWN; i++) {
    const lb_redundancy* of = &M->redundancy[i];
    put(&l, "%s%d of %d of %s %s", i ? ", " : "", of->redundant, of->rows, of->kind, of->name);
  }
  if (M->nredundancy > SHOWN) {
    put(&l, " and of %d more", M->nredundancy - SHOWN);
  }
  if (M->nredundancy > 0) {
    lb_job_figure(j, "redundant", "%d rows: %s", M->rows - M->rank, l.text);
  }
}

static void add_linkage(lb_job* j, const lb_linkage_motion* k) {
  line l = {.used = 0};
  for (int i = 0; i < k->ndead; i++) {
    const lb_dead_point* dead = &k->dead[i];
    put(&l, "%s %.4g deg", i ? "," : "; dead points at", degrees(dead->angle));
    for (int b = 0; b < dead->nbar; b++) {
      put(&l, "%s%s", b ? ", " : " (", dead->bar[b]);
    }
    put(&l, "%s", dead->nbar ? " in line)" : "");
  }
  if (k->turns && isnan(k->transmission)) {
    lb_job_figure(j, "linkage", "%s: %s turns all the way; other points are free beside it",
                  k->name, k->crank);
  } else if (k->turns) {
    lb_job_figure(j, "linkage", "%s: %s turns all the way; transmission %.3g at least, at %.4g deg",
                  k->name, k->crank, k->transmission, whole_turn(k->transmission_at));
  } else {
    lb_job_figure(j, "linkage", "%s: %s turns from %.4g to %.4g deg%s", k->name, k->crank,
                  degrees(k->from), degrees(k->to), l.text);
  }
  for (int i = 0; i < k->ncurve; i++) {
    const lb_coupler_curve* c = &k->curve[i];
    lb_job_figure(j, c->foot ? "foot" : "point", "%s: path %.5g m wide, %.5g m high", c->point,
                  c->width, c->height);
  }
}

static const char* bar_at(const lb_scene* s, const lb_scene_linkage* k, int bar) {
  return bar >= 0 ? k->bar[bar].name : k->on >= 0 ? s->body[k->on].name : "world";
}

// "Q: rocker to coupler, closes a loop; joint Q-coupler", of the first copy
static void add_pins(lb_job* j, const lb_scene_linkage* k) {
  for (int i = 0; i < k->npin; i++) {
    const lb_linkage_pin* pin = &k->pin[i];
    const bool alone = k->ncopy == 1 || (k->shaft && pin->bar[1] == k->crank);
    lb_job_figure(j, "pin", "%s: %s to %s%s; joint %s%s", k->point[pin->point].name,
                  bar_at(&j->scene, k, pin->bar[0]), bar_at(&j->scene, k, pin->bar[1]),
                  pin->loop ? ", closes a loop" : "", j->scene.joint[k->copy[0].joint[i]].name,
                  alone ? "" : " and so on");
  }
}

static void add_mechanism(lb_job* j, const lb_mechanism* M) {
  if (!M) {
    return;
  }
  add_mobility(j, M);
  add_redundant(j, M);
  for (int i = 0; i < M->nlinkage; i++) {
    add_linkage(j, &M->linkage[i]);
    add_pins(j, &j->scene.linkage[i]);
  }
}

static void report(lb_job* j) {
  const check_job* own = j->own;
  lb_job_title(j, j->o.scene, "a good scene, %s", j->scene.name);
  add_bodies(j);
  for (int i = 0; i < j->model->elastic.count; i++) {
    add_elastic(j, &j->model->elastic.body[i]);
  }
  add_joints(j);
  add_constraints(j);
  lb_job_add_compliance(j);
  add_freedom(j);
  add_forces(j);
  add_places(j);
  lb_job_add_what_collides(j);
  add_run(j);
  add_optimisation(j, own->optimization);
  add_mechanism(j, own->mechanism);
  lb_job_warn_of_unheld(j);
  lb_job_warn_of_start(j, &own->moved, &own->steep, j->model->solver.step);
  lb_job_warn_of_overlaps(j, &own->overlaps);
  lb_job_warn_of_lever_arms(j);
}

static void release(lb_job* j) {
  check_job* own = j->own;
  lb_optimization_release(own->optimization);
  lb_mechanism_release(own->mechanism);
}

const lb_job_type lb_job_check = {
    .name = "check", .size = sizeof(check_job), .load = load, .report = report, .release = release};
