// Meshes that Limber makes: sound, the right size, conforming, with the surfaces they promise.
#include "geom.h"
#include "geom/tet/tet.h"
#include "geom/tet/tetmesh.h"
#include "tetmesh_measures.h"

static const double PI = 3.14159265358979323846;

typedef struct fixture {
  lb_arena arena;
  lb_error err;
} fixture;

static fixture set_up(void) {
  fixture f = {.err = lb_error_make(NULL)};
  lb_arena_init(&f.arena, NULL);
  return f;
}

static void tear_down(fixture* f) {
  lb_error_clear(&f->err);
  lb_arena_release(&f->arena);
}

static lb_tetmesh_def some_def(int kind, int order) {
  lb_tetmesh_def d = lb_tetmesh_def_default();
  d.kind = (lb_tetmesh_kind)kind;
  d.order = order;
  d.a = lb_vec3_make(0.1, -0.2, 0.3);
  d.b = lb_vec3_make(0.5, 0.3, 0.7);
  d.width = 0.1;
  d.height = 0.16;
  d.radius = 0.05;
  d.sides = LB_TETMESH_CURVED;
  d.inner = 0.03;
  d.along = 16;
  d.across = kind == LB_TETMESH_TUBE ? 1 : 2;
  d.around = kind == LB_TETMESH_TUBE ? 16 : 3;
  return d;
}

static lb_tetmesh make(fixture* f, const lb_tetmesh_def* d) {
  lb_tetmesh mesh;
  assert_int_equal(lb_tetmesh_make(d, (lb_place){0}, &f->arena, &mesh, &f->err), LB_OK);
  return mesh;
}

static double surface_area(fixture* f, const lb_tetmesh* mesh, const char* name) {
  const lb_tetmesh_surface* s = lb_tetmesh_find_surface(mesh, name);
  assert_non_null(s);
  int n, *node;
  double *w, sum = 0;
  assert_int_equal(lb_tetmesh_surface_weights(mesh, s, &f->arena, &n, &node, &w), LB_OK);
  for (int i = 0; i < n; i++) {
    assert_above(w[i], 0);
    sum += w[i];
  }
  return sum;
}

static void meshes_are_sound_and_use_all_their_nodes(void** state) {
  (void)state;
  for (int kind = 0; kind < LB_TETMESH_KIND_COUNT; kind++) {
    for (int order = 1; order <= 2; order++) {
      fixture f = set_up();
      const lb_tetmesh_def d = some_def(kind, order);
      const lb_tetmesh mesh = make(&f, &d);
      assert_int_equal(lb_tetmesh_check(&mesh, "body", (lb_place){0}, &f.arena, &f.err), LB_OK);
      double worst, mean;
      lb_tetmesh_quality(&mesh, &worst, &mean);
      assert_above(worst, 0.15);
      assert_above(mean, 0.3);
      tear_down(&f);
    }
  }
}

// Divergence theorem: faces that were missing, doubled or turned inwards would spoil the volume.
static double enclosed(const lb_tetmesh* mesh, const lb_tetmesh_surface* s) {
  const int size = lb_tetmesh_face_nodes(mesh);
  double sum = 0;
  for (int i = 0; i < s->nface; i++) {
    const int* v = &s->face[size * i];
    sum += lb_vec3_dot(mesh->node[v[0]], lb_vec3_cross(mesh->node[v[1]], mesh->node[v[2]])) / 6;
  }
  return sum;
}

static void named_surfaces_make_up_the_boundary_and_point_outwards(void** state) {
  (void)state;
  for (int kind = 0; kind < LB_TETMESH_KIND_COUNT; kind++) {
    fixture f = set_up();
    const lb_tetmesh_def d = some_def(kind, 1);
    const lb_tetmesh mesh = make(&f, &d);
    lb_tetmesh_surface all;
    assert_int_equal(lb_tetmesh_boundary(&mesh, &f.arena, &all), LB_OK);
    const char* part[] = {"start", "end", "side"};
    double volume = 0;
    int nface = 0;
    for (int i = 0; i < 3; i++) {
      const lb_tetmesh_surface* s = lb_tetmesh_find_surface(&mesh, part[i]);
      volume += enclosed(&mesh, s);
      nface += s->nface;
    }
    assert_int_equal(nface, all.nface);
    assert_near(volume, lb_tetmesh_volume(&mesh), 1e-14);
    assert_near(enclosed(&mesh, &all), lb_tetmesh_volume(&mesh), 1e-14);
    tear_down(&f);
  }
}

static void faces_of_order_two_have_their_middles_between_their_corners(void** state) {
  (void)state;
  fixture f = set_up();
  const lb_tetmesh_def d = some_def(LB_TETMESH_BOX, 2);
  const lb_tetmesh mesh = make(&f, &d);
  for (int k = 0; k < mesh.nsurface; k++) {
    for (int i = 0; i < mesh.surface[k].nface; i++) {
      const int* v = &mesh.surface[k].face[6 * i];
      for (int e = 0; e < 3; e++) {
        const lb_vec3 m =
            lb_vec3_scale(0.5, lb_vec3_add(mesh.node[v[e]], mesh.node[v[(e + 1) % 3]]));
        assert_vec3_near(mesh.node[v[3 + e]], m, 1e-15);
      }
    }
  }
  tear_down(&f);
}

