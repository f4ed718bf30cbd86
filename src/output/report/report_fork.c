// Reduced mechanisms in the report: how effectors give way, as ellipses with axes and numbers; how
// far the reduced mechanism is off the whole, as maps over forces; both motions, for the script.
#include "output/report/report_fork.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "limber/fork.h"
#include "output/report/report_text.h"

static const char* const AXIS[] = {"x", "y", "z"};

// --- units ---

typedef struct unit {
  const char* name;
  double times; // of one in SI units
} unit;

static unit unit_of_length(double size) {
  return size >= 1e-3 ? (unit){"mm", 1e3} : size >= 1e-6 ? (unit){"µm", 1e6} : (unit){"nm", 1e9};
}

static unit unit_of_turn(double size) {
  return size >= 1e-3 ? (unit){"°", 180 / M_PI} : (unit){"mrad", 1e3};
}

// Three digits, and no powers of ten where a page can do without.
typedef struct word {
  char text[LB_REPORT_WORD];
} word;

static word digits(double x) {
  word w;
  const double size = fabs(x);
  const int places = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  if (size > 0 && (size < 1e-3 || size >= 1e5)) {
    snprintf(w.text, sizeof w.text, "%.2g", x);
    return w;
  }
  snprintf(w.text, sizeof w.text, "%.*f", places, x);
  if (strchr(w.text, '.')) { // 1.50 is 1.5, and 2.00 is 2
    size_t n = strlen(w.text);
    while (w.text[n - 1] == '0') {
      n--;
    }
    w.text[w.text[n - 1] == '.' ? n - 1 : n] = 0;
  }
  return w;
}

// 1, 2 or 5 times a power of ten, at most x.
static double round_down(double x) {
  const double power = pow(10, floor(log10(x)));
  return power * (x / power >= 5 ? 5 : x / power >= 2 ? 2 : 1);
}

// --- how effectors give way ---

enum { PANE = 230, MIDDLE = PANE / 2, REACH = 78, POINTS = 96, MOST_DRAWN = 4, MOST_EFFECTORS = 8 };
static const char* const COLOR[MOST_DRAWN] = {"var(--after)", "var(--before)", "var(--target)",
                                              "var(--accent)"};
static const int VIEW[3][2] = {{0, 2}, {1, 2}, {0, 1}};
static const char* const FROM[] = {"from the front", "from the side", "from above"};

// Outline of all motions C f of unit forces f in a plane: of the block S of C C', S^(1/2) e.
typedef struct ellipse {
  double a, b, c; // S^(1/2) = [a b; b c]
} ellipse;

static ellipse outline(const lb_fork* f, int effector, bool turns, const int plane[2]) {
  double C[36], S[3] = {0};
  const int at = turns ? 0 : 3;
  lb_fork_compliance(f, effector, effector, C);
  for (int k = 0; k < 3; k++) {
    const double p = C[6 * (at + plane[0]) + at + k], q = C[6 * (at + plane[1]) + at + k];
    S[0] += p * p;
    S[1] += p * q;
    S[2] += q * q;
  }
  const double det = sqrt(fmax(0, S[0] * S[2] - S[1] * S[1])), t = sqrt(S[0] + S[2] + 2 * det);
  return t > 0 ? (ellipse){(S[0] + det) / t, S[1] / t, (S[2] + det) / t} : (ellipse){0, 0, 0};
}

static void draw_axes(lb_out* out, double left, const int plane[2], double tick, double scale,
                      unit u) {
  const double x = left + MIDDLE, at = tick * scale;
  lb_print(out,
           "<path class=\"axis\" d=\"M%.1f %d H%.1f M%.1f %d V%d\"/><path class=\"tick\" d=\"M%.1f "
           "%d v8 M%.1f %d v8 M%.1f %.1f h8 M%.1f %.1f h8\"/>\n",
           left + 12, MIDDLE, left + PANE - 12, x, 12, PANE - 12, x + at, MIDDLE - 4, x - at,
           MIDDLE - 4, x - 4, MIDDLE - at, x - 4, MIDDLE + at);
  lb_print(out,
           "<text x=\"%.1f\" y=\"%d\">%s</text><text x=\"%.1f\" y=\"20\">%s</text><text "
           "class=\"number\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s %s</text>\n",
           left + PANE - 12, MIDDLE - 6, AXIS[plane[0]], x + 6, AXIS[plane[1]], x + at, MIDDLE + 20,
           digits(tick * u.times).text, u.name);
}

