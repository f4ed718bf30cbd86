// The files of an optimisation beyond those of any run: its numbers, and their part of the report.
#include <math.h>

#include "limber/optimize.h"
#include "record/file.h"
#include "record/report_history.h"
#include "record/writers.h"

enum { MOST_ROWS = 60 }; // of the report's table

// --- parameters.csv ---

static void write_parameters(lb_out* out, const lb_optimize_result* t) {
  const lb_optimization* o = t->optimization;
  lb_out_text(out, "parameter,number,start,value,at_least,at_most\n");
  for (int i = 0; i < o->scene->optimize.nparameter; i++) {
    for (int k = o->first[i]; k < o->first[i + 1]; k++) {
      const double value[] = {o->start[k], t->x[k], o->least[k], o->most[k]};
      lb_out_texts(out, o->scene->optimize.parameter[i].name, ",", NULL);
      lb_out_long(out, k - o->first[i]);
      for (int c = 0; c < 4; c++) {
        lb_out_text(out, ",");
        lb_out_number(out, value[c], "");
      }
      lb_out_text(out, "\n");
    }
  }
}

void lb_write_parameters(lb_out* out, const lb_recording* r, const lb_summary* s) {
  (void)r;
  write_parameters(out, s->optimize);
}

lb_status lb_parameters_write(const lb_optimize_result* result, const char* dir,
                              const lb_allocator* allocator, lb_error* err) {
  lb_file file;
  const lb_status status = lb_file_begin(&file, dir, "parameters.csv", allocator, err);
  if (status != LB_OK) {
    return status;
  }
  write_parameters(&file.out, result);
  return lb_file_end(&file, err);
}

// --- summary.json ---

static double sum(int n, const double* x) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += x[i];
  }
  return s;
}

static void pair(lb_out* out, double before, double after) {
  lb_out_text(out, "\"before\": ");
  lb_out_number(out, before, "null");
  lb_out_text(out, ", \"after\": ");
  lb_out_number(out, after, "null");
  lb_out_text(out, "}");
}

void lb_summarise_optimisation(lb_out* out, const lb_optimize_result* t) {
  const lb_scene_optimize* what = &t->optimization->scene->optimize;
  lb_out_text(out, ",\n  \"objective\": {");
  pair(out, sum(what->ngoal, t->before), sum(what->ngoal, t->after));
  lb_out_text(out, ",\n  \"goals\": [");
  for (int i = 0; i < what->ngoal; i++) {
    lb_out_text(out, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
    lb_out_json(out, what->goal[i].name);
    lb_out_text(out, ", ");
    pair(out, t->before[i], t->after[i]);
  }
  lb_out_text(out, "\n  ],\n  \"numbers\": ");
  lb_out_long(out, t->optimization->nvalue);
  lb_out_text(out, ",\n  \"iterations\": ");
  lb_out_long(out, t->nhistory - 1);
  lb_out_text(out, ",\n  \"simulations\": ");
  lb_out_long(out, t->optimization->runs);
  lb_out_texts(out, ",\n  \"finished\": ", t->done ? "true" : "false", ",\n  \"history\": [", NULL);
  for (int i = 0; i < t->nhistory; i++) {
    lb_out_text(out, i ? ", " : "");
    lb_out_number(out, t->history[i], "null");
  }
  lb_out_text(out, "]");
}

// --- the report ---

static void cell(lb_out* out, double x) {
  lb_out_text(out, "<td>");
  if (isfinite(x)) {
    const double size = fabs(x);
    const bool plain = size == 0 || (size >= 1e-3 && size < 1e6);
    if (plain) {
      lb_out_fixed(out, x, size >= 100 ? 1 : 4);
    } else {
      const int power = (int)floor(log10(size));
      lb_out_fixed(out, x / pow(10, power), 2);
      lb_out_text(out, "e");
      lb_out_long(out, power);
    }
  }
  lb_out_text(out, "</td>");
}

static void goals(lb_out* out, const lb_optimize_result* t) {
  const lb_scene_optimize* what = &t->optimization->scene->optimize;
  lb_out_text(out, "<h2>What was wanted</h2>\n<section class=\"card wide\">\n<table "
                   "class=\"found\">\n<tr><th></th><th>before</th><th>after</th></tr>\n");
  for (int i = 0; i < what->ngoal; i++) {
    lb_out_text(out, "<tr><th scope=\"row\">");
    lb_out_html(out, what->goal[i].name);
    lb_out_text(out, "</th>");
    cell(out, t->before[i]);
    cell(out, t->after[i]);
    lb_out_text(out, "</tr>\n");
  }
  lb_out_text(out, "</table>\n</section>\n<p class=\"note\">Shares of the objective: weight times "
                   "the square of how far it is off.</p>\n");
}

static void numbers(lb_out* out, const lb_optimize_result* t) {
  const lb_optimization* o = t->optimization;
  const lb_scene_optimize* what = &o->scene->optimize;
  int rows = 0;
  lb_out_text(out,
              "<h2>What was found</h2>\n<section class=\"card wide\">\n<table class=\"found\">\n"
              "<tr><th></th><th>in the scene</th><th>found</th><th>at least</th><th>at most</th>"
              "</tr>\n");
  for (int i = 0; i < what->nparameter; i++) {
    for (int k = o->first[i]; k < o->first[i + 1] && rows < MOST_ROWS; k++, rows++) {
      lb_out_text(out, "<tr><th scope=\"row\">");
      lb_out_html(out, what->parameter[i].name);
      if (o->first[i + 1] - o->first[i] > 1) {
        lb_out_text(out, " ");
        lb_out_long(out, k - o->first[i]);
      }
      lb_out_text(out, "</th>");
      cell(out, o->start[k]);
      cell(out, t->x[k]);
      cell(out, o->least[k]);
      cell(out, o->most[k]);
      lb_out_text(out, "</tr>\n");
    }
  }
  lb_out_text(out, "</table>\n</section>\n");
  if (o->nvalue > MOST_ROWS) {
    lb_out_text(out, "<p class=\"note\">The first numbers only; all are in parameters.csv.</p>\n");
  }
}

void lb_report_optimisation(lb_out* out, const lb_optimize_result* t) {
  goals(out, t);
  numbers(out, t);
  lb_report_history(out, t->nhistory, t->history, 1, t->nhistory - 1);
}