static void a_box_has_exact_volume_and_areas(void** state) {
  (void)state;
  fixture f = set_up();
  const lb_tetmesh_def d = some_def(LB_TETMESH_BOX, 2);
  const lb_tetmesh mesh = make(&f, &d);
  const double length = lb_vec3_norm(lb_vec3_sub(d.b, d.a));
  assert_near(lb_tetmesh_volume(&mesh) / (length * d.width * d.height), 1, 1e-12);
  assert_near(surface_area(&f, &mesh, "start") / (d.width * d.height), 1, 1e-12);
  assert_near(surface_area(&f, &mesh, "top") / (d.width * length), 1, 1e-12);
  assert_near(surface_area(&f, &mesh, "left") / (d.height * length), 1, 1e-12);
  tear_down(&f);
}

// Error of the volume relative to the cylinder, with curved elements.
static double volume_error(int kind, int around, double true_area) {
  fixture f = set_up();
  lb_tetmesh_def d = some_def(kind, 2);
  d.across = kind == LB_TETMESH_ROD ? around / 6 : 1;
  d.around = around;
  const lb_tetmesh mesh = make(&f, &d);
  const double length = lb_vec3_norm(lb_vec3_sub(d.b, d.a));
  const double error = lb_tetmesh_volume(&mesh) / (length * true_area) - 1;
  tear_down(&f);
  return fabs(error);
}

static void curved_sections_converge_with_order_four(void** state) {
  (void)state;
  const double rod = PI * 0.05 * 0.05, tube = PI * (0.05 * 0.05 - 0.03 * 0.03);
  const double order_rod =
      log2(volume_error(LB_TETMESH_ROD, 12, rod) / volume_error(LB_TETMESH_ROD, 24, rod));
  const double order_tube =
      log2(volume_error(LB_TETMESH_TUBE, 12, tube) / volume_error(LB_TETMESH_TUBE, 24, tube));
  assert_near(order_rod, 4, 0.05);
  assert_near(order_tube, 4, 0.05);
}

static void middles_of_curved_edges_lie_on_the_cylinder(void** state) {
  (void)state;
  fixture f = set_up();
  const lb_tetmesh_def d = some_def(LB_TETMESH_ROD, 2);
  const lb_tetmesh mesh = make(&f, &d);
  const lb_tetmesh_surface* side = lb_tetmesh_find_surface(&mesh, "side");
  const lb_vec3 axis = lb_vec3_sub(d.b, d.a);
  for (int k = 0; k < 6 * side->nface; k++) {
    const lb_vec3 r = lb_vec3_sub(mesh.node[side->face[k]], d.a);
    const double along = lb_vec3_dot(r, axis) / lb_vec3_dot(axis, axis);
    assert_near(lb_vec3_norm(lb_vec3_sub(r, lb_vec3_scale(along, axis))), d.radius, 1e-14);
  }
  tear_down(&f);
}

static void consistent_loads_and_weights_sum_to_the_area(void** state) {
  (void)state;
  for (int order = 1; order <= 2; order++) {
    fixture f = set_up();
    const lb_tetmesh_def d = some_def(LB_TETMESH_BOX, order);
    const lb_tetmesh mesh = make(&f, &d);
    double* load = calloc((size_t)mesh.nnode, sizeof *load);
    lb_tetmesh_surface_load(&mesh, lb_tetmesh_find_surface(&mesh, "end"), load);
    double sum = 0, first = 0;
    for (int i = 0; i < mesh.nnode; i++) {
      sum += load[i];
      first += load[i] * mesh.node[i].x;
    }
    assert_near(sum, d.width * d.height, 1e-14);
    assert_near(first / sum, d.b.x, 1e-13); // the middle of the face
    assert_near(surface_area(&f, &mesh, "end"), sum, 1e-14);
    free(load);
    tear_down(&f);
  }
}

static void a_smaller_error_makes_a_finer_mesh(void** state) {
  (void)state;
  for (int kind = 0; kind < LB_TETMESH_KIND_COUNT; kind++) {
    int before = 0;
    const double wanted[] = {0.1, 0.01, 0.001, 0.0001};
    for (int i = 0; i < 4; i++) {
      fixture f = set_up();
      lb_tetmesh_def d = some_def(kind, 2);
      d.along = d.across = d.around = 0;
      d.error = wanted[i];
      const lb_tetmesh mesh = make(&f, &d);
      assert_at_least(mesh.nnode, before);
      before = mesh.nnode;
      tear_down(&f);
    }
    assert_above(before, 200);
  }
}

