// Bases of bodies whose frequencies come in pairs.
#include "elastic/elastic_body.h"
#include "elastic/reduced/held_face.h"
#include "math/linear/dense.h"

static lb_basis make_basis(body* b, lb_basis_options options) {
  lb_basis_face held, tip;
  lb_basis basis;
  lb_basis_face_of(&b->mesh, lb_tetmesh_find_surface(&b->mesh, "start"), &b->arena, &held);
  lb_basis_face_of(&b->mesh, lb_tetmesh_find_surface(&b->mesh, "end"), &b->arena, &tip);
  assert_int_equal(lb_basis_create(b->fem, &held, 1, &tip, &options, &b->arena, &basis, &b->err),
                   LB_OK);
  return basis;
}

static body make_beam(lb_tetmesh_kind kind) {
  lb_tetmesh_def def = lb_tetmesh_def_default();
  def.kind = kind;
  def.b = lb_vec3_make(0, 0, 0.3);
  def.up = lb_vec3_make(1, 0, 0);
  def.width = def.height = 0.004;
  def.radius = 0.002;
  def.along = 10;
  def.across = def.around = 2;
  return body_make(def, lb_material_default());
}

static void pairs_are_taken_whole(void** state) {
  (void)state;
  body b = make_beam(LB_TETMESH_ROD);
  const int none = make_basis(&b, (lb_basis_options){0}).r;
  assert_int_equal(none, 6);
  for (int modes = 1; modes <= 3; modes += 2) {
    assert_int_equal(make_basis(&b, (lb_basis_options){.modes = modes}).r, none + modes + 1);
  }
  body_release(&b);
}

// Vectors of a square beam from its attachments, mixed beforehand in some way.
static void make_mixed(lb_shapes* c, const lb_basis_face* tip, double angle, double* omega) {
  c->n = 0;
  assert_int_equal(lb_shapes_attach(c, tip), LB_OK);
  for (int i = 0; i + 1 < c->n; i++) {
    double *u = lb_shapes_vector(c, i), *v = lb_shapes_vector(c, i + 1);
    double *mu = lb_shapes_mass_vector(c, i), *mv = lb_shapes_mass_vector(c, i + 1);
    for (int k = 0; k < c->h->fem->ndof; k++) {
      const double a = u[k], b = v[k], ma = mu[k], mb = mv[k];
      u[k] = cos(angle) * a + sin(angle) * b;
      v[k] = cos(angle) * b - sin(angle) * a;
      mu[k] = cos(angle) * ma + sin(angle) * mb;
      mv[k] = cos(angle) * mb - sin(angle) * ma;
    }
  }
  assert_int_equal(lb_shapes_diagonalise(c, 0, omega), LB_OK);
}

// A square beam bends to the left as readily as up: any mixture of the two would do.
static void vectors_do_not_depend_on_what_they_were_mixed_from(void** state) {
  (void)state;
  body b = make_beam(LB_TETMESH_BOX);
  lb_basis_face held, tip;
  lb_held h;
  lb_shapes c[2];
  double omega[2][6];
  lb_basis_face_of(&b.mesh, lb_tetmesh_find_surface(&b.mesh, "start"), &b.arena, &held);
  lb_basis_face_of(&b.mesh, lb_tetmesh_find_surface(&b.mesh, "end"), &b.arena, &tip);
  assert_int_equal(lb_held_open(&h, b.fem, &held), LB_OK);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(lb_shapes_open(&c[i], &h, 7, &b.arena), LB_OK);
    make_mixed(&c[i], &tip, i ? 0.3 : 0, omega[i]);
  }
  for (int k = 0; k < 6; k++) {
    const double* u = lb_shapes_vector(&c[1], k);
    const double along = lb_dot(b.fem->ndof, lb_shapes_mass_vector(&c[0], k), u);
    print_message("%.9g and %.9g rad/s, 1 - cosine %.1e\n", omega[0][k], omega[1][k], 1 - along);
    assert_near(omega[1][k] / omega[0][k], 1, 1e-9);
    assert_near(along, 1, 1e-6);
  }
  lb_held_close(&h);
  body_release(&b);
}

static void the_largest_component_is_positive(void** state) {
  (void)state;
  body b = make_beam(LB_TETMESH_ROD);
  const lb_basis basis = make_basis(&b, lb_basis_default());
  for (int k = 0; k < basis.r; k++) {
    const double* u = basis.Phi + (size_t)k * (size_t)b.fem->ndof;
    double low = 0, high = 0;
    for (int i = 0; i < b.fem->ndof; i++) {
      low = fmin(low, u[i]);
      high = fmax(high, u[i]);
    }
    assert_at_least(high, -low * (1 - 1e-5));
  }
  body_release(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_are_taken_whole),
      cmocka_unit_test(vectors_do_not_depend_on_what_they_were_mixed_from),
      cmocka_unit_test(the_largest_component_is_positive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
