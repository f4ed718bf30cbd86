// Figures 5, 6 and 7 of [fork] again, with Limber's curves: shapes and errors of mechanisms reduced
// to an effector, beside those of the whole.
//
//   limber_fork_figures SCENES > docs/fork.svg
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limber/limber.h"

enum { WIDTH = 320, HEIGHT = 250, MARGIN = 34, COLUMNS = 3, MOST = 3, POINTS = 40 };

static const char* const WHOLE = "#9aa5b1";
static const char* const SINGLE = "#c2541b";
static const char* const BLEND = "#1b6ec2";

// A mechanism under a force on its first effector.
typedef struct job {
  const char *scene, *title;
  lb_vec3 force;       // of the picture
  lb_vec3 other[MOST]; // of models beside that at rest
  int nother;
  bool flat; // seen along z, else a little from above
} job;

typedef struct world {
  lb_scene scene;
  lb_model* m;
  lb_fork* rest;
  lb_fork* model[1 + MOST];
  int count;
  lb_data* d;
  lb_transform* pose; // [nbody]
} world;

static void check(lb_status status, const lb_error* err) {
  if (status != LB_OK) {
    fprintf(stderr, "%s\n", err->count ? err->message[0].text : "failed");
    exit(1);
  }
}

static lb_fork* reduce(const world* w, int number, lb_vec3 force) {
  lb_error err = lb_error_make(NULL);
  lb_fork* f = NULL;
  double* wrench = calloc(6 * (size_t)w->scene.fork[0].neffector, sizeof *wrench);
  wrench[3] = force.x;
  wrench[4] = force.y;
  wrench[5] = force.z;
  check(lb_fork_create_under(w->m, &w->scene.fork[0], number, wrench, NULL, &f, &err), &err);
  free(wrench);
  return f;
}

static world open_world(const char* folder, const job* j) {
  world w = {.count = 1 + j->nother};
  lb_error err = lb_error_make(NULL);
  char path[600];
  snprintf(path, sizeof path, "%s/%s.yaml", folder, j->scene);
  check(lb_scene_read(path, NULL, &w.scene, &err), &err);
  w.scene.gravity = (lb_vec3){0, 0, 0};
  check(lb_model_create(&w.scene, NULL, &w.m, &err), &err);
  check(lb_data_create(w.m, NULL, &w.d, &err), &err);
  w.pose = calloc((size_t)w.m->nbody, sizeof *w.pose);
  for (int i = 0; i < w.count; i++) {
    w.model[i] = reduce(&w, i, i ? j->other[i - 1] : (lb_vec3){0, 0, 0});
  }
  w.rest = w.model[0];
  return w;
}

static void close_world(world* w) {
  for (int i = 0; i < w->count; i++) {
    lb_fork_release(w->model[i]);
  }
  lb_data_release(w->d);
  lb_model_release(w->m);
  lb_scene_release(&w->scene);
  free(w->pose);
}

// --- poses of bodies ---

static void from_links(world* w, const lb_transform* link) {
  for (int i = 0; i < w->m->nbody; i++) {
    const int l = w->m->body.link[i];
    w->pose[i] = l < 0 ? w->m->body.in_link[i] : lb_transform_mul(link[l], w->m->body.in_link[i]);
  }
}

static void from_coordinates(world* w) {
  lb_poses(w->m, w->d);
  memcpy(w->pose, w->d->pose, (size_t)w->m->nbody * sizeof *w->pose);
}

// Twist of the first effector from rest: its length, with lengths in radii.
static double displacement(const world* w, lb_transform at) {
  lb_vec3 turn = lb_quat_log(lb_quat_mul(lb_quat_conjugate(w->rest->pose[0].q), at.q));
  const lb_vec3 way = lb_vec3_sub(at.p, w->rest->pose[0].p);
  const double r = w->rest->radius;
  return sqrt(lb_vec3_dot(turn, turn) + lb_vec3_dot(way, way) / (r * r));
}

// Gaps of all joints, trees and loops, added up, in radii.
static double gaps(const world* w) {
  double sum = 0;
  for (int i = 0; i < w->scene.njoint; i++) {
    const lb_scene_joint* j = &w->scene.joint[i];
    const lb_vec3 a = j->parent == LB_WORLD
                          ? j->in_parent.p
                          : lb_transform_point(w->pose[j->parent], j->in_parent.p);
    sum += lb_vec3_norm(lb_vec3_sub(a, lb_transform_point(w->pose[j->child], j->in_child.p)));
  }
  return sum / w->rest->radius;
}

typedef enum way { BY_EXPONENTIAL, BY_JOINTS, BY_BLEND } way;

