// Fuzzing of the OBJ reader, and of what is done to a mesh once it is read.
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz_mesh(lb_mesh_parse_obj, data, size);
  return 0;
}
