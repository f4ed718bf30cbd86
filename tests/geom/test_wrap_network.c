// geom: networks in place of paths over a cylinder.
#include "geom/path/wrap_network.h"
#include "test.h"

// A network that nobody trained: derivatives and ends must hold for all.
static lb_wrap_network make(lb_network_form form, lb_arena* arena) {
  lb_arena_init(arena, NULL);
  lb_wrap_network w = {.form = form};
  assert_true(lb_network_make(&w.net, lb_network_form_inputs(form), 2, 11,
                              lb_network_form_outputs(form), arena));
  lb_network_start(&w.net, 5);
  lb_wrap_network_limit(&w);
  return w;
}

// Motion of both ends: seven numbers, alpha, p and q, at time t.
static const double Y0[] = {0.37, 0.3, -0.2, 0.1, -0.25, 0.3, -0.2};
static const double YD[] = {0.2, 0.5, -0.4, 0.3, 0.6, 0.2, -0.7};
static const double R = 0.12;

static void number_at(double t, double y[7]) {
  for (int i = 0; i < 7; i++) {
    y[i] = Y0[i] + t * YD[i] + t * t * (0.3 - 0.1 * i);
  }
}

static lb_vec3 place(const lb_wrap_network* w, int sense, const double y[7]) {
  const lb_taylor3 p = lb_taylor3_constant(lb_vec3_make(y[1], y[2], y[3]));
  const lb_taylor3 q = lb_taylor3_constant(lb_vec3_make(y[4], y[5], y[6]));
  const lb_taylor alpha = lb_taylor_constant(y[0]);
  const lb_taylor3 x = lb_wrap_network_point(0, w, R, sense, &p, &q, &alpha);
  return lb_taylor3_lane(&x, 0, 0);
}

static lb_taylor3 series(const lb_wrap_network* w, int N, int sense, double t) {
  double y[7], d[7], a[7];
  number_at(t, y);
  for (int i = 0; i < 7; i++) {
    a[i] = 2 * (0.3 - 0.1 * i);
    d[i] = YD[i] + t * a[i];
  }
  const lb_taylor alpha = lb_taylor_variable(LB_TAYLOR_SIGMA, y[0], d[0], a[0]);
  const lb_taylor3 p =
      lb_taylor3_variable(LB_TAYLOR_P, lb_vec3_make(y[1], y[2], y[3]),
                          lb_vec3_make(d[1], d[2], d[3]), lb_vec3_make(a[1], a[2], a[3]));
  const lb_taylor3 q =
      lb_taylor3_variable(LB_TAYLOR_Q, lb_vec3_make(y[4], y[5], y[6]),
                          lb_vec3_make(d[4], d[5], d[6]), lb_vec3_make(a[4], a[5], a[6]));
  return lb_wrap_network_point(N, w, R, sense, &p, &q, &alpha);
}

static void assert_vectors_near(lb_vec3 a, lb_vec3 b, double tolerance) {
  assert_near(a.x, b.x, tolerance);
  assert_near(a.y, b.y, tolerance);
  assert_near(a.z, b.z, tolerance);
}

// Central difference of order four.
static lb_vec3 difference(const lb_vec3 f[4], double h) {
  return lb_vec3_scale(1 / (12 * h), lb_vec3_add(lb_vec3_sub(f[0], f[3]),
                                                 lb_vec3_scale(8, lb_vec3_sub(f[2], f[1]))));
}

static void check_derivatives(lb_network_form form, int sense) {
  lb_arena arena;
  const lb_wrap_network w = make(form, &arena);
  static const double H = 1e-3, AT[] = {-2 * H, -H, H, 2 * H};
  const lb_taylor3 x = series(&w, 2, sense, 0);
  lb_vec3 f[4];
  for (int lane = 0; lane < 8; lane++) {
    for (int s = 0; s < 4 && lane > 0; s++) { // J
      double y[7];
      number_at(0, y);
      y[lane - 1] += AT[s];
      f[s] = place(&w, sense, y);
    }
    if (lane > 0) {
      assert_vectors_near(lb_taylor3_lane(&x, 0, lane), difference(f, H), 1e-8);
    }
    for (int s = 0; s < 4; s++) { // Jdot, and the velocity
      const lb_taylor3 at = series(&w, 1, sense, AT[s]);
      f[s] = lb_taylor3_lane(&at, 0, lane);
    }
    assert_vectors_near(lb_taylor3_lane(&x, 1, lane), difference(f, H), 1e-8);
    for (int s = 0; s < 4; s++) { // and their rates
      const lb_taylor3 at = series(&w, 1, sense, AT[s]);
      f[s] = lb_taylor3_lane(&at, 1, lane);
    }
    assert_vectors_near(lb_vec3_scale(2, lb_taylor3_lane(&x, 2, lane)), difference(f, H), 1e-8);
  }
  lb_arena_release(&arena);
}

