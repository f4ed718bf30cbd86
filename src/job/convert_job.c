// Conversion of a model to a scene: the same nodes as YAML, and a picture of it at its start.
#include <stdio.h>
#include <string.h>

#include "job/job_inside.h"
#include "job/job_text.h"
#include "output/file/whole_file.h"
#include "output/file/writers.h"
#include "solve/run/frames.h"

typedef struct convert_job {
  lb_recording* start;
} convert_job;

static lb_status load(lb_job* j, lb_error* err) {
  convert_job* own = j->own;
  if (!j->scene.converted) {
    return lb_error_add(err, LB_INVALID, (lb_place){j->o.scene, 0, 0},
                        "this is a scene already (a model that can be converted ends in .osim)");
  }
  const lb_status status = lb_job_make_model(j, err);
  return status == LB_OK ? lb_job_record(j, j->model, &own->start, err) : status;
}

// One frame: the start, with loops closed.
static lb_status run(lb_job* j, lb_error* err) {
  convert_job* own = j->own;
  lb_data* d = NULL;
  lb_status status = lb_data_create(j->model, j->arena.allocator, &d, err);
  status = status == LB_OK ? lb_run_begin(j->model, d, err) : status;
  if (status == LB_OK) {
    lb_forward(j->model, d); // forces that the frame tells of
    status = lb_frame_put(own->start, d, err);
  }
  lb_data_release(d);
  j->kept = status == LB_OK;
  return status;
}

// NAME.yaml of "folder/NAME.osim".
static const char* file_name(lb_job* j) {
  const char* path = j->o.scene ? j->o.scene : "scene.osim";
  const char* slash = strrchr(path, '/');
  const char* base = slash ? slash + 1 : path;
  const size_t size = strlen(base) + 8;
  char* name = LB_TAKE(&j->arena, char, size);
  const char* dot = strrchr(base, '.');
  if (name) {
    snprintf(name, size, "%.*s.yaml", (int)(dot && dot > base ? dot - base : (long)strlen(base)),
             base);
  }
  return name;
}

static void write_scene(lb_out* out, const void* of) {
  lb_out_text(out, of);
}

static void write_picture(lb_out* out, const void* of) {
  lb_write_gltf(out, of, 1);
}

static lb_status write(lb_job* j, lb_error* err) {
  const convert_job* own = j->own;
  const lb_allocator* allocator = j->arena.allocator;
  const char* name = file_name(j);
  if (!name) {
    return lb_job_no_memory(err);
  }
  const lb_status status =
      lb_file_write(j->o.out, name, write_scene, j->scene.converted, allocator, err);
  const lb_status picture =
      lb_file_write(j->o.out, "scene.glb", write_picture, own->start, allocator, err);
  return status == LB_OK ? picture : status;
}

static void report(lb_job* j) {
  const lb_scene* s = &j->scene;
  const char* name = file_name(j);
  if (!j->kept || !name) {
    return;
  }
  lb_job_title(j, j->model->name, "%d %s, %s, %s as a scene", s->nbody,
               s->nbody == 1 ? "body" : "bodies", lb_text_count(s->njoint, "joint").text,
               lb_text_count(s->nmuscle, "muscle").text);
  if (j->o.out) {
    lb_job_add(j, LB_SECTION_FILE, name, "the scene");
    lb_job_add(j, LB_SECTION_FILE, "scene.glb", "how it starts, for Blender and glTF viewers");
  }
}

static void release(lb_job* j) {
  lb_recording_release(((convert_job*)j->own)->start);
}

const lb_job_type lb_job_convert = {.name = "convert",
                                    .size = sizeof(convert_job),
                                    .load = load,
                                    .run = run,
                                    .write = write,
                                    .report = report,
                                    .release = release,
                                    .reduced = true};
