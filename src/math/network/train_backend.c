#include <dlfcn.h>
#include <string.h>

#include "math/network/train.h"

const lb_train_backend* lb_train_backend_find(const char* name, const char** why) {
  if (strcmp(name, lb_train_cpu.name) == 0) {
    return &lb_train_cpu;
  }
  *why = "is not known (it is 'cpu' or 'cuda')";
  if (strcmp(name, "cuda") != 0) {
    return NULL;
  }
  void* module = dlopen("liblimber-cuda.so", RTLD_NOW | RTLD_LOCAL); // for as long as the process
  const lb_train_backend* found = module ? dlsym(module, "lb_train_cuda") : NULL;
  *why = "cannot be used: the module liblimber-cuda.so, or what it needs, is not there ('make "
         "cuda' builds it, where there is a CUDA toolkit)";
  return found;
}
