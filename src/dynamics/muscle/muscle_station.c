// Stations of mass with the first and second derivatives of their place by eta = (sigma, p, q).
#include <string.h>

#include "dynamics/force/muscle.h"
#include "dynamics/muscle/muscle_inertia.h"

enum { ETA = 7 };

void lb_mass_path_directions(const lb_mass_path* P, lb_work* w) {
  for (int s = 0; s + 1 < P->p.count; s++) {
    const lb_path_item* surface = P->p.span[s].surface;
    for (int j = 0; j < ETA; j++) {
      lb_path_end end[2] = {{.x = P->span[s].end[0].x}, {.x = P->span[s].end[1].x}};
      if (j > 0) {
        (&end[(j - 1) / 3].xd.x)[(j - 1) % 3] = 1;
      }
      lb_wrap_find(1, surface ? &surface->wrap : NULL, &w->muscles->inertia->path[8 * s + 1 + j],
                   &end[0], &end[1]);
    }
  }
}

void lb_station_differentiate(const lb_mass_path* P, lb_work* w, lb_station* st) {
  const lb_mass_span* s = &P->span[st->span];
  const lb_wrap_path* path = &w->muscles->inertia->path[8 * st->span];
  const lb_taylor sigma = lb_mass_path_sigma(2, P, st->span, st->k);
  st->x = lb_wrap_point(2, &path[0].piece[st->piece], &sigma);
  for (int n = 0; n < 3; n++) {
    for (int i = 0; i < ETA; i++) {
      const lb_vec3 c = lb_taylor3_lane(&st->x, n, 1 + i);
      memcpy(st->c[n][i], &c, sizeof c);
    }
  }
  const lb_path_frame* f = &s->frame;
  const lb_v4 r = lb_path_world(f, lb_taylor3_lane(&st->x, 0, 0)),
              u = lb_path_world(f, lb_taylor3_lane(&st->x, 1, 0)),
              a = 2 * lb_path_world(f, lb_taylor3_lane(&st->x, 2, 0));
  st->force = (f->a + lb_v4_cross(f->al, r) + lb_v4_cross(f->w, lb_v4_cross(f->w, r)) +
               2 * lb_v4_cross(f->w, u) + a) *
              st->mass;
  const lb_vec3 in = lb_v4_vec3(lb_m3_apply_transposed(f->R, st->force));
  for (int j = 0; j < ETA; j++) {
    const lb_taylor at =
        lb_taylor_variable(LB_TAYLOR_SIGMA, lb_taylor_value(&sigma), j == 0 ? 1 : 0, 0);
    const lb_taylor3 x = lb_wrap_point(1, &path[1 + j].piece[st->piece], &at);
    for (int i = 0; i < ETA; i++) {
      st->H[i][j] = lb_vec3_dot(in, lb_taylor3_lane(&x, 1, 1 + i));
    }
  }
}
