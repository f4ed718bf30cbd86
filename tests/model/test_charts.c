// Charts of all kinds of joints: each derivative against differences of what it is the derivative
// of, and kinds that are the same motion in other words.
#include "model/build/joint_charts.h"

#include "counting.h"
#include "differences.h"
#include "math/curve/chart_find.h"
#include "math/space/se3.h"
#include "random_tree.h"

static random_tree T;

static const lb_joint_kind KINDS[] = {
    LB_JOINT_REVOLUTE,      LB_JOINT_PRISMATIC, LB_JOINT_UNIVERSAL, LB_JOINT_PLANAR,
    LB_JOINT_TRANSLATIONAL, LB_JOINT_HELICAL,   LB_JOINT_EULER,     LB_JOINT_EXPONENTIAL,
    LB_JOINT_FREE_2D,       LB_JOINT_FREE_3D,   LB_JOINT_CURVE,     LB_JOINT_SURFACE,
    LB_JOINT_ELLIPSOID,     LB_JOINT_COMPOSITE, LB_JOINT_COUNT}; // a composite by functions
enum { NKIND = sizeof KINDS / sizeof *KINDS };

typedef struct setup {
  lb_arena arena;
  const lb_chart* chart;
  double q[LB_CHART_MOST], qd[LB_CHART_MOST];
} setup;

// Two coordinates, a length and an angle, in one piece of every function, and seven screws: natural
// and cubic splines, a straight line, a polynomial, and the coordinates themselves, the second by a
// function of its own.
static lb_scene_joint knee(lb_random* r) {
  enum { KEYS = 5 };
  static double time[KEYS] = {-0.5, 0.1, 1.3, 1.6, 2}, value[7][KEYS];
  static const struct {
    lb_joint_kind kind;
    int leader; // -1: its own
    lb_profile_kind profile;
    int count;
  } PARTS[7] = {{LB_JOINT_PRISMATIC, 1, LB_PROFILE_NATURAL, KEYS},
                {LB_JOINT_PRISMATIC, 1, LB_PROFILE_POLYNOMIAL, 4},
                {LB_JOINT_PRISMATIC, -1, LB_PROFILE_CUBIC, KEYS},
                {LB_JOINT_REVOLUTE, -1, LB_PROFILE_LINEAR, 0},
                {LB_JOINT_REVOLUTE, 0, LB_PROFILE_NATURAL, KEYS},
                {LB_JOINT_REVOLUTE, 1, LB_PROFILE_SMOOTH, KEYS},
                {LB_JOINT_PRISMATIC, 0, LB_PROFILE_LINEAR, 0}};
  static lb_scene_joint part[7];
  lb_scene_joint whole = lb_scene_joint_default();
  for (int i = 0; i < 7; i++) {
    part[i] = lb_scene_joint_default();
    part[i].kind = PARTS[i].kind;
    part[i].follows = PARTS[i].leader >= 0;
    part[i].leader = part[i].follows ? PARTS[i].leader : 0;
    part[i].profile = (lb_profile_definition){.kind = PARTS[i].profile,
                                              .count = PARTS[i].count,
                                              .time = time,
                                              .value = value[i],
                                              .beyond = LB_BEYOND_LINE};
    part[i].in_parent = (lb_transform){random_small_turn(r), random_vec3(r, 0.3)};
    random_axes(r, &part[i]);
    for (int k = 0; k < KEYS; k++) {
      value[i][k] = lb_random_between(r, -0.3, 0.3) + 0.5 * time[k];
    }
  }
  whole.kind = LB_JOINT_COMPOSITE;
  whole.part = part;
  whole.npart = 7;
  return whole;
}

static setup open_setup(uint64_t seed, lb_joint_kind kind) {
  setup s;
  lb_random r = {seed};
  if (kind == LB_JOINT_COUNT) {
    T.joint[0] = knee(&r);
  } else {
    random_tree_make(&T, &r, 1, &kind, 1);
  }
  lb_arena_init(&s.arena, NULL);
  assert_int_equal(lb_joint_chart(&T.joint[0], &s.arena, &s.chart), LB_OK);
  assert_int_equal(s.chart->n, lb_joint_count_v(&T.joint[0]));
  for (int k = 0; k < s.chart->n; k++) {
    s.q[k] = lb_random_between(&r, 0.2, 1.2);
    s.qd[k] = lb_random_between(&r, -2, 2);
  }
  return s;
}

