// The files of a fit, fitted.yaml and markers.csv; inverse kinematics has the latter, too.
#include <math.h>

#include "limber/ik.h"
#include "limber/version.h"
#include "output/file/writers.h"

static const lb_fit_value* find(const lb_fit* f, int material, lb_fit_quantity quantity) {
  for (int i = 0; i < f->nvalue; i++) {
    if (f->value[i].material == material && f->value[i].quantity == quantity) {
      return &f->value[i];
    }
  }
  return NULL;
}

// "KEY: 200 GPa # 199 GPa to 201 GPa (95 %)": a number, and what is known of it.
static void write_value(lb_out* out, const char* key, lb_fit_quantity quantity, double x,
                        const lb_fit_value* v) {
  char text[LB_FIT_TEXT], low[LB_FIT_TEXT], high[LB_FIT_TEXT];
  lb_print(out, "%s: %s", key, lb_fit_number_text(quantity, x, text));
  if (v) {
    lb_out_text(out, " # ");
  }
  if (v && isfinite(v->low) && isfinite(v->high)) {
    lb_print(out, "%s to %s (95 %%)", lb_fit_number_text(quantity, v->low, low),
             lb_fit_number_text(quantity, v->high, high));
  }
  if (v && v->doubt != LB_FIT_SURE) {
    lb_print(out, " %s", lb_fit_doubt_text(v->doubt));
  }
  lb_out_text(out, "\n");
}

static void write_material(lb_out* out, const lb_fit* f, int i) {
  const lb_scene_material* m = &f->model->look.material[i];
  const lb_fit_value* young = find(f, i, LB_FIT_YOUNG);
  const lb_fit_value* mass = find(f, i, LB_FIT_DAMPING_MASS);
  const lb_fit_value* stiffness = find(f, i, LB_FIT_DAMPING_STIFFNESS);
  if (young || mass || stiffness) {
    lb_print(out, "  \"%s\":\n", m->name); // names hold no quotes
  }
  if (young) {
    write_value(out, "    young", LB_FIT_YOUNG, m->young, young);
  }
  if (mass || stiffness) {
    lb_out_text(out, "    damping:\n");
    write_value(out, "      mass", LB_FIT_DAMPING_MASS, m->damping_mass, mass);
    write_value(out, "      stiffness", LB_FIT_DAMPING_STIFFNESS, m->damping_stiffness, stiffness);
  }
}

void lb_write_fitted(lb_out* out, const lb_recording* r, const lb_summary* s) {
  (void)r;
  lb_print(out,
           "# Found by Limber %s: put these numbers into the materials of the scene.\nmaterials:\n",
           lb_version());
  for (int i = 0; i < s->fit->model->look.nmaterial; i++) {
    write_material(out, s->fit, i);
  }
}

lb_marker_places lb_marker_places_of(const lb_summary* s) {
  return s->fit ? (lb_marker_places){s->fit->markers, s->fit->fitted, s->fit->nsample}
                : (lb_marker_places){s->ik->markers, s->ik->placed, s->ik->nsample};
}

static void positions(lb_out* out, const void* of, int line) {
  static const char* const axis[] = {"x", "y", "z"};
  const lb_marker_places* p = of;
  const size_t width = 3 * (size_t)p->markers->nmarker, first = line < 0 ? 0 : (size_t)line * width;
  for (size_t k = 0; k < width; k++) {
    lb_write_column(out, line, p->markers->marker[k / 3].name, axis[k % 3], &p->placed[first + k]);
  }
}

void lb_write_markers(lb_out* out, const lb_recording* r, const lb_summary* s) {
  static lb_table_part* const parts[] = {positions, NULL};
  const lb_marker_places p = lb_marker_places_of(s);
  (void)r;
  for (int i = -1; i < p.nsample; i++) {
    lb_write_line(out, i, i < 0 ? 0 : p.markers->time[i], &p, parts);
  }
}
