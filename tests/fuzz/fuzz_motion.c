// Fuzzing tables beside a model, by the jobs that take them: motions, states, controls and markers.
#define LB_FUZZED "fuzzed.sto"
#include "fuzz_job.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  prepare();
  put(LB_FUZZED, data, size);
  const char *table = path_of(LB_FUZZED), *model = path_of("model.osim");
  lb_job_options inverse = options("inverse", model), states = options("simulate", model),
                 controls = options("simulate", model), ik = options("ik", model);
  inverse.table = ik.table = table;
  states.states = table;
  controls.controls = table;
  load(inverse);
  load(states);
  load(controls);
  load(ik);
  return 0;
}
