// Reduced bodies from files: is a file of the body that it is to stand for, and which of a folder's
// files is for which body.
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elastic/fem/material.h"
#include "geom/mesh/file_load.h"
#include "scene/check/grips.h"
#include "scene/check/scene_check.h"
#include "scene/part/elastic_form.h"

// --- agreement ---

// Numbers written by one program and read by another; more than rounding is another body.
static bool same(double a, double b) {
  return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static const char* file_of(const lb_scene_elastic* e) {
  return e->stored_file ? e->stored_file : "the reduced body";
}

static void check_form(lb_checker* c, const lb_scene_elastic* e) {
  static const char* const word[LB_STORED_DIMENSIONS] = {
      "from x", "from y", "from z", "to x",   "to y",   "to z", "up x",
      "up y",   "up z",   "width",  "height", "radius", "inner"};
  const lb_stored* s = e->stored;
  const char* form = lb_elastic_form_name(e->form);
  if (strcmp(form, *s->form) != 0) {
    lb_say(c, " is a %s, but %s holds a %s", form, file_of(e), *s->form);
    return;
  }
  double number[LB_STORED_DIMENSIONS];
  lb_elastic_numbers(e, number);
  for (int i = 0; i < LB_STORED_DIMENSIONS; i++) {
    if (!same(number[i], s->form_numbers[i])) {
      lb_say(c, " has %s %.9g, but in %s it is %.9g", word[i], number[i], file_of(e),
             s->form_numbers[i]);
      return;
    }
  }
}

static void check_mesh(lb_checker* c, const lb_scene_elastic* e) {
  const lb_stored* s = e->stored;
  bool fits = e->mesh->nnode == s->nnode && e->mesh->nelem == s->nelem;
  for (int i = 0; fits && i < s->nnode; i++) {
    const lb_vec3 x = e->mesh->node[i];
    fits = same(x.x, s->mesh.node[3 * i]) && same(x.y, s->mesh.node[3 * i + 1]) &&
           same(x.z, s->mesh.node[3 * i + 2]);
  }
  if (!fits) {
    lb_say(c,
           " has a mesh of %d nodes and %d elements; %s was made of another one, with %d and "
           "%d",
           e->mesh->nnode, e->mesh->nelem, file_of(e), s->nnode, s->nelem);
  }
}

// Regions, and where they end along a form.
static bool check_regions(lb_checker* c, const lb_scene_elastic* e) {
  const lb_stored* s = e->stored;
  const int nuntil = e->until ? e->nregion - 1 : 0;
  bool fits = nuntil == s->nuntil && (e->nregion == 0 || e->nregion == s->nregion);
  for (int i = 0; fits && i < nuntil; i++) {
    fits = same(e->until[i], s->until[i]);
  }
  if (!fits) {
    lb_say(c, " is made of other parts than in %s", file_of(e));
  }
  return fits;
}

// Damping is the scene's, but for how regions share it out: that is in the file's integrals.
static bool shares_alike(const lb_checker* c, const lb_scene_elastic* e) {
  const lb_stored* s = e->stored;
  double most[2] = {0, 0};
  for (int i = 0; i < s->nregion; i++) {
    const lb_scene_material* m = &c->s->material[lb_elastic_material(e, i)];
    most[0] = fmax(most[0], m->damping_mass);
    most[1] = fmax(most[1], m->damping_stiffness);
  }
  bool alike = true;
  for (int i = 0; i < s->nregion; i++) {
    const lb_scene_material* m = &c->s->material[lb_elastic_material(e, i)];
    alike &= same(m->damping_mass, most[0] * s->material.share[2 * i]) &&
             same(m->damping_stiffness, most[1] * s->material.share[2 * i + 1]);
  }
  return alike;
}

static void check_material(lb_checker* c, const lb_scene_elastic* e) {
  const lb_stored* s = e->stored;
  for (int i = 0; i < s->nregion; i++) {
    const lb_scene_material* m = &c->s->material[lb_elastic_material(e, i)];
    const char* model = m->model ? m->model : lb_material_name(LB_MATERIAL_NEO_HOOKEAN);
    const struct {
      const char* word;
      double here, there;
    } number[] = {{"young", lb_elastic_young(c->s, e, i), s->material.young[i]},
                  {"poisson", m->poisson, s->material.poisson[i]},
                  {"density", m->density, s->material.density[i]}};
    if (strcmp(model, s->material.model[i]) != 0) {
      lb_say(c, ": material '%s' is %s, but %s was made with %s", m->name, model, file_of(e),
             s->material.model[i]);
      return;
    }
    for (size_t k = 0; k < sizeof number / sizeof *number; k++) {
      if (!same(number[k].here, number[k].there)) {
        lb_say(c, ": material '%s' has %s %.9g, but %s was made with %.9g", m->name, number[k].word,
               number[k].here, file_of(e), number[k].there);
        return;
      }
    }
  }
  if (!shares_alike(c, e)) {
    lb_say(c, ": its parts share out the damping otherwise than in %s", file_of(e));
  }
}

// The face that holds it, and those that something takes hold of, must be in the file.
static void check_faces(lb_checker* c, int i) {
  const lb_scene_body* body = &c->s->body[i];
  const lb_stored* s = body->elastic->stored;
  const char* held = lb_elastic_held(c->s, i);
  if (held && strcmp(held, s->face.name[0]) != 0) {
    lb_say(c, " is held by its face '%s', but in %s it is held by '%s'", held,
           file_of(body->elastic), s->face.name[0]);
    return;
  }
  lb_grips at = {.scene = c->s};
  lb_grip g;
  while (lb_grips_next(&at, &g)) {
    if (g.body == i && g.face_name && lb_stored_find_face(s, g.face_name) < 0) {
      LB_SAY(c, g.place,
             "%s '%s' holds body '%s' by its face '%s', for which %s has no shapes (reduce a scene "
             "in which it carries something)",
             g.word, g.name, body->name, g.face_name, file_of(body->elastic));
    }
  }
}

void lb_check_stored(lb_checker* c, int i) {
  const lb_scene_elastic* e = c->s->body[i].elastic;
  if (e->form == LB_ELASTIC_MESH && strcmp(*e->stored->form, "mesh") == 0) {
    check_mesh(c, e);
  } else {
    check_form(c, e);
  }
  if (check_regions(c, e)) {
    check_material(c, e);
  }
  check_faces(c, i);
}

// --- a folder of them ---

static int by_name(const void* a, const void* b) {
  return strcmp(*(const char* const*)a, *(const char* const*)b);
}

// The folder's .npz files as paths, in the order of their names; not the run that they came from.
static lb_status list_files(const char* dir, lb_arena* arena, const char*** path, int* count,
                            lb_error* err) {
  DIR* open = opendir(dir);
  if (!open) {
    return lb_error_add(err, LB_IO, (lb_place){.file = dir}, "the folder cannot be read: %s",
                        strerror(errno));
  }
  const char** list = NULL;
  int n = 0, capacity = 0;
  lb_status status = LB_OK;
  for (const struct dirent* entry; status == LB_OK && (entry = readdir(open));) {
    if (entry->d_name[0] == '.' || !lb_path_has(entry->d_name, ".npz") ||
        strcmp(entry->d_name, "full.npz") == 0) {
      continue;
    }
    const size_t size = strlen(dir) + strlen(entry->d_name) + 2;
    char* text = LB_TAKE(arena, char, size);
    const char** grown = LB_GROW(arena, list, n, &capacity);
    if (!text || !grown) {
      status = LB_NO_MEMORY;
      break;
    }
    snprintf(text, size, "%s/%s", dir, entry->d_name);
    list = grown;
    list[n++] = text;
  }
  closedir(open);
  if (n) {
    qsort(list, (size_t)n, sizeof *list, by_name);
  }
  *path = list;
  *count = n;
  return status;
}

// Every elastic body that the file was made for gets it; returns how many.
static int give(lb_scene* scene, const lb_stored* stored, const char* path, lb_arena* arena) {
  int given = 0;
  for (int i = 0; i < scene->nbody; i++) {
    lb_scene_body* body = &scene->body[i];
    bool meant = false;
    for (int k = 0; k < stored->nbody; k++) {
      meant |= strcmp(stored->body[k], body->name) == 0;
    }
    lb_scene_elastic* e = meant && body->elastic ? LB_TAKE(arena, lb_scene_elastic, 1) : NULL;
    if (e) {
      *e = *body->elastic;
      e->stored = stored;
      e->stored_file = path;
      body->elastic = e;
      given++;
    }
  }
  return given;
}

static lb_status take_files(lb_scene* scene, const char* dir, lb_arena* arena, lb_error* err) {
  const char** path = NULL;
  int count = 0, given = 0;
  lb_status status = list_files(dir, arena, &path, &count, err);
  for (int i = 0; i < count && status == LB_OK; i++) {
    lb_stored* stored = LB_TAKE(arena, lb_stored, 1);
    status = stored ? lb_stored_read(path[i], (lb_place){0}, arena, stored, err) : LB_NO_MEMORY;
    given += status == LB_OK ? give(scene, stored, path[i], arena) : 0;
  }
  if (status == LB_OK && given == 0) {
    return lb_error_add(err, LB_INVALID, (lb_place){.file = dir},
                        "none of the %d .npz files there is of an elastic body of this scene",
                        count);
  }
  return status == LB_OK ? lb_scene_check(scene, err) : status;
}

lb_status lb_scene_take_bases(lb_scene* scene, const char* dir, lb_error* err) {
  lb_arena* arena = scene->storage;
  const size_t size = (size_t)scene->nbody * sizeof *scene->body;
  lb_scene_body* before = LB_TAKE(arena, lb_scene_body, scene->nbody);
  lb_status status = LB_NO_MEMORY;
  if (before) {
    memcpy(before, scene->body, size);
    status = take_files(scene, dir, arena, err);
  }
  if (before && status != LB_OK) {
    memcpy(scene->body, before, size);
  }
  return status == LB_NO_MEMORY
             ? lb_error_add(err, status, (lb_place){.file = dir}, "no memory to read it")
             : status;
}
