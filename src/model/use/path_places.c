// Places of the points of a path, those that come in over a part of a coordinate included.
#include "math/curve/time_profile.h"
#include "model/use/model_path.h"

lb_transform lb_path_item_frame(const lb_path_item* item, const lb_transform* pose) {
  return item->body == LB_WORLD ? item->in_body : lb_transform_mul(pose[item->body], item->in_body);
}

lb_vec3 lb_path_item_place(const lb_path_item* item, lb_transform X, const double* q) {
  double f[3][3];
  if (item->q < 0) {
    return X.p;
  }
  for (int k = 0; k < 3; k++) {
    lb_profile_evaluate(item->along[k], q[item->q], f[k]);
  }
  return lb_transform_point(X, lb_vec3_make(f[0][0], f[1][0], f[2][0]));
}

lb_node_group lb_path_blend_group(int n, const lb_path_item* item) {
  lb_node_group g = {.type = &lb_group_blend, .n = n, .nplace = 2 + n, .ncoordinate = n};
  for (int i = 0; i < n; i++) {
    g.range[i] = item[i].range;
  }
  return g;
}

// Points from `first` on that come and go, between two that do not.
static int blend(const lb_model_path* path, int first, const double* q, lb_vec3* x) {
  lb_group_solution s;
  lb_vec3 place[LB_GROUP_PLACES];
  double coordinate[LB_GROUP_NODES] = {0};
  int n = 0;
  for (; lb_path_item_blends(&path->item[first + n]); n++) {
    coordinate[n] = q[path->item[first + n].condition];
    place[2 + n] = s.x[n] = x[first + n];
  }
  place[0] = x[first - 1];
  place[1] = x[first + n];
  const lb_node_group g = lb_path_blend_group(n, &path->item[first]);
  lb_group_solve(&g, &s, place, coordinate);
  for (int i = 0; i < n; i++) {
    x[first + i] = s.x[i];
  }
  return n;
}

void lb_path_places(const lb_model_path* path, const lb_transform* frame, const double* q,
                    lb_vec3* out) {
  for (int i = 0; i < path->count; i++) {
    out[i] = path->item[i].wraps ? frame[i].p : lb_path_item_place(&path->item[i], frame[i], q);
  }
  for (int i = 0; i < path->count; i++) {
    if (lb_path_item_blends(&path->item[i])) {
      i += blend(path, i, q, out);
    }
  }
}
