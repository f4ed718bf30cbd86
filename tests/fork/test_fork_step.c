// Steps of reduced mechanisms: work and energy of finite turns, momentum, stability, and the whole
// mechanism beside them.
#include "counting.h"
#include "fork/fork_chart.h"
#include "fork_world.h"
#include "math/linear/dense.h"
#include "random_tree.h"

static lb_twist random_twist(lb_random* r, double size) {
  const lb_vec3 w = random_vec3(r, size);
  return (lb_twist){w, random_vec3(r, size)};
}

static double dot(lb_twist a, lb_twist b) {
  return lb_vec3_dot(a.w, b.w) + lb_vec3_dot(a.v, b.v);
}

static lb_twist sum(lb_twist a, double s, lb_twist b) {
  return (lb_twist){lb_vec3_add(a.w, lb_vec3_scale(s, b.w)),
                    lb_vec3_add(a.v, lb_vec3_scale(s, b.v))};
}

static lb_transform pose_at(lb_twist xi) {
  const lb_fork_chart X = lb_fork_chart_at(xi);
  return lb_fork_chart_pose(&X);
}

// The work of a wrench along a change of xi is that along the body's own motion.
static void forces_of_the_chart_do_the_work_of_their_wrench(void** state) {
  (void)state;
  lb_random r = {7};
  for (int i = 0; i < 200; i++) {
    const double size = i % 4 == 0 ? 1e-5 : 1.5, h = 1e-4;
    const lb_twist xi = random_twist(&r, size), d = random_twist(&r, 1), w = random_twist(&r, 1);
    const lb_fork_chart X = lb_fork_chart_at(xi);
    lb_twist body = {{0, 0, 0}, {0, 0, 0}};
    static const double weight[] = {8, -1};
    for (int k = 0; k < 2; k++) { // central differences of fourth order
      const lb_transform a = pose_at(sum(xi, -h * (k + 1), d)),
                         b = pose_at(sum(xi, h * (k + 1), d));
      const lb_transform back = lb_transform_inverse(pose_at(xi));
      body = sum(body, weight[k] / (12 * h), lb_se3_log(lb_transform_mul(back, b)));
      body = sum(body, -weight[k] / (12 * h), lb_se3_log(lb_transform_mul(back, a)));
    }
    assert_near(dot(lb_fork_chart_force(&X, w), d), dot(w, body), 1e-10);
    const lb_twist again = lb_fork_chart_wrench(&X, lb_fork_chart_force(&X, w));
    assert_near(dot(again, d), dot(w, d), 1e-12);
  }
}

static lb_fork_stepper* stepper(const lb_fork* f, double h) {
  lb_fork_stepper* s = NULL;
  assert_int_equal(lb_fork_stepper_create(f, h, NULL, &s, NULL), LB_OK);
  return s;
}

// Work along a closed path of turns up to 1 rad, by the midpoint rule: of the wrench as it is, and
// of -K xi as [fork] has it.
static void a_closed_path_does_no_work(void** state) {
  (void)state;
  fork_world w = fork_read("helix-50");
  w.f = fork_reduce(&w, 0);
  lb_fork_stepper* s = stepper(w.f, 1e-3);
  enum { PARTS = 4000 };
  double work[2] = {0}, most = 0;
  lb_transform last = lb_transform_identity();
  for (int i = 0; i <= 2 * PARTS; i++) { // every other one is between two
    const double t = M_PI * i / PARTS;
    for (int k = 0; k < 6; k++) {
      s->y[k] = sin((1 + k % 3) * t + k);
    }
    lb_fork_place(s);
    static double wrench[6], printed[6], K[36];
    if (i % 2 == 1) {
      lb_fork_wrench(s, wrench);
      memcpy(K, w.f->C, sizeof K); // -C^-1 xi
      memcpy(printed, s->xi, sizeof printed);
      int pivot[6];
      assert_int_equal(lb_lu(6, K, 6, pivot), LB_OK);
      lb_lu_solve(6, K, 6, pivot, 1, printed, 6);
      most = fmax(most, lb_fork_energy(s));
    } else {
      const lb_twist step = lb_se3_log(lb_transform_mul(lb_transform_inverse(last), s->pose[0]));
      const double x[6] = {step.w.x, step.w.y, step.w.z, step.v.x, step.v.y, step.v.z};
      work[0] += i > 0 ? lb_dot(6, wrench, x) : 0;
      work[1] -= i > 0 ? lb_dot(6, printed, x) : 0;
      last = s->pose[0];
    }
  }
  print_message("energy up to %.4g J; work %.2g J, as printed %.3g J\n", most, work[0], work[1]);
  assert_below(fabs(work[0]), 1e-5 * most);
  assert_above(fabs(work[1]), 1e-3 * most);
  lb_fork_stepper_release(s);
  fork_drop(&w);
}

