// Fuzzing the reader of tables: .mot, .sto and .trc files, and cells.
#include <stdint.h>
#include <stdlib.h>

#include "scene/table/number_table.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lb_arena arena;
  lb_numbers n;
  lb_error err = lb_error_make(NULL);
  lb_arena_init(&arena, NULL);
  lb_status status = lb_numbers_begin(&n, "fuzz.mot", (const char*)data, size, "", &arena, &err);
  status = status == LB_OK ? lb_numbers_lines(&n) : status;
  if ((status == LB_OK) != (err.count == 0)) {
    abort();
  }
  for (int i = 1; i < n.nrow && status == LB_OK; i++) { // times rise
    if (!(n.value[(size_t)i * (size_t)n.ncolumn] > n.value[(size_t)(i - 1) * (size_t)n.ncolumn])) {
      abort();
    }
  }
  if (status == LB_OK) {
    lb_motion_column(&n, "angle", true);
  }
  lb_error_clear(&err);
  lb_arena_release(&arena);
  return 0;
}
