// The files of an optimisation beyond those of any run: its numbers, and their part of the report.
#include <math.h>

#include "limber/optimize.h"
#include "output/file/whole_file.h"
#include "output/file/writers.h"
#include "output/report/report_history.h"

enum { MOST_ROWS = 60 }; // of the report's table

// --- parameters.csv ---

static void write_parameters(lb_out* out, const void* of) {
  const lb_optimize_result* t = of;
  const lb_optimization* o = t->optimization;
  lb_out_text(out, "parameter,number,start,value,at_least,at_most\n");
  for (int i = 0; i < o->scene->optimize.nparameter; i++) {
    for (int k = o->first[i]; k < o->first[i + 1]; k++) {
      lb_write_name(out, o->scene->optimize.parameter[i].name);
      lb_print(out, ",%d,%g,%g,%g,%g\n", k - o->first[i], o->start[k], t->x[k], o->least[k],
               o->most[k]);
    }
  }
}

void lb_write_parameters(lb_out* out, const lb_recording* r, const lb_summary* s) {
  (void)r;
  write_parameters(out, s->optimize);
}

lb_status lb_parameters_write(const lb_optimize_result* result, const char* dir,
                              const lb_allocator* allocator, lb_error* err) {
  return lb_file_write(dir, "parameters.csv", write_parameters, result, allocator, err);
}

// --- summary.json ---

static double sum(int n, const double* x) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += x[i];
  }
  return s;
}

void lb_summarise_optimisation(lb_out* out, const lb_optimize_result* t) {
  const lb_scene_optimize* what = &t->optimization->scene->optimize;
  const lb_optimize_end end = t->optimization->end;
  const bool finished = end == LB_OPTIMIZE_CONVERGED || end == LB_OPTIMIZE_NO_GAIN;
  lb_print_json(out, ",\n  'objective': {'before': %g, 'after': %g},\n  'goals': [",
                sum(what->ngoal, t->before), sum(what->ngoal, t->after));
  for (int i = 0; i < what->ngoal; i++) {
    lb_print_json(out, "%-s\n    {'name': %s, 'before': %g, 'after': %g}", i ? "," : "",
                  what->goal[i].name, t->before[i], t->after[i]);
  }
  lb_print_json(out,
                "\n  ],\n  'numbers': %d,\n  'iterations': %d,\n  'simulations': %d,\n"
                "  'finished': %-s,\n  'stopped': %s,\n  'history': [",
                t->optimization->nvalue, t->nhistory - 1, t->optimization->runs,
                finished ? "true" : "false", lb_optimize_end_name(end));
  for (int i = 0; i < t->nhistory; i++) {
    lb_print_json(out, "%-s%g", i ? ", " : "", t->history[i]);
  }
  lb_out_text(out, "]");
}

// --- the report ---

static void number(lb_out* out, double x) {
  if (isfinite(x)) {
    const double size = fabs(x);
    const bool plain = size == 0 || (size >= 1e-3 && size < 1e6);
    if (plain) {
      lb_out_fixed(out, x, size >= 100 ? 1 : 4);
    } else {
      const int power = (int)floor(log10(size));
      lb_print(out, "%.2fe%d", x / pow(10, power), power);
    }
  }
}

static void cell(lb_out* out, double x) {
  lb_out_text(out, "<td>");
  number(out, x);
  lb_out_text(out, "</td>");
}

// Unit of a goal, and how many of it are one of the model's; NULL: of no one kind.
typedef struct measure {
  const char* unit;
  double times;
} measure;

// Joints have a unit where their coordinates are all of one kind.
static measure measure_of(const lb_scene* scene, const lb_scene_goal* g) {
  static const char* const effort[] = {
      [LB_COORDINATE_ANGLE] = "N m", [LB_COORDINATE_LENGTH] = "N", [LB_COORDINATE_NUMBER] = NULL};
  static const measure place[][2] = {
      [LB_COORDINATE_ANGLE] = {{"deg", 57.29577951308232}, {"deg/s", 57.29577951308232}},
      [LB_COORDINATE_LENGTH] = {{"mm", 1e3}, {"mm/s", 1e3}},
      [LB_COORDINATE_NUMBER] = {{NULL, 1}, {NULL, 1}}};
  if (g->kind == LB_GOAL_MOTOR) {
    const lb_scene_motor* m = &scene->motor[g->index];
    return (measure){effort[lb_joint_counts(&scene->joint[m->joint], m->coordinate)], 1};
  }
  if (g->kind == LB_GOAL_MUSCLE) {
    return (measure){NULL, 1};
  }
  if (g->kind == LB_GOAL_EFFECTOR) { // a part of what is wanted
    return (measure){"%", 100};
  }
  lb_coordinate counts = LB_COORDINATE_LENGTH;
  if (g->kind != LB_GOAL_POINT) {
    const lb_scene_joint* j = &scene->joint[g->index];
    counts = lb_joint_counts(j, 0);
    for (int k = 1; k < lb_joint_count_v(j); k++) {
      counts = lb_joint_counts(j, k) == counts ? counts : LB_COORDINATE_NUMBER;
    }
  }
  return place[counts][g->rate];
}

