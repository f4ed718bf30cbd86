// From a reduced body in memory to the arrays of its file.
#include <math.h>
#include <string.h>

#include "elastic/reduced/stored_table.h"

enum { CHECKS = 3 };

// A coordinate that the training hardly moved may carry this part of the largest deformation, by
// elastic energy, before it counts as outside.
static const double QUIET = 0.05;

// --- arrays ---

static void put_vector(double* out, lb_v4 v) {
  lb_v4_store(out, v);
}

static void put_matrix(double* rows, lb_m3 A) {
  for (int i = 0; i < 3; i++) {
    rows[3 * i] = A.x[i];
    rows[3 * i + 1] = A.y[i];
    rows[3 * i + 2] = A.z[i];
  }
}

static const double* vectors(lb_arena* arena, int count, const lb_v4* from) {
  double* out = LB_TAKE(arena, double, 3 * (size_t)count);
  for (int i = 0; out && i < count; i++) {
    put_vector(out + 3 * (size_t)i, from[i]);
  }
  return out;
}

static const double* matrices(lb_arena* arena, int count, const lb_m3* from) {
  double* out = LB_TAKE(arena, double, 9 * (size_t)count);
  for (int i = 0; out && i < count; i++) {
    put_matrix(out + 9 * (size_t)i, from[i]);
  }
  return out;
}

static void* copy(lb_arena* arena, const void* from, size_t count, size_t size) {
  void* out = lb_arena_take_array(arena, count, size, LB_ALIGN);
  if (out && count) {
    memcpy(out, from, count * size);
  }
  return out;
}
#define COPY(arena, from, count) copy((arena), (from), (size_t)(count), sizeof *(from))

static const char* const* texts(lb_arena* arena, int count, const char* const* from) {
  const char** out = LB_TAKE(arena, const char*, count);
  for (int i = 0; out && i < count; i++) {
    out[i] = lb_arena_text(arena, from[i], strlen(from[i]));
    if (!out[i]) {
      return NULL;
    }
  }
  return out;
}

static void store_mesh(lb_stored* s, const lb_stored_input* in, lb_arena* arena) {
  const lb_tetmesh* mesh = in->mesh;
  s->nnode = mesh->nnode;
  s->nelem = mesh->nelem;
  s->elem_nodes = lb_tetmesh_elem_nodes(mesh);
  s->nregion = mesh->nregion;
  s->mesh.node = COPY(arena, &mesh->node[0].x, 3 * (size_t)mesh->nnode);
  s->mesh.element = COPY(arena, mesh->elem, mesh->nelem * s->elem_nodes);
  s->mesh.region = COPY(arena, mesh->region, mesh->nelem);
  const char** law = LB_TAKE(arena, const char*, s->nregion);
  double* number = LB_TAKE(arena, double, 3 * s->nregion);
  for (int i = 0; law && number && i < s->nregion; i++) {
    law[i] = lb_material_name(in->material[i].law);
    number[i] = in->material[i].young;
    number[s->nregion + i] = in->material[i].poisson;
    number[2 * s->nregion + i] = in->material[i].density;
  }
  double* share = LB_TAKE(arena, double, 2 * s->nregion);
  for (int i = 0; share && i < s->nregion; i++) {
    const double alpha = in->reduced->alpha, beta = in->reduced->beta;
    share[2 * i] = alpha > 0 ? in->material[i].alpha / alpha : 1;
    share[2 * i + 1] = beta > 0 ? in->material[i].beta / beta : 1;
  }
  s->material.share = share;
  s->material.law = law;
  s->material.young = number;
  s->material.poisson = number ? number + s->nregion : NULL;
  s->material.density = number ? number + 2 * s->nregion : NULL;
}

static void store_inertia(lb_stored* s, const lb_stored_input* in, lb_arena* arena) {
  const lb_reduced* b = in->reduced;
  s->r = b->r;
  s->Phi = COPY(arena, in->basis->Phi, 3 * (size_t)s->nnode * (size_t)s->r);
  s->omega = COPY(arena, in->basis->omega, s->r);
  s->inertia.mass = COPY(arena, &b->m, 1);
  s->material.damping = COPY(arena, ((double[]){b->alpha, b->beta}), 2);
  s->inertia.h0 = vectors(arena, 1, &b->h0);
  s->inertia.E0 = matrices(arena, 1, &b->E0);
  s->inertia.H = vectors(arena, b->r, b->H);
  s->inertia.B0 = matrices(arena, b->r, b->B0);
  s->inertia.B1 = matrices(arena, b->r * b->r, b->B1);
  s->inertia.M = COPY(arena, b->M, b->r * b->r);
  s->inertia.C = COPY(arena, (b->C ? b->C : b->M), b->r * b->r);
}

