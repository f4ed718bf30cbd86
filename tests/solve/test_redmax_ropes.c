// Two links with strings of masses and springs, as the authors of [red] run them (scene 12).
// Numbers stay in cm, g and s.
#include "dynamics/force/particles.h"
#include "dynamics/tree/kinematics.h"
#include "redmax.h"

enum { LINKS = 2, NODES = 5 };

// What both ways of building the scene have in common: its links.
typedef struct world {
  lb_scene scene;
  lb_scene_body body[LINKS + NODES];
  lb_scene_joint joint[LINKS + 2 * NODES];
  lb_scene_rope rope[2];
  lb_scene_rope_point point[2][2];
  const cJSON* deformable[2];
} world;

static void open_world(world* w, const cJSON* json) {
  const cJSON* scene = red_get(json, "scene");
  *w = (world){.scene = lb_scene_default()};
  w->scene.gravity = red_vec3(red_get(scene, "grav"));
  for (int i = 0; i < LINKS; i++) {
    const cJSON* from = cJSON_GetArrayItem(red_get(scene, "joints"), i);
    double I[6];
    red_numbers(red_get(red_get(from, "body"), "inertia_diag"), I);
    w->body[i] = lb_scene_body_default();
    w->body[i].name = i ? "second" : "first";
    w->body[i].has_mass = w->body[i].has_com = w->body[i].has_inertia = true;
    w->body[i].mass = (lb_mass){I[3], {0, 0, 0}, {I[0], I[1], I[2], 0, 0, 0}};
    w->joint[i] = lb_scene_joint_default();
    w->joint[i].name = w->body[i].name;
    w->joint[i].parent = i - 1;
    w->joint[i].child = i;
    w->joint[i].axis = (lb_vec3){0, 1, 0};
    w->joint[i].in_parent.p.x = i ? 5 : 0;
    w->joint[i].in_child.p.x = -5;
    w->deformable[i] = cJSON_GetArrayItem(red_get(scene, "deformables"), i);
  }
  w->scene.body = w->body;
  w->scene.joint = w->joint;
  w->scene.nbody = w->scene.njoint = LINKS;
}

// Which link an end is on, as we count.
static int link_of(const cJSON* deformable, int end) {
  return red_whole(deformable, end ? "body1" : "body0") - 1;
}

// Of a spring; a single one stands alone.
static double rest_length(const cJSON* deformable, int i) {
  const cJSON* all = red_get(deformable, "restL");
  return cJSON_IsNumber(all) ? all->valuedouble : red_at(all, i);
}

// As ropes. The authors' nodes weigh alike; ours at the ends weigh half, so that the first string
// weighs less and the link it is fastened to more.
static void fasten_ropes(world* w) {
  static const char* const name[] = {"string", "bar"};
  for (int i = 0; i < 2; i++) {
    const cJSON* from = w->deformable[i];
    const int particles = red_whole(from, "nnodes");
    const double each = red_number(from, "mass_total") / particles;
    lb_scene_rope* s = &w->rope[i];
    *s = lb_scene_rope_default();
    s->pushes = true;
    s->name = name[i];
    s->npoint = 2;
    s->point = w->point[i];
    s->segments = particles - 1;
    s->mass = each * (particles - 1);
    s->stiffness = red_number(from, "K") / rest_length(from, 0);
    for (int end = 0; end < 2; end++) {
      const int link = link_of(from, end);
      const lb_vec3 r = red_vec3(red_get(from, end ? "r1" : "r0"));
      w->point[i][end] = (lb_scene_rope_point){.body = link, .at = r};
      if (link >= 0) {
        const lb_mass half = {.mass = each / 2, .com = r};
        w->body[link].mass = lb_mass_add(w->body[link].mass, half);
      }
    }
  }
  w->scene.rope = w->rope;
  w->scene.nrope = 2;
}

// The worst difference of places and speeds from row f of two tables.
static double state_off(const lb_model* m, lb_data* d, const cJSON* q, const cJSON* qd, int f) {
  double worst = 0;
  lb_kinematics(m, d, d->q, d->qd);
  if (m->particles.nparticle > 0) {
    lb_particles_move(m, d, d->q, d->qd);
  }
  for (int k = 0; k < LINKS + 3 * NODES; k++) {
    const bool particle = m->particles.nparticle > 0 && k >= LINKS;
    const double x = particle ? d->work->particles->x[k - LINKS] : d->q[k];
    const double v = particle ? d->work->particles->xd[k - LINKS] : d->qd[k];
    worst = fmax(worst, red_apart(x, red_item(q, f, k), 1));
    worst = fmax(worst, red_apart(v, red_item(qd, f, k), 1));
  }
  return worst;
}

typedef struct apart {
  double state, energy; // over their sizes
} apart;

// What a caller does that the scene does not have.
typedef struct push_nodes {
  void (*pull)(const world* w, const lb_data* d);     // before each step
  double (*energy)(const world* w, const lb_data* d); // of what pulls
} push_nodes;