static void draw_ellipse(lb_out* out, double left, const ellipse* e, double scale,
                         const char* color) {
  if (scale * (fabs(e->a) + fabs(e->c)) < 1) { // it does not go along this plane
    lb_print(out, "<circle class=\"ellipse\" style=\"--of:%s\" cx=\"%.1f\" cy=\"%d\" r=\"2\"/>\n",
             color, left + MIDDLE, MIDDLE);
    return;
  }
  lb_print(out, "<polygon class=\"ellipse\" style=\"--of:%s\" points=\"", color);
  for (int i = 0; i < POINTS; i++) {
    const double angle = 2 * M_PI * i / POINTS, c = cos(angle), s = sin(angle);
    lb_print(out, "%.1f,%.1f ", left + MIDDLE + scale * (e->a * c + e->b * s),
             MIDDLE - scale * (e->b * c + e->c * s));
  }
  lb_out_text(out, "\"/>\n");
}

// Models of the same mechanism from the first one on, as many as are drawn.
static int models_from(const lb_fork_result* t, int first) {
  int count = 1;
  while (first + count < t->count && t->fork[first + count]->what == t->fork[first]->what) {
    count++;
  }
  return count;
}

static void ellipses(lb_out* out, lb_fork* const* fork, int count, int effector, bool turns) {
  double most = 0;
  for (int i = 0; i < count; i++) {
    most = fmax(most, lb_fork_principal(fork[i], effector, turns).compliance[0]);
  }
  if (!(most > 0)) {
    return;
  }
  const unit u = turns ? unit_of_turn(most) : unit_of_length(most);
  const double tick = round_down(most * u.times) / u.times, scale = REACH / most;
  lb_print_html(out,
                "<figure class=\"compliance\"><figcaption>%-s <b>%s</b> %-s under 1 %-s, in "
                "each direction</figcaption><svg viewBox=\"0 0 %d %d\" role=\"img\">\n",
                "How far", fork[0]->what->effector[effector].name, turns ? "turns" : "goes",
                turns ? "N m" : "N", 3 * PANE, PANE + 16);
  for (int v = 0; v < 3; v++) {
    const double left = v * PANE;
    draw_axes(out, left, VIEW[v], tick, scale, u);
    for (int i = count - 1; i >= 0; i--) {
      const ellipse e = outline(fork[i], effector, turns, VIEW[v]);
      draw_ellipse(out, left, &e, scale, COLOR[i]);
    }
    lb_print(out, "<text class=\"number\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
             left + MIDDLE, PANE + 8, FROM[v]);
  }
  lb_out_text(out, "</svg></figure>\n");
}

static void keys(lb_out* out, lb_fork* const* fork, int count) {
  for (int i = 0; i < count && count > 1; i++) {
    lb_print_html(out, "<span class=\"of-model\" style=\"--of:%-s\">model %d</span> ", COLOR[i],
                  fork[i]->number + 1);
  }
}

static void axes_cells(lb_out* out, const lb_fork_axes* a) {
  for (int i = 0; i < 3; i++) {
    if (a->compliance[i] > 0) {
      lb_print(out, "<td>%s along (%.2f, %.2f, %.2f)</td>", digits(1 / a->compliance[i]).text,
               a->axis[i].x, a->axis[i].y, a->axis[i].z);
    } else {
      lb_out_text(out, "<td>rigid</td>");
    }
  }
}

static void effector_rows(lb_out* out, const lb_fork* f) {
  for (int e = 0; e < f->neffector; e++) {
    for (int turns = 0; turns < 2; turns++) {
      const lb_fork_axes axes = lb_fork_principal(f, e, turns);
      lb_print_html(out, "<tr><th scope=\"row\">%s, model %d: %s, %s</th>", f->what->name,
                    f->number + 1, f->what->effector[e].name,
                    turns ? "against turning [N m/rad]" : "against forces [N/m]");
      axes_cells(out, &axes);
      lb_out_text(out, "</tr>\n");
    }
  }
}

static void stiffness(lb_out* out, const lb_fork_result* t) {
  lb_out_text(out, "<h2>Stiffness of the effectors</h2>\n");
  for (int i = 0, n; i < t->count; i += n) {
    lb_fork* const* fork = t->fork + i;
    n = models_from(t, i);
    const int drawn = n < MOST_DRAWN ? n : MOST_DRAWN;
    lb_print_html(out, "<section class=\"card wide\"><h3>%s ", fork[0]->what->name);
    keys(out, fork, drawn);
    lb_out_text(out, "</h3>\n<div class=\"compliances\">\n");
    for (int e = 0; e < fork[0]->neffector && e < MOST_EFFECTORS; e++) {
      ellipses(out, fork, drawn, e, false);
      ellipses(out, fork, drawn, e, true);
    }
    lb_out_text(out, "</div></section>\n");
  }
  lb_out_text(out, "<section class=\"card wide\">\n<table class=\"found\">\n<tr><th></th>"
                   "<th>softest</th><th></th><th>stiffest</th></tr>\n");
  for (int i = 0; i < t->count; i++) {
    effector_rows(out, t->fork[i]);
  }
  lb_out_text(out, "</table>\n</section>\n<p class=\"note\">Axes of the stiffness ellipsoid, along "
                   "the world's axes: the effector gives way to a force or moment along one of "
                   "them in that direction. Rigid: joints let it go no way there. The buttons "
                   "<b>gives way</b> and <b>turns</b> of the view above show the same ellipsoids "
                   "where the effectors are.</p>\n");
}