// Without damping energy is lost by the steps alone, half as much with half the step.
static void energy_is_kept_as_steps_get_shorter(void** state) {
  (void)state;
  fork_world w = fork_read("helix-50");
  w.f = fork_reduce(&w, 0);
  memset(w.f->D, 0, 36 * sizeof(double));
  double lost[3];
  for (int i = 0; i < 3; i++) {
    const double h = 1e-6 / (1 << i);
    lb_fork_stepper* s = stepper(w.f, h);
    for (int k = 0; k < 6; k++) {
      s->y[k] = 1;
    }
    lb_fork_place(s);
    const double before = lb_fork_energy(s);
    for (int k = 0; k < 10000 << i; k++) {
      lb_fork_step(s, NULL);
    }
    lost[i] = 1 - lb_fork_energy(s) / before;
    lb_fork_stepper_release(s);
  }
  print_message("lost %.3g, %.3g, %.3g\n", lost[0], lost[1], lost[2]);
  assert_true(lost[0] > 0);
  assert_above(log2(lost[0] / lost[1]), 0.9);
  assert_above(log2(lost[1] / lost[2]), 0.95);
  fork_drop(&w);
}

// --- a base that floats ---

#define FLYER()                                                                                    \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies:\n"                                                                                      \
  "  hub: {mass: 3, center: [0.1, 0, 0.05], inertia: [0.3, 0.2, 0.4]}\n"                           \
  "  a: {mass: 1, center: [0.2, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"                               \
  "  b: {mass: 1, center: [0.2, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"                               \
  "joints:\n"                                                                                      \
  "  one: {type: spherical, parent: hub, child: a, at: [0.2, 0, 0], spring: {stiffness: 20}}\n"    \
  "  two: {type: revolute, axis: y, parent: a, child: b, at: [0.4, 0, 0], spring: {stiffness: "    \
  "20}}\n"                                                                                         \
  "fork: {f: {effectors: [b], base: free}}\n"

// Momentum about the world's origin stays, whether it is zero or not, and so does that of the
// centre of mass.
static void a_floating_mechanism_keeps_its_momentum(void** state) {
  (void)state;
  fork_world w = fork_make(FLYER());
  for (int turning = 0; turning < 2; turning++) {
    lb_fork_stepper* s = stepper(w.f, 1e-3);
    double start[6], now[6], worst = 0;
    for (int k = 6; k < w.f->count; k++) {
      s->y[k] = 0.3;
    }
    for (int k = 0; k < 6 && turning; k++) {
      s->v[k] = 1 + 0.3 * k;
    }
    lb_fork_place(s);
    lb_fork_momentum(s, start);
    double far = 0;
    for (int i = 0; i < 5000; i++) {
      lb_fork_step(s, NULL);
      lb_fork_momentum(s, now);
      for (int k = 0; k < 6; k++) {
        const double arm = 1 + lb_vec3_norm(s->base.p); // of forces about the world's origin
        worst = fmax(worst, fabs(now[k] - start[k]) / (arm * (1 + fabs(start[5]))));
      }
      far = fmax(far, fabs(s->v[0]) + fabs(s->v[5]));
    }
    print_message("momentum changed by %.2g\n", worst);
    assert_below(worst, 1e-12);
    assert_above(far, 1e-3);
    lb_fork_stepper_release(s);
  }
  fork_drop(&w);
}

