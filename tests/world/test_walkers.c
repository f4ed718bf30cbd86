// Walkers of scenes/ as mechanisms: where their feet go, what they are made of, how a chassis would
// stand and walk on them, by kinematics alone.
#include "walking.h"

#include "limber/limber.h"
#include "math/curve/time_profile.h"

// --- paths ---

typedef struct known_path {
  const char *scene, *foot;
  double unit;      // of the numbers below [m]
  double origin[2]; // of the crank
  double at[4][2];  // at 0, 90, 180, 270 degrees
  double stride, lift;
} known_path;

static const known_path known[] = {
    {"jansen",
     "F",
     0.01,
     {0, 0},
     {{-43.160111, -91.756933},
      {-7.689066, -90.389351},
      {-33.729730, -73.517097},
      {-70.670563, -89.642837}},
     67.9084,
     22.4572},
    {"klann",
     "P33",
     0.5,
     {1.599, 0.750},
     {{1.000130, 0.000035}, {0.496717, 0.004581}, {0, 0}, {0.533816, 0.435223}},
     1.00884,
     0.52741},
};

static void feet_go_where_they_should(void** state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    const known_path* e = &known[i];
    walker w;
    path p;
    double low;
    open_walker(&w, e->scene, e->foot);
    for (int q = 0; q < 4; q++) {
      const lb_linkage_copy plain = {.name = ""};
      double at[2];
      find_foot(&w, &plain, q * M_PI / 2, at);
      for (int c = 0; c < 2; c++) {
        assert_within(at[c] / e->unit + e->origin[c], e->at[q][c], 1e-6 * e->stride);
      }
    }
    find_path(&w, &p);
    assert_within(path_extent(&p, 0, &low) / e->unit, e->stride, 1e-5 * e->stride);
    assert_within(path_extent(&p, 1, &low) / e->unit, e->lift, 1e-5 * e->stride);
    lb_scene_release(&w.scene);
  }
}

// Share of a turn in which the foot of a path is within `reach` of its lowest place.
static double share_below(const path* p, double reach) {
  double low, count = 0;
  path_extent(p, 1, &low);
  for (int i = 0; i < SAMPLES; i++) { // lines between samples that cross it count in part
    const double a = p->at[i][1] - low - reach, b = p->at[i + 1][1] - low - reach;
    count += a <= 0 && b <= 0 ? 1 : a * b < 0 ? fmin(a, b) / (fmin(a, b) - fmax(a, b)) : 0;
  }
  return count / SAMPLES;
}

static void a_foot_of_jansen_stays_low_for_as_long_as_it_should(void** state) {
  (void)state;
  walker w;
  path p;
  open_walker(&w, "jansen", "F");
  find_path(&w, &p);
  int lowest = 0;
  for (int i = 1; i < SAMPLES; i++) {
    lowest = p.at[i][1] < p.at[lowest][1] ? i : lowest;
  }
  const double unit = 0.01, one = share_below(&p, unit), three = share_below(&p, 3 * unit);
  print_message(
      "within 1 of the lowest %.4f of a turn, within 3 %.4f; lowest %.4f at %.1f degrees\n", one,
      three, p.at[lowest][1] / unit, lowest * 360.0 / SAMPLES);
  assert_within(one, 0.431, 0.0005);
  assert_within(three, 0.592, 0.0005);
  assert_within(p.at[lowest][1] / unit, -91.8339, 1e-4);
  assert_within(lowest * 360.0 / SAMPLES, 329.3, 0.5);
  lb_scene_release(&w.scene);
}

static void a_foot_of_klann_is_level_for_half_a_turn(void** state) {
  (void)state;
  const known_path* e = &known[1];
  walker w;
  path p;
  double low = INFINITY, high = -INFINITY;
  open_walker(&w, e->scene, e->foot);
  find_path(&w, &p);
  for (int i = 0; i <= SAMPLES / 2; i++) {
    const double y = p.at[i][1] / e->unit + e->origin[1];
    low = fmin(low, y);
    high = fmax(high, y);
  }
  print_message("height from %.5f to %.5f\n", low, high);
  assert_within(low, -0.0488, 5e-5);
  assert_within(high, 0.0063, 5e-5);
  lb_scene_release(&w.scene);
}

