// Fuzzing of the reader of tables of markers.
#include <stdint.h>
#include <stdlib.h>

#include "limber/fit.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void expect(bool holds) {
  if (!holds) {
    abort();
  }
}

// Times rise and are finite; what there is can be read.
static void use(const lb_markers* m) {
  expect(m->nmarker > 0 && m->nsample > 0);
  for (int i = 0; i < m->nsample; i++) {
    expect(i == 0 || m->time[i] > m->time[i - 1]);
    for (int k = 0; k < 3 * m->nmarker; k++) {
      const double x = m->x[3 * m->nmarker * i + k];
      expect(x != x || (x - x == 0)); // missing or finite
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lb_scene_body body[] = {{.name = "a"}, {.name = "bb"}};
  lb_scene_marker marker[] = {{.name = "left"}, {.name = "right", .body = 1}};
  for (int marked = 0; marked < 2; marked++) {
    lb_scene scene = lb_scene_default();
    scene.nbody = 2;
    scene.body = body;
    scene.nmarker = marked ? 2 : 0;
    scene.marker = marker;
    lb_error err = lb_error_make(NULL);
    lb_markers* m = NULL;
    const lb_status status =
        lb_markers_parse((const char*)data, size, "fuzz", &scene, true, NULL, &m, &err);
    expect((status == LB_OK) == (err.count == 0) && (status == LB_OK) == (m != NULL));
    if (m) {
      use(m);
    }
    lb_markers_release(m);
    lb_error_clear(&err);
  }
  return 0;
}
