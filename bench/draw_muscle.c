// Figures 6.4, 6.6, 6.16 and 6.17 of [red] again, with Limber's curves: muscles with mass beside
// muscles whose mass is lumped onto bones. And calves after a landing, between elastic tendons and
// between stiff ones.
//
//   limber_muscle_figures SCENES > docs/muscle.svg
//   limber_muscle_figures SCENES tendons > docs/muscle-tendon.svg
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limber/limber.h"

enum { WIDTH = 420, HEIGHT = 260, LEFT = 52, RIGHT = 14, TOP = 30, BOTTOM = 40, MOST = 1200 };

// --- drawing ---

typedef struct panel {
  int column, row;
  const char *title, *x_label, *y_label;
  double x[2], y[2]; // ranges
} panel;

static double across(const panel* p, double x) {
  return p->column * WIDTH + LEFT + (WIDTH - LEFT - RIGHT) * (x - p->x[0]) / (p->x[1] - p->x[0]);
}

static double down(const panel* p, double y) {
  return (p->row + 1) * HEIGHT - BOTTOM -
         (HEIGHT - TOP - BOTTOM) * (y - p->y[0]) / (p->y[1] - p->y[0]);
}

static void draw_axes(const panel* p) {
  const double left = across(p, p->x[0]), low = down(p, p->y[0]), high = down(p, p->y[1]);
  const double right = across(p, p->x[1]);
  printf("<path fill=\"none\" stroke=\"#777\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", left, high, low,
         right);
  if (p->y[0] < 0 && p->y[1] > 0) {
    printf("<path stroke=\"#ccd3da\" d=\"M%.1f %.1fH%.1f\"/>\n", left, down(p, 0), right);
  }
  printf("<text x=\"%.0f\" y=\"%.0f\" font-weight=\"bold\">%s</text>\n", (left + right) / 2,
         high - 12, p->title);
  printf("<text x=\"%.0f\" y=\"%.0f\">%s</text>\n", (left + right) / 2, low + 32, p->x_label);
  printf("<text transform=\"translate(%.0f %.0f) rotate(-90)\">%s</text>\n", left - 38,
         (low + high) / 2, p->y_label);
  for (int i = 0; i <= 4; i++) {
    const double x = p->x[0] + (p->x[1] - p->x[0]) * i / 4,
                 y = p->y[0] + (p->y[1] - p->y[0]) * i / 4;
    printf("<text x=\"%.1f\" y=\"%.1f\">%.3g</text>", across(p, x), low + 16, x);
    printf("<text text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">%.3g</text>\n", left - 6,
           down(p, y) + 4, y);
  }
}

static void draw_curve(const panel* p, int n, const double* x, const double* y, const char* colour,
                       const char* more) {
  printf("<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" %s d=\"", colour, more);
  for (int i = 0; i < n; i++) {
    printf("%c%.1f %.1f", i ? 'L' : 'M', across(p, x[i]),
           down(p, fmax(p->y[0], fmin(p->y[1], y[i]))));
  }
  printf("\"/>\n");
}

// A key `right` of the axis, on a line below the panel's top.
static void draw_key_at(const panel* p, int right, int line, const char* colour, const char* more,
                        const char* text) {
  const double x = p->column * WIDTH + LEFT + right, y = p->row * HEIGHT + TOP + 12 + 15 * line;
  printf("<path stroke=\"%s\" stroke-width=\"1.8\" %s d=\"M%.0f %.0fh22\"/>", colour, more, x, y);
  printf("<text text-anchor=\"start\" x=\"%.0f\" y=\"%.0f\">%s</text>\n", x + 28, y + 4, text);
}

static void draw_key(const panel* p, int line, const char* colour, const char* more,
                     const char* text) {
  draw_key_at(p, 14, line, colour, more, text);
}

static const char* const PLAIN = "";
static const char* const DOTTED = "stroke-dasharray=\"2 3\"";

// --- runs ---

static void check(lb_status status, const lb_error* err) {
  if (status != LB_OK) {
    fprintf(stderr, "%s\n", err->count ? err->message[0].text : "failed");
    exit(1);
  }
}

static lb_scene open_scene(const char* folder, const char* name) {
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  char path[600];
  snprintf(path, sizeof path, "%s/%s.yaml", folder, name);
  check(lb_scene_read(path, NULL, &scene, &err), &err);
  return scene;
}