// Dog and giraffe: half and whole the same numbers. The foot of the dog by circles that meet.
static void meet(double out[2], const double a[2], double ra, const double b[2], double rb,
                 double side) {
  const double dx = b[0] - a[0], dy = b[1] - a[1], n = hypot(dx, dy);
  const double along = (ra * ra - rb * rb + n * n) / (2 * n);
  const double h = side * sqrt(ra * ra - along * along);
  out[0] = a[0] + along * dx / n - h * dy / n;
  out[1] = a[1] + along * dy / n + h * dx / n;
}

static void dog_foot(double angle, double G[2]) {
  const double B[2] = {-38.8, -12.5}, D[2] = {-14.6, 41.9};
  const double C[2] = {17.5 * cos(angle), 17.5 * sin(angle)};
  double H[2], F[2], E[2];
  meet(H, B, 23.7, C, 38.8, 1);
  meet(F, C, 73.4, H, 35.2, -1);
  meet(E, D, 34.1, F, 57.7, -1);
  meet(G, F, 59, E, 111.7, -1);
}

static void dog_and_giraffe_go_by_circles(void** state) {
  (void)state;
  static const char* const name[] = {"dog", "giraffe"};
  const double unit[] = {0.005, 0.01};
  for (int i = 0; i < 2; i++) {
    walker w;
    path p;
    double low, from[2], to[2];
    open_walker(&w, name[i], "G");
    find_path(&w, &p);
    for (int s = 0; s < SAMPLES; s += 7) {
      double G[2];
      dog_foot(2 * M_PI * s / SAMPLES, G);
      assert_within(p.at[s][0] / unit[i], G[0], 1e-9);
      assert_within(p.at[s][1] / unit[i], G[1], 1e-9);
    }
    assert_within(path_extent(&p, 0, &low) / unit[i], 64.19, 0.006);
    assert_within(path_extent(&p, 1, &low) / unit[i], 31.27, 0.006);
    path_at(&p, 6.5 * M_PI / 180, false, from);
    path_at(&p, 173.2 * M_PI / 180, false, to);
    assert_within((from[0] - to[0]) / unit[i], 64.09, 0.006);
    lb_scene_release(&w.scene);
  }
}

// --- what they are made of ---

static void parts_are_as_many_as_they_should_be(void** state) {
  (void)state;
  static const struct {
    const char *scene, *foot;
    int bodies, pins, loops;
  } expected[] = {{"jansen", "F", 74, 109, 36},
                  {"klann", "P33", 34, 49, 16},
                  {"dog", "G", 21, 28, 8},
                  {"giraffe", "G", 21, 28, 8}};
  for (int i = 0; i < 4; i++) {
    walker w;
    int pins = 0, loops = 0;
    open_walker(&w, expected[i].scene, expected[i].foot);
    for (int j = 0; j < w.scene.njoint; j++) {
      pins += w.scene.joint[j].kind == LB_JOINT_REVOLUTE;
      loops += w.scene.joint[j].loop;
    }
    assert_int_equal(w.scene.nbody, expected[i].bodies);
    assert_int_equal(pins, expected[i].pins);
    assert_int_equal(loops, expected[i].loops);
    lb_scene_release(&w.scene);
  }
}

// --- as they move ---

// Foot of a copy in the world.
static lb_vec3 foot_in_world(lb_world* world, const walker* w, const lb_linkage_copy* copy) {
  const lb_scene_linkage* k = w->k;
  int b = 0;
  while (strcmp(k->bar[b].name, "foot") != 0) {
    b++;
  }
  // the foot's sphere is where its point is
  for (int i = 0; i < w->scene.nshape; i++) {
    const lb_scene_shape* s = &w->scene.shape[i];
    if (s->body == copy->body[b] && s->shape.type == LB_SHAPE_SPHERE) {
      return lb_transform_point(lb_world_pose(world, copy->body[b]), s->pose.p);
    }
  }
  fail();
  return lb_vec3_make(0, 0, 0);
}