// A body alone under its weight falls by g t^2 / 2, whatever is on it.
static void a_floating_mechanism_falls(void** state) {
  (void)state;
  char text[1500];
  snprintf(text, sizeof text, "%s", FLYER());
  memcpy(strstr(text, "[0, 0, 0]"), "[0, 0,-9]", 9);
  fork_world w = fork_make(text);
  lb_fork_stepper* s = stepper(w.f, 1e-4);
  double p[6];
  for (int i = 0; i < 1000; i++) {
    lb_fork_step(s, NULL);
  }
  lb_fork_momentum(s, p);
  assert_near(p[5], -5 * 9 * 0.1, 1e-10);
  assert_near(p[3], 0, 1e-12);
  lb_fork_stepper_release(s);
  fork_drop(&w);
}

// --- under load ---

// A model under load is at rest under just that, and answers to a little more as the whole does.
static void a_loaded_model_is_at_rest_under_its_load(void** state) {
  (void)state;
  fork_world w = fork_read("two-links");
  for (int i = 0; i < 2; i++) {
    lb_scene_effector_load load[2] = {{.effector = 0, .force = {20, 0, 5}},
                                      {.effector = 0, .force = {1e-3, 0, 2e-3}}};
    lb_scene_fork_model model[2] = {{.nload = 1, .load = load}, {.nload = 2, .load = load}};
    lb_scene_fork what = w.scene.fork[0];
    lb_fork *f = NULL, *more = NULL;
    what.model = model;
    what.nmodel = 2;
    assert_int_equal(lb_fork_create(w.m, &what, 0, NULL, &f, NULL), LB_OK);
    assert_int_equal(lb_fork_create(w.m, &what, 1, NULL, &more, NULL), LB_OK);
    lb_fork_stepper* s = stepper(f, 5e-3);
    double wrench[6] = {0, 0, 0, 20, 0, 5};
    for (int k = 0; k < 100; k++) {
      lb_fork_step(s, wrench);
    }
    assert_below(fabs(s->y[0]) + fabs(s->y[1]), 1e-9);
    wrench[3] += 1e-3;
    wrench[5] += 2e-3;
    for (int k = 0; k < 2000; k++) {
      lb_fork_step(s, wrench);
    }
    const lb_vec3 reduced = lb_vec3_sub(s->pose[0].p, f->pose[0].p);
    const lb_vec3 whole = lb_vec3_sub(more->pose[0].p, f->pose[0].p);
    assert_below(lb_vec3_norm(lb_vec3_sub(reduced, whole)), 1e-3 * lb_vec3_norm(whole));
    lb_fork_stepper_release(s);
    lb_fork_release(f);
    lb_fork_release(more);
  }
  fork_drop(&w);
}

// --- stability ---

static void nothing_blows_up_at_any_stiffness(void** state) {
  (void)state;
  for (double k = 1; k < 2e9; k *= 1e3) {
    fork_text t = {.n = 0};
    fork_say(&t, "gravity: [0, 0, 0]\nbodies:\n");
    for (int i = 0; i < 10; i++) {
      fork_say(&t, "  l%d: {mass: 0.04, center: [0.05, 0, 0], inertia: [1e-5, 3e-5, 3e-5]}\n", i);
    }
    fork_say(&t, "joints:\n");
    for (int i = 0; i < 10; i++) {
      fork_say(&t, "  j%d: {type: spherical, child: l%d, spring: {stiffness: %g}", i, i, k);
      if (i > 0) {
        fork_say(&t, ", parent: l%d, at: [0.1, 0, 0]", i - 1);
      }
      fork_say(&t, "}\n");
    }
    fork_say(&t, "fork: {c: {effectors: [l9]}}\n");
    fork_world w = fork_make(t.at);
    lb_fork_stepper* s = stepper(w.f, 1.0 / 60);
    double most = 0;
    for (int i = 0; i < 3600; i++) { // 60 s, now pulled, now let go
      const double force = i % 120 < 60 ? 0.1 * fmin(k, 1000) : 0;
      const double wrench[6] = {0, 0.01 * force, 0, 0, force, 0.5 * force};
      lb_fork_step(s, wrench);
      most = fmax(most, lb_fork_energy(s));
    }
    assert_true(isfinite(most));
    assert_below(most, 1e4);
    lb_fork_stepper_release(s);
    fork_drop(&w);
  }
}

// --- beside the whole mechanism ---

