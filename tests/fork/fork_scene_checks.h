// What holds for any scene whose mechanisms are simulated by their effectors.
#pragma once
#include "counting.h"
#include "differences.h"
#include "fork_scene_world.h"

// tau = M qdd + bias; half of qd'M qd is the kinetic energy.
static inline void assert_inverse_dynamics(const char* text, double size) {
  lb_model* m = make(text);
  lb_data* d = state_of(m);
  lb_random r = {5};
  enum { MOST = 40 };
  static double M[MOST * MOST], full[MOST], bias[MOST];
  const double none[MOST] = {0};
  assert_int_equal(m->nv, 6 + 4 + 1);
  for (int trial = 0; trial < 20; trial++) {
    random_state(m, d, &r, size);
    lb_rnea(m, d, full, d->q, d->qd, d->qdd);
    lb_rnea(m, d, bias, d->q, d->qd, none);
    lb_crba(m, d, M, d->q);
    double half = 0;
    for (int i = 0; i < m->nv; i++) {
      double sum = bias[i];
      for (int j = 0; j < m->nv; j++) {
        sum += M[i * m->nv + j] * d->qdd[j];
        half += 0.5 * d->qd[i] * M[i * m->nv + j] * d->qd[j];
      }
      assert_near(sum, full[i], 1e-11);
    }
    assert_near(lb_kinetic_energy(m, d), half, 1e-12);
  }
  lb_data_release(d);
  lb_model_release(m);
}

// States to `size`; differences by q in steps of h, which come to within `near`.
static inline void assert_derivatives(const char* text, double size, double h, double near) {
  lb_model* m = make(text);
  lb_data *d = state_of(m), *other = state_of(m);
  lb_derivatives* D = NULL;
  assert_int_equal(lb_derivatives_create(m, NULL, &D, NULL), LB_OK);
  lb_random r = {11};
  enum { MOST = 20 };
  static double by_q[MOST * MOST], by_v[MOST * MOST];
  for (int trial = 0; trial < 10; trial++) {
    random_state(m, d, &r, size);
    d->time = other->time = 0.4;
    lb_update(m, d, LB_ORIGINS | LB_FORCED);
    lb_derive_forced(D, d);
    residual_of c = {m, other, d->qdd};
    difference(m, residual, &c, m->nv, d->q, d->qd, true, h, by_q);
    difference(m, residual, &c, m->nv, d->q, d->qd, false, 1e-3, by_v);
    assert_matrix_near(m->nv * m->nv, D->tau_q, by_q, near);
    assert_matrix_near(m->nv * m->nv, D->tau_qd, by_v, 1e-8);
  }
  lb_derivatives_release(D);
  lb_data_release(d);
  lb_data_release(other);
  lb_model_release(m);
}

static inline void assert_same_for_all_threads(const char* text) {
  lb_model* m = make(text);
  lb_recording* one = run(m, 1);
  for (int threads = 2; threads <= 4; threads += 2) {
    lb_recording* r = run(m, threads);
    assert_int_equal(r->nframe, one->nframe);
    assert_memory_equal(r->pose, one->pose, (size_t)(r->nframe * m->nbody) * sizeof *r->pose);
    assert_memory_equal(r->q, one->q, (size_t)(r->nframe * m->nq) * sizeof *r->q);
    lb_recording_release(r);
  }
  lb_recording_release(one);
  lb_model_release(m);
}

static inline void assert_steps_allocate_nothing(const char* text) {
  lb_scene scene = parse(text);
  lb_counting count = {0};
  const lb_allocator allocator = lb_counting_allocator(&count);
  lb_model* m = NULL;
  lb_data* d = NULL;
  lb_stepper* s = NULL;
  assert_int_equal(lb_fork_model_create(&scene, &allocator, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, &allocator, &d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(m, NULL, &allocator, &s, NULL), LB_OK);
  const long before = count.requests;
  for (int i = 0; i < 50; i++) {
    assert_int_equal(lb_stepper_step(s, d, 1e-3, NULL), LB_OK);
    lb_poses(m, d);
  }
  assert_int_equal(count.requests, before);
  lb_stepper_release(s);
  lb_data_release(d);
  lb_model_release(m);
  assert_int_equal(count.live, 0);
  lb_scene_release(&scene);
}

static inline void assert_memory_may_run_out(const char* text) {
  lb_scene scene = parse(text);
  lb_counting count = {0};
  const lb_allocator allocator = lb_counting_allocator(&count);
  lb_model* m = NULL;
  assert_int_equal(lb_fork_model_create(&scene, &allocator, &m, NULL), LB_OK);
  lb_model_release(m);
  const long requests = count.requests;
  for (long n = 1; n <= requests; n += 1 + requests / 150) {
    lb_error err = lb_error_make(NULL);
    m = NULL;
    count = (lb_counting){.refuse = n};
    assert_int_equal(lb_fork_model_create(&scene, &allocator, &m, &err), LB_NO_MEMORY);
    assert_null(m);
    assert_int_equal(count.live, 0);
    lb_error_clear(&err);
  }
  lb_scene_release(&scene);
}

// Bit for bit.
static inline void assert_saved_states_go_on(const char* text) {
  lb_error err = lb_error_make(NULL);
  lb_world* w = lb_world_parse(text, "rover.yaml", &err);
  assert_non_null(w);
  for (int i = 0; i < 20; i++) {
    lb_world_step(w, 1e-3);
  }
  double* saved = calloc(lb_world_state_size(w), sizeof *saved);
  lb_world_save(w, saved);
  lb_transform first[8], again[8];
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 50; i++) {
      lb_world_step(w, 1e-3);
    }
    for (int b = 0; b < 7; b++) {
      (round ? again : first)[b] = lb_world_pose(w, b);
    }
    lb_world_restore(w, saved);
  }
  assert_memory_equal(first, again, 7 * sizeof *first);
  free(saved);
  lb_world_close(w);
  lb_error_clear(&err);
}

// Bodies inside move as differences of their poses say.
static inline void assert_velocities(lb_world* w, int count, const char* const* names) {
  enum { MOST_BODIES = 8 };
  static const double h = 1e-5;
  lb_transform before[MOST_BODIES];
  assert_true(count <= MOST_BODIES);
  for (int i = 0; i < 100; i++) {
    lb_world_step(w, 1e-3);
  }
  for (int n = 0; n < count; n++) {
    before[n] = lb_world_pose(w, lb_world_find(w, LB_PART_BODY, names[n]));
  }
  lb_world_step(w, h);
  for (int n = 0; n < count; n++) {
    const int body = lb_world_find(w, LB_PART_BODY, names[n]);
    const lb_transform now = lb_world_pose(w, body);
    const lb_body_velocity V = lb_world_velocity(w, body);
    const lb_vec3 moved = lb_vec3_scale(1 / h, lb_vec3_sub(now.p, before[n].p));
    const lb_vec3 turned =
        lb_vec3_scale(1 / h, lb_quat_log(lb_quat_mul(now.q, lb_quat_conjugate(before[n].q))));
    print_message("%s: %.3g m/s, off by %.2g and %.2g\n", names[n], lb_vec3_norm(moved),
                  lb_vec3_norm(lb_vec3_sub(moved, V.linear)),
                  lb_vec3_norm(lb_vec3_sub(turned, V.angular)));
    assert_near(lb_vec3_norm(lb_vec3_sub(moved, V.linear)), 0, 1e-4);
    assert_near(lb_vec3_norm(lb_vec3_sub(turned, V.angular)), 0, 1e-4);
  }
}