// --- maps ---

enum { MAP = 250, FINE = 30, EDGE = 46, STEPS = 5, WIDE = MAP + 2 * EDGE, HIGH = MAP + 62 };

// White over yellow to brown.
static void color_of(double part, char text[8]) {
  static const int STOP[STEPS][3] = {
      {255, 255, 229}, {254, 227, 145}, {254, 153, 41}, {204, 76, 2}, {102, 37, 6}};
  static const char HEX[] = "0123456789abcdef";
  const double x = fmin(fmax(part, 0), 1) * (STEPS - 1);
  const int i = x >= STEPS - 1 ? STEPS - 2 : (int)x;
  text[0] = '#';
  for (int c = 0; c < 3; c++) {
    const int level = (int)lround(STOP[i][c] + (x - i) * (STOP[i + 1][c] - STOP[i][c]));
    text[1 + 2 * c] = HEX[level / 16];
    text[2 + 2 * c] = HEX[level % 16];
  }
  text[7] = 0;
}

// Between the four values around it; NAN where one of them is not known.
static double between(const double* x, int side, double row, double column) {
  const int i = (int)fmin(row, side - 2), k = (int)fmin(column, side - 2);
  const double u = row - i, v = column - k;
  const double* at = x + i * side + k;
  return (1 - u) * ((1 - v) * at[0] + v * at[1]) + u * ((1 - v) * at[side] + v * at[side + 1]);
}

static double largest(const double* x, int n, int* where) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    if (x[i] > most) {
      most = x[i];
      *where = i;
    }
  }
  return most;
}

// The value that one in ten of all are above: a few that are far off would make all others pale.
static double usual(const lb_fork_map* m) {
  const int n = m->side * m->side;
  double most = 0;
  for (int k = 0; k < 2 && m->off[k]; k++) {
    for (int i = 0; i < n; i++) {
      int above = 0, known = 0;
      for (int j = 0; j < 2 * n; j++) {
        const double x = j < n || m->off[1] ? m->off[j / n][j % n] : NAN;
        above += x > m->off[k][i];
        known += isfinite(x);
      }
      most = 10 * above >= known && m->off[k][i] > most ? m->off[k][i] : most;
    }
  }
  return most;
}

static void draw_cells(lb_out* out, const lb_fork_map* m, const double* off, double most) {
  const double size = (double)MAP / FINE;
  for (int i = 0; i < FINE * FINE; i++) {
    const double row = (i / FINE + 0.5) / FINE * (m->side - 1),
                 column = (i % FINE + 0.5) / FINE * (m->side - 1);
    const double x = between(off, m->side, row, column);
    char color[8] = "#9994";
    if (isfinite(x)) {
      color_of(most > 0 ? x / most : 0, color);
    }
    lb_print(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>",
             EDGE + size * (i % FINE), 30 + MAP - size * (i / FINE + 1), size + 0.3, size + 0.3,
             color);
  }
  lb_out_text(out, "\n");
}

// Place of a model's load in a map.
static void place_of(const lb_fork_map* m, const lb_fork* f, double at[2]) {
  const lb_vec3 load = lb_fork_load(f, m->effector);
  const double force[3] = {load.x, load.y, load.z};
  at[0] = EDGE + MAP * (0.5 + 0.5 * force[m->axis[0]] / m->force);
  at[1] = 30 + MAP * (0.5 - 0.5 * force[m->axis[1]] / m->force);
}

