// Figures 6.7 to 6.14 of [red] again, with Limber's networks in the authors' form beside the exact
// path, and with the scaled one that comes with Limber.
//
//   limber_network_figures FOLDER scenes/networks/cylinder.npz sizes > docs/network-sizes.svg
//   limber_network_figures FOLDER scenes/networks/cylinder.npz range > docs/network-range.svg
//
// FOLDER has what limber_train_networks wrote.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "networks.h"

enum { WIDTH = 340, HEIGHT = 262, LEFT = 46, RIGHT = 12, TOP = 30, LOW = 34, STEPS = 120 };

static const char* const EXACT = "#111";
static const char* const COLOUR[NETWORK_SIZES] = {"#9aa5b1", "#b0893f", "#1b6ec2", "#7a3fb0",
                                                  "#d9a400", "#2e8b57", "#12a5b8", "#c2541b"};

static lb_arena arena;
static lb_wrap_network net[NETWORK_CASES], scaled;

static void fail(const char* what, const char* of) {
  fprintf(stderr, "%s %s\n", what, of);
  exit(1);
}

static lb_wrap_network load(const char* path) {
  lb_wrap_network w;
  lb_error err = lb_error_make(NULL);
  if (lb_wrap_network_read(path, (lb_place){0}, &arena, &w, &err) != LB_OK) {
    fail("cannot read", path);
  }
  return w;
}

static const lb_wrap_network* find(int layers, int width, int percent) {
  for (int i = 0; i < NETWORK_CASES; i++) {
    const network_case c = network_case_of(i);
    if (c.layers == layers && c.width == width && c.percent == percent) {
      return &net[i];
    }
  }
  return NULL;
}

// --- points of paths ---

// Point at alpha and its derivative by the x of q, by a network, or over a wrap.
typedef struct sight {
  double r, band;
  lb_vec3 p, q;
} sight;

static lb_taylor3 look(const lb_wrap_network* w, const sight* s, double alpha) {
  const lb_taylor3 p = lb_taylor3_variable(LB_TAYLOR_P, s->p, (lb_vec3){0, 0, 0},
                                           (lb_vec3){0, 0, 0}),
                   q = lb_taylor3_variable(LB_TAYLOR_Q, s->q, (lb_vec3){0, 0, 0},
                                           (lb_vec3){0, 0, 0});
  if (w) {
    const lb_taylor part = lb_taylor_constant(alpha);
    return lb_wrap_network_point(0, w, s->r, 1, &p, &q, &part);
  }
  const lb_wrap wrap = {
      .kind = LB_WRAP_CYLINDER, .size = {s->r, 0, 0}, .band = s->band, .sense = 1};
  lb_wrap_path path;
  lb_wrap_type_cylinder.find(0, &wrap, &path, &p, &q);
  const lb_taylor sigma = lb_taylor_scale(0, alpha, *lb_wrap_length(&path));
  int i = 0;
  while (i + 1 < path.count && lb_taylor_value(&sigma) > lb_taylor_value(&path.piece[i].end)) {
    i++;
  }
  return lb_wrap_point(0, &path.piece[i], &sigma);
}

// Length of the line through many points.
static double length(const lb_wrap_network* w, const sight* s) {
  enum { LINES = 200 };
  double sum = 0;
  lb_vec3 last = {0};
  for (int i = 0; i <= LINES; i++) {
    const lb_taylor3 x = look(w, s, (double)i / LINES);
    const lb_vec3 at = lb_taylor3_lane(&x, 0, 0);
    sum += i ? lb_vec3_norm(lb_vec3_sub(at, last)) : 0;
    last = at;
  }
  return sum;
}

// --- panels ---

typedef struct panel {
  double x, y; // its corner [px]
  double low[2], high[2];
} panel;

static int npanel;