static lb_model* compile(const lb_scene* scene) {
  lb_error err = lb_error_make(NULL);
  lb_model* m = NULL;
  check(lb_model_create(scene, NULL, &m, &err), &err);
  return m;
}

static lb_recording* simulate(const lb_model* m, double duration) {
  lb_error err = lb_error_make(NULL);
  lb_recording* r = NULL;
  lb_summary summary;
  lb_simulate_options o = lb_simulate_default();
  o.duration = duration;
  check(lb_recording_create(m, 16, NULL, &r, &err), &err);
  check(lb_simulate(m, &o, r, &summary, &err), &err);
  return r;
}

// --- figure 6.4: angles of two bones with one muscle ---

// Bones at four moments: from the shoulder to the elbow and to the hand.
static void draw_bones(const lb_recording* r, double length) {
  const lb_model* m = r->model;
  const double scale = 190;
  for (int k = 0; k < 4; k++) {
    int f = 0;
    while (f + 1 < r->nframe && r->time[f] < 0.1 * k - 1e-9) {
      f++;
    }
    const double x0 = WIDTH + 60 + 95 * k, y0 = 70;
    for (int leg = 1; leg >= 0; leg--) {
      const lb_transform* pose = r->pose + f * m->nbody + 2 * leg;
      const lb_vec3 a = pose[0].p, b = pose[1].p;
      const lb_vec3 c = lb_transform_point(pose[1], lb_vec3_make(0, 0, -length));
      printf("<path fill=\"none\" stroke=\"%s\" stroke-width=\"%d\" stroke-linecap=\"round\" "
             "stroke-linejoin=\"round\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1f\"/>\n",
             leg ? "#cbb89d" : "#b3404a", leg ? 7 : 3, x0, y0, x0 + scale * (b.x - a.x),
             y0 - scale * (b.z - a.z), x0 + scale * (c.x - a.x), y0 - scale * (c.z - a.z));
    }
    printf("<text x=\"%.0f\" y=\"%d\">%.1f s</text>\n", x0 + 10, HEIGHT - 40, 0.1 * k);
  }
  printf("<text x=\"%.0f\" y=\"%d\">red: with the muscle; wide: its mass lumped</text>\n",
         1.5 * WIDTH, HEIGHT - 20);
}

static void draw_angles(const char* folder) {
  static const char* const colour[] = {"#1b6ec2", "#c2541b"};
  static const char* const name[] = {"shoulder", "elbow"};
  lb_scene scene = open_scene(folder, "muscle-two-bones");
  lb_model* m = compile(&scene);
  lb_recording* r = simulate(m, 0.45);
  const panel p = {
      0,        0,        "6.4: angles of two bones and one muscle", "time [s]", "angle [deg]",
      {0, 0.4}, {-40, 80}};
  draw_axes(&p);
  printf("<path stroke=\"#9aa5b1\" d=\"M%.1f %.1fV%.1f\"/>\n", across(&p, 0.3), down(&p, p.y[0]),
         down(&p, p.y[1]));
  double y[MOST];
  int n = 0;
  while (n < r->nframe && r->time[n] < 0.4 + 1e-9) {
    n++;
  }
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < n; i++) {
      y[i] = r->q[i * m->nq + k] * 180 / M_PI;
    }
    draw_curve(&p, n, r->time, y, colour[k % 2], k < 2 ? PLAIN : DOTTED);
    char text[100];
    snprintf(text, sizeof text, "%s%s", name[k % 2], k < 2 ? "" : ", mass lumped onto the bones");
    draw_key(&(panel){0, 0, "", "", "", {0, 1}, {0, 1}}, 8 + k, colour[k % 2],
             k < 2 ? PLAIN : DOTTED, text);
  }
  draw_bones(r, 0.22);
  lb_recording_release(r);
  lb_model_release(m);
  lb_scene_release(&scene);
}

// --- figure 6.6: energy with and without the velocity terms of the muscle ---

typedef struct pendulum {
  lb_model *heavy, *bare; // with the muscle's mass, and without it
  lb_data *d, *e;
  bool whole; // all velocity terms; else those of the bones alone
} pendulum;