static void assert_motions_near(lb_motion a, lb_motion b, double tolerance) {
  for (int c = 0; c < 3; c++) {
    assert_near(a.w[c], b.w[c], tolerance);
    assert_near(a.v[c], b.v[c], tolerance);
  }
}

// Differences of all that a chart gives, by q_k.
typedef struct slopes {
  lb_m3 R;
  lb_v4 p;
  lb_motion S[LB_CHART_MOST], V, b;
} slopes;

static slopes difference_chart(const setup* s, int k) {
  slopes sum = {0};
  const double h = 1e-3;
  for (int p = 0; p < DIFFERENCE_POINTS; p++) {
    const double weight = DIFFERENCE_WEIGHT[p] / h;
    double q[LB_CHART_MOST];
    lb_chart_at at;
    memcpy(q, s->q, sizeof q);
    q[k] += h * DIFFERENCE_AT[p];
    lb_chart_evaluate(s->chart, &at, q, s->qd, LB_CHART_MOVE);
    lb_m3_add_scaled(&sum.R, weight, at.R);
    sum.p += at.p * weight;
    for (int i = 0; i < s->chart->n; i++) {
      sum.S[i] = lb_motion_add(sum.S[i], lb_motion_scale(weight, at.S[i]));
    }
    sum.V = lb_motion_add(sum.V, lb_motion_scale(weight, at.V));
    sum.b = lb_motion_add(sum.b, lb_motion_scale(weight, at.b));
  }
  return sum;
}

// S_k = Q^-1 dQ/dq_k, dS_i/dq_k = T_ik, dV/dq_k and db/dq_k.
static void every_derivative_matches_differences(void** state) {
  (void)state;
  for (int which = 0; which < NKIND; which++) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
      setup s = open_setup(seed, KINDS[which]);
      lb_chart_at at;
      lb_chart_evaluate(s.chart, &at, s.q, s.qd, LB_CHART_BEND);
      lb_motion V = lb_motion_zero(), b = lb_motion_zero();
      for (int k = 0; k < s.chart->n; k++) {
        const slopes d = difference_chart(&s, k);
        const lb_m3 W = lb_m3_mul(lb_m3_transpose(at.R), d.R); // [S.w]
        const lb_motion S = {lb_v4_make(W.y[2], W.z[0], W.x[1]), lb_m3_apply_transposed(at.R, d.p)};
        assert_motions_near(at.S[k], S, 1e-9);
        for (int i = 0; i < s.chart->n; i++) {
          assert_motions_near(at.T[i][k], d.S[i], 1e-9);
          b = lb_motion_add(b, lb_motion_scale(s.qd[i] * s.qd[k], at.T[i][k]));
        }
        assert_motions_near(at.rate[k], d.V, 1e-9);
        assert_motions_near(at.curve[k], d.b, 1e-9);
        V = lb_motion_add(V, lb_motion_scale(s.qd[k], at.S[k]));
      }
      assert_motions_near(at.V, V, 1e-13);
      assert_motions_near(at.b, b, 1e-12);
      lb_arena_release(&s.arena);
    }
  }
}

// T_ik - T_ki = [S_i, S_k]: the motions are those of one frame.
static void mixed_derivatives_differ_by_the_commutator(void** state) {
  (void)state;
  for (int which = 0; which < NKIND; which++) {
    setup s = open_setup(7, KINDS[which]);
    lb_chart_at at;
    lb_chart_evaluate(s.chart, &at, s.q, s.qd, LB_CHART_BEND);
    for (int i = 0; i < s.chart->n; i++) {
      for (int k = 0; k < s.chart->n; k++) {
        const lb_motion less = lb_motion_scale(-1, at.T[k][i]);
        assert_motions_near(lb_motion_add(at.T[i][k], less), lb_motion_cross(at.S[i], at.S[k]),
                            1e-13);
      }
    }
    lb_arena_release(&s.arena);
  }
}