static void store_face_nodes(lb_stored* s, const lb_stored_input* in, lb_arena* arena) {
  int* first = LB_TAKE(arena, int, s->nfirst);
  for (int i = 0; first && i < in->nface; i++) {
    first[i + 1] = first[i] + in->face[i].count;
  }
  s->nface_node = first ? first[in->nface] : 0;
  int* node = LB_TAKE(arena, int, s->nface_node);
  double* weight = LB_TAKE(arena, double, s->nface_node);
  for (int i = 0; first && node && weight && i < in->nface; i++) {
    memcpy(node + first[i], in->face[i].node, (size_t)in->face[i].count * sizeof *node);
    memcpy(weight + first[i], in->face[i].weight, (size_t)in->face[i].count * sizeof *weight);
  }
  s->face.first = first;
  s->face.node = node;
  s->face.weight = weight;
}

static void store_faces(lb_stored* s, const lb_stored_input* in, lb_arena* arena) {
  s->nface = in->nface;
  s->nfirst = in->nface + 1;
  s->ncarry = in->nface - 1;
  s->face.name = texts(arena, in->nface, in->face_name);
  store_face_nodes(s, in, arena);
  const size_t n = (size_t)s->ncarry, r = (size_t)s->r;
  double* x0 = LB_TAKE(arena, double, 3 * n);
  double* A0 = LB_TAKE(arena, double, 9 * n);
  double* W = LB_TAKE(arena, double, 3 * n * r);
  double* A = LB_TAKE(arena, double, 9 * n * r);
  for (size_t f = 0; x0 && A0 && W && A && f < n; f++) {
    const lb_face* face = &in->reduced->face[f];
    put_vector(x0 + 3 * f, face->x0);
    put_matrix(A0 + 9 * f, face->A0);
    for (size_t k = 0; k < r; k++) {
      put_vector(W + 3 * (f * r + k), face->W[k]);
      put_matrix(A + 9 * (f * r + k), face->A[k]);
    }
  }
  s->face.x0 = x0;
  s->face.A0 = A0;
  s->face.W = W;
  s->face.A = A;
}

static void store_points(lb_stored* s, const lb_points* p, lb_arena* arena) {
  const size_t most = LB_LANES * (size_t)p->nbatch, r9 = 9 * (size_t)p->r;
  double* weight = LB_TAKE(arena, double, most);
  double* G = LB_TAKE(arena, double, most* r9);
  double* x = LB_TAKE(arena, double, 3 * most);
  int* region = LB_TAKE(arena, int, most);
  int* element = LB_TAKE(arena, int, most);
  size_t n = 0;
  for (size_t i = 0; weight && G && x && region && element && i < most; i++) {
    if (p->element[i] < 0) {
      continue;
    }
    const size_t batch = i / LB_LANES, lane = i % LB_LANES;
    weight[n] = p->weight[batch][lane];
    for (size_t k = 0; k < 3; k++) {
      x[3 * n + k] = p->x[3 * batch + k][lane];
    }
    region[n] = p->region[batch];
    element[n] = p->element[i];
    for (size_t k = 0; k < r9; k++) { // by columns there, by rows here
      G[n * r9 + k / 9 * 9 + 3 * (k % 3) + k % 9 / 3] = p->G[batch * r9 + k][lane];
    }
    n++;
  }
  s->npoint = (int)n;
  s->point.x = x;
  s->point.weight = weight;
  s->point.G = G;
  s->point.region = region;
  s->point.element = element;
}

// --- range ---

static void store_range(lb_stored* s, const lb_stored_input* in, lb_arena* arena) {
  double* mean = LB_TAKE(arena, double, s->r);
  double* most = LB_TAKE(arena, double, s->r);
  double* limit = LB_TAKE(arena, double, s->r);
  if (!mean || !most || !limit || !s->omega) {
    return;
  }
  double strain = 0; // twice the largest elastic energy, as if linear
  for (int i = 0; i < in->nsample; i++) {
    double sum = 0;
    for (int k = 0; k < s->r; k++) {
      const double eta = in->eta[(size_t)i * (size_t)s->r + (size_t)k];
      mean[k] += eta / in->nsample;
      most[k] = fmax(most[k], fabs(eta));
      sum += s->omega[k] * s->omega[k] * eta * eta;
    }
    strain = fmax(strain, sum);
  }
  for (int k = 0; k < s->r; k++) {
    limit[k] = in->nsample ? fmax(most[k], QUIET * sqrt(strain) / s->omega[k]) : INFINITY;
    limit[k] = limit[k] > 0 ? limit[k] : INFINITY; // a training that never moved says nothing
  }
  s->range.eta_mean = mean;
  s->range.eta_most = most;
  s->range.eta_limit = limit;
}

// --- states to check a reader with ---

