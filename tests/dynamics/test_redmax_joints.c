// Every joint against the reference program: directions, dense Jacobians, mass matrix, forces,
// accelerations and their derivatives.
#include "math/chart.h"
#include "redmax.h"

#include "differences.h"
#include "dynamics/derivative.h"
#include "dynamics/force.h"
#include "dynamics/kinematics.h"
#include "dynamics/rnea.h"
#include "math/dense.h"
#include "model/charts.h"

enum { MOST = 64 };

static redmax T;

typedef struct setup {
  lb_model* m;
  lb_data* d;
  lb_derivatives* D;
} setup;

static setup open_setup(void) {
  setup s;
  lb_error err = lb_error_make(NULL);
  if (lb_model_create(&T.scene, NULL, &s.m, &err) != LB_OK) {
    char text[400];
    lb_error_format(&err, 0, text, sizeof text);
    fail_msg("%s", text);
  }
  assert_int_equal(lb_data_create(s.m, NULL, &s.d, NULL), LB_OK);
  assert_int_equal(lb_derivatives_create(s.m, NULL, &s.D, NULL), LB_OK);
  return s;
}

static void close_setup(setup* s) {
  lb_derivatives_release(s->D);
  lb_data_release(s->d);
  lb_model_release(s->m);
}

static double worst; // of a file

static void compare(const char* what, const char* which, const double* ours, const cJSON* theirs,
                    double tolerance) {
  static double reference[MOST * MOST];
  const int n = red_numbers(theirs, reference);
  double off = 0, size = 1;
  for (int i = 0; i < n; i++) {
    off = fmax(off, fabs(ours[i] - reference[i]));
    size = fmax(size, fabs(reference[i]));
  }
  worst = fmax(worst, off / size);
  if (!(off <= tolerance * size)) {
    fail_msg("%s of %s differs by %.3g of its size", what, which, off / size);
  }
}

// --- dense Jacobians of bodies ---

static double J[MOST * MOST], Jdot[MOST * MOST], rows[MOST * MOST], rows_dot[MOST * MOST];

// From the links' frames to the bodies'. All bodies hang on links of their own or share one.
static void body_jacobians(setup* s, const double* q, const double* qd) {
  const lb_model* m = s->m;
  const int nv = m->nv;
  lb_jacobians(s->D, s->d, J, Jdot, q, qd);
  for (int b = 0; b < m->nbody; b++) {
    const int link = m->body_link[b];
    const lb_m3 Rt = lb_m3_transpose(lb_m3_from(lb_quat_matrix(m->body_in_link[b].q)));
    const lb_v4 p = lb_v4_from(m->body_in_link[b].p);
    for (int which = 0; which < 2; which++) {
      const double* from = (which ? Jdot : J) + 6 * nv * link;
      double* to = (which ? rows_dot : rows) + 6 * nv * b;
      for (int k = 0; k < nv; k++) {
        lb_motion x = {lb_v4_zero(), lb_v4_zero()};
        for (int c = 0; link != LB_WORLD && c < 3; c++) {
          x.w[c] = from[c * nv + k];
          x.v[c] = from[(3 + c) * nv + k];
        }
        x = lb_motion_turn(Rt, lb_motion_shift(x, -p));
        for (int c = 0; c < 3; c++) {
          to[c * nv + k] = x.w[c];
          to[(3 + c) * nv + k] = x.v[c];
        }
      }
    }
  }
}

// Where the bodies are and their twists.
static void compare_bodies(setup* s, const cJSON* results, const char* type) {
  lb_poses(s->m, s->d);
  for (int b = 0; b < s->m->nbody; b++) {
    const cJSON* at = cJSON_GetArrayItem(red_get(results, "joints"), b);
    const lb_transform X = s->d->pose[b];
    const lb_mat3 R = lb_quat_matrix(X.q);
    const double E[16] = {R.x.x, R.y.x, R.z.x, X.p.x, R.x.y, R.y.y, R.z.y, X.p.y,
                          R.x.z, R.y.z, R.z.z, X.p.z, 0,     0,     0,     1};
    double phi[6] = {0};
    for (int i = 0; i < 6 * s->m->nv; i++) {
      phi[i / s->m->nv] += rows[6 * s->m->nv * b + i] * s->m->qd0[i % s->m->nv];
    }
    compare("E", type, E, red_get(at, "E_wi"), 1e-10);
    compare("phi", type, phi, red_get(at, "phi"), 1e-10);
  }
}

