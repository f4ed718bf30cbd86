// From a reduced body in memory to the arrays of its file.
#include <math.h>
#include <string.h>

#include "elastic/reduced/stored_table.h"

enum { CHECKS = 3 };

// A coordinate that the training hardly moved may carry this part of the largest deformation, by
// elastic energy, before it counts as outside.
static const double QUIET = 0.05;

// --- arrays ---

static void put_vectors(double* out, int count, const lb_v4* from) {
  for (int i = 0; i < count; i++) {
    lb_v4_store(out + 3 * (size_t)i, from[i]);
  }
}

static void put_matrices(double* rows, int count, const lb_m3* from) {
  for (int i = 0; i < count; i++) {
    lb_m3_store(rows + 9 * (size_t)i, 3, from[i]);
  }
}

#define PUT(to, from, count) put((to), (from), (size_t)(count) * sizeof *(to))
static void put(void* to, const void* from, size_t size) {
  if (size) {
    memcpy(to, from, size);
  }
}

static void put_texts(const char** out, int count, const char* const* from, lb_arena* arena) {
  for (int i = 0; i < count; i++) {
    out[i] = lb_arena_text(arena, from[i], strlen(from[i]));
  }
}

static void set_lengths(lb_stored* s, const lb_stored_input* in) {
  s->r = in->reduced->r;
  s->nnode = in->mesh->nnode;
  s->nelem = in->mesh->nelem;
  s->elem_nodes = lb_tetmesh_elem_nodes(in->mesh);
  s->nregion = in->mesh->nregion;
  s->nbody = in->nbody;
  s->nuntil = in->nuntil;
  s->nface = in->nface;
  s->nfirst = in->nface + 1;
  s->ncarry = in->nface - 1;
  s->ncheck = CHECKS;
  for (int i = 0; i < in->nface; i++) {
    s->nface_node += in->face[i].count;
  }
  for (int i = 0; i < LB_LANES * in->points->nbatch; i++) {
    s->npoint += in->points->element[i] >= 0;
  }
}

static void store_mesh(lb_stored* s, const lb_stored_input* in) {
  const lb_tetmesh* mesh = in->mesh;
  const double alpha = in->reduced->alpha, beta = in->reduced->beta;
  PUT(s->mesh.node, &mesh->node[0].x, 3 * (size_t)mesh->nnode);
  PUT(s->mesh.element, mesh->elem, mesh->nelem * s->elem_nodes);
  PUT(s->mesh.region, mesh->region, mesh->nelem);
  for (int i = 0; i < s->nregion; i++) {
    const lb_material* m = &in->material[i];
    s->material.model[i] = lb_material_name(m->model);
    s->material.young[i] = m->young;
    s->material.poisson[i] = m->poisson;
    s->material.density[i] = m->density;
    s->material.share[2 * i] = alpha > 0 ? m->alpha / alpha : 1;
    s->material.share[2 * i + 1] = beta > 0 ? m->beta / beta : 1;
  }
  s->material.damping[0] = alpha;
  s->material.damping[1] = beta;
}

static void store_inertia(lb_stored* s, const lb_stored_input* in) {
  const lb_reduced* b = in->reduced;
  PUT(s->Phi, in->basis->Phi, 3 * (size_t)s->nnode * (size_t)s->r);
  PUT(s->omega, in->basis->omega, s->r);
  *s->inertia.mass = b->m;
  put_vectors(s->inertia.h0, 1, &b->h0);
  put_matrices(s->inertia.E0, 1, &b->E0);
  put_vectors(s->inertia.H, b->r, b->H);
  put_matrices(s->inertia.B0, b->r, b->B0);
  put_matrices(s->inertia.B1, b->r * b->r, b->B1);
  PUT(s->inertia.M, b->M, b->r * b->r);
  PUT(s->inertia.C, (b->C ? b->C : b->M), b->r * b->r);
}

static void store_faces(lb_stored* s, const lb_stored_input* in) {
  for (int i = 0, first = 0; i < in->nface; i++) {
    PUT(s->face.node + first, in->face[i].node, in->face[i].count);
    PUT(s->face.weight + first, in->face[i].weight, in->face[i].count);
    s->face.first[i + 1] = first += in->face[i].count;
  }
  for (int f = 0; f < s->ncarry; f++) {
    const lb_face* face = &in->reduced->face[f];
    const size_t at = (size_t)f * (size_t)s->r;
    put_vectors(s->face.x0 + 3 * f, 1, &face->x0);
    put_matrices(s->face.A0 + 9 * f, 1, &face->A0);
    put_vectors(s->face.W + 3 * at, s->r, face->W);
    put_matrices(s->face.A + 9 * at, s->r, face->A);
  }
}

static void store_points(lb_stored* s, const lb_points* p) {
  const size_t r9 = 9 * (size_t)p->r;
  size_t n = 0;
  for (size_t i = 0; i < LB_LANES * (size_t)p->nbatch; i++) {
    if (p->element[i] < 0) {
      continue;
    }
    const size_t batch = i / LB_LANES, lane = i % LB_LANES;
    s->point.weight[n] = p->weight[batch][lane];
    for (size_t k = 0; k < 3; k++) {
      s->point.x[3 * n + k] = p->x[3 * batch + k][lane];
    }
    s->point.region[n] = p->region[batch];
    s->point.element[n] = p->element[i];
    for (size_t k = 0; k < r9; k++) { // by columns there, by rows here
      s->point.G[n * r9 + k / 9 * 9 + 3 * (k % 3) + k % 9 / 3] = p->G[batch * r9 + k][lane];
    }
    n++;
  }
}