// A rotation vector near zero, and at every length up to where its numbers change.
static void rotation_vectors_are_smooth_through_zero(void** state) {
  (void)state;
  setup s = open_setup(1, LB_JOINT_EXPONENTIAL);
  for (int i = -40; i <= 3; i++) {
    const double size = exp(i * 0.5);
    lb_chart_at at;
    for (int k = 0; k < 3; k++) {
      s.q[k] = size * (k == 0 ? 0.6 : k == 1 ? -0.48 : 0.64);
    }
    lb_chart_evaluate(s.chart, &at, s.q, s.qd, LB_CHART_BEND);
    const lb_vec3 q = {s.q[0], s.q[1], s.q[2]}, qd = {s.qd[0], s.qd[1], s.qd[2]};
    const lb_vec3 w = lb_mat3_apply(lb_so3_jacobian(LB_RIGHT, q), qd);
    assert_motions_near(at.V, (lb_motion){lb_v4_from(w), lb_v4_zero()}, 1e-14);
    if (size < 1e-4) { // S -> 1 - [q]/2, Sdot -> -[qd]/2
      const lb_vec3 half = lb_vec3_scale(-0.5, lb_vec3_cross(q, qd));
      assert_motions_near(at.V, (lb_motion){lb_v4_from(lb_vec3_add(qd, half)), lb_v4_zero()}, 1e-8);
      assert_below(lb_v4_dot(at.b.w, at.b.w), 1e-6);
    }
  }
  lb_arena_release(&s.arena);
}

static const double TURN = 6.283185307179586;

static void other_numbers_mean_the_same_rotation_and_velocity(void** state) {
  (void)state;
  static const bool FREE[LB_CHART_MOST] = {false}, HELD[LB_CHART_MOST] = {false, true};
  int changes = 0;
  for (uint64_t seed = 1; seed <= 50; seed++) {
    setup s = open_setup(seed, LB_JOINT_EXPONENTIAL);
    lb_random r = {seed};
    const lb_vec3 axis = random_vec3(&r, 1);
    const double angle = lb_random_between(&r, 0, 6);
    const double scale = angle / lb_vec3_norm(axis);
    const double q[] = {scale * axis.x, scale * axis.y, scale * axis.z};
    lb_chart_at before, after;
    memcpy(s.q, q, sizeof q);
    lb_chart_evaluate(s.chart, &before, s.q, s.qd, LB_CHART_MOVE);
    assert_false(lb_chart_rechart(s.chart, s.q, s.qd, HELD));
    assert_near(lb_chart_strain(s.chart, s.q), angle / TURN, 1e-14);
    const bool changed = lb_chart_rechart(s.chart, s.q, s.qd, FREE);
    assert_int_equal(changed, angle > 1.5 * 3.14159265358979323846);
    lb_chart_evaluate(s.chart, &after, s.q, s.qd, LB_CHART_MOVE);
    assert_motions_near(before.V, after.V, 1e-12);
    assert_near(lb_v4_dot(before.R.x, after.R.x), 1, 1e-13);
    assert_near(lb_v4_dot(before.R.y, after.R.y), 1, 1e-13);
    assert_below(s.q[0] * s.q[0] + s.q[1] * s.q[1] + s.q[2] * s.q[2], 22.3);
    changes += changed;
    lb_arena_release(&s.arena);
  }
  assert_above(changes, 5);
}

// A weighted sum of the numbers that others change to.
static double changed_sum(const setup* s, const double* q, const double* qd, const double* y,
                          const double* z) {
  static const bool FREE[LB_CHART_MOST] = {false};
  double p[LB_CHART_MOST], pd[LB_CHART_MOST], sum = 0;
  memcpy(p, q, sizeof p);
  memcpy(pd, qd, sizeof pd);
  assert_true(lb_chart_rechart(s->chart, p, pd, FREE));
  for (int k = 0; k < s->chart->n; k++) {
    sum += y[k] * p[k] + z[k] * pd[k];
  }
  return sum;
}