// Settled under a force; bodies are in w->pose. Returns where the first effector is.
static lb_transform settle(world* w, way how, lb_vec3 force) {
  lb_error err = lb_error_make(NULL);
  double* wrench = calloc(6 * (size_t)w->rest->neffector, sizeof *wrench);
  lb_transform* link = calloc((size_t)w->m->nlink, sizeof *link);
  lb_transform at;
  wrench[3] = force.x;
  wrench[4] = force.y;
  wrench[5] = force.z;
  if (how == BY_BLEND) {
    lb_fork_blend* b = NULL;
    check(lb_fork_blend_create(w->model, w->count, 0.05, NULL, &b, &err), &err);
    for (int i = 0; i < 2000; i++) {
      lb_fork_blend_step(b, wrench);
    }
    lb_fork_blend_look(b);
    lb_fork_blend_coordinates(b, w->d->q);
    from_coordinates(w);
    at = b->pose[0];
    lb_fork_blend_release(b);
  } else {
    lb_fork_stepper* s = NULL;
    check(lb_fork_stepper_create(w->rest, 0.05, NULL, &s, &err), &err);
    for (int i = 0; i < 2000; i++) {
      lb_fork_step(s, wrench);
    }
    if (how == BY_EXPONENTIAL) {
      lb_fork_links(s, link);
    } else {
      lb_fork_links_by_joints(s, link);
    }
    from_links(w, link);
    at = s->pose[0];
    lb_fork_stepper_release(s);
  }
  free(wrench);
  free(link);
  return at;
}

// --- drawing ---

typedef struct view {
  double x, y, scale; // middle of the picture, pixels a metre
  double column, row; // of the panel [px]
  bool flat;
} view;

static void project(const view* v, lb_vec3 p, double out[2]) {
  const double x = v->flat ? p.x : p.x + 0.25 * p.y, y = v->flat ? p.y : p.z + 0.3 * p.y;
  out[0] = v->column + WIDTH / 2.0 + v->scale * (x - v->x);
  out[1] = v->row + HEIGHT / 2.0 - v->scale * (y - v->y);
}

// Each body from its joint through its centre to the other end.
static void draw_bodies(const world* w, const view* v, const char* colour, double width) {
  printf("<path fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" stroke-linecap=\"round\" d=\"",
         colour, width);
  for (int i = 0; i < w->m->nbody; i++) {
    double a[2], b[2];
    project(v, w->pose[i].p, a);
    project(v, lb_transform_point(w->pose[i], lb_vec3_scale(2, w->m->body.mass[i].com)), b);
    printf("M%.1f %.1fL%.1f %.1f", a[0], a[1], b[0], b[1]);
  }
  printf("\"/>\n");
}

static void draw_arrow(const view* v, lb_vec3 from, lb_vec3 force) {
  double a[2], b[2];
  project(v, from, a);
  project(v,
          lb_vec3_add(from, lb_vec3_scale(0.16 * HEIGHT / v->scale / lb_vec3_norm(force), force)),
          b);
  const double x = 0.2 * (b[0] - a[0]), y = 0.2 * (b[1] - a[1]);
  printf("<path fill=\"none\" stroke=\"#d9a400\" stroke-width=\"2.5\" d=\"M%.1f %.1fL%.1f %.1f"
         "M%.1f %.1fL%.1f %.1fL%.1f %.1f\"/>\n",
         a[0], a[1], b[0], b[1], b[0] - x + y, b[1] - y - x, b[0], b[1], b[0] - x - y,
         b[1] - y + x);
}

static void frame(const world* w, view* v, const lb_fork* whole) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  *v = (view){.column = v->column, .row = v->row, .flat = v->flat, .scale = 1};
  for (int i = 0; i < 2 * w->m->nlink; i++) {
    const lb_transform* X = i < w->m->nlink ? &w->rest->link[i] : &whole->link[i - w->m->nlink];
    double p[2];
    project(v, X->p, p);
    for (int k = 0; k < 2; k++) {
      low[k] = fmin(low[k], p[k]);
      high[k] = fmax(high[k], p[k]);
    }
  }
  const double x = 0.5 * (low[0] + high[0]) - v->column - WIDTH / 2.0;
  const double y = v->row + HEIGHT / 2.0 - 0.5 * (low[1] + high[1]);
  v->scale = 0.6 * fmin(WIDTH / (high[0] - low[0] + 1e-3), HEIGHT / (high[1] - low[1] + 1e-3));
  v->x = x;
  v->y = y;
}

static void caption(double column, double row, const char* text) {
  printf("<text x=\"%.0f\" y=\"%.0f\">%s</text>\n", column + WIDTH / 2.0, row + HEIGHT - 6, text);
}

// Figures 5 and 6: at rest, whole, one model, blended.
static void draw_shapes(const char* folder, const job* j, int column, int row) {
  world w = open_world(folder, j);
  lb_fork* whole = reduce(&w, 0, j->force);
  view v = {.column = column * WIDTH, .row = row * HEIGHT, .flat = j->flat};
  frame(&w, &v, whole);
  from_links(&w, w.rest->link);
  draw_bodies(&w, &v, "#dde3e9", 1.5);
  from_links(&w, whole->link);
  draw_bodies(&w, &v, WHOLE, 6);
  char text[200];
  const double moved = lb_vec3_norm(lb_vec3_sub(whole->pose[0].p, w.rest->pose[0].p));
  double off[2] = {0};
  const int kinds = j->nother ? 2 : 1;
  for (int k = 0; k < kinds; k++) {
    const lb_transform at = settle(&w, k ? BY_BLEND : BY_EXPONENTIAL, j->force);
    off[k] = lb_vec3_norm(lb_vec3_sub(at.p, whole->pose[0].p)) / moved;
    draw_bodies(&w, &v, k ? BLEND : SINGLE, 1.6);
  }
  draw_arrow(&v, whole->pose[0].p, j->force);
  snprintf(text, sizeof text,
           kinds == 1 ? "%s: off by %.1f %%" : "%s: off by %.1f %%, blended %.2f %%", j->title,
           100 * off[0], 100 * off[1]);
  caption(v.column, v.row, text);
  lb_fork_release(whole);
  close_world(&w);
}