// Tip of the whole, stepped by its integrator, and of the reduced mechanism under a force that
// comes at once: largest distance over the largest displacement.
static double compare_swings(const char* scene, lb_vec3 force, double h, double time) {
  fork_world w = fork_read(scene);
  lb_model* m = w.m;
  m->force.nload = 0;
  w.f = fork_reduce(&w, 0);
  lb_fork_stepper* s = stepper(w.f, h);
  lb_data* d = NULL;
  lb_stepper* whole = NULL;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_assemble(m, d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, NULL, &whole, NULL), LB_OK);
  const lb_external_force push = {.at = w.f->at[0], .force = force};
  const double wrench[6] = {0, 0, 0, force.x, force.y, force.z};
  d->external = &push;
  d->nexternal = 1;
  double worst = 0, most = 0;
  for (int i = 0; i < (int)(time / h); i++) {
    assert_int_equal(lb_stepper_step(whole, d, h, NULL), LB_OK);
    lb_fork_step(s, wrench);
    lb_poses(m, d);
    const lb_scene_effector* e = &w.f->what->effector[0];
    const lb_vec3 tip = lb_transform_point(d->pose[e->body], e->at);
    worst = fmax(worst, lb_vec3_norm(lb_vec3_sub(tip, s->pose[0].p)));
    most = fmax(most, lb_vec3_norm(lb_vec3_sub(tip, w.f->pose[0].p)));
  }
  print_message("%s: tip moves %.4g m, reduced off by up to %.2g of that\n", scene, most,
                worst / most);
  lb_stepper_release(whole);
  lb_data_release(d);
  lb_fork_stepper_release(s);
  fork_drop(&w);
  return worst / most;
}

// Two links have as many coordinates reduced as whole, so that only finite turns and the steps
// differ: both fall with their size. A helix whose mass is all in the spring swings as one with a
// third of it at the tip, 10 % too fast.
static void reduced_mechanisms_swing_as_the_whole_does(void** state) {
  (void)state;
  const double coarse = compare_swings("two-links", (lb_vec3){0.2, 0, 0.1}, 2e-4, 0.4);
  const double fine = compare_swings("two-links", (lb_vec3){0.02, 0, 0.01}, 2e-5, 0.4);
  assert_below(coarse, 0.02);
  assert_below(fine, 0.15 * coarse);
  assert_below(compare_swings("helix-50", (lb_vec3){0, 0, 5}, 5e-4, 0.06), 0.12);
}

// --- links ---

// Distances between the points where links are joined, summed up over the mechanism's size: of
// links each by its own twist. As joints turn instead, there are none.
static double gaps(const lb_fork* f, const lb_transform* link) {
  double all = 0;
  for (int i = 0; i < f->nlink; i++) {
    const int p = f->model->link.parent[i];
    const lb_transform in = f->model->link.in_parent[i];
    const lb_vec3 here = p == LB_WORLD ? in.p : lb_transform_point(link[p], in.p);
    all += lb_vec3_norm(lb_vec3_sub(here, link[i].p));
  }
  return all / f->radius;
}

static double displacement(const lb_fork_stepper* s, int e) {
  const double* xi = s->xi + 6 * e;
  const double r = s->fork->radius;
  return sqrt(lb_dot(3, xi, xi) + lb_dot(3, xi + 3, xi + 3) / (r * r));
}

// y with C w of a force on the first effector: along the axes it has in equilibrium, or those that
// it comes to have, as [fork] steps it.
static void settle_as_printed(lb_fork_stepper* s, lb_vec3 force, bool linear) {
  const lb_fork* f = s->fork;
  const size_t n = 6 * (size_t)f->neffector, count = (size_t)f->count;
  for (int i = 0; i < (linear ? 1 : 400); i++) {
    const lb_quat axes = linear ? f->pose[0].q : s->pose[0].q;
    const lb_vec3 own = lb_quat_rotate(lb_quat_conjugate(axes), force);
    double A[144], y[12];
    int pivot[12];
    for (size_t k = 0; k < count; k++) {
      const double* shape = f->shape + k * n;
      y[k] = shape[3] * own.x + shape[4] * own.y + shape[5] * own.z;
      memcpy(A + k * count, f->K + k * count, count * sizeof *A);
    }
    assert_int_equal(lb_lu(f->count, A, f->count, pivot), LB_OK);
    lb_lu_solve(f->count, A, f->count, pivot, 1, y, f->count);
    for (size_t k = 0; k < count; k++) {
      s->y[k] = linear ? y[k] : 0.5 * s->y[k] + 0.5 * y[k];
    }
    lb_fork_place(s);
  }
}