bool lb_stored_evaluate(const lb_reduced* b, const lb_stored* s, int i, lb_arena* arena,
                        lb_stored_state* e) {
  const size_t r = (size_t)b->r;
  lb_reduced_state state = {.B = LB_TAKE(arena, lb_m3, r), .C = LB_TAKE(arena, lb_v4, r)};
  double* scratch = LB_TAKE(arena, double, b->internal.scratch);
  e->force = LB_TAKE(arena, double, r);
  if (!state.B || !state.C || !scratch || !e->force) {
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
    double sum = 0;
    for (int k = 0; k < s->r; k++) {
      sum += s->omega[k] * s->omega[k] * eta[k] * eta[k];
    }
    if (sum > most) {
      most = sum;
      best = eta;
    }
  }
  return best;
}

// Parts of that pose, or small ones; velocities of no meaning.
static bool choose_states(lb_stored* s, const lb_stored_input* in, lb_arena* arena) {
  const int r = s->r;
  double* eta = LB_TAKE(arena, double, CHECKS* r);
  double* etad = LB_TAKE(arena, double, CHECKS* r);
  double* v = LB_TAKE(arena, double, 3 * CHECKS);
  double* w = LB_TAKE(arena, double, 3 * CHECKS);
  if (!eta || !etad || !v || !w) {
    return false;
  }
  static const double part[CHECKS] = {1, -0.7, 0.5};
  const double* pose = largest_pose(s, in);
  for (int i = 0; i < CHECKS; i++) {
    for (int k = 0; k < r; k++) {
      const double small = 1e-3 * cos(1.7 * (k + 1) * (i + 1)) * sqrt(in->reduced->m) * s->omega[0];
      eta[i * r + k] = in->nsample ? part[i] * pose[k] : small / s->omega[k];
      etad[i * r + k] = cos(0.9 * (k + 2) * (i + 1));
    }
    for (int k = 0; k < 3; k++) {
      v[3 * i + k] = sin(1.0 + i + 2 * k);
      w[3 * i + k] = sin(2.0 + 2 * i + k);
    }
  }
  s->ncheck = CHECKS;
  s->check.eta = eta;
  s->check.etad = etad;
  s->check.v = v;
  s->check.w = w;
  return true;
}

static bool store_checks(lb_stored* s, const lb_stored_input* in, lb_arena* arena) {
  double* force = LB_TAKE(arena, double, CHECKS * s->r);
  double* energy = LB_TAKE(arena, double, CHECKS);
  double* kinetic = LB_TAKE(arena, double, CHECKS);
  bool ok = force && energy && kinetic && choose_states(s, in, arena);
  for (int i = 0; ok && i < CHECKS; i++) {
    lb_stored_state e = {0};
    ok = lb_stored_evaluate(in->reduced, s, i, arena, &e);
    if (ok) {
      memcpy(force + i * s->r, e.force, (size_t)s->r * sizeof *force);
      energy[i] = e.energy;
      kinetic[i] = e.kinetic;
    }
  }
  s->check.force = force;
  s->check.energy = energy;
  s->check.kinetic = kinetic;
  return ok;
}

lb_status lb_stored_make(const lb_stored_input* in, lb_arena* arena, lb_stored* stored) {
  lb_stored s = {.three = 3, .two = 2, .six = 6, .dimensions = LB_STORED_DIMENSIONS};
  const int format = LB_STORED_FORMAT;
  const char* readme = lb_stored_readme(arena);
  s.format = COPY(arena, &format, 1);
  s.readme = COPY(arena, &readme, 1);
  s.nbody = in->nbody;
  s.body = texts(arena, in->nbody, in->body);
  s.form = texts(arena, 1, &in->form);
  s.form_numbers = COPY(arena, in->form_numbers, LB_STORED_DIMENSIONS);
  s.nuntil = in->nuntil;
  s.until = COPY(arena, in->until, in->nuntil);
  store_mesh(&s, in, arena);
  store_inertia(&s, in, arena);
  store_faces(&s, in, arena);
  store_points(&s, in->points, arena);
  store_range(&s, in, arena);
  double* load = LB_TAKE(arena, double, 6 * in->nface);
  for (int i = 0; load && i < 6 * in->nface; i++) {
    load[i] = INFINITY; // until somebody knows
  }
  s.range.load_limit = load;
  s.range.load_every = LB_TAKE(arena, double, 1);
  s.figure_name = LB_TAKE(arena, const char*, 0);
  s.figure = LB_TAKE(arena, double, 0);
  bool ok = readme && s.omega && store_checks(&s, in, arena);
  for (int i = 0; i < lb_stored_nfield; i++) {
    ok &= *lb_stored_data(&s, &lb_stored_fields[i]) != NULL;
  }
  if (ok) {
    *stored = s;
  }
  return ok ? LB_OK : LB_NO_MEMORY;
}
