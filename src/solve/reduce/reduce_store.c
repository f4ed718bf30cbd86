// From a basis to a reduced body that can be kept: integrals, cubature and range.
#include <math.h>
#include <string.h>

#include "elastic/reduced/projected_mass.h"
#include "scene/part/elastic_form.h"
#include "solve/reduce/reduction_run.h"

enum { TRAINING_POSES = 100, SLOPES = 8, MOST_POINTS = 600 };

// Forces of a body that bends far nearly cancel: what is left of them is what bends it, so they
// must be right to more digits than the motion. Measured on a rod that bends by a fifth of its
// length: 1e-3 moves its tip by 2 % of the amplitude, 1e-4 by 0.9 %, 1e-5 by 0.05 %, for half as
// many points again.
static const double TOLERANCE = 1e-5;

static const double STILL = 1e-3; // of the largest: a pose this small counts as undeformed

static double length(const double* x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * x[i];
  }
  return sqrt(sum);
}

// Equilibria, then some of the training's, spread evenly over those that are not small.
static lb_status choose_poses(const lb_reduce_input* in, const lb_reduced* b, lb_arena* arena,
                              double** poses, int* count) {
  const size_t r = (size_t)b->r;
  double* out = LB_TAKE(arena, double, (r + TRAINING_POSES) * r);
  int* moving = LB_TAKE(arena, int, in->count);
  if (!out || !moving) {
    return LB_NO_MEMORY;
  }
  double most = 0;
  for (int i = 0; i < in->count; i++) {
    most = fmax(most, length(in->eta + r * (size_t)i, b->r));
  }
  int n = 0;
  for (int i = 0; i < in->count; i++) {
    if (length(in->eta + r * (size_t)i, b->r) > STILL * most) {
      moving[n++] = i;
    }
  }
  lb_cubature_rest(b, in->open->fem->size, out);
  const int taken = n < TRAINING_POSES ? n : TRAINING_POSES;
  for (int i = 0; i < taken; i++) {
    const size_t from = (size_t)moving[(long)i * n / taken];
    memcpy(out + (r + (size_t)i) * r, in->eta + r * from, r * sizeof *out);
  }
  *poses = out;
  *count = b->r + taken;
  return LB_OK;
}

static lb_status choose_points(const lb_reduce_input* in, const lb_reduced* b, lb_arena* arena,
                               lb_points* points, lb_cubature_report* report) {
  lb_cubature_options options = lb_cubature_default();
  options.tolerance = TOLERANCE;
  options.most = MOST_POINTS;
  options.slopes = in->count ? SLOPES : 0;
  const int nregion = in->open->mesh.nregion;
  lb_points all;
  double* poses = NULL;
  int count = 0;
  lb_status status = lb_points_create(in->open->fem, in->basis, arena, &all);
  if (status == LB_OK && (in->count > 0 || b->nface > 0)) { // else all points stay
    status = in->count
                 ? choose_poses(in, b, arena, &poses, &count)
                 : lb_cubature_poses(&all, b, in->open->fem->size, &options, arena, &poses, &count);
  }
  return status == LB_OK ? lb_cubature_train(&all, nregion, in->basis->omega, poses, count,
                                             &options, arena, points, report)
                         : status;
}

static lb_status store(const lb_reduce_input* in, const lb_reduced* b, const lb_points* points,
                       lb_arena* arena, lb_stored* stored) {
  const lb_scene_elastic* from = in->scene->body[in->body[0]].elastic;
  const char** name = LB_TAKE(arena, const char*, in->nbody);
  if (!name) {
    return LB_NO_MEMORY;
  }
  for (int i = 0; i < in->nbody; i++) {
    name[i] = in->scene->body[in->body[i]].name;
  }
  lb_stored_input input = {.mesh = &in->open->mesh,
                           .material = in->open->material,
                           .basis = in->basis,
                           .reduced = b,
                           .points = points,
                           .nface = in->open->nface,
                           .face_name = in->open->name,
                           .face = in->open->face,
                           .nbody = in->nbody,
                           .body = name,
                           .form = lb_elastic_form_name(from->form),
                           .nuntil = from->until ? from->nregion - 1 : 0,
                           .until = from->until,
                           .nsample = in->count,
                           .eta = in->eta};
  lb_elastic_numbers(from, input.form_numbers);
  return lb_stored_make(&input, arena, stored);
}

lb_status lb_reduce_store(const lb_reduce_input* in, lb_arena* arena, lb_stored* stored,
                          lb_cubature_report* report) {
  const lb_projected whole = {in->open->fem, in->basis};
  lb_arena scratch;
  lb_arena_init(&scratch, arena->allocator);
  lb_reduced b;
  lb_points points;
  lb_status status =
      lb_projected_weigh(&whole, in->open->nface - 1, &in->open->face[1], &scratch, &b);
  if (status == LB_OK) {
    status = choose_points(in, &b, &scratch, &points, report);
  }
  if (status == LB_OK) {
    b.internal = lb_points_force(&points);
    report->points = 0;
    status = store(in, &b, &points, arena, stored);
    report->points = status == LB_OK ? stored->npoint : 0;
  }
  lb_arena_release(&scratch);
  return status;
}
