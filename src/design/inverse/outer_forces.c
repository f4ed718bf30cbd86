// Measured forces on bodies: a table with columns by the bodies' names, or ExternalLoads of
// OpenSim's, which say whose the columns of a table are.
#include <stdio.h>
#include <string.h>

#include "geom/mesh/file_load.h"
#include "limber/inverse.h"
#include "scene/opensim/osim_setup.h"
#include "scene/table/external_table.h"
#include "scene/table/number_table.h"
#include "scene/yaml/names.h"

enum { NAME_SIZE = 128 };

// --- tables ---

static const char* const PART[] = {"fx", "fy", "fz", "mx", "my", "mz", "px", "py", "pz"};
enum { NPART = sizeof PART / sizeof *PART, FORCE = 0, POINT = 6 };

// The columns of a body's force, moment and point, -1 where there is none; how many there are.
static int find_columns(const lb_numbers* n, const char* body, int column[NPART]) {
  int count = 0;
  for (int k = 0; k < NPART; k++) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%.64s.%s", body, PART[k]);
    column[k] = lb_numbers_column(n, name);
    count += column[k] >= 0;
  }
  return count;
}

// Dot in a heading that ends as those of forces do, or NULL.
static const char* find_part(const char* heading) {
  const char* dot = strrchr(heading, '.');
  for (int k = 0; dot && k < NPART; k++) {
    if (strcmp(dot + 1, PART[k]) == 0) {
      return dot;
    }
  }
  return NULL;
}

static bool is_further(const char* heading) {
  return !find_part(heading);
}

// The three columns from `first` on, which are a body's `what`.
static lb_status check_three(const lb_numbers* n, const char* body, const char* what, int first,
                             const int column[NPART], lb_error* err) {
  for (int k = first; k < first + 3; k++) {
    if (column[k] < 0) {
      char name[NAME_SIZE], owner[NAME_SIZE];
      snprintf(name, sizeof name, "%.64s.%s", body, PART[k]);
      snprintf(owner, sizeof owner, "the %s on body '%.64s', which needs %s, %s and %s", what, body,
               PART[first], PART[first + 1], PART[first + 2]);
      return lb_numbers_lack(n, name, owner, is_further, err);
    }
  }
  return LB_OK;
}

// Parts of a moment that are left out are zero, as of a plate that only twists; of a point they
// would put the force elsewhere.
static lb_status check_columns(const lb_numbers* n, const char* body, const int column[NPART],
                               lb_error* err) {
  const lb_status status = check_three(n, body, "force", FORCE, column, err);
  const bool point = column[POINT] >= 0 || column[POINT + 1] >= 0 || column[POINT + 2] >= 0;
  return status == LB_OK && point ? check_three(n, body, "point", POINT, column, err) : status;
}

// Further columns do no harm, but a force that goes to a misspelt body would be lost.
static lb_status check_bodies(const lb_numbers* n, const lb_model* m, lb_error* err) {
  for (int i = 1; i < n->ncolumn; i++) {
    const char* dot = find_part(n->name[i]);
    char body[NAME_SIZE];
    bool known = !dot;
    snprintf(body, sizeof body, "%.*s", dot ? (int)(dot - n->name[i]) : 0, n->name[i]);
    lb_nearest nearest = lb_nearest_to(body);
    for (int b = 0; b < m->nbody; b++) {
      known = known || strcmp(m->body.name[b], body) == 0;
      lb_nearest_offer(&nearest, m->body.name[b]);
    }
    if (!known && nearest.best) {
      return lb_error_add(err, LB_INVALID, n->place[i],
                          "column '%s' belongs to no body of the scene (did you mean '%s%s'?)",
                          n->name[i], nearest.best, dot);
    }
  }
  return LB_OK;
}

static lb_status no_body(const lb_numbers* n, lb_error* err) {
  if (n->kind == LB_TABLE_MARKERS) {
    return lb_error_add(err, LB_INVALID, (lb_place){n->file, 1, 1}, "these are markers, no forces");
  }
  if (n->kind == LB_TABLE_MOTION) {
    return lb_error_add(err, LB_INVALID, n->place[n->ncolumn > 1],
                        "this table does not say on which bodies its forces act (give the "
                        "ExternalLoads, a .xml that names this table)");
  }
  return lb_error_add(err, LB_INVALID, n->place[n->ncolumn > 1],
                      "no column belongs to a body of the scene (call them NAME.fx, NAME.fy and "
                      "NAME.fz by the bodies' names)");
}

