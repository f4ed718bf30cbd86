// Markers, and what a fit is to find.
#include "scene/yaml/reader.h"

static bool read_marker(lb_reader* r, const lb_entry* entry, lb_scene_marker* marker) {
  lb_marker_spec spec = {.body = LB_WORLD};
  bool ok = lb_begin_entry(r, entry, "marker");
  ok &= lb_read_table(r, entry->value, &lb_marker_table, &spec);
  *marker = (lb_scene_marker){.name = lb_keep_name(r, entry),
                              .place = entry->name->place,
                              .body = spec.body,
                              .has_at = spec.given.node[LB_MARKER_AT],
                              .at = spec.at};
  return ok;
}

void lb_read_markers(lb_reader* r) {
  const lb_entries* all = &r->section[LB_SCENE_MARKERS];
  r->scene.marker = LB_TAKE(r->keep, lb_scene_marker, all->count);
  if (!r->scene.marker) {
    lb_lack(r);
    return;
  }
  for (int i = 0; i < all->count && !r->no_memory; i++) {
    r->scene.nmarker += read_marker(r, &all->entry[i], &r->scene.marker[r->scene.nmarker]);
  }
}

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

static bool find_elastic_material(lb_reader* r, const lb_yaml_node* name, int* material) {
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

static bool read_fit_material(lb_reader* r, const lb_yaml_node* name, const lb_yaml_node* value,
                              lb_scene_fit_material* to) {
  const lb_scene_fit_material standard = lb_scene_fit_material_default();
  lb_fit_material_spec spec = {
      .young = standard.young, .damping = (int)standard.damping, .within = standard.within};
  int material = -1;
  bool ok = find_elastic_material(r, name, &material);
  r->subject = lb_compose(r, "fit of material '%.64s'", name->text);
  ok = lb_read_table(r, value, &lb_fit_material_table, &spec) && ok;
  if (ok && spec.within < 1) {
    ok = lb_complain(r, spec.given.node[2]->place,
                     "'within' must be 1 or more (10: from a tenth of "
                     "what the scene says to ten times as much)");
  }
  if (ok && !spec.young && spec.damping == LB_FIT_NONE) {
    ok = lb_complain(r, name->place,
                     "there is nothing to find (take this entry away, or let "
                     "'young' or 'damping' be found)");
  }
  *to = (lb_scene_fit_material){.place = name->place,
                                .material = material,
                                .young = spec.young,
                                .damping = (lb_fit_damping)spec.damping,
                                .within = spec.within};
  return ok;
}

void lb_read_fit(lb_reader* r) {
  const lb_fit_spec* spec = &r->settings.fit;
  const lb_yaml_node* all = spec->materials;
  lb_scene_fit* fit = &r->scene.fit;
  *fit = (lb_scene_fit){.clock = spec->clock, .shift = spec->shift};
  if (!all) {
    return;
  }
  fit->material = LB_TAKE(r->keep, lb_scene_fit_material, all->count);
  if (!fit->material) {
    lb_lack(r);
    return;
  }
  for (int i = 0; i < all->count && !r->no_memory; i++) {
    fit->nmaterial +=
        read_fit_material(r, all->key[i], all->item[i], &fit->material[fit->nmaterial]);
  }
}
