// Fuzzing the reader of OpenSim's models: any bytes at all must give a scene or messages.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "scene/yaml/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lb_scene scene;
  lb_error err = lb_error_make(NULL);
  const lb_status status =
      lb_scene_parse_alone((const char*)data, size, "fuzz.osim", NULL, &scene, &err);
  if ((status == LB_OK) != (err.count == 0)) {
    abort();
  }
  if (status == LB_OK) {
    // what was read passes the check again, and what it is converted to reads
    lb_scene again;
    if (lb_scene_check(&scene, NULL) != LB_OK || !scene.converted ||
        lb_scene_parse_alone(scene.converted, strlen(scene.converted), "fuzz.yaml", NULL, &again,
                             NULL) != LB_OK) {
      abort();
    }
    lb_scene_release(&again);
    lb_scene_release(&scene);
  }
  lb_error_clear(&err);
  return 0;
}
