// The files of reduced mechanisms: compliance as a table, a model each, and both motions in one
// world.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/npz.h"
#include "limber/fork.h"
#include "output/file/whole_file.h"
#include "output/file/writers.h"
#include "output/report/overlay.h"

static const char* const COMPONENT[] = {"x", "y", "z"};

// --- compliance.csv ---

static void write_block(lb_out* out, const lb_fork* f, int a, int b) {
  double C[36];
  lb_fork_compliance(f, a, b, C);
  for (int r = 0; r < 6; r++) {
    lb_write_name(out, f->what->name);
    lb_print(out, ",%d,", f->number + 1);
    lb_write_name(out, f->what->effector[a].name);
    lb_print(out, ",%s.%s,", r < 3 ? "turn" : "move", COMPONENT[r % 3]);
    lb_write_name(out, f->what->effector[b].name);
    for (int c = 0; c < 6; c++) {
      lb_print(out, ",%g", C[6 * r + c]);
    }
    lb_out_text(out, "\n");
  }
}

void lb_write_compliance(lb_out* out, const lb_recording* r, const lb_summary* s) {
  (void)r;
  lb_out_text(out, "fork,model,effector,motion,loaded,moment.x,moment.y,moment.z,force.x,force.y,"
                   "force.z\n");
  for (int i = 0; i < s->fork->count; i++) {
    const lb_fork* f = s->fork->fork[i];
    for (int a = 0; a < f->neffector * f->neffector; a++) {
      write_block(out, f, a / f->neffector, a % f->neffector);
    }
  }
}

// --- models ---

static const char README[] =
    "A mechanism reduced to its end effectors about an equilibrium, by limber fork. SI units; "
    "twists "
    "and wrenches have six numbers, angular first, along the own axes of an effector or link. C: "
    "compliance of the effectors, twists = C wrenches, relative to the base. shape: twists of the "
    "effectors by admissible coordinates y. K, D, M: M y'' + D y' + K y = shape wrenches; the "
    "first "
    "`base` coordinates are the twist of a base that floats. dq: velocities of the mechanism's "
    "joints by y. T, W: twists of links, and wrenches through their joints, by wrenches of the "
    "effectors. q, pose, link: the equilibrium; poses are quaternion w x y z, then position. "
    "wrench: forces on effectors there. radius: size of the mechanism.";

// Poses as rows of seven numbers.
static const double* flatten(lb_arena* a, int count, const lb_transform* X) {
  double* to = LB_TAKE(a, double, 7 * (size_t)count);
  for (int i = 0; to && i < count; i++) {
    const double row[7] = {X[i].q.w, X[i].q.x, X[i].q.y, X[i].q.z, X[i].p.x, X[i].p.y, X[i].p.z};
    memcpy(to + 7 * (size_t)i, row, sizeof row);
  }
  return to;
}

static lb_status pack(const lb_fork* f, lb_arena* a, lb_bytes* bytes) {
  const int n = 6 * f->neffector, m = f->count;
  const char* readme = README;
  const char** effector = LB_TAKE(a, const char*, f->neffector);
  const char** joint = LB_TAKE(a, const char*, f->nlink);
  const double *pose = flatten(a, f->neffector, f->pose), *link = flatten(a, f->nlink, f->link);
  if (!effector || !joint || !pose || !link) {
    return LB_NO_MEMORY;
  }
  for (int e = 0; e < f->neffector; e++) {
    effector[e] = f->what->effector[e].name;
  }
  for (int i = 0; i < f->nlink; i++) {
    joint[i] = f->model->joint.name[f->model->link.joint[i]];
  }
  const lb_npz_array array[] = {
      {"readme", LB_NPZ_TEXT, 0, {0}, &readme, NULL},
      {"effectors", LB_NPZ_TEXT, 1, {f->neffector}, effector, NULL},
      {"joints", LB_NPZ_TEXT, 1, {f->nlink}, joint, NULL},
      {"base", LB_NPZ_INT, 0, {0}, &f->base, NULL},
      {"radius", LB_NPZ_NUMBER, 0, {0}, &f->radius, NULL},
      {"q", LB_NPZ_NUMBER, 1, {f->model->nq}, f->q, NULL},
      {"pose", LB_NPZ_NUMBER, 2, {f->neffector, 7}, pose, NULL},
      {"link", LB_NPZ_NUMBER, 2, {f->nlink, 7}, link, NULL},
      {"wrench", LB_NPZ_NUMBER, 2, {f->neffector, 6}, f->wrench, NULL},
      {"C", LB_NPZ_NUMBER, 2, {n, n}, f->C, NULL},
      {"shape", LB_NPZ_NUMBER, 2, {m, n}, f->shape, NULL},
      {"K", LB_NPZ_NUMBER, 2, {m, m}, f->K, NULL},
      {"D", LB_NPZ_NUMBER, 2, {m, m}, f->D, NULL},
      {"M", LB_NPZ_NUMBER, 2, {m, m}, f->M, NULL},
      {"dq", LB_NPZ_NUMBER, 2, {m, f->nv}, f->dq, NULL},
      {"T", LB_NPZ_NUMBER, 3, {f->nlink, 6, n}, f->T, NULL},
      {"W", LB_NPZ_NUMBER, 3, {f->nlink, 6, n}, f->W, NULL}}; // the last may not be there
  return lb_npz_pack(array, (int)(sizeof array / sizeof *array) - !f->W, a, &bytes->data,
                     &bytes->size);
}

