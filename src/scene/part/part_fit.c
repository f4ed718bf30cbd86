// Markers, and what a fit is to find from them.
#include "scene/part/part.h"

static const lb_field marker_fields[] = {
    LB_ROW(BODY, lb_scene_marker, "body", body, NULL, "the body it is on, or world"),
    LB_SIZED(VECTOR, lb_scene_marker, "at", at, LB_LENGTH, LB_ANY, "the body's origin",
             "where, in that body; on an elastic one the nearest point of its surface leads it"),
    LB_SIZED(NUMBER, lb_scene_marker, "weight", weight, LB_PURE, LB_NOT_NEGATIVE, "1",
             "of the square of its distance, in inverse kinematics; 0: it does not count"),
    LB_ROW(FLAG, lb_scene_marker, "fixed", fixed, "false",
           "placing of markers by a ScaleTool leaves it where it is"),
};

static bool finish_marker(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  (void)r;
  ((lb_scene_marker*)part)->has_at = lb_yaml_find(node, "at");
  return ok;
}

const lb_table lb_marker_table =
    LB_TABLE("marker", lb_scene_marker, marker_fields, .finish = finish_marker);

// --- what to find ---

#define DAMPING_NAME(code, name) name,
static const char* const damping_names[] = {LB_FIT_DAMPING_LIST(DAMPING_NAME)};
static const lb_choices damping_choices = LB_CHOICES(damping_names);

static const lb_field material_fields[] = {
    LB_ROW(FLAG, lb_scene_fit_material, "young", young, "true",
           "whether to find its Young's modulus"),
    LB_FROM(CHOICE, lb_scene_fit_material, "damping", damping, &damping_choices, "together",
            "which share of its Rayleigh damping to find; together: both in the proportion they "
            "have"),
    LB_SIZED(NUMBER, lb_scene_fit_material, "within", within, LB_PURE, LB_POSITIVE, "10",
             "how many times as large or as small as the scene says Young's modulus may be"),
};

// Something elastic must be made of a material, and of it alone, for its numbers to be found.
static bool bends(const lb_scene* scene, int material) {
  for (int i = 0; i < scene->nbody; i++) {
    const lb_scene_elastic* e = scene->body[i].elastic;
    if (e && e->nregion == 0 && e->material == material) {
      return true;
    }
  }
  return false;
}

static bool find_elastic_material(lb_reader* r, const lb_yaml* name, int* material) {
  lb_names used = {0}; // for the nearest one
  const lb_scene* s = &r->scene;
  for (int i = 0; i < s->nmaterial; i++) {
    if (bends(s, i) && !lb_names_add(&used, &r->scratch, s->material[i].name, i)) {
      return lb_lack(r);
    }
  }
  *material = lb_names_find(&used, name->text, -1);
  r->subject = "fit";
  if (*material < 0 && lb_names_find(&r->section[LB_SCENE_MATERIALS].names, name->text, -1) >= 0) {
    return lb_complain(
        r, name->place,
        "nothing elastic is made of material '%s' alone, so its numbers cannot be found "
        "(take this entry away)",
        name->text);
  }
  return *material >= 0 || lb_unknown_name(r, name, "material", &used);
}

static bool finish_material(lb_reader* r, const lb_yaml* node, bool ok, void* part) {
  const lb_scene_fit_material* to = part;
  if (ok && to->within < 1) {
    ok = lb_complain(r, lb_yaml_find(node, "within")->place,
                     "'within' must be 1 or more (10: from a tenth of "
                     "what the scene says to ten times as much)");
  }
  if (ok && !to->young && to->damping == LB_FIT_NONE) {
    ok = lb_complain(r, to->place,
                     "there is nothing to find (take this entry away, or let "
                     "'young' or 'damping' be found)");
  }
  return ok;
}

static const lb_table material_table =
    LB_TABLE("unknown material", lb_scene_fit_material, material_fields, .finish = finish_material);

static const lb_field fit_fields[] = {
    LB_LATER(SECTION, "materials", &material_table, "all that elastic bodies are made of",
             "materials whose numbers are not known, by name"),
    LB_ROW(FLAG, lb_scene_fit, "clock", clock, "false",
           "whether the markers' clock may be off, by up to half a second"),
    LB_ROW(FLAG, lb_scene_fit, "shift", shift, "false",
           "whether the markers' origin may be off, by any distance"),
};
const lb_table lb_fit_table = LB_TABLE("fit", lb_scene_fit, fit_fields);

lb_scene_fit_material lb_scene_fit_material_default(void) {
  lb_scene_fit_material material = {0};
  lb_table_default(&material_table, &material);
  return material;
}

static bool read_material(lb_reader* r, const lb_yaml* name, const lb_yaml* value,
                          lb_scene_fit_material* to) {
  *to = lb_scene_fit_material_default();
  to->place = name->place;
  const bool ok = find_elastic_material(r, name, &to->material);
  r->subject = lb_compose(r, "fit of material '%.64s'", name->text);
  return lb_read_table(r, value, &material_table, to) && ok;
}

void lb_read_fit(lb_reader* r) {
  const lb_yaml* all = lb_given_map(r, LB_SCENE_FIT, "materials");
  lb_scene_fit* fit = &r->scene.fit;
  fit->material = all ? LB_TAKE(r->keep, lb_scene_fit_material, all->count) : NULL;
  if (all && !fit->material) {
    lb_lack(r);
    return;
  }
  for (int i = 0; all && i < all->count && !r->no_memory; i++) {
    fit->nmaterial += read_material(r, all->key[i], all->item[i], &fit->material[fit->nmaterial]);
  }
}

void lb_check_fit(lb_checker* c) {
  const lb_scene_fit* fit = &c->s->fit;
  for (int i = 0; i < fit->nmaterial; i++) {
    const lb_scene_fit_material* m = &fit->material[i];
    lb_look_at(c, m->place, "fit");
    lb_check_fields(c, &material_table, m);
    if (m->material < 0 || m->material >= c->s->nmaterial) {
      LB_SAY(c, m->place, "the fit is to find material %d, which does not exist", m->material);
    }
    if (!(m->within >= 1)) {
      LB_SAY(c, m->place, "the fit is to look within a factor of %g, which must be 1 or more",
             m->within);
    }
  }
}