// Links of a tree by joints: nothing parts.
static double gaps_by_joints(const lb_fork_stepper* s) {
  const lb_model* m = s->fork->model;
  lb_transform link[18];
  lb_data* d = NULL;
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  lb_fork_coordinates(s, d->q);
  lb_poses(m, d);
  for (int b = 0; b < m->nbody; b++) {
    link[m->body.link[b]] = lb_transform_mul(d->pose[b], lb_transform_inverse(m->body.in_link[b]));
  }
  lb_data_release(d);
  return gaps(s->fork, link);
}

static void links_part_with_the_square_of_the_displacement(void** state) {
  (void)state;
  fork_world w = fork_read("wishbone");
  w.f = fork_reduce(&w, 0);
  lb_fork_stepper* s = stepper(w.f, 1e-3);
  lb_transform link[18];
  double last[2] = {0};
  for (double force = 10; force < 170; force *= 1.5) {
    settle_as_printed(s, lb_vec3_make(force, 0, 0), true);
    lb_fork_links(s, link);
    const double at = displacement(s, 0), error = gaps(w.f, link);
    print_message("%.1f N: displacement %.4f, error %.5f\n", force, at, error);
    if (last[0] > 0 && at < 1) {
      assert_below(fabs(log(error / last[1]) / log(at / last[0]) - 2), 0.1);
      assert_below(error, 0.15);
    }
    last[0] = at;
    last[1] = error;
    assert_below(gaps_by_joints(s), 1e-14);
  }
  for (int k = 0; k < w.f->count; k++) {
    s->y[k] = 0;
  }
  lb_fork_place(s);
  settle_as_printed(s, lb_vec3_make(100, 0, 0), false);
  lb_fork_links(s, link);
  assert_below(fabs(displacement(s, 0) - 0.646), 5e-4);
  assert_below(fabs(gaps(w.f, link) - 0.01795), 5e-6);
  settle_as_printed(s, lb_vec3_make(0, 0, -100), false);
  lb_fork_links(s, link);
  assert_below(fabs(displacement(s, 0) - 1.068), 5e-4);
  assert_below(fabs(gaps(w.f, link) - 0.0594), 5e-5);
  lb_fork_stepper_release(s);
  fork_drop(&w);
}

static double apart(lb_transform a, lb_transform b) {
  const lb_twist x = lb_se3_log(lb_transform_mul(lb_transform_inverse(a), b));
  return lb_vec3_norm(x.w) + lb_vec3_norm(x.v);
}