// All feet of a walker, step after step, against the planar linkage: pins and motors hold.
static void bodies_go_with_the_drawing(void** state) {
  (void)state;
  static const char* const scene[][2] = {
      {"jansen", "F"}, {"klann", "P33"}, {"dog", "G"}, {"giraffe", "G"}};
  for (int i = 0; i < 4; i++) {
    walker w;
    lb_arena arena;
    lb_profile* profile[MOST_FEET];
    open_walker(&w, scene[i][0], scene[i][1]);
    lb_arena_init(&arena, NULL);
    for (int m = 0; m < w.scene.nmotor; m++) {
      assert_int_equal(lb_profile_create(&arena, &w.scene.motor[m].profile, &profile[m]), LB_OK);
    }
    lb_world* world = lb_world_create(&w.scene, NULL, NULL);
    assert_non_null(world);
    const lb_scene_linkage* k = w.k;
    const double up = w.scene.joint[0].in_parent.p.z;
    for (int step = 0; step < 4; step++) {
      for (int s = 0; s < 5 && step; s++) {
        assert_int_equal(lb_world_step(world, 0.02), LB_OK);
      }
      for (int c = 0; c < k->ncopy; c++) {
        const lb_linkage_copy* copy = &k->copy[c];
        double v[3], at[2];
        lb_profile_evaluate(profile[k->shaft ? 0 : c], lb_world_time(world), v);
        find_foot(&w, copy, v[0] + (k->shaft ? 2 * M_PI * copy->phase : 0), at);
        const lb_vec3 is = foot_in_world(world, &w, copy);
        assert_within(is.x, k->at.x + copy->at.x + at[0], 1e-10);
        assert_within(is.y, k->at.y + copy->at.y, 1e-10);
        assert_within(is.z, k->at.z + copy->at.z + at[1] + up, 1e-10);
      }
    }
    lb_world_close(world);
    lb_arena_release(&arena);
    lb_scene_release(&w.scene);
  }
}

// --- standing and walking ---

typedef struct walk {
  double tilt;                // largest [degrees]
  double heave, pitch, along; // over a cycle [m, degrees, m]
  bool falls;                 // at some time nothing is below the centre
} walk;

// Angle of a copy's crank at a part of a cycle.
typedef double crank_angle(const walker* w, const lb_linkage_copy* copy, double part);

// Feet from where the centre of mass presses on the ground, `aside` behind the middle.
static void place_feet(const walker* w, const path* p, crank_angle* angle, double part,
                       double aside, double (*foot)[3]) {
  for (int c = 0; c < w->k->ncopy; c++) {
    const lb_linkage_copy* copy = &w->k->copy[c];
    double at[2];
    path_at(p, angle(w, copy, part), copy->mirror, at);
    foot[c][0] = w->k->at.x + copy->at.x + at[0] + aside;
    foot[c][1] = copy->at.y;
    foot[c][2] = at[1];
  }
}

// It goes on as far as the feet go back, by the weight that each carries.
static walk go_aside(const walker* w, const path* p, crank_angle* angle, double aside) {
  enum { STEPS = 720 };
  walk r = {0};
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < STEPS; i++) {
    double foot[MOST_FEET][3], next[MOST_FEET][3];
    place_feet(w, p, angle, (double)i / STEPS, aside, foot);
    place_feet(w, p, angle, (i + 1.0) / STEPS, aside, next);
    const stand s = find_stand((const double(*)[3])foot, w->k->ncopy);
    if (!s.found) {
      r.falls = true;
      continue;
    }
    low = fmin(low, s.height);
    high = fmax(high, s.height);
    r.tilt = fmax(r.tilt, atan(hypot(s.pitch, s.roll)) * 180 / M_PI);
    r.pitch = fmax(r.pitch, fabs(atan(s.pitch)) * 180 / M_PI);
    for (int f = 0; f < 3; f++) {
      r.along -= s.share[f] * (next[s.foot[f]][0] - foot[s.foot[f]][0]);
    }
  }
  r.heave = high - low;
  return r;
}

static walk go(const walker* w, const path* p, crank_angle* angle) {
  return go_aside(w, p, angle, 0);
}

static double by_shaft(const walker* w, const lb_linkage_copy* copy, double part) {
  return 2 * M_PI * (copy->phase + (w->scene.motor[0].profile.advance > 0 ? part : -part));
}

static void shafts_walk_as_far_as_they_should(void** state) {
  (void)state;
  walker w;
  path p;
  open_walker(&w, "jansen", "F");
  find_path(&w, &p);
  const walk jansen = go(&w, &p, by_shaft);
  assert_false(jansen.falls);
  print_message("jansen: %.2f cm a turn, heave %.3f cm, pitch %.3f degrees\n", 100 * jansen.along,
                100 * jansen.heave, jansen.pitch);
  assert_true(jansen.along > 1.379 && jansen.along < 1.433);
  assert_within(100 * jansen.heave, 0.20, 0.02);
  assert_within(jansen.pitch, 0.17, 0.02);
  lb_scene_release(&w.scene);
  open_walker(&w, "klann", "P33");
  find_path(&w, &p);
  const walk klann = go(&w, &p, by_shaft);
  assert_false(klann.falls);
  print_message("klann: %.4f a turn, heave %.4f, pitch %.3f degrees\n", 2 * klann.along,
                2 * klann.heave, klann.pitch);
  assert_true(klann.along * 2 > 2.00 * 0.97 && klann.along * 2 < 2.01 * 1.03);
  assert_within(2 * klann.heave, 0.049, 0.001);
  assert_within(klann.pitch, 0.58, 0.03);
  lb_scene_release(&w.scene);
}