// qdd = M^-1 (-c). Without the muscle's quadratic velocity vector: c(q, 0) of all, and what
// velocities add of the bones.
static void accelerate(pendulum* w, const double* q, const double* qd, double qdd[2]) {
  const double zero[2] = {0, 0};
  double M[4], c[2], still[2], moving[2];
  lb_crba(w->heavy, w->d, M, q);
  lb_rnea(w->heavy, w->d, c, q, w->whole ? qd : zero, zero);
  lb_rnea(w->bare, w->e, still, q, zero, zero);
  lb_rnea(w->bare, w->e, moving, q, qd, zero);
  for (int i = 0; i < 2 && !w->whole; i++) {
    c[i] += moving[i] - still[i];
  }
  const double det = M[0] * M[3] - M[1] * M[2];
  qdd[0] = -(M[3] * c[0] - M[1] * c[1]) / det;
  qdd[1] = -(M[0] * c[1] - M[2] * c[0]) / det;
}

// The classical Runge-Kutta method.
static void step(pendulum* w, double* q, double* qd, double h) {
  static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  double v[2] = {0}, a[2] = {0}, dq[2] = {0}, dv[2] = {0};
  for (int s = 0; s < 4; s++) {
    double x[2], y[2];
    for (int i = 0; i < 2; i++) {
      x[i] = q[i] + h * part[s] * v[i];
      y[i] = qd[i] + h * part[s] * a[i];
    }
    accelerate(w, x, y, a);
    memcpy(v, y, sizeof v);
    for (int i = 0; i < 2; i++) {
      dq[i] += weight[s] * v[i] / 6;
      dv[i] += weight[s] * a[i] / 6;
    }
  }
  for (int i = 0; i < 2; i++) {
    q[i] += h * dq[i];
    qd[i] += h * dv[i];
  }
}

// %s: what the path runs over between its ends.
#define PENDULUM                                                                                   \
  "bodies:\n"                                                                                      \
  "  upper: {mass: 1, center: [0, 0, -0.25], inertia: [0.020833, 0.020833, 1e-4]}\n"               \
  "  lower: {mass: 1, center: [0, 0, -0.25], inertia: [0.020833, 0.020833, 1e-4]}\n"               \
  "joints:\n"                                                                                      \
  "  shoulder: {type: revolute, child: upper, axis: -y}\n"                                         \
  "  elbow: {type: revolute, parent: upper, child: lower, at: [0, 0, -0.5], axis: -y}\n"           \
  "wraps:\n  condyle: {body: upper, position: [0, 0, -0.5], rotation: [90 deg, 0, 0], side: -x, "  \
  "cylinder: {radius: 5 cm}}\n"                                                                    \
  "muscles:\n  triceps:\n    through: [{body: upper, at: [-6 cm, 0, -12 cm]}, %s, {body: lower, "  \
  "at: [-5.5 cm, 0, -30 cm]}]\n    mass: {amount: %g}\n"

static pendulum make_pendulum(const char* path, bool whole) {
  pendulum w = {.whole = whole};
  for (int i = 0; i < 2; i++) {
    char text[2000];
    lb_scene scene;
    lb_error err = lb_error_make(NULL);
    snprintf(text, sizeof text, PENDULUM, path, i ? 0.0 : 1.0);
    check(lb_scene_parse(text, strlen(text), "pendulum", NULL, &scene, &err), &err);
    lb_model* m = compile(&scene);
    check(lb_data_create(m, NULL, i ? &w.e : &w.d, &err), &err);
    *(i ? &w.bare : &w.heavy) = m;
    lb_scene_release(&scene);
  }
  return w;
}

static void release_pendulum(pendulum* w) {
  lb_data_release(w->d);
  lb_data_release(w->e);
  lb_model_release(w->heavy);
  lb_model_release(w->bare);
}