static panel open_panel(const char* title, const char* along, double x0, double x1, double y0,
                        double y1) {
  panel p = {.x = npanel % 3 * WIDTH, .y = npanel / 3 * HEIGHT, .low = {x0, y0}, .high = {x1, y1}};
  const int wide = WIDTH - LEFT - RIGHT, tall = HEIGHT - TOP - LOW;
  printf("<clipPath id=\"c%d\"><rect x=\"%g\" y=\"%g\" width=\"%d\" height=\"%d\"/></clipPath>\n",
         npanel++, p.x + LEFT, p.y + TOP, wide, tall);
  printf("<rect x=\"%g\" y=\"%g\" width=\"%d\" height=\"%d\" fill=\"#fff\" stroke=\"#ccd3da\"/>\n",
         p.x + LEFT, p.y + TOP, wide, tall);
  printf("<text x=\"%g\" y=\"%g\" font-weight=\"bold\">%s</text>\n", p.x + WIDTH / 2.0, p.y + 19,
         title);
  printf("<text x=\"%g\" y=\"%g\">%s</text>\n", p.x + LEFT + wide / 2.0, p.y + HEIGHT - 8, along);
  for (int k = 0; k < 3; k++) {
    printf("<text x=\"%g\" y=\"%g\" font-size=\"10\">%.4g</text>\n", p.x + LEFT + wide * k / 2.0,
           p.y + HEIGHT - LOW + 13, x0 + (x1 - x0) * k / 2);
    printf("<text x=\"%g\" y=\"%g\" font-size=\"10\" text-anchor=\"end\">%.4g</text>\n",
           p.x + LEFT - 4, p.y + HEIGHT - LOW + 3 - tall * k / 2.0, y0 + (y1 - y0) * k / 2);
  }
  return p;
}

static double px(const panel* p, double x) {
  return p->x + LEFT + (WIDTH - LEFT - RIGHT) * (x - p->low[0]) / (p->high[0] - p->low[0]);
}

static double py(const panel* p, double y) {
  return p->y + HEIGHT - LOW - (HEIGHT - TOP - LOW) * (y - p->low[1]) / (p->high[1] - p->low[1]);
}

static void draw_line(const panel* p, int n, const double* x, const double* y, const char* colour,
                      double width, bool dotted) {
  printf("<path clip-path=\"url(#c%d)\" fill=\"none\" stroke=\"%s\" stroke-width=\"%g\"%s d=\"",
         npanel - 1, colour, width, dotted ? " stroke-dasharray=\"3 3\"" : "");
  for (int i = 0; i < n; i++) {
    const double far = fmax(-4000, fmin(4000, py(p, y[i])));
    printf("%c%.1f %.1f", i ? 'L' : 'M', px(p, x[i]), far);
  }
  printf("\"/>\n");
}

static void draw_round(const panel* p, double r) {
  printf("<ellipse clip-path=\"url(#c%d)\" cx=\"%.1f\" cy=\"%.1f\" rx=\"%.1f\" ry=\"%.1f\" "
         "fill=\"#e8ecf0\" stroke=\"#9aa5b1\"/>\n",
         npanel - 1, px(p, 0), py(p, 0), px(p, r) - px(p, 0), py(p, 0) - py(p, r));
}

// Words in the corner of a panel, in the colours of lines.
static void draw_words(const panel* p, int row, const char* colour, const char* text) {
  printf("<text text-anchor=\"start\" font-size=\"10.5\" x=\"%g\" y=\"%g\" fill=\"%s\">%s</text>\n",
         p->x + LEFT + 7, p->y + TOP + 14 + 13 * row, colour, text);
}

// --- the sweep of figure 6.8 ---

static const lb_vec3 ORIGIN = {-0.3, 0.4, 0.1};
static const double RADIUS = 0.15, FROM = 0.4, TO = -0.3;

static sight sweep(double x, double band) {
  return (sight){RADIUS, band, ORIGIN, {x, -0.4, -0.1}};
}