static void slopes_through_other_numbers_are_those_of_differences(void** state) {
  (void)state;
  static const bool FREE[LB_CHART_MOST] = {false};
  static const double STEP = 1e-3;
  static const lb_joint_kind kinds[] = {LB_JOINT_EXPONENTIAL, LB_JOINT_FREE_3D};
  for (uint64_t seed = 1; seed <= 20; seed++) {
    setup s = open_setup(seed, kinds[seed % 2]);
    lb_random r = {seed};
    double y[LB_CHART_MOST], z[LB_CHART_MOST], by_q[LB_CHART_MOST], by_qd[LB_CHART_MOST];
    for (int k = 0; k < s.chart->n; k++) {
      s.q[k] = lb_random_between(&r, -1, 1) + (k % 2 ? -5 : 5); // one turn back, or two
      by_q[k] = y[k] = lb_random_between(&r, -1, 1);
      by_qd[k] = z[k] = lb_random_between(&r, -1, 1);
    }
    if (lb_chart_strain(s.chart, s.q) < LB_CHART_STRAINED) { // of Euler angles
      lb_arena_release(&s.arena);
      continue;
    }
    lb_chart_rechart_back(s.chart, s.q, s.qd, FREE, by_q, by_qd);
    for (int k = 0; k < 2 * s.chart->n; k++) {
      double* x = k < s.chart->n ? &s.q[k] : &s.qd[k - s.chart->n];
      const double at = *x;
      double sum[4];
      for (int i = 0; i < 4; i++) {
        *x = at + (i < 2 ? i - 2 : i - 1) * STEP;
        sum[i] = changed_sum(&s, s.q, s.qd, y, z);
      }
      *x = at;
      assert_near((sum[0] - 8 * sum[1] + 8 * sum[2] - sum[3]) / (12 * STEP),
                  k < s.chart->n ? by_q[k] : by_qd[k - s.chart->n], 1e-9);
    }
    lb_arena_release(&s.arena);
  }
}

// Full turns are singular, and what is between them, or steps over none, is not.
static void full_turns_are_singular(void** state) {
  (void)state;
  static const struct {
    double from, to;
    bool singular;
  } CASES[] = {{0, 0.5, false},    {0.5, 0.97, false},  {0.5, 0.99, true},  {0.97, 1.03, true},
               {1.03, 1.5, false}, {1.5, 1.03, false},  {1.03, 0.97, true}, {1.97, 1.97, false},
               {1.9, 2.1, true},   {0.01, 0.01, false}, {2.01, 2.01, true}};
  static const bool FREE[LB_CHART_MOST] = {false}, HELD[LB_CHART_MOST] = {false, false, true};
  setup s = open_setup(1, LB_JOINT_EXPONENTIAL);
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    const double from[] = {0, 0.6 * TURN * CASES[i].from, -0.8 * TURN * CASES[i].from};
    const double to[] = {0, 0.6 * TURN * CASES[i].to, -0.8 * TURN * CASES[i].to};
    assert_int_equal(lb_chart_is_singular(s.chart, from, to, HELD, 0.02), CASES[i].singular);
    assert_false(lb_chart_is_singular(s.chart, from, to, FREE, 0.02));
  }
  lb_arena_release(&s.arena);
}

static double volume_at(const lb_chart* c, const double* q, const double* own) {
  static const double NONE[LB_CHART_MOST] = {0};
  lb_chart_at at;
  lb_chart_evaluate(c, &at, q, NULL, LB_CHART_PLACE);
  return lb_chart_volume(&at, c->n, own ? own : NONE);
}

