// Two links with strings of masses and springs, as the authors of [red] run them (scene 12), from
// $LIMBER_SHARED/reference/redmax (default: shared/ beside the source). Numbers stay in cm, g and
// s.
#include <cjson/cJSON.h>

#include "dynamics/kinematics.h"
#include "dynamics/nodes.h"
#include "limber/limber.h"
#include "solve/linear_euler.h"
#include "test.h"

enum { LINKS = 2, NODES = 5 };

static const cJSON* get(const cJSON* json, const char* key) {
  return cJSON_GetObjectItemCaseSensitive(json, key);
}
static double at(const cJSON* list, int i) {
  return cJSON_IsNumber(list) ? list->valuedouble : cJSON_GetArrayItem(list, i)->valuedouble;
}
static lb_vec3 vec3(const cJSON* list) {
  return (lb_vec3){at(list, 0), at(list, 1), at(list, 2)};
}

static cJSON* load(const char* name) {
  char path[1000];
  const char* shared = getenv("LIMBER_SHARED");
  snprintf(path, sizeof path, "%s/reference/redmax/%s",
           shared ? shared : LIMBER_SOURCE_DIR "/../shared", name);
  FILE* file = fopen(path, "rb");
  if (!file) {
    skip();
  }
  enum { ROOM = 1 << 20 };
  char* text = calloc(1, ROOM);
  text[fread(text, 1, ROOM - 1, file)] = 0;
  fclose(file);
  cJSON* json = cJSON_Parse(text);
  free(text);
  assert_non_null(json);
  return json;
}

// What both ways of building the scene have in common: its links.
typedef struct world {
  lb_scene scene;
  lb_scene_body body[LINKS + NODES];
  lb_scene_joint joint[LINKS + 2 * NODES];
  lb_scene_strand strand[2];
  lb_scene_strand_point point[2][2];
  const cJSON* deformable[2];
} world;

static void open_world(world* w, const cJSON* json) {
  const cJSON* scene = get(json, "scene");
  *w = (world){.scene = lb_scene_default()};
  w->scene.gravity = vec3(get(scene, "grav"));
  for (int i = 0; i < LINKS; i++) {
    const cJSON* from = cJSON_GetArrayItem(get(scene, "joints"), i);
    const cJSON* inertia = get(get(from, "body"), "inertia_diag");
    w->body[i] = lb_scene_body_default();
    w->body[i].name = i ? "second" : "first";
    w->body[i].has_mass = w->body[i].has_com = w->body[i].has_inertia = true;
    w->body[i].mass = (lb_mass){
        at(inertia, 3), {0, 0, 0}, {at(inertia, 0), at(inertia, 1), at(inertia, 2), 0, 0, 0}};
    w->joint[i] = lb_scene_joint_default();
    w->joint[i].name = w->body[i].name;
    w->joint[i].parent = i - 1;
    w->joint[i].child = i;
    w->joint[i].axis = (lb_vec3){0, 1, 0};
    w->joint[i].in_parent.p.x = i ? 5 : 0;
    w->joint[i].in_child.p.x = -5;
    w->deformable[i] = cJSON_GetArrayItem(get(scene, "deformables"), i);
  }
  w->scene.body = w->body;
  w->scene.joint = w->joint;
  w->scene.nbody = w->scene.njoint = LINKS;
}

// Which link an end is on, as we count.
static int link_of(const cJSON* deformable, int end) {
  return (int)get(deformable, end ? "body1" : "body0")->valuedouble - 1;
}

// As strands. The authors' nodes weigh alike; ours at the ends weigh half, so that the first string
// weighs less and the link it is fastened to more.
static void fasten_strands(world* w) {
  static const char* const name[] = {"string", "bar"};
  for (int i = 0; i < 2; i++) {
    const cJSON* from = w->deformable[i];
    const int nodes = (int)get(from, "nnodes")->valuedouble;
    const double each = get(from, "mass_total")->valuedouble / nodes;
    lb_scene_strand* s = &w->strand[i];
    *s = lb_scene_strand_default();
    s->pushes = true;
    s->name = name[i];
    s->npoint = 2;
    s->point = w->point[i];
    s->segments = nodes - 1;
    s->mass = each * (nodes - 1);
    s->stiffness = get(from, "K")->valuedouble / at(get(from, "restL"), 0);
    for (int end = 0; end < 2; end++) {
      const int link = link_of(from, end);
      const lb_vec3 r = vec3(get(from, end ? "r1" : "r0"));
      w->point[i][end] = (lb_scene_strand_point){.body = link, .at = r};
      if (link >= 0) {
        const lb_mass half = {.mass = each / 2, .com = r};
        w->body[link].mass = lb_mass_add(w->body[link].mass, half);
      }
    }
  }
  w->scene.strand = w->strand;
  w->scene.nstrand = 2;
}

