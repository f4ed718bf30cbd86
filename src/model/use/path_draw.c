// Paths as they are drawn: a line a span, several over a surface.
#include "model/use/model_path.h"

// Places from a point to the next over a surface: both tangent points, and between them evenly.
static void draw_over(const lb_path_item* surface, const lb_transform* pose, lb_vec3 from,
                      lb_vec3 to, lb_vec3* out) {
  const lb_transform X = lb_path_item_frame(surface, pose);
  const lb_path_end p = {.x = lb_path_into(X, from)}, q = {.x = lb_path_into(X, to)};
  lb_wrap_path path;
  lb_wrap_find(0, &surface->wrap, &path, &p, &q);
  const double L = lb_taylor_value(lb_wrap_length(&path));
  const bool even = surface->wrap.network; // places along all of it
  const double first = even             ? L / (LB_WRAP_LINES + 1)
                       : path.count > 1 ? lb_taylor_value(&path.piece[0].end)
                                        : L / 3;
  const double last = even             ? L - first
                      : path.count > 1 ? lb_taylor_value(&path.piece[path.count - 2].end)
                                       : L / 1.5;
  for (int i = 0; i < LB_WRAP_LINES; i++) {
    const double at = first + (last - first) * i / (LB_WRAP_LINES - 1);
    const lb_taylor sigma = lb_taylor_constant(at);
    int k = 0;
    while (k + 1 < path.count && at > lb_taylor_value(&path.piece[k].end)) {
      k++;
    }
    const lb_taylor3 x = lb_wrap_point(0, &path.piece[k], &sigma);
    out[i] = lb_transform_point(X, lb_taylor3_lane(&x, 0, 0));
  }
}

// Several surfaces in a row.
static void draw_chain(int n, const lb_path_item* const* surface, const lb_transform* pose,
                       lb_vec3 from, lb_vec3 to, lb_vec3* out) {
  lb_chain_link link[LB_ROW_MOST];
  lb_vec3 m[LB_ROW_MOST];
  for (int i = 0; i < n; i++) {
    const lb_transform X = lb_path_item_frame(surface[i], pose);
    link[i] = (lb_chain_link){&surface[i]->wrap, lb_quat_matrix(X.q), X.p};
  }
  if (n > 1) {
    lb_wrap_chain(n, link, from, to, m);
  }
  for (int i = 0; i < n; i++) {
    draw_over(surface[i], pose, i > 0 ? m[i - 1] : from, i + 1 < n ? m[i] : to,
              out + i * LB_WRAP_LINES);
  }
}

void lb_model_path_draw(const lb_model_path* path, const lb_transform* pose, const double* q,
                        lb_vec3* out) {
  const lb_path_item* surface[LB_ROW_MOST];
  lb_transform frame[LB_PATH_MOST_POINTS];
  lb_vec3 place[LB_PATH_MOST_POINTS];
  int n = 0, row = 0;
  for (int i = 0; i < path->count; i++) {
    frame[i] = lb_path_item_frame(&path->item[i], pose);
  }
  lb_path_places(path, frame, q, place);
  for (int i = 0; i < path->count; i++) {
    const lb_path_item* item = &path->item[i];
    if (item->wraps) {
      surface[row++] = item;
    } else if (lb_path_item_counts(item, q)) {
      const lb_vec3 x = place[i];
      if (row > 0) {
        draw_chain(row, surface, pose, out[n - 1], x, out + n);
        n += row * LB_WRAP_LINES;
        row = 0;
      }
      for (int k = 1; n > 0 && k <= path->straight; k++) {
        const double t = 1.0 / (path->straight + 1 - k); // of what is left
        out[n] = lb_vec3_add(lb_vec3_scale(1 - t, out[n - 1]), lb_vec3_scale(t, x));
        n++;
      }
      if (n == 0) {
        out[n++] = x;
      }
    }
  }
  // points that do not count leave lines: the last one is split
  const lb_vec3 end = out[n - 1], from = out[n > 1 ? n - 2 : 0];
  const int left = path->nline + 1 - n;
  for (int i = 1; i <= left; i++) {
    const double t = (double)i / (left + 1);
    out[n - 2 + i] = lb_vec3_add(lb_vec3_scale(1 - t, from), lb_vec3_scale(t, end));
  }
  out[path->nline] = end;
}