// Feet of mirrored pairs in the drawing's plane, on throws that are evenly apart: the two sides of
// a walker are alike, and its chassis stands on two feet about the axis of the crank.
typedef struct plane_walk {
  double heave, pitch;           // [m, degrees]
  double fore, hind, slow, fast; // way by one of the two feet, and by the slower, the faster [m]
} plane_walk;

static int place_pairs(const path* p, int throws, double angle, double (*foot)[2]) {
  for (int i = 0; i < 2 * throws; i++) {
    path_at(p, angle + 2 * M_PI * (i / 2) / throws, i % 2, foot[i]);
  }
  return 2 * throws;
}

// The line under all feet that passes below the axis: the indices of the two on it.
static void find_two(const double (*foot)[2], int n, int two[2]) {
  double height = -INFINITY;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      const double* a = foot[i];
      const double dx = foot[j][0] - a[0], slope = (foot[j][1] - a[1]) / dx;
      bool lowest = a[0] <= 0 && foot[j][0] >= 0 && dx > 0;
      for (int o = 0; o < n && lowest; o++) {
        lowest = foot[o][1] >= a[1] + slope * (foot[o][0] - a[0]) - 1e-12;
      }
      if (lowest && a[1] - slope * a[0] > height) {
        height = a[1] - slope * a[0];
        two[0] = i;
        two[1] = j;
      }
    }
  }
  assert_true(isfinite(height));
}

// Over a turn, whose sense decides which way it goes.
static plane_walk go_in_plane(const path* p, int throws) {
  plane_walk r = {0};
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < SAMPLES; i++) {
    double foot[MOST_FEET][2], next[MOST_FEET][2];
    int two[2] = {0, 0};
    const int n = place_pairs(p, throws, 2 * M_PI * i / SAMPLES, foot);
    place_pairs(p, throws, 2 * M_PI * (i + 1) / SAMPLES, next);
    find_two((const double(*)[2])foot, n, two);
    const double *a = foot[two[0]], *b = foot[two[1]];
    const double slope = (b[1] - a[1]) / (b[0] - a[0]);
    const double hind = next[two[0]][0] - a[0], fore = next[two[1]][0] - b[0];
    low = fmin(low, a[1] - slope * a[0]);
    high = fmax(high, a[1] - slope * a[0]);
    r.pitch = fmax(r.pitch, fabs(atan(slope)) * 180 / M_PI);
    r.hind += hind;
    r.fore += fore;
    r.slow += fmin(hind, fore);
    r.fast += fmax(hind, fore);
  }
  if (r.fast + r.slow < 0) { // it goes the other way
    r = (plane_walk){
        .pitch = r.pitch, .fore = -r.fore, .hind = -r.hind, .slow = -r.fast, .fast = -r.slow};
  }
  r.heave = high - low;
  return r;
}

// Of the two feet one goes back faster than the other, so one of them slides.
static void pairs_on_one_shaft_walk_as_far_as_they_should(void** state) {
  (void)state;
  static const struct {
    const char *scene, *foot;
    double unit;
    int throws;
    double least, most, heave, pitch; // by one foot all the time, and by the faster
  } expected[] = {{"jansen", "F", 0.01, 3, 137.9, 143.3, 0.20, 0.17},
                  {"jansen", "F", 0.01, 2, 126, 142, 1.45, 0.50},
                  {"klann", "P33", 0.5, 2, 2.00, 2.144, 0.049, 0.58},
                  {"klann", "P33", 0.5, 4, 1.14, 1.306, 0.044, 0.55}};
  for (int i = 0; i < 4; i++) {
    walker w;
    path p;
    open_walker(&w, expected[i].scene, expected[i].foot);
    find_path(&w, &p);
    const plane_walk r = go_in_plane(&p, expected[i].throws);
    const double u = expected[i].unit, least = fmin(r.fore, r.hind) / u;
    print_message("%s, %d throws: %.4f to %.4f a turn, slower %.4f, heave %.4f, pitch %.3f\n",
                  expected[i].scene, expected[i].throws, least, r.fast / u, r.slow / u, r.heave / u,
                  r.pitch);
    assert_within(least, expected[i].least, 0.003 * expected[i].least);
    assert_within(r.fast / u, expected[i].most, 0.003 * expected[i].most);
    assert_within(r.heave / u, expected[i].heave, 0.01 * expected[i].most);
    assert_within(r.pitch, expected[i].pitch, 0.005);
    lb_scene_release(&w.scene);
  }
}