static void derivatives_and_their_rates_equal_differences(void** state) {
  (void)state;
  for (int form = 0; form < LB_FORM_COUNT; form++) {
    check_derivatives((lb_network_form)form, 1);
    check_derivatives((lb_network_form)form, -1);
  }
}

static void the_scaled_form_is_exact_at_both_ends(void** state) {
  (void)state;
  lb_arena arena;
  const lb_wrap_network w = make(LB_FORM_SCALED, &arena);
  for (int end = 0; end < 2; end++) {
    double y[7];
    number_at(0.1, y);
    y[0] = end;
    const double* at = end ? y + 4 : y + 1;
    assert_vectors_near(place(&w, 1, y), lb_vec3_make(at[0], at[1], at[2]), 1e-15);
  }
  lb_arena_release(&arena);
}

// Sizes and turns change nothing.
static void the_scaled_form_goes_with_size_and_turn(void** state) {
  (void)state;
  lb_arena arena;
  const lb_wrap_network w = make(LB_FORM_SCALED, &arena);
  const lb_quat turn = lb_quat_exp(lb_vec3_make(0, 0, 0.7));
  double y[7];
  number_at(0, y);
  const lb_vec3 p = lb_vec3_make(y[1], y[2], y[3]), q = lb_vec3_make(y[4], y[5], y[6]);
  const lb_taylor3 P = lb_taylor3_constant(lb_vec3_scale(40, lb_quat_rotate(turn, p)));
  const lb_taylor3 Q = lb_taylor3_constant(lb_vec3_scale(40, lb_quat_rotate(turn, q)));
  const lb_taylor alpha = lb_taylor_constant(y[0]);
  const lb_taylor3 x = lb_wrap_network_point(0, &w, 40 * R, 1, &P, &Q, &alpha);
  assert_vectors_near(lb_taylor3_lane(&x, 0, 0),
                      lb_vec3_scale(40, lb_quat_rotate(turn, place(&w, 1, y))), 1e-13);
  lb_arena_release(&arena);
}

// What a sample asks for is where the path is.
static void samples_lie_on_the_exact_path(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  lb_train_data d;
  assert_true(lb_train_data_make(&d, 400, 4, 2, true, &arena));
  lb_wrap_network_samples(LB_FORM_SCALED, 0, 8, &d);
  int touching = 0;
  for (int i = 0; i < d.count; i++) {
    const double *x = d.x + 4 * i, *t = d.target + 10 * i;
    const double b = M_PI / 4 * (1 + x[0]), c = M_PI / 4 * (1 + x[1]), phi = M_PI / 2 + M_PI * x[2],
                 alpha = 0.5 * (1 + x[3]);
    const double s = 1 + 0.5 * (tan(b) + tan(c)), theta = phi - b - c;
    assert_near(d.gain[5 * i], alpha * (1 - alpha), 1e-15);
    if (theta < 0 && phi > 0) {
      assert_near(t[0], 0, 1e-12);
      assert_near(t[5], 0, 1e-12);
    } else if (phi > 0) { // the point, about the middle of the angle
      const double L = tan(b) + theta + tan(c), sigma = alpha * L;
      double r = 1, at = b + sigma - tan(b); // on the arc
      if (sigma < tan(b)) {
        r = hypot(1, tan(b) - sigma);
        at = b - atan(tan(b) - sigma);
      } else if (sigma > tan(b) + theta) {
        r = hypot(1, sigma - tan(b) - theta);
        at = b + theta + atan(sigma - tan(b) - theta);
      }
      const double rp = 1 / cos(b), rq = 1 / cos(c), h = phi / 2;
      const double line[] = {(1 - alpha) * rp * cos(h) + alpha * rq * cos(h),
                             alpha * rq * sin(h) - (1 - alpha) * rp * sin(h)};
      assert_near(s * t[0] + line[0], r * cos(at - h), 1e-11 * s);
      assert_near(s * t[5] + line[1], r * sin(at - h), 1e-11 * s);
      touching++;
    }
  }
  assert_in_range(touching, 100, 300);
  lb_arena_release(&arena);
}