// --- range ---

// Twice the elastic energy of a training pose, as if linear.
static double strain_of(const lb_stored* s, const double* eta) {
  double sum = 0;
  for (int k = 0; k < s->r; k++) {
    sum += s->omega[k] * s->omega[k] * eta[k] * eta[k];
  }
  return sum;
}

static void store_range(lb_stored* s, const lb_stored_input* in) {
  double *most = s->range.eta_most, *limit = s->range.eta_limit, strain = 0;
  for (int i = 0; i < in->nsample; i++) {
    const double* eta = in->eta + (size_t)i * (size_t)s->r;
    for (int k = 0; k < s->r; k++) {
      s->range.eta_mean[k] += eta[k] / in->nsample;
      most[k] = fmax(most[k], fabs(eta[k]));
    }
    strain = fmax(strain, strain_of(s, eta));
  }
  for (int k = 0; k < s->r; k++) {
    limit[k] = in->nsample ? fmax(most[k], QUIET * sqrt(strain) / s->omega[k]) : INFINITY;
    limit[k] = limit[k] > 0 ? limit[k] : INFINITY; // a training that never moved says nothing
  }
  for (int i = 0; i < 6 * in->nface; i++) {
    s->range.load_limit[i] = INFINITY; // until somebody knows
  }
}

// --- states to check a reader with ---

bool lb_stored_evaluate(const lb_reduced* b, const lb_stored* s, int i, lb_arena* arena,
                        lb_stored_state* e) {
  const size_t r = (size_t)b->r;
  lb_reduced_state state = {.B = LB_TAKE(arena, lb_m3, r), .C = LB_TAKE(arena, lb_v4, r)};
  double* scratch = LB_TAKE(arena, double, b->internal.scratch);
  e->force = LB_TAKE(arena, double, r);
  if (lb_arena_status(arena) != LB_OK) {
    return false;
  }
  const double* eta = s->check.eta + r * (size_t)i;
  lb_reduced_weigh(b, &state, eta);
  e->kinetic = lb_reduced_kinetic(b, &state, lb_v4_load(s->check.v + 3 * i),
                                  lb_v4_load(s->check.w + 3 * i), s->check.etad + r * (size_t)i);
  b->internal.force(b->internal.context, e->force, NULL, eta, NULL, scratch);
  e->energy = b->internal.energy(b->internal.context, eta, scratch);
  return true;
}

// The training's pose with the most strain, for energies of small strains lose digits.
static const double* largest_pose(const lb_stored* s, const lb_stored_input* in) {
  const double* best = in->eta;
  double most = -1;
  for (int i = 0; i < in->nsample; i++) {
    const double* eta = in->eta + (size_t)i * (size_t)s->r;
    const double strain = strain_of(s, eta);
    best = strain > most ? eta : best;
    most = fmax(most, strain);
  }
  return best;
}

// Parts of that pose, or small ones; velocities of no meaning.
static void choose_states(lb_stored* s, const lb_stored_input* in) {
  static const double part[CHECKS] = {1, -0.7, 0.5};
  const int r = s->r;
  const double* pose = largest_pose(s, in);
  for (int i = 0; i < CHECKS; i++) {
    for (int k = 0; k < r; k++) {
      const double small = 1e-3 * cos(1.7 * (k + 1) * (i + 1)) * sqrt(in->reduced->m) * s->omega[0];
      s->check.eta[i * r + k] = in->nsample ? part[i] * pose[k] : small / s->omega[k];
      s->check.etad[i * r + k] = cos(0.9 * (k + 2) * (i + 1));
    }
    for (int k = 0; k < 3; k++) {
      s->check.v[3 * i + k] = sin(1.0 + i + 2 * k);
      s->check.w[3 * i + k] = sin(2.0 + 2 * i + k);
    }
  }
}

static bool store_checks(lb_stored* s, const lb_stored_input* in, lb_arena* arena) {
  choose_states(s, in);
  for (int i = 0; i < CHECKS; i++) {
    lb_stored_state e;
    if (!lb_stored_evaluate(in->reduced, s, i, arena, &e)) {
      return false;
    }
    PUT(s->check.force + i * s->r, e.force, s->r);
    s->check.energy[i] = e.energy;
    s->check.kinetic[i] = e.kinetic;
  }
  return true;
}

lb_status lb_stored_make(const lb_stored_input* in, lb_arena* arena, lb_stored* stored) {
  lb_stored s = lb_stored_begin();
  set_lengths(&s, in);
  if (lb_stored_take(&s, arena) != LB_OK) {
    return LB_NO_MEMORY;
  }
  *s.format = LB_STORED_FORMAT;
  *s.readme = lb_stored_readme(arena);
  put_texts(s.body, in->nbody, in->body, arena);
  put_texts(s.form, 1, &in->form, arena);
  put_texts(s.face.name, in->nface, in->face_name, arena);
  PUT(s.form_numbers, in->form_numbers, LB_STORED_DIMENSIONS);
  PUT(s.until, in->until, in->nuntil);
  store_mesh(&s, in);
  store_inertia(&s, in);
  store_faces(&s, in);
  store_points(&s, in->points);
  store_range(&s, in);
  const bool ok = store_checks(&s, in, arena) && lb_arena_status(arena) == LB_OK;
  if (ok) {
    *stored = s;
  }
  return ok ? LB_OK : LB_NO_MEMORY;
}
