// Closed surfaces of triangles that grow by a point.
#include "geom/collide/facets.h"

#include "geom/collide/collider_kind.h"

static void set_plane(const lb_facets* s, lb_facet* f) {
  const lb_vec3 o = s->x[f->v[0]];
  const lb_vec3 n = lb_vec3_cross(lb_vec3_sub(s->x[f->v[1]], o), lb_vec3_sub(s->x[f->v[2]], o));
  f->normal = lb_vec3_unit_or(n, (lb_vec3){0, 0, 0});
  f->offset = lb_vec3_dot(f->normal, o);
}

static int add_facet(lb_facets* s, int p, int q, int r) {
  const int i = s->nunused > 0 ? s->unused[--s->nunused] : s->n++;
  s->f[i] = (lb_facet){.v = {p, q, r}, .across = {-1, -1, -1}, .live = true};
  set_plane(s, &s->f[i]);
  return i;
}

void lb_facets_begin(lb_facets* s, const int v[4]) {
  static const int side[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  static const int across[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  lb_facet base = {.v = {v[0], v[1], v[2]}};
  set_plane(s, &base);
  // the base's outside is away from the fourth point
  const bool turn = lb_facet_height(&base, s->x[v[3]]) > 0;
  const int w[4] = {v[0], turn ? v[2] : v[1], turn ? v[1] : v[2], v[3]};
  s->n = s->nunused = 0;
  for (int k = 0; k < 4; k++) {
    const int f = add_facet(s, w[side[k][0]], w[side[k][1]], w[side[k][2]]);
    for (int e = 0; e < 3; e++) {
      s->f[f].across[e] = across[k][e];
    }
  }
}

// The rim around the facets that point i sees, which are given up.
static int find_rim(lb_facets* s, int i, int seed, double above) {
  int nseen = 1, nrim = 0;
  s->stack[0] = seed;
  s->f[seed].seen = true;
  for (int k = 0; k < nseen; k++) {
    const lb_facet* f = &s->f[s->stack[k]];
    for (int e = 0; e < 3; e++) {
      lb_facet* g = &s->f[f->across[e]];
      if (!g->seen && lb_facet_height(g, s->x[i]) > above) {
        g->seen = true;
        s->stack[nseen++] = f->across[e];
      }
    }
  }
  for (int k = 0; k < nseen; k++) {
    const lb_facet* f = &s->f[s->stack[k]];
    for (int e = 0; e < 3; e++) {
      if (!s->f[f->across[e]].seen) {
        s->rim[nrim++] = (lb_rim_edge){f->v[e], f->v[(e + 1) % 3], f->across[e]};
      }
    }
  }
  for (int k = 0; k < nseen; k++) {
    s->f[s->stack[k]].live = s->f[s->stack[k]].seen = false;
    s->unused[s->nunused++] = s->stack[k];
  }
  return nrim;
}

// A fan from the rim to point i: each facet finds the next by the vertex where it starts.
bool lb_facets_grow(lb_facets* s, int i, int seed, double above) {
  const int nrim = find_rim(s, i, seed, above);
  if (s->n + nrim - s->nunused > s->most) {
    return false;
  }
  for (int k = 0; k < nrim; k++) {
    s->start[s->rim[k].from] = -1;
  }
  for (int k = 0; k < nrim; k++) {
    const lb_rim_edge r = s->rim[k];
    if (s->start[r.from] >= 0) {
      return false;
    }
    const int f = add_facet(s, r.from, r.to, i);
    lb_facet* g = &s->f[r.outside];
    s->f[f].across[0] = r.outside;
    g->across[lb_facet_corner(g, r.to)] = f;
    s->start[r.from] = f;
  }
  for (int k = 0; k < nrim; k++) {
    const int f = s->start[s->rim[k].from], g = s->start[s->rim[k].to];
    s->f[f].across[1] = g;
    s->f[g].across[2] = f;
  }
  return true;
}
