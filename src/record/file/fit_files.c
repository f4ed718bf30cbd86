// The files that only a fit leaves: fitted.yaml and markers.csv.
#include <math.h>

#include "limber/fit.h"
#include "limber/version.h"
#include "record/file/writers.h"

static const lb_fit_value* find(const lb_fit* f, int material, lb_fit_quantity quantity) {
  for (int i = 0; i < f->nvalue; i++) {
    if (f->value[i].material == material && f->value[i].quantity == quantity) {
      return &f->value[i];
    }
  }
  return NULL;
}

// What is known of a number, as a comment behind it.
static void comment(lb_out* out, const char* what, const lb_fit_value* v) {
  char low[LB_FIT_TEXT], high[LB_FIT_TEXT];
  if (!v) {
    return;
  }
  lb_out_texts(out, " # ", what, NULL);
  if (isfinite(v->low) && isfinite(v->high)) {
    lb_out_texts(out, lb_fit_number_text(v->quantity, v->low, low), " to ",
                 lb_fit_number_text(v->quantity, v->high, high), " (95 %)", NULL);
  }
  if (v->doubt != LB_FIT_SURE) {
    lb_out_texts(out, " ", lb_fit_doubt_text(v->doubt), NULL);
  }
}

static void write_material(lb_out* out, const lb_fit* f, int i) {
  const lb_scene_material* m = &f->model->material[i];
  const lb_fit_value* young = find(f, i, LB_FIT_YOUNG);
  const lb_fit_value* mass = find(f, i, LB_FIT_DAMPING_MASS);
  const lb_fit_value* stiffness = find(f, i, LB_FIT_DAMPING_STIFFNESS);
  char text[LB_FIT_TEXT];
  lb_out_texts(out, "  \"", m->name, "\":\n", NULL); // names hold no quotes
  if (young) {
    lb_out_texts(out, "    young: ", lb_fit_number_text(LB_FIT_YOUNG, m->young, text), NULL);
    comment(out, "", young);
    lb_out_text(out, "\n");
  }
  if (mass || stiffness) {
    lb_out_text(out, "    damping:");
    lb_out_texts(out,
                 "\n      mass: ", lb_fit_number_text(LB_FIT_DAMPING_MASS, m->damping_mass, text),
                 NULL);
    comment(out, "", mass);
    lb_out_texts(out, "\n      stiffness: ",
                 lb_fit_number_text(LB_FIT_DAMPING_STIFFNESS, m->damping_stiffness, text), NULL);
    comment(out, "", stiffness);
    lb_out_text(out, "\n");
  }
}

void lb_write_fitted(lb_out* out, const lb_recording* r, const lb_summary* s) {
  const lb_fit* f = s->fit;
  (void)r;
  lb_out_texts(out, "# Found by Limber ", lb_version(),
               ": put these numbers into the materials of the scene.\nmaterials:\n", NULL);
  for (int i = 0; i < f->model->nmaterial; i++) {
    if (find(f, i, LB_FIT_YOUNG) || find(f, i, LB_FIT_DAMPING_MASS) ||
        find(f, i, LB_FIT_DAMPING_STIFFNESS)) {
      write_material(out, f, i);
    }
  }
}

void lb_write_markers(lb_out* out, const lb_recording* r, const lb_summary* s) {
  static const char* const axis[] = {"x", "y", "z"};
  const lb_markers* m = s->fit->markers;
  (void)r;
  lb_out_text(out, "time");
  for (int k = 0; k < 3 * m->nmarker; k++) {
    lb_write_heading(out, m->marker[k / 3].name, axis[k % 3]);
  }
  lb_out_text(out, "\n");
  for (int i = 0; i < s->fit->nsample; i++) {
    lb_out_number(out, m->time[i], "");
    for (int k = 0; k < 3 * m->nmarker; k++) {
      lb_out_text(out, ",");
      lb_out_number(out, s->fit->fitted[(size_t)i * (size_t)(3 * m->nmarker) + (size_t)k], "");
    }
    lb_out_text(out, "\n");
  }
}