// Values at the corners and edges, but not over the cross of a model.
static void draw_values(lb_out* out, const lb_fork_map* m, const double* off, double most, unit u,
                        lb_fork* const* fork, int count) {
  for (int i = 0; i < 9; i++) {
    const int row = i / 3 * (m->side - 1) / 2, column = i % 3 * (m->side - 1) / 2;
    const double x = off[row * m->side + column];
    const double left = EDGE + MAP * (0.03 + 0.47 * (i % 3)),
                 down = 30 + MAP * (0.96 - 0.455 * (i / 3));
    bool clear = true;
    for (int k = 0; k < count; k++) {
      double at[2];
      place_of(m, fork[k], at);
      clear &= fabs(at[0] - left) > 40 || fabs(at[1] - down) > 16;
    }
    if (isfinite(x) && clear) {
      lb_print(out, "<text class=\"value%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
               x > 0.6 * most ? " pale" : "", left, down,
               i % 3 == 0   ? "start"
               : i % 3 == 1 ? "middle"
                            : "end",
               digits(x * u.times).text);
    }
  }
}

static void draw_frame(lb_out* out, const lb_fork_map* m) {
  lb_print(out,
           "<rect class=\"frame\" x=\"%d\" y=\"30\" width=\"%d\" height=\"%d\"/><path "
           "class=\"axis\" d=\"M%.1f 30 v%d M%d %.1f h%d\"/>\n",
           EDGE, MAP, MAP, EDGE + MAP / 2., MAP, EDGE, 30 + MAP / 2., MAP);
  for (int i = -1; i <= 1; i++) {
    lb_print(out,
             "<text class=\"number\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text><text "
             "class=\"number\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
             EDGE + MAP * (0.5 + 0.5 * i), 30 + MAP + 14, digits(i * m->force).text, EDGE - 5,
             34 + MAP * (0.5 - 0.5 * i), digits(i * m->force).text);
  }
  lb_print(out,
           "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">force along %s [N]</text><text "
           "transform=\"translate(12 %.1f) rotate(-90)\" text-anchor=\"middle\">force along %s "
           "[N]</text>\n",
           EDGE + MAP / 2., 30 + MAP + 29, AXIS[m->axis[0]], 30 + MAP / 2., AXIS[m->axis[1]]);
}

// Crosses where models are.
static void draw_models(lb_out* out, const lb_fork_map* m, lb_fork* const* fork, int count) {
  for (int i = 0; i < count; i++) {
    double at[2];
    place_of(m, fork[i], at);
    lb_print(out,
             "<path class=\"model\" d=\"M%.1f %.1f l8 8 m0 -8 l-8 8\"/><text class=\"value\" "
             "x=\"%.1f\" y=\"%.1f\">%d</text>\n",
             at[0] - 4, at[1] - 4, at[0] + 7, at[1] - 5, fork[i]->number + 1);
  }
}

static void draw_scale(lb_out* out, double most, bool more, unit u) {
  lb_print(out, "<svg viewBox=\"0 0 110 %d\" class=\"scale\">", HIGH);
  for (int i = 0; i < 50; i++) {
    char color[8];
    color_of((i + 0.5) / 50, color);
    lb_print(out, "<rect x=\"4\" y=\"%.1f\" width=\"16\" height=\"%.1f\" fill=\"%s\"/>",
             30 + MAP * (1 - (i + 1) / 50.), MAP / 50. + 0.4, color);
  }
  for (int i = 0; i <= 4; i++) {
    lb_print(out, "<text class=\"number\" x=\"26\" y=\"%.1f\">%s%s %s</text>",
             34 + MAP * (1 - i / 4.), more && i == 4 ? "≥ " : "",
             digits(most * i / 4 * u.times).text, u.name);
  }
  lb_out_text(out, "</svg>\n");
}

static void draw_map(lb_out* out, const lb_fork_map* m, const double* off, double most, unit u,
                     lb_fork* const* fork, int count, const char* title) {
  lb_print(out,
           "<svg viewBox=\"0 0 %d %d\" role=\"img\"><text class=\"title\" x=\"%d\" y=\"18\">%s"
           "</text>\n",
           WIDE, HIGH, EDGE, title);
  draw_cells(out, m, off, most);
  draw_frame(out, m);
  draw_values(out, m, off, most, u, fork, count);
  draw_models(out, m, fork, count);
  lb_out_text(out, "</svg>\n");
}

static void map_words(lb_out* out, const lb_fork_map* m, unit u) {
  const char* const which[] = {"One model alone", "Blended"};
  lb_out_text(out, "<p class=\"note\">");
  for (int i = 0; i < 2 && m->off[i]; i++) {
    int at = 0;
    const double most = largest(m->off[i], m->side * m->side, &at);
    lb_print(out, "%s is off by up to %s %s, where the whole goes %s mm (%s %%). ", which[i],
             digits(most * u.times).text, u.name, digits(1e3 * m->moved[at]).text,
             digits(m->moved[at] > 0 ? 100 * most / m->moved[at] : 0).text);
  }
  lb_out_text(out, "Crosses are the forces about which the models were made. Grey: there is no "
                   "equilibrium.</p>\n");
}