// How far off, from a share of the objective: over a while, root mean square.
static void off_by(lb_out* out, const lb_scene_goal* g, measure m, double share) {
  const double time = g->to > g->from && !g->mean ? g->to - g->from : 1;
  const double off = g->weight > 0 ? sqrt(share / (g->weight * time)) : NAN;
  lb_out_text(out, "<td>");
  number(out, m.times * off);
  lb_print(out, "%s%s</td>", isfinite(off) && m.unit ? " " : "",
           isfinite(off) && m.unit ? m.unit : "");
}

static void goals(lb_out* out, const lb_optimize_result* t) {
  const lb_scene_optimize* what = &t->optimization->scene->optimize;
  lb_out_text(out, "<h2>What was wanted</h2>\n<section class=\"card wide\">\n<table "
                   "class=\"found\">\n<tr><th></th><th>off before</th><th>off now</th>"
                   "<th>of the objective before</th><th>now</th></tr>\n");
  for (int i = 0; i < what->ngoal; i++) {
    const lb_scene_goal* g = &what->goal[i];
    const measure m = measure_of(t->optimization->scene, g);
    lb_print_html(out, "<tr><th scope=\"row\">%s</th>", g->name);
    off_by(out, g, m, t->before[i]);
    off_by(out, g, m, t->after[i]);
    cell(out, t->before[i]);
    cell(out, t->after[i]);
    lb_out_text(out, "</tr>\n");
  }
  lb_out_text(out, "</table>\n</section>\n<p class=\"note\">How far off: at its moment, or the "
                   "root mean square over its time. The objective adds up weight times the square "
                   "of it.</p>\n");
}

// Numbers evenly spaced in time are drawn, others are told.
static bool is_curve(const lb_optimize_result* t, int parameter) {
  return t->optimization->scene->optimize.parameter[parameter].knots > 1;
}

static int rows_of(const lb_optimize_result* t, int parameter) {
  const int* first = t->optimization->first + parameter;
  return is_curve(t, parameter) ? 0 : first[1] - first[0];
}

static void number_row(lb_out* out, const lb_optimize_result* t, int parameter, int k) {
  const lb_optimization* o = t->optimization;
  lb_print_html(out, "<tr><th scope=\"row\">%s", o->scene->optimize.parameter[parameter].name);
  if (rows_of(t, parameter) > 1) {
    lb_print(out, " %d", k - o->first[parameter]);
  }
  lb_out_text(out, "</th>");
  cell(out, o->given[k]);
  cell(out, t->x[k]);
  cell(out, o->least[k]);
  cell(out, o->most[k]);
  lb_out_text(out, "</tr>\n");
}

static void numbers(lb_out* out, const lb_optimize_result* t) {
  const lb_optimization* o = t->optimization;
  int rows = 0, all = 0;
  lb_out_text(out, "<section class=\"card wide\">\n<table class=\"found\">\n"
                   "<tr><th></th><th>in the scene</th><th>found</th><th>at least</th>"
                   "<th>at most</th></tr>\n");
  for (int i = 0; i < o->scene->optimize.nparameter; i++) {
    all += rows_of(t, i);
    for (int k = 0; k < rows_of(t, i) && rows < MOST_ROWS; k++, rows++) {
      number_row(out, t, i, o->first[i] + k);
    }
  }
  lb_print(out, "</table>\n</section>\n<p class=\"note\">In SI units, angles in radians.%s</p>\n",
           all > rows ? " The first numbers only; all are in parameters.csv." : "");
}

static void found(lb_out* out, const lb_optimize_result* t) {
  const lb_optimization* o = t->optimization;
  bool curves = false, others = false;
  lb_out_text(out, "<h2>What was found</h2>\n");
  for (int i = 0; i < o->scene->optimize.nparameter; i++) {
    const int at = o->first[i];
    curves |= is_curve(t, i);
    others |= !is_curve(t, i);
    if (is_curve(t, i)) {
      const lb_scene_parameter* p = &o->scene->optimize.parameter[i];
      const bool muscle = p->owner == LB_OWNER_MUSCLE;
      const lb_scene_goal effort = {.kind = muscle ? LB_GOAL_MUSCLE : LB_GOAL_MOTOR,
                                    .index = p->index};
      lb_report_draw(out, &(lb_report_curve){p->name, measure_of(o->scene, &effort).unit,
                                             o->first[i + 1] - at, o->given + at, t->x + at,
                                             o->least[at], o->most[at], o->scene->duration});
    }
  }
  if (curves) {
    lb_out_text(out, "<p class=\"note\"><span class=\"key before\"></span> as the scene has it, "
                     "<span class=\"key after\"></span> found; dashed: bounds.</p>\n");
  }
  if (others) {
    numbers(out, t);
  }
}

void lb_report_optimisation(lb_out* out, const lb_optimize_result* t) {
  goals(out, t);
  found(out, t);
  lb_report_history(out, t->nhistory, t->history, 1, t->nhistory - 1);
  lb_print(out, "<p class=\"note\">Why the search stopped: %s.</p>\n",
           lb_optimize_end_name(t->optimization->end));
}