static void compare_jacobians(setup* s, const cJSON* results, const char* type) {
  const double still[MOST] = {0};
  double c[MOST];
  body_jacobians(s, s->m->q0, s->m->qd0);
  compare("J", type, rows, red_get(results, "J_mr"), 1e-10);
  compare("Jdot", type, rows_dot, red_get(results, "Jdot_mr"), 1e-10);
  static double M[MOST * MOST];
  lb_crba(s->m, s->d, M, s->m->q0);
  compare("M", type, M, red_get(results, "M_r"), 1e-10);
  lb_rnea(s->m, s->d, c, s->m->q0, s->m->qd0, still);
  for (int k = 0; k < s->m->nv; k++) {
    c[k] = -c[k];
  }
  if (red_get(results, "f_r")) {
    compare("f", type, c, red_get(results, "f_r"), 1e-10);
  }
  compare_bodies(s, results, type);
}

// --- charts ---

// S and Sdot of a joint as the file lists them, by rows.
static void compare_directions(const lb_scene_joint* j, const cJSON* results, const char* type) {
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  const lb_chart* chart;
  lb_chart_at at;
  double S[36], Sdot[36];
  assert_int_equal(lb_joint_chart(j, &arena, &chart), LB_OK);
  lb_chart_evaluate(chart, &at, j->q, j->qd, LB_CHART_BEND);
  for (int i = 0; i < chart->n; i++) {
    lb_motion rate = lb_motion_zero();
    for (int k = 0; k < chart->n; k++) {
      rate = lb_motion_add(rate, lb_motion_scale(j->qd[k], at.T[i][k]));
    }
    for (int c = 0; c < 6; c++) {
      S[c * chart->n + i] = c < 3 ? at.S[i].w[c] : at.S[i].v[c - 3];
      Sdot[c * chart->n + i] = c < 3 ? rate.w[c] : rate.v[c - 3];
    }
  }
  compare("S", type, S, red_get(results, "S"), 1e-10);
  compare("Sdot", type, Sdot, red_get(results, "Sdot"), 1e-10);
  double Q[16] = {0};
  for (int c = 0; c < 3; c++) {
    const lb_v4 column[] = {at.R.x, at.R.y, at.R.z, at.p};
    for (int k = 0; k < 4; k++) {
      Q[4 * c + k] = column[k][c];
    }
  }
  Q[15] = 1;
  compare("Q", type, Q, red_get(results, "Q"), 1e-10);
  lb_arena_release(&arena);
}

static void fifteen_joints_move_and_accelerate_as_in_the_reference(void** state) {
  (void)state;
  cJSON* file = red_open("static_joints_full.json");
  worst = 0;
  if (!file) {
    skip();
  }
  int count = 0;
  const cJSON* entry;
  cJSON_ArrayForEach(entry, file) {
    const char* type = red_get(entry, "joint_type")->valuestring;
    const cJSON* results = red_get(entry, "results");
    red_scene(&T, red_get(entry, "scene"), LB_TURN_EXPONENTIAL);
    for (int i = 0; i < T.scene.njoint; i++) {
      compare_directions(&T.joint[i], cJSON_GetArrayItem(red_get(results, "joints"), i), type);
    }
    setup s = open_setup();
    compare_jacobians(&s, results, type);
    const double tau[MOST] = {0};
    double qdd[MOST];
    lb_aba(s.m, s.d, qdd, s.m->q0, s.m->qd0, tau);
    compare("qdd", type, qdd, red_get(results, "qddot"), 1e-10);
    double energy[] = {lb_kinetic_energy(s.m, s.d), lb_potential_energy(s.m, s.d)};
    for (int b = 0; b < s.m->nbody; b++) { // what is fixed to the world has no energy here
      const double weight = s.m->body_mass[b].mass;
      const lb_vec3 at = s.m->body_in_link[b].p;
      energy[1] -= s.m->body_link[b] == LB_WORLD ? weight * lb_vec3_dot(s.m->gravity, at) : 0;
    }
    compare("T", type, energy, red_get(results, "T"), 1e-10);
    compare("V", type, energy + 1, red_get(results, "V"), 1e-10);
    close_setup(&s);
    count++;
  }
  assert_int_equal(count, 15);
  red_tell("static_joints_full.json", worst, NAN);
  cJSON_Delete(file);
}

