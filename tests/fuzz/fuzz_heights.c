// Fuzzing of the reader of height fields, and of what is done to one once it is read.
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_error err = lb_error_make(NULL);
  lb_height_grid grid;
  const lb_status status =
      lb_heights_parse((const char*)data, size, "fuzz", 0.1, &arena, &grid, &err);
  fuzz_expect((status == LB_OK) == (err.count == 0));
  if (status == LB_OK) {
    const lb_shape shape = {.type = LB_SHAPE_HEIGHTS, .grid = &grid};
    lb_mesh drawn;
    lb_vec3* normal;
    fuzz_expect(lb_shape_check(&shape, (lb_place){0}, &err) == LB_OK);
    fuzz_expect(lb_shape_tessellate(&shape, 8, &arena, &drawn, &normal) == LB_OK);
    fuzz_expect(drawn.nface == 2 * (grid.nx - 1) * (grid.ny - 1));
  }
  lb_error_clear(&err);
  lb_arena_release(&arena);
  return 0;
}