// x of the middle point, or its derivative, over that of the insertion.
static void draw_sweep(const panel* p, const lb_wrap_network* w, double band, bool slope,
                       const char* colour, double width, bool dotted) {
  double x[STEPS + 1], y[STEPS + 1];
  for (int i = 0; i <= STEPS; i++) {
    x[i] = p->low[0] + (p->high[0] - p->low[0]) * i / STEPS;
    const sight s = sweep(x[i], band);
    const lb_taylor3 at = look(w, &s, 0.5);
    y[i] = lb_taylor_lane(&at.x, 0, slope ? LB_TAYLOR_Q : 0);
  }
  draw_line(p, STEPS + 1, x, y, colour, width, dotted);
}

static void draw_sizes(int percent, bool slope, const char* title) {
  const panel p = open_panel(title,
                             slope ? "x of the insertion; dx/dx of the middle point"
                                   : "x of the insertion; x of the middle point",
                             TO, FROM, slope ? 0 : -0.32, slope ? 0.6 : -0.04);
  draw_sweep(&p, NULL, 0, slope, EXACT, 3, false);
  for (int k = 0; k < 2 * NETWORK_SIZES; k++) {
    const int i = k / 2;
    const lb_wrap_network* w = find(NETWORK_LAYERS[i], k % 2 ? 256 : 128, percent);
    draw_sweep(&p, w, 0, slope, COLOUR[i], 1.2, k % 2 == 0);
  }
}

static void draw_thresholds(bool slope, const char* title) {
  static const int PERCENT[] = {20, 10, 5, 3, 1};
  const panel p = open_panel(title,
                             slope ? "x of the insertion; dx/dx of the middle point"
                                   : "x of the insertion; x of the middle point",
                             TO, FROM, slope ? 0 : -0.32, slope ? 0.6 : -0.04);
  draw_sweep(&p, NULL, 0, slope, EXACT, 3, false);
  for (int i = 0; i < 5; i++) {
    char text[32];
    snprintf(text, sizeof text, "%d %%", PERCENT[i]);
    draw_sweep(&p, find(6, 256, PERCENT[i]), 0, slope, COLOUR[i + 3], 1.4, false);
    draw_words(&p, i, COLOUR[i + 3], text);
  }
}

static void draw_path(const panel* p, const lb_wrap_network* w, const sight* s, const char* colour,
                      double width, bool dotted) {
  double x[STEPS + 1], y[STEPS + 1];
  for (int i = 0; i <= STEPS; i++) {
    const lb_taylor3 at = look(w, s, (double)i / STEPS);
    x[i] = lb_taylor_value(&at.x);
    y[i] = lb_taylor_value(&at.y);
  }
  draw_line(p, STEPS + 1, x, y, colour, width, dotted);
}

static void draw_scene(void) {
  static const double AT[] = {0.4, 0.02, -0.3};
  static const char* const colour[] = {"#2e8b57", "#c2541b", "#d9a400"};
  const panel p = open_panel("6.8 the scene", "x; y", -0.7, 0.724, -0.5, 0.5);
  draw_round(&p, RADIUS);
  for (int i = 0; i < 3; i++) {
    const sight s = sweep(AT[i], 0);
    const lb_taylor3 m = look(NULL, &s, 0.5);
    draw_path(&p, NULL, &s, colour[i], 1.6, true);
    printf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", px(&p, lb_taylor_value(&m.x)),
           py(&p, lb_taylor_value(&m.y)), colour[i]);
  }
  draw_line(&p, 2, (double[]){0.4, -0.3}, (double[]){-0.42, -0.42}, "#7a3fb0", 2.5, false);
}

static void draw_artefact(void) {
  const panel p = open_panel("6.7 a: just before lift-off", "x; y", -0.4, 0.17, -0.2, 0.2);
  const sight s = sweep(0.06, 0);
  draw_round(&p, RADIUS);
  draw_path(&p, NULL, &s, EXACT, 3, false);
  draw_path(&p, find(6, 256, 20), &s, COLOUR[3], 1.6, false);
  draw_path(&p, find(6, 256, 1), &s, COLOUR[7], 1.6, false);
  draw_words(&p, 0, EXACT, "exact");
  draw_words(&p, 1, COLOUR[3], "threshold 20 %");
  draw_words(&p, 2, COLOUR[7], "threshold 1 %");
}