static void nonsense_definitions_are_refused(void** state) {
  (void)state;
  const lb_tetmesh_def good = some_def(LB_TETMESH_TUBE, 2);
  lb_tetmesh_def bad[6];
  for (int i = 0; i < 6; i++) {
    bad[i] = good;
  }
  bad[0].b = bad[0].a;
  bad[1].radius = -1;
  bad[2].inner = bad[2].radius;
  bad[3].order = 3;
  bad[4].along = 100000000;
  bad[5].error = 0;
  for (int i = 0; i < 6; i++) {
    fixture f = set_up();
    lb_tetmesh mesh = {.nnode = -7};
    assert_int_equal(lb_tetmesh_make(&bad[i], (lb_place){0}, &f.arena, &mesh, &f.err), LB_INVALID);
    assert_int_equal(f.err.count, 1);
    assert_int_equal(mesh.nnode, -7);
    tear_down(&f);
  }
}

static void checks_find_what_is_wrong(void** state) {
  (void)state;
  lb_vec3 node[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                    {5, 0, 0}, {6, 0, 0}, {5, 1, 0}, {5, 0, 1}};
  int right[] = {0, 1, 2, 3}, inverted[] = {0, 2, 1, 3}, flat[] = {0, 1, 1, 3};
  int apart[] = {0, 1, 2, 3, 4, 5, 6, 7}, beyond[] = {0, 1, 2, 9};
  int region[2] = {0};
  const char* name[] = {"body"};
  const struct {
    int* elem;
    int nelem, nnode;
    const char* says;
  } bad[] = {{right, 1, 4, NULL},
             {inverted, 1, 4, "inverted"},
             {flat, 1, 4, "flat"},
             {right, 1, 5, "no element uses node 5"},
             {apart, 2, 8, "several parts"},
             {beyond, 1, 4, "uses node 10"},
             {right, 0, 4, "no tetrahedra"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fixture f = set_up();
    const lb_tetmesh mesh = {1,    bad[i].nnode, bad[i].nelem, 0,    1,
                             node, bad[i].elem,  region,       name, NULL};
    const lb_status status = lb_tetmesh_check(&mesh, "m", (lb_place){0}, &f.arena, &f.err);
    assert_int_equal(status, bad[i].says ? LB_INVALID : LB_OK);
    if (bad[i].says) {
      assert_non_null(strstr(f.err.message[0].text, bad[i].says));
    }
    tear_down(&f);
  }
}

static void the_exact_rule_integrates_all_monomials_of_degree_seven(void** state) {
  (void)state;
  static const double factorial[] = {1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880, 3628800};
  lb_tet_point p[LB_TET_EXACT_POINTS];
  lb_tet_exact_rule(p);
  for (int i = 0; i <= 7; i++) {
    for (int j = 0; i + j <= 7; j++) {
      for (int k = 0; i + j + k <= 7; k++) {
        double sum = 0;
        for (int q = 0; q < LB_TET_EXACT_POINTS; q++) {
          sum += p[q].w * pow(p[q].x.x, i) * pow(p[q].x.y, j) * pow(p[q].x.z, k);
        }
        const double exact = factorial[i] * factorial[j] * factorial[k] / factorial[i + j + k + 3];
        assert_near(sum / exact, 1, 1e-13);
      }
    }
  }
}

static void out_of_memory_leaves_nothing_behind(void** state) {
  (void)state;
  const lb_tetmesh_def d = some_def(LB_TETMESH_ROD, 2);
  bool failed = true;
  for (int left = 0; failed; left++) {
    lb_stingy s = {left, 0, false};
    const lb_allocator stingy = {stingy_allocate, stingy_release, &s};
    lb_arena arena;
    lb_arena_init(&arena, &stingy);
    lb_tetmesh mesh = {.nnode = -7};
    const lb_status status = lb_tetmesh_make(&d, (lb_place){0}, &arena, &mesh, NULL);
    failed = s.failed;
    assert_int_equal(status, failed ? LB_NO_MEMORY : LB_OK);
    assert_true((mesh.nnode == -7) == failed);
    assert_true(!failed || s.held == 0);
    lb_arena_release(&arena);
    assert_int_equal(s.held, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meshes_are_sound_and_use_all_their_nodes),
      cmocka_unit_test(named_surfaces_make_up_the_boundary_and_point_outwards),
      cmocka_unit_test(faces_of_order_two_have_their_middles_between_their_corners),
      cmocka_unit_test(a_box_has_exact_volume_and_areas),
      cmocka_unit_test(curved_sections_converge_with_order_four),
      cmocka_unit_test(middles_of_curved_edges_lie_on_the_cylinder),
      cmocka_unit_test(consistent_loads_and_weights_sum_to_the_area),
      cmocka_unit_test(a_smaller_error_makes_a_finer_mesh),
      cmocka_unit_test(nonsense_definitions_are_refused),
      cmocka_unit_test(checks_find_what_is_wrong),
      cmocka_unit_test(the_exact_rule_integrates_all_monomials_of_degree_seven),
      cmocka_unit_test(out_of_memory_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