static void map(lb_out* out, const lb_fork_result* t, const lb_fork_map* m) {
  int first = 0, at = 0;
  while (t->fork[first]->what != m->fork->what) {
    first++;
  }
  lb_fork* const* fork = t->fork + first;
  const int count = models_from(t, first), cells = m->side * m->side;
  const double most = usual(m), farthest = fmax(largest(m->off[0], cells, &at),
                                                m->off[1] ? largest(m->off[1], cells, &at) : 0);
  const unit u = unit_of_length(most);
  lb_print_html(out,
                "<section class=\"card wide\"><h3>%s: how far %s is from its place in the "
                "whole</h3>\n<div class=\"maps\">\n",
                m->fork->what->name, m->fork->what->effector[m->effector].name);
  draw_map(out, m, m->off[0], most, u, fork, 1, count > 1 ? "One model alone" : "");
  if (m->off[1]) {
    draw_map(out, m, m->off[1], most, u, fork, count, "All models blended");
  }
  draw_scale(out, most, farthest > most, u);
  lb_out_text(out, "</div>\n");
  map_words(out, m, u);
  lb_out_text(out, "</section>\n");
}

static void maps(lb_out* out, const lb_fork_result* t) {
  if (t->nmap == 0) {
    return;
  }
  lb_out_text(out, "<h2>How far it is off, at rest under a force</h2>\n");
  for (int i = 0; i < t->nmap; i++) {
    map(out, t, t->map[i]);
  }
}

void lb_report_forks(lb_out* out, const lb_fork_result* t) {
  if (t->whole) {
    lb_out_text(out, "<p class=\"note\">Both motions of the view above are of the same loads: "
                     "<b>reduced</b>, in its own colours, and <b>whole</b>, in red. Where one is "
                     "seen they agree.</p>\n");
  }
  stiffness(out, t);
  maps(out, t);
}

// --- for the script ---

// Ellipsoids of an effector: its place, and the half axes in units of what they are drawn in.
static void put_ellipsoids(lb_out* out, const lb_fork* f, bool* first) {
  for (int i = 0; i < 2 * f->neffector; i++) {
    const int e = i / 2;
    const lb_fork_axes a = lb_fork_principal(f, e, i % 2);
    const lb_vec3 p = f->pose[e].p;
    lb_print_json(out, "%-s{'name':%s,'turns':%-s,'at':[%g,%g,%g],'size':[%g,%g,%g],'axes':[",
                  *first ? "" : ",", f->what->effector[e].name, i % 2 ? "true" : "false", p.x, p.y,
                  p.z, a.compliance[0], a.compliance[1], a.compliance[2]);
    *first = false;
    for (int k = 0; k < 3; k++) {
      lb_print_json(out, "%-s[%g,%g,%g]", k ? "," : "", a.axis[k].x, a.axis[k].y, a.axis[k].z);
    }
    lb_out_text(out, "]}");
  }
}

// Effectors of the first mechanism, whole and reduced, in each frame that was watched.
static void put_tracks(lb_out* out, const lb_fork_result* t) {
  const int n = t->fork[0]->neffector;
  lb_out floats = lb_out_make(out->allocator, -1);
  for (int i = 0; i < t->nframe; i++) {
    lb_out_f32(&floats, t->time[i]);
  }
  lb_out_text(out, "\"time\":");
  lb_out_packed(out, &floats);
  floats = lb_out_make(out->allocator, -1);
  for (int c = 0; c < 6 * n; c++) {
    for (int i = 0; i < t->nframe; i++) {
      lb_out_f32(&floats, t->place[(size_t)i * 6 * (size_t)n + (size_t)c]);
    }
  }
  lb_out_text(out, ",\"values\":");
  lb_out_packed(out, &floats);
  lb_out_text(out, ",\"effectors\":[");
  for (int e = 0; e < n; e++) {
    lb_print_json(out, "%-s%s", e ? "," : "", t->fork[0]->what->effector[e].name);
  }
  lb_out_text(out, "]");
}

void lb_report_fork_data(lb_out* out, const lb_fork_result* t) {
  bool first = true;
  lb_out_text(out, "<script type=\"application/json\" id=\"limber-fork\">\n{");
  put_tracks(out, t);
  lb_out_text(out, ",\"ellipsoids\":[");
  for (int i = 0; i < t->count; i++) {
    if (t->fork[i]->number == 0) {
      put_ellipsoids(out, t->fork[i], &first);
    }
  }
  lb_out_text(out, "]}\n</script>\n");
}