// Jansen's legs on one throw: two feet, one of which may be so high that a chassis which leans on
// it has its centre, as high as the fixed pins, beyond the other.
static void one_throw_of_jansen_falls_for_a_quarter_of_a_turn(void** state) {
  (void)state;
  walker w;
  path p;
  int falls = 0;
  open_walker(&w, "jansen", "F");
  find_path(&w, &p);
  for (int i = 0; i < SAMPLES; i++) {
    double foot[2][2];
    place_pairs(&p, 1, 2 * M_PI * i / SAMPLES, foot);
    const double dx = foot[1][0] - foot[0][0], dy = foot[1][1] - foot[0][1];
    const double along = -foot[0][0] * dx - (foot[0][1] + 0.078) * dy;
    falls += along < 0 || along > dx * dx + dy * dy;
  }
  print_message("jansen, 1 throw: falls for %.3f of a turn\n", (double)falls / SAMPLES);
  assert_within((double)falls / SAMPLES, 0.27, 0.005);
  lb_scene_release(&w.scene);
}

// The scene's own motors.
static lb_profile* gait[MOST_FEET];

static double by_motor(const walker* w, const lb_linkage_copy* copy, double part) {
  const lb_profile* own = gait[copy - w->k->copy];
  double v[3];
  lb_profile_evaluate(own, part * own->period, v);
  return v[0];
}

// A share of the cycle on the arc where a foot stands, evenly on either.
static double by_share(double share, double phase) {
  const double from = 6.5 * M_PI / 180, to = 173.2 * M_PI / 180, u = phase - floor(phase);
  return u < share ? from + (to - from) * u / share
                   : to + (from + 2 * M_PI - to) * (u - share) / (1 - share);
}

static double motor_phase(const walker* w, const lb_linkage_copy* copy) {
  return w->scene.motor[copy - w->k->copy].profile.phase;
}

static double by_four_fifths(const walker* w, const lb_linkage_copy* copy, double part) {
  return by_share(0.8, part + motor_phase(w, copy));
}

static double by_halves(const walker* w, const lb_linkage_copy* copy, double part) {
  return by_share(0.5, part + motor_phase(w, copy));
}

static double reversed(const walker* w, const lb_linkage_copy* copy, double part) {
  return by_share(0.8, part - motor_phase(w, copy));
}

static void dog_needs_its_phase_function(void** state) {
  (void)state;
  walker w;
  path p;
  lb_arena arena;
  open_walker(&w, "dog", "G");
  find_path(&w, &p);
  lb_arena_init(&arena, NULL);
  for (int i = 0; i < w.scene.nmotor; i++) {
    assert_int_equal(lb_profile_create(&arena, &w.scene.motor[i].profile, &gait[i]), LB_OK);
  }
  const walk even = go(&w, &p, by_four_fifths), own = go(&w, &p, by_motor),
             half = go(&w, &p, by_halves), wrong = go(&w, &p, reversed);
  print_message("dog: tilt %.3f even, %.3f own, %.2f half, %.2f reversed; %.2f and %.2f a cycle\n",
                even.tilt, own.tilt, half.tilt, wrong.tilt, 200 * even.along, 200 * own.along);
  assert_false(even.falls || own.falls);
  assert_below(even.tilt, 0.54);
  assert_below(own.tilt, 0.54);
  assert_true(half.tilt >= 12 || half.falls);
  assert_true(wrong.tilt >= 15 || wrong.falls);
  // the arc's length over its share of the cycle, where feet go back evenly
  assert_within(200 * own.along, 80.1, 0.03 * 80.1);
  lb_arena_release(&arena);
  lb_scene_release(&w.scene);
}