// |cos| of the middle angle with three axes, |sin| with the first one twice; however far from the
// origin a free body is, in both its orders, and whatever frames are between the hinges of a chain.
static void the_volume_is_the_distance_from_a_singular_place(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    const lb_joint_kind kind = seed % 2 ? LB_JOINT_EULER : LB_JOINT_FREE_3D;
    setup s = open_setup(seed, kind);
    const lb_scene_joint* j = &T.joint[0];
    const int first = kind == LB_JOINT_FREE_3D && !j->rotation_first ? 3 : 0;
    for (int k = 0; k < s.chart->n && kind == LB_JOINT_FREE_3D; k++) {
      s.q[k] *= k >= first && k < first + 3 ? 1 : 1000;
    }
    if (j->order != LB_TURN_EXPONENTIAL) {
      const double x = s.q[first + 1];
      const bool twice = fabs(volume_at(s.chart, (double[LB_CHART_MOST]){0}, NULL)) < 0.5;
      assert_near(volume_at(s.chart, s.q, NULL), fabs(twice ? sin(x) : cos(x)), 1e-9);
    }
    lb_arena_release(&s.arena);
  }
}

// A rotor on the first number weighs where the axes fall together, and little elsewhere.
static void rotors_keep_a_chart_from_being_singular(void** state) {
  (void)state;
  setup s = open_setup(1, LB_JOINT_EULER);
  lb_scene_joint* j = &T.joint[0];
  j->order = LB_TURN_XYZ;
  assert_int_equal(lb_joint_chart(j, &s.arena, &s.chart), LB_OK);
  const double singular[] = {0.3, TURN / 4, 0.7}, far[] = {0.3, 0, 0.7}, own[LB_CHART_MOST] = {0.1};
  assert_near(volume_at(s.chart, singular, NULL), 0, 1e-15);
  assert_near(volume_at(s.chart, singular, own), 0.1 / sqrt(1.01), 1e-12);
  assert_near(volume_at(s.chart, far, own), 1, 1e-12);
  // what turns undo of each other
  lb_chart_at at;
  lb_chart_evaluate(s.chart, &at, singular, NULL, LB_CHART_PLACE);
  assert_near(lb_chart_idle_turn(&at, 3, (double[]){0.2, 0.3, -0.2}), sqrt(0.08), 1e-12);
  assert_near(lb_chart_idle_turn(&at, 3, (double[]){0, 0.3, -0.2}), 0, 1e-12);
  assert_near(lb_chart_idle_turn(&at, 3, (double[]){0.2, 0.3, 0.2}), 0, 1e-12);
  lb_arena_release(&s.arena);
}

static lb_transform pose_of(const setup* s, const double* q) {
  lb_chart_at at;
  lb_chart_evaluate(s->chart, &at, q, NULL, LB_CHART_PLACE);
  return (lb_transform){lb_quat_from_matrix(lb_m3_mat3(at.R)), lb_v4_vec3(at.p)};
}

static void assert_poses_near(lb_transform a, lb_transform b, double tolerance) {
  const lb_transform off = lb_transform_mul(lb_transform_inverse(a), b);
  assert_near(lb_vec3_norm(off.p), 0, tolerance);
  assert_near(lb_vec3_norm(lb_quat_log(off.q)), 0, tolerance);
}

// A curve of frames that all move by the same motion is that motion, and a cyclic one comes back.
static void a_curve_of_equal_ways_is_a_helix(void** state) {
  (void)state;
  setup s = open_setup(3, LB_JOINT_CURVE);
  lb_scene_joint* j = &T.joint[0];
  const lb_twist way = {{0.2, 0.1, -0.3}, {0.5, 0.2, 0.1}};
  for (int i = 0; i < TREE_FRAMES; i++) {
    T.frame[0][i] = lb_se3_exp((lb_twist){lb_vec3_scale(i, way.w), lb_vec3_scale(i, way.v)});
  }
  j->spline.cyclic = false;
  assert_int_equal(lb_joint_chart(j, &s.arena, &s.chart), LB_OK);
  for (double q = -0.5; q < 3.6; q += 0.1) {
    const lb_twist x = {lb_vec3_scale(q + 1, way.w), lb_vec3_scale(q + 1, way.v)};
    assert_poses_near(pose_of(&s, &q), lb_se3_exp(x), 1e-13);
  }
  j->spline.cyclic = true;
  assert_int_equal(lb_joint_chart(j, &s.arena, &s.chart), LB_OK);
  for (double q = -7; q < 7; q += 0.37) {
    const double later = q + TREE_FRAMES;
    assert_poses_near(pose_of(&s, &q), pose_of(&s, &later), 1e-12);
  }
  lb_arena_release(&s.arena);
}

