// Fuzzing of the reader of VTK's legacy files, and of what is done to a mesh once it is read.
#include "fuzz_tetmesh.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz_tetmesh(lb_tetmesh_parse_vtk, data, size);
  return 0;
}