// Links several at a time are those one by one, small turns and large ones, on a base that floats
// too; and the same to the last bit on any number of threads.
static void links_are_placed_several_at_a_time(void** state) {
  (void)state;
  static const char* const scenes[] = {"helix-50", "wishbone", "ring", NULL};
  for (int k = 0; k < 4; k++) {
    fork_world w = scenes[k] ? fork_read(scenes[k]) : fork_make(FLYER());
    w.f = w.f ? w.f : fork_reduce(&w, 0);
    lb_fork_stepper* s = stepper(w.f, 1e-3);
    lb_transform link[4][50];
    lb_data* d = NULL;
    assert_int_equal(lb_data_create(w.m, NULL, &d, NULL), LB_OK);
    const size_t n = 6 * (size_t)w.f->neffector, count = (size_t)w.f->count;
    for (int i = 0; i < 12; i++) {
      const double size = pow(10, i / 2.0 - 4);
      for (size_t c = (size_t)w.f->base; c < count; c++) {
        s->y[c] = size * sin(1.0 + (double)c + i);
      }
      s->base = w.f->base ? (lb_transform){lb_quat_exp(lb_vec3_make(0.3, 1, -0.2)), {1, 2, 3}}
                          : lb_transform_identity();
      assert_true(lb_fork_links_by_joints(s, link[0]));
      lb_fork_coordinates(s, d->q);
      lb_poses(w.m, d);
      for (int b = 0; b < w.m->nbody; b++) {
        const lb_transform X = lb_transform_mul(link[0][w.m->body.link[b]], w.m->body.in_link[b]);
        assert_below(apart(X, d->pose[b]), 1e-12 * (1 + size));
      }
      lb_fork_links(s, link[0]);
      for (int l = 0; l < w.f->nlink && !w.f->base; l++) { // H exp(T w), w = shape'K y
        double xi[6] = {0};
        for (size_t r = 0; r < 6; r++) {
          for (size_t c = 0; c < count * count; c++) {
            for (size_t e = 0; e < n; e++) {
              const double scale = e % 6 < 3 ? 1 : 1 / (w.f->radius * w.f->radius);
              xi[r] += w.f->T[(6 * (size_t)l + r) * n + e] * scale * w.f->shape[c / count * n + e] *
                       w.f->K[c] * s->y[c % count];
            }
          }
        }
        const lb_transform X = lb_transform_mul(w.f->link[l], lb_se3_exp(lb_fork_twist(xi)));
        assert_below(apart(X, link[0][l]), 1e-12 * (1 + size));
      }
      for (int t = 0; t < 3; t++) {
        s->threads = 1 << t;
        lb_fork_links(s, link[1 + t]);
        assert_memory_equal(link[1 + t], link[0], (size_t)w.f->nlink * sizeof **link);
      }
    }
    lb_data_release(d);
    lb_fork_stepper_release(s);
    fork_drop(&w);
  }
}

static void no_memory_is_told(void** state) {
  (void)state;
  fork_world w = fork_read("wishbone");
  w.f = fork_reduce(&w, 0);
  lb_status status = LB_NO_MEMORY;
  for (long n = 1; status != LB_OK; n++) {
    lb_counting c = {.refuse = n};
    const lb_allocator allocator = lb_counting_allocator(&c);
    lb_fork_stepper* s = NULL;
    status = lb_fork_stepper_create(w.f, 1e-3, &allocator, &s, NULL);
    assert_true(status == LB_OK || status == LB_NO_MEMORY);
    const long asked = c.requests;
    for (int i = 0; s && i < 10; i++) {
      lb_fork_step(s, NULL);
    }
    assert_int_equal(c.requests, asked); // steps ask for none
    lb_fork_stepper_release(s);
    assert_int_equal(c.live, 0);
  }
  fork_drop(&w);
}

// Frames of a motion, or a message, whatever request for memory is refused; and the motion is that
// of the whole but for a few per cent.
static void record_a_motion(lb_fork_links_kind links) {
  fork_world w = fork_read("ring");
  w.scene.fork[0].links = (int)links;
  w.f = fork_reduce(&w, 0);
  lb_simulate_options o = lb_simulate_default();
  lb_fork_motion motion = {0};
  int one = 1;
  o.duration = 0.1;
  lb_status status = LB_NO_MEMORY;
  for (long n = 1; status != LB_OK; n++) {
    lb_counting c = {.refuse = n};
    const lb_allocator allocator = lb_counting_allocator(&c);
    lb_recording* r = NULL;
    status = lb_recording_create(w.m, 0, &allocator, &r, NULL);
    if (status == LB_OK) {
      status = lb_fork_simulate(&w.f, &one, &o, r, NULL, &motion, NULL);
      assert_true(status != LB_OK || (r->nframe == 6 && c.requests < n));
    }
    assert_true(status == LB_OK || status == LB_NO_MEMORY);
    lb_recording_release(r);
    assert_int_equal(c.live, 0);
  }
  assert_int_equal(motion.steps, 50);
  assert_int_equal(motion.left_out, 0);
  assert_above(motion.moved, 1e-3);
  assert_below(motion.off, 0.1 * motion.moved);
  fork_drop(&w);
}

static void a_motion_is_recorded(void** state) {
  (void)state;
  record_a_motion(LB_FORK_LINKS_JOINTS);
  record_a_motion(LB_FORK_LINKS_EXPONENTIAL);
}