// Rows are counted by the second coordinate, columns by the first.
static void a_surface_of_even_steps_is_flat(void** state) {
  (void)state;
  setup s = open_setup(3, LB_JOINT_SURFACE);
  lb_scene_joint* j = &T.joint[0];
  for (int k = 0; k < TREE_ROWS * TREE_COLUMNS; k++) {
    const int row = k / TREE_COLUMNS - 1, column = k % TREE_COLUMNS - 1;
    T.control[0][0][k] = 2 * column;
    T.control[0][1][k] = 3 * row;
    T.control[0][5][k] = 0.1 * row;
  }
  j->spline.control[2] = j->spline.control[3] = j->spline.control[4] = NULL;
  assert_int_equal(lb_joint_chart(j, &s.arena, &s.chart), LB_OK);
  const double q[] = {0.3, 1.2};
  const lb_transform X = {lb_quat_exp(lb_vec3_make(0, 0, 0.12)), {0.6, 3.6, 0}};
  assert_poses_near(pose_of(&s, q), X, 1e-13);
  lb_arena_release(&s.arena);
}

// --- the same motion in other words ---

static void assert_same_chart(const lb_scene_joint* a, const lb_scene_joint* b, lb_arena* arena) {
  const lb_chart *A, *B;
  const double q[] = {0.3, 0.7, -0.4, 0.9, 0.2, 0.5}, qd[] = {1, -2, 0.5, 0.3, -0.6, 1.5};
  lb_chart_at x, y;
  assert_int_equal(lb_joint_chart(a, arena, &A), LB_OK);
  assert_int_equal(lb_joint_chart(b, arena, &B), LB_OK);
  assert_int_equal(A->n, B->n);
  lb_chart_evaluate(A, &x, q, qd, LB_CHART_BEND);
  lb_chart_evaluate(B, &y, q, qd, LB_CHART_BEND);
  assert_near(lb_v4_dot(x.p - y.p, x.p - y.p), 0, 1e-14);
  for (int k = 0; k < A->n; k++) {
    assert_motions_near(x.S[k], y.S[k], 1e-14);
    assert_motions_near(x.curve[k], y.curve[k], 1e-13);
  }
}

// A screw is a turn and a slide along its axis by the same coordinate.
static void a_hinge_whose_slide_follows_it_is_a_screw(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  double slope[] = {0.3 / (2 * M_PI), 0};
  lb_scene_joint part[2], screw = lb_scene_joint_default(), chain = lb_scene_joint_default();
  for (int i = 0; i < 2; i++) {
    part[i] = lb_scene_joint_default();
    part[i].axis = lb_vec3_make(0.6, 0, 0.8);
  }
  part[0].kind = LB_JOINT_REVOLUTE;
  part[1].kind = LB_JOINT_PRISMATIC;
  part[1].follows = true;
  part[1].profile =
      (lb_profile_definition){.kind = LB_PROFILE_POLYNOMIAL, .count = 2, .value = slope};
  chain.kind = LB_JOINT_COMPOSITE;
  chain.part = part;
  chain.npart = 2;
  screw.kind = LB_JOINT_HELICAL;
  screw.axis = part[0].axis;
  screw.pitch = 0.3;
  assert_same_chart(&screw, &chain, &arena);
  lb_arena_release(&arena);
}

