// Validity of a file's contents, whose arrays have the right shapes.
#include <math.h>
#include <string.h>

#include "elastic/reduced/stored_table.h"
#include "math/linear/dense.h"

typedef struct checker {
  const lb_stored* s;
  const char* name;
  lb_error* err;
  lb_status status;
} checker;

#define SAY(c, ...)                                                                                \
  ((c)->status = lb_error_add((c)->err, LB_INVALID, (lb_place){.file = (c)->name}, __VA_ARGS__))

// Every number finite, but for limits.
static void check_numbers(checker* c) {
  lb_stored s = *c->s;
  for (int i = 0; i < lb_stored_nfield; i++) {
    const lb_stored_field* f = &lb_stored_fields[i];
    const double* x = *lb_stored_data(&s, f);
    const size_t n = lb_stored_count(&s, f);
    for (size_t k = 0; f->type == LB_NPZ_NUMBER && k < n; k++) {
      if (isnan(x[k]) || (isinf(x[k]) && f->offset != offsetof(lb_stored, range.eta_limit) &&
                          f->offset != offsetof(lb_stored, range.load_limit) &&
                          f->offset != offsetof(lb_stored, figure))) {
        SAY(c, "array '%s' holds a number that is not finite", f->name);
        break;
      }
    }
  }
}

static void check_range(checker* c, const char* array, const int* x, size_t count, int below) {
  for (size_t i = 0; i < count; i++) {
    if (x[i] < 0 || x[i] >= below) {
      SAY(c, "array '%s' holds %d, which is not from 0 to %d", array, x[i], below - 1);
      return;
    }
  }
}

static void check_positive(checker* c, const char* array, const double* x, int count) {
  for (int i = 0; i < count; i++) {
    if (!(x[i] > 0)) {
      SAY(c, "array '%s' holds %g, which is not positive", array, x[i]);
      return;
    }
  }
}

static void check_lengths(checker* c) {
  const lb_stored* s = c->s;
  if (s->r < 1 || s->npoint < 1 || s->nface < 1 || s->nregion < 1 || s->nelem < 1) {
    SAY(c, "it holds no body: it has %d shapes, %d points, %d faces, %d regions, %d elements", s->r,
        s->npoint, s->nface, s->nregion, s->nelem);
  }
  if (s->elem_nodes != 4 && s->elem_nodes != 10) {
    SAY(c, "its elements have %d nodes; tetrahedra have 4 or 10", s->elem_nodes);
  }
}

static void check_indices(checker* c) {
  const lb_stored* s = c->s;
  check_range(c, "element", s->mesh.element, (size_t)s->nelem * (size_t)s->elem_nodes, s->nnode);
  check_range(c, "element_region", s->mesh.region, (size_t)s->nelem, s->nregion);
  check_range(c, "face_node", s->face.node, (size_t)s->nface_node, s->nnode);
  check_range(c, "point_region", s->point.region, (size_t)s->npoint, s->nregion);
  check_range(c, "point_element", s->point.element, (size_t)s->npoint, s->nelem);
  bool rising = s->face.first[0] == 0 && s->face.first[s->nface] == s->nface_node;
  for (int i = 0; i < s->nface; i++) {
    rising &= s->face.first[i] < s->face.first[i + 1];
  }
  if (!rising) {
    SAY(c, "array 'face_first' does not rise from 0 to the number of face nodes, %d",
        s->nface_node);
  }
}

static void check_values(checker* c) {
  const lb_stored* s = c->s;
  check_positive(c, "mass", s->inertia.mass, 1);
  check_positive(c, "omega", s->omega, s->r);
  check_positive(c, "face_weight", s->face.weight, s->nface_node);
  check_positive(c, "point_weight", s->point.weight, s->npoint);
  check_positive(c, "eta_limit", s->range.eta_limit, s->r);
  check_positive(c, "load_limit", s->range.load_limit, 6 * s->nface);
  for (int i = 0; i < s->nregion; i++) {
    const lb_material m = lb_stored_material(s, i);
    if (m.model == LB_MATERIAL_MODEL_COUNT) {
      SAY(c, "array 'model' names '%s', which Limber does not know", s->material.model[i]);
    } else if (lb_material_check(&m, "of the file", (lb_place){.file = c->name}, c->err) != LB_OK) {
      c->status = LB_INVALID;
    }
  }
  bool good = s->material.damping[0] >= 0 && s->material.damping[1] >= 0;
  for (int i = 0; i < 2 * s->nregion; i++) {
    good &= s->material.share[i] >= 0 && s->material.share[i] <= 1;
  }
  if (!good) {
    SAY(c,
        "array 'damping' holds a negative number, or 'damping_share' one that is not from 0 to 1");
  }
}

// The mass matrix must be one, and the states of the file must come out as it says: a file of other
// conventions, or one put together wrongly, is found here.
static lb_status check_body(checker* c, lb_arena* scratch) {
  static const double SAME = 1e-6; // small strains lose digits, on each machine others
  const lb_stored* s = c->s;
  lb_reduced* b = NULL;
  double* M = LB_TAKE(scratch, double, s->r * s->r);
  if (!M || lb_stored_build(s, scratch, &b) != LB_OK) {
    return LB_NO_MEMORY;
  }
  memcpy(M, s->inertia.M, (size_t)(s->r * s->r) * sizeof *M);
  if (lb_cholesky(s->r, M, s->r) != LB_OK) {
    SAY(c, "array 'M' is not positive definite");
  }
  for (int i = 0; i < s->ncheck; i++) {
    lb_stored_state e;
    if (!lb_stored_evaluate(b, s, i, scratch, &e)) {
      return LB_NO_MEMORY;
    }
    double gap = 0, size = 0;
    for (int k = 0; k < s->r; k++) {
      const double f = s->check.force[(size_t)i * (size_t)s->r + (size_t)k];
      gap = fmax(gap, fabs(e.force[k] - f) / s->omega[k]);
      size = fmax(size, fabs(f) / s->omega[k]);
    }
    if (!(gap <= SAME * size) || !(fabs(e.energy - s->check.energy[i]) <= SAME * fabs(e.energy)) ||
        !(fabs(e.kinetic - s->check.kinetic[i]) <= SAME * fabs(e.kinetic))) {
      SAY(c,
          "state %d of 'check_eta' has force, energy %.9g J and kinetic energy %.9g J here, but "
          "other ones in the file (%.9g J and %.9g J)",
          i, e.energy, e.kinetic, s->check.energy[i], s->check.kinetic[i]);
      break;
    }
  }
  return c->status;
}

lb_status lb_stored_check(const lb_stored* stored, const char* name, lb_error* err) {
  checker c = {stored, name, err, LB_OK};
  check_lengths(&c);
  if (c.status == LB_OK) {
    check_numbers(&c);
    check_indices(&c);
    check_values(&c);
  }
  if (c.status == LB_OK) {
    lb_arena scratch;
    lb_arena_init(&scratch, err ? err->allocator : NULL);
    if (check_body(&c, &scratch) == LB_NO_MEMORY) {
      c.status = lb_error_add(err, LB_NO_MEMORY, (lb_place){.file = name}, "no memory to check it");
    }
    lb_arena_release(&scratch);
  }
  return c.status;
}