static void samples_near_lift_off_are_dropped_by_the_threshold(void** state) {
  (void)state;
  lb_arena arena;
  lb_arena_init(&arena, NULL);
  int near[2] = {0};
  for (int k = 0; k < 2; k++) {
    lb_train_data d;
    assert_true(lb_train_data_make(&d, 4000, 8, 3, false, &arena));
    lb_wrap_network_samples(LB_FORM_POINTS, k ? 0.05 : 0, 8, &d);
    const lb_wrap wrap = {.kind = LB_WRAP_CYLINDER, .sense = 1};
    for (int i = 0; i < d.count; i++) {
      const double* x = d.x + 8 * i;
      const lb_path_end p = {.x = {x[0], x[1], x[2]}}, q = {.x = {x[3], x[4], x[5]}};
      lb_wrap round = wrap;
      lb_wrap_path path;
      round.size.x = x[7];
      lb_wrap_find(0, &round, &path, &p, &q);
      const double L = lb_taylor_value(lb_wrap_length(&path));
      const double l = path.count < 3 ? 0
                                      : lb_taylor_value(&path.piece[1].end) -
                                            lb_taylor_value(&path.piece[0].end);
      near[k] += l > 0 && l < 0.05 * L;
    }
  }
  assert_true(near[0] > 100);
  assert_int_equal(near[1], 0);
  lb_arena_release(&arena);
}

static void a_file_gives_the_same_network(void** state) {
  (void)state;
  for (int form = 0; form < LB_FORM_COUNT; form++) {
    lb_arena arena;
    lb_wrap_network w = make((lb_network_form)form, &arena), back;
    char* bytes;
    size_t size;
    assert_int_equal(lb_wrap_network_pack(&w, &arena, &bytes, &size), LB_OK);
    assert_int_equal(lb_wrap_network_parse(bytes, size, "f.npz", &arena, &back, NULL), LB_OK);
    assert_int_equal(back.form, w.form);
    assert_memory_equal(back.net.size, w.net.size, sizeof w.net.size);
    assert_memory_equal(back.net.weight, w.net.weight, lb_network_count(&w.net) * sizeof(double));
    lb_arena_release(&arena);
  }
}

static void refuse(lb_wrap_network* w, lb_arena* arena, const char* words) {
  char *bytes, text[300];
  size_t size;
  lb_wrap_network back;
  lb_error err = lb_error_make(NULL);
  assert_int_equal(lb_wrap_network_pack(w, arena, &bytes, &size), LB_OK);
  assert_int_equal(lb_wrap_network_parse(bytes, size, "f.npz", arena, &back, &err), LB_INVALID);
  assert_int_equal(err.count, 1);
  lb_error_format(&err, 0, text, sizeof text);
  assert_non_null(strstr(text, words));
  lb_error_clear(&err);
}

static void files_that_are_wrong_are_refused(void** state) {
  (void)state;
  lb_arena arena;
  lb_wrap_network w = make(LB_FORM_SCALED, &arena), other = w;
  other.form = LB_FORM_POINTS;
  refuse(&other, &arena, "'size' must begin with 8, end with 3");
  other = w;
  other.net.weight[7] = NAN;
  refuse(&other, &arena, "all finite");
  char* bytes;
  size_t size;
  assert_int_equal(lb_wrap_network_pack(&w, &arena, &bytes, &size), LB_OK);
  for (size_t cut = 0; cut < size; cut += 37) {
    assert_int_not_equal(lb_wrap_network_parse(bytes, cut, "f.npz", &arena, &other, NULL), LB_OK);
  }
  lb_arena_release(&arena);
}

static void what_is_out_of_range_is_said(void** state) {
  (void)state;
  lb_arena arena, second;
  const lb_wrap_network w = make(LB_FORM_POINTS, &arena), any = make(LB_FORM_SCALED, &second);
  const lb_vec3 p = {1, 0, 0}, q = {-0.5, 0.2, 0.1}, far = {-0.22, 1.17, -1.1};
  assert_null(lb_wrap_network_strays(&w, 0.15, p, q));
  assert_non_null(strstr(lb_wrap_network_strays(&w, 0.25, p, q), "radius"));
  assert_non_null(strstr(lb_wrap_network_strays(&w, 0.15, p, far), "points"));
  assert_non_null(strstr(lb_wrap_network_strays(&w, 0.15, far, q), "points"));
  assert_null(lb_wrap_network_strays(&any, 25, p, far));
  lb_arena_release(&arena);
  lb_arena_release(&second);
}

// --- the network that comes with Limber ---

static lb_wrap_network shipped(lb_arena* arena) {
  lb_wrap_network w;
  lb_arena_init(arena, NULL);
  assert_int_equal(lb_wrap_network_read(LIMBER_SOURCE_DIR "/scenes/networks/cylinder.npz",
                                        (lb_place){0}, arena, &w, NULL),
                   LB_OK);
  return w;
}

