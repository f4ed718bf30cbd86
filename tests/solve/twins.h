// A small world with all nodes, and the same in a basis that spans all there is.
#pragma once
#include "dynamics/joint/joint.h"
#include "elastic/full/full_body.h"
#include "limber/limber.h"
#include "projected.h"
#include "test.h"

// A soft bar on a hub, a flap on its end that a motor turns; %s is what carries the hub, and what
// else there is.
static const char SCENE[] =
    "materials:\n"
    "  rubber: {density: 1000, young: 2 MPa, poisson: 0.4, damping: "
    "{mass: 0.2, stiffness: 1e-4 s}}\n"
    "bodies:\n"
    "  hub: {shape: {box: [4 cm, 4 cm, 4 cm]}}\n"
    "  bar:\n"
    "    elastic:\n"
    "      box: {width: 1 cm, height: 1.5 cm, from: [0, 0, 0], to: [10 cm, 0, 0]}\n"
    "      material: rubber\n"
    "      elements: {along: 3, across: 1, around: 1}\n"
    "      order: 1\n"
    "      basis: {modes: 2, derivatives: 0}\n"
    "  flap: {shape: {box: [4 cm, 1 cm, 2 cm], position: [2 cm, 0, 1 cm]}}\n"
    "joints:\n"
    "  root: {child: hub, %s}\n"
    "  clamp: {type: fixed, parent: hub, child: bar, face: start, at: [2 cm, 0, 0]}\n"
    "  wrist: {type: revolute, parent: bar, face: end, child: flap, at: [10 cm, 0, 0], axis: z}\n"
    "%s"
    "motors:\n"
    "  turn: {joint: wrist, keys: [[0, 0], [0.1, 60 deg], [0.2, 0]]}\n"
    "solver: {integrator: bdf2, step: 2 ms}\n";

static lb_scene read_scene(const char* root, const char* more) {
  char text[4096];
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  snprintf(text, sizeof text, SCENE, root, more);
  if (lb_scene_parse(text, strlen(text), "bar.yaml", NULL, &scene, &err) != LB_OK) {
    print_error("%s\n", err.message[0].text);
    fail();
  }
  lb_error_clear(&err);
  return scene;
}

// A basis of all displacements that keep the held face's conditions: unit vectors, made orthogonal
// to the conditions and to each other.
static lb_basis complete_basis(const lb_full* b, lb_arena* arena) {
  const int n = b->fem->ndof;
  double* Q = LB_TAKE(arena, double, (size_t)(n + 6) * (size_t)n);
  lb_v4 centre = lb_v4_zero();
  double total = 0;
  for (int i = 0; i < b->held.count; i++) {
    total += b->held.weight[i];
    centre += lb_v4_from(b->fem->node[b->held.node[i]]) * b->held.weight[i];
  }
  centre /= total;
  int count = 0;
  for (int k = 0; k < n + 6; k++) {
    double* x = Q + (size_t)count * (size_t)n;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int i = 0; i < b->held.count && k < 6; i++) {
      const lb_v4 D = lb_v4_from(b->fem->node[b->held.node[i]]) - centre;
      lb_v4 e = lb_v4_zero();
      e[k % 3] = b->held.weight[i] / total;
      lb_v4_store(x + 3 * b->held.node[i], k < 3 ? e : lb_v4_cross(e, D) * 100);
    }
    if (k >= 6) {
      x[k - 6] = 1;
    }
    double before = 0, after = 0;
    for (int i = 0; i < n; i++) {
      before += x[i] * x[i];
    }
    for (int j = 0; j < 2 * count; j++) { // twice, against rounding
      const double* y = Q + (size_t)(j % count) * (size_t)n;
      double s = 0;
      for (int i = 0; i < n; i++) {
        s += x[i] * y[i];
      }
      for (int i = 0; i < n; i++) {
        x[i] -= s * y[i];
      }
    }
    for (int i = 0; i < n; i++) {
      after += x[i] * x[i];
    }
    for (int i = 0; i < n; i++) {
      x[i] /= sqrt(after);
    }
    count += after > 1e-12 * before ? 1 : 0;
  }
  assert_int_equal(count, n);
  return (lb_basis){.r = n - 6, .Phi = Q + 6 * (size_t)n, .omega = NULL};
}

typedef struct twins {
  lb_scene scene;
  lb_arena arena;
  lb_basis basis;
  lb_projected whole;
  lb_reduced all;
  lb_model *shown, *reduced; // shown->full is the one with all nodes
} twins;

static void make_twins(twins* t, const char* root, const char* more) {
  lb_scene* scene = &t->scene;
  *scene = read_scene(root, more);
  scene->solver.elastic = LB_SPACE_FULL;
  assert_int_equal(lb_model_create(scene, NULL, &t->shown, NULL), LB_OK);
  const lb_model* full = lb_model_simulated(t->shown);
  const lb_full* body = NULL;
  for (int i = 0; i < full->nlink; i++) {
    body = full->link.kind[i] == LB_LINK_FULL ? full->link.packed[i].reduced->full : body;
  }
  lb_arena_init(&t->arena, NULL);
  t->basis = complete_basis(body, &t->arena);
  t->whole = (lb_projected){body->fem, &t->basis};
  const lb_basis_face face = {body->face[0].count, body->face[0].node, body->face[0].weight,
                              body->face[0].rigid};
  assert_int_equal(lb_projected_reduce(&t->whole, 1, &face, &t->arena, &t->all), LB_OK);
  t->all.alpha = body->alpha;
  t->all.beta = body->beta;
  for (int i = 0; i < scene->nbody; i++) {
    if (scene->body[i].elastic) {
      scene->body[i].elastic = NULL;
      scene->body[i].reduced = &t->all;
    }
  }
  for (int j = 0; j < scene->njoint; j++) {
    scene->joint[j].hold.face[0] = scene->joint[j].parent == 1 ? 0 : -1;
    scene->joint[j].hold.face[1] = -1;
  }
  scene->solver.elastic = LB_SPACE_REDUCED;
  assert_int_equal(lb_model_create(scene, NULL, &t->reduced, NULL), LB_OK);
}

static void drop_twins(twins* t) {
  lb_model_release(t->reduced);
  lb_model_release(t->shown);
  lb_arena_release(&t->arena);
  lb_scene_release(&t->scene);
}