// Losses of training over the epochs, on a logarithmic scale.
static void draw_convergence(const char* folder) {
  static const struct {
    const char *name, *colour;
  } line[] = {{"3x256-1,", "#1b6ec2"},
              {"6x256-1,", "#c2541b"},
              {"8x256-1,", "#d9a400"},
              {"12x256-1,", "#7a3fb0"}};
  static char text[20000];
  char path[400];
  snprintf(path, sizeof path, "%s/losses.csv", folder);
  FILE* f = fopen(path, "r");
  if (!f) {
    fail("cannot read", path);
  }
  const panel p = open_panel("6.7 b: loss, log10", "epochs", 0, 2174, -4, -1);
  while (fgets(text, sizeof text, f)) {
    for (int k = 0; k < 4; k++) {
      if (strncmp(text, line[k].name, strlen(line[k].name)) != 0) {
        continue;
      }
      double x[200], y[200];
      int n = 0;
      char* at = strchr(text, ',');
      const double epochs = strtod(at + 1, &at);
      strtod(at + 1, &at); // off by
      while (*at == ',' && n < 200) {
        y[n++] = log10(strtod(at + 1, &at));
      }
      for (int i = 0; i < n; i++) {
        x[i] = epochs * (i + 1) / n;
      }
      char words[32];
      snprintf(words, sizeof words, "%d layers", atoi(line[k].name));
      draw_line(&p, n, x, y, line[k].colour, 1.4, false);
      draw_words(&p, k, line[k].colour, words);
    }
  }
  fclose(f);
}

static void draw_legend(void) {
  const double x = npanel % 3 * WIDTH, y = npanel / 3 * HEIGHT;
  for (int i = 0; i <= NETWORK_SIZES + 1; i++) {
    const bool exact = i == NETWORK_SIZES, thin = i > NETWORK_SIZES;
    printf("<path stroke=\"%s\" stroke-width=\"%d\"%s d=\"M%g %gh30\"/>",
           i < NETWORK_SIZES ? COLOUR[i] : EXACT, exact ? 3 : 2,
           thin ? " stroke-dasharray=\"3 3\"" : "", x + 60, y + 40 + 20 * i);
    printf("<text text-anchor=\"start\" x=\"%g\" y=\"%g\">", x + 100, y + 44 + 20 * i);
    if (i < NETWORK_SIZES) {
      printf("%d layer%s of 256</text>\n", NETWORK_LAYERS[i], i ? "s" : "");
    } else {
      printf("%s</text>\n", exact ? "exact" : "dotted: of 128");
    }
  }
  npanel++;
}

// --- range ---

static void draw_failure(const char* title, sight s) {
  const panel p = open_panel(title, "x; y", -1.2, 1.2, -0.65, 1.25);
  draw_round(&p, s.r);
  const lb_wrap_network* by[] = {NULL, find(6, 256, 1), &scaled};
  static const char* const colour[] = {"#111", "#c2541b", "#1b6ec2"};
  static const char* const words[] = {"exact", "6 x 256, 1 %", "scaled"};
  for (int k = 0; k < 3; k++) {
    draw_path(&p, by[k], &s, colour[k], k ? 1.6 : 3, false);
    draw_words(&p, k, colour[k], words[k]);
  }
}