// A tenth of the force and short steps, so that neither finite turns nor damping by the steps
// count: what a helix is off by is the mass between foot and tip, and modes take it away.
static void a_helix_swings_as_the_whole_does_with_modes(void** state) {
  (void)state;
  double off[2];
  for (int i = 0; i < 2; i++) {
    fork_world w = fork_read("helix-50");
    lb_simulate_options o = lb_simulate_default();
    lb_fork_motion motion = {0};
    lb_recording* r = NULL;
    int one = 1;
    w.scene.fork[0].modes = i ? 12 : 0;
    w.m->force.load[0].force = lb_vec3_scale(0.1, w.m->force.load[0].force);
    o.step = 2e-4;
    w.f = fork_reduce(&w, 0);
    assert_int_equal(lb_recording_create(w.m, 0, NULL, &r, NULL), LB_OK);
    assert_int_equal(lb_fork_simulate(&w.f, &one, &o, r, NULL, &motion, NULL), LB_OK);
    lb_recording_release(r);
    off[i] = motion.off / motion.moved;
    fork_drop(&w);
  }
  print_message("off by %.3g %%, with modes %.3g %%\n", 100 * off[0], 100 * off[1]);
  assert_above(off[0], 0.1);
  assert_below(off[1], 0.03);
}

// --- linearised again in every step ---

#define TABLES                                                                                     \
  "gravity: [0, 0, -9.81]\n"                                                                       \
  "bodies: {a: {mass: 1, center: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}, b: {mass: 1, center: " \
  "[0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}}\n"                                                   \
  "joints:\n"                                                                                      \
  "  one: {type: revolute, child: a, axis: y, damping: 5, spring: {table: [[-1, -2000], [-0.1, "   \
  "-20], [0.1, 20], [1, 2000]]}}\n"                                                                \
  "  two: {type: revolute, parent: a, child: b, at: [0.4, 0, 0], axis: y, damping: 5, spring: "    \
  "{stiffness: 100}}\n"                                                                            \
  "markers: {tip: {body: b, at: [0.4, 0, 0]}}\n"                                                   \
  "fork: {f: {effectors: [tip]}}\n"

// A tree that is linearised in every step comes to rest where the whole does, however far: balls,
// hinges, two effectors, springs that stiffen near a joint's limit. On its way it has the
// compliance that a model there has, but for preload.
static void trees_rest_where_the_whole_does(void** state) {
  (void)state;
  static const struct {
    const char* scene;
    lb_vec3 force;
  } cases[] = {{"wishbone", {100, 0, -40}},
               {"helix-50", {30, 0, 100}},
               {"two-links", {20, 0, 0}},
               {"arm-20", {0, 2, 3}},
               {NULL, {0, 0, 60}}};
  for (int i = 0; i < 5; i++) {
    fork_world w = cases[i].scene ? fork_read(cases[i].scene) : fork_parse(TABLES);
    const lb_vec3 F = cases[i].force;
    const double wrench[12] = {0, 0, 0, F.x, F.y, F.z};
    lb_fork* whole = NULL;
    lb_fork_tree* t = NULL;
    w.f = fork_reduce(&w, 0);
    assert_int_equal(lb_fork_create_under(w.m, &w.scene.fork[0], 0, wrench, NULL, &whole, NULL),
                     LB_OK);
    assert_int_equal(lb_fork_tree_create(w.f, 0.01, NULL, &t, NULL), LB_OK);
    if (w.m->gravity.z == 0) { // no preload
      double most = 0;
      for (int k = 0; k < 36 * w.f->neffector * w.f->neffector; k++) {
        most = fmax(most, fabs(w.f->C[k]));
      }
      for (int k = 0; k < 36 * w.f->neffector * w.f->neffector; k++) {
        assert_near(t->C[k] / most, w.f->C[k] / most, 1e-12);
      }
    }
    for (int k = 0; k < 20000; k++) {
      lb_fork_tree_step(t, wrench);
    }
    const lb_vec3 off = lb_vec3_sub(t->pose[0].p, whole->pose[0].p);
    const lb_vec3 way = lb_vec3_sub(whole->pose[0].p, w.f->pose[0].p);
    print_message("%s: moved %.3g m, off by %.2g m\n", cases[i].scene ? cases[i].scene : "tables",
                  lb_vec3_norm(way), lb_vec3_norm(off));
    assert_below(lb_vec3_norm(off), 1e-9);
    assert_above(lb_vec3_norm(way), 1e-3);
    lb_fork_tree_release(t);
    lb_fork_release(whole);
    fork_drop(&w);
  }
}

