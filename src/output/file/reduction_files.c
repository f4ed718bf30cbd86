// Files of a reduction: one for each reduced body, and the figures.
#include <stdio.h>
#include <string.h>

#include "elastic/reduced/stored.h"
#include "limber/reduce.h"
#include "limber/version.h"
#include "output/file/whole_file.h"
#include "output/file/writers.h"
#include "solve/full/full_run.h"

static lb_status no_bytes(lb_status status, const char* name, lb_error* err) {
  return lb_error_add(err, status, (lb_place){.file = name},
                      status == LB_NO_MEMORY ? "no memory to write it"
                                             : "it would be larger than 2 GiB (take fewer frames)");
}

static lb_status write_body(const lb_reduce_body* b, const char* dir, const lb_allocator* allocator,
                            lb_error* err) {
  lb_arena scratch;
  lb_arena_init(&scratch, allocator);
  const size_t length = strlen(b->name[0]) + 6;
  char* name = LB_TAKE(&scratch, char, length);
  lb_bytes bytes = {0};
  lb_status status =
      name ? lb_stored_pack(b->stored, &scratch, &bytes.data, &bytes.size) : LB_NO_MEMORY;
  if (status == LB_OK) {
    const char* apart = strcmp(b->name[0], "full") == 0 ? "_" : ""; // that is the run's name
    snprintf(name, length, "%s%s.npz", b->name[0], apart);
    for (char* c = name; *c; c++) {
      *c = *c == '/' ? '_' : *c; // a name, not a path
    }
    status = lb_file_write(dir, name, lb_file_bytes, &bytes, allocator, err);
  } else {
    no_bytes(status, b->name[0], err);
  }
  lb_arena_release(&scratch);
  return status;
}

lb_status lb_full_run_write(const lb_full_run* run, const char* dir, const lb_allocator* allocator,
                            lb_error* err) {
  lb_status status = lb_folder_create(dir, allocator, err);
  if (status != LB_OK) {
    return status;
  }
  lb_arena scratch;
  lb_arena_init(&scratch, allocator);
  lb_bytes bytes = {0};
  status = lb_full_run_pack(run, &scratch, &bytes.data, &bytes.size);
  status = status == LB_OK ? lb_file_write(dir, "full.npz", lb_file_bytes, &bytes, allocator, err)
                           : no_bytes(status, "full.npz", err);
  lb_arena_release(&scratch);
  return status;
}

// --- summary.json ---

static void write_replay(lb_out* out, const char* key, const lb_reduce_replay* r) {
  lb_print_json(out,
                ",\n  '%-s': {'basis': %s, 'coordinates': %d, 'face_error': %g, 'face_rms': %g, "
                "'face_amplitude': %g, 'body_error': %g, 'steps_per_second': %g, 'failed': %-s}",
                key, r->name, r->coordinates, r->face_error, r->face_rms, r->face_amplitude,
                r->body_error, r->steps_per_second, r->failed ? "true" : "false");
}

static void write_one(lb_out* out, const lb_reduce_body* b) {
  lb_out_text(out, "{\"bodies\": [");
  for (int i = 0; i < b->nbody; i++) {
    lb_print_json(out, "%-s%s", i ? ", " : "", b->name[i]);
  }
  lb_print_json(out,
                "], 'coordinates': %d, 'points': %d, 'nodes': %d, 'snapshots': %d, 'missed': %g, "
                "'unseen': %g, 'cubature_error': %g, 'face_error': %g, 'face_rms': %g}",
                b->r, b->points, b->nodes, b->samples, b->missed, b->unseen, b->cubature,
                b->face_error, b->face_rms);
}

static void write_summary(lb_out* out, const void* of) {
  const lb_reduction* r = of;
  lb_print_json(out,
                "{\n  'limber': %s,\n  'job': 'reduce',\n  'scene': %s,\n  'frames': %d,\n"
                "  'full_degrees_of_freedom': %d,\n  'full_seconds': %g,\n"
                "  'full_steps_per_second': %g,\n  'reduced': [",
                lb_version(), r->scene, r->frames, r->degrees, r->full_seconds,
                r->full_steps_per_second);
  for (int i = 0; i < r->nbody; i++) {
    lb_out_text(out, i ? ",\n    " : "\n    ");
    write_one(out, &r->body[i]);
  }
  lb_out_text(out, "\n  ]");
  lb_print_scene_path(out, r->scene);
  write_replay(out, "principal", &r->replay[LB_REPLAY_PCA]);
  write_replay(out, "linear", &r->replay[LB_REPLAY_LINEAR]);
  write_replay(out, "scene_basis", &r->replay[LB_REPLAY_SCENE]);
  lb_out_text(out, "\n}\n");
}

lb_status lb_reduction_write(const lb_reduction* r, const char* dir, lb_error* err) {
  const lb_allocator* allocator = ((const lb_arena*)r->storage)->allocator;
  lb_status status = lb_folder_create(dir, allocator, err);
  for (int i = 0; i < r->nbody && status == LB_OK; i++) {
    status = write_body(&r->body[i], dir, allocator, err);
  }
  // last: where it is new, the others are done
  return status == LB_OK ? lb_file_write(dir, "summary.json", write_summary, r, allocator, err)
                         : status;
}