// Figure 7: gaps over the effector's displacement.
static void draw_errors(const char* folder, const job* j, int column, int row) {
  static const char* const colour[] = {SINGLE, "#2e8b57", BLEND};
  world w = open_world(folder, j);
  const double left = column * WIDTH + MARGIN + 14, low = (row + 1) * HEIGHT - MARGIN - 8;
  const double wide = WIDTH - 2 * MARGIN - 6, high = HEIGHT - 2 * MARGIN - 10;
  double x[3][POINTS], y[3][POINTS], far = 0, top = 0;
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < POINTS; i++) {
      const lb_vec3 force = lb_vec3_scale((i + 0.0) / (POINTS - 1), j->force);
      x[k][i] = displacement(&w, settle(&w, k, force));
      y[k][i] = gaps(&w);
      far = fmax(far, x[k][i]);
      top = fmax(top, y[k][i]);
    }
  }
  printf("<path fill=\"none\" stroke=\"#333\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", left, low - high,
         low, left + wide);
  for (int k = 0; k < 3; k++) {
    printf("<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" d=\"", colour[k]);
    for (int i = 0; i < POINTS; i++) {
      printf("%c%.1f %.1f", i ? 'L' : 'M', left + wide * x[k][i] / far, low - high * y[k][i] / top);
    }
    printf("\"/>\n");
  }
  printf("<text x=\"%.0f\" y=\"%.0f\">%.2g</text><text x=\"%.0f\" y=\"%.0f\">%.2g</text>\n",
         left + wide, low + 13, far, left - 16, low - high + 4, top);
  printf("<text x=\"%.0f\" y=\"%.0f\">displacement</text>\n", left + wide / 2, low + 13);
  caption(column * WIDTH, row * HEIGHT, j->title);
  close_world(&w);
}

static void legend(int column, int row) {
  static const char* const line[][2] = {{"#9aa5b1", "the whole"},
                                        {"#c2541b", "one model, links as printed"},
                                        {"#2e8b57", "one model, links by joints"},
                                        {"#1b6ec2", "models blended, links by joints"},
                                        {"#d9a400", "force"}};
  for (int i = 0; i < 5; i++) {
    const int x = column * WIDTH + 40, y = row * HEIGHT + 60 + 24 * i;
    printf("<path stroke=\"%s\" stroke-width=\"%d\" d=\"M%d %dh26\"/>", line[i][0], i ? 2 : 6, x,
           y);
    printf("<text text-anchor=\"start\" x=\"%d\" y=\"%d\">%s</text>\n", x + 36, y + 4, line[i][1]);
  }
}

int main(int argc, char** argv) {
  static const job five[] = {{"helix-50", "helix, 100 N", {0, 0, 100}, {{0, 0, 0}}, 0, false},
                             {"ladder", "ladder, 100 N", {0, -100, 0}, {{0, 0, 0}}, 0, true},
                             {"wishbone", "Y, 100 N", {100, 0, 0}, {{0, 0, 0}}, 0, false}};
  static const job six[] = {{"helix-50", "helix, 150 N", {60, 0, 140}, {{80, 0, 190}}, 1, false},
                            {"ladder", "ladder, 1500 N", {0, -1500, 0}, {{0, -2000, 0}}, 1, true},
                            {"ring", "ring, 60 N", {45, 0, -40}, {{60, 0, -53}}, 1, false}};
  static const job seven[] = {
      {"wishbone", "Y: gaps of all joints", {120, 0, 0}, {{50, 0, 0}, {100, 0, 0}}, 2, false},
      {"ladder",
       "ladder: gaps of all joints",
       {0, -2000, 0},
       {{0, -1000, 0}, {0, -1800, 0}},
       2,
       true}};
  const char* folder = argc > 1 ? argv[1] : "scenes";
  const int width = COLUMNS * WIDTH, height = 3 * HEIGHT;
  printf(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
      "font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\" fill=\"#333\">\n"
      "<rect width=\"%d\" height=\"%d\" fill=\"#f4f6f8\"/>\n",
      width, height, width, height, width, height);
  for (int i = 0; i < 3; i++) {
    draw_shapes(folder, &five[i], i, 0);
    draw_shapes(folder, &six[i], i, 1);
  }
  for (int i = 0; i < 2; i++) {
    draw_errors(folder, &seven[i], i, 2);
  }
  legend(2, 2);
  printf("</svg>\n");
  return 0;
}