static void trees_ask_for_memory_once(void** state) {
  (void)state;
  fork_world w = fork_read("two-links");
  w.f = fork_reduce(&w, 0);
  lb_status status = LB_NO_MEMORY;
  for (long n = 1; status != LB_OK; n++) {
    lb_counting c = {.refuse = n};
    const lb_allocator allocator = lb_counting_allocator(&c);
    lb_fork_tree* t = NULL;
    status = lb_fork_tree_create(w.f, 1e-3, &allocator, &t, NULL);
    assert_true(status == LB_OK || status == LB_NO_MEMORY);
    const long asked = c.requests;
    for (int i = 0; t && i < 10; i++) {
      lb_fork_tree_step(t, NULL);
    }
    assert_int_equal(c.requests, asked);
    lb_fork_tree_release(t);
    assert_int_equal(c.live, 0);
  }
  fork_drop(&w);
}

// Its motion is that of the whole but for masses between effectors and the damping of steps, and
// loops are refused.
static void trees_swing_as_the_whole_does(void** state) {
  (void)state;
  fork_world w = fork_read("two-links");
  lb_fork_tree* t = NULL;
  lb_data* d = NULL;
  lb_stepper* whole = NULL;
  w.f = fork_reduce(&w, 0);
  assert_int_equal(lb_fork_tree_create(w.f, 1e-4, NULL, &t, NULL), LB_OK);
  assert_int_equal(lb_data_create(w.m, NULL, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(w.m, NULL, NULL, &whole, NULL), LB_OK);
  double off = 0, most = 0;
  lb_external_force pull = {.at = w.f->at[0]}; // in place of the scene's own
  w.m->force.load[0].force = lb_vec3_make(0, 0, 0);
  d->external = &pull;
  d->nexternal = 1;
  for (int i = 0; i < 5000; i++) {
    const double wrench[6] = {0, 0, 0, 20 * fmin(1, (i + 1) * 1e-3), 0, 0};
    pull.force = lb_vec3_make(wrench[3], 0, 0);
    lb_fork_tree_step(t, wrench);
    assert_int_equal(lb_stepper_step(whole, d, 1e-4, NULL), LB_OK);
    lb_poses(w.m, d);
    const lb_vec3 tip = lb_transform_point(d->pose[1], lb_vec3_make(0.3, 0, 0));
    off = fmax(off, lb_vec3_norm(lb_vec3_sub(tip, t->pose[0].p)));
    most = fmax(most, lb_vec3_norm(lb_vec3_sub(tip, w.f->pose[0].p)));
  }
  print_message("two links move %.3g m, off by %.3g m\n", most, off);
  assert_below(off, 0.02 * most);
  lb_stepper_release(whole);
  lb_data_release(d);
  lb_fork_tree_release(t);
  fork_drop(&w);
  w = fork_read("ring");
  w.f = fork_reduce(&w, 0);
  assert_int_equal(lb_fork_tree_create(w.f, 1e-4, NULL, &t, NULL), LB_INVALID);
  fork_drop(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_of_the_chart_do_the_work_of_their_wrench),
      cmocka_unit_test(a_closed_path_does_no_work),
      cmocka_unit_test(energy_is_kept_as_steps_get_shorter),
      cmocka_unit_test(a_floating_mechanism_keeps_its_momentum),
      cmocka_unit_test(a_floating_mechanism_falls),
      cmocka_unit_test(a_loaded_model_is_at_rest_under_its_load),
      cmocka_unit_test(nothing_blows_up_at_any_stiffness),
      cmocka_unit_test(reduced_mechanisms_swing_as_the_whole_does),
      cmocka_unit_test(links_part_with_the_square_of_the_displacement),
      cmocka_unit_test(links_are_placed_several_at_a_time),
      cmocka_unit_test(no_memory_is_told),
      cmocka_unit_test(a_motion_is_recorded),
      cmocka_unit_test(trees_rest_where_the_whole_does),
      cmocka_unit_test(trees_swing_as_the_whole_does),
      cmocka_unit_test(trees_ask_for_memory_once),
      cmocka_unit_test(a_helix_swings_as_the_whole_does_with_modes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