// --- derivatives ---

// dM/dq_k by rows, from derivatives of inverse dynamics at rest: column j of it is the change of
// the forces of a unit acceleration along j, beyond that of gravity.
static void mass_slopes(setup* s, double* out) {
  const int nv = s->m->nv;
  double qdd[MOST] = {0};
  static double gravity[MOST * MOST];
  const double still[MOST] = {0};
  lb_rnea_derivatives(s->D, s->d, s->m->q0, still, still);
  memcpy(gravity, s->D->tau_q, (size_t)(nv * nv) * sizeof(double));
  for (int j = 0; j < nv; j++) {
    qdd[j] = 1;
    lb_rnea_derivatives(s->D, s->d, s->m->q0, still, qdd);
    qdd[j] = 0;
    for (int i = 0; i < nv * nv; i++) { // [i][k] goes to [k][i][j]
      out[(i % nv) * nv * nv + (i / nv) * nv + j] = s->D->tau_q[i] - gravity[i];
    }
  }
}

// dJ/dq_k and dJdot/dq_k of the bodies, by differences that are good to 1e-12 here.
static void jacobian_slopes(setup* s, double* by_q, double* dot_by_q) {
  const int nv = s->m->nv, size = 6 * s->m->nbody * nv;
  const double h = 1e-3;
  memset(by_q, 0, (size_t)(nv * size) * sizeof *by_q);
  memset(dot_by_q, 0, (size_t)(nv * size) * sizeof *dot_by_q);
  for (int k = 0; k < nv; k++) {
    for (int p = 0; p < DIFFERENCE_POINTS; p++) {
      double q[MOST];
      memcpy(q, s->m->q0, (size_t)nv * sizeof *q);
      q[k] += h * DIFFERENCE_AT[p];
      body_jacobians(s, q, s->m->qd0);
      for (int i = 0; i < size; i++) {
        by_q[k * size + i] += DIFFERENCE_WEIGHT[p] / h * rows[i];
        dot_by_q[k * size + i] += DIFFERENCE_WEIGHT[p] / h * rows_dot[i];
      }
    }
  }
}

// The generalised force of a damper on all of the relative motion of two points, -d G'G qd, which
// is left out of the springs.
static void damp(void* context, double* out, const double* q, const double* qd) {
  setup* s = context;
  const int nv = s->m->nv;
  const lb_scene_spring* spring = &T.spring[0];
  double G[3 * MOST] = {0};
  body_jacobians(s, q, qd);
  memcpy(s->d->q, q, (size_t)nv * sizeof *q);
  lb_poses(s->m, s->d);
  for (int end = 0; end < 2; end++) {
    const double* from = rows + 6 * nv * spring->body[end];
    const lb_transform X = s->d->pose[spring->body[end]];
    for (int k = 0; k < nv; k++) {
      const lb_vec3 w = {from[k], from[nv + k], from[2 * nv + k]};
      const lb_vec3 v = {from[3 * nv + k], from[4 * nv + k], from[5 * nv + k]};
      const lb_vec3 here =
          lb_quat_rotate(X.q, lb_vec3_add(v, lb_vec3_cross(w, spring->point[end])));
      const double sign = end ? 1 : -1;
      G[k] += sign * here.x;
      G[nv + k] += sign * here.y;
      G[2 * nv + k] += sign * here.z;
    }
  }
  for (int i = 0; i < nv; i++) {
    out[i] = 0;
    for (int k = 0; k < 3 * nv; k++) {
      out[i] -= 4 * G[k / nv * nv + i] * G[k] * qd[k % nv];
    }
  }
}