static void chains_are_the_joints_they_are_made_of(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_scene_joint part[3], whole = lb_scene_joint_default(), chain = lb_scene_joint_default();
  for (int i = 0; i < 3; i++) {
    part[i] = lb_scene_joint_default();
  }
  chain.kind = LB_JOINT_COMPOSITE;
  chain.part = part;
  chain.npart = 2;
  // all twelve orders are three hinges
  for (int order = 1; order < LB_TURN_COUNT; order++) {
#define AXES(code, name, i, j, k) {i, j, k},
    static const int axis[LB_TURN_COUNT][3] = {LB_TURN_LIST(AXES)};
    for (int i = 0; i < 3; i++) {
      const int a = axis[order][i];
      part[i].kind = LB_JOINT_REVOLUTE;
      part[i].axis = lb_vec3_make(a == 0, a == 1, a == 2);
    }
    chain.npart = 3;
    whole.kind = LB_JOINT_EULER;
    whole.order = (lb_turn_order)order;
    assert_same_chart(&whole, &chain, &arena);
  }
  // a free body, in both orders
  for (int first = 0; first < 2; first++) {
    part[first].kind = LB_JOINT_EXPONENTIAL;
    part[1 - first].kind = LB_JOINT_TRANSLATIONAL;
    chain.npart = 2;
    whole.kind = LB_JOINT_FREE_3D;
    whole.order = LB_TURN_EXPONENTIAL;
    whole.rotation_first = first == 0;
    assert_same_chart(&whole, &chain, &arena);
  }
  // a chain in a chain
  lb_scene_joint inner = chain, outer = chain;
  outer.part = &inner;
  outer.npart = 1;
  assert_same_chart(&chain, &outer, &arena);
  lb_arena_release(&arena);
}

// --- the way back ---

static lb_chart_target wish_near(const double* q) {
  lb_chart_target wish = {{0}, {0}, {0}};
  for (int k = 0; k < LB_CHART_MOST; k++) {
    wish.lower[k] = -(double)INFINITY;
    wish.upper[k] = (double)INFINITY;
    wish.near[k] = q ? q[k] : 0;
  }
  return wish;
}

// Any numbers: turns up to most of one, threads over several, splines on all their segments.
static void wander(const lb_chart* c, lb_random* r, double* q) {
  for (int i = 0; i < c->nfactor; i++) {
    const lb_factor* f = &c->factor[i];
    const bool thread = f->type == &lb_factor_screw && lb_v4_dot(f->screw.w, f->screw.w) > 0 &&
                        lb_v4_dot(f->screw.v, f->screw.v) > 0;
    double *x = q + f->first, size = thread ? 40 : 3;
    const int count = f->type == &lb_factor_frame ? 0 : f->type == &lb_factor_exponential ? 3 : 1;
    for (int k = 0; k < count; k++) {
      x[k] = lb_random_between(r, -size, size);
    }
    if (f->type == &lb_factor_function) {
      x[0] = lb_random_between(r, -0.5, 2); // over the keys of the knee
    } else if (f->type == &lb_factor_curve) {
      x[0] = lb_random_between(r, 0, f->cyclic ? f->count : f->count - 3);
    } else if (f->type == &lb_factor_surface) {
      x[0] = lb_random_between(r, 0, f->columns - 3);
      x[1] = lb_random_between(r, 0, f->rows - 3);
    }
  }
}

// From a place come coordinates that mean it, whichever they were; and those that were, where that
// is asked for.
static void the_inverse_finds_every_place(void** state) {
  (void)state;
  for (int which = 0; which < NKIND; which++) {
    for (uint64_t seed = 1; seed <= 40; seed++) {
      setup s = open_setup(seed, KINDS[which]);
      lb_random r = {seed + 1000};
      lb_chart_at at, back;
      double q[LB_CHART_MOST];
      wander(s.chart, &r, s.q);
      lb_chart_evaluate(s.chart, &at, s.q, NULL, LB_CHART_PLACE);
      lb_chart_target wish = wish_near(NULL);
      const double left = lb_chart_find(s.chart, q, at.R, at.p, &wish);
      lb_chart_evaluate(s.chart, &back, q, NULL, LB_CHART_PLACE);
      if (!(left < 1e-12)) {
        print_error("kind %d, seed %d: %g left\n", (int)KINDS[which], (int)seed, left);
      }
      assert_near(left, 0, 1e-12);
      for (int c = 0; c < 3; c++) {
        assert_near(at.p[c], back.p[c], 1e-12);
        assert_near(at.R.x[c], back.R.x[c], 1e-12);
        assert_near(at.R.z[c], back.R.z[c], 1e-12);
      }
      wish = wish_near(s.q);
      lb_chart_find(s.chart, q, at.R, at.p, &wish);
      for (int k = 0; k < s.chart->n; k++) {
        assert_near(q[k], s.q[k], 1e-9);
      }
      lb_arena_release(&s.arena);
    }
  }
}

