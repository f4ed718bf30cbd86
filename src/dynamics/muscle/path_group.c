// Dependent nodes of paths: their rates, and forces on them, which act on what they follow from.
// With x = x(z), forces f on x do the work of (dx/dz)'f on z; with the series c_n of dx/dz along
// the motion
//
//   dx = c_0.dz,   dxd = c_1.dz + c_0.dzd,   dxdd = 2 c_2.dz + 2 c_1.dzd + c_0.dzdd
//   d((dx/dz)'f) = c_0'df + f.d2x/dz2 dz
#include "dynamics/muscle/path.h"

#include <string.h>

static void gather(const lb_path* p, const lb_path_group* g, lb_path_end* place) {
  for (int i = 0; i < g->of.nplace; i++) {
    const lb_path_node* n = &p->node[g->place[i]];
    place[i] = (lb_path_end){lb_v4_vec3(n->at.at), lb_v4_vec3(n->at.velocity),
                             lb_v4_vec3(n->acceleration)};
  }
}

void lb_path_follow(lb_path* p, lb_path_group* g, int N) {
  const int numbers = lb_group_numbers(&g->of), size = 3 * g->of.n;
  lb_path_end place[LB_GROUP_PLACES];
  gather(p, g, place);
  for (int first = 0; first < numbers; first += LB_GROUP_LANES) {
    lb_taylor3 x[LB_GROUP_NODES];
    lb_group_series(N, &g->of, &g->at, place, g->coordinate, first, x);
    for (int k = 0; k < size; k++) {
      const lb_taylor* a = &(&x[k / 3].x)[k % 3];
      for (int n = 0; n <= N; n++) {
        double* to = p->slope_of + g->slopes + (n * size + k) * numbers;
        for (int j = first; j < numbers && j < first + LB_GROUP_LANES; j++) {
          to[j] = a->c[n][1 + j - first];
        }
      }
      lb_path_node* node = &p->node[g->first + k / 3];
      node->at.velocity[k % 3] = a->c[1][0];
      node->acceleration[k % 3] = N > 1 ? 2 * a->c[2][0] : 0;
    }
  }
  g->known = N + 1;
  for (int s = g->first - 1; s < g->first + g->of.n; s++) {
    lb_path_measure(p, s);
  }
}

void lb_path_transfer(const lb_path* p, const lb_path_group* g, const lb_v4* f, double* out) {
  const int numbers = lb_group_numbers(&g->of);
  const double* c = lb_path_slope(p, g, 0);
  memset(out, 0, (size_t)numbers * sizeof *out);
  for (int k = 0; k < 3 * g->of.n; k++) {
    for (int j = 0; j < numbers; j++) {
      out[j] += c[k * numbers + j] * f[k / 3][k % 3];
    }
  }
}

void lb_path_transfer_change(const lb_path* p, const lb_path_group* g, const lb_v4* df,
                             const double* K, const double* dz, double* out) {
  const int numbers = lb_group_numbers(&g->of);
  lb_path_transfer(p, g, df, out);
  for (int i = 0; i < numbers && K; i++) {
    for (int j = 0; j < numbers; j++) {
      out[i] += K[i * numbers + j] * dz[j];
    }
  }
}

void lb_path_hand_on(const lb_path* p, lb_v4* on, double* tau) {
  for (int k = 0; k < p->ngroup; k++) {
    const lb_path_group* g = &p->group[k];
    double z[LB_GROUP_NUMBERS];
    if (g->known == 0) { // in balance
      continue;
    }
    lb_path_transfer(p, g, on + g->first, z);
    for (int i = 0; i < g->of.nplace; i++) {
      on[g->place[i]] += lb_v4_load(z + 3 * i);
    }
    for (int i = 0; i < g->of.ncoordinate; i++) {
      tau[g->v[i]] += z[3 * g->of.nplace + i];
    }
  }
}

// Sum over z of one number of x.
static double along(const lb_path* p, const lb_path_group* g, int order, int number,
                    const double* dz) {
  const int numbers = lb_group_numbers(&g->of);
  const double* c = lb_path_slope(p, g, order) + number * numbers;
  double sum = 0;
  for (int j = 0; j < numbers; j++) {
    sum += c[j] * dz[j];
  }
  return sum;
}

void lb_path_change(const lb_path* p, const lb_path_group* g, int node, int orders,
                    const double (*dz)[LB_GROUP_NUMBERS], lb_v4* out) {
  static const double FACTOR[3][3] = {{1, 0, 0}, {1, 1, 0}, {1, 2, 2}}; // of c_n
  for (int n = 0; n <= orders; n++) {
    out[n] = lb_v4_zero();
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k <= n; k++) {
        out[n][i] += FACTOR[n][k] * along(p, g, k, 3 * node + i, dz[n - k]);
      }
    }
  }
}

void lb_path_curvature(const lb_path* p, const lb_path_group* g, const lb_v4* f, double* K) {
  const int numbers = lb_group_numbers(&g->of);
  for (int j = 0; j < numbers; j++) {
    lb_path_end place[LB_GROUP_PLACES];
    double coordinate[LB_GROUP_NODES][3];
    gather(p, g, place);
    for (int i = 0; i < g->of.nplace; i++) {
      place[i] = (lb_path_end){.x = place[i].x};
    }
    for (int i = 0; i < g->of.ncoordinate; i++) {
      memcpy(coordinate[i], (double[]){g->coordinate[i][0], 0, 0}, sizeof *coordinate);
    }
    if (j < 3 * g->of.nplace) {
      (&place[j / 3].xd.x)[j % 3] = 1;
    } else {
      coordinate[j - 3 * g->of.nplace][1] = 1;
    }
    for (int first = 0; first < numbers; first += LB_GROUP_LANES) {
      lb_taylor3 x[LB_GROUP_NODES];
      lb_group_series(1, &g->of, &g->at, place, coordinate, first, x);
      for (int i = first; i < numbers && i < first + LB_GROUP_LANES; i++) {
        double sum = 0;
        for (int k = 0; k < 3 * g->of.n; k++) {
          sum += f[k / 3][k % 3] * (&x[k / 3].x)[k % 3].c[1][1 + i - first];
        }
        K[i * numbers + j] = sum;
      }
    }
  }
}
