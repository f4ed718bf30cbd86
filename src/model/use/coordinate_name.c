#include "model/use/coordinate_name.h"

#include <stdio.h>
#include <string.h>

static const char* name_of(lb_arena* arena, const lb_model* m, int joint, int k) {
  const int v = m->joint.v[joint] + k;
  if (m->dof.name && m->dof.name[v]) {
    return m->dof.name[v];
  }
  if (m->joint.nv[joint] == 1) {
    return m->joint.name[joint];
  }
  const size_t size = strlen(m->joint.name[joint]) + 16;
  char* name = LB_TAKE(arena, char, size);
  if (name) {
    snprintf(name, size, "%s.%d", m->joint.name[joint], k);
  }
  return name;
}

lb_status lb_coordinate_names(lb_arena* arena, const lb_model* m, const char*** names,
                              lb_error* err) {
  const char** out = LB_TAKE(arena, const char*, m->nv);
  for (int j = 0; out && j < m->njoint; j++) {
    for (int k = 0; k < m->joint.nv[j]; k++) {
      out[m->joint.v[j] + k] = name_of(arena, m, j, k);
    }
  }
  *names = out;
  return lb_arena_check(arena, "names of coordinates", err);
}