typedef struct trial {
  const world* w;
  const cJSON* results;
  const push_nodes* push; // may be NULL
  lb_model* m;
  lb_data* d;
  lb_stepper* st;
  long steps; // done
  double V0;  // ours at the start, over theirs: they count fastened ends, too
} trial;

static double potential(const trial* r) {
  return lb_potential_energy(r->m, r->d) + (r->push ? r->push->energy(r->w, r->d) : 0);
}

static void go_to(trial* r, long steps, double h) {
  for (; r->steps < steps; r->steps++) {
    if (r->push) {
      r->push->pull(r->w, r->d);
    }
    assert_int_equal(lb_stepper_step(r->st, r->d, h, NULL), LB_OK);
  }
}

static apart sample_off(const trial* r, int f) {
  const cJSON* results = r->results;
  const double size = red_energy_size(results);
  const cJSON *T = red_get(results, "T"), *V = red_get(results, "V"), *t = red_get(results, "t");
  apart off = {state_off(r->m, r->d, red_get(results, "q"), red_get(results, "qdot"), f), 0};
  off.state = fmax(off.state, red_apart(r->d->time, red_item(t, f, 0), 1));
  off.energy = fmax(red_apart(lb_kinetic_energy(r->m, r->d), red_item(T, f, 0), size),
                    red_apart(potential(r) - r->V0, red_item(V, f, 0), size));
  return off;
}

// The first steps, samples and the end.
static apart compare_run(trial* r, double h) {
  const cJSON *t = red_get(r->results, "t"), *first = red_get(r->results, "first_steps_q"),
              *rates = red_get(r->results, "first_steps_qdot");
  const double start = potential(r);
  apart worst = {0, 0};
  r->V0 = start - red_at(red_get(r->results, "V"), 0);
  for (int f = 0, early = 0; f < cJSON_GetArraySize(t); f++) {
    const long steps = lround(red_at(t, f) / h);
    for (; early < cJSON_GetArraySize(first) && early <= steps; early++) {
      go_to(r, early, h);
      worst.state = fmax(worst.state, state_off(r->m, r->d, first, rates, early));
    }
    go_to(r, steps, h);
    const apart off = sample_off(r, f);
    worst = (apart){fmax(worst.state, off.state), fmax(worst.energy, off.energy)};
  }
  worst.state = fmax(worst.state, red_poses_apart(r->m, r->d, red_get(r->results, "E_wi_final")));
  worst.energy = fmax(worst.energy, red_balance_apart(r->results, lb_kinetic_energy(r->m, r->d),
                                                      potential(r), start));
  red_assert_compared(r->results, (const char*[]){NULL});
  return worst;
}

// A run with steps of h against a file.
static apart run_world(const world* w, const cJSON* json, lb_integrator integrator, double h,
                       double pace, const push_nodes* push) {
  const lb_scene_solver solver = {.integrator = integrator, .closing = pace > 0 ? 1 / pace : 0};
  trial r = {.w = w, .results = red_get(json, "results"), .push = push};
  assert_int_equal(lb_model_create(&w->scene, NULL, &r.m, NULL), LB_OK);
  assert_int_equal(lb_data_create(r.m, NULL, &r.d, NULL), LB_OK);
  assert_int_equal(lb_stepper_create(r.m, &solver, NULL, &r.st, NULL), LB_OK);
  const apart worst = compare_run(&r, h);
  lb_stepper_release(r.st);
  lb_data_release(r.d);
  lb_model_release(r.m);
  return worst;
}

static cJSON* open_file(const char* name, world* w) {
  cJSON* json = red_open(name);
  if (!json) {
    skip();
  }
  open_world(w, json);
  return json;
}

static void ropes_move_as_the_authors_integrate(void** state) {
  (void)state;
  static const char NAME[] = "full_scene12_redmax_ode45.json";
  static world w;
  cJSON* json = open_file(NAME, &w);
  fasten_ropes(&w);
  assert_int_equal(lb_scene_check(&w.scene, NULL), LB_OK);
  const apart off = run_world(&w, json, LB_INTEGRATOR_RK8, 0.05 / 200, 0, NULL);
  print_message("places and speeds off by %.2g, energies by %.2g\n", off.state, off.energy);
  red_check_page(NAME, fmax(off.state, off.energy), NAN);
  cJSON_Delete(json);
}