// Entry k of frame f.
static double entry(const cJSON* results, const char* key, int f, int k) {
  return at(cJSON_GetArrayItem(get(results, key), f), k);
}

// The worst difference of places and speeds from a frame, over their sizes.
static double compare_frame(const lb_model* m, lb_data* d, const cJSON* results, int f) {
  double worst = 0;
  lb_kinematics(m, d, d->q, d->qd);
  if (m->nnode > 0) {
    lb_nodes_move(m, d, d->q, d->qd);
  }
  for (int k = 0; k < LINKS + 3 * NODES; k++) {
    const double q = entry(results, "q", f, k), qd = entry(results, "qdot", f, k);
    const bool node = m->nnode > 0 && k >= LINKS;
    const double x = node ? d->work->nodes->x[k - LINKS] : d->q[k];
    const double v = node ? d->work->nodes->xd[k - LINKS] : d->qd[k];
    worst = fmax(worst, fabs(x - q) / fmax(1, fabs(q)));
    worst = fmax(worst, fabs(v - qd) / fmax(1, fabs(qd)));
  }
  return worst;
}

static void strands_move_as_the_authors_integrate(void** state) {
  (void)state;
  cJSON* json = load("full_scene12_redmax_ode45.json");
  static world w;
  open_world(&w, json);
  fasten_strands(&w);
  lb_model* m = NULL;
  lb_data* d = NULL;
  lb_stepper* st = NULL;
  assert_int_equal(lb_scene_check(&w.scene, NULL), LB_OK);
  assert_int_equal(lb_model_create(&w.scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  const lb_scene_solver solver = {.integrator = LB_INTEGRATOR_RK8};
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  const cJSON* results = get(json, "results");
  double worst = 0, energy = 0;
  const double V0 = lb_potential_energy(m, d);
  for (int f = 0; f < cJSON_GetArraySize(get(results, "t")); f++) {
    const int steps = 200;
    for (int i = 0; f > 0 && i < steps; i++) {
      assert_int_equal(lb_stepper_step(st, d, 0.05 / steps, NULL), LB_OK);
    }
    worst = fmax(worst, compare_frame(m, d, results, f));
    const double T = at(get(results, "T"), f),
                 V = at(get(results, "V"), f) - at(get(results, "V"), 0);
    energy = fmax(energy, fabs(lb_kinetic_energy(m, d) - T));
    energy = fmax(energy, fabs(lb_potential_energy(m, d) - V0 - V));
  }
  print_message("places and speeds off by %.2g, energies by %.2g of 86401\n", worst,
                energy / 86401);
  assert_true(worst < 1e-6);
  assert_true(energy < 1e-6 * 86401);
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  cJSON_Delete(json);
}

// In the authors' linearly implicit steps the ends of strings are nodes of their own, held by rows
// that close at a pace, and the springs between nodes are not implicit: so here nodes are bodies on
// translational joints, loops hold the ends, and the springs push as a caller's forces do.
static void hold_nodes_by_loops(world* w) {
  static char name[NODES][16], hold[NODES][16];
  int node = 0, nloop = 0;
  for (int i = 0; i < 2; i++) {
    const cJSON* from = w->deformable[i];
    const int count = (int)get(from, "nnodes")->valuedouble;
    for (int k = 0; k < count; k++, node++) {
      const int b = LINKS + node;
      snprintf(name[node], sizeof name[node], "n%d", node);
      snprintf(hold[node], sizeof hold[node], "h%d", node);
      w->body[b] = lb_scene_body_default();
      w->body[b].name = name[node];
      w->body[b].has_mass = w->body[b].has_com = w->body[b].has_inertia = true;
      w->body[b].mass = (lb_mass){.mass = get(from, "mass_total")->valuedouble / count};
      lb_scene_joint* j = &w->joint[b];
      *j = lb_scene_joint_default();
      j->name = name[node];
      j->kind = LB_JOINT_TRANSLATIONAL;
      j->child = b;
      const lb_vec3 x = vec3(cJSON_GetArrayItem(get(from, "x0"), k));
      memcpy(j->q, (double[]){x.x, x.y, x.z}, 3 * sizeof(double));
      if (k == 0 || k == count - 1) {
        lb_scene_joint* l = &w->joint[LINKS + NODES + nloop++];
        *l = lb_scene_joint_default();
        l->name = hold[node];
        l->kind = LB_JOINT_SPHERICAL;
        l->loop = true;
        // rows are along axes of the parent: of the node, which does not turn, as the authors' are
        const int link = link_of(from, k > 0);
        const lb_vec3 r = vec3(get(from, k > 0 ? "r1" : "r0"));
        l->parent = link < 0 ? LB_WORLD : b;
        l->child = link < 0 ? b : link;
        *(link < 0 ? &l->in_parent.p : &l->in_child.p) = r;
      }
    }
  }
  w->scene.nbody += NODES;
  w->scene.njoint += NODES + nloop;
}

static void pull_springs(const world* w, const lb_data* d) {
  int node = 0;
  memset(d->tau, 0, (size_t)d->model->nv * sizeof *d->tau);
  for (int i = 0; i < 2; i++) {
    const cJSON* from = w->deformable[i];
    const int count = (int)get(from, "nnodes")->valuedouble;
    for (int k = 1; k < count; k++) {
      const double *x = d->q + LINKS + 3 * (node + k - 1), L = at(get(from, "restL"), k - 1);
      double* f = d->tau + LINKS + 3 * (node + k - 1);
      const lb_vec3 way = {x[3] - x[0], x[4] - x[1], x[5] - x[2]};
      const double l = lb_vec3_norm(way);
      const double pull = get(from, "K")->valuedouble * (l - L) / (L * L) / l;
      const double part[] = {pull * way.x, pull * way.y, pull * way.z};
      for (int c = 0; c < 3; c++) {
        f[c] += part[c];
        f[3 + c] -= part[c];
      }
    }
    node += count;
  }
}

static void strings_held_by_rows_step_as_the_authors_do(void** state) {
  (void)state;
  cJSON* json = load("full_scene12_redmax_euler.json");
  static world w;
  open_world(&w, json);
  hold_nodes_by_loops(&w);
  lb_model* m = NULL;
  lb_data* d = NULL;
  lb_stepper* st = NULL;
  assert_int_equal(lb_model_create(&w.scene, NULL, &m, NULL), LB_OK);
  assert_int_equal(lb_data_create(m, NULL, &d, NULL), LB_OK);
  const double h = get(get(json, "integrator"), "h")->valuedouble;
  const lb_scene_solver solver = {.integrator = LB_INTEGRATOR_LINEAR_EULER};
  assert_int_equal(lb_stepper_create(m, &solver, NULL, &st, NULL), LB_OK);
  lb_linear_euler_close_at(st, at(get(get(json, "integrator"), "baumgarte"), 2));
  const cJSON* results = get(json, "results");
  double worst = 0;
  for (int f = 0; f < cJSON_GetArraySize(get(results, "t")); f++) {
    const int steps = (int)lround(0.05 / h);
    for (int i = 0; f > 0 && i < steps; i++) {
      pull_springs(&w, d);
      assert_int_equal(lb_stepper_step(st, d, h, NULL), LB_OK);
    }
    const double off = compare_frame(m, d, results, f);
    worst = fmax(worst, off);
  }
  print_message("places and speeds off by %.2g\n", worst);
  assert_true(worst < 1e-8);
  lb_stepper_release(st);
  lb_data_release(d);
  lb_model_release(m);
  cJSON_Delete(json);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strands_move_as_the_authors_integrate),
      cmocka_unit_test(strings_held_by_rows_step_as_the_authors_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
