// Networks that are asked for what they were not trained for.
#include "geom/path/wrap_network.h"
#include "model/use/model_path.h"

const lb_path_item* lb_model_path_strays(const lb_model_path* path, const lb_transform* pose,
                                         const double* q, const char** range) {
  const lb_path_item* surface = NULL;
  lb_transform frame[LB_PATH_MOST_POINTS];
  lb_vec3 last = {0}, place[LB_PATH_MOST_POINTS];
  for (int i = 0; i < path->count; i++) {
    frame[i] = lb_path_item_frame(&path->item[i], pose);
  }
  lb_path_places(path, frame, q, place);
  for (int i = 0; i < path->count; i++) {
    const lb_path_item* item = &path->item[i];
    if (item->wraps) {
      surface = item->wrap.network ? item : NULL;
    } else if (lb_path_item_counts(item, q)) {
      const lb_vec3 x = place[i];
      if (surface) {
        const lb_transform X = lb_path_item_frame(surface, pose);
        *range = lb_wrap_network_strays(surface->wrap.network, surface->wrap.size.x,
                                        lb_path_into(X, last), lb_path_into(X, x));
        if (*range) {
          return surface;
        }
      }
      surface = NULL;
      last = x;
    }
  }
  return NULL;
}