static void draw_lengths(const char* title, const char* along, bool radius, double from, double to,
                         double limit) {
  const panel p = open_panel(title, along, from, to, 0, 20);
  const lb_wrap_network* by[] = {find(6, 256, 1), find(12, 256, 1), &scaled};
  static const char* const colour[] = {"#c2541b", "#7a3fb0", "#1b6ec2"};
  static const char* const words[] = {"6 x 256, 1 %", "12 x 256, 1 %", "scaled"};
  draw_line(&p, 2, (double[]){limit, limit}, (double[]){0, 20}, "#d9a400", 1.5, true);
  for (int k = 0; k < 3; k++) {
    double x[41], y[41];
    for (int i = 0; i <= 40; i++) {
      x[i] = from + (to - from) * i / 40;
      const sight s = {radius ? x[i] : 0.15, 0, {radius ? 1 : x[i], 0, 0}, {-0.5, 0, 0}};
      const double exact = length(NULL, &s);
      y[i] = 100 * fabs(length(by[k], &s) - exact) / exact;
    }
    draw_line(&p, 41, x, y, colour[k], 1.8, false);
    draw_words(&p, k, colour[k], words[k]);
  }
}

static void draw_lift_off(void) {
  static const double BAND = 0.15; // as wraps have it by themselves
  const panel p =
      open_panel("lift-off: dx/dx of the middle point", "x of the insertion", -0.15, 0.15, 0, 0.7);
  draw_sweep(&p, NULL, 0, true, EXACT, 3, false);
  draw_sweep(&p, NULL, BAND, true, "#2e8b57", 2, false);
  draw_sweep(&p, &scaled, 0, true, "#1b6ec2", 1.6, false);
  draw_sweep(&p, find(6, 256, 1), 0, true, "#c2541b", 1.6, false);
  draw_words(&p, 0, EXACT, "exact, sharp");
  draw_words(&p, 1, "#2e8b57", "band, smooth: 0.15");
  draw_words(&p, 2, "#1b6ec2", "scaled network");
  draw_words(&p, 3, "#c2541b", "6 x 256, 1 %");
}

static void draw_all_sizes(const char* folder) {
  draw_artefact();
  draw_convergence(folder);
  draw_scene();
  draw_sizes(5, false, "6.9 a: threshold 5 %");
  draw_sizes(5, true, "6.9 b: threshold 5 %");
  draw_legend();
  draw_sizes(1, false, "6.10 a: threshold 1 %");
  draw_sizes(1, true, "6.10 b: threshold 1 %");
  draw_thresholds(false, "6.11 a: 6 layers of 256");
  draw_thresholds(true, "6.11 b: 6 layers of 256");
}

static void draw_all_range(void) {
  draw_failure("6.12 a: radius 0.25", (sight){0.25, 0, {0.7, 0.1, 0.2}, {-0.7, 0.05, -0.2}});
  draw_failure("6.12 b: origin out of range",
               (sight){0.15, 0, {-1.1, 1.1, 0.45}, {0.3, -0.6, -0.2}});
  draw_failure("6.12 c: insertion out of range",
               (sight){0.15, 0, {0.5, -0.5, 0.3}, {-0.22, 1.17, -1.1}});
  draw_lengths("6.13 length off, in %", "x of the origin", false, 1, 2, 1);
  draw_lengths("6.14 length off, in %", "radius", true, 0.2, 0.45, 0.2);
  draw_lift_off();
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fail("limber_network_figures", "FOLDER NETWORK sizes|range");
  }
  lb_arena_init(&arena, NULL);
  scaled = load(argv[2]);
  for (int i = 0; i < NETWORK_CASES; i++) {
    char path[400];
    const network_case c = network_case_of(i);
    snprintf(path, sizeof path, "%s/%s.npz", argv[1], network_name(&c).text);
    net[i] = load(path);
  }
  const bool sizes = strcmp(argv[3], "sizes") == 0;
  const int width = 3 * WIDTH, height = (sizes ? 4 : 2) * HEIGHT;
  printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
         "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\" "
         "fill=\"#333\">\n<rect width=\"%d\" height=\"%d\" fill=\"#f4f6f8\"/>\n",
         width, height, width, height, width, height);
  if (sizes) {
    draw_all_sizes(argv[1]);
  } else {
    draw_all_range();
  }
  printf("</svg>\n");
  lb_arena_release(&arena);
  return 0;
}
