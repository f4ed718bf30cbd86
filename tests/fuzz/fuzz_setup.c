// Fuzzing the readers of OpenSim's setups, by the jobs that take them: tools in place of a scene,
// tasks, external loads, scaling and controls. A folder has a model and tables that good setups
// name.
#define LB_FUZZED "setup.xml"
#include "fuzz_job.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const char* const IN_PLACE[] = {"ik", "inverse", "muscle static", "analyse", "simulate"};
  prepare();
  put(LB_FUZZED, data, size);
  const char *setup = path_of(LB_FUZZED), *model = path_of("model.osim"),
             *motion = path_of("motion.mot");
  for (size_t i = 0; i < sizeof IN_PLACE / sizeof *IN_PLACE; i++) {
    load(options(IN_PLACE[i], setup));
  }
  lb_job_options inverse = options("inverse", model), simulate = options("simulate", model);
  inverse.table = motion;
  inverse.forces = setup;
  load(inverse);
  inverse.forces = NULL;
  inverse.scale = setup;
  load(inverse);
  simulate.controls = setup;
  load(simulate);
  return 0;
}
