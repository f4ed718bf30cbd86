#include "elastic/reduced/stored_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiled.h"
#include "base/hash.h"
#include "limber/version.h"

// Goes up whenever the same mesh and options make another body.
enum { RECIPE = 1 };
enum { MOST_PATH = 4096 };

// --- names ---

typedef struct key {
  uint64_t half[2];
} key;

static void add(key* k, const void* bytes, size_t size) {
  k->half[0] = lb_hash(k->half[0], bytes, size);
  k->half[1] = lb_hash(k->half[1], &k->half[0], sizeof k->half[0]);
}

static void add_text(key* k, const char* text) {
  add(k, text, strlen(text) + 1);
}

static void add_mesh(key* k, const lb_tetmesh* mesh) {
  const int count[] = {mesh->order, mesh->nnode, mesh->nelem, mesh->nregion};
  const size_t corners = mesh->order == 2 ? 10 : 4;
  add(k, count, sizeof count);
  add(k, mesh->node, (size_t)mesh->nnode * sizeof *mesh->node);
  add(k, mesh->elem, (size_t)mesh->nelem * corners * sizeof *mesh->elem);
  add(k, mesh->region, (size_t)mesh->nelem * sizeof *mesh->region);
}

static void add_material(key* k, const lb_material* m) {
  const double number[] = {m->young, m->poisson, m->density, m->alpha, m->beta};
  add_text(k, lb_material_name(m->model));
  add(k, number, sizeof number);
}

static void add_face(key* k, const char* name, const lb_basis_face* face) {
  const int number[] = {face->count, face->rigid};
  add_text(k, name);
  add(k, number, sizeof number);
  add(k, face->node, (size_t)face->count * sizeof *face->node);
  add(k, face->weight, (size_t)face->count * sizeof *face->weight);
}

static key key_of(const lb_stored_input* in, const lb_basis_options* basis) {
  const lb_cubature_options cubature = lb_cubature_default();
  const double number[] = {cubature.tolerance, cubature.range};
  const int count[] = {RECIPE,         LB_STORED_FORMAT,   basis->modes,
                       basis->most,    basis->derivatives, cubature.most,
                       cubature.poses, cubature.slopes,    in->nface};
  key k = {{LB_HASH_START, LB_HASH_START}};
  add_text(&k, LB_VERSION);
  add_text(&k, lb_build); // so that a run with the file has the bytes of one without
  add(&k, number, sizeof number);
  add(&k, count, sizeof count);
  add_mesh(&k, in->mesh);
  for (int i = 0; i < in->mesh->nregion; i++) {
    add_material(&k, &in->material[i]);
  }
  for (int i = 0; i < in->nface; i++) {
    add_face(&k, in->face_name[i], &in->face[i]);
  }
  return k;
}

static bool path_of(char path[MOST_PATH], const char* folder, const key* k, const char* end) {
  const int n = snprintf(path, MOST_PATH, "%s/%016llx%016llx.npz%s", folder,
                         (unsigned long long)k->half[0], (unsigned long long)k->half[1], end);
  return n > 0 && n < MOST_PATH;
}

// --- reading ---

// The file's own word on what it holds.
static bool is_of(const lb_stored* s, const lb_stored_input* in) {
  const lb_tetmesh* mesh = in->mesh;
  bool same = s->nnode == mesh->nnode && s->nelem == mesh->nelem && s->nface == in->nface &&
              s->nregion == mesh->nregion && s->elem_nodes == (mesh->order == 2 ? 10 : 4) &&
              memcmp(s->mesh.node, mesh->node, (size_t)s->nnode * sizeof *mesh->node) == 0 &&
              memcmp(s->mesh.element, mesh->elem,
                     (size_t)(s->nelem * s->elem_nodes) * sizeof *mesh->elem) == 0;
  for (int i = 0; same && i < s->nregion; i++) {
    same = s->material.young[i] == in->material[i].young &&
           s->material.density[i] == in->material[i].density;
  }
  for (int i = 0; same && i < in->nface; i++) {
    same = strcmp(s->face.name[i], in->face_name[i]) == 0;
  }
  return same;
}

bool lb_cache_find(const char* folder, const lb_stored_input* in, const lb_basis_options* basis,
                   lb_arena* arena, lb_stored* stored) {
  const key k = key_of(in, basis);
  char path[MOST_PATH];
  struct stat info;
  lb_stored found;
  const bool there = path_of(path, folder, &k, "") && stat(path, &info) == 0 &&
                     S_ISREG(info.st_mode) && // nothing that could be waited for
                     lb_stored_read(path, (lb_place){0}, arena, &found, NULL) == LB_OK &&
                     is_of(&found, in);
  if (there) {
    *stored = found;
  }
  return there;
}

// --- writing ---

static bool write_all(int file, const char* bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t n = write(file, bytes + done, size - done);
    if (n <= 0) {
      return false;
    }
    done += (size_t)n;
  }
  return true;
}

static void write_aside(const char* path, const char* aside, const char* bytes, size_t size) {
  const int file = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) {
    return;
  }
  const bool written = write_all(file, bytes, size) && fsync(file) == 0;
  if ((close(file) != 0) | !written || rename(aside, path) != 0) {
    unlink(aside);
  }
}

// The folder and those above it; one that cannot be made is told by what is opened there.
static void make_folders(const char* folder) {
  char path[MOST_PATH];
  const size_t length = strlen(folder);
  for (size_t i = 1; i <= length && length < MOST_PATH; i++) {
    if (folder[i] == '/' || folder[i] == 0) {
      memcpy(path, folder, i);
      path[i] = 0;
      mkdir(path, 0777);
    }
  }
}

void lb_cache_keep(const char* folder, const lb_stored_input* in, const lb_basis_options* basis,
                   const lb_allocator* allocator) {
  const key k = key_of(in, basis);
  char path[MOST_PATH], aside[MOST_PATH], end[48];
  char* bytes = NULL;
  size_t size = 0;
  lb_stored stored;
  lb_arena arena;
  snprintf(end, sizeof end, ".%ld-%p.part", (long)getpid(), (const void*)&arena);
  if (!path_of(path, folder, &k, "") || !path_of(aside, folder, &k, end)) {
    return;
  }
  lb_arena_init(&arena, allocator);
  if (lb_stored_make(in, &arena, &stored) == LB_OK &&
      lb_stored_pack(&stored, &arena, &bytes, &size) == LB_OK) {
    make_folders(folder);
    write_aside(path, aside, bytes, size);
  }
  lb_arena_release(&arena);
}