static lb_taylor3 on_path(double r, double band, int sense, lb_vec3 p, lb_vec3 q, double alpha,
                          double* length) {
  const lb_vec3 still = {0, 0, 0};
  const lb_path_end P = {p, still, still}, Q = {q, still, still};
  const lb_wrap wrap = {.kind = LB_WRAP_CYLINDER, .size = {r, 0, 0}, .band = band, .sense = sense};
  lb_wrap_path path;
  lb_wrap_find(0, &wrap, &path, &P, &Q);
  const lb_taylor sigma = lb_taylor_scale(0, alpha, *lb_wrap_length(&path));
  int i = 0;
  while (i + 1 < path.count && lb_taylor_value(&sigma) > lb_taylor_value(&path.piece[i].end)) {
    i++;
  }
  *length = lb_taylor_value(lb_wrap_length(&path));
  return lb_wrap_point(0, &path.piece[i], &sigma);
}

static lb_vec3 by_network(const lb_wrap_network* w, double r, int sense, lb_vec3 p, lb_vec3 q,
                          double alpha) {
  const lb_taylor3 P = lb_taylor3_constant(p), Q = lb_taylor3_constant(q);
  const lb_taylor at = lb_taylor_constant(alpha);
  const lb_taylor3 x = lb_wrap_network_point(0, w, r, sense, &P, &Q, &at);
  return lb_taylor3_lane(&x, 0, 0);
}

// Any size and any place: off by at most 2 % of the length, and 0.3 % as a rule.
static void the_trained_network_is_near_the_exact_path(void** state) {
  (void)state;
  lb_arena arena;
  const lb_wrap_network w = shipped(&arena);
  lb_random rng = {17};
  double sum = 0, most = 0;
  int n = 0;
  while (n < 4000) {
    const double r = pow(10, lb_random_between(&rng, -3, 1));
    const double rp = r * lb_random_between(&rng, 1.1, 8), rq = r * lb_random_between(&rng, 1.1, 8);
    const double at = lb_random_between(&rng, -3, 3), turn = lb_random_between(&rng, -1.4, 4.5);
    const int sense = lb_random_unit(&rng) < 0.5 ? 1 : -1;
    const lb_vec3 p = {rp * cos(at), rp * sin(at), r},
                  q = {rq * cos(at + sense * turn), rq * sin(at + sense * turn), -r};
    const double alpha = lb_random_unit(&rng);
    double length;
    const lb_taylor3 x = on_path(r, 0, sense, p, q, alpha, &length);
    const double off = lb_vec3_norm(lb_vec3_sub(by_network(&w, r, sense, p, q, alpha),
                                                lb_taylor3_lane(&x, 0, 0))) /
                       length;
    sum += off * off;
    most = fmax(most, off);
    n++;
  }
  print_message("the network is off by %.2g of the length, rms, and by %.2g at most\n",
                sqrt(sum / n), most);
  assert_below(sqrt(sum / n), 3e-3);
  assert_below(most, 2e-2);
  lb_arena_release(&arena);
}

// Row 22: the middle point while the insertion passes lift-off, as figure 6.8 has it.
static void lift_off_of_the_network_beside_that_of_the_band(void** state) {
  (void)state;
  lb_arena arena;
  const lb_wrap_network w = shipped(&arena);
  double band = 0, network = 0;
  for (int i = 0; i <= 700; i++) {
    const lb_vec3 p = {-0.3, 0.4, 0.1}, q = {0.4 - 0.001 * i, -0.4, -0.1};
    double length;
    const lb_taylor3 sharp = on_path(0.15, 0, 1, p, q, 0.5, &length),
                     smooth = on_path(0.15, 0.15, 1, p, q, 0.5, &length);
    const lb_vec3 x = lb_taylor3_lane(&sharp, 0, 0);
    band = fmax(band, lb_vec3_norm(lb_vec3_sub(lb_taylor3_lane(&smooth, 0, 0), x)));
    network = fmax(network, lb_vec3_norm(lb_vec3_sub(by_network(&w, 0.15, 1, p, q, 0.5), x)));
  }
  print_message("over lift-off the band is off by %.3g mm, the network by %.3g mm\n", 1e3 * band,
                1e3 * network);
  assert_below(band, 0.004);
  assert_below(network, 0.01);
  lb_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_and_their_rates_equal_differences),
      cmocka_unit_test(the_scaled_form_is_exact_at_both_ends),
      cmocka_unit_test(the_scaled_form_goes_with_size_and_turn),
      cmocka_unit_test(samples_lie_on_the_exact_path),
      cmocka_unit_test(samples_near_lift_off_are_dropped_by_the_threshold),
      cmocka_unit_test(a_file_gives_the_same_network),
      cmocka_unit_test(files_that_are_wrong_are_refused),
      cmocka_unit_test(what_is_out_of_range_is_said),
      cmocka_unit_test(the_trained_network_is_near_the_exact_path),
      cmocka_unit_test(lift_off_of_the_network_beside_that_of_the_band),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
