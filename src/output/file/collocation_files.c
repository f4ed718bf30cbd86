// Files of a collocation beyond those of any run: controls and all numbers of the search, and its
// parts of summary.json and of the report.
#include <math.h>

#include "limber/collocate.h"
#include "output/file/writers.h"
#include "output/report/report_history.h"

enum { MOST_ROWS = 60, MOST_CURVES = 60 }; // of the report

// --- tables ---

void lb_write_controls(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_collocation* c = s->collocation;
  (void)r;
  lb_print(out,
           "controls\nversion=3\nDataType=double\nnRows=%d\nnColumns=%d\ninDegrees=no\n"
           "endheader\ntime",
           c->nnode, 1 + c->ncontrol);
  for (int i = 0; i < c->ncontrol; i++) {
    lb_print(out, "\t%s%s", c->control[i].kind == LB_CONTROL_RESERVE ? "reserve_" : "",
             c->control[i].name);
  }
  for (int k = 0; k < c->nnode; k++) {
    lb_out_text(out, "\n");
    lb_out_number(out, c->time[k], "");
    for (int i = 0; i < c->ncontrol; i++) {
      lb_out_text(out, "\t");
      lb_out_number(out, c->u[(size_t)k * (size_t)c->ncontrol + (size_t)i], "");
    }
  }
  lb_out_text(out, "\n");
}

void lb_write_solution(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_collocation* c = s->collocation;
  const int width = lb_collocation_width(c);
  (void)r;
  lb_out_text(out, "time");
  for (int i = 0; i < width; i++) {
    const lb_heading h = lb_collocation_heading(c, i);
    lb_out_text(out, ",");
    lb_write_name(out, h.text);
  }
  for (int k = 0; k < c->nnode; k++) {
    lb_out_text(out, "\n");
    lb_out_number(out, c->time[k], "");
    for (int i = 0; i < width; i++) {
      lb_out_text(out, ",");
      lb_out_number(out, lb_collocation_number(c, k, i), "");
    }
  }
  lb_out_text(out, "\n");
}

// --- summary.json ---

static const char* const KIND[] = {
    [LB_CONTROL_MOTOR] = "motor", [LB_CONTROL_MUSCLE] = "muscle", [LB_CONTROL_RESERVE] = "reserve"};

void lb_summarise_collocation(lb_out* out, const lb_collocation* c) {
  const bool finished = c->end == LB_COLLOCATE_CONVERGED || c->end == LB_COLLOCATE_NEARLY;
  lb_print_json(out,
                ",\n  'objective': %g,\n  'effort': %g,\n  'duration': %g,\n  'nodes': %d,\n"
                "  'variables': %d,\n  'equations': %d,\n  'iterations': %d,\n  'finished': %-s,\n"
                "  'stopped': %s,\n  'residual': %g",
                c->objective, c->effort, c->duration, c->nnode, c->variables, c->equations,
                c->iterations, finished ? "true" : "false", lb_collocate_end_name(c->end),
                c->residual);
  if (c->q_ref) {
    lb_print_json(out, ",\n  'off': %g", c->rms);
  }
  if (!c->work) {
    lb_print_json(out, ",\n  'unsettled': %d", c->unsettled);
  }
  lb_out_text(out, ",\n  \"controls\": [");
  for (int i = 0; i < c->ncontrol; i++) {
    const lb_control_use u = lb_collocation_use(c, i);
    lb_print_json(out, "%-s\n    {'name': %s, 'kind': %s, 'peak': %g, 'time': %g, 'rms': %g}",
                  i ? "," : "", c->control[i].name, KIND[c->control[i].kind], u.peak, u.time,
                  u.rms);
  }
  lb_out_text(out, "\n  ]");
}

// --- the report ---

static void table(lb_out* out, const lb_collocation* c) {
  lb_out_text(
      out,
      "<h2>Controls in figures</h2>\n<section class=\"card wide\">\n<table class=\"numbers\">\n"
      "<thead><tr><th scope=\"col\">Control</th><th scope=\"col\">Kind</th><th "
      "scope=\"col\">Largest</th><th scope=\"col\">At</th>"
      "<th scope=\"col\">Root mean square</th></tr></thead>\n<tbody>\n");
  for (int i = 0; i < c->ncontrol && i < MOST_ROWS; i++) {
    const lb_control_use u = lb_collocation_use(c, i);
    lb_print_html(out, "<tr><th scope=\"row\">%s</th>", c->control[i].name);
    lb_print(out, "<td>%s</td><td>%.4g</td><td>%.4g s</td><td>%.4g</td></tr>\n",
             KIND[c->control[i].kind], u.peak, u.time, u.rms);
  }
  lb_out_text(out, "</tbody>\n</table>\n</section>\n");
  if (c->ncontrol > MOST_ROWS) {
    lb_print(out, "<p>%d more are in summary.json.</p>\n", c->ncontrol - MOST_ROWS);
  }
}

// A column of a table [nnode][width]; false: there is no memory.
static const double* column(double* to, const double* from, int n, int width, int k) {
  for (int i = 0; i < n; i++) {
    to[i] = from[(size_t)i * (size_t)width + (size_t)k];
  }
  return to;
}

static void curves(lb_out* out, const lb_collocation* c, double* scratch) {
  const lb_model* m = c->model;
  if (c->q_ref) {
    lb_out_text(out, "<h2>Coordinates</h2>\n<p>Red: the motion to follow. Blue: found.</p>\n");
  }
  for (int k = 0; c->q_ref && k < m->nv && k < MOST_CURVES; k++) {
    lb_report_draw(
        out, &(lb_report_curve){.name = c->coordinate[k],
                                .unit = m->dof.counts[k] == LB_COORDINATE_LENGTH ? "m" : "rad",
                                .n = c->nnode,
                                .start = column(scratch, c->q_ref, c->nnode, m->nv, k),
                                .found = column(scratch + c->nnode, c->q, c->nnode, m->nv, k),
                                .least = -INFINITY,
                                .most = INFINITY,
                                .duration = c->duration});
  }
  lb_out_text(out, "<h2>Controls over time</h2>\n");
  for (int k = 0; k < c->ncontrol && k < MOST_CURVES; k++) {
    const lb_control* u = &c->control[k];
    const double* found = column(scratch, c->u, c->nnode, c->ncontrol, k);
    lb_report_draw(out, &(lb_report_curve){.name = u->name,
                                           .unit = u->kind == LB_CONTROL_MUSCLE ? "1" : "N m, N",
                                           .n = c->nnode,
                                           .start = found,
                                           .found = found,
                                           .least = u->least,
                                           .most = u->most,
                                           .duration = c->duration});
  }
}

void lb_report_collocation(lb_out* out, const lb_collocation* c) {
  double* scratch = lb_allocate(out->allocator, 2 * (size_t)c->nnode * sizeof *scratch);
  if (!scratch) {
    out->status = LB_NO_MEMORY;
    return;
  }
  curves(out, c, scratch);
  lb_release(out->allocator, scratch);
  table(out, c);
  lb_report_history(out, c->nhistory, c->history, 1, c->nhistory - 1);
}