static void their_derivatives_are_those_of_the_reference(void** state) {
  (void)state;
  cJSON* file = red_open("static_joints_diff.json");
  worst = 0;
  if (!file) {
    skip();
  }
  static double slopes[MOST * MOST], K[MOST * MOST], C[MOST * MOST];
  int count = 0;
  const cJSON* entry;
  cJSON_ArrayForEach(entry, file) {
    const char* type = red_get(entry, "joint_type")->valuestring;
    const cJSON* results = red_get(entry, "results");
    red_scene(&T, red_get(entry, "scene"), LB_TURN_XYZ);
    setup s = open_setup();
    const int nv = s.m->nv;
    compare_jacobians(&s, results, type);
    mass_slopes(&s, slopes);
    compare("dM/dq", type, slopes, red_get(results, "dMdq_list_over_k"), 1e-10);
    jacobian_slopes(&s, slopes, K);
    compare("dJ/dq", type, slopes, red_get(results, "dJdq_list_over_k"), 1e-10);
    compare("dJdot/dq", type, K, red_get(results, "dJdotdq_list_over_k"), 1e-10);
    s.d->tau[0] = 0.7;
    lb_kinematics(s.m, s.d, s.d->q, s.d->qd);
    lb_forces_apply(s.m, s.d);
    lb_derive_forced(s.D, s.d);
    double f[MOST], more[MOST], tau[MOST];
    static double more_q[MOST * MOST], more_qd[MOST * MOST];
    for (int i = 0; i < nv; i++) {
      tau[i] = s.D->tau[i]; // scratch of what follows
    }
    damp(&s, more, s.m->q0, s.m->qd0);
    difference(s.m, damp, &s, nv, s.m->q0, s.m->qd0, true, 1e-3, more_q);
    difference(s.m, damp, &s, nv, s.m->q0, s.m->qd0, false, 1e-1, more_qd);
    for (int i = 0; i < nv * nv; i++) {
      K[i] = more_q[i] - s.D->tau_q[i];
      C[i] = more_qd[i] - s.D->tau_qd[i];
    }
    for (int i = 0; i < nv; i++) {
      f[i] = more[i] - tau[i];
    }
    compare("f", type, f, red_get(results, "f_total"), 1e-10);
    compare("K", type, K, red_get(results, "K"), 1e-10);
    compare("D", type, C, red_get(results, "D"), 1e-10);
    close_setup(&s);
    count++;
  }
  assert_int_equal(count, 10);
  red_tell("static_joints_diff.json", worst, NAN);
  cJSON_Delete(file);
}

static void twelve_orders_of_angles_are_those_of_the_reference(void** state) {
  (void)state;
  cJSON* file = red_open("euler_charts.json");
  worst = 0;
  if (!file) {
    skip();
  }
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  int count = 0;
  const cJSON* entry;
  cJSON_ArrayForEach(entry, file) {
    const char* name = red_get(entry, "chart")->valuestring;
    lb_scene_joint j = lb_scene_joint_default();
    const lb_chart* chart;
    lb_chart_at at;
    double R[9], S[9], Sdot[9], T_k[27], Tdot_k[27];
    j.kind = LB_JOINT_EULER;
    j.order = red_order(name);
    red_numbers(red_get(entry, "q"), j.q);
    red_numbers(red_get(entry, "qdot"), j.qd);
    assert_int_equal(lb_joint_chart(&j, &arena, &chart), LB_OK);
    // Sdot_i = sum_k T_ik qd_k; its change with q_k from charts moved a little
    const double h = 1e-4;
    for (int c = 0; c < 27; c++) {
      Tdot_k[c] = 0;
    }
    for (int k = 0; k < 3; k++) {
      for (int p = 0; p < DIFFERENCE_POINTS; p++) {
        double q[3] = {j.q[0], j.q[1], j.q[2]};
        q[k] += h * DIFFERENCE_AT[p];
        lb_chart_evaluate(chart, &at, q, j.qd, LB_CHART_BEND);
        for (int i = 0; i < 27; i++) {
          Tdot_k[9 * k + 3 * (i / 3 % 3) + i % 3] +=
              DIFFERENCE_WEIGHT[p] / h * j.qd[i / 9] * at.T[i % 3][i / 9].w[i / 3 % 3];
        }
      }
    }
    lb_chart_evaluate(chart, &at, j.q, j.qd, LB_CHART_BEND);
    for (int c = 0; c < 3; c++) {
      const lb_v4 column[] = {at.R.x, at.R.y, at.R.z};
      for (int i = 0; i < 3; i++) {
        R[3 * c + i] = column[i][c];
        S[3 * c + i] = at.S[i].w[c];
        Sdot[3 * c + i] = 0;
        for (int k = 0; k < 3; k++) {
          Sdot[3 * c + i] += at.T[i][k].w[c] * j.qd[k];
          T_k[9 * k + 3 * c + i] = at.T[i][k].w[c];
        }
      }
    }
    compare("R", name, R, red_get(entry, "R"), 1e-10);
    compare("S", name, S, red_get(entry, "S_top3"), 1e-10);
    compare("Sdot", name, Sdot, red_get(entry, "Sdot_top3"), 1e-10);
    compare("dS/dq", name, T_k, red_get(entry, "dSdq"), 1e-10);
    compare("dSdot/dq", name, Tdot_k, red_get(entry, "dSdotdq"), 1e-10);
    count++;
  }
  assert_int_equal(count, 12);
  red_tell("euler_charts.json", worst, NAN);
  lb_arena_release(&arena);
  cJSON_Delete(file);
}

