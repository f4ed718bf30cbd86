// geom: dependent nodes of paths, of surfaces in a row and of points that come and go.
#include "geom/path/wrap_chain.h"
#include "test.h"

// --- groups that move ---

typedef struct moving {
  lb_node_group g;
  lb_path_end place[LB_GROUP_PLACES];
  double coordinate[LB_GROUP_NODES][3];
  lb_vec3 start[LB_GROUP_NODES];
} moving;

static lb_vec3 at_time(const lb_path_end* e, double t) {
  return lb_vec3_add(e->x,
                     lb_vec3_add(lb_vec3_scale(t, e->xd), lb_vec3_scale(0.5 * t * t, e->xdd)));
}

// Nodes at a time, number j of z off by e.
static lb_group_solution solve_at(const moving* m, double t, int j, double e) {
  lb_vec3 place[LB_GROUP_PLACES];
  double q[LB_GROUP_NODES];
  lb_group_solution s;
  for (int i = 0; i < m->g.nplace; i++) {
    place[i] = at_time(&m->place[i], t);
  }
  for (int i = 0; i < m->g.ncoordinate; i++) {
    const double* c = m->coordinate[i];
    q[i] = c[0] + t * c[1] + 0.5 * t * t * c[2];
  }
  if (j >= 3 * m->g.nplace) {
    q[j - 3 * m->g.nplace] += e;
  } else if (j >= 0) {
    (&place[j / 3].x)[j % 3] += e;
  }
  memcpy(s.x, m->start, sizeof s.x);
  assert_true(lb_group_solve(&m->g, &s, place, q));
  return s;
}

static lb_vec3 random_vector(lb_random* r, double size) {
  return lb_vec3_make(lb_random_between(r, -size, size), lb_random_between(r, -size, size),
                      lb_random_between(r, -size, size));
}

// Two cylinders side by side along z, whose tops are nearly level with the ends: `high` is how far
// the ends are above.
static moving make_row(const lb_wrap* a, const lb_wrap* b, double first, double second,
                       lb_random* r) {
  const lb_vec3 place[] = {{-3, first, 0.1}, {3, second, -0.2}, {-1, 0, 0}, {0, 0, 0},
                           {-1, 1, 0},       {1, 0, 0},         {2, 0, 0},  {1, 1, 0}};
  moving m = {.g = {.type = &lb_group_row, .n = 1, .nplace = 8, .wrap = {a, b}},
              .start = {{0, 0.6, 0}}};
  for (int i = 0; i < 8; i++) {
    m.place[i] = (lb_path_end){place[i], random_vector(r, 0.5), random_vector(r, 0.5)};
  }
  return m;
}

static moving make_blend(lb_random* r) {
  moving m = {.g = {.type = &lb_group_blend,
                    .n = 2,
                    .nplace = 4,
                    .ncoordinate = 2,
                    .range = {{-INFINITY, 0.3, 0.2}, {0.1, 0.5, 0.3}}},
              .coordinate = {{0.27, 0.4, -0.3}, {0.2, 0.3, 0.2}}};
  for (int i = 0; i < 4; i++) {
    m.place[i] = (lb_path_end){random_vector(r, 1), random_vector(r, 0.5), random_vector(r, 0.5)};
  }
  return m;
}

// Coefficient n of number i of x, and of its derivative by number j of z.
static double coefficient(const lb_group_motion* m, int i, int n) {
  const lb_path_end* e = &m->x[i / 3];
  const lb_vec3 v = n == 0 ? e->x : n == 1 ? e->xd : lb_vec3_scale(0.5, e->xdd);
  return (&v.x)[i % 3];
}

