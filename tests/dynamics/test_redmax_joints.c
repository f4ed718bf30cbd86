// Every joint against the reference program: directions, dense Jacobians, mass matrix, forces,
// accelerations and their derivatives.
#include "math/curve/chart.h"
#include "redmax.h"

#include "differences.h"
#include "dynamics/derivative/dynamics_derivative.h"
#include "dynamics/force/force.h"
#include "dynamics/tree/kinematics.h"
#include "dynamics/tree/rnea.h"
#include "math/linear/dense.h"
#include "model/build/joint_charts.h"

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
// How far the authors' derivatives and recursions are from their differences and matrices.
static const char* const THEIR_OWN[] = {"fd_error_J", "fd_error_Jdot",
                                        "qddot_recursive_max_abs_diff", "fd_err", NULL};

static void compare(const char* what, const char* which, const double* ours, const cJSON* theirs,
                    double tolerance) {
  const double off = red_list_apart(ours, theirs);
  worst = fmax(worst, off);
  if (!(off <= tolerance)) {
    fail_msg("%s of %s differs by %.3g of its size", what, which, off);
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
    const int link = m->body.link[b];
    const lb_m3 Rt = lb_m3_transpose(lb_m3_from(lb_quat_matrix(m->body.in_link[b].q)));
    const lb_v4 p = lb_v4_from(m->body.in_link[b].p);
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

static void compare_pose(const char* what, const char* which, lb_transform X, const cJSON* theirs) {
  const double off = red_pose_apart(X, theirs);
  worst = fmax(worst, off);
  if (!(off <= 1e-10)) {
    fail_msg("%s of %s differs by %.3g", what, which, off);
  }
}

static void twist_of(const setup* s, int b, double phi[6]) {
  const int nv = s->m->nv;
  for (int i = 0; i < 6; i++) {
    phi[i] = lb_dot(nv, rows + (6 * b + i) * nv, s->m->start.qd);
  }
}

// Where the bodies and their joints are, and their twists.
static void compare_bodies(setup* s, const cJSON* results, const char* type) {
  lb_poses(s->m, s->d);
  for (int b = 0; b < s->m->nbody; b++) {
    const cJSON* at = cJSON_GetArrayItem(red_get(results, "joints"), b);
    double phi[6];
    twist_of(s, b, phi);
    compare_pose("E", type, s->d->pose[b], red_get(at, "E_wi"));
    compare("phi", type, phi, red_get(at, "phi"), 1e-10);
    if (red_get(at, "E_wj")) {
      compare_pose("E of the joint", type, lb_transform_mul(s->d->pose[b], T.joint[b].in_child),
                   red_get(at, "E_wj"));
    }
  }
}

// Mass matrix and forces of the bodies themselves, in coordinates of their own: inverse dynamics of
// free bodies that are where these are and move as they do, in the absence of joints.
static void compare_maximal(const setup* s, const cJSON* results, const char* type) {
  static redmax F;
  lb_model* m;
  lb_data* d;
  static double M[MOST * MOST];
  double c[MOST], diagonal[MOST];
  const double still[MOST] = {0};
  F = T;
  F.scene.body = F.body;
  F.scene.joint = F.joint;
  for (int b = 0; b < F.scene.nbody; b++) {
    lb_scene_joint* j = &F.joint[b];
    const lb_transform X = s->d->pose[b];
    *j = lb_scene_joint_default();
    j->name = F.name[b];
    j->kind = LB_JOINT_FREE;
    j->child = b;
    memcpy(j->q, (double[]){X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z}, 7 * sizeof(double));
    twist_of(s, b, j->qd);
  }
  assert_int_equal(lb_model_create(&F.scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  lb_crba(m, d, M, m->start.q);
  lb_rnea(m, d, c, m->start.q, m->start.qd, still);
  for (int i = 0; i < m->nv; i++) {
    diagonal[i] = M[i * m->nv + i];
    c[i] = -c[i];
    for (int k = 0; k < i; k++) {
      assert_near(M[i * m->nv + k], 0, 1e-14);
    }
  }
  compare("M of bodies", type, diagonal, red_get(results, "M_m_diag"), 1e-10);
  compare("f of bodies", type, c, red_get(results, "f_m"), 1e-10);
  lb_data_release(d);
  lb_model_release(m);
}

static void compare_jacobians(setup* s, const cJSON* results, const char* type) {
  const double still[MOST] = {0};
  double c[MOST];
  body_jacobians(s, s->m->start.q, s->m->start.qd);
  compare("J", type, rows, red_get(results, "J_mr"), 1e-10);
  compare("Jdot", type, rows_dot, red_get(results, "Jdot_mr"), 1e-10);
  static double M[MOST * MOST];
  lb_crba(s->m, s->d, M, s->m->start.q);
  compare("M", type, M, red_get(results, "M_r"), 1e-10);
  lb_rnea(s->m, s->d, c, s->m->start.q, s->m->start.qd, still);
  for (int k = 0; k < s->m->nv; k++) {
    c[k] = -c[k];
  }
  if (red_get(results, "f_r")) {
    compare("f", type, c, red_get(results, "f_r"), 1e-10);
  }
  compare_bodies(s, results, type);
  compare("q", type, s->m->start.q, red_get(results, "q"), 1e-10);
  compare("qdot", type, s->m->start.qd, red_get(results, "qdot"), 1e-10);
}

// --- charts ---

// S and Sdot of a joint and their derivatives by its coordinates, by rows; of dS/dq and dSdot/dq
// one after the other for each coordinate.
typedef struct directions {
  lb_transform at;
  double S[36], Sdot[36], by_q[216], dot_by_q[216];
} directions;

// Sdot_i = sum_k T_ik qd_k with T_ik = dS_i/dq_k
static void find_rates(const lb_chart* chart, const double* q, const double* qd, lb_chart_at* at,
                       double* Sdot) {
  lb_chart_evaluate(chart, at, q, qd, LB_CHART_BEND);
  for (int i = 0; i < chart->n; i++) {
    lb_motion rate = lb_motion_zero();
    for (int k = 0; k < chart->n; k++) {
      rate = lb_motion_add(rate, lb_motion_scale(qd[k], at->T[i][k]));
    }
    for (int c = 0; c < 6; c++) {
      Sdot[c * chart->n + i] = c < 3 ? rate.w[c] : rate.v[c - 3];
    }
  }
}

static void find_directions(const lb_scene_joint* j, directions* out) {
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  const lb_chart* chart;
  lb_chart_at at;
  assert_int_equal(lb_joint_chart(j, &arena, &chart), LB_OK);
  const int n = chart->n;
  const double h = 1e-4;
  *out = (directions){0};
  for (int k = 0; k < n; k++) {
    for (int p = 0; p < DIFFERENCE_POINTS; p++) {
      double q[LB_JOINT_MOST_V], Sdot[36];
      memcpy(q, j->q, (size_t)n * sizeof *q);
      q[k] += h * DIFFERENCE_AT[p];
      find_rates(chart, q, j->qd, &at, Sdot);
      lb_add(6 * n, out->dot_by_q + 6 * n * k, DIFFERENCE_WEIGHT[p] / h, Sdot);
    }
  }
  find_rates(chart, j->q, j->qd, &at, out->Sdot);
  for (int i = 0; i < 6 * n; i++) {
    const int c = i / n;
    out->S[i] = c < 3 ? at.S[i % n].w[c] : at.S[i % n].v[c - 3];
    for (int k = 0; k < n; k++) {
      const lb_motion T_k = at.T[i % n][k];
      out->by_q[6 * n * k + i] = c < 3 ? T_k.w[c] : T_k.v[c - 3];
    }
  }
  out->at = (lb_transform){
      lb_quat_from_matrix((lb_mat3){lb_v4_vec3(at.R.x), lb_v4_vec3(at.R.y), lb_v4_vec3(at.R.z)}),
      lb_v4_vec3(at.p)};
  lb_arena_release(&arena);
}

static void compare_directions(const cJSON* results, const char* type) {
  for (int i = 0; i < T.scene.njoint; i++) {
    const cJSON* joint = cJSON_GetArrayItem(red_get(results, "joints"), i);
    directions d;
    find_directions(&T.joint[i], &d);
    compare("S", type, d.S, red_get(joint, "S"), 1e-10);
    compare("Sdot", type, d.Sdot, red_get(joint, "Sdot"), 1e-10);
    compare_pose("Q", type, d.at, red_get(joint, "Q"));
    if (red_get(joint, "dSdq_list_over_k")) {
      compare("dS/dq", type, d.by_q, red_get(joint, "dSdq_list_over_k"), 1e-10);
      compare("dSdot/dq", type, d.dot_by_q, red_get(joint, "dSdotdq_list_over_k"), 1e-10);
    }
  }
}

// Energies of a scene at its start, over that of what is fixed to the world, which has none here.
static void compare_energies(setup* s, const cJSON* results, const char* type) {
  double energy[] = {lb_kinetic_energy(s->m, s->d), lb_potential_energy(s->m, s->d)};
  for (int b = 0; b < s->m->nbody; b++) {
    const double weight = s->m->body.mass[b].mass;
    const lb_vec3 at = s->m->body.in_link[b].p;
    energy[1] -= s->m->body.link[b] == LB_WORLD ? weight * lb_vec3_dot(s->m->gravity, at) : 0;
  }
  compare("T", type, energy, red_get(results, "T"), 1e-10);
  compare("V", type, energy + 1, red_get(results, "V"), 1e-10);
}

static void fifteen_joints_move_and_accelerate_as_in_the_reference(void** state) {
  (void)state;
  cJSON* file = red_open("static_joints_full.json");
  worst = 0;
  if (!file) {
    skip();
  }
  int count = 0, numbers = 0;
  const cJSON* entry;
  cJSON_ArrayForEach(entry, file) {
    const char* type = red_get(entry, "joint_type")->valuestring;
    const cJSON* results = red_get(entry, "results");
    red_scene(&T, red_get(entry, "scene"), LB_TURN_EXPONENTIAL);
    compare_directions(results, type);
    setup s = open_setup();
    compare_jacobians(&s, results, type);
    const double tau[MOST] = {0};
    double qdd[MOST];
    lb_aba(s.m, s.d, qdd, s.m->start.q, s.m->start.qd, tau);
    compare("qdd", type, qdd, red_get(results, "qddot"), 1e-10);
    compare_energies(&s, results, type);
    compare_maximal(&s, results, type);
    numbers += red_assert_compared(results, THEIR_OWN);
    close_setup(&s);
    count++;
  }
  assert_int_equal(count, 15);
  print_message("%d numbers, each compared\n", numbers);
  red_check_page("static_joints_full.json", worst, NAN);
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
  lb_rnea_derivatives(s->D, s->d, s->m->start.q, still, still);
  memcpy(gravity, s->D->tau_q, (size_t)(nv * nv) * sizeof(double));
  for (int j = 0; j < nv; j++) {
    qdd[j] = 1;
    lb_rnea_derivatives(s->D, s->d, s->m->start.q, still, qdd);
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
      memcpy(q, s->m->start.q, (size_t)nv * sizeof *q);
      q[k] += h * DIFFERENCE_AT[p];
      body_jacobians(s, q, s->m->start.qd);
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
  const lb_scene_point* point = T.force[0].point;
  double G[3 * MOST] = {0};
  body_jacobians(s, q, qd);
  memcpy(s->d->q, q, (size_t)nv * sizeof *q);
  lb_poses(s->m, s->d);
  for (int end = 0; end < 2; end++) {
    const double* from = rows + 6 * nv * point[end].body;
    const lb_transform X = s->d->pose[point[end].body];
    for (int k = 0; k < nv; k++) {
      const lb_vec3 w = {from[k], from[nv + k], from[2 * nv + k]};
      const lb_vec3 v = {from[3 * nv + k], from[4 * nv + k], from[5 * nv + k]};
      const lb_vec3 here = lb_quat_rotate(X.q, lb_vec3_add(v, lb_vec3_cross(w, point[end].at)));
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
  int count = 0, numbers = 0;
  const cJSON* entry;
  cJSON_ArrayForEach(entry, file) {
    const char* type = red_get(entry, "joint_type")->valuestring;
    const cJSON* results = red_get(entry, "results");
    red_scene(&T, red_get(entry, "scene"), LB_TURN_XYZ);
    compare_directions(results, type);
    setup s = open_setup();
    const int nv = s.m->nv;
    compare_jacobians(&s, results, type);
    compare_energies(&s, results, type);
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
    damp(&s, more, s.m->start.q, s.m->start.qd);
    difference(s.m, damp, &s, nv, s.m->start.q, s.m->start.qd, true, 1e-3, more_q);
    difference(s.m, damp, &s, nv, s.m->start.q, s.m->start.qd, false, 1e-1, more_qd);
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
    red_assert_says(red_get(results, "fd_err"), "scale_K", red_size(red_get(results, "K")));
    red_assert_says(red_get(results, "fd_err"), "scale_D", red_size(red_get(results, "D")));
    numbers += red_assert_compared(results, THEIR_OWN);
    close_setup(&s);
    count++;
  }
  assert_int_equal(count, 10);
  print_message("%d numbers, each compared\n", numbers);
  red_check_page("static_joints_diff.json", worst, NAN);
  cJSON_Delete(file);
}

static double det(const double* A) {
  return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
         A[2] * (A[3] * A[7] - A[4] * A[6]);
}

static void rotation_of(const lb_scene_joint* j, double R[9]) {
  directions d;
  find_directions(j, &d);
  const lb_mat3 M = lb_quat_matrix(d.at.q);
  memcpy(R, (double[]){M.x.x, M.y.x, M.z.x, M.x.y, M.y.y, M.z.y, M.x.z, M.y.z, M.z.z},
         9 * sizeof *R);
}

// The angles that the authors find for R, which need not be those it came from.
static void compare_inverse(lb_scene_joint j, const cJSON* entry, const char* name) {
  double R[9];
  red_numbers(red_get(entry, "inverse_q"), j.q);
  rotation_of(&j, R);
  compare("R of the angles found", name, R, red_get(entry, "R"), 1e-10);
  for (int k = 0; k < 3; k++) {
    red_value(cJSON_GetArrayItem(red_get(entry, "inverse_q"), k));
  }
}

static void twelve_orders_of_angles_are_those_of_the_reference(void** state) {
  (void)state;
  cJSON* file = red_open("euler_charts.json");
  worst = 0;
  if (!file) {
    skip();
  }
  int count = 0;
  const cJSON* entry;
  cJSON_ArrayForEach(entry, file) {
    const char* name = red_get(entry, "chart")->valuestring;
    lb_scene_joint j = lb_scene_joint_default();
    directions d;
    double R[9], by_q[27], dot_by_q[27];
    j.kind = LB_JOINT_EULER;
    j.order = red_order(name);
    red_numbers(red_get(entry, "q"), j.q);
    red_numbers(red_get(entry, "qdot"), j.qd);
    find_directions(&j, &d);
    rotation_of(&j, R);
    for (int i = 0; i < 27; i++) { // the upper three rows
      by_q[i] = d.by_q[i / 9 * 18 + i % 9];
      dot_by_q[i] = d.dot_by_q[i / 9 * 18 + i % 9];
    }
    const double detS = det(d.S);
    compare("R", name, R, red_get(entry, "R"), 1e-10);
    compare("S", name, d.S, red_get(entry, "S_top3"), 1e-10);
    compare("det S", name, &detS, red_get(entry, "detS"), 1e-10);
    compare("Sdot", name, d.Sdot, red_get(entry, "Sdot_top3"), 1e-10);
    compare("dS/dq", name, by_q, red_get(entry, "dSdq"), 1e-10);
    compare("dSdot/dq", name, dot_by_q, red_get(entry, "dSdotdq"), 1e-10);
    compare_inverse(j, entry, name);
    static const char* const BUT[] = {"q", "qdot", "inverse_R_err", NULL}; // what was put in
    red_assert_compared(entry, BUT);
    count++;
  }
  assert_int_equal(count, 12);
  red_check_page("euler_charts.json", worst, NAN);
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
    difference(s.m, residual, &s, nv, s.m->start.q, s.m->start.qd, true, 1e-4, by_q);
    difference(s.m, residual, &s, nv, s.m->start.q, s.m->start.qd, false, 1e-2, by_qd);
    residual(&s, still, s.m->start.q, s.m->start.qd);
    lb_derive_forced(s.D, s.d);
    most = fmax(most, distance(nv * nv, s.D->tau_q, by_q));
    most = fmax(most, distance(nv * nv, s.D->tau_qd, by_qd));
    close_setup(&s);
    red_release(&T);
    count++;
  }
  assert_int_equal(count, 11);
  red_check_page(NAME, most, NAN);
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
