// Dependent nodes of paths: their rates, and forces on them, which act on what they follow from.
// With x = x(z), forces f on x do the work of (dx/dz)'f on z; with the series c_n of dx/dz along
// the motion
//
//   dx = c_0.dz,   dxd = c_1.dz + c_0.dzd,   dxdd = 2 c_2.dz + 2 c_1.dzd + c_0.dzdd
//   d((dx/dz)'f) = c_0'df + f.d2x/dz2 dz
#include "dynamics/muscle/path.h"

#include <math.h>
#include <string.h>

static void gather(const lb_path* p, const lb_path_group* g, lb_group_motion* m) {
  for (int i = 0; i < g->of.nplace; i++) {
    const lb_path_node* n = &p->node[g->place[i]];
    m->place[i] = (lb_path_end){lb_v4_vec3(n->at.at), lb_v4_vec3(n->at.velocity),
                                lb_v4_vec3(n->acceleration)};
  }
  memcpy(m->coordinate, g->coordinate, sizeof m->coordinate);
}

void lb_path_follow(lb_path* p, lb_path_group* g, int N, int M) {
  lb_group_motion m;
  gather(p, g, &m);
  lb_group_follow(N, M, &g->of, &g->at, &m, p->slope_of + g->slopes);
  for (int i = 0; i < g->of.n; i++) {
    lb_path_node* node = &p->node[g->first + i];
    node->at.velocity = lb_v4_from(m.x[i].xd);
    node->acceleration = lb_v4_from(m.x[i].xdd);
  }
  g->known = M + 1;
  for (int s = g->first - 1; s < g->first + g->of.n; s++) {
    lb_path_measure_rate(p, s);
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

void lb_path_curve(const lb_path* p, const lb_path_group* g, const lb_v4* f, const double* dz,
                   double* out) {
  lb_group_motion m;
  double force[LB_GROUP_UNKNOWNS];
  double most = 0;
  for (int i = 0; i < g->of.n; i++) {
    lb_v4_store(force + 3 * i, f[i]);
    most = fmax(most, lb_v4_dot(f[i], f[i]));
  }
  if (!(most > 0)) {
    memset(out, 0, (size_t)lb_group_numbers(&g->of) * sizeof *out);
    return;
  }
  gather(p, g, &m);
  lb_group_curve(&g->of, &g->at, &m, lb_path_slope(p, g, 0), force, dz, out);
}