// In the authors' linearly implicit steps the ends of strings are nodes of their own, held by rows
// that close over time, and the springs between nodes are not implicit: so here nodes are bodies on
// translational joints, loops hold the ends, and the springs push as a caller's forces do.
static void hold_nodes_by_loops(world* w) {
  static char name[NODES][16], hold[NODES][16];
  int particle = 0, nloop = 0;
  for (int i = 0; i < 2; i++) {
    const cJSON* from = w->deformable[i];
    const int count = red_whole(from, "nnodes");
    for (int k = 0; k < count; k++, particle++) {
      const int b = LINKS + particle;
      snprintf(name[particle], sizeof name[particle], "n%d", particle);
      snprintf(hold[particle], sizeof hold[particle], "h%d", particle);
      w->body[b] = lb_scene_body_default();
      w->body[b].name = name[particle];
      w->body[b].has_mass = w->body[b].has_com = w->body[b].has_inertia = true;
      w->body[b].mass = (lb_mass){.mass = red_number(from, "mass_total") / count};
      lb_scene_joint* j = &w->joint[b];
      *j = lb_scene_joint_default();
      j->name = name[particle];
      j->kind = LB_JOINT_TRANSLATIONAL;
      j->child = b;
      const lb_vec3 x = red_vec3(cJSON_GetArrayItem(red_get(from, "x0"), k));
      memcpy(j->q, (double[]){x.x, x.y, x.z}, 3 * sizeof(double));
      if (k == 0 || k == count - 1) {
        lb_scene_joint* l = &w->joint[LINKS + NODES + nloop++];
        *l = lb_scene_joint_default();
        l->name = hold[particle];
        l->kind = LB_JOINT_SPHERICAL;
        l->loop = true;
        // rows are along axes of the parent: of the node, which does not turn, as the authors' are
        const int link = link_of(from, k > 0);
        const lb_vec3 r = red_vec3(red_get(from, k > 0 ? "r1" : "r0"));
        l->parent = link < 0 ? LB_WORLD : b;
        l->child = link < 0 ? b : link;
        *(link < 0 ? &l->in_parent.p : &l->in_child.p) = r;
      }
    }
  }
  w->scene.nbody += NODES;
  w->scene.njoint += NODES + nloop;
}

// A spring between node k and the one before, of those of a string that begins with `node`: its
// stretch l/L - 1, and the way along it.
static double stretch(const world* w, const lb_data* d, int string, int particle, int k,
                      lb_vec3* way) {
  const double* x = d->q + LINKS + 3 * (particle + k - 1);
  const double L = rest_length(w->deformable[string], k - 1);
  *way = (lb_vec3){x[3] - x[0], x[4] - x[1], x[5] - x[2]};
  const double l = lb_vec3_norm(*way);
  *way = lb_vec3_scale(1 / l, *way);
  return l / L - 1;
}

// A spring pulls with K/L times its stretch.
static void pull_springs(const world* w, const lb_data* d) {
  int particle = 0;
  memset(d->tau, 0, (size_t)d->model->nv * sizeof *d->tau);
  for (int i = 0; i < 2; i++) {
    const cJSON* from = w->deformable[i];
    const int count = red_whole(from, "nnodes");
    for (int k = 1; k < count; k++) {
      double* f = d->tau + LINKS + 3 * (particle + k - 1);
      lb_vec3 way;
      const double pull =
          red_number(from, "K") * stretch(w, d, i, particle, k, &way) / rest_length(from, k - 1);
      const double part[] = {pull * way.x, pull * way.y, pull * way.z};
      for (int c = 0; c < 3; c++) {
        f[c] += part[c];
        f[3 + c] -= part[c];
      }
    }
    particle += count;
  }
}

static double energy_of_springs(const world* w, const lb_data* d) {
  double sum = 0;
  for (int i = 0, particle = 0; i < 2; i++) {
    const cJSON* from = w->deformable[i];
    const int count = red_whole(from, "nnodes");
    for (int k = 1; k < count; k++) {
      lb_vec3 way;
      const double e = stretch(w, d, i, particle, k, &way);
      sum += red_number(from, "K") * e * e / 2;
    }
    particle += count;
  }
  return sum;
}

// Ropes cannot do the same, since their ends are where they are fastened and their springs are
// implicit: the difference is reported, too.
static void strings_held_by_constraints_step_as_the_authors_do(void** state) {
  (void)state;
  static const char NAME[] = "full_scene12_redmax_euler.json";
  static world rows, ropes;
  cJSON* json = open_file(NAME, &rows);
  open_world(&ropes, json);
  hold_nodes_by_loops(&rows);
  fasten_ropes(&ropes);
  const double h = red_number(red_get(json, "integrator"), "h");
  const double pace = red_at(red_get(red_get(json, "integrator"), "baumgarte"), 2);
  const lb_integrator how = LB_INTEGRATOR_LINEAR_EULER;
  const push_nodes push = {pull_springs, energy_of_springs};
  const apart off = run_world(&rows, json, how, h, pace, &push);
  print_message("places and speeds off by %.2g, energies by %.2g\n", off.state, off.energy);
  red_check_page(NAME, fmax(off.state, off.energy), run_world(&ropes, json, how, h, 0, NULL).state);
  cJSON_Delete(json);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ropes_move_as_the_authors_integrate),
      cmocka_unit_test(strings_held_by_constraints_step_as_the_authors_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