// Of the angles that mean the same, those within bounds.
static void the_inverse_keeps_bounds_by_whole_turns(void** state) {
  (void)state;
  setup s = open_setup(3, LB_JOINT_REVOLUTE);
  lb_chart_at at;
  double q = -2.5;
  lb_chart_evaluate(s.chart, &at, &q, NULL, LB_CHART_PLACE);
  const double bound[][3] = {// lower, upper, what is found
                             {-1e3, 1e3, -2.5}, {3, 4, 2 * M_PI - 2.5}, {-10, -8, -2 * M_PI - 2.5},
                             {-2.5, 2, -2.5},   {0, 1, -2.5}, // there is none
                             {3, 1e3, -2.5}};                 // there are many
  for (size_t i = 0; i < sizeof bound / sizeof *bound; i++) {
    lb_chart_target wish = wish_near(NULL);
    wish.lower[0] = bound[i][0];
    wish.upper[0] = bound[i][1];
    lb_chart_find(s.chart, &q, at.R, at.p, &wish);
    assert_near(q, bound[i][2], 1e-12);
  }
  lb_arena_release(&s.arena);
}

// A place off the way: the nearest on it.
static void the_inverse_comes_as_near_as_it_can(void** state) {
  (void)state;
  setup s = open_setup(5, LB_JOINT_PLANAR);
  lb_chart_at at;
  double q[2] = {0.3, -0.8}, found[2];
  lb_chart_evaluate(s.chart, &at, q, NULL, LB_CHART_PLACE);
  const lb_v4 across = lb_v4_cross(at.S[0].v, at.S[1].v);
  const lb_chart_target wish = wish_near(NULL);
  assert_near(lb_chart_find(s.chart, found, at.R, at.p + across * 0.25, &wish), 0.25, 1e-12);
  assert_near(found[0], q[0], 1e-9);
  assert_near(found[1], q[1], 1e-9);
  lb_arena_release(&s.arena);
}

static void memory_that_runs_out_leaves_nothing(void** state) {
  (void)state;
  lb_random r = {11};
  lb_counting count = {0};
  const lb_allocator allocator = lb_counting_allocator(&count);
  random_tree_make(&T, &r, 40, KINDS, NKIND - 1);
  lb_model* m = NULL;
  lb_status status = LB_NO_MEMORY;
  long refuse = 1;
  for (; status != LB_OK; refuse++) {
    count = (lb_counting){.refuse = refuse};
    status = lb_model_create(&T.scene, &allocator, &m, NULL);
    assert_true(status == LB_OK || (status == LB_NO_MEMORY && count.live == 0 && !m));
  }
  assert_above(refuse, 3);
  lb_model_release(m);
  assert_int_equal(count.live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_derivative_matches_differences),
      cmocka_unit_test(mixed_derivatives_differ_by_the_commutator),
      cmocka_unit_test(rotation_vectors_are_smooth_through_zero),
      cmocka_unit_test(other_numbers_mean_the_same_rotation_and_velocity),
      cmocka_unit_test(slopes_through_other_numbers_are_those_of_differences),
      cmocka_unit_test(full_turns_are_singular),
      cmocka_unit_test(the_volume_is_the_distance_from_a_singular_place),
      cmocka_unit_test(rotors_keep_a_chart_from_being_singular),
      cmocka_unit_test(a_curve_of_equal_ways_is_a_helix),
      cmocka_unit_test(a_surface_of_even_steps_is_flat),
      cmocka_unit_test(a_hinge_whose_slide_follows_it_is_a_screw),
      cmocka_unit_test(chains_are_the_joints_they_are_made_of),
      cmocka_unit_test(the_inverse_finds_every_place),
      cmocka_unit_test(the_inverse_keeps_bounds_by_whole_turns),
      cmocka_unit_test(the_inverse_comes_as_near_as_it_can),
      cmocka_unit_test(memory_that_runs_out_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