static void draw_energy(const char* title, const char* path, double shoulder, bool whole,
                        int column, int row) {
  static const char* const colour[] = {"#1b6ec2", "#c0392b", "#d9a400"};
  static const char* const name[] = {"kinetic", "potential", "total"};
  const double h = 5e-4, height = shoulder > 1 ? 24 : 10; // of the axis, with room for keys
  pendulum w = make_pendulum(path, whole);
  const panel p = {column, row, title, "time [s]", "energy [J]", {0, 4}, {-height, height}};
  double x[MOST], y[3][MOST], q[2] = {shoulder, M_PI / 4}, qd[2] = {0, 0}, first = 0, off = 0;
  int n = 0;
  for (int i = 0; i <= (int)(p.x[1] / h + 0.5); i++) {
    memcpy(w.d->q, q, sizeof q);
    memcpy(w.d->qd, qd, sizeof qd);
    const double kinetic = lb_kinetic_energy(w.heavy, w.d),
                 potential = lb_potential_energy(w.heavy, w.d);
    first = i == 0 ? kinetic + potential : first;
    off = fmax(off, fabs(kinetic + potential - first));
    if (i % 10 == 0 && n < MOST) {
      x[n] = i * h;
      y[0][n] = kinetic;
      y[1][n] = potential - first;
      y[2][n++] = kinetic + potential - first;
    }
    step(&w, q, qd, h);
  }
  draw_axes(&p);
  for (int k = 0; k < 3; k++) {
    draw_curve(&p, n, x, y[k], colour[k], PLAIN);
    draw_key_at(&p, 14 + 110 * k, 0, colour[k], PLAIN, name[k]);
  }
  fprintf(stderr, "%s: energy off by up to %.3g J\n", title, off);
  release_pendulum(&w);
}

// --- figures 6.16 and 6.17: moment of an ankle ---

static int find_channel(const lb_recording* r, const char* name) {
  int found = -1;
  for (int i = 0; i < r->nchannel && found < 0; i++) {
    const bool torque = r->channel[i].kind == LB_CHANNEL_MOTOR_TORQUE;
    found = torque && strcmp(r->channel[i].name, name) == 0 ? i : -1;
  }
  return found;
}

// Moment of an ankle over the swing where muscles have this part of the shank's mass; returns the
// number of frames.
static int find_moment(const char* folder, const char* ankle, double share, double* x, double* y) {
  static const double OF_SCENE = 0.8;
  lb_scene scene = open_scene(folder, "muscle-swing");
  for (int i = 0; i < scene.nmuscle; i++) {
    scene.muscle[i].mass.amount *= share / OF_SCENE;
  }
  lb_model* m = compile(&scene);
  lb_recording* r = simulate(m, NAN);
  const int channel = find_channel(r, ankle), n = r->nframe < MOST ? r->nframe : MOST;
  for (int i = 0; i < n; i++) {
    x[i] = r->time[i];
    y[i] = r->force[i * r->nchannel + channel];
  }
  lb_recording_release(r);
  lb_model_release(m);
  lb_scene_release(&scene);
  return n;
}

static void draw_moments(const char* folder) {
  static double x[MOST], plain[MOST], none[MOST], most[MOST];
  const panel p = {
      0, 3, "6.16: moment of the ankle in a swing", "time [s]", "moment [N m]", {0, 0.4}, {-4, 4}};
  const int n = find_moment(folder, "ankle2", 0, x, plain);
  find_moment(folder, "ankle1", 0, x, none);
  find_moment(folder, "ankle1", 0.8, x, most);
  double off = 0, peak = 0, same = 0;
  for (int i = 0; i < n; i++) {
    off = fmax(off, fabs(most[i] - plain[i]));
    same = fmax(same, fabs(none[i] - plain[i]));
    peak = fmax(peak, fabs(plain[i]));
  }
  draw_axes(&p);
  draw_curve(&p, n, x, plain, "#1b6ec2", "stroke-opacity=\"0.4\" stroke-linecap=\"round\"");
  draw_curve(&p, n, x, none, "#c0392b", "stroke-dasharray=\"5 5\"");
  draw_curve(&p, n, x, most, "#d9a400", PLAIN);
  draw_key(&p, 9, "#1b6ec2", PLAIN, "a leg without muscles");
  draw_key(&p, 10, "#c0392b", "stroke-dasharray=\"5 5\"", "muscles with 0 % of the shank's mass");
  draw_key(&p, 11, "#d9a400", PLAIN, "with 80 %");
  fprintf(stderr, "6.16: off by up to %.3g N m of %.3g, and %.1g N m at 0 %%\n", off, peak, same);
}

static void draw_sweep(const char* folder) {
  static double x[MOST], y[MOST];
  const panel p = {
      1,        3,      "6.17: from 0 % to 80 % of the shank's mass", "time [s]", "moment [N m]",
      {0, 0.4}, {-4, 4}};
  draw_axes(&p);
  for (int k = 0; k <= 8; k++) {
    char colour[8];
    const int n = find_moment(folder, "ankle1", 0.1 * k, x, y);
    snprintf(colour, sizeof colour, "#%02x%02x%02x", 20 + 20 * k, 40 + 5 * k, 160 - 16 * k);
    draw_curve(&p, n, x, y, colour, PLAIN);
    if (k % 4 == 0) {
      char text[20];
      snprintf(text, sizeof text, "%d %%", 10 * k);
      draw_key(&p, 7 + k / 4, colour, PLAIN, text);
    }
  }
}

