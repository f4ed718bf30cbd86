// Fuzzing the scene reader: any bytes at all must give a scene or messages, and nothing else. No
// file is opened, so includes and meshes fail; their readers have targets of their own.
#include <stdint.h>
#include <stdlib.h>

#include "scene/yaml/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  const lb_status status =
      lb_scene_parse_alone((const char*)data, size, "fuzz.yaml", NULL, &scene, &err);
  // a failure explains itself, and what was read passes the check again
  if ((status == LB_OK) != (err.count == 0)) {
    abort();
  }
  if (status == LB_OK) {
    if (lb_scene_check(&scene, NULL) != LB_OK) {
      abort();
    }
    lb_scene_release(&scene);
  }
  lb_error_clear(&err);
  return 0;
}