// On a slope of 5 degrees the weight would press on the ground behind the middle, by the centre's
// height times the slope, here as high as the hips. Three feet are down all the time, but not those
// that it lies between: it would lean on a foot that swings. So scenes on slopes have a bar that
// moves it forward (test_walk_on_ground).
static void dog_and_giraffe_lean_on_other_feet_uphill(void** state) {
  (void)state;
  static const char* const scene[] = {"dog", "giraffe"};
  const double hips[] = {0.239, 0.478};
  for (int k = 0; k < 2; k++) {
    walker w;
    path p;
    lb_arena arena;
    open_walker(&w, scene[k], "G");
    find_path(&w, &p);
    lb_arena_init(&arena, NULL);
    for (int i = 0; i < w.scene.nmotor; i++) {
      assert_int_equal(lb_profile_create(&arena, &w.scene.motor[i].profile, &gait[i]), LB_OK);
    }
    const walk level = go(&w, &p, by_motor);
    const walk uphill = go_aside(&w, &p, by_motor, hips[k] * tan(5 * M_PI / 180));
    print_message("%s: leans by %.2f degrees, uphill by %.2f\n", scene[k], level.tilt, uphill.tilt);
    assert_false(uphill.falls);
    assert_below(level.tilt, 0.54);
    assert_true(uphill.tilt > 1 && uphill.tilt < 19.7);
    lb_arena_release(&arena);
    lb_scene_release(&w.scene);
  }
}

// Figures of a gait leave out the first cycle: three cycles give two.
static void walkers_run_for_three_cycles(void** state) {
  (void)state;
  static const char* const scene[] = {"jansen", "klann", "dog", "giraffe"};
  static const char* const ground[] = {"", "-slope", "-dunes"};
  for (int i = 0; i < 12; i++) {
    char name[300];
    lb_scene s;
    lb_error err = lb_error_make(NULL);
    double period = 0;
    snprintf(name, sizeof name, LIMBER_SOURCE_DIR "/scenes/%s%s.yaml", scene[i % 4], ground[i / 4]);
    assert_int_equal(lb_scene_read(name, NULL, &s, &err), LB_OK);
    for (int k = 0; k < s.nmotor; k++) {
      period = fmax(period, s.motor[k].profile.period);
    }
    assert_above(period, 0);
    assert_at_least(s.duration, 3 * period);
    lb_scene_release(&s);
    lb_error_clear(&err);
  }
}

// The weight of chassis and legs lies between the feet, for those who let it walk.
static void centres_of_mass_are_above_the_feet(void** state) {
  (void)state;
  static const char* const scene[] = {"jansen", "klann", "dog", "giraffe"};
  const double most[] = {0.05, 0.05, 0.05, 0.1};
  for (int i = 0; i < 4; i++) {
    lb_error err = lb_error_make(NULL);
    lb_scene s;
    lb_model* m = NULL;
    lb_data* d = NULL;
    read_held(&s, scene[i]);
    assert_int_equal(lb_model_create(&s, NULL, &m, &err), LB_OK);
    assert_int_equal(lb_data_create(m, NULL, &d, &err), LB_OK);
    assert_int_equal(lb_assemble(m, d, &err), LB_OK);
    lb_poses(m, d);
    lb_vec3 sum = {0};
    double mass = 0;
    for (int b = 0; b < m->nbody; b++) {
      const lb_mass own = m->body.mass[b];
      sum = lb_vec3_add(sum, lb_vec3_scale(own.mass, lb_transform_point(d->pose[b], own.com)));
      mass += own.mass;
    }
    print_message("%s: centre of mass at x %.3f, y %.3f\n", scene[i], sum.x / mass, sum.y / mass);
    assert_within(sum.x / mass, 0, most[i]);
    assert_within(sum.y / mass, 0, 0.02);
    lb_data_release(d);
    lb_model_release(m);
    lb_scene_release(&s);
    lb_error_clear(&err);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(feet_go_where_they_should),
      cmocka_unit_test(a_foot_of_jansen_stays_low_for_as_long_as_it_should),
      cmocka_unit_test(a_foot_of_klann_is_level_for_half_a_turn),
      cmocka_unit_test(dog_and_giraffe_go_by_circles),
      cmocka_unit_test(parts_are_as_many_as_they_should_be),
      cmocka_unit_test(bodies_go_with_the_drawing),
      cmocka_unit_test(shafts_walk_as_far_as_they_should),
      cmocka_unit_test(pairs_on_one_shaft_walk_as_far_as_they_should),
      cmocka_unit_test(one_throw_of_jansen_falls_for_a_quarter_of_a_turn),
      cmocka_unit_test(walkers_run_for_three_cycles),
      cmocka_unit_test(dog_needs_its_phase_function),
      cmocka_unit_test(dog_and_giraffe_lean_on_other_feet_uphill),
      cmocka_unit_test(centres_of_mass_are_above_the_feet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