// --- derivatives of whole scenes ---

// All forces on the coordinates, those of inertia among them, at still accelerations.
static void residual(void* context, double* out, const double* q, const double* qd) {
  setup* s = context;
  const size_t size = (size_t)s->m->nv * sizeof *q;
  memcpy(s->d->q, q, size);
  memcpy(s->d->qd, qd, size);
  memset(s->d->qdd, 0, size);
  lb_kinematics(s->m, s->d, s->d->q, s->d->qd);
  lb_forces_apply(s->m, s->d);
  lb_rnea_moved(s->m, s->d, out, s->d->qdd);
  lb_add(s->m->nv, out, -1, s->d->work->tau);
}

// The file has nothing to match: it tells how far the authors' own derivatives are from forward
// differences. Of the scenes of it whose numbers there are, Limber's are compared here.
static void derivatives_of_the_scenes_that_the_authors_check_are_exact(void** state) {
  (void)state;
  static const char NAME[] = "diff_fd_selftest.json";
  cJSON* file = red_open(NAME);
  if (!file) {
    skip();
  }
  static double by_q[MOST * MOST], by_qd[MOST * MOST];
  const cJSON* entry;
  int count = 0;
  double most = 0;
  cJSON_ArrayForEach(entry, red_get(file, "scenes")) {
    char name[64];
    snprintf(name, sizeof name, "diff_scene%02d_bdf1.json", atoi(entry->string));
    if (!red_read(&T, name)) {
      continue;
    }
    T.joint[0].q[0] += 0.01; // scene 14 starts at a limit, where forces have no derivative
    setup s = open_setup();
    const int nv = s.m->nv;
    double still[MOST];
    difference(s.m, residual, &s, nv, s.m->q0, s.m->qd0, true, 1e-4, by_q);
    difference(s.m, residual, &s, nv, s.m->q0, s.m->qd0, false, 1e-2, by_qd);
    residual(&s, still, s.m->q0, s.m->qd0);
    lb_derive_forced(s.D, s.d);
    most = fmax(most, distance(nv * nv, s.D->tau_q, by_q));
    most = fmax(most, distance(nv * nv, s.D->tau_qd, by_qd));
    close_setup(&s);
    red_release(&T);
    count++;
  }
  assert_int_equal(count, 11);
  red_tell(NAME, most, NAN);
  cJSON_Delete(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fifteen_joints_move_and_accelerate_as_in_the_reference),
      cmocka_unit_test(their_derivatives_are_those_of_the_reference),
      cmocka_unit_test(twelve_orders_of_angles_are_those_of_the_reference),
      cmocka_unit_test(derivatives_of_the_scenes_that_the_authors_check_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