lb_fork_file lb_fork_file_of(const lb_fork* f) {
  lb_fork_file file; // names of scenes have 64 letters at most
  if (f->number > 0) {
    snprintf(file.name, sizeof file.name, "%.64s-%d.npz", f->what->name, f->number + 1);
  } else {
    snprintf(file.name, sizeof file.name, "%.64s.npz", f->what->name);
  }
  return file;
}

lb_status lb_fork_write(const lb_fork* f, const char* dir, const lb_allocator* allocator,
                        lb_error* err) {
  const lb_fork_file file = lb_fork_file_of(f);
  lb_arena scratch;
  lb_bytes bytes = {0};
  lb_arena_init(&scratch, allocator);
  lb_status status = pack(f, &scratch, &bytes);
  status = status == LB_OK
               ? lb_file_write(dir, file.name, lb_file_bytes, &bytes, allocator, err)
               : lb_error_add(err, status, (lb_place){.file = file.name},
                              "no memory to write it, or it would be larger than 2 GiB");
  lb_arena_release(&scratch);
  return status;
}

// --- summary.json ---

static void summarise_axes(lb_out* out, const char* key, const lb_fork_axes* a) {
  lb_print_json(out, ", '%-s': [", key);
  for (int i = 0; i < 3; i++) {
    lb_print_json(out, "%-s{'compliance': %g, 'axis': [%g, %g, %g]}", i ? ", " : "",
                  a->compliance[i], a->axis[i].x, a->axis[i].y, a->axis[i].z);
  }
  lb_out_text(out, "]");
}

static void summarise(lb_out* out, const lb_fork* f) {
  lb_print_json(out,
                "{'name': %s, 'model': %d, 'coordinates': %d, 'of': %d, 'radius': %g, 'fell': %-s, "
                "'effectors': [",
                f->what->name, f->number + 1, f->count, f->nv, f->radius,
                f->fell ? "true" : "false");
  for (int e = 0; e < f->neffector; e++) {
    const lb_fork_axes force = lb_fork_principal(f, e, false), turn = lb_fork_principal(f, e, true);
    lb_print_json(out, "%-s\n      {'name': %s, 'position': [%g, %g, %g]", e ? "," : "",
                  f->what->effector[e].name, f->pose[e].p.x, f->pose[e].p.y, f->pose[e].p.z);
    summarise_axes(out, "under_forces", &force);
    summarise_axes(out, "under_moments", &turn);
    lb_out_text(out, "}");
  }
  lb_out_text(out, "]}");
}

static double largest(const double* x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = x[i] > most ? x[i] : most; // what is not known is not larger
  }
  return most;
}

static void summarise_maps(lb_out* out, const lb_fork_result* t) {
  lb_print_json(out, ",\n  'error_maps': [");
  for (int i = 0; i < t->nmap; i++) {
    const lb_fork_map* m = t->map[i];
    const int n = m->side * m->side;
    lb_print_json(out,
                  "%-s\n    {'name': %s, 'effector': %s, 'axes': '%-s%-s', 'force': %g, 'off': %g",
                  i ? "," : "", m->fork->what->name, m->fork->what->effector[m->effector].name,
                  COMPONENT[m->axis[0]], COMPONENT[m->axis[1]], m->force, largest(m->off[0], n));
    if (m->off[1]) {
      lb_print_json(out, ", 'off_blended': %g", largest(m->off[1], n));
    }
    lb_out_text(out, "}");
  }
  lb_out_text(out, "]");
}

void lb_summarise_forks(lb_out* out, const lb_fork_result* t) {
  lb_print_json(out, ",\n  'forks': [");
  for (int i = 0; i < t->count; i++) {
    lb_out_text(out, i ? ",\n    " : "\n    ");
    summarise(out, t->fork[i]);
  }
  const lb_fork_motion* m = &t->motion;
  lb_print_json(out,
                "\n  ],\n  'motion': {'moved': %g, 'off': %g, 'steps': %ld, 'seconds': %g, "
                "'whole_seconds': %g, 'loads_left_out': %d, 'models_added': %d",
                m->moved, m->off, m->steps, m->seconds, m->whole, m->left_out, m->grown);
  if (!isnan(m->estimate)) {
    lb_print_json(out, ", 'estimate': %g", m->estimate);
  }
  lb_print_json(out, "}");
  summarise_maps(out, t);
}

// --- the world ---

void lb_write_gltf_forks(lb_out* out, const lb_recording* r, const lb_summary* s, int most) {
  static const char* const names[] = {"reduced", "whole"};
  const lb_layer layer[] = {{r, names[0], NULL}, {s->fork->whole, names[1], LB_GHOST_BEFORE}};
  lb_arena arena;
  lb_recording both;
  lb_arena_init(&arena, out->allocator);
  if (lb_overlay_make(&both, 2, layer, &arena)) {
    lb_write_gltf_groups(out, &both, most, 2, names);
  } else if (out->status == LB_OK) {
    out->status = LB_NO_MEMORY;
  }
  lb_arena_release(&arena);
}