// --- calves after a landing ---

static void draw_landing(const char* folder) {
  static double x[MOST], slide[MOST], force[2][MOST], stretch[2][MOST], none[MOST];
  const lb_scene scene = open_scene(folder, "muscle-landing");
  lb_model* m = compile(&scene);
  lb_recording* r = simulate(m, scene.duration);
  const int at[2] = {m->joint.q[lb_model_joint(m, "calf.proximal")],
                     m->joint.q[lb_model_joint(m, "calf.distal")]};
  int pulls[2] = {-1, -1};
  for (int i = 0; i < r->nchannel; i++) {
    if (r->channel[i].kind == LB_CHANNEL_TENSION) {
      pulls[strcmp(r->channel[i].name, "stiff calf") == 0] = i;
    }
  }
  double most[2] = {0, 0};
  for (int i = 0; i < r->nframe; i++) {
    const double* q = r->q + (size_t)i * (size_t)m->nq;
    x[i] = r->time[i];
    for (int k = 0; k < 2; k++) {
      stretch[k][i] = 1000 * (q[at[k]] - r->q[at[k]]);
      force[k][i] = r->force[i * r->nchannel + pulls[k]];
    }
    slide[i] = (stretch[0][i] - stretch[1][i]) / 2; // of the belly's middle
    most[0] = fmax(most[0], slide[i]);
    most[1] = fmax(most[1], -slide[i]);
  }
  const panel place = {0,
                       0,
                       "how far the belly slides along the leg",
                       "time [s]",
                       "towards the foot [mm]",
                       {0, 0.5},
                       {-2, 2}};
  const panel pull = {1, 0, "force of the fibres", "time [s]", "force [N]", {0, 0.5}, {0, 80}};
  draw_axes(&place);
  draw_curve(&place, r->nframe, x, none, "#1b6ec2", DOTTED);
  draw_curve(&place, r->nframe, x, slide, "#b3404a", PLAIN);
  draw_key(&place, 0, "#b3404a", PLAIN, "between elastic tendons");
  draw_key(&place, 1, "#1b6ec2", DOTTED, "between stiff ones");
  draw_axes(&pull);
  draw_curve(&pull, r->nframe, x, force[1], "#1b6ec2", DOTTED);
  draw_curve(&pull, r->nframe, x, force[0], "#b3404a", PLAIN);
  fprintf(stderr, "landing: slides by %.3g mm down and %.3g mm up\n", most[0], most[1]);
  lb_recording_release(r);
  lb_model_release(m);
}

static void begin_drawing(int rows) {
  const int width = 2 * WIDTH, height = rows * HEIGHT;
  printf(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
      "font-family=\"sans-serif\" font-size=\"11\" text-anchor=\"middle\" fill=\"#333\">\n"
      "<rect width=\"%d\" height=\"%d\" fill=\"#f4f6f8\"/>\n",
      width, height, width, height, width, height);
}

int main(int argc, char** argv) {
  const char* folder = argc > 1 ? argv[1] : "scenes";
  if (argc > 2) {
    begin_drawing(1);
    draw_landing(folder);
    printf("</svg>\n");
    return 0;
  }
  const char* vias = "{body: upper, at: [-5 cm, 0, -45 cm]}, {body: lower, at: [-6 cm, 0, -5 cm]}";
  begin_drawing(4);
  draw_angles(folder);
  draw_energy("6.6 a: via points, without the muscle's QVV", vias, M_PI / 2, false, 0, 1);
  draw_energy("6.6 b: via points", vias, M_PI / 2, true, 1, 1);
  draw_energy("6.6 c: over a cylinder, without the muscle's QVV", "{wrap: condyle}", M_PI / 4,
              false, 0, 2);
  draw_energy("6.6 d: over a cylinder", "{wrap: condyle}", M_PI / 4, true, 1, 2);
  draw_moments(folder);
  draw_sweep(folder);
  printf("</svg>\n");
  return 0;
}
