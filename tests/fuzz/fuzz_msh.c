// Fuzzing of the reader of Gmsh's files, and of what is done to a mesh once it is read.
#include "fuzz_tetmesh.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz_tetmesh(lb_tetmesh_parse_gmsh, data, size);
  return 0;
}