// The columns of one body.
static lb_status take_body(const lb_numbers* n, const lb_model* m, int body, lb_arena* arena,
                           lb_outer_forces* x, lb_error* err) {
  int column[NPART];
  if (find_columns(n, m->body.name[body], column) == 0) {
    return LB_OK;
  }
  const lb_status status = check_columns(n, m->body.name[body], column, err);
  lb_scene_external* e = &x->item[x->count++];
  *e = (lb_scene_external){
      .name = m->body.name[body], .body = body, .force_in = LB_WORLD, .point_in = LB_WORLD};
  return status == LB_OK ? lb_external_take(e, n, column, arena, err) : status;
}

static lb_status read_table(const char* path, const lb_model* m, lb_arena* arena,
                            lb_outer_forces* x, lb_error* err) {
  lb_numbers n;
  lb_status status = lb_numbers_read(path, "table of forces", arena, &n, err);
  status = status == LB_OK ? check_bodies(&n, m, err) : status;
  x->item = LB_TAKE(arena, lb_scene_external, m->nbody);
  if (status == LB_OK && !x->item) {
    return lb_table_lack(path, err);
  }
  for (int b = 0; b < m->nbody && status == LB_OK; b++) {
    status = take_body(&n, m, b, arena, x, err);
  }
  if (status != LB_OK || x->count == 0) {
    return status != LB_OK ? status : no_body(&n, err);
  }
  return lb_numbers_pass_on(&n, arena, &x->nnote, &x->note) ? LB_OK : lb_table_lack(path, err);
}

// --- external loads ---

// Body of the model by its name; NULL: the world. False: there is none, which is reported.
static bool find_body(const lb_model* m, const char* name, const lb_load_columns* load, int* body,
                      lb_error* err) {
  *body = LB_WORLD;
  lb_nearest nearest = lb_nearest_to(name ? name : "");
  for (int b = 0; name && b < m->nbody; b++) {
    if (strcmp(m->body.name[b], name) == 0) {
      *body = b;
    }
    lb_nearest_offer(&nearest, m->body.name[b]);
  }
  if (name && *body == LB_WORLD) {
    const char* near = nearest.best;
    lb_error_add(err, LB_INVALID, load->place, "'%.60s': there is no body '%.60s'%s%s%s",
                 load->name, name, near ? " (did you mean '" : "", near ? near : "",
                 near ? "'?)" : "");
    return false;
  }
  return true;
}

static lb_status take_load(const lb_load_columns* load, const lb_numbers* n, const lb_model* m,
                           lb_arena* arena, lb_scene_external* e, lb_error* err) {
  *e = (lb_scene_external){.name = load->name,
                           .place = load->place,
                           .force = load->force,
                           .point = load->point,
                           .torque = load->torque};
  const bool known = find_body(m, load->body, load, &e->body, err) &&
                     find_body(m, load->force_in, load, &e->force_in, err) &&
                     find_body(m, load->point_in, load, &e->point_in, err);
  return known ? lb_external_fill(e, n, arena, err) : LB_INVALID;
}

static lb_status read_loads(const char* path, const lb_model* m, lb_arena* arena,
                            lb_outer_forces* x, lb_error* err) {
  lb_osim_loads loads;
  lb_numbers n;
  lb_status status = lb_osim_loads_read(path, arena, &loads, err);
  if (status == LB_OK) {
    status = lb_numbers_read_rows(loads.data.path, "table of forces", loads.data.place, 2, arena,
                                  &n, err);
  }
  if (status != LB_OK) {
    return status;
  }
  x->item = LB_TAKE(arena, lb_scene_external, loads.count);
  x->nnote = loads.nnote;
  x->note = loads.note;
  if (!x->item || !lb_numbers_pass_on(&n, arena, &x->nnote, &x->note)) {
    return lb_table_lack(path, err);
  }
  for (int i = 0; i < loads.count; i++) {
    const lb_status one = take_load(&loads.item[i], &n, m, arena, &x->item[x->count++], err);
    status = status == LB_OK ? one : status;
  }
  return status;
}

lb_status lb_outer_forces_read(const char* path, const lb_model* model,
                               const lb_allocator* allocator, lb_outer_forces** forces,
                               lb_error* err) {
  lb_arena arena;
  lb_arena_init(&arena, allocator);
  lb_outer_forces* x = LB_TAKE(&arena, lb_outer_forces, 1);
  lb_status status =
      !x ? lb_table_lack(path, err)
         : (lb_path_has(path, ".xml") ? read_loads : read_table)(path, model, &arena, x, err);
  void* storage = NULL;
  status = lb_table_keep(&arena, status, path, &storage, err);
  if (status == LB_OK) {
    x->storage = storage;
    *forces = x;
  }
  return status;
}

void lb_outer_forces_release(lb_outer_forces* forces) {
  if (forces) {
    lb_arena_release_kept(forces->storage);
  }
}
