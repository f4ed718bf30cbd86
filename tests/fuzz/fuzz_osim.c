// Fuzzing the reader of OpenSim's models: any bytes at all must give a scene or messages, and any
// scene a model that moves, or messages.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "limber/dynamics.h"
#include "limber/model.h"
#include "scene/yaml/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Its model, where there is one, and what moves it at the start.
static void build(const lb_scene* scene) {
  lb_model* m = NULL;
  lb_data* d = NULL;
  lb_error err = lb_error_make(NULL);
  const lb_status status = lb_model_create(scene, NULL, &m, &err);
  if ((status == LB_OK) != (err.count == 0)) {
    abort();
  }
  if (status == LB_OK && lb_data_create(m, NULL, &d, NULL) == LB_OK) {
    lb_kinetic_energy(m, d);
    lb_potential_energy(m, d);
  }
  lb_data_release(d);
  lb_model_release(m);
  lb_error_clear(&err);
}

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
    build(&scene);
    lb_scene_release(&scene);
  }
  lb_error_clear(&err);
  return 0;
}