// Rates and derivatives of one number of z at a time: differences of the solutions.
static void check_series(const char* name, const moving* m) {
  const double h = 1e-3, e = 5e-4;
  const int numbers = lb_group_numbers(&m->g);
  lb_group_solution s = solve_at(m, 0, -1, 0);
  lb_group_motion along;
  double c[3][LB_GROUP_UNKNOWNS * LB_GROUP_NUMBERS];
  memcpy(along.place, m->place, sizeof along.place);
  memcpy(along.coordinate, m->coordinate, sizeof along.coordinate);
  double series[3 * LB_GROUP_UNKNOWNS * LB_GROUP_NUMBERS];
  lb_group_follow(2, 2, &m->g, &s, &along, series);
  for (int n = 0; n < 3; n++) {
    memcpy(c[n], series + n * 3 * m->g.n * numbers,
           (size_t)(3 * m->g.n * numbers) * sizeof(double));
  }
  for (int j = 0; j < numbers; j++) {
    double f[5][2][3 * LB_GROUP_NODES]; // at times, and its derivative by number j
    for (int t = 0; t < 5; t++) {
      const double at = (t - 2) * h;
      const lb_group_solution now = solve_at(m, at, -1, 0);
      lb_group_solution d[4];
      static const double OFF[] = {-2, -1, 1, 2}, W[] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
      for (int k = 0; k < 4; k++) {
        d[k] = solve_at(m, at, j, OFF[k] * e);
      }
      for (int i = 0; i < 3 * m->g.n; i++) {
        f[t][0][i] = (&now.x[i / 3].x)[i % 3];
        f[t][1][i] = 0;
        for (int k = 0; k < 4; k++) {
          f[t][1][i] += W[k] / e * (&d[k].x[i / 3].x)[i % 3];
        }
      }
    }
    for (int i = 0; i < 3 * m->g.n; i++) {
      for (int which = 0; which < 2; which++) {
        const double y[5] = {f[0][which][i], f[1][which][i], f[2][which][i], f[3][which][i],
                             f[4][which][i]};
        const double want[3] = {y[2], (y[0] - 8 * y[1] + 8 * y[3] - y[4]) / (12 * h),
                                (-y[0] + 16 * y[1] - 30 * y[2] + 16 * y[3] - y[4]) / (24 * h * h)};
        static const double TOLERANCE[2][3] = {{1e-12, 1e-8, 1e-6}, {1e-8, 1e-6, 1e-3}};
        for (int n = 0; n < 3; n++) {
          const double found = which ? c[n][i * numbers + j] : coefficient(&along, i, n);
          if (fabs(found - want[n]) > TOLERANCE[which][n] * (1 + fabs(want[n]))) {
            fail_msg("%s: number %d of x, coefficient %d, by %d: %.10g, not %.10g", name, i, n,
                     which ? j : -1, found, want[n]);
          }
        }
      }
    }
  }
}

// f.d2x/dz2 dz is the rate of (dx/dz)'f along z + t dz.
static void check_curve(const char* name, const moving* from) {
  moving m = *from;
  lb_random r = {7};
  const int numbers = lb_group_numbers(&m.g), size = 3 * m.g.n;
  double f[LB_GROUP_UNKNOWNS], dz[LB_GROUP_NUMBERS], out[LB_GROUP_NUMBERS],
      c[2 * LB_GROUP_UNKNOWNS * LB_GROUP_NUMBERS];
  for (int i = 0; i < size; i++) {
    f[i] = lb_random_between(&r, -1, 1);
  }
  for (int i = 0; i < m.g.nplace; i++) {
    m.place[i].xdd = lb_vec3_make(0, 0, 0);
    memcpy(dz + 3 * i, &m.place[i].xd, sizeof(lb_vec3));
  }
  for (int i = 0; i < m.g.ncoordinate; i++) {
    dz[3 * m.g.nplace + i] = m.coordinate[i][1];
    m.coordinate[i][2] = 0;
  }
  lb_group_motion along;
  memcpy(along.place, m.place, sizeof along.place);
  memcpy(along.coordinate, m.coordinate, sizeof along.coordinate);
  const lb_group_solution s = solve_at(&m, 0, -1, 0);
  lb_group_follow(1, 1, &m.g, &s, &along, c);
  lb_group_curve(&m.g, &s, &along, c, f, dz, out);
  for (int j = 0; j < numbers; j++) {
    double want = 0;
    for (int i = 0; i < size; i++) {
      want += f[i] * c[(size + i) * numbers + j];
    }
    if (fabs(out[j] - want) > 1e-11 * (1 + fabs(want))) {
      fail_msg("%s: number %d of z: %.14g, not %.14g", name, j, out[j], want);
    }
  }
}

static void series_of_groups_match_differences(void** state) {
  (void)state;
  const lb_wrap over = {LB_WRAP_CYLINDER, {0.5, 0, 0}, 0.4, -1, {0, 0, 0}, NULL, {0, 0, 0}},
                ball = {LB_WRAP_SPHERE, {0.5, 0, 0}, 0.4, 0, {0, 0, 0}, NULL, {0, 0, 0}},
                oval = {LB_WRAP_ELLIPSOID, {0.4, 0.5, 0.7}, 0.4, 0, {0, 1, 0}, NULL, {0, 0, 0}};
  const struct {
    const char* name;
    const lb_wrap *a, *b;
    double first, second;
  } cases[] = {{"both", &over, &over, 0, -0.2},
               {"band of the first", &over, &over, 0.5, 0},
               {"band of both", &over, &over, 0.49, 0.51},
               {"off the first", &over, &over, 1, 0},
               {"off both", &over, &over, 0.9, 1},
               {"cylinder and ball", &over, &ball, 0.49, 0.2},
               {"ellipsoid and cylinder", &oval, &over, 0.1, 0.48}};
  lb_random r = {4};
  for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
    const moving m = make_row(cases[i].a, cases[i].b, cases[i].first, cases[i].second, &r);
    check_series(cases[i].name, &m);
    check_curve(cases[i].name, &m);
  }
  const moving b = make_blend(&r);
  check_series("points that come and go", &b);
  check_curve("points that come and go", &b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(series_of_groups_match_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
