#include "model/use/coordinate_name.h"

#include <stdio.h>

int lb_joint_of(const lb_model* m, int v) {
  for (int j = 0; j < m->njoint; j++) {
    if (v >= m->joint.v[j] && v < m->joint.v[j] + m->joint.nv[j]) {
      return j;
    }
  }
  return -1;
}

// As snprintf: the length that it has whole.
static int print_name(const lb_model* m, int v, char* out, size_t size) {
  const int j = lb_joint_of(m, v);
  if (m->dof.name && m->dof.name[v]) {
    return snprintf(out, size, "%s", m->dof.name[v]);
  }
  if (j < 0) {
    return snprintf(out, size, "velocity.%d", v);
  }
  return m->joint.nv[j] > 1 ? snprintf(out, size, "%s.%d", m->joint.name[j], v - m->joint.v[j])
                            : snprintf(out, size, "%s", m->joint.name[j]);
}

const char* lb_coordinate_name(const lb_model* m, int v, char out[LB_COORDINATE_NAME]) {
  print_name(m, v, out, LB_COORDINATE_NAME);
  return out;
}

lb_status lb_coordinate_names(lb_arena* arena, const lb_model* m, const char*** names,
                              lb_error* err) {
  const char** out = LB_TAKE(arena, const char*, m->nv);
  for (int v = 0; out && v < m->nv; v++) {
    const size_t size = (size_t)print_name(m, v, NULL, 0) + 1;
    char* name = LB_TAKE(arena, char, size);
    if (name) {
      print_name(m, v, name, size);
    }
    out[v] = name;
  }
  *names = out;
  return lb_arena_check(arena, "names of coordinates", err);
}
