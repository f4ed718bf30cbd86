// Parts of paths over surfaces in a recorded motion, and networks there that are asked for what
// they were not trained for.
#include "geom/path/wrap_network.h"
#include "model/use/model_path.h"

// Surfaces in a row, without those that the path cannot go around.
static int place_row(int n, const lb_path_item* const* surface, const lb_transform* pose, lb_vec3 a,
                     lb_vec3 b, lb_placed_span* out) {
  lb_chain_link link[LB_ROW_MOST];
  lb_transform X[LB_ROW_MOST];
  lb_vec3 m[LB_ROW_MOST];
  int count = 0;
  for (int i = 0; i < n; i++) {
    X[count] = lb_path_item_frame(surface[i], pose);
    link[count] = (lb_chain_link){&surface[i]->wrap, lb_quat_matrix(X[count].q), X[count].p};
    out[count].surface = surface[i];
    count += n == 1 || lb_chain_goes_around(&link[count], a, b);
  }
  const bool lost = count > 1 && !lb_wrap_chain(count, link, a, b, m);
  for (int i = 0; i < count; i++) {
    out[i].p = lb_path_into(X[i], i > 0 ? m[i - 1] : a);
    out[i].q = lb_path_into(X[i], i + 1 < count ? m[i] : b);
    out[i].lost = lost;
  }
  return count;
}

// All parts over surfaces, and the length of the whole.
static int place_path(const lb_model_path* path, const lb_transform* pose, const double* q,
                      lb_placed_span* out, double* length) {
  const lb_path_item* surface[LB_ROW_MOST];
  lb_transform frame[LB_PATH_MOST_POINTS];
  lb_vec3 last = {0}, place[LB_PATH_MOST_POINTS];
  int n = 0, count = 0;
  bool any = false;
  for (int i = 0; i < path->count; i++) {
    frame[i] = lb_path_item_frame(&path->item[i], pose);
  }
  lb_path_places(path, frame, q, place);
  *length = 0;
  for (int i = 0; i < path->count; i++) {
    const lb_path_item* item = &path->item[i];
    if (item->wraps) {
      surface[n++] = item;
    } else if (lb_path_item_counts(item, q)) {
      const int more = place_row(n, surface, pose, last, place[i], out + count);
      *length += any && more == 0 ? lb_vec3_norm(lb_vec3_sub(place[i], last)) : 0;
      count += more;
      n = 0;
      last = place[i];
      any = true;
    }
  }
  for (int i = 0; i < count; i++) {
    lb_wrap_path over;
    lb_wrap_find(0, &out[i].surface->wrap, &over, &(lb_path_end){.x = out[i].p},
                 &(lb_path_end){.x = out[i].q});
    *length += lb_taylor_value(lb_wrap_length(&over));
  }
  return count;
}

int lb_model_path_spans(const lb_model_path* path, const lb_transform* pose, const double* q,
                        lb_placed_span* out) {
  double length;
  return place_path(path, pose, q, out, &length);
}

double lb_model_path_length(const lb_model_path* path, const lb_transform* pose, const double* q) {
  lb_placed_span span[LB_PATH_SPANS];
  double length;
  place_path(path, pose, q, span, &length);
  return length;
}

double lb_model_path_belly(const lb_model_path* path, const lb_transform* pose, const double* q) {
  lb_placed_span span[LB_PATH_SPANS];
  double length;
  place_path(path, pose, q, span, &length);
  double size = path->mass.A1 + path->mass.B1 * length;
  for (int i = 0; i < path->ntendon; i++) {
    size += path->tendon[i].C1 * q[path->tendon[i].q];
  }
  return size;
}

const lb_path_item* lb_model_path_strays(const lb_model_path* path, const lb_transform* pose,
                                         const double* q, const char** range) {
  lb_placed_span span[LB_PATH_SPANS];
  const int n = lb_model_path_spans(path, pose, q, span);
  for (int i = 0; i < n; i++) {
    const lb_wrap* w = &span[i].surface->wrap;
    *range =
        w->network ? lb_wrap_network_strays(w->network, w->size.x, span[i].p, span[i].q) : NULL;
    if (*range) {
      return span[i].surface;
    }
  }
  return NULL;
}
